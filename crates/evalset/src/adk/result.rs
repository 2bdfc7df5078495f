//! [`EvalSetResult`]: a file of the history of `adk eval`, `*.evalset_result.json`: the agent's trace of
//! each case. ADK's scores are among the extras.

use json_text::{JsonText, Kind, Node};

use super::Invocation;
use super::case::base;
use crate::CaseFault;
use crate::model::{Form, Others, Value, model};
use crate::reading::{Cursor, Origin, Reader, checked};

model! {
    /// One run of a set. Unknown fields are kept.
    pub struct EvalSetResult { base("an eval set result", Others::Kept) }
    /// The run's id.
    eval_set_result_id: String = required,
    /// The set that was run.
    eval_set_id: String = required,
    /// The result of each case; a case that ran several times appears several times.
    eval_case_results: Vec<EvalCaseResult> = not_null,
    /// Seconds since 1970.
    creation_timestamp: Option<crate::Number> = not_null,
}

model! {
    /// The result of one case.
    pub struct EvalCaseResult {
        Form { is_case: true, ..base("an eval case result", Others::Kept) }
    }
    /// Its set.
    eval_set_id: String = not_null,
    /// The case.
    eval_id: String = required,
    /// The turns, in order.
    eval_metric_result_per_invocation: Vec<InvocationResult> = not_null,
    /// The session in which the agent ran: a JSON object.
    session_details: Option<JsonText> = object_or_null,
}

model! {
    /// The result of one turn.
    pub struct InvocationResult { base("a result of an invocation", Others::Kept) }
    /// The actual turn.
    actual_invocation: Invocation = required,
}

impl EvalSetResult {
    /// Whether `text`, which may be the beginning of a file, starts like one: by its first key, or with a
    /// string, because older versions of ADK wrote the file as a JSON string.
    #[must_use]
    pub fn starts_like(text: &str) -> bool {
        let mut cursor = Cursor::new(text);
        match cursor.kind() {
            Kind::String => true,
            Kind::Object => {
                cursor.enter();
                cursor.kind() == Kind::String
                    && cursor.string().is_ok_and(|key| {
                        let key = key.replace('_', "").to_ascii_lowercase();
                        key.starts_with("evalsetresult") || key == "evalcaseresults"
                    })
            }
            _ => false,
        }
    }

    /// Whether a JSON text has the cases of a run and not of a set.
    pub(crate) fn is_of(text: &str) -> bool {
        let mut cursor = Cursor::new(text);
        match cursor.kind() {
            // Older versions of ADK wrote the JSON text as a JSON string.
            Kind::String => serde_json::from_str::<String>(text).is_ok_and(|text| {
                checked(text.as_bytes()).is_ok()
                    && Cursor::new(&text).kind() == Kind::Object
                    && Self::is_of(&text)
            }),
            Kind::Object => {
                let (mut ran, mut expected) = (false, false);
                cursor.enter();
                while cursor.more() {
                    match &*cursor.key() {
                        "eval_case_results" | "evalCaseResults" => ran = true,
                        "eval_cases" => expected = true,
                        _ => {}
                    }
                    cursor.pass();
                }
                ran && !expected
            }
            _ => false,
        }
    }

    /// Reads a file of ADK's history; `None` if it is unreadable. Unreadable cases are omitted and have
    /// faults.
    #[must_use]
    pub fn read_file(bytes: &[u8]) -> (Option<Self>, Vec<CaseFault>) {
        let (text, mark) = match checked(bytes) {
            Ok(checked) => checked,
            Err(fault) => return (None, vec![*fault]),
        };
        let wrapped = Cursor::new(text).kind() == Kind::String;
        match serde_json::from_str::<String>(text) {
            Ok(inner) if wrapped => match checked(inner.as_bytes()) {
                Ok((inner, _)) => read_text(inner, mark),
                Err(fault) => (None, vec![*fault]),
            },
            _ => read_text(text, mark),
        }
    }
}

fn read_text(text: &str, mark: Option<CaseFault>) -> (Option<EvalSetResult>, Vec<CaseFault>) {
    let mut reader = Reader::new(text, Origin::default());
    let result = EvalSetResult::read(&mut reader);
    let (faults, _) = reader.finish();
    (result, mark.into_iter().chain(faults).collect())
}

impl EvalCaseResult {
    /// The session's state after the last turn, if the result has the session.
    #[must_use]
    pub fn final_state(&self) -> Option<JsonText> {
        let Node::Object(members) = self.session_details.as_ref()?.open() else { return None };
        let (_, state) = members.into_iter().rfind(|(key, _)| key == "state")?;
        Some(JsonText::from(state)).filter(|state| state.kind() == Kind::Object)
    }
}
