//! What an append has to know of a file: is the session there already, which names are taken.

use std::collections::BTreeSet;
use std::io;

use evalset::adk::EvalCase;

use crate::index::{Builder, Entry, Kind};
use crate::scan::Sink;

/// Asked of a file.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The id that the case would like to have.
    pub(crate) eval_id: String,
    /// By which the recording is known again.
    pub(crate) invocation_ids: Vec<String>,
}

impl Question {
    pub(crate) fn of(case: &EvalCase) -> Self {
        Self {
            eval_id: case.eval_id.clone(),
            invocation_ids: case.invocation_ids().map(str::to_owned).collect(),
        }
    }
}

/// Found while reading the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    /// Where the case of the same recording begins.
    pub(crate) same_recording: Option<u64>,
    /// Which of `eval_id`, `eval_id_2`, `eval_id_3`... are taken, by number.
    pub(crate) taken: BTreeSet<u64>,
}

impl Answer {
    /// The first number that is free.
    pub(crate) fn free_number(&self) -> u64 {
        (1..)
            .zip(&self.taken)
            .find(|(number, taken)| number != *taken)
            .map_or_else(|| self.taken.last().map_or(1, |last| last + 1), |(number, _)| number)
    }

    pub(crate) fn merged_with(mut self, other: Self) -> Self {
        self.same_recording = self.same_recording.or(other.same_recording);
        self.taken.extend(other.taken);
        self
    }
}

/// Answers a question from the ids in a file, and hands them to an index in the making.
#[derive(Debug)]
pub(crate) struct Listener<'a> {
    question: &'a Question,
    pub(crate) answer: Answer,
    builder: Option<&'a Builder>,
    run: Vec<Entry>,
}

impl<'a> Listener<'a> {
    pub(crate) fn new(question: &'a Question, builder: Option<&'a Builder>) -> Self {
        Self { question, answer: Answer::default(), builder, run: Vec::new() }
    }

    /// Writes out what is still held for the index.
    pub(crate) fn finish(mut self) -> Answer {
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

impl Sink for Listener<'_> {
    fn eval_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
        if let Some(rest) = id.strip_prefix(self.question.eval_id.as_str())
            && let Some(number) = number_of(rest)
        {
            self.answer.taken.insert(number);
        }
        self.index(Kind::Case, id, at, case);
        Ok(())
    }

    fn invocation_id(&mut self, id: &str, at: u64, case: u64) -> io::Result<()> {
        if self.question.invocation_ids.iter().any(|own| own == id) {
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

/// The number behind a name: none is 1, `_2` is 2. `_1` and `_02` are names of their own.
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
    fn the_first_free_number_is_taken() {
        let free = |taken: &[u64]| {
            Answer { taken: taken.iter().copied().collect(), ..Answer::default() }.free_number()
        };
        assert_eq!(
            [free(&[]), free(&[1]), free(&[2]), free(&[1, 2, 4]), free(&[1, 2, 3])],
            [1, 2, 1, 3, 4]
        );
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let numbers = ["", "_2", "_17", "_1", "_02", "_+2", "2", "_", "_2x"].map(number_of);
        assert_eq!(numbers, [Some(1), Some(2), Some(17), None, None, None, None, None, None]);
    }
}
