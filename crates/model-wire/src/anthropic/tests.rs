use expect_test::expect;
use json_text::JsonText;
use live::{Content, FunctionCall, Part, Role};

use super::*;
use crate::{FreeText, ModelResponse, ResponseHead};

#[test]
fn tool_results_have_the_function_role() {
    let asked = read(
        r#"{"model": "claude", "max_tokens": 10, "thinking": {"type": "enabled"}, "stream": true,
            "system": [{"type": "text", "text": "One.", "cache_control": {}}, {"type": "text", "text": "Two."}],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "object"}}},
            "tools": [{"name": "f", "input_schema": {"type": "object"}},
                      {"type": "web_search_20250305", "name": "web_search"}],
            "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "x"},
                    {"type": "tool_use", "id": "t1", "name": "f", "input": {"n": 1.10}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "no"},
                    {"type": "text", "text": "Again"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}},
                    {"type": "document", "source": {"type": "url", "url": "https://example.com"}}]}]}"#,
    )
    .expect("valid");
    assert!(asked.stream);
    let request = asked.request;
    assert_eq!(request.system_instruction.as_deref(), Some("One.\n\nTwo."));
    expect![[r#"{"max_tokens":10,"thinking":{"type": "enabled"},"output_config":{"effort":"low","format":{"type":"json_schema"}},"tools":[{"type": "web_search_20250305", "name": "web_search"}]}"#]]
        .assert_eq(request.generation_config.expect("kept").as_str());
    assert_eq!(request.output_schema.expect("taken out").as_str(), r#"{"type": "object"}"#);
    let roles: Vec<Role> = request.contents.iter().map(|content| content.role).collect();
    assert_eq!(roles, [Role::User, Role::Model, Role::Function, Role::User]);
    let Part::FunctionCall(call) = &request.contents[1].parts[1] else { panic!("a call") };
    assert_eq!(call.args.as_ref().map(JsonText::as_str), Some(r#"{"n": 1.10}"#));
    let Part::FunctionResponse(result) = &request.contents[2].parts[0] else { panic!("a result") };
    let response = result.response.as_ref().map(JsonText::as_str);
    assert_eq!(response, Some(r#"{"is_error":true,"content":"no"}"#));
    let last = &request.contents[3].parts;
    assert!(matches!(&last[1], Part::InlineData(image) if image.data == b"hi"));
    assert!(matches!(&last[2], Part::Other(document) if document.kind == "document"));
}

#[test]
fn members_without_a_field_are_kept() {
    let asked = read(
        r#"{"model": "claude", "max_tokens": 10,
            "tools": [{"type": "custom", "name": "f", "input_schema": {}, "cache_control": {"type": "ephemeral"},
                "input_examples": [{"n": 1}]}],
            "messages": [
                {"role": "user", "content": [
                    {"type": "document", "title": "A", "context": "Old.", "citations": {"enabled": true},
                     "source": {"type": "base64", "media_type": "application/pdf", "data": "aGk="}}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "So.", "citations": [{"cited_text": "x"}]},
                    {"type": "text", "text": "Yes.", "citations": null, "cache_control": {"type": "ephemeral"}},
                    {"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x", "more": 1}]}]}"#,
    );
    let request = asked.expect("valid").request;
    let shown = |content: usize| {
        let parts = request.contents[content].parts.iter().map(|part| match part {
            Part::Other(other) => format!("{} {}", other.kind, other.json),
            Part::Text(text) => text.clone(),
            _ => "...".to_owned(),
        });
        parts.collect::<Vec<_>>()
    };
    assert_eq!(shown(0), ["...", r#"document {"context":"Old.","citations":{"enabled": true}}"#]);
    assert_eq!(shown(1), ["So.", r#"text {"citations":[{"cited_text": "x"}]}"#, "Yes.", "..."]);
    assert_eq!(shown(2), ["...", r#"tool_result {"more":1}"#]);
    assert_eq!(request.contents[2].role, Role::Function);
    expect![[r#"{"max_tokens":10,"tools":[{"name":"f","input_examples":[{"n": 1}]}]}"#]]
        .assert_eq(request.generation_config.expect("kept").as_str());
}

#[test]
fn invalid_requests_name_the_rule() {
    let refused = |messages: &str| {
        let body = format!(r#"{{"model": "m", "messages": {messages}}}"#);
        read(&body).expect_err(messages).to_string()
    };
    let cases = [
        refused("[]"),
        refused(r#"[{"role": "system", "content": "x"}]"#),
        refused(r#"[{"role": "user", "content": [{"text": "x"}]}]"#),
        refused(r#"[{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]"#),
        refused(
            r#"[{"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "%"}}]}]"#,
        ),
    ];
    expect![[r#"
        messages: must have at least one message
        messages[0].role: must be user or assistant
        messages[0].content[0].type: must be given
        messages[0].content[0].tool_use_id: must be the id of a call in an earlier message
        messages[0].content[0].source.data: must be base64
    "#]]
    .assert_eq(&format!("{}\n", cases.join("\n")));
}

#[test]
fn tools_that_the_agent_runs_can_be_called() {
    let asked = read(
        r#"{"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [
            {"type": "bash_20250124", "name": "bash"},
            {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 9},
            {"type": "web_search_20250305", "name": "web_search"},
            {"type": "bash_code_execution_20250825", "name": "bash_code_execution"}]}"#,
    );
    let request = asked.expect("valid").request;
    let declared = request.tools.iter().flat_map(|tool| &tool.function_declarations);
    let declared: Vec<_> = declared.map(|it| (it.name.as_str(), it.parameters.is_some())).collect();
    assert_eq!(declared, [("bash", true), ("str_replace_based_edit_tool", true)]);
    let config = request.generation_config.expect("the tools as they came");
    for kept in ["max_characters", "web_search", "bash_code_execution", "bash_20250124"] {
        assert!(config.as_str().contains(kept), "{kept}");
    }
}

#[test]
fn tool_result_image_is_an_image_part() {
    let asked = read(
        r#"{"model": "m", "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [
                {"type": "text", "text": "Here."},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}]}]}]}"#,
    );
    let request = asked.expect("valid").request;
    let [Part::FunctionResponse(result), Part::InlineData(picture)] =
        &request.contents[1].parts[..]
    else {
        panic!("{:?}", request.contents)
    };
    let response = result.response.as_ref().map(JsonText::as_str);
    assert_eq!(response, Some(r#"[{"type": "text", "text": "Here."}]"#));
    assert_eq!((picture.mime_type.as_str(), &picture.data[..]), ("image/png", &b"hi"[..]));
    assert_eq!(request.contents[1].role, Role::Function);
}

#[test]
fn server_side_thread_is_rejected() {
    let asked =
        r#"{"model": "m", "messages": [{"role": "user", "content": "x"}], "thread": THREAD}"#;
    assert!(read(&asked.replace("THREAD", "null")).is_ok());
    let refused = read(&asked.replace("THREAD", r#"{"type": "create"}"#)).expect_err("a thread");
    expect![[r#"{"type":"error","error":{"type":"invalid_request_error","message":"thread: is not supported: send the whole conversation without it","details":{"error_code":"thread_unsupported_request","unsupported":[]}}}"#]]
        .assert_eq(fault(&refused).as_str());
}

#[test]
fn a_stream_builds_its_blocks_one_by_one() {
    let call = FunctionCall {
        id: None,
        name: "f".to_owned(),
        args: Some(JsonText::parse(r#"{"n": 9007199254740993}"#).expect("JSON")),
    };
    let parts = vec![Part::Text("Let me.".to_owned()), Part::FunctionCall(call)];
    let candidates = [Content { role: Role::Model, parts }];
    let head = ResponseHead {
        turn: "0".repeat(32),
        model: "claude".to_owned(),
        created: 7,
        echo: None,
        free_text: FreeText::default(),
        include_usage: false,
    };
    let answer = ModelResponse { head: &head, candidates: &candidates };
    assert!(whole(&answer).as_str().contains(r#""input":{"n": 9007199254740993}"#));
    let events: Vec<String> = opening(&head)
        .into_iter()
        .chain([ping()])
        .chain(rest(&answer))
        .map(|event| event.data().to_owned())
        .collect();
    expect![[r#"
        {"type":"message_start","message":{"id":"msg_00000000000000000000000000000000","type":"message","role":"assistant","model":"claude","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}}
        {"type":"ping"}
        {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
        {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me."}}
        {"type":"content_block_stop","index":0}
        {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_00000000000000000000000000000000_1","name":"f","input":{}}}
        {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\": 9007199254740993}"}}
        {"type":"content_block_stop","index":1}
        {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":0}}
        {"type":"message_stop"}
    "#]]
    .assert_eq(&format!("{}\n", events.join("\n")));
}
