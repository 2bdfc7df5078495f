//! Invalid requests are rejected with the field and the rule, and change nothing.

use rpc::wire;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Endpoint;
use tonic::{Code, Request, Status};

use crate::live::stage::{Stage, Watcher, decision, id, refused, request, submit};

#[tokio::test]
async fn every_rejection_names_its_field_and_stores_nothing() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let mut refusals = Vec::new();

    let good = request(&session, &id(), "a");
    let mut bad = good.clone();
    bad.turn_id = "turn-1".to_owned();
    refusals.push(refused(client.submit_request(bad).await));
    let mut bad = good.clone();
    bad.agent_name = "x".repeat(101);
    refusals.push(refused(client.submit_request(bad).await));
    let mut bad = good.clone();
    bad.request = None;
    refusals.push(refused(client.submit_request(bad).await));
    let mut bad = good.clone();
    bad.request.as_mut().unwrap().output_schema = Some("{".to_owned());
    refusals.push(refused(client.submit_request(bad).await));
    let mut bad = good.clone();
    bad.session_id = id();
    refusals.push(refused(client.submit_request(bad).await));

    let mut bad = decision(&session, &good.turn_id, "a");
    bad.by = None;
    refusals.push(refused(client.submit_decision(bad).await));
    let mut bad = decision(&session, &good.turn_id, "a");
    bad.response.as_mut().unwrap().candidates.clear();
    refusals.push(refused(client.submit_decision(bad).await));
    refusals.push(refused(client.submit_decision(decision(&session, &good.turn_id, "a")).await));

    let asked = wire::SubscribeRequest { session_id: session.clone(), after_sequence: 1 };
    refusals.push(refused(client.subscribe(asked).await));
    let asked = wire::ListSessionsRequest { cursor: "x".to_owned(), ..Default::default() };
    refusals.push(refused(client.list_sessions(asked).await));
    let asked = wire::ListSessionsRequest { page_size: 501, ..Default::default() };
    refusals.push(refused(client.list_sessions(asked).await));

    let expected = [
        (Code::InvalidArgument, "turn_id: must be a hyphenated UUID of version 4"),
        (Code::InvalidArgument, "agent_name: must have 1 to 100 characters, not 101"),
        (Code::InvalidArgument, "request: must be given"),
        (Code::InvalidArgument, "request.output_schema: must be valid JSON: the text ends here"),
        (Code::NotFound, "session_id: session "),
        (Code::InvalidArgument, "by: must name a person"),
        (Code::InvalidArgument, "response.candidates: must have at least one candidate"),
        (Code::NotFound, "turn_id: this session has no turn"),
        (Code::InvalidArgument, "after_sequence: must be at most the last event's, 0"),
        (Code::InvalidArgument, "cursor: must be a next_cursor of an earlier page"),
        (Code::InvalidArgument, "page_size: must be at most 500, not 501"),
    ];
    assert_eq!(refusals.len(), expected.len());
    for ((code, message), (expected_code, start)) in refusals.iter().zip(expected) {
        assert_eq!(*code, expected_code, "{message}");
        assert!(message.starts_with(start), "{message} does not start with {start}");
    }

    submit(&mut client, &session, "the first").await;
    let mut watcher = Watcher::open(&mut client, &session, 0).await;
    watcher.until(|watcher| watcher.history.is_some()).await;
    assert_eq!(watcher.sequences(), [1], "nothing that was refused was kept");
}

#[tokio::test]
async fn repeated_session_id_opens_one_session() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let asked = |description: &str, id: &str| wire::CreateSessionRequest {
        description: Some(description.to_owned()),
        session_id: Some(id.to_owned()),
    };
    let own = id();
    let first = client.create_session(asked("one", &own)).await.unwrap().into_inner();
    let again = client.create_session(asked("one", &own)).await.unwrap().into_inner();
    assert_eq!(first, again);
    assert_eq!(refused(client.create_session(asked("two", &own)).await).0, Code::AlreadyExists);
    let long = client.create_session(asked(&"é".repeat(501), &id())).await.unwrap().into_inner();
    assert_eq!(long.session.unwrap().description, Some("é".repeat(500)), "longer ones are cut");
}

#[tokio::test]
async fn rejects_a_response_that_the_tool_choice_does_not_allow() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    let mut asked = request(&session, &id(), "a");
    asked.request.as_mut().unwrap().generation_config =
        Some(r#"{"tool_choice": "required"}"#.to_owned());
    let turn_id = asked.turn_id.clone();
    client.submit_request(asked).await.unwrap();
    let mut response = decision(&session, &turn_id, "No rain.");
    let (code, message) = refused(client.submit_decision(response.clone()).await);
    assert_eq!(code, Code::InvalidArgument);
    let expected = "response: The request requires a tool call. Choose a tool, and add its call.";
    assert_eq!(message, expected);
    let call = wire::FunctionCall { name: "forecast".to_owned(), ..Default::default() };
    let call = wire::Part { kind: Some(wire::part::Kind::FunctionCall(call)) };
    response.response.as_mut().unwrap().candidates[0].parts.push(call);
    client.submit_decision(response).await.unwrap();
}

#[tokio::test]
async fn rejects_what_the_page_cannot_show_before_it_is_decoded() {
    let stage = Stage::open().await;
    let mut client = stage.client().await;
    let session = stage.session().await;
    // Each item is invalid, and its error would be the first one.
    let items = vec![wire::Content::default(); 10_001];
    let mut large = request(&session, &id(), "a");
    large.request.as_mut().unwrap().contents = items.clone();
    let (code, message) = refused(client.submit_request(large).await);
    assert_eq!(code, Code::InvalidArgument);
    let expected = "request: has more than 10000 messages in its conversation, ";
    assert!(message.starts_with(expected), "{message}");

    let mut large = decision(&session, &id(), "a");
    large.response.as_mut().unwrap().candidates = items;
    let (code, message) = refused(client.submit_decision(large).await);
    assert_eq!(code, Code::InvalidArgument);
    assert!(message.starts_with("response: has more than 10000 candidates, "), "{message}");
}

/// `Vec<u8>` is a message whose field 1 holds bytes, `u32` one whose field 1 holds a number.
#[tokio::test]
async fn rejects_bytes_that_are_not_a_message() {
    async fn sent(stage: &Stage, message: impl prost::Message + 'static) -> Status {
        let endpoint = Endpoint::from_shared(format!("http://{}", stage.address())).unwrap();
        let mut grpc = Grpc::new(endpoint.connect().await.unwrap());
        grpc.ready().await.unwrap();
        let path = PathAndQuery::from_static("/rehearsal.v1.LiveService/CreateSession");
        let codec = rpc::MessageCodec::<_, wire::CreateSessionResponse>::default();
        grpc.unary(Request::new(message), path, codec).await.unwrap_err()
    }
    let stage = Stage::open().await;
    let no_text = sent(&stage, vec![0xff_u8, 0xfe]).await;
    assert_eq!(no_text.code(), Code::InvalidArgument);
    assert!(no_text.message().starts_with("CreateSessionRequest: "), "{no_text}");
    assert!(no_text.message().contains("CreateSessionRequest.description"), "{no_text}");
    let number = sent(&stage, 7_u32).await;
    assert_eq!(number.code(), Code::InvalidArgument);
    assert!(number.message().contains("CreateSessionRequest.description"), "{number}");
    let asked = wire::ListSessionsRequest::default();
    let listed = stage.client().await.list_sessions(asked).await.unwrap().into_inner();
    assert_eq!(listed.sessions, []);
}
