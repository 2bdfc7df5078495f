//! [`Words`]: stems as small numbers, so that each word of a kind of text is stemmed once.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::porter::{Rules, Stemmer};
use super::runs::each_run;
use super::short::ShortWords;
use super::tokens::{Word, each_word};

/// When more words than this are remembered, all are forgotten.
const MOST: usize = 1 << 16;

type Table<Key> = HashMap<Key, u32, FxBuildHasher>;

/// The words of a text, in order.
#[derive(Debug, Default)]
pub(super) struct Stems {
    /// The numbers of their stems.
    pub(super) numbers: Vec<u32>,
    /// Of a text of ASCII the words, each in one number; 0 for those that are too long.
    words: Vec<u128>,
}

/// The numbers of the stems met so far.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// ASCII words of up to 16 letters, lower-cased, in one number each, and their stem's number.
    short: ShortWords,
    /// All others.
    long: Table<Box<[u8]>>,
    stems: Table<Box<[u8]>>,
    stemmer: Stemmer,
}

impl Words {
    /// Forgets everything once there is much: a file of any size is scored in bounded memory.
    pub(super) fn forget_if_many(&mut self) {
        if self.short.len() + self.long.len() > MOST {
            self.short.clear();
            self.long.clear();
            self.stems.clear();
        }
    }

    pub(super) fn stem_count(&self) -> usize {
        self.stems.len()
    }

    /// Puts the stems of `text` into `into`, in order. Where it has the words of `like`, which is
    /// what agents mostly say, none is looked up.
    pub(super) fn read(&mut self, text: &str, into: &mut Stems, like: &Stems) {
        let Stems { numbers, words } = into;
        numbers.clear();
        words.clear();
        if text.is_ascii() {
            let bytes = text.as_bytes();
            each_run(bytes, |begin, end| {
                let packed = packed(bytes, begin, end);
                let place = words.len();
                words.push(packed.unwrap_or(0));
                let number = match packed {
                    Some(key) if like.words.get(place) == Some(&key) => {
                        like.numbers.get(place).copied().unwrap_or_default()
                    }
                    Some(key) => self.number_of_short(key, end - begin),
                    None => {
                        let word = bytes.get(begin..end).unwrap_or_default().to_ascii_lowercase();
                        self.number(Word::Ascii(&word))
                    }
                };
                numbers.push(number);
            });
        } else {
            each_word(text, |word| numbers.push(self.number(word)));
        }
    }

    /// The number of a word's stem.
    fn number(&mut self, word: Word<'_>) -> u32 {
        let bytes = match word {
            Word::Ascii(bytes) => {
                if let Some(key) = packed(bytes, 0, bytes.len()) {
                    return self.number_of_short(key, bytes.len());
                }
                bytes
            }
            Word::Other(text) => text.as_bytes(),
        };
        if let Some(number) = self.long.get(bytes) {
            return *number;
        }
        let number = self.learn(word);
        self.long.insert(bytes.into(), number);
        number
    }

    #[inline]
    fn number_of_short(&mut self, key: u128, length: usize) -> u32 {
        match self.short.get(key) {
            Some(number) => number,
            None => self.learn_short(key, length),
        }
    }

    #[cold]
    fn learn_short(&mut self, key: u128, length: usize) -> u32 {
        let bytes = key.to_le_bytes();
        let number = self.learn(Word::Ascii(bytes.get(..length).unwrap_or_default()));
        self.short.insert(key, number);
        number
    }

    fn learn(&mut self, word: Word<'_>) -> u32 {
        let stem = match word {
            Word::Ascii(bytes) if bytes.len() > 3 => self.stemmer.stem(&Rules::NLTK, bytes),
            Word::Ascii(bytes) => bytes,
            Word::Other(text) => text.as_bytes(),
        };
        if let Some(number) = self.stems.get(stem) {
            return *number;
        }
        let number = u32::try_from(self.stems.len()).unwrap_or(u32::MAX);
        self.stems.insert(stem.into(), number);
        number
    }
}

/// By length, the bits that belong to a word; none for one that is too long.
const KEPT: [u128; 17] = {
    let mut kept = [u128::MAX; 17];
    let mut length = 0;
    while length < 16 {
        kept[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    kept
};

/// A word of up to 16 ASCII letters and digits as a number, lower-cased: for those bytes that is to
/// set one bit, which digits have set anyway.
#[inline]
fn packed(bytes: &[u8], begin: usize, end: usize) -> Option<u128> {
    let kept = KEPT.get(end - begin)?;
    let rest = bytes.get(begin..)?;
    let word = match rest.first_chunk::<16>() {
        Some(chunk) => u128::from_le_bytes(*chunk),
        None => last_word(rest),
    };
    Some((word | u128::from_le_bytes([0x20; 16])) & kept)
}

/// The same bytes where fewer than 16 are left.
fn last_word(rest: &[u8]) -> u128 {
    let mut chunk = [0; 16];
    for (to, from) in chunk.iter_mut().zip(rest) {
        *to = *from;
    }
    u128::from_le_bytes(chunk)
}
