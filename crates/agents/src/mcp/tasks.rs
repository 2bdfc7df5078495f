//! Calls of tools that run as tasks only.
//!
//! In the protocol of 2025-11-25 the client creates a task (`task` in `tools/call`), polls it
//! (`tasks/get`), fetches its result (`tasks/result`) and cancels it (`tasks/cancel`). The library
//! implements only the later design, in which the server decides, so these requests are sent as JSON.

use std::time::Duration;

use rmcp::model::{ClientRequest, CustomRequest, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle};
use rmcp::{RoleClient, ServiceError};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::fault::CallFault;

/// How often a task is polled if the server gives no interval.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest interval, even if the server gives a shorter one.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(50);
/// The longest interval, so that the person sees the status of the task.
const LONGEST_INTERVAL: Duration = Duration::from_secs(30);
/// How long a server may take to acknowledge that a task is canceled.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// How much of an invalid response is shown.
const SAMPLE_CHARACTERS: usize = 400;
/// The key under which `_meta` names the task that a message belongs to.
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// The state of a task as a server reports it.
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

/// Whether the server rejected a plain call because the tool runs as a task only.
///
/// In the protocol the server rejects it with `-32601`. The reference SDKs return an error result, with
/// one of two texts. Either way the tool has not run.
pub(super) fn needs_task(answer: &Result<ServerResult, ServiceError>) -> bool {
    match answer {
        Err(ServiceError::McpError(error)) => {
            error.code == rmcp::model::ErrorCode::METHOD_NOT_FOUND
        }
        Ok(ServerResult::CallToolResult(result)) if result.is_error == Some(true) => {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            let mut texts = texts.map(|block| block.text.as_str());
            matches!((texts.next(), texts.next()), (Some(text), None) if is_rejection(text))
        }
        _ => false,
    }
}

fn is_rejection(text: &str) -> bool {
    text.contains("requires task augmentation") || text.contains("requires task-augmented")
}

/// Calls a tool as a task and waits for its result. `on_message` gets each new status message. `cancel`
/// cancels the task.
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
        () = cancel.cancelled() => return Err(cancel_call(made).await.into()),
    };
    // A server without tasks runs the tool and returns its result.
    if let ServerResult::CallToolResult(_) = answer {
        return Ok(answer);
    }
    let answer = as_json(&answer);
    let Ok(task) = TaskState::deserialize(&answer["task"]) else {
        return Err(CallFault::NoTask(sample(&answer)));
    };
    let followed = tokio::select! {
        followed = follow(peer, &task, on_message) => followed,
        () = cancel.cancelled() => Err(cancel_task(peer, &task.task_id).await.into()),
    };
    followed.map(without_task)
}

/// Polls a task until it ends, and fetches its result. A server sends its questions to the person while
/// the client waits for `tasks/result`, so that is sent as soon as the server needs input.
async fn follow(
    peer: &Peer<RoleClient>,
    made: &TaskState,
    on_message: impl Fn(String),
) -> Result<ServerResult, CallFault> {
    let id = json!({"taskId": made.task_id});
    let mut state = made.clone();
    let mut last_message = None;
    let mut result: Option<RequestHandle<RoleClient>> = None;
    loop {
        if state.status_message != last_message {
            last_message.clone_from(&state.status_message);
            last_message.iter().cloned().for_each(&on_message);
        }
        match state.status {
            Status::Working => {}
            Status::Cancelled => {
                return Err(CallFault::Canceled { message: state.status_message });
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
        let answer = as_json(&answer);
        state = TaskState::deserialize(&answer).map_err(|_| CallFault::NoState(sample(&answer)))?;
    }
}

/// The response to `tasks/result`. Waits forever if that was not sent.
async fn arrival(
    result: &mut Option<RequestHandle<RoleClient>>,
) -> Result<ServerResult, ServiceError> {
    match result {
        Some(handle) => (&mut handle.rx).await.unwrap_or(Err(ServiceError::TransportClosed)),
        None => std::future::pending().await,
    }
}

/// The result of a task that has ended. A failed task without a result fails with its status message.
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
    named.unwrap_or(DEFAULT_INTERVAL).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL)
}

async fn send(
    peer: &Peer<RoleClient>,
    method: &str,
    params: Value,
) -> Result<RequestHandle<RoleClient>, ServiceError> {
    let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await
}

/// Cancels the call itself, before the server has created a task.
async fn cancel_call(call: RequestHandle<RoleClient>) -> ServiceError {
    let reason = "The person canceled the call.".to_owned();
    // If this fails, the server is gone.
    let _ = call.cancel(Some(reason.clone())).await;
    ServiceError::Cancelled { reason: Some(reason) }
}

async fn cancel_task(peer: &Peer<RoleClient>, task_id: &str) -> ServiceError {
    let cancelling = async {
        send(peer, "tasks/cancel", json!({"taskId": task_id})).await?.await_response().await
    };
    match tokio::time::timeout(SHUTDOWN_TIMEOUT, cancelling).await {
        Ok(Ok(_)) => {}
        // The task may have ended just now, which does not matter to the person.
        Ok(Err(error)) => tracing::debug!("a task could not be canceled: {error}"),
        Err(_) => tracing::debug!("a server did not acknowledge that a task is canceled"),
    }
    ServiceError::Cancelled { reason: Some("The person canceled the call.".to_owned()) }
}

/// The response as JSON, whichever type the library read it as.
fn as_json(answer: &ServerResult) -> Value {
    serde_json::to_value(answer).unwrap_or_default()
}

fn sample(answer: &Value) -> String {
    answer.to_string().chars().take(SAMPLE_CHARACTERS).collect()
}

/// Removes the task's id, which is random and would make a golden trace differ from run to run.
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
mod tests {
    use super::*;

    #[test]
    fn reads_a_state_from_each_response_type_of_the_library() {
        let actual = json!({
            "taskId": "t", "status": "working", "statusMessage": "Gathering", "ttl": null,
            "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
            "pollInterval": 200,
        });
        for status in ["working", "input_required", "completed", "failed", "cancelled"] {
            let mut actual = actual.clone();
            actual["status"] = status.into();
            let answer: ServerResult = serde_json::from_value(actual).expect("an answer");
            let state = TaskState::deserialize(as_json(&answer)).expect("a state");
            assert_eq!(state.task_id, "t");
            assert_eq!(state.status_message.as_deref(), Some("Gathering"));
            assert_eq!(
                json!(format!("{:?}", state.status).to_lowercase()),
                json!(status.replace('_', ""))
            );
        }
    }

    #[test]
    fn reads_a_created_task() {
        let answer: ServerResult = serde_json::from_value(json!({
            "task": {"taskId": "t", "status": "working", "ttl": 1, "pollInterval": 7,
                     "createdAt": "x", "lastUpdatedAt": "x"},
        }))
        .expect("an answer");
        let task = TaskState::deserialize(&as_json(&answer)["task"]).expect("a task");
        assert_eq!(task.poll_interval, Some(7));
        assert_eq!(interval(&task, &task), SHORTEST_INTERVAL);
    }

    #[test]
    fn recognizes_rejections_that_ask_for_a_task() {
        let result = |text: &str, is_error: bool| -> Result<ServerResult, ServiceError> {
            let content = json!([{"type": "text", "text": text}]);
            let result = json!({"content": content, "isError": is_error});
            Ok(serde_json::from_value(result).expect("a result"))
        };
        let refusal =
            "MCP error -32601: Tool x requires task augmentation (taskSupport: 'required')";
        assert!(needs_task(&result(refusal, true)));
        assert!(needs_task(&result("This tool requires task-augmented invocation", true)));
        assert!(!needs_task(&result(refusal, false)));
        assert!(!needs_task(&result("There is no task 7", true)));
        let error = |code| {
            let error = rmcp::ErrorData::new(rmcp::model::ErrorCode(code), "no", None);
            Err(ServiceError::McpError(error))
        };
        assert!(needs_task(&error(-32601)));
        assert!(!needs_task(&error(-32602)));
    }

    #[test]
    fn removes_only_the_task_id_from_a_result() {
        let with = |meta: Value| -> ServerResult {
            serde_json::from_value(json!({"content": [], "_meta": meta})).expect("a result")
        };
        let named = with(json!({RELATED_TASK: {"taskId": "t"}, "cost": 3}));
        assert_eq!(as_json(&without_task(named))["_meta"], json!({"cost": 3}));
        let bare = with(json!({RELATED_TASK: {"taskId": "t"}}));
        assert_eq!(as_json(&without_task(bare)).get("_meta"), None);
    }
}
