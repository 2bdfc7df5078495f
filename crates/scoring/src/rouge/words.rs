//! [`Words`]: stems as small numbers, so that each word of a kind of text is stemmed once.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::alphanumeric_runs::each_run;
use super::porter::{Rules, Stemmer};
use super::short_word_cache::ShortWordCache;
use super::tokens::{Run, Word, each_word};

/// The cache is cleared when it has more words than this.
const MOST: usize = 1 << 16;

type Table<Key> = HashMap<Key, u32, FxBuildHasher>;

/// A word: the bytes of a short one, lower-cased, or [`NUMBERED`], the number of its stem and its
/// first byte. Equal words have equal stems; unequal ones may have.
pub(super) type WordKey = u128;

/// No short word has this bit, since all its bytes are ASCII.
const NUMBERED: WordKey = 1 << 127;

/// A bit for the first letter of a word, which is that of its stem: words without a bit in common
/// have other stems.
#[inline]
pub(super) fn initial(word: WordKey) -> u64 {
    1 << (word & 63)
}

/// The numbers of the stems met so far.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// ASCII words of up to 16 letters, lower-cased, in one number each, and their stem's number.
    short: ShortWordCache,
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

    /// Puts the words of `text` into `into`, in order.
    pub(super) fn split(&mut self, text: &str, into: &mut Vec<WordKey>) {
        into.clear();
        if text.is_ascii() {
            let text = text.as_bytes();
            each_run(text, |begin, end| into.push(self.key(Run { text, begin, end })));
        } else {
            each_word(text, |word| {
                into.push(match word {
                    Word::Ascii(run) => self.key(run),
                    Word::Other(text) => self.numbered(text.as_bytes(), Self::learn_as_it_is),
                });
            });
        }
    }

    #[inline]
    fn key(&mut self, run: Run<'_>) -> WordKey {
        match packed(run) {
            Some(key) => key,
            None => self.long(run),
        }
    }

    #[cold]
    fn long(&mut self, run: Run<'_>) -> WordKey {
        self.numbered(&run.lowered(), Self::learn)
    }

    /// The number of a word's stem.
    #[inline]
    pub(super) fn stem(&mut self, word: WordKey) -> u32 {
        if word & NUMBERED != 0 {
            #[expect(clippy::cast_possible_truncation, reason = "the number stands there")]
            return (word >> 32) as u32;
        }
        match self.short.get(word) {
            Some(number) => number,
            None => self.learn_short(word),
        }
    }

    /// A word that is long, or not of ASCII.
    fn numbered(&mut self, word: &[u8], learn: impl FnOnce(&mut Self, &[u8]) -> u32) -> WordKey {
        let number = match self.long.get(word) {
            Some(number) => *number,
            None => {
                let number = learn(self, word);
                self.long.insert(word.into(), number);
                number
            }
        };
        let first = word.first().copied().unwrap_or_default();
        NUMBERED | WordKey::from(number) << 32 | WordKey::from(first)
    }

    #[cold]
    fn learn_short(&mut self, word: WordKey) -> u32 {
        let length = (WordKey::BITS - word.leading_zeros()).div_ceil(8) as usize;
        let bytes = word.to_le_bytes();
        let number = self.learn(bytes.get(..length).unwrap_or_default());
        self.short.insert(word, number);
        number
    }

    /// The number of the stem of a word of ASCII.
    fn learn(&mut self, word: &[u8]) -> u32 {
        let stem = if word.len() > 3 { self.stemmer.stem(&Rules::NLTK, word) } else { word };
        number_of(&mut self.stems, stem)
    }

    /// The number of a word that is its own stem.
    fn learn_as_it_is(&mut self, word: &[u8]) -> u32 {
        number_of(&mut self.stems, word)
    }
}

fn number_of(stems: &mut Table<Box<[u8]>>, stem: &[u8]) -> u32 {
    if let Some(number) = stems.get(stem) {
        return *number;
    }
    let number = u32::try_from(stems.len()).unwrap_or(u32::MAX);
    stems.insert(stem.into(), number);
    number
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
fn packed(Run { text, begin, end }: Run<'_>) -> Option<WordKey> {
    let kept = KEPT.get(end - begin)?;
    let rest = text.get(begin..)?;
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
