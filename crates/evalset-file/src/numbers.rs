//! [`Numbers`]: which numbered forms of an id are taken.

/// A set of numbers from 1 on, in constant memory: exact up to [`LOW`], above that only the highest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    low: u64,
    highest: u64,
}

/// The numbers that are kept one by one.
const LOW: u64 = 64;

impl Numbers {
    /// Notes that `id` is taken, if it is `eval_id` or that with a number.
    pub(crate) fn insert(&mut self, eval_id: &str, id: &str) {
        let Some(number) = id.strip_prefix(eval_id).and_then(number_of) else { return };
        if number <= LOW {
            self.low |= 1 << (number - 1);
        }
        self.highest = self.highest.max(number);
    }

    /// The first free number up to [`LOW`], else one above all taken numbers.
    pub(crate) fn free(self) -> u64 {
        if self.low == u64::MAX {
            self.highest.saturating_add(1)
        } else {
            u64::from(self.low.trailing_ones()) + 1
        }
    }
}

/// The number in a suffix: an empty one is 1, `_2` is 2. `_1` and `_02` are not numbers.
fn number_of(rest: &str) -> Option<u64> {
    if rest.is_empty() {
        return Some(1);
    }
    let digits = rest.strip_prefix('_')?;
    let number: u64 = digits.parse().ok()?;
    (number >= 2 && number.to_string() == digits).then_some(number)
}

#[cfg(test)]
mod tests {
    use evalset::numbered;

    use super::*;

    #[test]
    fn first_free_number_is_found() {
        for (taken, expected) in [
            (vec![], 1),
            (vec![1], 2),
            (vec![2], 1),
            (vec![1, 2, 4], 3),
            ((1..=64).collect::<Vec<u64>>(), 65),
            ((1..=1_000).collect(), 1_001),
            ((1..=64).chain(66..=1_000).collect(), 1_001),
        ] {
            let mut numbers = Numbers::default();
            numbers.insert("a", "b");
            taken.iter().for_each(|&number| numbers.insert("a", &numbered("a", number)));
            assert_eq!(numbers.free(), expected);
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let numbers = ["", "_2", "_17", "_1", "_02", "_+2", "2", "_", "_2x"].map(number_of);
        assert_eq!(numbers, [Some(1), Some(2), Some(17), None, None, None, None, None, None]);
    }
}
