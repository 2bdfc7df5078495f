use expect_test::expect;
use json_text::JsonText;
use live::{Content, FunctionCall, OtherPart, Part, Role};

use super::*;
use crate::{FreeText, ModelResponse, ResponseHead};

#[test]
fn names_are_read_in_either_spelling() {
    let camel = r#"{"contents": [{"role": "user", "parts": [
            {"text": "Hi"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
            {"fileData": {"fileUri": "gs://x"}}]},
        {"role": "model", "parts": [{"text": "hm", "thought": true},
            {"functionCall": {"name": "f", "args": {"n": 1.10}}, "thoughtSignature": "eA=="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"ok": true}}}]}],
        "systemInstruction": {"parts": [{"text": "Be short."}]},
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]},
                  {"googleSearch": {}}],
        "generationConfig": {"temperature": 0.50, "candidateCount": 2, "responseJsonSchema": {"type": "object"}}}"#;
    let snake = camel
        .replace("inlineData", "inline_data")
        .replace("mimeType", "mime_type")
        .replace("functionCall", "function_call")
        .replace("functionResponse", "function_response")
        .replace("systemInstruction", "system_instruction")
        .replace("functionDeclarations", "function_declarations")
        .replace("generationConfig", "generation_config")
        .replace("responseJsonSchema", "response_json_schema");
    let asked = read(camel, "gemini").expect("valid");
    assert_eq!(asked, read(&snake, "gemini").expect("valid"));
    assert_eq!(asked.candidates, 2);
    let request = asked.request;
    assert_eq!(request.model.as_deref(), Some("gemini"));
    assert_eq!(request.system_instruction.as_deref(), Some("Be short."));
    expect![[r#"{"generationConfig":{"temperature":0.50,"candidateCount":2},"tools":[{"googleSearch":{}}]}"#]]
        .assert_eq(request.generation_config.expect("kept").as_str());
    assert_eq!(request.output_schema.expect("taken out").as_str(), r#"{"type": "object"}"#);
    let roles: Vec<Role> = request.contents.iter().map(|content| content.role).collect();
    assert_eq!(roles, [Role::User, Role::Model, Role::Function]);
    assert!(matches!(&request.contents[0].parts[2], Part::Other(file) if file.kind == "fileData"));
    assert_eq!(request.contents[1].parts[0], Part::Thought("hm".to_owned()));
}

#[test]
fn extra_tool_output_follows_the_result() {
    let with = |picture: &str| {
        let body = format!(
            r#"{{"contents": [{{"role": "user", "parts": [{{"functionResponse": {{"name": "f",
                "response": {{"ok": true}}, "willContinue": true,
                "parts": [{{"inlineData": {{"mimeType": "image/png", "data": "{picture}"}}}},
                          {{"fileData": {{"fileUri": "gs://x"}}}}]}}}}]}}]}}"#
        );
        read(&body, "m").expect("valid").request.contents
    };
    let [content] = &with("aGk=")[..] else { panic!("one") };
    assert_eq!(content.role, Role::Function);
    let [
        Part::FunctionResponse(_),
        Part::InlineData(picture),
        Part::Other(file),
        Part::Other(left),
    ] = &content.parts[..]
    else {
        panic!("{:?}", content.parts)
    };
    assert_eq!((picture.data.as_slice(), file.kind.as_str()), (&b"hi"[..], "fileData"));
    assert_eq!(
        (left.kind.as_str(), left.json.as_str()),
        ("functionResponse", r#"{"willContinue":true}"#)
    );
    assert_ne!(with("aGk="), with("aG8="), "a new picture is another request");
}

#[test]
fn members_without_a_field_are_kept() {
    let body = r#"{"contents": [{"parts": [{"inlineData": {"mimeType": "video/mp4", "data": "aGk="},
            "videoMetadata": {"startOffset": "40s"}, "mediaResolution": null}]}],
        "tools": [{"functionDeclarations": [{"name": "f", "behavior": "NON_BLOCKING"}]}]}"#;
    let request = read(body, "m").expect("valid").request;
    let [Part::InlineData(_), Part::Other(left)] = &request.contents[0].parts[..] else {
        panic!("{:?}", request.contents)
    };
    assert_eq!(
        (left.kind.as_str(), left.json.as_str()),
        ("videoMetadata", r#"{"startOffset": "40s"}"#)
    );
    expect![[r#"{"tools":[{"name":"f","behavior":"NON_BLOCKING"}]}"#]]
        .assert_eq(request.generation_config.expect("kept").as_str());
}

#[test]
fn invalid_requests_name_the_rule() {
    let refused = |body: &str| read(body, "m").expect_err(body).to_string();
    let cases = [
        refused("{}"),
        refused(r#"{"contents": []}"#),
        refused(r#"{"contents": [{"role": "robot"}]}"#),
        refused(r#"{"contents": [{"parts": [{}]}]}"#),
        refused(r#"{"contents": [{"parts": [{"functionCall": {}}]}]}"#),
        refused(
            r#"{"contents": [{"parts": []}], "tools": [{"functionDeclarations": [{"name": ""}]}]}"#,
        ),
    ];
    expect![[r#"
        contents: must be given
        contents: must have at least one content
        contents[0].role: must be user, model or function
        contents[0].parts[0]: must have text, functionCall, inlineData or the like
        contents[0].parts[0].functionCall.name: must be given
        tools[0].functionDeclarations[0].name: must not be empty
    "#]]
    .assert_eq(&format!("{}\n", cases.join("\n")));
}

#[test]
fn an_answer_keeps_its_parts() {
    let json = |text: &str| JsonText::parse(text).expect("JSON");
    let parts = vec![
        Part::Thought("hm".to_owned()),
        Part::FunctionCall(FunctionCall {
            id: None,
            name: "f".to_owned(),
            args: Some(json(r#"{"n": 9007199254740993}"#)),
        }),
        Part::Other(OtherPart {
            kind: "executable_code".to_owned(),
            json: json(r#"{"code": "1"}"#),
        }),
    ];
    let candidates = [Content { role: Role::Model, parts }];
    let head = ResponseHead {
        turn: "0".repeat(32),
        model: "gemini".to_owned(),
        created: 7,
        echo: None,
        free_text: FreeText::default(),
        include_usage: false,
    };
    expect![[r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"id":"call_00000000000000000000000000000000_1","name":"f","args":{"n": 9007199254740993}}},{"executableCode":{"code": "1"}}]},"finishReason":"STOP","index":0}],"usageMetadata":{},"modelVersion":"gemini","responseId":"00000000000000000000000000000000"}"#]]
        .assert_eq(whole(&ModelResponse { head: &head, candidates: &candidates }).as_str());
}
