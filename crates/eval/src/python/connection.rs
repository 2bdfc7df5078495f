//! [`Connection`]: requests and responses between the engine and one case, in both directions.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use json_text::JsonText;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::messages::{
    AdkEvent, AdkOutput, Answer, Exception, Forbidden, FromCase, ModelAsked, Offered, Replaced,
    ToCase, ToolAsked, Unseen, UsageApart,
};
use super::model_requests::{self, ModelRequests};
use super::person_request::PersonAsked;
use crate::confirmation::ConfirmationRequest;
use crate::gate::{Decision, Effects, Gate, GateCall};
use crate::ledger::{Event, Role};
use crate::model::Models;
use crate::place::Place;
use crate::run_failure::RunFailure;

/// The engine's end of the connection to a case. Dropping it closes the connection.
pub(super) struct Connection {
    lines: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Waiting>,
    next_id: AtomicU64,
    reading: JoinHandle<()>,
    /// Says what a person has taken over.
    telling: Option<JoinHandle<()>>,
}

/// Why a request got no result.
pub(super) enum RequestError {
    /// The agent's code raised an exception.
    Raised(Exception),
    /// The connection is closed.
    Closed,
}

type Reply = Result<JsonText, RequestError>;

#[derive(Default)]
struct Waiting(Mutex<Option<HashMap<u64, oneshot::Sender<Reply>>>>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.reading.abort();
        if let Some(telling) = &self.telling {
            telling.abort();
        }
    }
}

impl Connection {
    pub(super) fn new(stream: UnixStream, gate: &Arc<Gate>, models: Models) -> Self {
        let (lines, mut queued) = mpsc::unbounded_channel::<Vec<u8>>();
        let waiting = Arc::new(Waiting(Mutex::new(Some(HashMap::new()))));
        let (reader, mut writer) = tokio::io::split(stream);
        tokio::spawn(async move {
            while let Some(line) = queued.recv().await {
                if writer.write_all(&line).await.is_err() {
                    return;
                }
            }
        });
        let telling = gate.taken().map(|mut taken| {
            let lines = lines.clone();
            tokio::spawn(async move {
                // What was taken before the process began, too.
                while taken.wait_for(|places| !places.is_empty()).await.is_ok() {
                    send_taken(&lines, &taken.borrow_and_update().clone());
                    if taken.changed().await.is_err() {
                        return;
                    }
                    let places = taken.borrow().clone();
                    if places.is_empty() {
                        send_taken(&lines, &places);
                    }
                }
            })
        });
        let reading = tokio::spawn({
            let (gate, waiting, lines) = (Arc::clone(gate), Arc::clone(&waiting), lines.clone());
            async move {
                let mut reader = tokio::io::BufReader::new(reader).lines();
                let mut requests = ModelRequests::new(models);
                while let Ok(Some(line)) = reader.next_line().await {
                    if let Err(error) = handle(&line, &gate, &waiting, &lines, &mut requests) {
                        tracing::warn!("a line of an eval case cannot be read: {error}");
                    }
                }
                // Those that wait see that their senders are gone.
                drop(waiting.lock().take());
            }
        });
        Self { lines, waiting, next_id: AtomicU64::new(1), reading, telling }
    }

    /// Sends a request and waits for its result.
    pub(super) async fn request(&self, method: &str, params: &JsonText) -> Reply {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, replied) = oneshot::channel();
        match self.waiting.lock().as_mut() {
            Some(waiting) => drop(waiting.insert(id, reply)),
            None => return Err(RequestError::Closed),
        }
        send(&self.lines, &ToCase { id, method, params });
        replied.await.unwrap_or(Err(RequestError::Closed))
    }

    /// Lets the case go: its process may take another one.
    pub(super) fn release(&self) {
        send(&self.lines, &json!({ "method": "release" }));
    }
}

impl Waiting {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<HashMap<u64, oneshot::Sender<Reply>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn send(lines: &mpsc::UnboundedSender<Vec<u8>>, message: &impl Serialize) {
    if let Ok(message) = JsonText::serialize(message) {
        // A message is one line, and the JSON in it may have been written on several.
        let mut line = message.compact().as_str().as_bytes().to_vec();
        line.push(b'\n');
        // The case may be gone; its requests are answered by that.
        let _ = lines.send(line);
    }
}

/// Says which places a person has.
fn send_taken(lines: &mpsc::UnboundedSender<Vec<u8>>, places: &BTreeSet<Place>) {
    let tools: Vec<&str> = places
        .iter()
        .filter_map(|place| match place {
            Place::Tool(name) => Some(name.as_str()),
            Place::Agent | Place::User => None,
        })
        .collect();
    let agent = places.contains(&Place::Agent);
    send(lines, &json!({ "method": "taken", "params": { "agent": agent, "tools": tools } }));
}

/// Handles one line. Events are noted at once, so that they stay in order; requests are answered by tasks.
fn handle(
    line: &str,
    gate: &Arc<Gate>,
    waiting: &Waiting,
    lines: &mpsc::UnboundedSender<Vec<u8>>,
    requests: &mut ModelRequests,
) -> Result<(), serde_json::Error> {
    let message: FromCase = serde_json::from_str(line)?;
    let params = message.params.as_ref().map_or("null", JsonText::as_str);
    match (message.method.as_deref(), message.id) {
        (None, Some(id)) => {
            let waiter = waiting.lock().as_mut().and_then(|waiting| waiting.remove(&id));
            if let Some(waiter) = waiter {
                let reply = match message.error {
                    Some(exception) => Err(RequestError::Raised(exception)),
                    None => Ok(message.result.unwrap_or_else(JsonText::null)),
                };
                let _ = waiter.send(reply);
            }
        }
        (Some("event"), _) => note(serde_json::from_str(params)?, gate),
        (Some("replaced"), _) => {
            let Replaced { r#in, place, value } = serde_json::from_str(params)?;
            gate.ledger.add(Event::ValueReplaced { r#in, place, value });
        }
        (Some("offered"), _) => {
            let Offered { tools } = serde_json::from_str(params)?;
            gate.note_tools(tools);
        }
        (Some("forbidden"), _) => {
            let Forbidden { what, place } = serde_json::from_str(params)?;
            let case = gate.case_name().to_owned();
            gate.stop(RunFailure::ForbiddenEffect { case, what, place });
        }
        (Some("refused"), _) => {
            let Forbidden { what, place } = serde_json::from_str(params)?;
            gate.ledger.add(Event::EffectRefused { what, place });
        }
        (Some("unseen"), _) => {
            let Unseen { name, agent, what, .. } = serde_json::from_str(params)?;
            gate.stop(RunFailure::Unseen { name, agent, what });
        }
        (Some("tool"), id) => {
            let asked: ToolAsked = serde_json::from_str(params)?;
            if let Some(declaration) = asked.declaration {
                gate.note_declaration(&asked.tool, declaration);
            }
            let (gate, lines) = (Arc::clone(gate), lines.clone());
            let mut deciding = Box::pin(async move {
                let call = GateCall {
                    call_id: asked.call_id,
                    tool: asked.tool,
                    args: asked.args,
                    received: asked.received,
                    state: asked.state,
                    invocation_id: asked.invocation_id,
                    confirmation: asked.confirmation,
                    is_long_running: asked.is_long_running,
                    output_schema: asked.output_schema,
                };
                // Without an id, the call is of a tool that runs anyway.
                let decided = match id {
                    Some(_) => gate.decide(&call).await,
                    None => gate.decide_by_case(&call).await,
                };
                let result = decision(&decided);
                if let Some(id) = id {
                    send(&lines, &Answer { id, result });
                }
            });
            // What is decided at once is answered at once: calls go on in the order in which they were made.
            if deciding.as_mut().now_or_never().is_none() {
                tokio::spawn(deciding);
            }
        }
        (Some("model"), Some(id)) => {
            let ModelAsked { agent, asked_by } = serde_json::from_str(params)?;
            if asked_by.is_none() && gate.is_agent_taken(&agent) {
                let result = JsonText::from_value(&json!({ "person": true }));
                send(lines, &Answer { id, result });
                return Ok(());
            }
            let response = match &asked_by {
                None => gate.respond(&agent),
                Some(asked_by) => gate.respond_apart(&agent, asked_by),
            };
            let result = match response {
                Ok(Some(turn)) => JsonText::serialize(&turn)?,
                Ok(None) => JsonText::from_value(&json!({ "goes_on": true })),
                Err(failure) => JsonText::from_value(&json!({ "error": failure.to_string() })),
            };
            send(lines, &Answer { id, result });
        }
        (Some("person"), Some(id)) => {
            let asked: PersonAsked = serde_json::from_str(params)?;
            let (gate, lines) = (Arc::clone(gate), lines.clone());
            let models = requests.models().clone();
            tokio::spawn(async move {
                let result = by_person(asked, &gate, &models).await;
                send(&lines, &Answer { id, result });
            });
        }
        (Some("model_asked"), None) => {
            let ModelAsked { agent, .. } = serde_json::from_str(params)?;
            gate.note_model_request(&agent);
        }
        (Some("usage_apart"), None) => {
            let UsageApart { asked_by, usage } = serde_json::from_str(params)?;
            gate.ledger.add(Event::ModelUsage {
                role: Role::Framework,
                agent: asked_by,
                model: usage.model,
                input: usage.input,
                output: usage.output,
            });
        }
        (Some("model_begins"), Some(id)) => {
            let lines = lines.clone();
            let begin = move || send(&lines, &Answer { id, result: JsonText::null() });
            requests.begin(serde_json::from_str(params)?, begin);
        }
        (Some("model_failed"), Some(id)) => {
            let lines = lines.clone();
            let answer = move |is_repeated| {
                send(&lines, &Answer { id, result: model_requests::again(is_repeated) });
            };
            requests.fail(&serde_json::from_str(params)?, answer);
        }
        (Some("model_ended"), _) => requests.end(&serde_json::from_str(params)?),
        _ => tracing::warn!("a line of an eval case is not known: {line}"),
    }
    Ok(())
}

/// The response of the person who has the place of an agent; that it is handed back if it is.
async fn by_person(asked: PersonAsked, gate: &Gate, models: &Models) -> JsonText {
    let agent = asked.agent.clone();
    let session = models.person(gate.case_name()).in_run(gate.run_id()).canceled_at_once();
    let answered = async {
        let model = session.model(&agent).map_err(|error| error.to_string())?;
        let reply = model.ask(&asked.request()).await.map_err(|failure| failure.to_string())?;
        gate.note_person_response(&agent);
        JsonText::serialize(&reply.into_turn()).map_err(|error| error.to_string())
    };
    match gate.instead(&Place::Agent, answered).await {
        None => JsonText::from_value(&json!({ "handed_back": true })),
        Some(Ok(turn)) => turn,
        Some(Err(message)) => {
            gate.stop(RunFailure::GivenModel { message: message.clone() });
            JsonText::from_value(&json!({ "error": message }))
        }
    }
}

/// A decision as the protocol has it.
fn decision(decision: &Decision) -> JsonText {
    #[derive(Serialize)]
    struct Mocked<'a> {
        r#do: &'static str,
        result: &'a JsonText,
        changes: &'a Map<String, Value>,
        skip_summarization: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        asks: Option<&'a ConfirmationRequest>,
    }
    let mocked = |result, changes, asks: Option<&ConfirmationRequest>, skip_summarization| {
        let mocked = Mocked { r#do: "mock", result, changes, skip_summarization, asks };
        JsonText::serialize(&mocked).unwrap_or_else(|_| JsonText::null())
    };
    let plain = |name: &str| JsonText::from_value(&json!({ "do": name }));
    match decision {
        Decision::Mock { result, changes, skip_summarization } => {
            mocked(result, changes, None, *skip_summarization)
        }
        Decision::AskConfirmation { request, result, changes } => {
            mocked(result, changes, Some(request), request.skip_summarization)
        }
        Decision::Raise { message, changes, skip_summarization } => JsonText::from_value(&json!({
            "do": "raise", "message": message, "changes": changes,
            "skip_summarization": skip_summarization,
        })),
        Decision::Run(effects) => {
            JsonText::from_value(&json!({ "do": "run", "sealed": *effects == Effects::None }))
        }
        Decision::RunTruncated(effects, characters) => JsonText::from_value(&json!({
            "do": "run", "sealed": *effects == Effects::None, "truncate": characters
        })),
        Decision::Wait => plain("wait"),
        Decision::Stop => plain("stop"),
    }
}

/// Notes what is in an event of google-adk.
fn note(event: AdkEvent, gate: &Gate) {
    let AdkEvent {
        author,
        invocation_id,
        inner: is_inner,
        text,
        calls,
        responses,
        outputs,
        state,
        usage,
    } = event;
    if !is_inner {
        gate.note_invocation(invocation_id);
    }
    let is_intermediate = !calls.is_empty();
    let message = (author != "user" && !text.is_empty()).then(|| Event::Message {
        agent: author.clone(),
        text,
        is_intermediate,
        is_inner,
    });
    let usage = usage.map(|usage| Event::ModelUsage {
        role: Role::Subject,
        agent: author.clone(),
        model: usage.model,
        input: usage.input,
        output: usage.output,
    });
    let calls = calls.into_iter().map(|call| Event::ToolCall {
        call_id: call.call_id.unwrap_or_default(),
        name: call.name,
        args: call.args,
        agent: author.clone(),
        is_inner,
    });
    // A response stays together.
    gate.ledger.extend(message.into_iter().chain(usage).chain(calls));
    let mut answered = Vec::new();
    for response in responses {
        let call_id = response.call_id.unwrap_or_default();
        answered.push(call_id.clone());
        gate.note_result(call_id, response.name, response.response);
    }
    for AdkOutput { node, output } in outputs {
        gate.ledger.add(Event::NodeOutput { node, output });
    }
    let answered: Vec<&str> = answered.iter().map(String::as_str).collect();
    if !is_inner {
        gate.note_changed_state(&state);
    }
    gate.note_changes(state, &answered);
}
