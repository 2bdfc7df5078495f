//! [`suite_of`]: a suite made from a recorded case, for people to go on from.

use std::path::Path;

use json_text::JsonText;
use scoring::json::{Equality, equal};
use serde_json::{Map, Value, json};

use crate::golden::Golden;

/// A suite in YAML with one case: the recorded messages of the user, a mock of each tool that answers as
/// recorded, and ADK's default criteria against the recording. `eval_set` and `agent` are written as they are given,
/// so they are relative to the suite's folder.
///
/// # Errors
/// A value that cannot be written as YAML.
pub fn suite_of(golden: &Golden, eval_set: &Path, agent: &Path) -> Result<String, String> {
    let value = |text: &JsonText| text.to_value().map_err(|error| error.to_string());
    let mut turns = golden.trace.invocations.iter().map(|turn| turn.user_text.as_str());
    let first = turns.next().unwrap_or_default();
    let later: Vec<&str> = turns.collect();
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
    if !later.is_empty() {
        case.insert("user_agents".to_owned(), json!({ "loop": { "script": later } }));
    }
    let tools = tools(golden)?;
    if !tools.is_empty() {
        case.insert("tools".to_owned(), Value::Object(tools));
    }
    let criteria = json!({ "tool_trajectory_avg_score": 1.0, "response_match_score": 0.8 });
    case.insert("metrics".to_owned(), json!([{ "criteria": criteria }]));
    let suite = json!({ "subject": { "adk": agent.to_string_lossy() }, "cases": [case] });
    serde_saphyr::to_string(&suite).map_err(|error| error.to_string())
}

/// A mock of each tool.
fn tools(golden: &Golden) -> Result<Map<String, Value>, String> {
    let mut tools = Map::new();
    for call in golden.trace.invocations.iter().flat_map(|turn| &turn.tool_calls) {
        if let Some(name) = &call.name
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
        .filter(|call| call.name.as_deref() == Some(tool))
        .filter_map(|call| Some((call.args.as_ref()?, call.result.as_ref()?)));
    let Some(first) = calls.next() else { return Ok(json!({ "recorded": {} })) };
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
