//! [`Words`]: stems as small numbers, so that each word of a kind of text is stemmed once.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::porter::{Rules, Stemmer};
use super::tokens::{Word, each_word};

/// When more words than this are remembered, all are forgotten.
const MOST: usize = 1 << 16;

/// The numbers of the stems met so far.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Words as they stand in the text, lower-cased, and their stem's number.
    known: HashMap<Box<[u8]>, u32, FxBuildHasher>,
    stems: HashMap<Box<[u8]>, u32, FxBuildHasher>,
    stemmer: Stemmer,
}

impl Words {
    /// Forgets everything once there is much: a file of any size is scored in bounded memory.
    pub(super) fn forget_if_many(&mut self) {
        if self.known.len() > MOST {
            self.known.clear();
            self.stems.clear();
        }
    }

    pub(super) fn stem_count(&self) -> usize {
        self.stems.len()
    }

    /// Puts the stems of `text` into `into`, in order.
    pub(super) fn read(&mut self, text: &str, into: &mut Vec<u32>) {
        into.clear();
        each_word(text, |word| {
            let bytes = match word {
                Word::Ascii(bytes) => bytes,
                Word::Other(text) => text.as_bytes(),
            };
            let stem = match self.known.get(bytes) {
                Some(stem) => *stem,
                None => self.learn(word, bytes),
            };
            into.push(stem);
        });
    }

    fn learn(&mut self, word: Word<'_>, bytes: &[u8]) -> u32 {
        let stem = match word {
            Word::Ascii(bytes) if bytes.len() > 3 => self.stemmer.stem(&Rules::NLTK, bytes),
            _ => bytes,
        };
        let next = u32::try_from(self.stems.len()).unwrap_or(u32::MAX);
        let number = match self.stems.get(stem) {
            Some(number) => *number,
            None => {
                self.stems.insert(stem.into(), next);
                next
            }
        };
        self.known.insert(bytes.into(), number);
        number
    }
}
