//! What a worker needs to take up a session of an earlier host: the page's history as ADK's conversation.

use std::collections::BTreeMap;

use json_text::{JsonText, Kind};
use serde::Serialize;
use session::{Answer, Call, RecordedTurn, ToolError, ToolOutput, ToolResult};

#[derive(Serialize)]
pub(super) struct TakeUp<'a> {
    pub(super) session_id: &'a str,
    pub(super) user_id: &'a str,
    pub(super) state: &'a BTreeMap<String, JsonText>,
    pub(super) agent: &'a str,
    pub(super) turns: Vec<PastTurn<'a>>,
}

#[derive(Serialize)]
pub(super) struct PastTurn<'a> {
    query: &'a str,
    calls: Vec<PastCall<'a>>,
    final_response: Option<&'a str>,
}

#[derive(Serialize)]
struct PastCall<'a> {
    call_id: &'a str,
    tool: &'a str,
    args: &'a JsonText,
    response: Response<'a>,
    failed: bool,
}

/// A function response as ADK writes it.
#[derive(Serialize)]
#[serde(untagged)]
enum Response<'a> {
    Object(&'a JsonText),
    Result {
        result: &'a JsonText,
    },
    /// The beginning of a large result that the earlier host stored.
    Beginning {
        result: &'a str,
    },
    Error {
        error: Failure<'a>,
    },
}

#[derive(Serialize)]
struct Failure<'a> {
    #[serde(rename = "type")]
    error_type: &'a str,
    message: &'a str,
}

impl<'a> PastTurn<'a> {
    pub(super) fn of(turn: &'a RecordedTurn) -> Self {
        Self {
            query: &turn.query.content,
            calls: turn.calls.iter().filter_map(PastCall::of).collect(),
            final_response: turn.final_response.as_ref().map(|it| it.content.as_str()),
        }
    }
}

impl<'a> PastCall<'a> {
    /// The call; `None` if ADK's session has no events of it.
    fn of(made: &'a Call) -> Option<Self> {
        let response = match &made.answer {
            Answer::Output(output) => Response::of(output),
            Answer::Error(error) if left_no_event(error) => return None,
            Answer::Error(error) => Response::Error {
                error: Failure { error_type: &error.error_type, message: &error.error_message },
            },
        };
        Some(Self {
            call_id: made.call.call_id.as_str(),
            tool: made.call.tool_name.as_str(),
            args: &made.call.arguments,
            response,
            failed: matches!(made.answer, Answer::Error(_)),
        })
    }
}

impl<'a> Response<'a> {
    fn of(output: &'a ToolOutput) -> Self {
        match &output.result {
            ToolResult::Stored(stored) => Self::Beginning { result: &stored.head },
            ToolResult::Whole(whole)
                if whole.kind() == Kind::Object && !output.recording.wrapped =>
            {
                Self::Object(whole)
            }
            ToolResult::Whole(result) => Self::Result { result },
        }
    }
}

/// Whether the call ended without reaching ADK's session, or with the process that had the session.
fn left_no_event(error: &ToolError) -> bool {
    matches!(
        error.error_type.as_str(),
        ToolError::WORKER_EXITED | ToolError::HOST_UNREACHABLE | ToolError::INVALID_ARGUMENTS
    )
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use session::HistoryEntry;

    use super::*;

    fn check(entries: &str, expect: &Expect) {
        let at = r#""timestamp":"2025-12-23T14:30:00Z""#;
        let history = format!(
            r#"[{{"type":"user_query","content":"Go.",{at}}},{}]"#,
            entries.replace("AT", at)
        );
        let history: Vec<HistoryEntry> = serde_json::from_str(&history).expect("a history");
        let turns = RecordedTurn::from_history(history).expect("valid");
        let past: Vec<_> = turns.iter().map(PastTurn::of).collect();
        expect.assert_eq(&serde_json::to_string_pretty(&past).expect("writes"));
    }

    #[test]
    fn results_are_function_responses_and_interrupted_calls_are_left_out() {
        check(
            r#"{"type":"tool_call","tool_name":"a","arguments":{"x":1.10},"call_id":"c1",AT},
               {"type":"tool_output","call_id":"c1","result":{"y":1e400},"duration_ms":1,AT},
               {"type":"tool_call","tool_name":"b","arguments":{},"call_id":"c2",AT},
               {"type":"tool_output","call_id":"c2","result":[1],"duration_ms":1,AT},
               {"type":"tool_call","tool_name":"c","arguments":{},"call_id":"c3",AT},
               {"type":"tool_error","call_id":"c3","error_type":"KeyError","error_message":"no","duration_ms":1,AT},
               {"type":"tool_call","tool_name":"d","arguments":{},"call_id":"c4",AT},
               {"type":"tool_error","call_id":"c4","error_type":"WorkerExited","error_message":"gone","duration_ms":1,AT},
               {"type":"final_response","content":"Done.",AT}"#,
            &expect![[r#"
                [
                  {
                    "query": "Go.",
                    "calls": [
                      {
                        "call_id": "c1",
                        "tool": "a",
                        "args": {"x":1.10},
                        "response": {"y":1e400},
                        "failed": false
                      },
                      {
                        "call_id": "c2",
                        "tool": "b",
                        "args": {},
                        "response": {
                          "result": [1]
                        },
                        "failed": false
                      },
                      {
                        "call_id": "c3",
                        "tool": "c",
                        "args": {},
                        "response": {
                          "error": {
                            "type": "KeyError",
                            "message": "no"
                          }
                        },
                        "failed": true
                      }
                    ],
                    "final_response": "Done."
                  }
                ]"#]],
        );
    }
}
