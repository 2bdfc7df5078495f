//! [`Written`]: a report as its file has it.

use json_text::JsonText;
use scoring::report::EvalCaseResult;
use serde::Deserialize;

/// The file format of a report. The summary is recomputed so that it matches the cases.
#[derive(Debug, Deserialize)]
pub(crate) struct Written {
    pub(crate) report_id: String,
    #[serde(default)]
    pub(crate) eval_set_id: String,
    #[serde(default)]
    pub(crate) eval_set_name: Option<String>,
    pub(crate) results: Vec<EvalCaseResult>,
    #[serde(default)]
    pub(crate) config_used: Option<JsonText>,
    #[serde(default)]
    pub(crate) created_at: String,
    #[serde(default)]
    pub(crate) duration_seconds: Option<JsonText>,
}
