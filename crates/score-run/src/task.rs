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
            Self::Text { facts, text, start, index } => facts.read(&text, start, index).map(Some),
        }
    }
}

impl Task {
    /// Scores the case; none when it is not among those chosen.
    pub(crate) fn score(
        self,
        config: &Config,
        choice: &Choice<'_>,
        tools: &mut Tools<'_>,
    ) -> Option<ScoredCase> {
        let Self { called, expected, actual, trouble } = self;
        let expects = !matches!(expected, Side::Absent);
        let expected = expected.read();
        if let Ok(Some(expected)) = &expected
            && !choice.takes_tags(&expected.tags)
        {
            return None;
        }
        let actual = actual.read();
        // Whether a case that cannot be read has the tag is not known: it is told, not left out.
        let faults: Vec<String> = trouble
            .into_iter()
            .chain(expected.as_ref().err().cloned())
            .chain(actual.as_ref().err().cloned())
            .collect();
        let (expected, actual) = (expected.ok().flatten(), actual.ok().flatten());
        if !faults.is_empty() {
            return Some(ScoredCase::error(&called, expected, actual, &faults.join("; ")));
        }
        let begin = Instant::now();
        Some(match (expected, actual) {
            (Some(expected), Some(actual)) if expected.eval_id != actual.eval_id => {
                let fault = "its partner has another id by now; do not change files while they are \
                             scored";
                ScoredCase::error(&called, Some(expected), Some(actual), fault)
            }
            (Some(expected), Some(actual)) => {
                let clock = || begin.elapsed().as_secs_f64();
                ScoredCase::of(config, expected, actual, tools, clock)
            }
            (Some(expected), None) => ScoredCase::expected_only(expected),
            (None, Some(actual)) => ScoredCase::actual_only(config, actual),
            (None, None) if expects => {
                ScoredCase::error(&called, None, None, "nothing can be read")
            }
            (None, None) => return None,
        })
    }
}
