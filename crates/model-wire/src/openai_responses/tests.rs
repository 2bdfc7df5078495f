use expect_test::expect;
use json_text::JsonText;
use live::{Content, FunctionCall, Part, Role};

use super::*;
use crate::{ApiFault, Event, FaultKind, FreeText, ModelResponse, ResponseHead};

const TURN: &str = "00000000000000000000000000000000";

fn head() -> ResponseHead {
    ResponseHead {
        turn: TURN.to_owned(),
        model: "gpt".to_owned(),
        created: 7,
        echo: None,
        free_text: FreeText::default(),
        include_usage: false,
    }
}

fn answer() -> Content {
    let call = FunctionCall {
        id: None,
        name: "f".to_owned(),
        args: Some(JsonText::parse(r#"{"n": 9007199254740993}"#).expect("JSON")),
    };
    let parts = vec![
        Part::Thought("hm".to_owned()),
        Part::Text("Let me.".to_owned()),
        Part::FunctionCall(call),
    ];
    Content { role: Role::Model, parts }
}

#[test]
fn items_of_the_model_are_one_content() {
    let asked = read(
        r#"{"model": "gpt", "instructions": "One.", "store": false, "temperature": 1.10,
            "text": {"verbosity": "low", "format": {"type": "json_schema", "name": "W", "schema": {"type": "object"}}},
            "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "web_search"}],
            "input": [
                {"role": "developer", "content": "Two."},
                {"role": "user", "content": [{"type": "input_text", "text": "Hi"},
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk="}]},
                {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me."}]},
                {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
                {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c2", "output": "done"},
                {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "x"}]}]}"#,
        Vec::new(),
    )
    .expect("valid");
    let request = asked.request;
    assert_eq!(request.system_instruction.as_deref(), Some("One."));
    let shape: Vec<(Role, usize)> =
        request.contents.iter().map(|content| (content.role, content.parts.len())).collect();
    assert_eq!(shape, [(Role::User, 1), (Role::User, 2), (Role::Model, 4), (Role::Function, 2)]);
    expect![[r#"{"store":false,"temperature":1.10,"text":{"verbosity":"low","format":{"type":"json_schema","name":"W"}},"tools":[{"type": "web_search"}]}"#]]
        .assert_eq(request.generation_config.expect("kept").as_str());
    let echo = asked.echo.expect("repeated");
    assert!(echo.as_str().contains(r#""temperature":1.10"#), "{echo}");
}

#[test]
fn request_continues_from_the_previous_response() {
    let body = format!(
        r#"{{"model": "gpt", "previous_response_id": "resp_{TURN}",
            "input": [{{"type": "function_call_output", "call_id": "call_{TURN}_2", "output": "x"}}]}}"#
    );
    assert_eq!(previous_turn(&body).expect("valid").as_deref(), Some(TURN));
    let asked = vec![Content { role: Role::User, parts: vec![Part::Text("Rain?".to_owned())] }];
    let read = read(&body, history(TURN, asked, answer())).expect("the call is known");
    let Part::FunctionResponse(result) = &read.request.contents[2].parts[0] else {
        panic!("a result")
    };
    assert_eq!(result.name, "f");
}

#[test]
fn developer_messages_are_kept_with_new_instructions() {
    let first = read(
        r#"{"model": "gpt", "instructions": "One.", "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "Two."},
                {"type": "input_image", "image_url": "data:image/png;base64,aGk="}]},
            {"role": "user", "content": "Hi"}]}"#,
        Vec::new(),
    );
    let asked = first.expect("valid").request.contents;
    let body =
        format!(r#"{{"model": "gpt", "previous_response_id": "resp_{TURN}", "input": "On."}}"#);
    let second = read(&body, history(TURN, asked, answer())).expect("valid").request;
    assert_eq!(second.system_instruction, None, "instructions are of their request alone");
    let [Part::Other(instruction), Part::InlineData(shown)] = &second.contents[0].parts[..] else {
        panic!("its text and its picture: {:?}", second.contents[0])
    };
    assert_eq!((instruction.kind.as_str(), instruction.json.as_str()), ("developer", r#""Two.""#));
    assert_eq!(shown.data, b"hi");
}

#[test]
fn members_without_a_field_are_kept() {
    let parts = |picture: &str, call: &str| {
        let body = format!(
            r#"{{"input": [{{"role": "user", "content": [{{"type": "input_image",
                "image_url": "data:image/png;base64,aGk=" {picture}}}]}},
                {{"type": "function_call", "id": "fc", "status": "completed", "call_id": "c",
                "name": "f", "arguments": "{{}}" {call}}}]}}"#
        );
        let contents = read(&body, Vec::new()).expect("valid").request.contents;
        let parts = contents.into_iter().flat_map(|content| content.parts);
        parts.map(|part| format!("{part:?}")).collect::<Vec<_>>()
    };
    let plain = parts("", "");
    assert_eq!(plain.len(), 2);
    assert_eq!(parts(r#", "detail": "auto", "file_id": null"#, ""), plain);
    let rich = parts(r#", "detail": "high""#, r#", "namespace": "files""#);
    assert!(rich[1].contains(r#"{"detail":"high"}"#), "{rich:?}");
    assert!(rich[3].contains(r#"{"namespace":"files"}"#), "{rich:?}");
}

#[test]
fn invalid_requests_name_the_rule() {
    let refused = |body: &str| read(body, Vec::new()).expect_err(body).to_string();
    let cases = [
        refused("{}"),
        refused(r#"{"input": "x", "background": true}"#),
        refused(r#"{"input": "x", "conversation": "conv_1"}"#),
        refused(r#"{"input": [{"type": "", "text": "x"}]}"#),
        refused(r#"{"input": [{"type": "item_reference", "id": "x"}]}"#),
        refused(r#"{"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]}"#),
        previous_turn(r#"{"previous_response_id": "resp_1"}"#).expect_err("short").to_string(),
    ];
    expect![[r#"
        input: must be given
        background: must be false: the request waits for a person
        conversation: is not supported: send the items as `input`
        input[0].type: must not be empty
        input[0]: is not supported: send the item itself, or previous_response_id
        input[0].call_id: must be the id of a call in an earlier message
        previous_response_id: must be the id of a response of this host, resp_ and 32 digits
    "#]]
    .assert_eq(&format!("{}\n", cases.join("\n")));
}

#[test]
fn events_are_numbered_through_and_end_with_the_whole() {
    let (head, candidates) = (head(), [answer()]);
    let answer = ModelResponse { head: &head, candidates: &candidates };
    let events: Vec<_> = opening(&head).into_iter().chain(rest(&answer)).collect();
    let names: Vec<_> = events.iter().filter_map(|event| event.name()).collect();
    for (number, event) in events.iter().enumerate() {
        assert!(event.data().contains(&format!("\"sequence_number\":{number},")), "{event}");
    }
    expect![[r#"
        response.created
        response.in_progress
        response.output_item.added
        response.reasoning_summary_part.added
        response.reasoning_summary_text.delta
        response.reasoning_summary_text.done
        response.reasoning_summary_part.done
        response.output_item.done
        response.output_item.added
        response.content_part.added
        response.output_text.delta
        response.output_text.done
        response.content_part.done
        response.output_item.done
        response.output_item.added
        response.function_call_arguments.delta
        response.function_call_arguments.done
        response.output_item.done
        response.completed
    "#]]
    .assert_eq(&format!("{}\n", names.join("\n")));
    let whole = whole(&answer);
    assert!(events.last().expect("ends").data().contains(whole.compact().as_str()));
    assert!(whole.as_str().contains(r#""arguments":"{\"n\": 9007199254740993}""#), "{whole}");
}

#[test]
fn stream_without_an_answer_reports_an_error() {
    let cancelled = ApiFault::new(FaultKind::Cancelled, "the turn was cancelled by Ann");
    let actual = failed(&head(), &cancelled);
    assert_eq!(
        actual.iter().filter_map(Event::name).collect::<Vec<_>>(),
        ["error", "response.failed"]
    );
    expect![[r#"{"type":"error","sequence_number":2,"code":"turn_cancelled","message":"the turn was cancelled by Ann","param":null,"error":{"message":"the turn was cancelled by Ann","type":"invalid_request_error","param":null,"code":"turn_cancelled"}}"#]]
        .assert_eq(actual[0].data());
    let end = actual[1].data();
    assert!(
        end.contains(r#""status":"failed","error":{"code":"invalid_prompt","message":"the turn"#),
        "{end}"
    );
    assert!(end.contains(r#""sequence_number":3,"#), "{end}");
    let passing = failed(&head(), &ApiFault::new(FaultKind::Unavailable, "the host is stopping"));
    assert!(passing[1].data().contains(r#""code":"server_error""#), "{}", passing[1]);
}

/// The custom tools of one request, and a call of the first in the conversation.
const CUSTOM: &str = r#"{"model": "gpt",
    "tools": [{"type": "custom", "name": "shell", "description": "Runs a line."},
        {"type": "custom", "name": "sum", "format": {"type": "grammar", "syntax": "regex", "definition": "[0-9+]+"}}],
    "input": [{"role": "user", "content": "Go."},
        {"type": "custom_tool_call", "call_id": "c1", "name": "shell", "input": "ls \"a b\""},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "none"}]}"#;

#[test]
fn a_custom_tool_is_shown_as_a_function_of_one_text() {
    let asked = read(CUSTOM, Vec::new()).expect("valid");
    let [shell, sum] = &asked.request.tools[0].function_declarations[..] else { panic!("two") };
    assert_eq!((shell.name.as_str(), shell.description.as_str()), ("shell", "Runs a line."));
    expect![[r#"{"type":"object","properties":{"input":{"type":"string","format":"multiline","description":"Free text that matches this grammar (regex):\n\n[0-9+]+"}},"required":["input"],"additionalProperties":false}"#]]
        .assert_eq(sum.parameters.as_ref().expect("one text").as_str());
    assert!(asked.request.generation_config.is_none(), "nothing is left over");
    let Part::FunctionCall(call) = &asked.request.contents[1].parts[0] else { panic!("a call") };
    assert_eq!(call.args.as_ref().expect("given").as_str(), r#"{"input":"ls \"a b\""}"#);
    let Part::FunctionResponse(result) = &asked.request.contents[2].parts[0] else {
        panic!("a result")
    };
    assert_eq!(result.name, "shell");
}

#[test]
fn a_call_of_a_custom_tool_goes_out_as_its_text() {
    let free_text = read(CUSTOM, Vec::new()).expect("valid").free_text;
    let head = ResponseHead { free_text, ..head() };
    let call = |args: &str| {
        let args = Some(JsonText::parse(args).expect("JSON"));
        Part::FunctionCall(FunctionCall { id: None, name: "shell".to_owned(), args })
    };
    let parts = vec![call(r#"{"input": "ls\n-l"}"#), call(r#"{"line": "ls"}"#)];
    let candidates = [Content { role: Role::Model, parts }];
    let answer = ModelResponse { head: &head, candidates: &candidates };
    let whole = whole(&answer);
    assert!(
        whole.as_str().contains(r#""type":"custom_tool_call","status":"completed""#),
        "{whole}"
    );
    assert!(whole.as_str().contains(r#""name":"shell","input":"ls\n-l""#), "{whole}");
    assert!(whole.as_str().contains(r#""input":"{\"line\": \"ls\"}""#), "nothing is lost: {whole}");
    let actual = rest(&answer);
    let names: Vec<_> = actual.iter().filter_map(|event| event.name()).take(4).collect();
    expect![[r#"
        response.output_item.added
        response.custom_tool_call_input.delta
        response.custom_tool_call_input.done
        response.output_item.done
    "#]]
    .assert_eq(&format!("{}\n", names.join("\n")));
}
