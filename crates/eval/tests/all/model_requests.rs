//! Requests of the engine to models: each service's format, and each way in which an endpoint fails.

use std::time::Duration;

use eval::model::{
    FailureKind, Model, ModelFailure, ModelMessage, ModelReply, ModelRequest, ModelSettings,
    ModelTool, Models, Variables,
};
use json_text::JsonText;

use crate::wire::{Endpoint, Reply, says};

/// A model of each service.
const MODELS: [&str; 4] =
    ["gemini-2.5-flash", "openai/gpt-5-mini", "anthropic/claude-sonnet-5", "ollama/qwen3:8b"];

fn request() -> ModelRequest {
    let to = |text: &str| ModelMessage::ToModel(text.to_owned());
    ModelRequest {
        instruction: "Be brief.".to_owned(),
        messages: vec![to("Hello"), ModelMessage::FromModel("Hi".to_owned()), to("Who are you?")],
        ..ModelRequest::default()
    }
}

/// What a model gives when the endpoint answers so, and how often it was asked.
async fn outcome(
    name: &str,
    settings: impl Fn(&mut ModelSettings),
    reply: impl Fn(&crate::wire::Request) -> Reply + Send + Sync + 'static,
) -> (Result<ModelReply, ModelFailure>, usize) {
    let endpoint = Endpoint::start(reply).await;
    let models = endpoint.models();
    let mut changed = models.settings();
    settings(&mut changed);
    let model: Model = models.with_settings(changed).model(name).expect("a model");
    let answer = model.ask(&request()).await;
    (answer, endpoint.requests().len())
}

#[tokio::test]
async fn each_service_is_asked_in_its_format() {
    let endpoint = Endpoint::start(|request| says(request, "A model.")).await;
    for name in MODELS {
        let model = endpoint.models().model(name).expect("a model");
        let reply = model.ask(&request()).await.unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!((reply.text.as_str(), reply.input, reply.output), ("A model.", 10, 5));
    }
    let requests = endpoint.requests();
    let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/v1beta/models/gemini-2.5-flash:generateContent",
            "/chat/completions",
            "/v1/messages",
            "/v1/chat/completions"
        ]
    );
    let keys = ["x-goog-api-key: gemini-key", "bearer openai-key", "x-api-key: anthropic-key"];
    for (request, key) in requests.iter().zip(keys) {
        assert!(request.headers.contains(key), "{}", request.headers);
    }
    for request in &requests {
        let text = request.text();
        for said in ["Be brief.", "Hello", "Hi", "Who are you?"] {
            assert!(text.contains(&format!("{said}\"")), "{said} is not in {text}");
        }
    }
    assert_eq!(requests[1].body["messages"][0]["role"], "system");
    assert_eq!(requests[2].body["messages"][1]["role"], "assistant");
    assert_eq!(requests[3].body["model"], "qwen3:8b");
}

#[tokio::test]
async fn the_wait_that_a_service_asks_for_is_kept() {
    for name in MODELS {
        // Longer than the engine waits at all.
        let slow = |settings: &mut ModelSettings| settings.first_wait = Duration::from_secs(3600);
        let (reply, requests) = outcome(name, slow, |request| match request.number {
            // Google names the wait in the body; the header of the others is in seconds.
            0 => Reply::Status(
                429,
                "retry-after: 1\r\n",
                r#"{"error": {"code": 429, "message": "slower", "details": [
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"}]}}"#
                    .to_owned(),
            ),
            _ => says(request, "Now."),
        })
        .await;
        assert_eq!(reply.map(|reply| reply.text), Ok("Now.".to_owned()), "{name}");
        assert_eq!(requests, 2);
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_then_told() {
    for name in MODELS {
        let (reply, requests) = outcome(
            name,
            |_| {},
            |request| match request.number {
                0 => Reply::Status(503, "", "{}".to_owned()),
                _ => says(request, "Now."),
            },
        )
        .await;
        assert_eq!((reply.map(|reply| reply.text), requests), (Ok("Now.".to_owned()), 2), "{name}");

        let broken = |_: &crate::wire::Request| {
            Reply::Status(500, "", r#"{"error": {"message": "broken"}}"#.to_owned())
        };
        let (reply, requests) = outcome(name, |_| {}, broken).await;
        let failure = reply.expect_err("500");
        assert_eq!((failure.kind, requests), (FailureKind::Unavailable, 2), "{name}");
        let shown = failure.to_string();
        assert!(shown.starts_with(&format!("{name} gave no answer to 2 requests: ")), "{shown}");
        assert!(shown.contains("500") && shown.contains("broken"), "{shown}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_a_failure() {
    for name in MODELS {
        let garbage = |_: &crate::wire::Request| {
            Reply::Status(200, "content-type: application/json\r\n", "<html>".to_owned())
        };
        let (reply, requests) = outcome(name, |_| {}, garbage).await;
        assert_eq!(reply.expect_err("garbage").kind, FailureKind::Unavailable, "{name}");
        assert_eq!(requests, 2);

        let half = |request: &crate::wire::Request| match says(request, "A long answer") {
            Reply::Status(_, _, mut body) => {
                body.truncate(body.len() / 2);
                Reply::Half(body)
            }
            other => other,
        };
        let (reply, requests) = outcome(name, |_| {}, half).await;
        assert_eq!(reply.expect_err("half").kind, FailureKind::Unavailable, "{name}");
        assert_eq!(requests, 2);
    }
}

#[tokio::test]
async fn a_reply_that_says_nothing_is_a_failure() {
    for name in MODELS {
        let (reply, requests) = outcome(name, |_| {}, |request| says(request, "")).await;
        let failure = reply.expect_err("no text");
        assert_eq!((failure.kind, requests), (FailureKind::Unavailable, 2), "{name}: {failure}");

        // As agents of adk-rust ask it.
        let endpoint = Endpoint::start(|request| says(request, "")).await;
        let client = endpoint.models().model(name).expect("a model").client();
        let question = adk_core::Content::new("user").with_text("Hello");
        let request = adk_core::LlmRequest::new("m", vec![question]);
        let streams = name.starts_with("anthropic");
        let error = client.generate_content(request, streams).await.err().expect("no text");
        assert!(error.message.contains("gave no answer to 2 requests"), "{}", error.message);
    }
}

#[tokio::test]
async fn a_stream_that_ends_before_its_end_is_a_failure() {
    let cut = |request: &crate::wire::Request| match says(request, "A long answer") {
        Reply::Status(status, headers, body) => {
            let end = body.find("event: message_delta").expect("an end");
            Reply::Status(status, headers, body.get(..end).unwrap_or_default().to_owned())
        }
        other => other,
    };
    let (reply, requests) = outcome("anthropic/claude-sonnet-5", |_| {}, cut).await;
    assert_eq!((reply.expect_err("cut").kind, requests), (FailureKind::Unavailable, 2));
}

#[tokio::test]
async fn a_service_that_never_answers_is_given_up() {
    for name in MODELS {
        let brief = |settings: &mut ModelSettings| settings.timeout = Duration::from_millis(100);
        let (reply, requests) = outcome(name, brief, |_| Reply::Never).await;
        let failure = reply.expect_err("never");
        assert_eq!((failure.kind, requests), (FailureKind::Timeout, 2));
        assert_eq!(
            failure.to_string(),
            format!(
                "{name} gave no answer to 2 requests: no answer within 100 ms. Set a longer time with \
                 `models: {{ timeout_ms: ... }}`"
            )
        );
    }
}

#[tokio::test]
async fn what_does_not_pass_is_not_tried_again() {
    for name in MODELS {
        let refused = |_: &crate::wire::Request| {
            Reply::Status(401, "", r#"{"error": {"message": "no such key"}}"#.to_owned())
        };
        let (reply, requests) = outcome(name, |_| {}, refused).await;
        assert_eq!(reply.expect_err("401").kind, FailureKind::Refused, "{name}");
        assert_eq!(requests, 1, "{name}");

        let far = |_: &crate::wire::Request| {
            let body = r#"{"error": {"message": "x", "details": [{"retryDelay": "7200s"}]}}"#;
            Reply::Status(429, "retry-after: 7200\r\n", body.to_owned())
        };
        let (reply, requests) = outcome(name, |_| {}, far).await;
        assert_eq!(reply.expect_err("429").kind, FailureKind::RateLimited, "{name}");
        assert_eq!(requests, 1, "{name}");
    }
}

#[tokio::test]
async fn tools_are_declared_in_the_order_of_their_names() {
    // A person's form shows them in this order, and `adk-model` keeps them in a hash map.
    let tool = |name: &str| ModelTool {
        name: name.to_owned(),
        description: String::new(),
        parameters: JsonText::from_value(&serde_json::json!({ "type": "object" })),
    };
    let names = ["return_result", "a", "raise_error", "z"];
    let endpoint = Endpoint::start(|request| says(request, "Done")).await;
    let model = endpoint.models().model("openai/gpt-5-mini").expect("a model");
    let request = ModelRequest { tools: names.map(tool).to_vec(), ..request() };
    for _ in 0..8 {
        model.ask(&request).await.unwrap_or_else(|failure| panic!("{failure}"));
    }
    for request in endpoint.requests() {
        let declared = request.body["tools"].as_array().expect("tools").iter();
        let declared: Vec<_> = declared.map(|it| it["function"]["name"].as_str()).collect();
        assert_eq!(declared, [Some("a"), Some("raise_error"), Some("return_result"), Some("z")]);
    }
}

#[tokio::test]
async fn the_host_may_cancel_what_a_person_is_asked_once_nobody_waits() {
    let endpoint = Endpoint::start(|request| says(request, "I am a person")).await;
    let models = Models::new(Variables::given([("REHEARSAL_SERVER_URL", endpoint.url.as_str())]));
    let model = models.person("a case").model("search").expect("a model");
    model.ask(&request()).await.unwrap_or_else(|failure| panic!("{failure}"));
    let headers = &endpoint.requests()[0].headers;
    assert!(headers.contains("x-rehearsal-cancel-after: 60\n"), "{headers}");
}
