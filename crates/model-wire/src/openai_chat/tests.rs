use expect_test::expect;
use json_text::JsonText;
use live::{Content, FunctionCall, Part, Role};

use super::*;
use crate::{ApiFault, FaultKind, FreeText, ModelResponse, ResponseHead};

fn refused(body: &str) -> String {
    read(body).expect_err(body).to_string()
}

#[test]
fn body_matches_its_parts() {
    let asked = read(
        r#"{"model": "gpt", "temperature": 1.10, "seed": 9007199254740993, "n": 2, "stream": true,
            "stream_options": {"include_usage": true},
            "response_format": {"type": "json_schema",
                "json_schema": {"name": "W", "strict": true, "schema": {"type": "object"}}},
            "tools": [
                {"type": "function", "function": {"name": "f", "parameters": {"a": 1.0}}},
                {"type": "hosted", "hosted": {"name": "c"}}],
            "messages": [
                {"role": "system", "content": "One."},
                {"role": "developer", "content": [{"type": "text", "text": "Two."}]},
                {"role": "user", "name": "bob", "content": [
                    {"type": "text", "text": "Hi"},
                    {"type": "image_url", "image_url": {"url": "https://example.com/x.png"}},
                    {"type": "file", "file": {"filename": "a.txt",
                        "file_data": "data:text/plain;base64,aGk="}}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function",
                        "function": {"name": "f", "arguments": "{\"n\": 9007199254740993}"}},
                    {"id": "c2", "type": "function", "function": {"name": "g", "arguments": ""}}]},
                {"role": "tool", "tool_call_id": "c2", "content": "done"},
                {"role": "system", "content": "Later."}]}"#,
    )
    .expect("valid");
    assert!(asked.stream);
    assert_eq!(asked.candidates, 2);
    let request = asked.request;
    assert_eq!(request.system_instruction.as_deref(), Some("One.\n\nTwo."));
    let config = request.generation_config.expect("kept");
    expect![[r#"{"temperature":1.10,"seed":9007199254740993,"n":2,"response_format":{"type":"json_schema","json_schema":{"name":"W","strict":true}},"tools":[{"type": "hosted", "hosted": {"name": "c"}}]}"#]]
        .assert_eq(config.as_str());
    assert_eq!(request.output_schema.expect("taken out").as_str(), r#"{"type": "object"}"#);
    let declared = &request.tools[0].function_declarations;
    assert_eq!(declared[0].parameters.as_ref().map(JsonText::as_str), Some(r#"{"a": 1.0}"#));
    let roles: Vec<Role> = request.contents.iter().map(|content| content.role).collect();
    assert_eq!(roles, [Role::User, Role::Model, Role::Function, Role::User]);
    let user = &request.contents[0].parts;
    assert!(matches!(&user[0], Part::Other(name) if name.json.as_str() == "\"bob\""));
    assert!(matches!(&user[2], Part::Other(image) if image.kind == "image_url"));
    assert!(matches!(&user[3], Part::InlineData(file) if file.data == b"hi"));
    let [Part::FunctionCall(first), Part::FunctionCall(second)] = &request.contents[1].parts[..]
    else {
        panic!("two calls")
    };
    assert_eq!(first.args.as_ref().map(JsonText::as_str), Some(r#"{"n": 9007199254740993}"#));
    assert_eq!(second.args, None, "an empty text means no arguments");
    let Part::FunctionResponse(result) = &request.contents[2].parts[0] else { panic!("a result") };
    assert_eq!((result.name.as_str(), result.id.as_deref()), ("g", Some("c2")));
}

#[test]
fn invalid_requests_name_the_rule() {
    let body = |messages: &str| format!(r#"{{"model": "m", "messages": {messages}}}"#);
    let cases = [
        refused("[]"),
        refused("{"),
        refused(r#"{"messages": []}"#),
        refused(&body("[]")),
        refused(&body(r#"[{"role": "user"}]"#)),
        refused(&body(r#"[{"role": "user", "content": 1}]"#)),
        refused(&body(r#"[{"role": "user", "content": [{"type": "text"}]}]"#)),
        refused(&body(
            r#"[{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {}}}]}]"#,
        )),
        refused(&body(r#"[{"role": "tool", "tool_call_id": "c9", "content": "x"}]"#)),
        refused(
            r#"{"model": "m", "messages": [{"role": "user", "content": "x"}], "functions": []}"#,
        ),
    ];
    expect![[r#"
        body: must be an object, not a list
        body: must be JSON: the text ends here, but } is missing at line 1, column 2
        model: must be given
        messages: must have at least one message
        messages[0].content: must be given
        messages[0].content: must be a list, not a number
        messages[0].content[0].text: must be given
        messages[0].tool_calls[0].function.arguments: must be a string, not an object
        messages[0].tool_call_id: must be the id of a call in an earlier message
        functions: is not supported: use `tools`
    "#]]
    .assert_eq(&format!("{}\n", cases.join("\n")));
}

/// The vendor accepts what a model wrote wrongly earlier.
#[test]
fn malformed_arguments_of_the_history_are_text() {
    for (written, shown) in [
        (r#"{\"a\": 1"#, r#""{\"a\": 1""#),
        ("not JSON", r#""not JSON""#),
        ("{} {}", r#""{} {}""#),
        ("[1]", "[1]"),
    ] {
        let body = format!(
            r#"{{"model": "m", "messages": [{{"role": "user", "content": "Hi"}},
                {{"role": "assistant", "tool_calls": [{{"id": "c", "type": "function",
                    "function": {{"name": "f", "arguments": "{written}"}}}}]}},
                {{"role": "tool", "tool_call_id": "c", "content": "invalid arguments"}}]}}"#
        );
        let asked = read(&body).expect("the request is accepted");
        let [Part::FunctionCall(call)] = &asked.request.contents[1].parts[..] else {
            panic!("a call: {:?}", asked.request.contents)
        };
        assert_eq!(call.args.as_ref().map(JsonText::as_str), Some(shown));
    }
}

#[test]
fn streamed_and_whole_answers_match() {
    let call = |id: Option<&str>, args: Option<&str>| {
        Part::FunctionCall(FunctionCall {
            id: id.map(str::to_owned),
            name: "f".to_owned(),
            args: args.map(|args| JsonText::parse(args).expect("JSON")),
        })
    };
    let parts = vec![
        Part::Thought("hm".to_owned()),
        Part::Text("Let ".to_owned()),
        Part::Text("me.".to_owned()),
        call(None, Some(r#"{"n": 9007199254740993}"#)),
        call(Some("mine"), None),
    ];
    let candidates = [Content { role: Role::Model, parts }];
    let head = ResponseHead {
        turn: "0".repeat(32),
        model: "gpt".to_owned(),
        created: 7,
        echo: None,
        free_text: FreeText::default(),
        include_usage: false,
    };
    let answer = ModelResponse { head: &head, candidates: &candidates };
    expect![[r#"{"id":"chatcmpl-00000000000000000000000000000000","object":"chat.completion","created":7,"model":"gpt","choices":[{"index":0,"message":{"role":"assistant","content":"Let me.","refusal":null,"reasoning_content":"hm","tool_calls":[{"id":"call_00000000000000000000000000000000_3","type":"function","function":{"name":"f","arguments":"{\"n\": 9007199254740993}"}},{"id":"mine","type":"function","function":{"name":"f","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}"#]]
        .assert_eq(whole(&answer).as_str());
    let pieces: Vec<String> = opening(&head)
        .into_iter()
        .chain(rest(&answer))
        .filter_map(|event| {
            let data = event.data();
            let start = data.find("\"delta\":")?;
            Some(data[start..].to_owned())
        })
        .collect();
    expect![[r#"
        "delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}
        "delta":{"reasoning_content":"hm"},"logprobs":null,"finish_reason":null}]}
        "delta":{"content":"Let me."},"logprobs":null,"finish_reason":null}]}
        "delta":{"tool_calls":[{"index":0,"id":"call_00000000000000000000000000000000_3","type":"function","function":{"name":"f","arguments":"{\"n\": 9007199254740993}"}}]},"logprobs":null,"finish_reason":null}]}
        "delta":{"tool_calls":[{"index":1,"id":"mine","type":"function","function":{"name":"f","arguments":"{}"}}]},"logprobs":null,"finish_reason":null}]}
        "delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}
    "#]]
    .assert_eq(&format!("{}\n", pieces.join("\n")));
    assert_eq!(rest(&answer).last().map(ToString::to_string).as_deref(), Some("data: [DONE]\n\n"));
}

#[test]
fn a_stream_has_its_usage_where_the_client_requests_it() {
    let read = |options: &str| {
        let messages = r#"[{"role": "user", "content": "Hi"}]"#;
        read(&format!(r#"{{"model": "m", "messages": {messages} {options}}}"#)).expect("valid")
    };
    assert!(!read("").include_usage);
    assert!(!read(r#", "stream_options": {"include_obfuscation": false}"#).include_usage);
    let head = ResponseHead {
        turn: "0".repeat(32),
        model: "m".to_owned(),
        created: 7,
        echo: None,
        free_text: FreeText::default(),
        include_usage: read(r#", "stream_options": {"include_usage": true}"#).include_usage,
    };
    let parts = vec![Part::Text("Hi.".to_owned())];
    let candidates = [Content { role: Role::Model, parts }];
    let answer = ModelResponse { head: &head, candidates: &candidates };
    let events: Vec<String> = opening(&head)
        .into_iter()
        .chain(rest(&answer))
        .map(|event| {
            let data = event.data().to_owned();
            data.split_once(r#""choices":"#).map_or(data.clone(), |(_, rest)| rest.to_owned())
        })
        .collect();
    expect![[r#"
        [{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}
        [{"index":0,"delta":{"content":"Hi."},"logprobs":null,"finish_reason":null}],"usage":null}
        [{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}
        [],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}
        [DONE]
    "#]]
    .assert_eq(&format!("{}\n", events.join("\n")));
}

#[test]
fn error_names_its_parameter() {
    let invalid = ApiFault::from(live::Invalid::new("messages[0].role", "must be user"));
    expect![[r#"{"error":{"message":"messages[0].role: must be user","type":"invalid_request_error","param":"messages[0].role","code":null}}"#]]
        .assert_eq(fault(&invalid).as_str());
    let unknown = fault(&ApiFault::new(FaultKind::Unauthenticated, "who?"));
    assert!(unknown.as_str().contains(r#""code":"invalid_api_key""#), "{unknown}");
}

#[test]
fn a_custom_tool_is_a_function_of_one_text_and_its_call_that_text() {
    let asked = read(
        r#"{"model": "m", "tools": [{"type": "custom", "custom": {"name": "shell",
            "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: WORD"}}}}],
            "messages": [{"role": "user", "content": "Go."},
                {"role": "assistant", "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "none"}]}"#,
    )
    .expect("valid");
    let shell = &asked.request.tools[0].function_declarations[0];
    let parameters = shell.parameters.as_ref().expect("one text");
    assert!(parameters.as_str().contains("(lark):\\n\\nstart: WORD"), "{parameters}");
    let Part::FunctionCall(call) = &asked.request.contents[1].parts[0] else { panic!("a call") };
    assert_eq!(call.args.as_ref().expect("given").as_str(), r#"{"input":"ls"}"#);
    let head = ResponseHead {
        turn: "0".repeat(32),
        model: "m".to_owned(),
        created: 7,
        echo: None,
        free_text: asked.free_text,
        include_usage: false,
    };
    let parts = vec![Part::FunctionCall(call.clone())];
    let candidates = [Content { role: Role::Model, parts }];
    let whole = whole(&ModelResponse { head: &head, candidates: &candidates });
    let expected = r#"{"id":"c1","type":"custom","custom":{"name":"shell","input":"ls"}}"#;
    assert!(whole.as_str().contains(expected), "{whole}");
}

#[test]
fn members_without_a_field_are_kept() {
    let parts = |image: &str, message: &str| {
        let body = format!(
            r#"{{"model": "gpt", "messages": [{{"role": "user", "content": [{{"type": "image_url",
                "image_url": {{"url": "data:image/png;base64,aGk=" {image}}}}}]}},
                {{"role": "assistant", "content": "So.", "refusal": null, "annotations": [] {message}}}]}}"#
        );
        let contents = read(&body).expect("valid").request.contents;
        let parts = contents.into_iter().flat_map(|content| content.parts);
        parts.map(|part| format!("{part:?}")).collect::<Vec<_>>()
    };
    let plain = parts("", "");
    assert_eq!(plain.len(), 2);
    assert_eq!(parts(r#", "detail": "auto""#, ""), plain, "the default adds nothing");
    let rich = parts(r#", "detail": "low""#, r#", "audio": {"id": "a1"}"#);
    assert!(rich[1].contains(r#"{"detail":"low"}"#), "{rich:?}");
    assert!(rich[3].contains(r#"{"audio":{"id": "a1"}}"#), "{rich:?}");
}

#[test]
fn the_result_of_a_call_of_an_unknown_sort_is_taken() {
    let asked = read(
        r#"{"model": "gpt", "messages": [{"role": "user", "content": "Go."},
            {"role": "assistant", "tool_calls": [
                {"type": "browser", "id": "c1", "browser": {"name": "open"}},
                {"type": "bare", "id": "c2"}]},
            {"role": "tool", "tool_call_id": "c1", "content": "x"},
            {"role": "tool", "tool_call_id": "c2", "content": "y"}]}"#,
    );
    let contents = asked.expect("valid").request.contents;
    let name = |content: &Content| match &content.parts[0] {
        Part::FunctionResponse(result) => result.name.clone(),
        part => panic!("{part:?}"),
    };
    assert_eq!([name(&contents[2]), name(&contents[3])], ["open", "bare"]);
}
