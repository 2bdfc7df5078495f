//! Converts a [`GoldenTrace`] to an [`EvalCase`] that ADK replays.

use std::cell::RefCell;
use std::collections::BTreeSet;

use evalset::adk::{
    AdkMark, Content, EvalCase, FunctionCall, FunctionResponse, IntermediateData, Invocation,
    SessionInput,
};
use evalset::{eval_id, seconds};
use json_text::{JsonText, Kind};
use serde::Serialize;
use session::{
    Answer, Call, CallId, GoldenTrace, GoldenTurn, ToolCall, ToolError, ToolResult, Unmet,
    WaitedFor,
};
use sha2::{Digest as _, Sha256};

use crate::adk_response::{Recorded, record};
use crate::python_json::as_adk_writes;
use crate::serialized::object;

/// The calls whose large results the host no longer stores, in order: without those, the case would be
/// incomplete.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the host no longer stores the results of {} calls", calls.len())]
pub struct LostResults {
    /// The calls.
    pub calls: Vec<ToolCall>,
}

/// What a case of a rehearsal contains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseOptions {
    /// Tags, which ADK keeps and the page shows.
    pub tags: Vec<String>,
    /// A note for people, which ADK keeps and the page shows; empty without one.
    pub note: String,
    /// These calls are left out.
    pub left_out: Vec<CallId>,
    /// These turns are left out, by their numbers from 0.
    pub left_out_turns: Vec<usize>,
    /// The final responses of these turns are left out: any response is then as expected.
    pub left_out_responses: Vec<usize>,
    /// The calls that a model could not repeat for one of these reasons are left out.
    pub leave_out: Vec<Unmet>,
    /// Whether results are written as google-adk's runner records them, with a mark on the case.
    /// Otherwise every result is written as `{"result": ...}`.
    pub adk_tool_responses: bool,
}

/// The case of a completed rehearsal of the agent `agent_name`.
///
/// `held` returns large results. Tracebacks are omitted.
///
/// # Errors
/// [`LostResults`] if `held` does not have every large result of the case.
pub fn eval_case(
    agent_name: &str,
    session_input: SessionInput,
    mut trace: GoldenTrace,
    options: &CaseOptions,
    held: impl Fn(&CallId) -> Option<JsonText>,
) -> Result<EvalCase, LostResults> {
    let mut mark = options.adk_tool_responses.then(AdkMark::default);
    let start = trace.started_at();
    let count = trace.turns.len();
    let made = trace.calls().count();
    trace.leave_out(&options.left_out, &options.leave_out);
    let turns: Vec<(usize, GoldenTurn, bool)> = trace
        .turns
        .into_iter()
        .enumerate()
        .filter(|(number, _)| !options.left_out_turns.contains(number))
        .map(|(number, turn)| (number, turn, !options.left_out_responses.contains(&number)))
        .collect();
    // They identify an export: a case of more turns, of fewer entries or of other results is another one.
    let mut suffix = if count > 1 { format!("_of_{count}") } else { String::new() };
    let is_whole = turns.len() == count
        && turns.iter().map(|(_, turn, _)| turn.calls.len()).sum::<usize>() == made
        && turns.iter().all(|(.., responds)| *responds);
    if !is_whole {
        suffix.push_str(&cut(&turns));
    }
    if mark.is_some() {
        suffix.push_str("_adk");
    }
    let calls = turns.iter().flat_map(|(_, turn, _)| &turn.calls);
    let confirmed: BTreeSet<_> =
        calls.filter(|call| is_confirmed(call)).map(|call| call.call.call_id.to_string()).collect();
    let lost = RefCell::new(Vec::new());
    let held = |call: &ToolCall| {
        held(&call.call_id).unwrap_or_else(|| {
            lost.borrow_mut().push(call.clone());
            JsonText::null()
        })
    };
    let session_id = trace.session_id;
    let turns = turns.into_iter().map(|(number, turn, responds)| {
        let id = format!("{session_id}_inv_{number}{suffix}");
        let mut invocation = invocation(id, turn, mark.as_mut(), held);
        invocation.final_response.take_if(|_| !responds);
        invocation
    });
    let turns = turns.collect();
    let calls = lost.into_inner();
    if !calls.is_empty() {
        return Err(LostResults { calls });
    }
    let mut case = EvalCase {
        session_input: Some(session_input),
        creation_timestamp: Some(seconds(start)),
        ..EvalCase::new(eval_id(agent_name, start), turns)
    };
    if !confirmed.is_empty() {
        mark.get_or_insert_with(AdkMark::without_results).set_confirmed(confirmed);
    }
    if let Some(mark) = mark {
        mark.write(&mut case);
    }
    describe(&mut case, &options.note, &options.tags);
    Ok(case)
}

/// Gives the case a note and tags for people; nothing without either.
pub(crate) fn describe(case: &mut EvalCase, note: &str, tags: &[String]) {
    if !note.is_empty() || !tags.is_empty() {
        case.written.set_extra("agentflow", object(&About { description: note, tags }));
    }
}

/// Whether google-adk would have asked for a confirmation, and the person confirmed the call.
fn is_confirmed(Call { call, answer }: &Call) -> bool {
    let is_denied = matches!(
        answer,
        Answer::Error(error) if error.error_type == ToolError::CONFIRMATION_DENIED
    );
    call.waited == Some(WaitedFor::Confirmation) && !is_denied
}

/// AgentFlow's fields of an ADK case.
#[derive(Serialize)]
struct About<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
}

fn invocation(
    id: String,
    turn: GoldenTurn,
    mut mark: Option<&mut AdkMark>,
    held: impl Fn(&ToolCall) -> JsonText,
) -> Invocation {
    let GoldenTurn { query, calls, final_response } = turn;
    // google-adk makes the value of `set_model_response` the final response.
    let given = calls.last().and_then(Call::model_response).map(as_adk_writes);
    let mut data = IntermediateData::default();
    for Call { call, answer } in calls {
        let (id, name) = (call.call_id.to_string(), call.tool_name.to_string());
        let held = || held(&call);
        data.tool_responses.push(response(&id, &name, answer, mark.as_deref_mut(), held));
        data.tool_uses.push(FunctionCall::new(id, name, call.arguments));
    }
    Invocation {
        final_response: Some(Content::model(given.unwrap_or(final_response.content))),
        intermediate_data: Some(data),
        creation_timestamp: Some(seconds(query.timestamp)),
        ..Invocation::new(id, Content::user(query.content))
    }
}

/// A suffix for invocation ids that distinguishes a case of some entries from one of all entries.
fn cut(turns: &[(usize, GoldenTurn, bool)]) -> String {
    let mut digest = Sha256::new();
    for (number, turn, responds) in turns {
        digest.update(format!("{number} {responds}\n"));
        for call in &turn.calls {
            digest.update(call.call.call_id.as_str());
            digest.update([0]);
        }
    }
    let short =
        digest.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("_cut_{short}")
}

fn response(
    id: &str,
    name: &str,
    answer: Answer,
    mark: Option<&mut AdkMark>,
    held: impl FnOnce() -> JsonText,
) -> FunctionResponse {
    #[derive(Serialize)]
    struct Success {
        result: JsonText,
    }
    #[derive(Serialize)]
    struct Failure {
        error: ErrorBody,
    }
    #[derive(Serialize)]
    struct ErrorBody {
        r#type: String,
        message: String,
        /// What an MCP tool sent with the error, as google-adk's `McpTool` gives it to the model.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<JsonText>,
    }
    match answer {
        Answer::Output(output) => {
            let result = match output.result {
                ToolResult::Whole(result) => result,
                ToolResult::Stored(_) => held(),
            };
            let Some(mark) = mark else {
                return FunctionResponse::new(id, name, object(&Success { result }));
            };
            let Recorded { response, parts } = record(mark, id, &result, &output.recording);
            let mut response = FunctionResponse::new(id, name, response);
            if let Some(parts) = parts {
                response.written.set_extra("parts", parts);
            }
            response
        }
        Answer::Error(error) if mark.is_some() && error.error_type == ToolError::REPORTED => {
            FunctionResponse::new(id, name, reported(&error))
        }
        Answer::Error(error) => {
            let result = whole_result(&error);
            let ToolError { error_type, error_message, .. } = error;
            let error = ErrorBody { r#type: error_type, message: error_message, result };
            FunctionResponse::new(id, name, object(&Failure { error }))
        }
    }
}

/// The result of an MCP tool that reported an error, as google-adk gives it to the model. The error has the
/// whole result where its message does not tell it.
fn reported(error: &ToolError) -> JsonText {
    let as_text = || {
        let content = [serde_json::json!({ "type": "text", "text": error.error_message })];
        JsonText::from_value(&serde_json::json!({ "content": content, "isError": true }))
    };
    whole_result(error).unwrap_or_else(as_text)
}

/// The result that an MCP tool sent with the error it reported, if the message does not tell all of it.
fn whole_result(error: &ToolError) -> Option<JsonText> {
    let reported =
        error.traceback.as_deref().filter(|_| error.error_type == ToolError::REPORTED)?;
    JsonText::parse(reported).ok().filter(|whole| whole.kind() == Kind::Object)
}

#[cfg(test)]
mod tests {
    use evalset::Layout;
    use expect_test::expect;
    use session::{
        AgentId, FinalResponse, Recording, SessionId, StoredResult, ToolCall, ToolName, ToolOutput,
        UserQuery,
    };

    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("JSON")
    }

    fn at(second: i64) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(1_766_500_200_250 + second * 1000).expect("a time")
    }

    fn call(id: &str, tool: &str, arguments: &str, answer: impl Fn(CallId) -> Answer) -> Call {
        let call_id = CallId::parse(id).expect("valid");
        let answer = answer(call_id.clone());
        let call = ToolCall {
            tool_name: ToolName::parse(tool).expect("valid"),
            arguments: json(arguments),
            call_id,
            timestamp: at(1),
            waited: None,
            within: None,
        };
        Call { call, answer }
    }

    fn output(result: ToolResult) -> impl Fn(CallId) -> Answer {
        move |call_id| {
            let result = result.clone();
            let (recording, duration_ms) = (Recording::default(), 1.5);
            Answer::Output(ToolOutput { call_id, result, recording, duration_ms, timestamp: at(2) })
        }
    }

    fn trace() -> GoldenTrace {
        GoldenTrace {
            session_id: SessionId::parse("s1").expect("valid"),
            agent: AgentId::parse("math-agent").expect("valid"),
            turns: vec![first_turn()],
        }
    }

    fn first_turn() -> GoldenTurn {
        GoldenTurn {
            query: UserQuery { content: "5 + 3?".to_owned(), timestamp: at(0) },
            calls: vec![
                call(
                    "c1",
                    "add",
                    r#"{"a": 5, "b": 9007199254740993}"#,
                    output(ToolResult::Whole(json("8.0"))),
                ),
                call("c2", "fail", "{}", |call_id| {
                    Answer::Error(ToolError {
                        call_id,
                        error_type: "ValueError".to_owned(),
                        error_message: "no \"luck\"".to_owned(),
                        traceback: Some("File \"secret.py\"".to_owned()),
                        duration_ms: 1.0,
                        timestamp: at(2),
                    })
                }),
                call(
                    "c3",
                    "large",
                    "{}",
                    output(ToolResult::Stored(StoredResult {
                        bytes: 2,
                        head: "[".to_owned(),
                        is_warning: false,
                    })),
                ),
            ],
            final_response: FinalResponse { content: "8".to_owned(), timestamp: at(3) },
        }
    }

    fn started_with(state: &str) -> SessionInput {
        SessionInput::new("math_agent", "ada", json(state))
    }

    #[test]
    fn trace_becomes_an_adk_case() {
        let input = started_with(r#"{"room": {"t": 21.50}}"#);
        let case = eval_case("MathAgent", input, trace(), &CaseOptions::default(), |id| {
            assert_eq!(id.as_str(), "c3");
            Some(json("[1]"))
        });
        let text = case.expect("whole").to_json().expect("ADK reads it");
        expect![[r#"
            {
              "eval_id": "math_agent_2025-12-23T14:30:00",
              "conversation": [
                {
                  "invocation_id": "s1_inv_0",
                  "user_content": {
                    "parts": [
                      {
                        "text": "5 + 3?"
                      }
                    ],
                    "role": "user"
                  },
                  "final_response": {
                    "parts": [
                      {
                        "text": "8"
                      }
                    ],
                    "role": "model"
                  },
                  "intermediate_data": {
                    "tool_uses": [
                      {
                        "id": "c1",
                        "args": {
                          "a": 5,
                          "b": 9007199254740993
                        },
                        "name": "add"
                      },
                      {
                        "id": "c2",
                        "args": {},
                        "name": "fail"
                      },
                      {
                        "id": "c3",
                        "args": {},
                        "name": "large"
                      }
                    ],
                    "tool_responses": [
                      {
                        "id": "c1",
                        "name": "add",
                        "response": {
                          "result": 8.0
                        }
                      },
                      {
                        "id": "c2",
                        "name": "fail",
                        "response": {
                          "error": {
                            "type": "ValueError",
                            "message": "no \"luck\""
                          }
                        }
                      },
                      {
                        "id": "c3",
                        "name": "large",
                        "response": {
                          "result": [
                            1
                          ]
                        }
                      }
                    ]
                  },
                  "creation_timestamp": 1766500200.25
                }
              ],
              "session_input": {
                "app_name": "math_agent",
                "user_id": "ada",
                "state": {
                  "room": {
                    "t": 21.50
                  }
                }
              },
              "creation_timestamp": 1766500200.25
            }"#]]
        .assert_eq(&text.laid_out(&Layout::two_spaces()));
    }

    #[test]
    fn a_failed_call_can_be_left_out() {
        let case = |leave_out: &[Unmet]| {
            let input = started_with("{}");
            eval_case("MathAgent", input, trace(), &left_out(leave_out), |_| Some(json("[1]")))
                .expect("whole")
        };
        let names = |case: &EvalCase| {
            let data = case.turns()[0].intermediate_data.as_ref().expect("has calls");
            let used = data.tool_uses.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
            assert_eq!(used.len(), data.tool_responses.len());
            used.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        let whole = case(&[Unmet::Cancelled]);
        assert_eq!(names(&whole), ["add", "fail", "large"]);
        assert_eq!(whole.turns()[0].invocation_id, "s1_inv_0");
        let cut = case(&[Unmet::Failed]);
        assert_eq!(names(&cut), ["add", "large"]);
        let one = CaseOptions {
            left_out: vec![CallId::parse("c1").expect("valid")],
            tags: vec!["night".to_owned()],
            ..CaseOptions::default()
        };
        let one = eval_case("MathAgent", started_with("{}"), trace(), &one, |_| Some(json("[1]")));
        let one = one.expect("whole");
        assert_eq!(names(&one), ["fail", "large"]);
        assert_eq!(evalset::Case::Adk(one).tags(), ["night"]);
        // Another recording: it is added to a file that has the whole case.
        assert!(cut.turns()[0].invocation_id.starts_with("s1_inv_0_cut_"));
    }

    fn left_out(reasons: &[Unmet]) -> CaseOptions {
        CaseOptions { leave_out: reasons.to_vec(), ..CaseOptions::default() }
    }

    #[test]
    fn results_are_written_as_google_adk_records_them() {
        let mut trace = trace();
        trace.turns[0].calls = vec![
            call("c1", "give", "{}", output(ToolResult::Whole(json(r#"{"result":1}"#)))),
            call("c2", "give", "{}", output(ToolResult::Whole(json("1")))),
        ];
        let options = CaseOptions { adk_tool_responses: true, ..CaseOptions::default() };
        let case = eval_case("MathAgent", started_with("{}"), trace, &options, |_| None);
        let case = case.expect("whole");
        let data = case.turns()[0].intermediate_data.as_ref().expect("has calls");
        for response in &data.tool_responses {
            let response = response.response.as_ref().expect("has one");
            assert_eq!(response.compact().as_str(), r#"{"result":1}"#);
        }
        let mark = case.written.extra("rehearsal").map(ToString::to_string);
        let expected = r#"{"tool_response":"adk","returned":{"c1":{"result":1}}}"#;
        assert_eq!(mark.as_deref(), Some(expected));
        assert_eq!(case.turns()[0].invocation_id, "s1_inv_0_adk");
    }

    #[test]
    fn an_error_that_an_mcp_tool_reported_is_the_result_that_it_sent() {
        let error = |traceback: Option<&str>| ToolError {
            call_id: CallId::parse("c1").expect("valid"),
            error_type: ToolError::REPORTED.to_owned(),
            error_message: "no tide".to_owned(),
            traceback: traceback.map(str::to_owned),
            duration_ms: 1.0,
            timestamp: at(2),
        };
        let reported_error = r#"{"content":[{"type":"text","text":"no tide"}],"isError":true}"#;
        let whole = r#"{"content":[{"type":"image"}],"isError":true}"#;
        assert_eq!(reported(&error(None)).as_str(), reported_error);
        assert_eq!(reported(&error(Some(whole))).as_str(), whole);
        let exported = |adk_tool_responses, whole: Option<&str>| {
            let mut trace = trace();
            trace.turns[0].calls = vec![call("c1", "tide", "{}", |_| Answer::Error(error(whole)))];
            let options = CaseOptions { adk_tool_responses, ..CaseOptions::default() };
            let case = eval_case("MathAgent", started_with("{}"), trace, &options, |_| None);
            let data = case.expect("whole").turns()[0].intermediate_data.clone();
            let response = data.expect("has calls").tool_responses[0].response.clone();
            response.expect("has one").compact().to_string()
        };
        assert_eq!(exported(true, None), reported_error);
        let own = r#"{"error":{"type":"ToolError","message":"no tide"}}"#;
        assert_eq!(exported(false, None), own);
        // What the message does not tell is in the case, too.
        let whole = r#"{"content":[{"type":"text","text":"no tide"}],"structuredContent":{"code":7},"isError":true}"#;
        assert_eq!(exported(true, Some(whole)), whole);
        let own =
            format!(r#"{{"error":{{"type":"ToolError","message":"no tide","result":{whole}}}}}"#);
        assert_eq!(exported(false, Some(whole)), own);
    }

    #[test]
    fn each_turn_becomes_an_invocation() {
        let mut trace = trace();
        let query = UserQuery { content: "And 6?".to_owned(), timestamp: at(5) };
        let final_response = FinalResponse { content: "9".to_owned(), timestamp: at(6) };
        trace.turns.push(GoldenTurn { query, calls: Vec::new(), final_response });
        let case = |trace: GoldenTrace, leave_out: &[Unmet]| {
            eval_case("MathAgent", started_with("{}"), trace, &left_out(leave_out), |_| {
                Some(json("[1]"))
            })
        };
        let whole = case(trace.clone(), &[]).expect("whole");
        let ids: Vec<&str> = whole.invocation_ids().collect();
        assert_eq!(ids, ["s1_inv_0_of_2", "s1_inv_1_of_2"]);
        let last = &whole.turns()[1];
        assert_eq!(last.creation_timestamp, Some(seconds(at(5))));
        assert_eq!(whole.creation_timestamp, Some(seconds(at(0))));
        let cut = case(trace, &[Unmet::Failed]).expect("whole");
        assert!(cut.invocation_ids().all(|id| id.contains("_of_2_cut_")));
    }

    #[test]
    fn a_turn_or_a_final_response_can_be_left_out() {
        let mut trace = trace();
        let query = UserQuery { content: "And 6?".to_owned(), timestamp: at(5) };
        let final_response = FinalResponse { content: "9".to_owned(), timestamp: at(6) };
        trace.turns.push(GoldenTurn { query, calls: Vec::new(), final_response });
        let case = |left_out_turns: &[usize], left_out_responses: &[usize]| {
            let options = CaseOptions {
                note: "Only the sum.".to_owned(),
                left_out_turns: left_out_turns.to_vec(),
                left_out_responses: left_out_responses.to_vec(),
                ..CaseOptions::default()
            };
            eval_case("MathAgent", started_with("{}"), trace.clone(), &options, |_| {
                Some(json("[1]"))
            })
            .expect("whole")
        };
        let queries = |case: &EvalCase| {
            case.turns().iter().map(|turn| turn.user_content.text()).collect::<Vec<_>>()
        };
        let second = case(&[0], &[]);
        assert_eq!(queries(&second), ["And 6?"]);
        assert!(second.turns()[0].invocation_id.starts_with("s1_inv_1_of_2_cut_"));
        let open = case(&[], &[0]);
        assert_eq!(queries(&open), ["5 + 3?", "And 6?"]);
        let responds = open.turns().iter().map(|turn| turn.final_response.is_some());
        assert_eq!(responds.collect::<Vec<_>>(), [false, true]);
        let ids = [&second, &open, &case(&[1], &[]), &case(&[], &[1]), &case(&[], &[])]
            .map(|case| case.turns()[0].invocation_id.clone());
        let distinct = ids.iter().collect::<std::collections::HashSet<_>>();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
        assert_eq!(evalset::Case::Adk(open).note().as_deref(), Some("Only the sum."));
    }

    #[test]
    fn the_value_of_set_model_response_is_the_final_response() {
        let mut trace = trace();
        let value = ToolResult::Whole(json(r#"{"summary":"8","level":3}"#));
        trace.turns[0].calls.push(call(
            "c4",
            "set_model_response",
            r#"{"summary":"8"}"#,
            output(value),
        ));
        let case =
            eval_case("MathAgent", started_with("{}"), trace, &CaseOptions::default(), |_| {
                Some(json("[1]"))
            });
        let case = case.expect("whole");
        let response = case.turns()[0].final_response.as_ref().and_then(|it| it.parts.as_ref());
        let text = response.and_then(|parts| parts[0].text.clone());
        assert_eq!(text.as_deref(), Some(r#"{"summary": "8", "level": 3}"#));
    }

    #[test]
    fn a_case_names_the_calls_that_a_person_confirmed() {
        let denied = |call_id| {
            Answer::Error(ToolError {
                call_id,
                error_type: ToolError::CONFIRMATION_DENIED.to_owned(),
                error_message: "The person denied the call of wipe.".to_owned(),
                traceback: None,
                duration_ms: 0.0,
                timestamp: at(2),
            })
        };
        let mut trace = trace();
        let mut calls = vec![
            call("c1", "wipe", "{}", output(ToolResult::Whole(json("1")))),
            call("c2", "wipe", "{}", denied),
        ];
        for call in &mut calls {
            call.call.waited = Some(WaitedFor::Confirmation);
        }
        calls.push(call("c3", "ask", "{}", output(ToolResult::Whole(json("1")))));
        trace.turns[0].calls = calls;
        for adk_tool_responses in [false, true] {
            let options = CaseOptions { adk_tool_responses, ..CaseOptions::default() };
            let case = eval_case(
                "Math",
                SessionInput::new("math", "ada", json("{}")),
                trace.clone(),
                &options,
                |_| None,
            );
            let case = case.expect("no result is held");
            assert_eq!(AdkMark::confirmed(&case).into_iter().collect::<Vec<_>>(), ["c1"]);
            assert_eq!(AdkMark::of(&case).is_some(), adk_tool_responses);
        }
    }

    #[test]
    fn every_call_without_its_stored_result_is_named_and_can_be_left_out() {
        let mut trace = trace();
        let stored = StoredResult { bytes: 2, head: "[".to_owned(), is_warning: false };
        let stored = call("c4", "larger", "{}", output(ToolResult::Stored(stored)));
        trace.turns[0].calls.push(stored);
        let case = |left_out: &[&str]| {
            let left_out = left_out.iter().map(|id| CallId::parse(id).expect("valid")).collect();
            let options = CaseOptions { left_out, ..CaseOptions::default() };
            eval_case("MathAgent", started_with("{}"), trace.clone(), &options, |_| None)
        };
        let lost = |left_out: &[&str]| -> Vec<(String, String)> {
            let lost = case(left_out).expect_err("lost").calls.into_iter();
            lost.map(|call| (call.call_id.to_string(), call.tool_name.to_string())).collect()
        };
        let named = |id: &str, tool: &str| (id.to_owned(), tool.to_owned());
        assert_eq!(lost(&[]), [named("c3", "large"), named("c4", "larger")]);
        assert_eq!(lost(&["c3"]), [named("c4", "larger")]);
        let whole = case(&["c3", "c4"]).expect("whole");
        let data = whole.turns()[0].intermediate_data.as_ref().expect("has calls");
        assert_eq!(data.tool_uses.len(), 2);
    }
}
