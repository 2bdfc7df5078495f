//! [`suite_of`]: a suite made from a recorded case, for people to go on from.

use std::path::Path;

use json_text::JsonText;
use scoring::ToolCall;
use scoring::json::{Equality, equal};
use serde_json::{Map, Value, json};

use crate::golden::Golden;
use crate::message::Message;
use crate::subject::CONFIRMATION;

/// A suite in YAML with one case: the recorded messages of the user, a mock of each tool that answers as
/// recorded, and ADK's default criteria against the recording. `eval_set` and `agent` are written as they are given,
/// so they are relative to the suite's folder.
///
/// # Errors
/// A value that cannot be written as YAML.
pub fn suite_of(golden: &Golden, eval_set: &Path, agent: &Path) -> Result<String, String> {
    let value = |text: &JsonText| text.to_value().map_err(|error| error.to_string());
    let mut messages = Vec::new();
    for (at, turn) in golden.trace.invocations.iter().enumerate() {
        let message =
            Message::recorded(turn).map_err(|error| format!("turn {}: {error}", at + 1))?;
        messages.push(value(&message.output())?);
    }
    let mut messages = messages.into_iter();
    let first = messages.next();
    let says = |message: Value| match message {
        Value::String(_) => message,
        parts => json!({ "says": parts }),
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
    let mut confirming = confirming(golden)?;
    for tool in denied(golden) {
        let user = confirming.entry(tool).or_insert_with(|| json!({ "script": [] }));
        if let Some(script) = user["script"].as_array_mut() {
            script.push(json!({ "says": { "confirmed": false } }));
        }
    }
    if !confirming.is_empty() {
        users.insert("tools".to_owned(), Value::Object(confirming));
    }
    if !users.is_empty() {
        case.insert("user_agents".to_owned(), Value::Object(users));
    }
    let tools = tools(golden)?;
    if !tools.is_empty() {
        case.insert("tools".to_owned(), Value::Object(tools));
    }
    // The agent asks for a confirmation by a call that is not recorded.
    let trajectory = match denied(golden).next() {
        None => json!(1.0),
        Some(_) => json!({ "threshold": 1.0, "match_type": "IN_ORDER" }),
    };
    let criteria = json!({ "tool_trajectory_avg_score": trajectory, "response_match_score": 0.8 });
    case.insert("metrics".to_owned(), json!([{ "criteria": criteria }]));
    let suite = json!({ "subject": { "adk": agent.to_string_lossy() }, "cases": [case] });
    serde_saphyr::to_string(&suite).map_err(|error| error.to_string())
}

/// Names of calls that are google-adk's own, beside `adk_request_confirmation` and others of that kind.
const CONTROL_FLOW: [&str; 3] = ["transfer_to_agent", "exit_loop", "set_model_response"];

/// A user agent for each tool whose calls were to be confirmed, which answers as recorded.
fn confirming(golden: &Golden) -> Result<Map<String, Value>, String> {
    let mut answers: Map<String, Value> = Map::new();
    let calls = golden.trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
    for call in calls.filter(|call| call.name.as_deref() == Some(CONFIRMATION)) {
        let (Some(args), Some(result)) = (&call.args, &call.result) else { continue };
        let value = |text: &JsonText| text.to_value().map_err(|error| error.to_string());
        let (args, result) = (value(args)?, value(result)?);
        let Some(tool) = args["originalFunctionCall"]["name"].as_str() else { continue };
        let user = answers.entry(tool).or_insert_with(|| json!({ "script": [] }));
        if let Some(script) = user["script"].as_array_mut() {
            script.push(json!({ "says": result }));
        }
    }
    Ok(answers)
}

/// The tools of the calls that a person denied in a rehearsal, where they are recorded without a request.
fn denied(golden: &Golden) -> impl Iterator<Item = String> {
    let calls = golden.trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
    calls.filter(|call| is_denied(call)).filter_map(|call| call.name.clone())
}

/// Whether a rehearsal recorded that the call was denied. Its tool did not run.
fn is_denied(call: &ToolCall) -> bool {
    let result = call.result.as_ref().and_then(|result| result.to_value().ok());
    result.is_some_and(|result| result["error"]["type"] == DENIED)
}

/// Whether google-adk recorded that the agent has no such tool, which the model had made up.
fn is_made_up(call: &ToolCall) -> bool {
    let result = call.result.as_ref().and_then(|result| result.to_value().ok());
    let error = result.and_then(|result| Some(result["error"].as_str()?.to_owned()));
    error.is_some_and(|error| error.contains("failed as no tool with that name is available"))
}

/// The type of the error of a call that a person denied.
const DENIED: &str = "ConfirmationDenied";

/// A mock of each tool that ran.
fn tools(golden: &Golden) -> Result<Map<String, Value>, String> {
    let mut tools = Map::new();
    let calls = golden.trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
    for call in calls.filter(|call| !is_denied(call) && !is_made_up(call)) {
        if let Some(name) = &call.name
            && !CONTROL_FLOW.contains(&name.as_str())
            && !name.starts_with("adk_request_")
            && !tools.contains_key(name)
        {
            tools.insert(name.clone(), mock(golden, name)?);
        }
    }
    Ok(tools)
}

/// A mock that answers as recorded: one value if all calls returned the same, else a row for each of the arguments.
/// What a call with the same arguments returned later is only in the recording.
fn mock(golden: &Golden, tool: &str) -> Result<Value, String> {
    let calls = golden.trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
    let mut calls = calls
        .filter(|call| call.name.as_deref() == Some(tool) && !is_denied(call))
        .filter_map(|call| Some((call.args.as_ref()?, call.result.as_ref()?)));
    // A tool that waits has returned nothing yet.
    let Some(first) = calls.next() else { return Ok(json!({ "returns": null })) };
    let mut distinct = vec![first];
    for (args, result) in calls {
        match distinct.iter().find(|(known, _)| equal(known, args, Equality::Json)) {
            Some((_, known)) if *known == result => {}
            Some(_) => return Ok(json!({ "recorded": {} })),
            None => distinct.push((args, result)),
        }
    }
    let value = |text: &JsonText| text.to_value().map_err(|error| error.to_string());
    if let [(_, result)] = distinct[..] {
        return Ok(json!({ "returns": as_recorded(value(result)?) }));
    }
    let mut rows = Vec::new();
    for (args, result) in distinct {
        rows.push(
            json!({ "args": value(args)?, "mock": { "returns": as_recorded(value(result)?) } }),
        );
    }
    Ok(json!({ "table": { "rows": rows } }))
}

/// A result as google-adk records it. Whether the tool returned `x` or `{"result": x}` is not recorded, and this form
/// fits the output schema of both.
fn as_recorded(result: Value) -> Value {
    if result.is_object() { result } else { json!({ "result": result }) }
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
    fn a_call_that_was_denied_has_a_user_agent_and_no_mock() {
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
        assert_eq!(case["tools"], json!({ "page": { "returns": { "result": "done" } } }));
        let no = json!({ "script": [{ "says": { "confirmed": false } }] });
        assert_eq!(case["user_agents"], json!({ "tools": { "page": no, "call": no } }));
        // The request for the confirmation is a call that is not recorded.
        let trajectory = &case["metrics"][0]["criteria"]["tool_trajectory_avg_score"];
        assert_eq!(trajectory["match_type"], "IN_ORDER");
    }
}
