//! [`EvalSet`]: a whole file. [`EvalSetHeader`]: the fields of a new one.

use serde::Serialize;
use serde_json::value::RawValue;

use super::EvalCase;
use crate::model::{Casing, Form, Keys, Others, model, text_of};
use crate::reading::{Problem, Reader};
use crate::{CaseText, Layout, Number, OriginalForm};

model! {
    /// A whole file. ADK reads the set's own fields in snake_case only, and drops unknown ones when it
    /// rewrites the file.
    pub struct EvalSet {
        Form {
            what: "an eval set",
            keys: Keys::Exact,
            others: Others::Ignored,
            opaque: &[],
            is_case: false,
            lost: &[],
        };
        check usable_id
    }
    /// The set's id; ADK uses it as a file name.
    eval_set_id: String = required,
    /// For people.
    name: Option<String> = optional,
    /// For people.
    description: Option<String> = optional,
    /// The cases.
    eval_cases: Vec<EvalCase> = required,
    /// Seconds since 1970.
    creation_timestamp: Option<Number> = not_null,
}

fn usable_id(set: &EvalSet, reader: &mut Reader<'_>, begin: usize) {
    if set.eval_set_id.contains(['/', '\\']) {
        let eval_set_id = set.eval_set_id.clone();
        reader.fault(begin, Problem::SlashInSetId { eval_set_id });
    }
}

impl EvalSet {
    /// A set with these cases and this id.
    #[must_use]
    pub fn new(eval_set_id: impl Into<String>, eval_cases: Vec<EvalCase>) -> Self {
        let eval_set_id = eval_set_id.into();
        Self {
            name: Some(eval_set_id.clone()),
            eval_set_id,
            description: None,
            eval_cases,
            creation_timestamp: None,
            written: OriginalForm::default(),
        }
    }

    /// The file's JSON text.
    #[must_use]
    pub fn to_json(&self) -> CaseText {
        let text = text_of(self, Casing::Original);
        CaseText::new(text)
    }
}

/// The fields of a new eval-set file, without its cases.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalSetHeader {
    /// `^[a-zA-Z0-9_]+$`, as [`crate::eval_set_id`] makes it.
    pub eval_set_id: String,
    /// For people.
    pub name: String,
    /// Seconds since 1970.
    pub creation_timestamp: Number,
}

impl EvalSetHeader {
    /// The text of a new file with one case, in ADK's layout, without a newline at the end.
    #[must_use]
    pub fn file_with(&self, case: &CaseText) -> String {
        #[derive(Serialize)]
        struct Set<'a> {
            eval_set_id: &'a str,
            name: &'a str,
            eval_cases: [Box<RawValue>; 1],
            creation_timestamp: Box<RawValue>,
        }
        let case = RawValue::from_string(case.laid_out(&Layout::compact()));
        let time = RawValue::from_string(self.creation_timestamp.to_string());
        let set = case.and_then(|case| {
            serde_json::to_string(&Set {
                eval_set_id: &self.eval_set_id,
                name: &self.name,
                eval_cases: [case],
                creation_timestamp: time?,
            })
        });
        // A `CaseText` is JSON and the rest are strings and a number: this always serializes.
        CaseText::new(set.unwrap_or_default()).laid_out(&Layout::two_spaces())
    }
}
