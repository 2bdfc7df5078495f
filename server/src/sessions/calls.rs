//! [`Calls`]: runs the tool calls of all sessions and reports their progress.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::schemas;
use agents::{CallProgress, CallReport, ToolFailure, ToolInvocation, ToolView};
use api::{ApiError, CallProgress as PageProgress, CallUpdate, ToolRequest};
use json_text::JsonText;
use session::{CallId, Recording, SessionId, ToolError};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::open::{AwaitedInput, HostSession, NotStarted, RunningCall};
use super::stored_results::{STORED_OVER_BYTES, StoredResults};
use crate::page_dto;

/// How long a source may take to end a canceled call before the call ends without it.
const CANCEL_GRACE: Duration = Duration::from_millis(500);
/// How long a source may then take to clean up.
const CLEANUP: Duration = Duration::from_secs(10);

/// The calls of all sessions.
pub(crate) struct Calls {
    updates: broadcast::Sender<Arc<CallUpdate>>,
    tasks: TaskTracker,
    stored_results: Arc<StoredResults>,
}

/// The operation to run on the source.
enum Operation {
    /// A new call, with the tool's declaration.
    Run(ToolInvocation, Box<ToolView>),
    Confirm {
        confirmed: bool,
        payload: Option<JsonText>,
    },
    Supply(JsonText),
    /// Have the person act as the agent that was called.
    Act,
    /// End the agent that the person acts as, with its final response.
    Respond(String),
    /// End the agent that the person acts as, without one.
    StopActing,
}

impl Calls {
    /// Runs calls whose large results are stored there.
    pub(crate) fn new(stored_results: Arc<StoredResults>) -> Self {
        Self { updates: broadcast::channel(256).0, tasks: TaskTracker::new(), stored_results }
    }

    /// The progress of every call from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<CallUpdate>> {
        self.updates.subscribe()
    }

    /// Starts a call.
    pub(crate) fn start(
        self: &Arc<Self>,
        session: &Arc<HostSession>,
        request: ToolRequest,
    ) -> Result<(), ApiError> {
        let declared = session.view().tools.into_iter().find(|tool| tool.name == request.tool);
        let Some(tool) = declared else {
            return Err(ApiError::UnknownTool(request.tool.to_string()));
        };
        let call = RunningCall {
            call_id: request.call_id.clone(),
            cancel: CancellationToken::new(),
            awaits: None,
        };
        let cancel = call.cancel.clone();
        session.begin_call(call).map_err(|why| match why {
            NotStarted::AnotherIsRunning => ApiError::CallRunning,
            NotStarted::Cancelled => ApiError::CallCancelled(request.call_id.clone()),
        })?;
        let invocation = ToolInvocation {
            session: session.id.clone(),
            call_id: request.call_id.clone(),
            tool: request.tool,
            arguments: request.arguments,
        };
        self.spawn_call(
            session,
            request.call_id,
            cancel,
            Operation::Run(invocation, Box::new(tool)),
        );
        Ok(())
    }

    /// Cancels a call: it ends within a second, whatever its source does.
    pub(crate) fn cancel(
        self: &Arc<Self>,
        session: &Arc<HostSession>,
        call_id: &CallId,
    ) -> Result<(), ApiError> {
        match session.call() {
            Some(call) if call.call_id == *call_id => {
                call.cancel.cancel();
                if call.awaits == Some(AwaitedInput::Response) {
                    session.set_awaits(call_id, None);
                    let cancel = CancellationToken::new();
                    self.spawn_call(session, call_id.clone(), cancel, Operation::StopActing);
                } else if call.awaits.is_some() {
                    // Nothing runs: the call waits for the person, who canceled it.
                    self.report(
                        session,
                        call_id,
                        CallReport::failed(ToolFailure::cancelled(), 0.0),
                    );
                }
                Ok(())
            }
            // The call has ended already, or has not arrived yet.
            _ => {
                session.cancel_unstarted(call_id);
                Ok(())
            }
        }
    }

    /// Resumes a call that asked for confirmation.
    pub(crate) fn confirm(
        self: &Arc<Self>,
        session: &Arc<HostSession>,
        call_id: CallId,
        confirmed: bool,
        payload: Option<JsonText>,
    ) -> Result<(), ApiError> {
        let cancel = waiting(session, &call_id, AwaitedInput::Confirmation, "a confirmation")?;
        self.spawn_call(session, call_id, cancel, Operation::Confirm { confirmed, payload });
        Ok(())
    }

    /// Has the person act as the agent that a call asked to run.
    pub(crate) fn act_as(
        self: &Arc<Self>,
        session: &Arc<HostSession>,
        call_id: CallId,
    ) -> Result<(), ApiError> {
        let cancel = waiting(session, &call_id, AwaitedInput::Confirmation, "a confirmation")?;
        self.spawn_call(session, call_id, cancel, Operation::Act);
        Ok(())
    }

    /// Ends the agent that the person acts as with its final response.
    pub(crate) fn respond(
        self: &Arc<Self>,
        session: &Arc<HostSession>,
        call_id: CallId,
        content: String,
    ) -> Result<(), ApiError> {
        let cancel = waiting(session, &call_id, AwaitedInput::Response, "a final response")?;
        self.spawn_call(session, call_id, cancel, Operation::Respond(content));
        Ok(())
    }

    /// Resumes a long-running call.
    pub(crate) fn supply(
        self: &Arc<Self>,
        session: &Arc<HostSession>,
        call_id: CallId,
        result: JsonText,
    ) -> Result<(), ApiError> {
        let cancel = waiting(session, &call_id, AwaitedInput::Result, "a result")?;
        self.spawn_call(session, call_id, cancel, Operation::Supply(result));
        Ok(())
    }

    fn spawn_call(
        self: &Arc<Self>,
        session: &Arc<HostSession>,
        call_id: CallId,
        cancel: CancellationToken,
        operation: Operation,
    ) {
        let calls = Arc::clone(self);
        let session = Arc::clone(session);
        self.tasks.spawn(async move {
            let began = Instant::now();
            let source = &session.agent.source;
            let asked = async {
                let cancel = cancel.clone();
                match operation {
                    Operation::Run(invocation, tool) => {
                        match schema_failure(&invocation, tool).await {
                            Some(failure) => CallReport::failed(failure, 0.0),
                            None if cancel.is_cancelled() => {
                                CallReport::failed(ToolFailure::cancelled(), 0.0)
                            }
                            None => source.call_tool(invocation, cancel).await,
                        }
                    }
                    Operation::Confirm { confirmed, payload } => {
                        source.confirm(&session.id, &call_id, confirmed, payload, cancel).await
                    }
                    Operation::Supply(result) => {
                        source.supply_result(&session.id, &call_id, result, cancel).await
                    }
                    Operation::Act => source.act_as_agent(&session.id, &call_id, cancel).await,
                    Operation::Respond(content) => {
                        source.respond_as_agent(&session.id, &call_id, &content, cancel).await
                    }
                    Operation::StopActing => source.stop_acting(&session.id, &call_id).await,
                }
            };
            tokio::pin!(asked);
            let report = tokio::select! {
                report = &mut asked => report,
                () = async { cancel.cancelled().await; tokio::time::sleep(CANCEL_GRACE).await } => {
                    let waited = began.elapsed().as_secs_f64() * 1_000.0;
                    let abandoned = CallReport::failed(ToolFailure::abandoned(), waited);
                    calls.report(&session, &call_id, abandoned);
                    // The source still has to clean up, for example stop a stuck worker; otherwise
                    // the next call would fail.
                    let _ = tokio::time::timeout(CLEANUP, asked).await;
                    return;
                }
            };
            match (&report.fault, &report.progress) {
                (Some(fault), _) => session.agent.fault(fault.clone()),
                (None, CallProgress::Failed(_)) => {}
                (None, _) => session.agent.works(),
            }
            calls.report(&session, &call_id, report);
        });
    }

    /// Reports the progress of a call, unless its end was already reported.
    fn report(&self, session: &Arc<HostSession>, call_id: &CallId, report: CallReport) {
        let awaits = match &report.progress {
            CallProgress::AsksConfirmation { .. } => Some(AwaitedInput::Confirmation),
            CallProgress::AwaitsResult { .. } => Some(AwaitedInput::Result),
            CallProgress::Acting { .. } => Some(AwaitedInput::Response),
            CallProgress::Returned(_) | CallProgress::Failed(_) => None,
        };
        let still_running = match awaits {
            Some(_) => session.set_awaits(call_id, awaits),
            None => session.end_call(call_id),
        };
        if !still_running {
            return;
        }
        let update = Arc::new(CallUpdate {
            session: session.id.clone(),
            call_id: call_id.clone(),
            progress: self.page_progress(
                &session.id,
                call_id,
                report.progress,
                (report.recording, report.duration_ms),
            ),
            state: report.state,
            view: report.view.clone().map(page_dto::session_view),
            broken: page_dto::field_messages(report.broken),
        });
        session.store_update(&update, report.view);
        // Without a connected page the report awaits in the session.
        let _ = self.updates.send(update);
    }

    fn page_progress(
        &self,
        session: &SessionId,
        call_id: &CallId,
        progress: CallProgress,
        (recording, duration_ms): (Recording, f64),
    ) -> PageProgress {
        match progress {
            CallProgress::Returned(result) if result.byte_len() <= STORED_OVER_BYTES => {
                PageProgress::Returned { result, recording, duration_ms }
            }
            CallProgress::Returned(result) => {
                match self.stored_results.keep(session, call_id, result) {
                    Ok(stored) => PageProgress::ReturnedStored { stored, recording, duration_ms },
                    Err(error) => PageProgress::Failed {
                        error_type: ToolError::INVALID_OUTPUT.to_owned(),
                        message: format!(
                            "The result is larger than 1 MB and could not be stored on the host: {error}. Free some \
                     disk space and call the tool again."
                        ),
                        traceback: None,
                        duration_ms,
                    },
                }
            }
            CallProgress::Failed(failure) => PageProgress::Failed {
                error_type: failure.error_type,
                message: failure.message,
                traceback: failure.traceback,
                duration_ms,
            },
            CallProgress::AsksConfirmation { hint, payload } => {
                PageProgress::AsksConfirmation { hint, payload }
            }
            CallProgress::AwaitsResult { first } => PageProgress::AwaitsResult { first },
            CallProgress::Acting { rejected } => PageProgress::Acting { rejected },
        }
    }

    /// AwaitedInput until ending calls have ended.
    pub(crate) async fn settle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// Why the arguments are invalid for the tool.
async fn schema_failure(invocation: &ToolInvocation, tool: Box<ToolView>) -> Option<ToolFailure> {
    let arguments = invocation.arguments.clone();
    let check = move || schemas::check_arguments(tool.parameters.as_ref(), &arguments);
    let messages = schemas::run_blocking(check).await;
    let listed: Vec<String> =
        messages.iter().map(|message| format!("{}: {}", message.pointer, message.text)).collect();
    let failure = || ToolFailure::new(ToolError::INVALID_ARGUMENTS, listed.join("; "));
    (!listed.is_empty()).then(failure)
}

fn waiting(
    session: &HostSession,
    call_id: &CallId,
    awaits: AwaitedInput,
    what: &str,
) -> Result<CancellationToken, ApiError> {
    let refused = || ApiError::NotWaiting { call_id: call_id.clone(), what: what.to_owned() };
    let call = session.call().filter(|call| call.call_id == *call_id).ok_or_else(refused)?;
    if call.awaits != Some(awaits) || !session.set_awaits(call_id, None) {
        return Err(refused());
    }
    Ok(call.cancel)
}
