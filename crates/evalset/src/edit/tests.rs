//! Tests each edit in each shape of a case.

use super::adk_calls::{answer_to, response_at};
use super::*;
use crate::{Format, Origin, read_case};

const LISTS: &str = r#"{"eval_id":"a","zzz":9007199254740993,"conversation":[{"invocation_id":"i",
    "user_content":{"parts":[{"text":"one"},{"inline_data":{"data":"","mime_type":"a/b"}},{"text":"two"}]},
    "intermediate_data":{"tool_uses":[{"id":"1","name":"add","args":{"a":1}},{"id":"2","name":"log","args":{}}],
    "tool_responses":[{"id":"1","name":"add","response":{"result":2}},{"id":"2","name":"log","response":{"result":null}}]},
    "final_response":{"parts":[{"text":"8"}],"role":"model"}}]}"#;

const EVENTS: &str = r#"{"eval_id":"a","conversation":[{"invocation_id":"i",
    "user_content":{"parts":[{"text":"one"}]},
    "intermediate_data":{"invocation_events":[
        {"author":"root","content":{"parts":[{"text":"Hm."},{"function_call":{"id":"1","name":"add","args":{}}}]}},
        {"author":"root","content":{"parts":[{"function_response":{"id":"1","name":"add","response":{"result":2}}}]}},
        {"author":"helper","content":{"parts":[{"function_call":{"id":"2","name":"log","args":{}}}]}}]}}]}"#;

fn case(text: &str, format: Format) -> Case {
    let (case, faults) = read_case(text, format, Origin::default());
    assert_eq!(faults, []);
    case.expect("a case")
}

fn text(text: &str) -> JsonText {
    JsonText::parse(text).expect("valid")
}

fn call(name: &str, arguments: &str, response: Option<&str>) -> NewCall {
    NewCall { name: name.into(), arguments: text(arguments), response: response.map(text) }
}

/// Each call with the answer that belongs to it: `add{"a":1} -> {"result":2}`.
fn calls_of(case: &Case) -> Vec<String> {
    match case {
        Case::Adk(case) => {
            let data = case.turns()[0].intermediate_data.clone().unwrap_or_default();
            let mut calls = Vec::new();
            for (at, call) in data.calls().enumerate() {
                let mut copy = data.clone();
                let answer = answer_to(&data, at)
                    .and_then(|at| response_at(&mut copy, at).and_then(|it| it.response.clone()));
                let answer = answer.map_or_else(|| "?".to_owned(), |it| it.to_string());
                let name = call.name.clone().unwrap_or_default();
                let arguments = call.args.clone().map_or_else(String::new, |it| it.to_string());
                calls.push(format!("{name}{arguments} -> {answer}"));
            }
            calls
        }
        Case::AgentFlow(case) => case.conversation[0]
            .expected_tool_trajectory
            .iter()
            .map(|call| {
                let arguments = call.args.clone().map_or_else(String::new, |it| it.to_string());
                let answer =
                    call.result.clone().map_or_else(|| "?".to_owned(), |it| it.to_string());
                format!("{}{arguments} -> {answer}", call.name)
            })
            .collect(),
        Case::AdkLegacy(_) => Vec::new(),
    }
}

#[test]
fn changing_a_message_keeps_other_parts() {
    let mut it = case(LISTS, Format::Adk);
    it.set_query(0, "three").expect("changed");
    it.set_response(0, Some("9")).expect("changed");
    let written = it.to_json().laid_out(&crate::Layout::compact());
    assert!(
        written.contains(r#"[{"text":"three"},{"inline_data":{"data":"","mime_type":"a/b"}}]"#),
        "{written}"
    );
    assert!(written.contains(r#""zzz":9007199254740993"#) && written.contains(r#"{"text":"9"}"#));
    it.set_response(0, None).expect("changed");
    assert!(!it.to_json().laid_out(&crate::Layout::compact()).contains("\"9\""));
    assert_eq!(it.set_query(1, "x"), Err(EditError::NoTurn { turn: 1, turns: 1 }));
}

#[test]
fn editing_calls_in_lists_moves_their_responses() {
    let mut it = case(LISTS, Format::Adk);
    it.set_call(0, 0, call("add", r#"{"a":2}"#, Some(r#"{"result":3}"#))).expect("changed");
    it.insert_call(0, 1, "n", call("mul", "{}", Some(r#"{"result":0}"#))).expect("added");
    let expected = [
        r#"add{"a":2} -> {"result":3}"#,
        r#"mul{} -> {"result":0}"#,
        r#"log{} -> {"result":null}"#,
    ];
    assert_eq!(calls_of(&it), expected);
    it.move_call(0, 2, 0).expect("moved");
    assert_eq!(calls_of(&it), [expected[2], expected[0], expected[1]]);
    it.remove_call(0, 1).expect("removed");
    assert_eq!(calls_of(&it), [expected[2], expected[1]]);
    it.set_call(0, 0, call("log", "{}", None)).expect("changed");
    assert_eq!(calls_of(&it), ["log{} -> ?", expected[1]]);
    assert_eq!(it.remove_call(0, 2), Err(EditError::NoCall { call: 2, calls: 2 }));
    assert_eq!(
        it.set_call(0, 0, call("log", "[]", None)),
        Err(EditError::NotAnObject { what: "the arguments" })
    );
}

#[test]
fn editing_calls_in_events_moves_their_responses() {
    let mut it = case(EVENTS, Format::Adk);
    it.set_call(0, 0, call("add", r#"{"a":2}"#, Some(r#"{"result":3}"#))).expect("changed");
    it.set_call(0, 1, call("log", "{}", Some(r#"{"result":1}"#))).expect("changed");
    assert_eq!(calls_of(&it), [r#"add{"a":2} -> {"result":3}"#, r#"log{} -> {"result":1}"#]);
    it.insert_call(0, 1, "n", call("mul", "{}", Some(r#"{"result":0}"#))).expect("added");
    assert_eq!(calls_of(&it)[1], r#"mul{} -> {"result":0}"#);
    it.remove_call(0, 0).expect("removed");
    assert_eq!(calls_of(&it), [r#"mul{} -> {"result":0}"#, r#"log{} -> {"result":1}"#]);
    let written = it.to_json().laid_out(&crate::Layout::compact());
    assert!(written.contains(r#"[{"text":"Hm."}]"#), "its words stay: {written}");
    assert!(!written.contains("[]"), "no empty event stays: {written}");
    assert_eq!(it.move_call(0, 0, 1), Err(EditError::InEvents));
    let (again, faults) = read_case(&written, Format::Adk, Origin::default());
    assert!(again.is_some() && faults.is_empty(), "{faults:?}");
}

#[test]
fn inserting_a_call_creates_intermediate_data() {
    let mut it = case(
        r#"{"eval_id":"a","conversation":[{"user_content":{"parts":[{"text":"x"}]}}]}"#,
        Format::Adk,
    );
    it.insert_call(0, 0, "n", call("add", "{}", None)).expect("added");
    assert_eq!(calls_of(&it), ["add{} -> ?"]);
    it.set_initial_state(text(r#"{"a":1}"#), "app", "user").expect("set");
    assert!(it.to_json().laid_out(&crate::Layout::compact()).contains(r#""state":{"a":1}"#));
}

#[test]
fn agentflow_cases_are_editable() {
    let mut it = case(
        r#"{"eval_id":"a","conversation":[{"invocation_id":"i","user_content":{"role":"user","content":"x"},
            "expected_tool_trajectory":[{"name":"add","args":{},"result":2}]}]}"#,
        Format::AgentFlow,
    );
    it.set_query(0, "y").expect("changed");
    it.insert_call(0, 0, "n", call("mul", "{}", Some("7"))).expect("added");
    assert_eq!(calls_of(&it), ["mul{} -> 7", "add{} -> 2"]);
    it.move_call(0, 0, 1).expect("moved");
    it.remove_call(0, 0).expect("removed");
    assert_eq!(calls_of(&it), ["mul{} -> 7"]);
    it.set_response(0, Some("done")).expect("changed");
    it.set_eval_id("b").expect("changed");
    assert_eq!(it.eval_id(), "b");
    assert!(it.to_json().laid_out(&crate::Layout::compact()).contains("\"done\""));
}

#[test]
fn scenario_prompt_and_plan_are_editable() {
    let mut it = case(
        r#"{"eval_id":"a","conversation_scenario":{"starting_prompt":"Hi","conversation_plan":"Book.","user_persona":"EXPERT"}}"#,
        Format::Adk,
    );
    it.set_query(0, "Hello").expect("changed");
    it.set_plan("Book two.").expect("changed");
    assert_eq!(
        it.to_json().laid_out(&crate::Layout::compact()),
        r#"{"eval_id":"a","conversation_scenario":{"starting_prompt":"Hello","conversation_plan":"Book two.","user_persona":"EXPERT"}}"#
    );
    assert_eq!(it.set_query(1, "x"), Err(EditError::NoTurn { turn: 1, turns: 0 }));
    assert_eq!(case(LISTS, Format::Adk).set_plan("x"), Err(EditError::NoScenario));
}

#[test]
fn expected_state_can_be_set_and_removed() {
    let written = |case: &Case| case.to_json().laid_out(&crate::Layout::compact());
    let mut it = case(LISTS, Format::Adk);
    it.set_final_state(Some(text(r#"{"n":9007199254740993}"#))).expect("set");
    assert!(written(&it).contains(r#""final_session_state":{"n":9007199254740993}"#));
    assert_eq!(
        it.set_final_state(Some(text("[]"))),
        Err(EditError::NotAnObject { what: "the expected state" })
    );
    it.set_final_state(None).expect("gone");
    assert!(!written(&it).contains("final_session_state"), "{}", written(&it));

    // AgentFlow has no field for it: it is in the metadata, whose other members stay.
    let flow = |metadata: &str| {
        let text = format!(
            r#"{{"eval_id":"a","conversation":[{{"invocation_id":"i","user_content":{{"role":"user","content":"x"}}}}],"metadata":{metadata}}}"#
        );
        case(&text, Format::AgentFlow)
    };
    let mut it = flow(r#"{"big":9007199254740993,"final_session_state":{"a":1},"z":null}"#);
    it.set_final_state(Some(text(r#"{"a":2}"#))).expect("set");
    let expected = r#""metadata":{"big":9007199254740993,"final_session_state":{"a":2},"z":null}"#;
    assert!(written(&it).contains(expected), "{}", written(&it));
    it.set_final_state(None).expect("gone");
    assert!(written(&it).contains(r#""metadata":{"big":9007199254740993,"z":null}"#));
    let kept = flow(r#"{"adk":{"final_session_state":{}}}"#).set_final_state(None);
    assert_eq!(kept, Err(EditError::KeptState));
}
