//! Finds what ADK would reject in a case before the case is written.
//!
//! The rules were tested with google-adk 2.13.0: one value that its parser rejects makes all cases of the
//! file unreadable.

use super::EvalCase;
use crate::CaseError;
use crate::model::Value as _;
use crate::reading::{Origin, Problem, Reader, Severity};

/// The levels of nesting that ADK's JSON parser reads, counted from the top of the file.
pub const DEPTH_LIMIT: usize = 201;

/// Checks `text`, the written form of `case`, by the rules of ADK's reader.
pub(super) fn check(case: &EvalCase, text: &str) -> Result<(), CaseError> {
    if case.conversation_scenario.is_none() && case.turns().is_empty() {
        return Err(CaseError::EmptyConversation { eval_id: case.eval_id.clone() });
    }
    let mut reader = Reader::new(text, Origin { case: Some(0), ..Origin::default() });
    EvalCase::read(&mut reader);
    let (faults, _) = reader.finish();
    match faults.into_iter().find(|fault| fault.severity() == Severity::Error) {
        None => Ok(()),
        Some(fault) => Err(rejected(fault.path, fault.problem)),
    }
}

fn rejected(place: String, problem: Problem) -> CaseError {
    match problem {
        Problem::WrongType { wanted: "an object", found } => {
            CaseError::NotAnObject { place, found }
        }
        Problem::LoneSurrogate { escape } => CaseError::LoneSurrogate { place, escape },
        Problem::TooDeep { depth, limit } => CaseError::TooDeep { place, depth, limit },
        problem => CaseError::Refused { place, problem },
    }
}

/// The first escape in JSON text that is half of a surrogate pair, such as `\ud83d`.
pub(crate) fn lone_surrogate(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', bytes.get(at..)?) {
        at += found + 1;
        if bytes.get(at) != Some(&b'u') {
            at += 1;
            continue;
        }
        match (surrogate(bytes, at), surrogate(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) if bytes.get(at + 5) == Some(&b'\\') => {
                at += 11;
            }
            (Some(_), _) => return json.get(at - 1..at + 5).map(str::to_owned),
            (None, _) => at += 5,
        }
    }
    None
}

/// The surrogate of the escape `uXXXX` at `at`, if it is one.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'u', digits @ ..] = bytes.get(at..at + 5)? else { return None };
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xd800..=0xdfff).contains(&code).then_some(code)
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;
    use crate::adk::{Content, FunctionCall, IntermediateData, Invocation, SessionInput};

    /// The depth of `args`: set, cases, case, conversation, invocation, intermediate data, list,
    /// call.
    const CALL_DEPTH: usize = 8;

    fn with_args(args: &str) -> EvalCase {
        let mut invocation = Invocation::new("i", Content::user("hi"));
        invocation.intermediate_data = Some(IntermediateData {
            tool_uses: vec![FunctionCall::new("1", "f", JsonText::parse(args).expect("JSON"))],
            ..IntermediateData::default()
        });
        EvalCase::new("c", vec![invocation])
    }

    fn rejection(case: &EvalCase) -> Option<CaseError> {
        case.to_json().err()
    }

    #[test]
    fn lone_surrogates_are_rejected() {
        assert_eq!(rejection(&with_args(r#"{"a":"\ud83d\ude00 \\ud800 \u00e9"}"#)), None);
        for (args, escape) in [
            (r#"{"a":"\ud83d"}"#, r"\ud83d"),
            (r#"{"a":"\ud83d\n"}"#, r"\ud83d"),
            (r#"{"a":"\ude00\ud83d"}"#, r"\ude00"),
            (r#"{"\uD800x":1}"#, r"\uD800"),
            (r#"{"a":"\\\ud800"}"#, r"\ud800"),
        ] {
            assert_eq!(
                rejection(&with_args(args)),
                Some(CaseError::LoneSurrogate {
                    place: "conversation[0].intermediate_data.tool_uses[0].args".to_owned(),
                    escape: escape.to_owned()
                }),
                "{args}"
            );
        }
    }

    #[test]
    fn nesting_limit_matches_adk() {
        let nested =
            |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(rejection(&with_args(&nested(DEPTH_LIMIT - CALL_DEPTH - 1))), None);
        assert!(matches!(
            rejection(&with_args(&nested(DEPTH_LIMIT - CALL_DEPTH))),
            Some(CaseError::TooDeep { depth: 202, limit: 201, .. })
        ));
        assert_eq!(rejection(&with_args(r#"{"a":"[[[["}"#)), None);
    }

    #[test]
    fn values_that_adk_rejects_are_errors() {
        assert!(matches!(
            rejection(&with_args("[]")),
            Some(CaseError::NotAnObject { found: "a list", .. })
        ));
        let mut case = with_args("{}");
        case.session_input = Some(SessionInput::new("a", "u", JsonText::string("x")));
        assert!(matches!(
            rejection(&case),
            Some(CaseError::NotAnObject { place, .. }) if place == "session_input.state"
        ));
        case = with_args("{}");
        if let Some(turns) = &mut case.conversation {
            turns[0].written.set_extra("vendor", JsonText::null());
        }
        assert!(matches!(rejection(&case), Some(CaseError::Refused { .. })));
        case.conversation = None;
        assert!(matches!(rejection(&case), Some(CaseError::EmptyConversation { .. })));
    }
}
