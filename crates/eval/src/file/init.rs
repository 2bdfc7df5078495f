//! [`suite_of`]: a suite made from a recorded case, for people to go on from.

use std::path::Path;

use json_text::{JsonIndex, JsonText, JsonTextError};
use scoring::ToolCall;
use scoring::json::{Equality, equal};
use serde_json::{Map, Value, json};

use crate::confirmation::ConfirmationRequest;
use crate::golden::Golden;
use crate::recorded_session::{
    RecordedAnswer, RecordedMessage, RecordedRequest, is_of_made_up_tool, is_of_tool,
};
use crate::scopes::SESSION;

/// Why a recorded case cannot be written as a suite.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// A message of the user cannot be sent.
    #[error("turn {turn}: {reason}")]
    Unsendable {
        /// The turn, from 1.
        turn: usize,
        /// Why it cannot be sent.
        reason: String,
    },
    /// A recorded value cannot be read.
    #[error(transparent)]
    Value(#[from] JsonTextError),
    /// A value cannot be written as YAML.
    #[error("{0}")]
    Yaml(String),
}

/// A suite in YAML with one case: the recorded messages of the user, a mock of each tool that answers as
/// recorded, and ADK's default criteria against the recording. `eval_set` and `agent` are written as they are given,
/// so they are relative to the suite's folder.
///
/// # Errors
/// [`InitError`].
pub fn suite_of(golden: &Golden, eval_set: &Path, agent: &Path) -> Result<String, InitError> {
    let mut messages = Vec::new();
    for (at, message) in golden.session.messages.iter().enumerate() {
        messages.push(match message {
            RecordedMessage::Kept(message) => value(&message.output())?,
            RecordedMessage::Lost => json!(LOST_MESSAGE),
            RecordedMessage::Unsendable(reason) => {
                return Err(InitError::Unsendable { turn: at + 1, reason: reason.clone() });
            }
        });
    }
    let mut messages = messages.into_iter();
    let first = messages.next();
    let facts = golden.session.facts.as_ref();
    let mut changes = facts.into_iter().flat_map(|facts| &facts.changes).skip(1);
    let says = |message: Value| match (message, changes.next()) {
        (message, Some(changes)) if !changes.is_empty() => {
            json!({ "says": message, "changes": { SESSION: changes } })
        }
        (Value::String(text), _) => Value::String(text),
        (parts, _) => json!({ "says": parts }),
    };
    let later: Vec<Value> = messages.map(says).collect();
    let mut case = Map::new();
    case.insert("name".to_owned(), json!(golden.id));
    if !golden.tags.is_empty() {
        case.insert("tags".to_owned(), json!(golden.tags));
    }
    let source = json!({ "eval_set": eval_set.to_string_lossy(), "case": golden.id });
    case.insert("golden".to_owned(), source);
    if golden.initial_state != JsonText::from_value(&json!({})) {
        let state = json!({ "session": value(&golden.initial_state)? });
        case.insert("initial_state".to_owned(), state);
    }
    case.insert("first_message".to_owned(), json!(first));
    let mut users = Map::new();
    if !later.is_empty() {
        users.insert("loop".to_owned(), json!({ "script": later }));
    }
    let mut of_tools = Map::new();
    for (tool, answers) in &golden.session.answers {
        let entry = |answer: &RecordedAnswer| {
            Ok(match answer {
                RecordedAnswer::Given(answer) => json!({ "says": value(answer)? }),
                RecordedAnswer::Lost => json!({ "says": { "result": LOST_ANSWER } }),
                RecordedAnswer::None => json!({ "no_answer": true }),
            })
        };
        let script = answers.iter().map(entry).collect::<Result<Vec<_>, JsonTextError>>()?;
        of_tools.insert(tool.clone(), json!({ "script": script }));
    }
    if !of_tools.is_empty() {
        users.insert("tools".to_owned(), Value::Object(of_tools));
    }
    if !users.is_empty() {
        case.insert("user_agents".to_owned(), Value::Object(users));
    }
    let tools = tools(golden)?;
    if !tools.is_empty() {
        case.insert("tools".to_owned(), Value::Object(tools));
    }
    // By a call of its own, which is not in the golden trace, google-adk asks for a confirmation.
    let trajectory = match golden.session.asks_for_confirmation {
        false => json!(1.0),
        true => json!({ "threshold": 1.0, "match_type": "IN_ORDER" }),
    };
    let mut criteria = json!({ "tool_trajectory_avg_score": trajectory });
    // A turn that ends while a call waits has no response, and scores 0.
    if golden.session.ends_with_texts {
        criteria["response_match_score"] = json!(0.8);
    }
    case.insert("metrics".to_owned(), json!([{ "criteria": criteria }]));
    let suite = json!({ "subject": { "adk": agent.to_string_lossy() }, "cases": [case] });
    serde_saphyr::to_string(&suite).map_err(|error| InitError::Yaml(error.to_string()))
}

/// Stands for a message that the recording does not have.
const LOST_MESSAGE: &str = "(google-adk has not recorded this message)";

/// Stands for an answer that the recording does not have.
const LOST_ANSWER: &str = "(google-adk has not recorded this answer)";

/// Names of calls that are google-adk's own.
const CONTROL_FLOW: [&str; 3] = ["transfer_to_agent", "exit_loop", "set_model_response"];

/// A mock of each tool that ran, or whose code asked the user.
fn tools(golden: &Golden) -> Result<Map<String, Value>, JsonTextError> {
    let mut tools = Map::new();
    let calls = golden.trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
    // What a session has no result of, it has not lost.
    let is_complete = golden.session.facts.is_some();
    let is_of_tool = |call: &&ToolCall| {
        request(golden, call).is_some()
            || call.result.as_ref().is_none_or(|result| match is_complete {
                true => !is_of_made_up_tool(result),
                false => is_of_tool(result),
            })
    };
    for call in calls.filter(is_of_tool) {
        if let Some(name) = &call.name
            && !CONTROL_FLOW.contains(&name.as_str())
            && !tools.contains_key(name)
        {
            tools.insert(name.clone(), mock(golden, name)?);
        }
    }
    Ok(tools)
}

/// What the code of the tool asked the user.
fn request<'a>(golden: &'a Golden, call: &ToolCall) -> Option<&'a RecordedRequest> {
    golden.session.requests.get(call.id.as_ref()?)
}

/// What a tool did with its arguments.
#[derive(PartialEq)]
struct Done<'a> {
    /// What its code asked the user, and returned meanwhile.
    request: Option<(&'a ConfirmationRequest, &'a JsonText)>,
    /// What it returned, if it was called without a confirmation or with one.
    result: Option<&'a JsonText>,
    /// What it returned when it was denied.
    denied: Option<&'a JsonText>,
    /// Whether the turn ended with its result.
    ends_turn: bool,
}

impl<'a> Done<'a> {
    fn of(golden: &'a Golden, call: &'a ToolCall) -> Option<Self> {
        let Some(recorded) = request(golden, call) else {
            let result = call.result.as_ref().filter(|it| is_of_tool(it))?;
            let ends_turn = call.id.as_ref().is_some_and(|id| golden.session.ending.contains(id));
            return Some(Self { request: None, result: Some(result), denied: None, ends_turn });
        };
        let result = |is_confirmed| {
            recorded.result.as_ref().filter(|_| recorded.is_confirmed == is_confirmed)
        };
        Some(Self {
            request: Some((&recorded.request, &recorded.meanwhile)),
            result: result(true),
            denied: result(false),
            ends_turn: false,
        })
    }

    /// Adds what it did with the same arguments in another call; `false` if that differs.
    fn add(&mut self, other: &Self) -> bool {
        let fits = |known: Option<&JsonText>, more: Option<&JsonText>| {
            known.zip(more).is_none_or(|(known, more)| known == more)
        };
        let is_same = self.request == other.request
            && self.ends_turn == other.ends_turn
            && fits(self.result, other.result)
            && fits(self.denied, other.denied);
        self.result = self.result.or(other.result);
        self.denied = self.denied.or(other.denied);
        is_same
    }

    /// As a mock, without what it asks.
    fn answer(&self) -> Result<Value, JsonTextError> {
        // A tool that waits has returned nothing yet.
        let returned = self.result.map(as_recorded).transpose()?;
        Ok(match self.ends_turn {
            false => json!({ "returns": returned }),
            true => json!({ "returns": returned, "skip_summarization": true }),
        })
    }

    /// What it asks, as the member of a mock.
    fn asks(&self) -> Result<Option<Value>, JsonTextError> {
        let Some((request, meanwhile)) = self.request else { return Ok(None) };
        let mut asks = Map::new();
        if !request.hint.is_empty() {
            asks.insert("hint".to_owned(), json!(request.hint));
        }
        if request.payload != JsonText::null() {
            asks.insert("payload".to_owned(), value(&request.payload)?);
        }
        if *meanwhile != JsonText::null() {
            asks.insert("returns".to_owned(), as_recorded(meanwhile)?);
        }
        if request.skip_summarization {
            asks.insert("skip_summarization".to_owned(), json!(true));
        }
        if let Some(denied) = self.denied {
            asks.insert("if_denied".to_owned(), json!({ "returns": as_recorded(denied)? }));
        }
        Ok(Some(Value::Object(asks)))
    }
}

/// A mock that answers as recorded: one value if all calls returned the same, else a row for each of the arguments.
/// What a call with the same arguments did otherwise later is only in the recording.
fn mock(golden: &Golden, tool: &str) -> Result<Value, JsonTextError> {
    let calls = golden.trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
    let calls = calls.filter(|call| call.name.as_deref() == Some(tool));
    let changes_state = |call: &ToolCall| {
        let facts = golden.session.facts.as_ref().zip(call.id.as_ref());
        let facts = facts.and_then(|(facts, id)| facts.calls.get(id));
        facts.is_some_and(|facts| facts.changes.iter().any(|it| !it.is_empty()))
    };
    if calls.clone().any(changes_state) {
        return Ok(json!({ "recorded": {} }));
    }
    let calls = calls.filter_map(|call| Some((call.args.as_ref()?, Done::of(golden, call)?)));
    let mut distinct: Vec<(&JsonText, Done<'_>)> = Vec::new();
    for (args, done) in calls {
        match distinct.iter_mut().find(|(known, _)| equal(known, args, Equality::Json)) {
            None => distinct.push((args, done)),
            Some((_, known)) => {
                if !known.add(&done) {
                    return Ok(json!({ "recorded": {} }));
                }
            }
        }
    }
    // A row answers calls with further arguments too.
    distinct.sort_by_key(|(args, _)| std::cmp::Reverse(JsonIndex::of(args).root().entries().len()));
    let asks = distinct.iter().map(|(_, done)| done.asks()).collect::<Result<Vec<_>, _>>()?;
    let of_all = asks.iter().all(|it| Some(it) == asks.first());
    let with = |mut mock: Value, asks: &Option<Value>| {
        if let Some(asks) = asks {
            mock["asks_confirmation"] = asks.clone();
        }
        mock
    };
    let mut rows = Vec::new();
    for ((args, done), asks) in distinct.iter().zip(&asks) {
        let mock = done.answer()?;
        let mock = if of_all { mock } else { with(mock, asks) };
        rows.push(json!({ "args": value(args)?, "mock": mock }));
    }
    let mock = match &distinct[..] {
        [] => json!({ "returns": null }),
        [(_, only)] => only.answer()?,
        _ => json!({ "table": { "rows": rows } }),
    };
    Ok(match asks.first() {
        Some(asks) if of_all => with(mock, asks),
        _ => mock,
    })
}

fn value(text: &JsonText) -> Result<Value, JsonTextError> {
    text.to_value()
}

/// A result as google-adk records it. Whether the tool returned `x` or `{"result": x}` is not recorded, and this form
/// fits the output schema of both.
fn as_recorded(result: &JsonText) -> Result<Value, JsonTextError> {
    let result = value(result)?;
    Ok(if result.is_object() { result } else { json!({ "result": result }) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_frameworks_own_has_no_mock_and_confirmations_are_answered() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        let set = json!({ "eval_set_id": "set", "eval_cases": [{ "eval_id": "a", "conversation": [{
            "user_content": { "parts": [{ "text": "Page her" }] },
            "intermediate_data": {
                "tool_uses": [
                    { "id": "1", "name": "transfer_to_agent", "args": { "agent_name": "b" } },
                    { "id": "2", "name": "adk_request_confirmation",
                      "args": { "originalFunctionCall": { "name": "page" } } },
                    { "id": "3", "name": "page", "args": {} },
                ],
                "tool_responses": [
                    { "id": "1", "name": "transfer_to_agent", "response": { "result": null } },
                    { "id": "2", "name": "adk_request_confirmation", "response": { "confirmed": true } },
                    { "id": "3", "name": "page", "response": { "result": "done" } },
                ],
            },
        }] }] });
        std::fs::write(&path, set.to_string()).expect("written");
        let golden = Golden::read(&path, None).expect("a case");
        let suite = suite_of(&golden, &path, Path::new("agent")).expect("a suite");
        let written: Value = serde_saphyr::from_str(&suite).expect("valid");
        let case = &written["cases"][0];
        assert_eq!(case["tools"], json!({ "page": { "returns": { "result": "done" } } }));
        let users =
            json!({ "tools": { "page": { "script": [{ "says": { "confirmed": true } }] } } });
        assert_eq!(case["user_agents"], users);
    }

    #[test]
    fn a_call_that_was_denied_in_a_rehearsal_has_a_user_agent_and_may_ask_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        let denied =
            json!({ "error": { "type": "ConfirmationDenied", "message": "The call was denied." } });
        let set = json!({ "eval_set_id": "set", "eval_cases": [{ "eval_id": "a", "conversation": [{
            "user_content": { "parts": [{ "text": "Page her" }] },
            "intermediate_data": {
                "tool_uses": [
                    { "id": "1", "name": "page", "args": { "who": "Ada" } },
                    { "id": "2", "name": "page", "args": { "who": "Bo" } },
                    { "id": "3", "name": "call", "args": {} },
                ],
                "tool_responses": [
                    { "id": "1", "name": "page", "response": denied },
                    { "id": "2", "name": "page", "response": { "result": "done" } },
                    { "id": "3", "name": "call", "response": denied },
                ],
            },
        }] }] });
        std::fs::write(&path, set.to_string()).expect("written");
        let golden = Golden::read(&path, None).expect("a case");
        let suite = suite_of(&golden, &path, Path::new("agent")).expect("a suite");
        let written: Value = serde_saphyr::from_str(&suite).expect("valid");
        let case = &written["cases"][0];
        // google-adk asks for a tool with `require_confirmation`, and then the member has no effect.
        let asks = json!({ "skip_summarization": true });
        let rows = json!([
            {
                "args": { "who": "Ada" },
                "mock": { "returns": null, "asks_confirmation": asks },
            },
            { "args": { "who": "Bo" }, "mock": { "returns": { "result": "done" } } },
        ]);
        let tools = json!({
            "page": { "table": { "rows": rows } },
            "call": { "returns": null, "asks_confirmation": asks },
        });
        assert_eq!(case["tools"], tools);
        let no = json!({ "script": [{ "says": { "confirmed": false } }] });
        assert_eq!(case["user_agents"], json!({ "tools": { "page": no, "call": no } }));
        // The request for the confirmation is a call that is not recorded.
        let trajectory = &case["metrics"][0]["criteria"]["tool_trajectory_avg_score"];
        assert_eq!(trajectory["match_type"], "IN_ORDER");
    }
}
