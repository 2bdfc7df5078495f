//! Requests with more messages, parts, tools or members than are read are rejected, in every format.

use live::{Limit, TooLarge};
use model_wire::{ApiFault, FaultKind, anthropic, gemini, openai_chat, openai_responses};

fn list(item: &str, items: usize) -> String {
    format!("[{}]", vec![item; items].join(","))
}

#[test]
fn lists_are_counted_before_their_items_are_read() {
    // Every item is invalid, and its error would be the first one.
    let (messages, parts, tools) = (list("{}", 10_001), list("{}", 10_001), list("{}", 2_001));
    let message = |parts: &str| format!(r#"[{{"role": "user", "content": {parts}}}]"#);
    let one = message(r#""x""#);
    let read = |limit: Limit, fault: ApiFault| {
        assert_eq!(fault.kind, FaultKind::TooLarge, "{fault}");
        assert_eq!(fault.message, TooLarge(limit).to_string());
    };
    let chat = |messages: &str, tools: &str| {
        let body = format!(r#"{{"model": "m", "messages": {messages}, "tools": {tools}}}"#);
        openai_chat::read(&body).expect_err("too large")
    };
    read(Limit::Messages, chat(&messages, "[]"));
    read(Limit::Parts, chat(&message(&parts), "[]"));
    read(Limit::Tools, chat(&one, &tools));
    let claude = |messages: &str, tools: &str| {
        let body = format!(r#"{{"model": "m", "messages": {messages}, "tools": {tools}}}"#);
        anthropic::read(&body).expect_err("too large")
    };
    read(Limit::Messages, claude(&messages, "[]"));
    read(Limit::Parts, claude(&message(&parts), "[]"));
    read(Limit::Tools, claude(&one, &tools));
    let responses = |input: &str, tools: &str| {
        let body = format!(r#"{{"model": "m", "input": {input}, "tools": {tools}}}"#);
        openai_responses::read(&body, Vec::new()).expect_err("too large")
    };
    read(Limit::Messages, responses(&messages, "[]"));
    read(Limit::Parts, responses(&message(&parts), "[]"));
    read(Limit::Tools, responses(&one, &tools));
    let google = |contents: &str, tools: &str| {
        let body = format!(r#"{{"contents": {contents}, "tools": {tools}}}"#);
        gemini::read(&body, "m").expect_err("too large")
    };
    let functions = format!(r#"[{{"functionDeclarations": {tools}}}]"#);
    let one = r#"[{"parts": [{"text": "x"}]}]"#;
    read(Limit::Messages, google(&messages, "[]"));
    read(Limit::Parts, google(&format!(r#"[{{"parts": {parts}}}]"#), "[]"));
    read(Limit::Tools, google(one, &list("{}", 2_001)));
    read(Limit::Functions, google(one, &functions));
}

#[test]
fn the_lists_of_a_request_are_counted_together() {
    let part = r#"{"type": "text", "text": ""}"#;
    let message = format!(r#"{{"role": "user", "content": {}}}"#, list(part, 5_001));
    let read = |messages: usize| {
        let messages = list(&message, messages);
        openai_chat::read(&format!(r#"{{"model": "m", "messages": {messages}}}"#))
    };
    assert!(read(1).is_ok());
    assert_eq!(read(2).expect_err("10,002 parts").kind, FaultKind::TooLarge);
}

#[test]
fn an_object_has_a_limited_number_of_members() {
    let members = |count: usize| {
        let members: Vec<String> = (0..count).map(|it| format!(r#""x{it}": 1"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let read = |part: &str| gemini::read(&format!(r#"{{"contents": [{{"parts": {part}}}]}}"#), "m");
    assert!(read(&members(1_000)).is_ok());
    let refused = read(&members(1_001)).expect_err("too many").to_string();
    assert_eq!(refused, "contents[0].parts: must have at most 1000 members");
    // What is kept unchanged is not opened.
    let call = format!(r#"{{"functionCall": {{"name": "f", "args": {}}}}}"#, members(1_001));
    assert!(read(&call).is_ok());
}
