//! [`ShortWordCache`]: a hash table of short words and the numbers of their stems.
//!
//! Lookups of words take most of the time of scoring a response. A word of up to 16 letters is one
//! number, so a sparse table of such numbers needs no hashing of bytes, no comparison of texts and no
//! second table.

/// A word as a number, in two halves, and the number of its stem.
#[derive(Debug, Clone, Copy)]
struct WordSlot {
    /// No word is 0, so that is an empty place.
    low: u64,
    high: u64,
    stem: u32,
}

const EMPTY: WordSlot = WordSlot { low: 0, high: 0, stem: 0 };

/// The initial number of places; always a power of two.
const FIRST: usize = 1 << 12;

/// The numbers of short words.
#[derive(Debug, Default)]
pub(super) struct ShortWordCache {
    /// At most three quarters of them are taken, so that every search soon finds an empty one, and not
    /// many fewer, so that the table stays in the CPU's cache.
    places: Vec<WordSlot>,
    taken: usize,
}

impl ShortWordCache {
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The number of a word's stem, if the word is known.
    #[inline]
    pub(super) fn get(&self, word: u128) -> Option<u32> {
        let (low, high) = halves(word);
        let mut at = first_place(low, high);
        loop {
            at &= self.places.len().wrapping_sub(1);
            let place = self.places.get(at)?;
            if place.low == low && place.high == high {
                return Some(place.stem);
            }
            if place.low == 0 {
                return None;
            }
            at += 1;
        }
    }

    /// Remembers a word that is not known.
    pub(super) fn insert(&mut self, word: u128, stem: u32) {
        if 4 * (self.taken + 1) > 3 * self.places.len() {
            let room = FIRST.max(2 * self.places.len());
            let before = std::mem::replace(&mut self.places, vec![EMPTY; room]);
            for place in before.into_iter().filter(|place| place.low != 0) {
                self.put(place);
            }
        }
        let (low, high) = halves(word);
        self.put(WordSlot { low, high, stem });
        self.taken += 1;
    }

    fn put(&mut self, place: WordSlot) {
        let mut at = first_place(place.low, place.high);
        loop {
            at &= self.places.len().wrapping_sub(1);
            match self.places.get_mut(at) {
                Some(there) if there.low != 0 => at += 1,
                Some(there) => {
                    *there = place;
                    return;
                }
                None => return,
            }
        }
    }
}

#[inline]
fn halves(word: u128) -> (u64, u64) {
    #[expect(clippy::cast_possible_truncation, reason = "halves")]
    (word as u64, (word >> 64) as u64)
}

/// Where the search for a word begins, before it is cut to the number of places: the upper half of a
/// product, which all letters have a part in.
#[inline]
fn first_place(low: u64, high: u64) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = (low ^ high.rotate_left(29)).wrapping_mul(ODD);
    (mixed >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_are_kept_as_in_any_map(words in prop::collection::vec(1..20_000_u64, 0..12_000)) {
            let mut known = HashMap::new();
            let mut short = ShortWordCache::default();
            for word in words {
                let key = u128::from(word) | u128::from(word % 3) << 100;
                prop_assert_eq!(short.get(key), known.get(&key).copied());
                if !known.contains_key(&key) {
                    let number = u32::try_from(known.len()).expect("few");
                    short.insert(key, number);
                    known.insert(key, number);
                }
                prop_assert_eq!(short.len(), known.len());
            }
            short.clear();
            prop_assert_eq!((short.len(), short.get(1)), (0, None));
        }
    }
}
