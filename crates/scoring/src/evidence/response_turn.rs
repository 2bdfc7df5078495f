//! [`ResponseTurn`]: a turn's response beside the expected one.

use serde::Serialize;

use crate::json::Difference;

/// The response of one turn, scored.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ResponseTurn {
    /// The turn's score; `None` when no response is expected of it, which the mean leaves out.
    pub score: Option<f64>,
    /// Of ROUGE: the share of the response's words that are expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Of ROUGE: the share of the expected words that are in the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// Of JSON: where the response differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Why the score is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The expected response, where the score is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The response, where the score is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
}
