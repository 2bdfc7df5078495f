//! [`StateCondition`]: a condition on the final state, and what was found.

use json_text::JsonText;
use serde::Serialize;

/// One condition of a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StateCondition {
    /// The path of the condition; `$and`, `$or` or `$nor` for several together.
    pub path: String,
    /// Whether the condition holds.
    pub holds: bool,
    /// The condition, as written in the query; absent for several together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<JsonText>,
    /// The values at the path: none if missing, several if the path goes through an array.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actual: Vec<JsonText>,
}
