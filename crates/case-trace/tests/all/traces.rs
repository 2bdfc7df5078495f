//! What is read out of each format, and that a conversion changes nothing of it.

use case_trace::CaseTrace;
use evalset::adk::EvalSetResult;
use evalset::{Case, Format, Origin, read, read_case};
use expect_test::expect;
use proptest::prelude::*;
use scoring::state::{StateMeasure, state};
use scoring::{Invocation, Timing, ToolCall};
use serde_json::Value;

fn case(text: &str, format: Format) -> Case {
    let (case, faults) = read_case(text, format, Origin::default());
    case.unwrap_or_else(|| panic!("{faults:?}"))
}

fn trace(text: &str, format: Format) -> CaseTrace {
    CaseTrace::of(&case(text, format)).expect("a trace")
}

/// The calls as someone would write them down.
fn calls(calls: &[ToolCall]) -> String {
    let actual = calls.iter().map(|call| {
        let text = |text: &Option<json_text::JsonText>| {
            text.as_ref().map_or("-".to_owned(), |text| text.as_str().to_owned())
        };
        let name = call.name.as_deref().unwrap_or("-");
        let by = call.author.as_deref().unwrap_or("-");
        format!("{name}({}) by {by} = {}", text(&call.args), text(&call.result))
    });
    actual.collect::<Vec<_>>().join("\n")
}

const LISTS: &str = r#"{"eval_id": "a", "conversation": [{
    "invocation_id": "i1",
    "user_content": {"role": "user", "parts": [{"text": "Tokyo?"}, {"text": ""}, {"text": "Now."}]},
    "intermediate_data": {
        "tool_uses": [
            {"id": "1", "name": "get_weather", "args": {"city": "Tokyo", "id": 9007199254740993}},
            {"id": "2", "name": "ping", "args": null}, {"name": "pong"}, {"args": {}}],
        "tool_responses": [
            {"id": "1", "name": "get_weather", "response": {"result": 1.50}},
            {"id": "2", "name": "ping", "response": {"ok": true, "result": 1}}],
        "intermediate_responses": [["scout", [{"text": "Looking."}, {"text": "Found."}]]]},
    "final_response": {"parts": [{"text": "Thinking.", "thought": true}, {"text": "22"}]},
    "duration": 1.25, "model_duration": 1.0}],
    "final_session_state": {"seen": ["Tokyo"]}}"#;

#[test]
fn a_result_that_is_the_turns_response_is_that_of_its_call() {
    // As google-adk records a tool that skips the summary.
    let text = r#"{"eval_id": "a", "conversation": [{
        "user_content": {"parts": [{"text": "go"}]},
        "final_response": {"parts": [{"function_response": {"id": "1", "name": "f", "response": {"result": 5}}}]},
        "intermediate_data": {"invocation_events": [
            {"author": "agent", "content": {"parts": [{"function_call": {"id": "1", "name": "f", "args": {}}}]}},
            {"author": "agent", "content": null}]}}]}"#;
    let CaseTrace { trace, .. } = trace(text, Format::Adk);
    assert_eq!(calls(&trace.invocations[0].tool_calls), "f({}) by agent = 5");
}

#[test]
fn lists_of_calls_are_read() {
    let CaseTrace { eval_id, trace, .. } = trace(LISTS, Format::Adk);
    let turn = &trace.invocations[0];
    assert_eq!((eval_id.as_str(), turn.id.as_str()), ("a", "i1"));
    assert_eq!(turn.user_text, "Tokyo?\nNow.");
    assert_eq!(turn.final_response.as_deref(), Some("Thinking.\n22"));
    expect![[r#"
        get_weather({"city": "Tokyo", "id": 9007199254740993}) by - = 1.50
        ping(-) by - = {"ok": true, "result": 1}
        pong(-) by - = -
        -({}) by - = -"#]]
    .assert_eq(&calls(&turn.tool_calls));
    assert_eq!(turn.intermediate_responses[0].text, "Looking.\nFound.");
    assert_eq!(turn.intermediate_responses[0].author.as_deref(), Some("scout"));
    assert_eq!(turn.timing, Timing { total: Some(1.25), model: Some(1.0), tool: None });
    assert_eq!(turn.model_calls, None, "the lists say nothing of models");
    assert_eq!(trace.final_state.expect("a state").as_str(), r#"{"seen": ["Tokyo"]}"#);
}

#[test]
fn the_mark_of_a_case_tells_what_the_tools_returned() {
    let marked = LISTS.replacen(
        r#""eval_id": "a","#,
        r#""eval_id": "a", "rehearsal": {"tool_response": "adk", "returned": {"1": {"result": 1.50}}},"#,
        1,
    );
    let turn = &trace(&marked, Format::Adk).trace.invocations[0];
    let results: Vec<_> = turn
        .tool_calls
        .iter()
        .filter_map(|call| call.result.as_ref())
        .map(|it| it.as_str())
        .collect();
    assert_eq!(results, [r#"{"result": 1.50}"#, r#"{"ok": true, "result": 1}"#]);
}

#[test]
fn empty_state_counts_as_recorded() {
    let ends = |state: &str| {
        let text =
            format!(r#"{{"eval_id": "a", "conversation": [{{"user_content": {{}}}}]{state}}}"#);
        trace(&text, Format::Adk).trace
    };
    let score = |expected: &str, actual: &str| {
        let outcome = state(&ends(expected), &ends(actual), None, StateMeasure::All);
        outcome.score().map(scoring::Score::get)
    };
    let empty = r#", "final_session_state": {}"#;
    let asks = |query: &str| format!(r#", "final_session_state": {query}"#);
    assert_eq!(score(&asks(r#"{"done": true}"#), empty), Some(0.0));
    assert_eq!(score(&asks(r#"{"a": {"$exists": false}}"#), empty), Some(1.0));
    assert_eq!(score(&asks(r#"{"done": true}"#), ""), None, "nothing was recorded");
    assert_eq!(score(empty, &asks(r#"{"done": true}"#)), None, "nothing is expected");
}

#[test]
fn events_are_read() {
    let text = r#"{"evalId": "a", "conversation": [{
        "userContent": {"parts": [{"text": "Tokyo?"}]},
        "intermediateData": {"invocationEvents": [
            {"author": "root", "content": {"parts": [
                {"text": "I ask."},
                {"functionCall": {"id": "1", "name": "get_weather", "args": {"city": "Tokyo"}}}]},
             "usageMetadata": {"promptTokenCount": 100, "toolUsePromptTokenCount": 5,
                "candidatesTokenCount": 7, "thoughtsTokenCount": null}, "modelVersion": "m-1"},
            {"author": "root", "content": {"parts": [
                {"functionResponse": {"id": "1", "name": "get_weather", "response": {"result": "22"}}}]}},
            {"author": "root", "modelVersion": "m-1"}]}}]}"#;
    let trace = trace(text, Format::Adk).trace;
    let turn = &trace.invocations[0];
    expect![[r#"get_weather({"city": "Tokyo"}) by root = "22""#]]
        .assert_eq(&calls(&turn.tool_calls));
    assert_eq!(turn.intermediate_responses.len(), 1);
    let models = turn.model_calls.as_ref().expect("recorded");
    assert_eq!(models.len(), 2);
    assert_eq!((models[0].input, models[0].output), (Some(105), Some(7)));
    assert_eq!((models[0].cached, models[0].reasoning), (None, None));
    assert_eq!((models[1].model.as_deref(), models[1].input), (Some("m-1"), None));
}

#[test]
fn events_without_a_model_count_no_model_call() {
    let models = |event: &str| {
        let text = format!(
            r#"{{"eval_id": "a", "conversation": [{{"user_content": {{}},
            "intermediate_data": {{"invocation_events": [{{"author": "root", "content": null{event}}}]}}}}]}}"#
        );
        trace(&text, Format::Adk).trace.invocations[0].model_calls.as_ref().map(Vec::len)
    };
    assert_eq!(models(""), None, "as ADK 1 wrote them");
    assert_eq!(models(r#", "usage_metadata": null, "model_version": null"#), None);
    assert_eq!(models(r#", "model_version": "m-1""#), Some(1));
    assert_eq!(models(r#", "usage_metadata": {}"#), Some(1));
}

#[test]
fn missing_list_of_parts_is_not_a_response() {
    let response = |response: &str| {
        let text =
            format!(r#"{{"eval_id": "a", "conversation": [{{"user_content": {{}}{response}}}]}}"#);
        trace(&text, Format::Adk).trace.invocations[0].final_response.clone()
    };
    assert_eq!(response(""), None);
    assert_eq!(response(r#", "final_response": null"#), None);
    assert_eq!(response(r#", "final_response": {"parts": null}"#), None);
    assert_eq!(response(r#", "final_response": {"parts": []}"#).as_deref(), Some(""));
}

const FLOW: &str = r#"{"eval_id": "weather", "name": "Weather", "tags": ["basic"],
    "metadata": {"final_session_state": {"done": true}},
    "conversation": [{"invocation_id": "t1",
        "user_content": {"role": "user", "content": "Tokyo?"},
        "expected_tool_trajectory": [
            {"name": "get_weather", "args": {"city": "Tokyo"}, "call_id": "1", "result": [1]},
            {"name": "ping"}],
        "expected_intermediate_responses": [{"role": "assistant", "content": "Looking."}],
        "expected_final_response": {"role": "assistant", "content": [{"type": "text", "text": "22"}]},
        "metadata": {"accepted_trajectories": [[{"name": "ask", "args": {"q": 1}}], []]}}]}"#;

#[test]
fn agentflow_is_read() {
    let CaseTrace { name, tags, trace, .. } = trace(FLOW, Format::AgentFlow);
    assert_eq!((name.as_deref(), tags), (Some("Weather"), vec!["basic".to_owned()]));
    let turn = &trace.invocations[0];
    expect![[r#"
        get_weather({"city": "Tokyo"}) by - = [1]
        ping({}) by - = -"#]]
    .assert_eq(&calls(&turn.tool_calls));
    assert_eq!(turn.final_response.as_deref(), Some("22"));
    assert_eq!(turn.intermediate_responses[0].text, "Looking.");
    assert_eq!((turn.accepted.len(), turn.accepted[1].len()), (2, 0));
    expect![[r#"ask({"q": 1}) by - = -"#]].assert_eq(&calls(&turn.accepted[0]));
    assert_eq!(trace.final_state.expect("a state").as_str(), r#"{"done": true}"#);
}

#[test]
fn older_lists_are_read() {
    let text = r#"{"name": "old", "data": [{"query": "Tokyo?",
        "expected_tool_use": [{"tool_name": "get_weather", "tool_input": {"city": "Tokyo"}}],
        "expected_intermediate_agent_responses": [{"author": "scout", "text": "Looking."}],
        "reference": "22"}]}"#;
    let CaseTrace { eval_id, trace, .. } = trace(text, Format::AdkLegacy);
    let turn = &trace.invocations[0];
    assert_eq!((eval_id.as_str(), turn.user_text.as_str()), ("old", "Tokyo?"));
    expect![[r#"get_weather({"city": "Tokyo"}) by - = -"#]].assert_eq(&calls(&turn.tool_calls));
    assert_eq!(turn.final_response.as_deref(), Some("22"));
    assert_eq!(turn.intermediate_responses[0].text, "Looking.");
}

#[test]
fn conversion_keeps_the_trace() {
    // Compact, since a conversion lays values out again.
    let compact = |text: &str| json_text::JsonText::parse(text).expect("JSON").compact();
    let adk = case(compact(LISTS).as_str(), Format::Adk);
    let before = CaseTrace::of(&adk).expect("a trace");
    let there = Case::AgentFlow(adk.into_agentflow());
    assert_eq!(CaseTrace::of(&there).expect("a trace").trace, before.trace);

    let flow = case(compact(FLOW).as_str(), Format::AgentFlow);
    let before = CaseTrace::of(&flow).expect("a trace");
    let there = CaseTrace::of(&Case::Adk(flow.into_adk())).expect("a trace");
    assert_eq!((&there.name, &there.tags), (&before.name, &before.tags));
    let accepted = |turn: &Invocation| turn.accepted.clone();
    let turns = |it: &CaseTrace| it.trace.invocations.iter().map(accepted).collect::<Vec<_>>();
    assert_eq!(turns(&there), turns(&before));
}

#[test]
fn accepted_trajectories_are_read_from_an_adk_case() {
    let with = |accepted: &str| {
        let text = format!(
            r#"{{"eval_id": "a", "conversation": [{{"invocation_id": "i1", "user_content": {{}}}},
                {{"user_content": {{}}}}], "accepted_trajectories": {accepted}}}"#
        );
        CaseTrace::of(&case(&text, Format::Adk))
    };
    let found = with(r##"{"i1": [[{"name": "f"}]], "#1": [[{"name": "g", "args": {}}], []]}"##)
        .expect("a trace");
    assert_eq!(calls(&found.trace.invocations[0].accepted[0]), "f(-) by - = -");
    assert_eq!(found.trace.invocations[1].accepted.len(), 2);
    let reported = |accepted: &str| with(accepted).expect_err("invalid").to_string();
    expect![[r##"
        case "a" at accepted_trajectories: expected an object, found a list; name each turn once, by its invocation_id or its index, such as "#0"
        case "a" at accepted_trajectories.i2: there is no turn "i2"; name each turn once, by its invocation_id or its index, such as "#0"
        case "a" at accepted_trajectories.i1[0][0].arg: unknown field "arg" in a call; a call has a name, and may have args, and an id or call_id
        case "a" at accepted_trajectories.i1[0][0].args: expected an object, found a list; a call has a name, and may have args, and an id or call_id"##]]
    .assert_eq(
        &[
            reported("[]"),
            reported(r#"{"i2": []}"#),
            reported(r#"{"i1": [[{"name": "f", "arg": {}}]]}"#),
            reported(r#"{"i1": [[{"name": "f", "args": []}]]}"#),
        ]
        .join("\n"),
    );
}

/// All faults, each with its place.
fn faults(text: &str, format: Format) -> String {
    let origin = Origin { line: 10, case: Some(3), ..Origin::default() };
    let faults = CaseTrace::faults(&case(text, format), text, origin);
    let actual = faults.iter().map(|fault| match fault.to_string().split_once("; ") {
        Some((fault, _)) => fault.to_owned(),
        None => panic!("{fault} says what to do"),
    });
    actual.collect::<Vec<_>>().join("\n")
}

#[test]
fn invalid_expected_state_has_a_path() {
    let reported = |text: &str, format| {
        let found = case(text, format);
        assert!(CaseTrace::of(&found).is_ok(), "an agent may have such a state");
        let faults = CaseTrace::faults(&found, text, Origin::default());
        let invalid_field = CaseTrace::of_expected(&found).err();
        assert_eq!(invalid_field.is_some(), !faults.is_empty());
        let reported = invalid_field.iter().map(ToString::to_string);
        reported.chain(faults.iter().map(ToString::to_string)).collect::<Vec<_>>().join("\n")
    };
    let adk = |state: &str| {
        format!(
            "{{\"eval_id\": \"a\", \"conversation\": [{{\"user_content\": {{}}}}],\n\
             \"final_session_state\": {state}}}"
        )
    };
    expect![[r#"
        case "a" at final_session_state.x.$foo: the expected final state is not a valid query: unknown operator $foo; did you mean $mod?
        line 2, column 47, case "a" at final_session_state.x.$foo: the expected final state is not a valid query: unknown operator $foo; did you mean $mod?"#]]
    .assert_eq(&reported(&adk(r#"{"b": 1, "x": {"$foo": 1}}"#), Format::Adk));
    let nested = reported(&adk(r#"{"$or": [{"a": 1}, {"a/b": {"$regex": "("}}]}"#), Format::Adk);
    assert!(nested.contains("at final_session_state.$or[1].a/b.$regex: the expected"), "{nested}");
    assert!(nested.contains("line 2, column 62, "), "{nested}");
    for sound in ["{}", "null", r#"{"x": {"$gt": 1}}"#] {
        assert_eq!(reported(&adk(sound), Format::Adk), "");
    }
    let flow = r#"{"eval_id": "a", "conversation": [{"invocation_id": "i", "user_content":
        {"role": "user", "content": ""}}], "metadata": {"final_session_state": {"x": {"$foo": 1}}}}"#;
    let reported = reported(flow, Format::AgentFlow);
    assert!(
        reported.contains("line 2, column 95, case \"a\" at metadata.final_session_state.x.$foo")
    );
}

#[test]
fn every_error_in_accepted_trajectories_has_a_path() {
    let adk = r##"{"eval_id": "a", "conversation": [{"invocation_id": "i1", "user_content": {}},
{"user_content": {}}, {"user_content": {}}],
"accepted_trajectories": {
 "": [],
 "i1": [[{"name": "f", "args": {}, "id": null}], {"name": "f"}, [3, {}]],
 "#1": [[{"name": 1, "args": [], "arguments": {}, "call_id": 5}]],
 "#0": [],
 "#3": "",
 "é.x": [[{"name": "f", "name": "g"}]]}}"##;
    let actual = faults(adk, Format::Adk);
    expect![[r##"
        line 13, column 6, case "a" at accepted_trajectories.: several turns have the invocation_id ""
        line 14, column 50, case "a" at accepted_trajectories.i1[1]: expected a list, found an object
        line 14, column 66, case "a" at accepted_trajectories.i1[2][0]: expected a call, found a number
        line 14, column 69, case "a" at accepted_trajectories.i1[2][1]: a call needs a "name"
        line 15, column 19, case "a" at accepted_trajectories.#1[0][0].name: expected a string, found a number
        line 15, column 30, case "a" at accepted_trajectories.#1[0][0].args: expected an object, found a list
        line 15, column 47, case "a" at accepted_trajectories.#1[0][0].arguments: unknown field "arguments" in a call
        line 15, column 62, case "a" at accepted_trajectories.#1[0][0].call_id: expected a string, found a number
        line 16, column 8, case "a" at accepted_trajectories.#0: this turn is named twice
        line 17, column 8, case "a" at accepted_trajectories.#3: expected a list, found a string
        line 17, column 8, case "a" at accepted_trajectories.#3: there is no turn "#3"
        line 18, column 9, case "a" at accepted_trajectories.é.x: there is no turn "é.x"
        line 18, column 11, case "a" at accepted_trajectories.é.x[0][0]: duplicate key "name""##]]
    .assert_eq(&actual);

    let flow = |accepted: &str| {
        format!(
            r#"{{"eval_id": "a", "conversation": [{{"invocation_id": "i", "user_content":
{{"role": "user", "content": ""}}, "metadata": {{"accepted_trajectories": {accepted}}}}}]}}"#
        )
    };
    assert_eq!(faults(&flow(r#"[[{"name": "f"}], []]"#), Format::AgentFlow), "");
    let broken = flow(r#"[{"name": "f"}]"#);
    expect![[r#"line 11, column 73, case "a" at conversation[0].metadata.accepted_trajectories[0]: expected a list, found an object"#]]
    .assert_eq(&faults(&broken, Format::AgentFlow));
    // Faults are still reported after a conversion and back.
    for text in [broken, adk.to_owned()] {
        let format = if text == adk { Format::Adk } else { Format::AgentFlow };
        let read = case(&text, format);
        let there = match format {
            Format::Adk => Case::AgentFlow(read.clone().into_agentflow()),
            _ => Case::Adk(read.clone().into_adk()),
        };
        let written = there.to_json().laid_out(&evalset::Layout::compact());
        let count =
            |case: &Case, text: &str| CaseTrace::faults(case, text, Origin::default()).len();
        assert_eq!(count(&there, &written), count(&read, &text), "{written}");
    }
}

#[test]
fn valid_case_has_no_errors() {
    let with = r##"{"eval_id": "a", "conversation": [{"invocation_id": "i1", "user_content": {}}],
        "accepted_trajectories": {"i1": [[{"name": "f", "args": null, "id": "1"}], []]}}"##;
    for (text, format) in [(with, Format::Adk), (FLOW, Format::AgentFlow), (LISTS, Format::Adk)] {
        assert_eq!(faults(text, format), "");
        assert!(CaseTrace::of(&case(text, format)).is_ok());
    }
}

/// As `EvalSetResult.model_dump_json(indent=2)` of google-adk 2.13 writes it, nulls included.
const HISTORY: &str = r#"{"eval_set_result_id": "home_s_1.5", "eval_set_result_name": "home_s_1.5",
    "eval_set_id": "s", "eval_case_results": [
    {"eval_set_file": null, "eval_set_id": "s", "eval_id": "a", "final_eval_status": 2,
     "eval_metric_results": null, "overall_eval_metric_results": [],
     "eval_metric_result_per_invocation": [{
        "actual_invocation": {"invocation_id": "e-1",
            "user_content": {"parts": [{"media_resolution": null, "text": "Tokyo?", "thought": null}], "role": "user"},
            "final_response": {"parts": [{"text": "22"}], "role": null},
            "intermediate_data": {"invocation_events": [{"author": "root",
                "content": {"parts": [{"function_call": {"id": "1", "args": {"city": "Tokyo"}, "name": "get_weather",
                    "partial_args": null, "will_continue": null}}], "role": "model"},
                "grounding_metadata": null, "usage_metadata": {"prompt_token_count": 3}, "model_version": null}]},
            "creation_timestamp": 1.5, "duration": 0.5, "model_duration": null, "tool_duration": null,
            "rubrics": null, "app_details": null},
        "expected_invocation": null, "eval_metric_results": []}],
     "session_id": "x", "session_details": {"id": "x", "app_name": "home", "user_id": "u",
        "state": {"n": 9007199254740993}, "events": [], "last_update_time": 0.0}, "user_id": "u"},
    {"eval_id": "broken", "eval_metric_result_per_invocation": [{"actual_invocation": {}}]}],
    "creation_timestamp": 1.5}"#;

#[test]
fn adk_history_gives_the_actual_trace() {
    let check = |text: &str| {
        assert!(EvalSetResult::starts_like(&text[..20]));
        let (result, faults) = EvalSetResult::read_file(text.as_bytes());
        let result = result.expect("read");
        assert_eq!(result.eval_case_results.len(), 1, "the broken one is left out");
        assert!(faults.iter().any(|fault| fault.to_string().contains("broken")), "{faults:?}");
        let found = CaseTrace::of_result(&result.eval_case_results[0]);
        let turn = &found.trace.invocations[0];
        assert_eq!((found.eval_id.as_str(), turn.user_text.as_str()), ("a", "Tokyo?"));
        assert_eq!(calls(&turn.tool_calls), r#"get_weather({"city": "Tokyo"}) by root = -"#);
        assert_eq!(turn.final_response.as_deref(), Some("22"));
        assert_eq!(turn.timing.total, Some(0.5));
        assert_eq!(turn.model_calls.as_ref().map(Vec::len), Some(1));
        let state = found.trace.final_state.expect("a state");
        assert_eq!(state.as_str(), r#"{"n": 9007199254740993}"#);
    };
    check(HISTORY);
    // Older versions of ADK wrote the JSON text as a JSON string.
    check(&serde_json::to_string(HISTORY).expect("a string"));
    assert!(!EvalSetResult::starts_like(r#"{"eval_set_id": "s""#));
    assert!(!EvalSetResult::starts_like("["));
}

#[test]
fn every_file_of_google_gives_traces() {
    let Some(folder) = test_needs::corpus("adk-evalsets") else { return };
    let files = std::fs::read_dir(folder).expect("listed");
    let (mut count, mut turns, mut called) = (0, 0, 0);
    for file in files {
        let path = file.expect("an entry").path();
        let set = read(&std::fs::read(&path).expect("readable")).whole().expect("an eval set");
        for case in set.into_cases("file") {
            let found = CaseTrace::of(&case).expect("a trace");
            assert!(!found.trace.invocations.is_empty(), "{}", path.display());
            let names = found.trace.invocations.iter().flat_map(|turn| &turn.tool_calls);
            let mut names: Vec<&str> = names.filter_map(|call| call.name.as_deref()).collect();
            called += names.len();
            let mut once = Vec::new();
            names.retain(|name| {
                !once.contains(name) && {
                    once.push(*name);
                    true
                }
            });
            assert_eq!(names, case.tools(), "{}", path.display());
            turns += found.trace.invocations.len();
        }
        count += 1;
    }
    assert_eq!((count, turns, called), (14, 25, 29));
}

#[test]
fn adk_output_gives_its_texts_calls_and_times() {
    let text = r#"{"eval_id": "a\n", "conversation": [{
        "invocation_id": "i1",
        "user_content": {"parts": [{"text": "Tokyo?"}], "role": "user"},
        "final_response": {"parts": [{"text": ""}, {"text": "22"}, {"text": "é\u00e9"}], "role": "model"},
        "intermediate_data": {
            "tool_uses": [{"id": "1", "args": {"city": ["Tokyo", {"n": 1e400}]}, "name": "f"}],
            "tool_responses": [{"id": "1", "name": "f", "response": {"result": 1}}],
            "intermediate_responses": []},
        "creation_timestamp": 1.5, "duration": 2, "model_duration": 1e400}],
        "session_input": {"app_name": "a", "user_id": "u", "state": {"x": "\n"}},
        "creation_timestamp": 0.0 } "#;
    let read = trace(text, Format::Adk);
    let turn = &read.trace.invocations[0];
    assert_eq!((read.eval_id.as_str(), turn.user_text.as_str()), ("a\n", "Tokyo?"));
    assert_eq!(turn.final_response.as_deref(), Some("22\néé"));
    assert_eq!(calls(&turn.tool_calls), r#"f({"city": ["Tokyo", {"n": 1e400}]}) by - = 1"#);
    assert_eq!(turn.timing, Timing { total: Some(2.0), ..Timing::default() });
}

proptest! {
    /// A case that is changed anywhere is rejected, or its trace has what its JSON has.
    #[test]
    fn accepted_case_gives_what_its_json_has(at in any::<prop::sample::Index>(), put in prop::sample::select(
        vec!["", "{", "}", "[", "]", ",", ":", "\"", "\\", " ", "1", "-", "null", "NaN", "\"a\"", "{}", "\n"],
    ), cut in 0..3_usize) {
        let text = r#"{"eval_id": "a", "conversation": [{"invocation_id": "i", "user_content":
            {"parts": [{"text": "\u00e9"}], "role": "user"}, "final_response": {"parts": [{"text": "x"},
            {"text": "\u00e9"}]}, "intermediate_data": {"tool_uses":
            [{"name": "f", "args": {"a": [1, {"b": null}], "c": true}}, {"args": {}}], "tool_responses":
            [{"id": "1", "response": {"r": [{}]}}], "intermediate_responses": []}, "duration": 1.5}],
            "session_input": {"app_name": "a", "user_id": "u", "state": {"k": {}}}}"#;
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        let text = format!("{}{put}{}", &text[..at], &text[end..]);
        let (case, faults) = read_case(&text, Format::Adk, Origin::default());
        if faults.iter().any(|fault| fault.severity() == evalset::Severity::Error) {
            return Ok(());
        }
        let read = CaseTrace::of(&case.expect("accepted")).expect("a trace");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let turns = list(&json["conversation"]);
        prop_assert_eq!(&read.eval_id, &json["eval_id"]);
        prop_assert_eq!(read.trace.invocations.len(), turns.len());
        for (turn, json) in read.trace.invocations.iter().zip(&turns) {
            let uses = list(&json["intermediate_data"]["tool_uses"]);
            let names = |call: &ToolCall| call.name.clone().map_or(Value::Null, Value::from);
            let names: Vec<Value> = turn.tool_calls.iter().map(names).collect();
            prop_assert_eq!(names, uses.iter().map(|call| call["name"].clone()).collect::<Vec<_>>());
            let parts = list(&json["final_response"]["parts"]);
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
            prop_assert_eq!(turn.final_response.clone().unwrap_or_default(), texts.join("\n"));
        }
    }
}
