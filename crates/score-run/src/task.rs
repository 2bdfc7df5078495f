//! [`Task`]: a case to be scored.

use std::sync::Arc;
use std::time::Instant;

use case_trace::CaseTrace;
use score_report::ScoredCase;
use scoring::config::{Config, Tools};

use crate::case_filter::CaseFilter;
use crate::error::ScoringFault;
use crate::facts::{FileFacts, TraceOf};
use crate::pairing::Pairing;

/// A case to be scored.
#[derive(Debug)]
pub(crate) struct Task {
    /// The case's name until it is read.
    pub(crate) called: String,
    pub(crate) expected: Side,
    pub(crate) actual: Side,
    /// Why it cannot be scored, regardless of its sides.
    pub(crate) trouble: Option<ScoringFault>,
    /// How its partner was searched.
    pub(crate) pairing: Pairing,
    /// The file of the actual case, if there are several runs of the set.
    pub(crate) run: Option<String>,
}

/// One side of a case.
#[derive(Debug)]
pub(crate) enum Side {
    /// No case.
    Absent,
    /// Its text, which begins at `start` in its file.
    Text { facts: Arc<FileFacts>, text: String, start: u64, index: u64 },
    /// Already parsed.
    Read(Box<Result<CaseTrace, ScoringFault>>),
}

impl Side {
    /// A copy of a text. Other sides are never paired twice.
    pub(crate) fn copied(&self) -> Self {
        match self {
            Self::Text { facts, text, start, index } => Self::Text {
                facts: Arc::clone(facts),
                text: text.clone(),
                start: *start,
                index: *index,
            },
            Self::Absent | Self::Read(_) => Self::Absent,
        }
    }

    /// Its approximate size in memory.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text { text, .. } => text.len(),
            Self::Absent | Self::Read(_) => 1024,
        }
    }

    /// Parses it.
    fn read(self, trace: TraceOf) -> Result<Option<CaseTrace>, ScoringFault> {
        match self {
            Self::Absent => Ok(None),
            Self::Read(read) => (*read).map(Some),
            Self::Text { facts, text, start, index } => {
                facts.read(&text, start, index, trace).map(Some)
            }
        }
    }
}

impl Task {
    /// Parses both sides; `None` when the filter excludes the case.
    pub(crate) fn read(self, filter: &CaseFilter<'_>) -> Option<Pair> {
        let Self { called, expected, actual, trouble, pairing, run } = self;
        let expected = expected.read(CaseTrace::of_expected);
        if let Ok(Some(expected)) = &expected
            && !filter.takes_tags(&expected.tags)
        {
            return None;
        }
        let actual = actual.read(CaseTrace::of);
        // The tags of an unreadable case are unknown: it is reported, not left out.
        let mut faults: Vec<ScoringFault> = trouble.into_iter().collect();
        let mut read = |side: Result<Option<CaseTrace>, ScoringFault>| match side {
            Ok(side) => side,
            Err(fault) => {
                faults.push(fault);
                None
            }
        };
        let (expected, actual) = (read(expected), read(actual));
        if pairing == Pairing::Id
            && let (Some(expected), Some(actual)) = (&expected, &actual)
            && expected.eval_id != actual.eval_id
        {
            faults.push(ScoringFault::Changed);
        }
        let fault = (!faults.is_empty()).then(|| {
            let mut messages: Vec<String> = faults.iter().map(ToString::to_string).collect();
            // The same file on both sides has its errors on both.
            messages.dedup();
            messages.join("; ")
        });
        Some(Pair { called, expected, actual, fault, pairing, run })
    }
}

/// An expected case and its actual partner.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Its id, or else its index, such as `#3`.
    pub called: String,
    /// The expected trace, if present and readable.
    pub expected: Option<CaseTrace>,
    /// The actual trace, if present and readable.
    pub actual: Option<CaseTrace>,
    /// Why the case cannot be scored, regardless of its sides.
    pub fault: Option<String>,
    /// How its partner was searched.
    pub pairing: Pairing,
    /// The file of the actual case, if there are several runs of the set.
    pub run: Option<String>,
}

impl Pair {
    /// Scores the case by every criterion, and takes both sides out of the pair.
    #[must_use]
    pub fn scored(&mut self, config: &Config, tools: &mut Tools<'_>) -> ScoredCase {
        let mut scored = self.scored_once(config, tools);
        scored.result.run = self.run.take();
        scored
    }

    fn scored_once(&mut self, config: &Config, tools: &mut Tools<'_>) -> ScoredCase {
        let (expected, actual) = (self.expected.take(), self.actual.take());
        if let Some(fault) = &self.fault {
            return ScoredCase::error(&self.called, expected, actual, fault);
        }
        let turns = |case: &CaseTrace| case.trace.invocations.len();
        let begin = Instant::now();
        match (expected, actual) {
            (Some(expected), Some(actual)) if turns(&actual) < turns(&expected) => {
                ScoredCase::ended_early(expected, actual)
            }
            (Some(expected), Some(actual)) => {
                let clock = || begin.elapsed().as_secs_f64();
                ScoredCase::of(config, expected, actual, tools, clock)
            }
            (Some(expected), None) => ScoredCase::expected_only(expected, self.pairing.partner()),
            (None, Some(actual)) => ScoredCase::actual_only(config, actual, self.pairing.partner()),
            (None, None) => ScoredCase::error(&self.called, None, None, "neither side can be read"),
        }
    }
}
