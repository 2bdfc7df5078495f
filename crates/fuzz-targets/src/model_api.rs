//! Checks for every model API: an error names its field and its rule, a parsed request is unchanged after
//! it was sent through the wire format of live sessions, and calls of all of its tools can be written in
//! the vendor's format.

use json_text::JsonText;
use live::{Content, FunctionCall, LlmRequest, Part, Payload, Role};
use model_wire::{ApiFault, ModelResponse, ParsedRequest, ResponseHead};
use rpc::wire::session_event::Payload as WirePayload;

/// Checks a parsed request, and `whole`, which writes the vendor's response.
pub(crate) fn holds(
    read: Result<ParsedRequest, ApiFault>,
    whole: impl Fn(&ModelResponse<'_>) -> JsonText,
) {
    match read {
        Ok(asked) => {
            answered(&asked, whole);
            stays(&asked.request);
        }
        Err(refusal) => named(refusal),
    }
}

/// Checks that an error names its field and its rule, or else what the request has too much of.
pub(crate) fn named(refusal: impl Into<ApiFault>) {
    let ApiFault { message, field, .. } = refusal.into();
    let field = field.unwrap_or_else(|| "request".to_owned());
    let rule = message.strip_prefix(&field).and_then(|rest| rest.strip_prefix(": "));
    assert!(!field.is_empty() && rule.is_some_and(|rule| !rule.is_empty()), "{message}");
}

fn answered(asked: &ParsedRequest, whole: impl Fn(&ModelResponse<'_>) -> JsonText) {
    let declared = asked.request.tools.iter().flat_map(|tool| &tool.function_declarations);
    let calls = declared.map(|function| {
        let (name, args) = (function.name.clone(), Some(JsonText::string("x")));
        Part::FunctionCall(FunctionCall { id: None, name, args })
    });
    let parts = calls.chain([Part::Text("x".to_owned())]).collect();
    let head = ResponseHead {
        turn: "0".repeat(32),
        model: "m".to_owned(),
        created: 0,
        echo: asked.echo.clone(),
        free_text: asked.free_text.clone(),
        include_usage: false,
    };
    let candidates = [Content { role: Role::Model, parts }];
    let answer = whole(&ModelResponse { head: &head, candidates: &candidates });
    JsonText::parse(answer.as_str()).expect("an answer is JSON");
}

fn stays(request: &LlmRequest) {
    let WirePayload::Request(message) = rpc::payload_to_wire(Payload::Request(request.clone()))
    else {
        panic!("a request")
    };
    assert_eq!(rpc::llm_request(message).expect("what was read fits the wire"), *request);
}
