//! What ADK would refuse in a case, found before it is written.
//!
//! The reason for each rule was seen by giving google-adk 2.13.0 such a file: one value that its
//! parser refuses makes all cases of the file unreadable.

use json_text::{JsonText, Kind};

use super::{EvalCase, Invocation, SessionInput};
use crate::CaseError;

/// The levels of nesting that ADK's JSON parser reads, counted from the top of the file.
pub const DEPTH_LIMIT: usize = 201;

/// How deep `args` and `response` stand: set, cases, case, conversation, invocation, intermediate
/// data, list, call. `state`'s own level is [`STATE_DEPTH`].
const CALL_DEPTH: usize = 8;
const STATE_DEPTH: usize = 4;

pub(super) fn check(case: &EvalCase) -> Result<(), CaseError> {
    if case.conversation.is_empty() {
        return Err(CaseError::EmptyConversation { eval_id: case.eval_id.clone() });
    }
    time("creation_timestamp", case.creation_timestamp)?;
    if let Some(SessionInput { state, .. }) = &case.session_input {
        value("session_input.state", state, STATE_DEPTH)?;
    }
    for (index, invocation) in case.conversation.iter().enumerate() {
        invocation_at(&format!("conversation[{index}]"), invocation)?;
    }
    Ok(())
}

fn invocation_at(place: &str, invocation: &Invocation) -> Result<(), CaseError> {
    time(&format!("{place}.creation_timestamp"), invocation.creation_timestamp)?;
    let Some(data) = &invocation.intermediate_data else { return Ok(()) };
    for (index, call) in data.tool_uses.iter().enumerate() {
        value(
            &format!("{place}.intermediate_data.tool_uses[{index}].args"),
            &call.args,
            CALL_DEPTH,
        )?;
    }
    for (index, response) in data.tool_responses.iter().enumerate() {
        let place = format!("{place}.intermediate_data.tool_responses[{index}].response");
        value(&place, &response.response, CALL_DEPTH)?;
    }
    Ok(())
}

fn time(place: &str, seconds: f64) -> Result<(), CaseError> {
    if seconds.is_finite() {
        return Ok(());
    }
    Err(CaseError::TimeNotFinite { place: place.to_owned(), value: seconds.to_string() })
}

fn value(place: &str, json: &JsonText, depth_above: usize) -> Result<(), CaseError> {
    if json.kind() != Kind::Object {
        return Err(CaseError::NotAnObject { place: place.to_owned(), found: json.kind().name() });
    }
    let seen = look(json.as_str());
    if let Some(escape) = seen.lone_surrogate {
        return Err(CaseError::LoneSurrogate { place: place.to_owned(), escape });
    }
    let depth = depth_above + seen.depth;
    if depth > DEPTH_LIMIT {
        return Err(CaseError::TooDeep { place: place.to_owned(), depth, limit: DEPTH_LIMIT });
    }
    Ok(())
}

struct Seen {
    depth: usize,
    lone_surrogate: Option<String>,
}

/// One pass over text that is known to be JSON.
fn look(json: &str) -> Seen {
    let bytes = json.as_bytes();
    let mut seen = Seen { depth: 0, lone_surrogate: None };
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if bytes.get(at) == Some(&b'u') => {
                match (surrogate(bytes, at), surrogate(bytes, at + 6)) {
                    (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff))
                        if bytes.get(at + 5) == Some(&b'\\') =>
                    {
                        at += 11;
                    }
                    (Some(_), _) => {
                        seen.lone_surrogate = json.get(at - 1..at + 5).map(str::to_owned);
                        return seen;
                    }
                    (None, _) => at += 5,
                }
            }
            b'\\' => at += 1,
            b'{' | b'[' if !in_string => {
                depth += 1;
                seen.depth = seen.depth.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    seen
}

/// The surrogate that `uXXXX` at `at` stands for, if it is one.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let [b'u', digits @ ..] = bytes.get(at..at + 5)? else { return None };
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xd800..=0xdfff).contains(&code).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adk::{Content, FunctionCall, IntermediateData};

    fn with_args(args: &str) -> EvalCase {
        let mut invocation = Invocation::new("i", Content::user("hi"));
        invocation.intermediate_data = Some(IntermediateData {
            tool_uses: vec![FunctionCall {
                id: "1".to_owned(),
                args: JsonText::parse(args).expect("JSON"),
                name: "f".to_owned(),
            }],
            tool_responses: Vec::new(),
        });
        EvalCase {
            eval_id: "c".to_owned(),
            conversation: vec![invocation],
            session_input: None,
            creation_timestamp: 0.0,
        }
    }

    #[test]
    fn halves_of_surrogate_pairs_are_refused() {
        assert_eq!(check(&with_args(r#"{"a":"\ud83d\ude00 \\ud800 \u00e9"}"#)), Ok(()));
        for (args, escape) in [
            (r#"{"a":"\ud83d"}"#, r"\ud83d"),
            (r#"{"a":"\ud83d\n"}"#, r"\ud83d"),
            (r#"{"a":"\ude00\ud83d"}"#, r"\ude00"),
            (r#"{"\uD800x":1}"#, r"\uD800"),
            (r#"{"a":"\\\ud800"}"#, r"\ud800"),
        ] {
            assert_eq!(
                check(&with_args(args)),
                Err(CaseError::LoneSurrogate {
                    place: "conversation[0].intermediate_data.tool_uses[0].args".to_owned(),
                    escape: escape.to_owned()
                }),
                "{args}"
            );
        }
    }

    #[test]
    fn nesting_stops_where_adks_parser_does() {
        let nested =
            |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(check(&with_args(&nested(DEPTH_LIMIT - CALL_DEPTH - 1))), Ok(()));
        assert!(matches!(
            check(&with_args(&nested(DEPTH_LIMIT - CALL_DEPTH))),
            Err(CaseError::TooDeep { depth: 202, limit: 201, .. })
        ));
        assert_eq!(check(&with_args(r#"{"a":"[[[["}"#)), Ok(()));
    }

    #[test]
    fn shapes_that_adk_refuses() {
        assert!(matches!(
            check(&with_args("[]")),
            Err(CaseError::NotAnObject { found: "array", .. })
        ));
        let mut case = with_args("{}");
        case.conversation[0].creation_timestamp = f64::NAN;
        assert!(matches!(check(&case), Err(CaseError::TimeNotFinite { .. })));
        case.conversation.clear();
        assert!(matches!(check(&case), Err(CaseError::EmptyConversation { .. })));
    }
}
