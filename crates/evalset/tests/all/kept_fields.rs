//! Faults in fields that are kept as text: exactly those that ADK rejects.

use evalset::{Format, Layout, Severity, read, read_as};

use crate::common::{adk_rewrites, canonical};

/// A path, its value, and whether ADK reads it.
const VALUES: &[(&str, &str, bool)] = &[
    ("part", r#""inline_data": {"data": "aGk=", "mimeType": "text/plain"}"#, true),
    ("part", r#""inlineData": {"data": "aG-_", "displayName": null}"#, true),
    ("part", r#""inline_data": null"#, true),
    ("part", r#""inline_data": "1""#, false),
    ("part", r#""inline_data": {"data": "no base64!"}"#, false),
    ("part", r#""inline_data": {"data": "a"}"#, false),
    ("part", r#""inline_data": {"data": "aGl"}"#, false),
    ("part", r#""inline_data": {"data": "a+-_"}"#, false),
    ("part", r#""inline_data": {"data": 5}"#, false),
    ("part", r#""inline_data": {"mimetype": "x"}"#, false),
    ("part", r#""inline_data": {"mimeType": "x", "mime_type": "y"}"#, false),
    ("part", r#""file_data": {"file_uri": "gs://a", "mime_type": "image/png"}"#, true),
    ("part", r#""file_data": {"file_uri": 1}"#, false),
    ("part", r#""video_metadata": {"fps": "1.5", "start_offset": "1s"}"#, true),
    ("part", r#""video_metadata": {"fps": "fast"}"#, false),
    ("part", r#""executable_code": {"code": "1", "language": "PYTHON"}"#, true),
    ("part", r#""executable_code": [1]"#, false),
    ("part", r#""code_execution_result": {"outcome": "OUTCOME_OK", "output": "1"}"#, true),
    ("part", r#""code_execution_result": {"output": {}}"#, false),
    ("part", r#""thought_signature": "aGk""#, true),
    ("part", r#""thought_signature": "é""#, false),
    ("part", r#""part_metadata": {"any": [null]}"#, true),
    ("part", r#""part_metadata": []"#, false),
    ("call", r#""will_continue": "yes""#, true),
    ("call", r#""will_continue": [1]"#, false),
    ("call", r#""will_continue": 2"#, false),
    ("call", r#""partial_args": [{"json_path": "$.a", "number_value": 1}]"#, true),
    ("call", r#""partial_args": [{"json_path": 1}]"#, false),
    ("response", r#""parts": [{"inline_data": {"data": "aGk="}}]"#, true),
    ("response", r#""parts": [{"inline_data": {"blob": ""}}]"#, false),
    ("response", r#""parts": {}"#, false),
    ("event", r#""usage_metadata": {"totalTokenCount": 12, "prompt_token_count": "1.0"}"#, true),
    ("event", r#""usage_metadata": {"total_token_count": "1.5"}"#, false),
    ("event", r#""usage_metadata": {"total_token_count": 1.5}"#, false),
    ("event", r#""usage_metadata": {"total_token_count": " -1_000 "}"#, true),
    ("event", r#""usage_metadata": {"total_token_count": "--1"}"#, false),
    ("event", r#""usage_metadata": {"total_token_count": "1__0"}"#, false),
    ("event", r#""usage_metadata": {"total_token_count": "1_"}"#, false),
    (
        "event",
        r#""usage_metadata": {"prompt_tokens_details": [{"modality": "TEXT", "token_count": 1}]}"#,
        true,
    ),
    ("event", r#""usage_metadata": {"prompt_tokens_details": [1]}"#, false),
    ("event", r#""grounding_metadata": "none""#, false),
    (
        "turn",
        r#""app_details": {"agentDetails": {"a": {"name": "a", "tool_declarations": [1]}}}"#,
        true,
    ),
    ("turn", r#""app_details": {"agent_details": {"a": {}}}"#, false),
    (
        "turn",
        r#""app_details": {"agent_details": {"a": {"name": "a", "instructions": null}}}"#,
        false,
    ),
    (
        "turn",
        r#""app_details": {"agent_details": {"a": {"name": "a", "tool_declarations": {}}}}"#,
        false,
    ),
    ("turn", r#""app_details": {"details": {}}"#, false),
    ("turn", r#""app_details": "none""#, false),
    ("part", r#""text": "hm", "thought": 1"#, true),
    ("part", r#""text": "hm", "thought": 0.0"#, true),
    ("part", r#""text": "hm", "thought": "Yes""#, true),
    ("part", r#""text": "hm", "thought": 2"#, false),
    ("part", r#""text": "hm", "thought": " yes""#, false),
    ("part", r#""text": "hm", "thought": "1.0""#, false),
    ("turn", r#""duration": "1.5""#, true),
    ("turn", r#""duration": " +1.5e-1\n""#, true),
    ("turn", r#""duration": "-1_000.5E1""#, true),
    ("turn", r#""duration": " 1_000""#, false),
    ("turn", r#""duration": ".5""#, true),
    ("turn", r#""duration": "-Infinity""#, true),
    ("turn", r#""model_duration": true"#, true),
    ("turn", r#""tool_duration": """#, false),
    ("turn", r#""tool_duration": "1__0""#, false),
    ("turn", r#""tool_duration": "_1""#, false),
    ("turn", r#""tool_duration": "1,5""#, false),
    ("turn", r#""tool_duration": "1 s""#, false),
    ("turn", r#""creation_timestamp": "1700000000""#, true),
    ("turn", r#""creation_timestamp": "2026-11-22T10:00:00Z""#, false),
    ("turn", r#""creation_timestamp": null"#, false),
    ("older", r#""query": null"#, true),
    ("older", r#""reference": "r""#, false),
    ("older", r#""query": 5"#, false),
    ("older", r#""query": "q", "reference": null"#, true),
    ("older", r#""query": "q", "expected_tool_use": [{"tool_name": "f", "tool_input": {}}]"#, true),
    (
        "older",
        r#""query": "q", "expected_tool_use": [{"tool_name": null, "tool_input": null}]"#,
        true,
    ),
    ("older", r#""query": "q", "expected_tool_use": [{"tool_name": "f"}]"#, false),
    ("older", r#""query": "q", "expected_tool_use": [{"tool_name": "f", "tool_inpt": {}}]"#, false),
    ("older", r#""query": "q", "expected_tool_use": [{"tool_input": {}}]"#, false),
    ("older", r#""query": "q", "expected_tool_use": null"#, false),
    (
        "older",
        r#""query": "q", "expected_intermediate_agent_responses": [{"author": "a", "text": null}]"#,
        true,
    ),
    (
        "older",
        r#""query": "q", "expected_intermediate_agent_responses": [{"author": null, "text": "t"}]"#,
        false,
    ),
    ("plan", r#""user_persona": "NOVICE""#, true),
    ("plan", r#""user_persona": {}"#, false),
    ("plan", r#""user_persona": {"id": "a", "description": "b", "behaviors": []}"#, true),
    (
        "plan",
        r#""user_persona": {"id": "a", "description": "b", "behaviors": [{"name": "n"}]}"#,
        false,
    ),
];

fn set(place: &str, value: &str) -> String {
    let turn = |rest: &str| {
        format!(r#""conversation": [{{"user_content": {{"parts": [{{"text": "hi"}}]}}, {rest}}}]"#)
    };
    if place == "older" {
        return format!(r#"[{{"name": "c", "data": [{{{value}}}]}}]"#);
    }
    let case = match place {
        "part" => turn(&format!(r#""final_response": {{"parts": [{{{value}}}]}}"#)),
        "call" => {
            turn(&format!(r#""intermediate_data": {{"tool_uses": [{{"name": "f", {value}}}]}}"#))
        }
        "response" => turn(&format!(
            r#""intermediate_data": {{"tool_responses": [{{"name": "f", {value}}}]}}"#
        )),
        "event" => turn(&format!(
            r#""intermediate_data": {{"invocation_events": [{{"author": "a", {value}}}]}}"#
        )),
        "turn" => turn(value),
        _ => format!(
            r#""conversation_scenario": {{"starting_prompt": "a", "conversation_plan": "b", {value}}}"#
        ),
    };
    format!(r#"{{"eval_set_id": "s", "eval_cases": [{{"eval_id": "c", {case}}}]}}"#)
}

#[test]
fn values_that_adk_rejects_are_reported() {
    for (place, value, reads) in VALUES {
        let reading = read(set(place, value).as_bytes());
        let errors: Vec<_> =
            reading.faults.iter().filter(|it| it.severity() == Severity::Error).collect();
        assert_eq!(errors.is_empty(), *reads, "{place} {value}: {errors:?}");
    }
}

#[test]
fn repeated_unknown_field_is_an_error() {
    let text = r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "tags": ["a"],
        "mine": 1, "conversation": [{"invocation_id": "i", "mine": {"mine": 1},
        "user_content": {"role": "user", "content": ""}}], "mine": [2]}]}"#;
    let reading = read_as(text.as_bytes(), Format::AgentFlow);
    let errors: Vec<_> =
        reading.faults.iter().filter(|it| it.severity() == Severity::Error).collect();
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    assert!(error.to_string().contains("duplicate key \"mine\""), "{error}");
}

#[test]
fn leniently_read_values_are_written_unchanged() {
    for (place, value, _) in VALUES.iter().filter(|(.., reads)| *reads) {
        let text = set(place, value);
        let read = read(text.as_bytes()).set.expect("read");
        let written = read.to_json().laid_out(&Layout::compact());
        assert_eq!(canonical(&written), canonical(&text), "{place} {value}");
    }
}

#[test]
fn adk_rejects_the_same_values() {
    let Some(python) = test_needs::python() else { return };
    let sets: Vec<_> = VALUES.iter().map(|(place, value, _)| set(place, value)).collect();
    for ((place, value, reads), rewrite) in VALUES.iter().zip(adk_rewrites(&python, &sets)) {
        assert_eq!(rewrite.is_ok(), *reads, "{place} {value}: {rewrite:?}");
    }
}
