//! Arguments and items copied from anywhere.

use json_text::JsonText;
use schema_form::{Draft, Edit, FieldKind, Form, PasteError, Path};

const WEATHER: &str = r#"{"type": "object", "properties": {
    "city": {"type": "string"}, "days": {"type": "integer"}}}"#;

fn form(schema: &str) -> Form {
    Form::of_schema(&JsonText::parse(schema).expect("JSON"))
}

#[test]
fn wrapped_calls_are_recognized() {
    let arguments = r#"{"city":"Oslo","days":9007199254740993}"#;
    let quoted = JsonText::string(arguments);
    for text in [
        arguments.to_owned(),
        format!("```json\n{arguments}\n```"),
        format!(r#"{{"name": "weather", "args": {arguments}}}"#),
        format!(r#"{{"functionCall": {{"name": "weather", "args": {arguments}}}}}"#),
        format!(r#"{{"name": "weather", "arguments": {quoted}}}"#),
        format!(r#"{{"arguments": {quoted}}}"#),
        quoted.as_str().to_owned(),
        format!(
            r#"[{{"id": "call_1", "type": "function", "function": {{"name": "weather", "arguments": {quoted}}}}}]"#
        ),
        format!(
            r#"{{"tool_calls": [{{"function": {{"name": "weather", "arguments": {quoted}}}}}]}}"#
        ),
        format!(
            r#"{{"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                "params": {{"name": "weather", "arguments": {arguments}, "_meta": {{"progressToken": 1}}}}}}"#
        ),
        format!(r#"{{"type": "tool_use", "id": "t", "name": "weather", "input": {arguments}}}"#),
    ] {
        let pasted = form(WEATHER).pasted(&text).expect(&text);
        assert_eq!(pasted.value.as_str(), arguments, "{text}");
        assert!(pasted.tool.is_none_or(|tool| tool == "weather"));
        assert!(pasted.unknown.is_empty());
    }
}

/// Messages and responses of OpenAI (chat, responses), Gemini and Anthropic.
#[test]
fn the_only_call_of_a_message_is_read() {
    let arguments = r#"{"city":"Oslo","days":9007199254740993}"#;
    let quoted = JsonText::string(arguments);
    let calls = format!(
        r#""tool_calls": [{{"id": "c", "type": "function",
            "function": {{"name": "weather", "arguments": {quoted}}}}}]"#
    );
    let chat = format!(r#"{{"role": "assistant", "content": null, "refusal": null, {calls}}}"#);
    let parts = format!(
        r#"{{"role": "model", "parts": [{{"text": "I look."}},
            {{"functionCall": {{"name": "weather", "args": {arguments}}}, "thoughtSignature": "x"}}]}}"#
    );
    for text in [
        chat.clone(),
        format!("[{{\"role\": \"user\", \"content\": \"Oslo?\"}}, {chat}]"),
        format!(
            r#"{{"object": "chat.completion", "choices": [{{"index": 0, "message": {chat},
                "finish_reason": "tool_calls"}}], "usage": {{"total_tokens": 12}}}}"#
        ),
        parts.clone(),
        format!(r#"{{"content": {parts}}}"#),
        format!(r#"{{"candidates": [{{"content": {parts}, "finishReason": "STOP"}}]}}"#),
        format!(
            r#"{{"role": "assistant", "stop_reason": "tool_use", "content": [
                {{"type": "text", "text": "I look."}},
                {{"type": "tool_use", "id": "t", "name": "weather", "input": {arguments}}}]}}"#
        ),
        format!(
            r#"{{"object": "response", "output": [{{"type": "reasoning", "summary": []}},
                {{"type": "function_call", "id": "f", "call_id": "c", "name": "weather",
                  "arguments": {quoted}, "status": "completed"}}]}}"#
        ),
    ] {
        let pasted = form(WEATHER).pasted(&text).expect(&text);
        assert_eq!(pasted.value.as_str(), arguments, "{text}");
        assert_eq!(pasted.tool.as_deref(), Some("weather"), "{text}");
    }
    // The tool's own parameter names do not hide the message's content.
    let own = form(r#"{"type": "object", "properties": {"input": {"type": "string"}}}"#);
    let text = r#"{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f",
        "input": {"input": "a"}}]}"#;
    assert_eq!(own.pasted(text).expect("taken").value.as_str(), r#"{"input": "a"}"#);
}

#[test]
fn several_calls_are_an_error_and_a_message_without_one_is_kept() {
    let call = r#"{"functionCall": {"name": "weather", "args": {}}}"#;
    let two = format!(r#"{{"content": {{"parts": [{call}, {{"text": "and"}}, {call}]}}}}"#);
    assert_eq!(form(WEATHER).pasted(&two), Err(PasteError::ManyCalls { count: 2 }));
    let list = format!("[{call}, {call}, {call}]");
    assert_eq!(form(WEATHER).pasted(&list), Err(PasteError::ManyCalls { count: 3 }));
    for text in [
        r#"{"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]}"#,
        r#"{"output": {"name": "weather"}, "message": {"input": {"city": "Oslo"}}}"#,
    ] {
        assert_eq!(form(WEATHER).pasted(text).expect("taken").value.as_str(), text);
    }
    // Nothing is unwrapped from a parameter of the tool itself.
    let posts = form(r#"{"type": "object", "properties": {"content": {}}}"#);
    let text = format!(r#"{{"content": [{call}]}}"#);
    assert_eq!(posts.pasted(&text).expect("taken").value.as_str(), text);
}

#[test]
fn a_tool_that_takes_arguments_by_that_name_gets_them() {
    let schema = r#"{"type": "object", "properties": {"name": {"type": "string"},
        "args": {"type": "object"}}}"#;
    let text = r#"{"name": "make", "args": {"jobs": 2}}"#;
    assert_eq!(form(schema).pasted(text).expect("taken").value.as_str(), text);
}

#[test]
fn unusable_text_is_an_error() {
    let form = form(WEATHER);
    assert_eq!(form.pasted("  "), Err(PasteError::Nothing));
    let actual = form.pasted("{city: Oslo}").expect_err("not JSON").to_string();
    assert!(actual.starts_with("not JSON: ") && actual.contains("line 1"), "{actual}");
    assert_eq!(form.pasted("12"), Err(PasteError::NotAnObject { found: "number" }));
    assert_eq!(form.pasted("[{}, {}]"), Err(PasteError::ManyCalls { count: 2 }));
    let pasted = form.pasted(r#"{"city": "Oslo", "unit": "celsius"}"#).expect("taken");
    assert_eq!(pasted.unknown, ["unit"]);
    assert_eq!(
        form.fill(&pasted.value).read(&form).text(),
        r#"{"city":"Oslo","unit":"celsius"}"#,
        "and nothing is lost"
    );
}

#[test]
fn several_items_are_pasted_together() {
    for (items, text, sent) in [
        ("string", "Ada\n\n  Grace \n12", r#"["Ada","Grace","12"]"#),
        ("string", r#"["Ada", "Grace"]"#, r#"["Ada","Grace"]"#),
        ("string", "\"Ada\",\n\"Grace\"", r#"["Ada","Grace"]"#),
        ("integer", "1\n9007199254740993", "[1,9007199254740993]"),
        ("integer", "1\ntwo", r#"[1,"two"]"#),
    ] {
        let form =
            form(&format!(r#"{{"type": "array", "minItems": 2, "items": {{"type": "{items}"}}}}"#));
        let FieldKind::List(list) = &form.root().field().kind else { panic!("a list") };
        let mut draft = Draft::blank(&form);
        draft
            .edit(&form, &Path::root(), Edit::AddMany(list.pasted(text)))
            .expect("a list takes items");
        assert_eq!(draft.read(&form).text(), sent, "{text}");
    }
}

#[test]
fn a_pair_accepts_no_third_item() {
    let form = form(r#"{"type": "array", "prefixItems": [{}, {}], "items": false}"#);
    let FieldKind::List(list) = &form.root().field().kind else { panic!("a list") };
    let mut draft = Draft::blank(&form);
    let before = draft.clone();
    let many = Edit::AddMany(list.pasted("1\n2\n3"));
    assert!(draft.edit(&form, &Path::root(), many).is_err());
    assert_eq!(draft, before, "all or none");
}
