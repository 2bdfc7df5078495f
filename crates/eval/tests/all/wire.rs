//! An endpoint on this machine that speaks the formats of the services, and the answers that it gives.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use eval::model::{ModelSettings, Models, Variables};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request that came in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Counts from 0.
    pub(crate) number: usize,
    pub(crate) path: String,
    /// In lowercase, one in a line.
    pub(crate) headers: String,
    pub(crate) body: Value,
}

impl Request {
    /// Everything that was sent, as text.
    pub(crate) fn text(&self) -> String {
        self.body.to_string()
    }
}

/// What the endpoint answers.
pub(crate) enum Reply {
    /// A status, lines of headers and a body.
    Status(u16, &'static str, String),
    /// The beginning of a body that is announced as longer.
    Half(String),
    /// Nothing, while the connection stays open.
    Never,
}

/// The answer of a service that is not asked in a stream, or the events of one that is.
pub(crate) fn ok(body: &Value) -> Reply {
    Reply::Status(200, "content-type: application/json\r\n", body.to_string())
}

/// The endpoint. It ends with the runtime of the test.
pub(crate) struct Endpoint {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Endpoint {
    pub(crate) async fn start(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (seen, count, reply) =
            (Arc::clone(&requests), Arc::new(AtomicUsize::new(0)), Arc::new(reply));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, count, reply) = (seen.clone(), count.clone(), reply.clone());
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let Some(mut request) = read(&mut stream).await else { return };
                    request.number = count.fetch_add(1, Ordering::SeqCst);
                    seen.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
                    write(&mut stream, reply(&request)).await;
                });
            }
        });
        Self { url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The models of all services, at this endpoint. Their waits are short, and one request is repeated once.
    pub(crate) fn models(&self) -> Models {
        let variables = Variables::given([
            ("GEMINI_API_KEY", "gemini-key"),
            ("GOOGLE_GEMINI_BASE_URL", self.url.as_str()),
            ("OPENAI_API_KEY", "openai-key"),
            ("OPENAI_BASE_URL", self.url.as_str()),
            ("ANTHROPIC_API_KEY", "anthropic-key"),
            ("ANTHROPIC_BASE_URL", self.url.as_str()),
            ("OLLAMA_HOST", self.url.as_str()),
        ]);
        Models::new(variables).with_settings(ModelSettings {
            timeout: Duration::from_secs(60),
            retries: 1,
            first_wait: Duration::from_millis(1),
            most_at_once: 4,
        })
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut first = String::new();
    stream.read_line(&mut first).await.ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let (mut headers, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? <= 2 {
            break;
        }
        let line = line.trim().to_lowercase();
        if let Some(text) = line.strip_prefix("content-length:") {
            length = text.trim().parse().ok()?;
        }
        headers.push_str(&line);
        headers.push('\n');
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request { number: 0, path, headers, body: serde_json::from_slice(&body).ok()? })
}

async fn write(stream: &mut BufReader<TcpStream>, reply: Reply) {
    let (status, headers, body, length) = match reply {
        Reply::Status(status, headers, body) => {
            let length = body.len();
            (status, headers, body, length)
        }
        Reply::Half(body) => {
            let length = body.len() * 2;
            (200, "content-type: application/json\r\n", body, length)
        }
        Reply::Never => {
            let _ = stream.read_u8().await;
            return;
        }
    };
    let answer = format!(
        "HTTP/1.1 {status} It\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    let _ = stream.get_mut().write_all(answer.as_bytes()).await;
    let _ = stream.get_mut().shutdown().await;
}

/// A text as each service answers it, with 10 tokens in and 5 out.
pub(crate) fn says(request: &Request, text: &str) -> Reply {
    responds(request, text, &[])
}

/// A call of a tool as each service answers it.
pub(crate) fn calls(request: &Request, name: &str, args: &Value) -> Reply {
    responds(request, "", &[(name, args.clone())])
}

/// A text and calls of tools as each service answers them, with 10 tokens in and 5 out.
pub(crate) fn responds(request: &Request, text: &str, calls: &[(&str, Value)]) -> Reply {
    if request.path.contains(":generateContent") {
        return gemini(text, calls);
    }
    if request.path.ends_with("/chat/completions") {
        return openai(text, calls);
    }
    anthropic(text, calls)
}

fn gemini(text: &str, calls: &[(&str, Value)]) -> Reply {
    let text = (!text.is_empty()).then(|| json!({ "text": text }));
    let calls =
        calls.iter().map(|(name, args)| json!({ "functionCall": { "name": name, "args": args } }));
    ok(&json!({
        "candidates": [{
            "content": { "role": "model", "parts": text.into_iter().chain(calls).collect::<Vec<_>>() },
            "finishReason": "STOP",
        }],
        "usageMetadata": {
            "promptTokenCount": 10,
            "candidatesTokenCount": 3,
            "thoughtsTokenCount": 2,
            "totalTokenCount": 15,
        },
        "modelVersion": "gemini-2.5-flash",
    }))
}

fn openai(text: &str, calls: &[(&str, Value)]) -> Reply {
    let mut message = json!({ "role": "assistant", "content": text });
    let is_final = calls.is_empty();
    if !is_final {
        let call = |(at, (name, args)): (usize, &(&str, Value))| {
            let function = json!({ "name": name, "arguments": args.to_string() });
            json!({ "id": format!("call_{at}"), "type": "function", "function": function })
        };
        message["tool_calls"] = calls.iter().enumerate().map(call).collect();
    }
    ok(&json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5-mini",
        "choices": [{
            "index": 0,
            "message": message,
            "finish_reason": if is_final { "stop" } else { "tool_calls" },
        }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
    }))
}

/// A message as Anthropic streams it.
fn anthropic(text: &str, calls: &[(&str, Value)]) -> Reply {
    let mut blocks = Vec::new();
    if !text.is_empty() {
        blocks.push((
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
        ));
    }
    for (at, (name, args)) in calls.iter().enumerate() {
        let id = format!("toolu_{at}");
        blocks.push((
            json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": args.to_string() }),
        ));
    }
    let mut events = vec![json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5",
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": { "input_tokens": 10, "output_tokens": 1 },
    }})];
    for (index, (block, delta)) in blocks.into_iter().enumerate() {
        events.extend([
            json!({ "type": "content_block_start", "index": index, "content_block": block }),
            json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            json!({ "type": "content_block_stop", "index": index }),
        ]);
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    events.extend([
        json!({ "type": "message_delta",
            "delta": { "stop_reason": reason, "stop_sequence": null },
            "usage": { "output_tokens": 5 } }),
        json!({ "type": "message_stop" }),
    ]);
    let line = |event: &Value| {
        let name = event["type"].as_str().unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    };
    let body = events.iter().map(line).collect();
    Reply::Status(200, "content-type: text/event-stream\r\n", body)
}
