//! [`Task`]: a case on its way to being scored.

use std::sync::Arc;
use std::time::Instant;

use case_trace::CaseTrace;
use score_report::ScoredCase;
use scoring::config::{Config, Tools};

use crate::choice::Choice;
use crate::file::FileFacts;

/// A case on its way to being scored.
#[derive(Debug)]
pub(crate) struct Task {
    /// How the case is called while it has not been read.
    pub(crate) called: String,
    pub(crate) expected: Side,
    pub(crate) actual: Side,
    /// Why it cannot be scored, whatever its sides say.
    pub(crate) trouble: Option<String>,
}

/// One side of a case.
#[derive(Debug)]
pub(crate) enum Side {
    /// It has none.
    Absent,
    /// To be read.
    Text { facts: Arc<FileFacts>, text: String, start: u64, index: u64 },
    /// Read already.
    Read(Box<Result<CaseTrace, String>>),
}

impl Side {
    /// How much memory it takes, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text { text, .. } => text.len(),
            Self::Absent | Self::Read(_) => 1024,
        }
    }

    fn read(self) -> Result<Option<CaseTrace>, String> {
        match self {
            Self::Absent => Ok(None),
            Self::Read(read) => (*read).map(Some),
            Self::Text { facts, text, start, index } => {
                let read = facts.read(&text, start, index).map(Some);
                facts.keep(text);
                read
            }
        }
    }
}

impl Task {
    /// Reads both sides; none when the case is not among those chosen.
    pub(crate) fn read(self, choice: &Choice<'_>) -> Option<Pair> {
        let Self { called, expected, actual, trouble } = self;
        let expected = expected.read();
        if let Ok(Some(expected)) = &expected
            && !choice.takes_tags(&expected.tags)
        {
            return None;
        }
        let actual = actual.read();
        // Whether a case that cannot be read has the tag is not known: it is told, not left out.
        let faults =
            [expected.as_ref().err(), actual.as_ref().err()].into_iter().flatten().cloned();
        let mut faults: Vec<String> = trouble.into_iter().chain(faults).collect();
        let (expected, actual) = (expected.ok().flatten(), actual.ok().flatten());
        if let (Some(expected), Some(actual)) = (&expected, &actual)
            && expected.eval_id != actual.eval_id
        {
            let fault =
                "its partner has another id by now; do not change files while they are scored";
            faults.push(fault.to_owned());
        }
        let fault = (!faults.is_empty()).then(|| faults.join("; "));
        Some(Pair { called, expected, actual, fault })
    }
}

/// A case, and what was done of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Its id; of a case that has none its place, `#3`.
    pub called: String,
    /// What is expected, where there is something and it can be read.
    pub expected: Option<CaseTrace>,
    /// What was done, where there is something and it can be read.
    pub actual: Option<CaseTrace>,
    /// Why the case cannot be scored, whatever its sides say.
    pub fault: Option<String>,
}

impl Pair {
    /// Scores the case by every criterion.
    #[must_use]
    pub fn scored(self, config: &Config, tools: &mut Tools<'_>) -> ScoredCase {
        let Self { called, expected, actual, fault } = self;
        if let Some(fault) = fault {
            return ScoredCase::error(&called, expected, actual, &fault);
        }
        let begin = Instant::now();
        match (expected, actual) {
            (Some(expected), Some(actual)) => {
                let clock = || begin.elapsed().as_secs_f64();
                ScoredCase::of(config, expected, actual, tools, clock)
            }
            (Some(expected), None) => ScoredCase::expected_only(expected),
            (None, Some(actual)) => ScoredCase::actual_only(config, actual),
            (None, None) => ScoredCase::error(&called, None, None, "nothing of it can be read"),
        }
    }
}
