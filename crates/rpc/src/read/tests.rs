//! Every error names its field, and written values read back unchanged.

use json_text::JsonText;
use live::{
    AgentName, Content, DisplayName, EventId, FunctionCall, FunctionDeclaration, FunctionResponse,
    HumanResponse, InlineData, InvocationId, LiveSessionId, LlmRequest, Note, OtherPart, Part,
    Payload, Role, RunEnd, RunOutcome, Sequence, SessionEvent, Timestamp, Tool, ToolOutcome,
    TurnId,
};
use proptest::prelude::*;
use prost::Message;

use super::*;
use crate::wire::part::Kind;
use crate::{event_to_wire, wire};

fn model(parts: Vec<Kind>) -> wire::Content {
    let parts = parts.into_iter().map(|kind| wire::Part { kind: Some(kind) }).collect();
    wire::Content { role: wire::Role::Model.into(), parts }
}

fn call(name: &str, args: Option<&str>) -> Kind {
    Kind::FunctionCall(wire::FunctionCall {
        id: None,
        name: name.to_owned(),
        args: args.map(str::to_owned),
    })
}

fn refused_response(candidates: Vec<wire::Content>) -> String {
    human_response(wire::HumanResponse { candidates }).expect_err("refused").to_string()
}

fn refused_request(request: wire::SimulatedLlmRequest) -> String {
    llm_request(request).expect_err("refused").to_string()
}

#[test]
fn rejects_a_response_without_candidates_or_parts() {
    assert_eq!(refused_response(vec![]), "candidates: must have at least one candidate");
    assert_eq!(
        refused_response(vec![model(vec![Kind::Text("a".into())]), model(vec![])]),
        "candidates[1].parts: must have at least one part"
    );
    assert_eq!(
        refused_response(vec![wire::Content { role: 0, ..model(vec![Kind::Text("a".into())]) }]),
        "candidates[0].role: must be user, model or function"
    );
    assert_eq!(
        refused_response(vec![wire::Content { role: 1, parts: vec![wire::Part { kind: None }] }]),
        "candidates[0].parts[0].kind: must be text, function_call, function_response, thought, \
         inline_data or other"
    );
}

#[test]
fn rejects_text_that_is_not_json() {
    assert_eq!(
        refused_response(vec![model(vec![Kind::Text("a".into()), call("f", Some("{'a': 1}"))])]),
        "candidates[0].parts[1].function_call.args: must be valid JSON: expected a property name in \
         double quotes at line 1, column 2"
    );
    assert!(refused_response(vec![model(vec![call("f", Some(""))])]).contains(".args: "));
    assert_eq!(
        refused_response(vec![model(vec![call("", None)])]),
        "candidates[0].parts[0].function_call.name: must have at least one character"
    );
    let declaration = |parameters: &str| wire::SimulatedLlmRequest {
        tools: vec![wire::Tool {
            function_declarations: vec![wire::FunctionDeclaration {
                name: "f".to_owned(),
                parameters: Some(parameters.to_owned()),
                ..Default::default()
            }],
        }],
        ..Default::default()
    };
    assert_eq!(
        refused_request(declaration("[1]")),
        "tools[0].function_declarations[0].parameters: must be a JSON Schema, which is an \
         object or a boolean, not array"
    );
    assert!(llm_request(declaration("true")).is_ok());
    assert_eq!(
        refused_request(wire::SimulatedLlmRequest {
            generation_config: Some("1".to_owned()),
            ..Default::default()
        }),
        "generation_config: must be a JSON object, not number"
    );
}

#[test]
fn decision_accepts_only_objects_as_arguments() {
    let read = |args| {
        let candidates = vec![model(vec![Kind::Text("so".to_owned()), call("f", args)])];
        decision(wire::HumanResponse { candidates })
    };
    for args in [None, Some("null"), Some("{}"), Some(r#"{"n": 1}"#)] {
        read(args).expect("taken");
    }
    let refused = read(Some("[1]")).expect_err("refused").to_string();
    assert_eq!(
        refused,
        "candidates[0].parts[1].function_call.args: must be a JSON object, not array"
    );
}

#[test]
fn decision_accepts_only_model_content() {
    let refused =
        |candidates| decision(wire::HumanResponse { candidates }).expect_err("refused").to_string();
    let good = || model(vec![Kind::Text("a".to_owned())]);
    for role in [wire::Role::User, wire::Role::Function] {
        assert_eq!(
            refused(vec![good(), wire::Content { role: role.into(), ..good() }]),
            "candidates[1].role: must be model"
        );
    }
    let response = Kind::FunctionResponse(wire::FunctionResponse {
        name: "f".to_owned(),
        ..Default::default()
    });
    assert_eq!(
        refused(vec![model(vec![Kind::Text("a".to_owned()), response])]),
        "candidates[0].parts[1].function_response: is not allowed: a response calls \
         tools, and does not return their results"
    );
    let nothing = vec![Kind::Text(String::new()), Kind::Thought(String::new())];
    assert_eq!(
        refused(vec![model(nothing)]),
        "candidates[0].parts: must contain a text, a call or data"
    );
    let beside = vec![Kind::Text(String::new()), call("f", None)];
    decision(wire::HumanResponse { candidates: vec![model(beside)] }).expect("taken");
}

#[test]
fn accepts_empty_contents_and_missing_args() {
    assert!(llm_request(wire::SimulatedLlmRequest::default()).is_ok());
    let read =
        human_response(wire::HumanResponse { candidates: vec![model(vec![call("f", None)])] });
    let Part::FunctionCall(call) = &read.expect("valid").candidates[0].parts[0] else {
        panic!("a call")
    };
    assert_eq!(call.args, None, "not an empty object");
}

fn any_json() -> impl Strategy<Value = JsonText> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        Just("123456789012345678901234567890.10".to_owned()),
        Just("{\"a\": [1, 2.50, null],  \"b\":\"\\u00e9\"}".to_owned()),
        any::<String>().prop_map(|text| JsonText::string(&text).to_string()),
    ]
    .prop_map(|text| JsonText::parse(&text).expect("valid"))
}

fn any_schema() -> impl Strategy<Value = JsonText> {
    prop_oneof![Just("true"), Just(r#"{"type": "object"}"#)]
        .prop_map(|text| JsonText::parse(text).expect("valid"))
}

fn any_response() -> impl Strategy<Value = FunctionResponse> {
    (prop::option::of(any::<String>()), ".+", prop::option::of(any_json()))
        .prop_map(|(id, name, response)| FunctionResponse { id, name, response })
}

fn any_part() -> impl Strategy<Value = Part> {
    prop_oneof![
        any::<String>().prop_map(Part::Text),
        any::<String>().prop_map(Part::Thought),
        (prop::option::of(any::<String>()), ".+", prop::option::of(any_json()))
            .prop_map(|(id, name, args)| Part::FunctionCall(FunctionCall { id, name, args })),
        any_response().prop_map(Part::FunctionResponse),
        (".+", any::<Vec<u8>>(), prop::option::of(any::<String>())).prop_map(
            |(mime_type, data, display_name)| {
                Part::InlineData(InlineData { mime_type, data, display_name })
            }
        ),
        (".+", any_json()).prop_map(|(kind, json)| Part::Other(OtherPart { kind, json })),
    ]
}

fn any_content(least: usize) -> impl Strategy<Value = Content> {
    let role = prop_oneof![Just(Role::User), Just(Role::Model), Just(Role::Function)];
    (role, prop::collection::vec(any_part(), least..4))
        .prop_map(|(role, parts)| Content { role, parts })
}

fn any_tool() -> impl Strategy<Value = Tool> {
    let declaration =
        (".+", any::<String>(), prop::option::of(any_schema()), prop::option::of(any_schema()))
            .prop_map(|(name, description, parameters, response)| FunctionDeclaration {
                name,
                description,
                parameters,
                response,
            });
    prop::collection::vec(declaration, 0..3)
        .prop_map(|function_declarations| Tool { function_declarations })
}

fn any_payload() -> impl Strategy<Value = Payload> {
    let request = (
        prop::collection::vec(any_content(0), 0..4),
        prop::option::of(any::<String>()),
        prop::collection::vec(any_tool(), 0..3),
        prop::option::of(any_schema()),
        prop::option::of(any::<String>()),
        prop::option::of(any_content(0)),
    )
        .prop_map(
            |(contents, system_instruction, tools, output_schema, model, user_content)| {
                Payload::Request(LlmRequest {
                    contents,
                    system_instruction,
                    tools,
                    generation_config: Some(JsonText::parse("{\"seed\": 1.0}").expect("valid")),
                    output_schema,
                    model,
                    user_content,
                })
            },
        );
    let outcome = prop_oneof![
        Just(RunOutcome::Completed),
        Just(RunOutcome::Failed),
        Just(RunOutcome::Cancelled)
    ];
    prop_oneof![
        request,
        prop::collection::vec(any_content(1), 1..4)
            .prop_map(|candidates| Payload::Response(HumanResponse { candidates })),
        any::<String>().prop_map(|reason| Payload::Cancelled(Note::cut(&reason))),
        (any_response(), any::<bool>(), prop::option::of(0_i64..)).prop_map(
            |(response, failed, duration_ms)| {
                Payload::ToolResult(ToolOutcome { response, failed, duration_ms })
            }
        ),
        (outcome, any::<String>())
            .prop_map(|(outcome, message)| Payload::RunEnded(RunEnd { outcome, message })),
    ]
}

fn any_event() -> impl Strategy<Value = SessionEvent> {
    let ids = (any::<[u8; 16]>(), any::<[u8; 16]>(), any::<[u8; 16]>());
    let names = ("[a-zé ]{1,100}", "[ -~]{0,200}", prop::option::of("[a-zé]{1,100}"));
    (ids, 1_u64.., any::<i64>(), names, any_payload()).prop_map(
        |((event, session, turn), sequence, at, (agent, invocation, by), payload)| SessionEvent {
            event_id: EventId::from_random(event),
            session_id: LiveSessionId::from_random(session),
            sequence: Sequence(sequence),
            at: Timestamp(at),
            turn_id: TurnId::from_random(turn),
            agent_name: AgentName::parse(&agent).expect("valid"),
            invocation_id: InvocationId::parse(&invocation).expect("valid"),
            by: by.map(|by| DisplayName::parse(&by).expect("valid")),
            payload,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn messages_round_trip(event in any_event()) {
        let bytes = event_to_wire(event.clone()).encode_to_vec();
        prop_assert_eq!(stored_event(&bytes), Ok(event));
    }

    #[test]
    fn decoding_never_panics(bytes in any::<Vec<u8>>()) {
        let _ = stored_event(&bytes);
        if let Ok(request) = wire::SimulatedLlmRequest::decode(bytes.as_slice()) {
            let _ = llm_request(request);
        }
    }
}
