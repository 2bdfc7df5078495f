//! [`EvalSetHeader`]: a new set, all but its cases.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{CaseText, Layout};

/// What a new eval-set file says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalSetHeader {
    /// `^[a-zA-Z0-9_]+$`, as [`crate::eval_set_id`] makes it.
    pub eval_set_id: String,
    /// For people.
    pub name: String,
    /// Seconds since 1970.
    pub creation_timestamp: f64,
}

impl EvalSetHeader {
    /// The text of a new file with one case, in ADK's layout; no newline at its end, as ADK writes
    /// none.
    #[must_use]
    pub fn file_with(&self, case: &CaseText) -> String {
        #[derive(Serialize)]
        struct EvalSet<'a> {
            eval_set_id: &'a str,
            name: &'a str,
            eval_cases: [Box<RawValue>; 1],
            creation_timestamp: f64,
        }
        let case = RawValue::from_string(case.laid_out(&Layout::compact()));
        let set = case.and_then(|case| {
            serde_json::to_string(&EvalSet {
                eval_set_id: &self.eval_set_id,
                name: &self.name,
                eval_cases: [case],
                creation_timestamp: self.creation_timestamp,
            })
        });
        // A `CaseText` is JSON and the rest are strings and a number: this always serialises.
        CaseText::new(set.unwrap_or_default()).laid_out(&Layout::two_spaces())
    }
}
