//! [`Lookup`]: whether a file already has a recording, and which ids are taken.

use std::io;

use evalset::adk::EvalCase;

use crate::index::{Builder, Entry, Kind};
use crate::scan::Sink;

/// What to look up in a file.
#[derive(Debug, Clone)]
pub(crate) struct Lookup {
    /// The wanted id.
    pub(crate) eval_id: String,
    /// They identify the recording.
    pub(crate) invocation_ids: Vec<String>,
}

impl Lookup {
    pub(crate) fn of(case: &EvalCase) -> Self {
        Self {
            eval_id: case.eval_id.clone(),
            invocation_ids: case.invocation_ids().map(str::to_owned).collect(),
        }
    }
}

/// The result of a lookup.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LookupResult {
    /// Where the case of the same recording begins.
    pub(crate) same_recording: Option<u64>,
    /// Which of `eval_id`, `eval_id_2`, `eval_id_3`... are taken.
    pub(crate) taken: Numbers,
}

impl LookupResult {
    pub(crate) fn merged_with(mut self, other: Self) -> Self {
        self.same_recording = self.same_recording.or(other.same_recording);
        self.taken.low |= other.taken.low;
        self.taken.highest = self.taken.highest.max(other.taken.highest);
        self
    }
}

/// A set of numbers from 1 on, in constant memory: exact up to [`LOW`], above that only the highest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    low: u64,
    highest: u64,
}

/// The numbers that are checked one by one.
const LOW: u64 = 64;

impl Numbers {
    pub(crate) fn insert(&mut self, number: u64) {
        if (1..=LOW).contains(&number) {
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

/// A free number, found with few calls: the first one up to [`LOW`], else one that follows a taken one.
///
/// # Errors
/// Those of `is_taken`.
pub(crate) fn free_number(mut is_taken: impl FnMut(u64) -> io::Result<bool>) -> io::Result<u64> {
    for number in 1..=LOW {
        if !is_taken(number)? {
            return Ok(number);
        }
    }
    let (mut taken, mut free) = (LOW, LOW * 2);
    while is_taken(free)? {
        taken = free;
        free = free.saturating_mul(2);
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        if is_taken(middle)? {
            taken = middle;
        } else {
            free = middle;
        }
    }
    Ok(free)
}

/// Answers a lookup from the ids in a file, and adds them to an index being built.
#[derive(Debug)]
pub(crate) struct LookupSink<'a> {
    lookup: &'a Lookup,
    pub(crate) answer: LookupResult,
    builder: Option<&'a Builder>,
    run: Vec<Entry>,
}

impl<'a> LookupSink<'a> {
    pub(crate) fn new(lookup: &'a Lookup, builder: Option<&'a Builder>) -> Self {
        Self { lookup, answer: LookupResult::default(), builder, run: Vec::new() }
    }

    /// Writes the remaining entries to the index.
    pub(crate) fn finish(mut self) -> LookupResult {
        if let Some(builder) = self.builder {
            builder.write(&mut self.run);
        }
        self.answer
    }

    fn index(&mut self, kind: Kind, id: &str, at: u64, case: u64) {
        if let Some(builder) = self.builder {
            builder.take(&mut self.run, Entry::new(kind, id, at, case));
        }
    }
}

impl Sink for LookupSink<'_> {
    fn eval_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
        if let Some(rest) = id.strip_prefix(self.lookup.eval_id.as_str())
            && let Some(number) = number_of(rest)
        {
            self.answer.taken.insert(number);
        }
        self.index(Kind::Case, id, at, case);
        Ok(())
    }

    fn invocation_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
        if self.lookup.invocation_ids.iter().any(|own| own == id) {
            self.answer.same_recording.get_or_insert(case);
        }
        self.index(Kind::Invocation, id, at, case);
        Ok(())
    }
}

/// The ids in a single case.
#[derive(Debug, Default)]
pub(crate) struct CaseIds {
    pub(crate) eval_id: Option<String>,
    pub(crate) entries: Vec<Entry>,
    /// Stop at the first `eval_id`.
    pub(crate) stop: bool,
}

impl Sink for CaseIds {
    fn eval_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
        self.eval_id.get_or_insert_with(|| id.to_owned());
        self.entries.push(Entry::new(Kind::Case, id, at, case));
        if self.stop { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    fn invocation_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
        self.entries.push(Entry::new(Kind::Invocation, id, at, case));
        Ok(())
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
    use super::*;

    #[test]
    fn both_searches_find_the_free_number() {
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
            taken.iter().for_each(|&number| numbers.insert(number));
            assert_eq!(numbers.free(), expected);
            let mut asked = 0;
            let free = free_number(|number| {
                asked += 1;
                Ok(taken.contains(&number))
            });
            assert_eq!(free.expect("answered"), expected);
            assert!(asked < 90);
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let numbers = ["", "_2", "_17", "_1", "_02", "_+2", "2", "_", "_2x"].map(number_of);
        assert_eq!(numbers, [Some(1), Some(2), Some(17), None, None, None, None, None, None]);
    }
}
