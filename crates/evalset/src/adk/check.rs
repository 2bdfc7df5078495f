//! Finds what ADK would reject in a case before the case is written.
//!
//! The rules were tested with google-adk 2.13.0: one value that its parser rejects makes all cases of the
//! file unreadable.

use super::EvalCase;
use crate::CaseError;
use crate::model::Value as _;
use crate::reading::{Origin, Problem, Reader, Severity};

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

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;
    use crate::adk::{
        Content, DEPTH_LIMIT, FunctionCall, IntermediateData, Invocation, SessionInput,
    };

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
