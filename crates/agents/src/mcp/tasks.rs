//! Calls that a server takes as tasks only: made, asked after, fetched.
//!
//! The protocol of 2025-11-25 has the caller ask for a task (`task` in `tools/call`), look after it
//! (`tasks/get`), fetch its result (`tasks/result`) and call it off (`tasks/cancel`). The library
//! knows the later design only, where the server decides, so these requests are sent in the wire's
//! own words.

use std::time::Duration;

use rmcp::model::{ClientRequest, CustomRequest, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle};
use rmcp::{RoleClient, ServiceError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::fault::CallFault;

/// How often a task is asked after where the server names no interval.
const USUAL_INTERVAL: Duration = Duration::from_secs(1);
/// No server is asked more often than this, whatever it names.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(50);
/// No person waits longer than this for what a task says of itself.
const LONGEST_INTERVAL: Duration = Duration::from_secs(30);
/// How long a server may take to acknowledge that a task is called off.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// How much of an answer that cannot be used is shown.
const SAMPLE_CHARACTERS: usize = 400;
/// The key under which `_meta` names the task that a message belongs to.
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// What a server says of a task.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskState {
    task_id: String,
    status: Status,
    status_message: Option<String>,
    /// In milliseconds.
    poll_interval: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

/// Whether the server refused a plain call because the tool runs as a task only.
///
/// The catalogue cannot tell: the library leaves out a tool's `execution`. The protocol has the
/// server refuse with `-32601`; the reference SDKs put the refusal into an error result, in words
/// that both begin alike. Either way the tool has not run.
pub(super) fn is_wanted(answer: &Result<ServerResult, ServiceError>) -> bool {
    match answer {
        Err(ServiceError::McpError(error)) => {
            error.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND
        }
        Ok(ServerResult::CallToolResult(result)) if result.is_error == Some(true) => {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            let mut texts = texts.map(|block| block.text.as_str());
            matches!((texts.next(), texts.next()), (Some(text), None) if is_refusal(text))
        }
        _ => false,
    }
}

fn is_refusal(text: &str) -> bool {
    text.contains("requires task augmentation") || text.contains("requires task-augmented")
}

/// Calls a tool as a task and follows it to its end. `on_message` gets each new message about it; when
/// `cancel` fires the task is called off.
pub(super) async fn run(
    peer: &Peer<RoleClient>,
    name: &str,
    arguments: Map<String, Value>,
    cancel: &CancellationToken,
    on_message: impl Fn(String),
) -> Result<ServerResult, CallFault> {
    let call = json!({"name": name, "arguments": arguments, "task": {}});
    let mut made = send(peer, "tools/call", call).await?;
    let answer = tokio::select! {
        answer = &mut made.rx => answer.unwrap_or(Err(ServiceError::TransportClosed))?,
        () = cancel.cancelled() => return Err(withdrawn(made).await.into()),
    };
    // A server without tasks runs the tool and says nothing of one.
    if let ServerResult::CallToolResult(_) = answer {
        return Ok(answer);
    }
    let answer = wire(&answer);
    let Ok(task) = TaskState::deserialize(&answer["task"]) else {
        return Err(CallFault::NoTask(sample(&answer)));
    };
    let followed = tokio::select! {
        followed = follow(peer, &task, on_message) => followed,
        () = cancel.cancelled() => Err(called_off(peer, &task.task_id).await.into()),
    };
    followed.map(without_task)
}

/// Asks after a task until it ends, and fetches its result. What the server wants to know of the
/// person meanwhile it asks on the way of the result, so that is fetched as soon as it waits.
async fn follow(
    peer: &Peer<RoleClient>,
    made: &TaskState,
    on_message: impl Fn(String),
) -> Result<ServerResult, CallFault> {
    let id = json!({"taskId": made.task_id});
    let mut state = made.clone();
    let mut said = None;
    let mut result: Option<RequestHandle<RoleClient>> = None;
    loop {
        if state.status_message != said {
            said.clone_from(&state.status_message);
            said.iter().cloned().for_each(&on_message);
        }
        match state.status {
            Status::Working => {}
            Status::Cancelled => {
                return Err(CallFault::CalledOff { message: state.status_message });
            }
            Status::InputRequired if result.is_some() => {}
            Status::InputRequired => result = Some(send(peer, "tasks/result", id.clone()).await?),
            Status::Completed | Status::Failed => {
                let handle = match result {
                    Some(handle) => handle,
                    None => send(peer, "tasks/result", id).await?,
                };
                return ended(&state, handle.await_response().await);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(interval(&state, made)) => {}
            answer = arrival(&mut result) => return ended(&state, answer),
        }
        let answer = send(peer, "tasks/get", id.clone()).await?.await_response().await?;
        let answer = wire(&answer);
        state = TaskState::deserialize(&answer).map_err(|_| CallFault::NoState(sample(&answer)))?;
    }
}

/// The answer to `tasks/result` once it was asked for; never, before that.
async fn arrival(
    result: &mut Option<RequestHandle<RoleClient>>,
) -> Result<ServerResult, ServiceError> {
    match result {
        Some(handle) => (&mut handle.rx).await.unwrap_or(Err(ServiceError::TransportClosed)),
        None => std::future::pending().await,
    }
}

/// A task that failed has what its server said of it for a reason, where it has no result.
fn ended(
    state: &TaskState,
    answer: Result<ServerResult, ServiceError>,
) -> Result<ServerResult, CallFault> {
    match answer {
        Err(ServiceError::McpError(error)) if state.status == Status::Failed => {
            let reason = state.status_message.clone().unwrap_or_else(|| error.message.to_string());
            Err(CallFault::Failed { reason })
        }
        answer => Ok(answer?),
    }
}

fn interval(state: &TaskState, made: &TaskState) -> Duration {
    let named = state.poll_interval.or(made.poll_interval).map(Duration::from_millis);
    named.unwrap_or(USUAL_INTERVAL).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL)
}

async fn send(
    peer: &Peer<RoleClient>,
    method: &str,
    params: Value,
) -> Result<RequestHandle<RoleClient>, ServiceError> {
    let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await
}

/// The person cancelled before the server had made a task: there is only the call to take back.
async fn withdrawn(call: RequestHandle<RoleClient>) -> ServiceError {
    let reason = "The person canceled the call.".to_owned();
    // If the server does not get this, it is gone already.
    let _ = call.cancel(Some(reason.clone())).await;
    ServiceError::Cancelled { reason: Some(reason) }
}

async fn called_off(peer: &Peer<RoleClient>, task_id: &str) -> ServiceError {
    let cancelling = async {
        send(peer, "tasks/cancel", json!({"taskId": task_id})).await?.await_response().await
    };
    match tokio::time::timeout(SHUTDOWN_TIMEOUT, cancelling).await {
        Ok(Ok(_)) => {}
        // It may have ended just now, which the person need not hear of.
        Ok(Err(error)) => tracing::debug!("a task could not be called off: {error}"),
        Err(_) => tracing::debug!("a server did not acknowledge that a task is called off"),
    }
    ServiceError::Cancelled { reason: Some("The person canceled the call.".to_owned()) }
}

/// The result in the wire's words, whichever of the library's types it was taken for.
fn wire(answer: &ServerResult) -> Value {
    serde_json::to_value(answer).unwrap_or_default()
}

fn sample(answer: &Value) -> String {
    answer.to_string().chars().take(SAMPLE_CHARACTERS).collect()
}

/// Without the task's name, which is chance and would make a golden trace differ from run to run.
fn without_task(mut answer: ServerResult) -> ServerResult {
    if let ServerResult::CallToolResult(result) = &mut answer
        && let Some(meta) = &mut result.meta
    {
        meta.0.remove(RELATED_TASK);
        if meta.0.is_empty() {
            result.meta = None;
        }
    }
    answer
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn a_state_is_read_whichever_type_the_library_takes_it_for() {
        let actual = json!({
            "taskId": "t", "status": "working", "statusMessage": "Gathering", "ttl": null,
            "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
            "pollInterval": 200,
        });
        for status in ["working", "input_required", "completed", "failed", "cancelled"] {
            let mut actual = actual.clone();
            actual["status"] = status.into();
            let answer: ServerResult = serde_json::from_value(actual).expect("an answer");
            let state = TaskState::deserialize(wire(&answer)).expect("a state");
            assert_eq!(state.task_id, "t");
            assert_eq!(state.status_message.as_deref(), Some("Gathering"));
            assert_eq!(
                json!(format!("{:?}", state.status).to_lowercase()),
                json!(status.replace('_', ""))
            );
        }
    }

    #[test]
    fn a_task_that_is_made_is_read() {
        let answer: ServerResult = serde_json::from_value(json!({
            "task": {"taskId": "t", "status": "working", "ttl": 1, "pollInterval": 7,
                     "createdAt": "x", "lastUpdatedAt": "x"},
        }))
        .expect("an answer");
        let task = TaskState::deserialize(&wire(&answer)["task"]).expect("a task");
        assert_eq!(task.poll_interval, Some(7));
        assert_eq!(interval(&task, &task), SHORTEST_INTERVAL);
    }

    #[test]
    fn only_a_refusal_for_want_of_a_task_asks_for_one() {
        let result = |text: &str, is_error: bool| -> Result<ServerResult, ServiceError> {
            let content = json!([{"type": "text", "text": text}]);
            let result = json!({"content": content, "isError": is_error});
            Ok(serde_json::from_value(result).expect("a result"))
        };
        let refusal =
            "MCP error -32601: Tool x requires task augmentation (taskSupport: 'required')";
        assert!(is_wanted(&result(refusal, true)));
        assert!(is_wanted(&result("This tool requires task-augmented invocation", true)));
        assert!(!is_wanted(&result(refusal, false)));
        assert!(!is_wanted(&result("There is no task 7", true)));
        let error = |code| {
            let error = rmcp::ErrorData::new(rmcp::model::ErrorCode(code), "no", None);
            Err(ServiceError::McpError(error))
        };
        assert!(is_wanted(&error(-32601)));
        assert!(!is_wanted(&error(-32602)));
    }

    #[test]
    fn a_result_loses_the_name_of_its_task_and_nothing_else() {
        let with = |meta: Value| -> ServerResult {
            serde_json::from_value(json!({"content": [], "_meta": meta})).expect("a result")
        };
        let named = with(json!({RELATED_TASK: {"taskId": "t"}, "cost": 3}));
        assert_eq!(wire(&without_task(named))["_meta"], json!({"cost": 3}));
        let bare = with(json!({RELATED_TASK: {"taskId": "t"}}));
        assert_eq!(wire(&without_task(bare)).get("_meta"), None);
    }
}
