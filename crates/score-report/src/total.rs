//! [`Total`]: the data of a report besides its cases, some of which is known before the first case.

use json_text::JsonText;
use scoring::report::{EvalSummary, Sources};

use crate::baseline::Changes;

/// The data known before the first case is scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    /// The command that makes the report.
    pub command: &'static str,
    /// The report.
    pub report_id: String,
    /// The set whose cases are scored.
    pub eval_set_id: String,
    /// Its name, where it has one.
    pub eval_set_name: Option<String>,
    /// What the expected side is called: its file.
    pub expected: String,
    /// What the actual side is called.
    pub actual: String,
    /// The config, as it was read.
    pub config_used: JsonText,
    /// Where cases and config came from.
    pub sources: Sources,
    /// The names of the criteria with their thresholds, in the order of the config.
    pub criteria: Vec<(String, f64)>,
    /// When the report was made, in RFC 3339.
    pub created_at: String,
}

/// The data known once all cases are scored.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ending {
    /// How long the run took.
    pub duration_seconds: f64,
}

/// All data known at the end.
#[derive(Debug)]
pub(crate) struct Total<'r> {
    pub(crate) heading: &'r Heading,
    pub(crate) summary: &'r EvalSummary,
    /// What has changed since the baseline.
    pub(crate) changes: Option<&'r Changes>,
    pub(crate) ending: Ending,
}

impl Total<'_> {
    /// `6 cases: 3 passed, 2 failed, 1 unscored. Pass rate 0.600 (3 of 5 cases)`, with errors where
    /// there are.
    pub(crate) fn counts(&self) -> String {
        let rate = self.summary.pass_rate_phrase().map(|rate| format!(". {rate}"));
        self.summary.counts_phrase() + &rate.unwrap_or_default()
    }
}
