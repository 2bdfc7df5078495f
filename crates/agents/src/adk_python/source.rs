//! [`AdkPythonSource`]: the [`AgentSource`] of an agent folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::{AgentFault, SessionView, SourceKind};
use async_trait::async_trait;
use json_text::JsonText;
use serde::Serialize;
use session::{CallId, SessionId, ToolError};
use tokio_util::sync::CancellationToken;

use super::files::fingerprint;
use super::initial_state::with_initial_state;
use super::messages::{
    CallOutcome, CallTool, Cancel, Cancelled, Confirm, Content, OfCall, OfSession, OpenSession,
    RespondAsAgent, StepReport, SupplyResult,
};
use super::past::{PastTurn, TakeUp};
use super::process::{Hosting, RequestError, Worker};
use super::record::Record;
use super::supervisor::{Supervisor, fault_of};
use crate::reporter::{Reporter, SourceEvent};
use crate::schemas;
use crate::spill_store::MemoryBound;
use crate::{
    AgentFacts, AgentLog, AgentSource, ArtifactContent, CallReport, SessionPast, SessionSeed,
    SourceError, ToolFailure, ToolInvocation,
};

/// How long a worker may take to end a cancelled call before it is replaced.
const CANCEL: Duration = Duration::from_millis(500);
/// How long a view may wait for the server of a toolset.
const VIEW: Duration = Duration::from_secs(120);
/// Memory that records may take before they go to disk.
const RECORDED_IN_MEMORY: u64 = 64 * 1024 * 1024;
/// The session that is opened to find out the agent's tools.
const LOOK: &str = "rehearsal-look";

/// The source of one agent folder, as `adk web` would load it.
pub struct AdkPythonSource {
    supervisor: Arc<Supervisor>,
    sessions: Mutex<HashMap<SessionId, Arc<Open>>>,
    /// The memory that the records of all sessions share.
    recorded: Arc<MemoryBound>,
    reporter: OnceLock<Reporter>,
}

/// One open session.
struct Open {
    id: SessionId,
    seed: SessionSeed,
    slot: tokio::sync::Mutex<SessionSlot>,
}

/// The worker of a session, and what is needed to move the session to another one.
struct SessionSlot {
    record: Record,
    worker: Option<Hosting>,
    /// Whether any worker has had the session. If so, the next one restores it.
    lived: bool,
}

impl SessionSlot {
    /// Closes the session in its worker.
    fn forget(&self, session: &SessionId) {
        if let Some(worker) = &self.worker {
            // A worker that has ended has no sessions.
            let _ = worker.send("close_session", &OfSession { session_id: session.as_str() });
        }
    }
}

impl AdkPythonSource {
    /// A source for the agent in `folder`, run by `python` or else by the interpreter that
    /// `adk` would use.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, python: Option<PathBuf>) -> Self {
        Self {
            supervisor: Arc::new(Supervisor::new(folder.into(), python)),
            sessions: Mutex::default(),
            recorded: MemoryBound::new(RECORDED_IN_MEMORY),
            reporter: OnceLock::new(),
        }
    }

    fn find(&self, session: &SessionId) -> Option<Arc<Open>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned()
    }

    /// The session, with this seed if it is new.
    fn enter(&self, session: &SessionId, seed: SessionSeed) -> Arc<Open> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let open = sessions.entry(session.clone()).or_insert_with(|| {
            let record = Record::new(seed.state.clone(), &self.recorded);
            let slot = SessionSlot { record, worker: None, lived: false };
            Arc::new(Open { id: session.clone(), seed, slot: tokio::sync::Mutex::new(slot) })
        });
        Arc::clone(open)
    }

    fn opened(&self, session: &SessionId) -> Result<Arc<Open>, SourceError> {
        self.find(session).ok_or_else(|| SourceError::UnknownSession(session.clone()))
    }

    /// The worker that has the session. A session without a worker, or whose worker no longer serves, moves
    /// to the one for new sessions. After a reload a session stays where it is. Returns the view if the
    /// session moved.
    async fn settle(
        &self,
        open: &Open,
        slot: &mut SessionSlot,
    ) -> Result<(Arc<Worker>, Option<SessionView>), AgentFault> {
        if let Some(at) = slot.worker.as_ref().filter(|at| at.serves()) {
            return Ok((Arc::clone(at), None));
        }
        let worker = self.supervisor.worker().await?;
        let restore = slot
            .lived
            .then(|| slot.record.restore())
            .transpose()
            .map_err(|error| unreadable(&error.to_string()))?;
        let about = OpenSession {
            session_id: open.id.as_str(),
            user_id: &open.seed.user_id,
            state: &open.seed.state,
            restore: restore.as_ref(),
        };
        let view: SessionView = ask(&worker, "open_session", &about).await.map_err(fault_of)?;
        if slot.lived
            && let Some(reporter) = self.reporter.get()
        {
            reporter.report(SourceEvent::TakenUp { session: open.id.clone() });
        }
        slot.record.set_active_agent(&view.agent.name);
        slot.lived = true;
        if let Some(old) = slot.worker.replace(Hosting::at(&worker)) {
            // The old worker may still run calls of other sessions.
            let _ = old.send("close_session", &OfSession { session_id: open.id.as_str() });
        }
        Ok((worker, Some(view)))
    }

    /// Restores a session of an earlier host in the worker for new sessions.
    async fn take_up(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
        past: &SessionPast,
    ) -> Result<(Open, SessionView), AgentFault> {
        let worker = self.supervisor.worker().await?;
        let about = TakeUp {
            session_id: session.as_str(),
            user_id: &seed.user_id,
            state: &past.state,
            agent: &past.active_agent,
            turns: past.turns.iter().map(PastTurn::of).collect(),
        };
        let report: StepReport = ask(&worker, "take_up", &about).await.map_err(fault_of)?;
        let mut record = Record::new(past.state.clone(), &self.recorded);
        warn_of_failed_record(record.take(report.delta));
        record.set_active_agent(&report.view.agent.name);
        let slot = SessionSlot { record, worker: Some(Hosting::at(&worker)), lived: true };
        let slot = tokio::sync::Mutex::new(slot);
        Ok((Open { id: session.clone(), seed: seed.clone(), slot }, report.view))
    }

    /// What the model would see now.
    async fn show(&self, open: &Open, slot: &mut SessionSlot) -> Result<SessionView, AgentFault> {
        match self.settle(open, slot).await? {
            (_, Some(view)) => Ok(view),
            (worker, None) => {
                let about = OfSession { session_id: open.id.as_str() };
                ask(&worker, "describe", &about).await.map_err(fault_of)
            }
        }
    }

    /// Sends the query or the final response to the worker, and records the changes that the agent's
    /// callbacks make. A worker that ends meanwhile is replaced once.
    async fn update_view(
        &self,
        open: &Open,
        slot: &mut SessionSlot,
        method: &str,
        text: &str,
    ) -> Result<SessionView, SourceError> {
        let about = Content { session_id: open.id.as_str(), text };
        let mut tried_again = false;
        let report: StepReport = loop {
            let (worker, _) = self.settle(open, slot).await.map_err(SourceError::Faulted)?;
            match ask(&worker, method, &about).await {
                Ok(report) => break report,
                Err(RequestError::Exited(_)) if !tried_again => {
                    tried_again = true;
                    slot.worker = None;
                }
                Err(error) => return Err(SourceError::Faulted(fault_of(error))),
            }
        };
        warn_of_failed_record(slot.record.take(report.delta));
        slot.record.set_active_agent(&report.view.agent.name);
        Ok(report.view)
    }

    /// Runs one call, or continues it. A canceled call ends within [`CANCEL`].
    async fn run<P: Serialize + Sync>(
        &self,
        session: &SessionId,
        call_id: &CallId,
        method: &str,
        params: P,
        cancel: CancellationToken,
    ) -> CallReport {
        let began = Instant::now();
        let elapsed = || began.elapsed().as_secs_f64() * 1000.0;
        let Some(open) = self.find(session) else {
            let message = format!("session {session} is not open");
            return CallReport::failed(ToolFailure::new("UnknownSession", message), 0.0);
        };
        let mut slot = open.slot.lock().await;
        let settled = tokio::select! {
            settled = self.settle(&open, &mut slot) => settled,
            () = cancel.cancelled() => {
                return CallReport::failed(ToolFailure::cancelled(), elapsed());
            }
        };
        let worker = match settled {
            Ok((worker, _)) => worker,
            Err(fault) => {
                let failed = CallReport::failed(failure_of(fault.clone()), elapsed());
                return CallReport { fault: Some(fault), ..failed };
            }
        };
        let under_way = worker.begin();
        let answered = match worker.send(method, &params) {
            Ok(answered) => answered,
            Err(error) => return self.lost(&mut slot, error, elapsed()),
        };
        let lost = || Err(RequestError::Unreadable("the host is stopping".to_owned()));
        tokio::pin!(answered);
        let answer = tokio::select! {
            answer = &mut answered => answer.unwrap_or_else(|_| lost()),
            () = cancel.cancelled() => {
                let ended = stop_call(&worker, session, call_id);
                // If the worker reports that the call does not end, it is not waited for.
                let both = async {
                    match ended.await {
                        true => Some((&mut answered).await.unwrap_or_else(|_| lost())),
                        false => None,
                    }
                };
                match tokio::time::timeout(CANCEL, both).await {
                    Ok(Some(answer)) => answer,
                    Ok(None) | Err(_) => {
                        // Stuck: new calls go to a fresh worker, this session moves there.
                        slot.worker = None;
                        drop(under_way);
                        self.supervisor.replace(&worker).await;
                        self.prepare();
                        return CallReport::failed(ToolFailure::abandoned(), elapsed());
                    }
                }
            }
        };
        match answer.and_then(|answer| {
            answer
                .decode::<CallOutcome>()
                .map_err(|error| RequestError::Unreadable(error.to_string()))
        }) {
            Ok(mut outcome) => {
                warn_of_failed_record(slot.record.take(std::mem::take(&mut outcome.delta)));
                if let Some(view) = &outcome.view {
                    slot.record.set_active_agent(&view.agent.name);
                }
                outcome.report().await
            }
            Err(error) => self.lost(&mut slot, error, elapsed()),
        }
    }

    /// The failure of a call without an outcome.
    fn lost(&self, slot: &mut SessionSlot, error: RequestError, duration_ms: f64) -> CallReport {
        let failure = match error {
            RequestError::Refused(error) => error.failure(),
            error @ RequestError::Exited(_) => {
                slot.worker = None;
                self.prepare();
                let message = format!(
                    "{error} A new worker takes over with the session's state and artifacts as \
                     they were before this call."
                );
                ToolFailure::new(ToolError::WORKER_EXITED, message)
            }
            error @ (RequestError::TooLong | RequestError::Unreadable(_)) => {
                // The worker's session holds what the record lacks: rebuild it.
                slot.worker = None;
                let message = format!("The tool's result cannot be read: {error}. Return less.");
                ToolFailure::new(ToolError::INVALID_OUTPUT, message)
            }
        };
        CallReport::failed(failure, duration_ms)
    }

    async fn forget_played(&self, session: &SessionId, call_id: &CallId) {
        if let Some(open) = self.find(session) {
            open.slot.lock().await.record.end_played(call_id.as_str());
        }
    }

    /// Starts the next worker before it is needed.
    fn prepare(&self) {
        let supervisor = Arc::clone(&self.supervisor);
        tokio::spawn(async move {
            if let Err(fault) = supervisor.worker().await {
                tracing::warn!("no new worker: {}", fault.reason);
            }
        });
    }
}

/// Every tool of the model, last those that only its own service runs.
fn tool_names(view: &SessionView) -> Vec<String> {
    let declared = view.tools.iter().map(|tool| tool.name.to_string());
    declared.chain(view.model_side_tools.iter().cloned()).collect()
}

/// Cancels a call. Returns whether it is over.
async fn stop_call(worker: &Worker, session: &SessionId, call_id: &CallId) -> bool {
    let about = Cancel { session_id: session.as_str(), call_id: call_id.as_str() };
    let answer: Result<Cancelled, RequestError> = ask(worker, "cancel", &about).await;
    // A worker that has ended has ended its calls.
    answer.map_or_else(|error| matches!(error, RequestError::Exited(_)), |it| it.ended)
}

async fn ask<P: Serialize + Sync, T: serde::de::DeserializeOwned>(
    worker: &Worker,
    method: &str,
    params: &P,
) -> Result<T, RequestError> {
    let answer = tokio::time::timeout(VIEW, worker.request(method, params)).await;
    let answer = answer.unwrap_or_else(|_| {
        let waited = VIEW.as_secs();
        Err(RequestError::Unreadable(format!("none came within {waited} seconds")))
    })?;
    answer.decode().map_err(|error| RequestError::Unreadable(error.to_string()))
}

/// Logs that a record is incomplete. The session continues, but cannot be restored completely.
fn warn_of_failed_record(recorded: std::io::Result<()>) {
    if let Err(error) = recorded {
        tracing::warn!("a session's record could not be kept whole: {error}; free some disk space");
    }
}

fn unreadable(what: &str) -> AgentFault {
    AgentFault {
        reason: format!("The session cannot be moved: {what}"),
        error_type: None,
        traceback: None,
    }
}

/// The failure of a call without a worker. The tool did not run, so its error type is not the fault's.
fn failure_of(fault: AgentFault) -> ToolFailure {
    let named = fault.error_type.filter(|it| it != ToolError::WORKER_EXITED);
    let named = named.map(|it| format!("{it}: ")).unwrap_or_default();
    ToolFailure {
        error_type: ToolError::WORKER_EXITED.to_owned(),
        message: format!(
            "The agent's worker exited, and a new worker cannot start. {named}{} Fix the agent and \
             call the tool again. The session is kept.",
            fault.reason
        ),
        traceback: fault.traceback,
    }
}

#[async_trait]
impl AgentSource for AdkPythonSource {
    fn report_to(&self, reporter: Reporter) {
        // It is set once.
        let _ = self.reporter.set(reporter);
    }

    fn kind(&self) -> SourceKind {
        SourceKind::AdkPython
    }

    fn loaded_with(&self) -> Option<String> {
        Some(self.supervisor.interpreter().to_string())
    }

    fn fingerprint(&self, eval_set: &Path) -> Option<u64> {
        Some(fingerprint(self.supervisor.folder(), eval_set))
    }

    async fn load(&self, seed: &SessionSeed, log: Arc<AgentLog>) -> Result<AgentFacts, AgentFault> {
        let with_interpreter = |fault: AgentFault| self.supervisor.with_interpreter(fault);
        let (worker, about) = self.supervisor.restart(log).await.map_err(with_interpreter)?;
        let seed = with_initial_state(self.supervisor.folder(), seed).await?;
        // Opening a session shows more than an import, such as toolsets that cannot connect.
        let look = OpenSession {
            session_id: LOOK,
            user_id: &seed.user_id,
            state: &seed.state,
            restore: None,
        };
        let view: Result<SessionView, _> = ask(&worker, "open_session", &look).await;
        let view = view.map_err(|error| with_interpreter(fault_of(error)))?;
        let _ = worker.request("close_session", &OfSession { session_id: LOOK }).await;
        let tools = tool_names(&view);
        Ok(AgentFacts {
            app_name: view.app_name,
            description: view.agent.description,
            model: view.agent.model,
            tools,
            runtime: Some(format!("python {} · google-adk {}", about.python, about.adk_version)),
        })
    }

    async fn open_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
    ) -> Result<SessionView, SourceError> {
        let open = match self.find(session) {
            Some(open) => open,
            None => {
                let seed = with_initial_state(self.supervisor.folder(), seed).await;
                self.enter(session, seed.map_err(SourceError::Faulted)?)
            }
        };
        let mut slot = open.slot.lock().await;
        let shown = match self.show(&open, &mut slot).await {
            // The worker may have been killed for a stuck call of another session: use the next one.
            Err(fault) if fault.error_type.as_deref() == Some(ToolError::WORKER_EXITED) => {
                slot.worker = None;
                self.show(&open, &mut slot).await
            }
            shown => shown,
        };
        if shown.is_err() && !slot.lived {
            // A session that was never open is not closed by its caller.
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            if sessions.get(session).is_some_and(|now| Arc::ptr_eq(now, &open)) {
                sessions.remove(session);
            }
        }
        drop(slot);
        Ok(schemas::warned_of_unchecked(shown.map_err(SourceError::Faulted)?).await)
    }

    async fn restore_session(
        &self,
        session: &SessionId,
        seed: &SessionSeed,
        past: &SessionPast,
    ) -> Result<Option<SessionView>, SourceError> {
        let taken = match self.take_up(session, seed, past).await {
            // The worker may have been killed for a stuck call of another session: use the next one.
            Err(fault) if fault.error_type.as_deref() == Some(ToolError::WORKER_EXITED) => {
                self.take_up(session, seed, past).await
            }
            taken => taken,
        };
        let (open, view) = taken.map_err(SourceError::Faulted)?;
        {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.insert(session.clone(), Arc::new(open));
        }
        Ok(Some(schemas::warned_of_unchecked(view).await))
    }

    async fn begin_invocation(
        &self,
        session: &SessionId,
        content: &str,
    ) -> Result<SessionView, SourceError> {
        let open = self.opened(session)?;
        let mut slot = open.slot.lock().await;
        let view = self.update_view(&open, &mut slot, "user_content", content).await?;
        slot.record.record_user_content(content);
        drop(slot);
        Ok(schemas::warned_of_unchecked(view).await)
    }

    async fn end_invocation(
        &self,
        session: &SessionId,
        content: &str,
    ) -> Result<Option<SessionView>, SourceError> {
        let open = self.opened(session)?;
        let mut slot = open.slot.lock().await;
        let view = self.update_view(&open, &mut slot, "final_response", content).await?;
        drop(slot);
        Ok(Some(schemas::warned_of_unchecked(view).await))
    }

    async fn call_tool(&self, call: ToolInvocation, cancel: CancellationToken) -> CallReport {
        let params = CallTool {
            session_id: call.session.as_str(),
            call_id: call.call_id.as_str(),
            tool: call.tool.as_str(),
            args: &call.arguments,
        };
        self.run(&call.session, &call.call_id, "call_tool", params, cancel).await
    }

    async fn confirm(
        &self,
        session: &SessionId,
        call_id: &CallId,
        confirmed: bool,
        payload: Option<JsonText>,
        cancel: CancellationToken,
    ) -> CallReport {
        let (session_id, id) = (session.as_str(), call_id.as_str());
        let params = Confirm { session_id, call_id: id, confirmed, payload };
        self.run(session, call_id, "confirm", params, cancel).await
    }

    async fn supply_result(
        &self,
        session: &SessionId,
        call_id: &CallId,
        result: JsonText,
        cancel: CancellationToken,
    ) -> CallReport {
        let (session_id, id) = (session.as_str(), call_id.as_str());
        let params = SupplyResult { session_id, call_id: id, result: &result };
        let mut report = self.run(session, call_id, "supply_result", params, cancel).await;
        if let crate::CallProgress::Returned(returned) = &mut report.progress {
            // Keeps the digits that the person typed.
            *returned = result;
        }
        report
    }

    async fn act_as_agent(
        &self,
        session: &SessionId,
        call_id: &CallId,
        cancel: CancellationToken,
    ) -> CallReport {
        let params = OfCall { session_id: session.as_str(), call_id: call_id.as_str() };
        self.run(session, call_id, "play", params, cancel).await
    }

    async fn respond_as_agent(
        &self,
        session: &SessionId,
        call_id: &CallId,
        content: &str,
        cancel: CancellationToken,
    ) -> CallReport {
        let (session_id, id) = (session.as_str(), call_id.as_str());
        let params = RespondAsAgent { session_id, call_id: id, text: content };
        let mut report = self.run(session, call_id, "respond_as_agent", params, cancel).await;
        if let crate::CallProgress::Failed(failure) = &report.progress
            && failure.error_type == ToolError::WORKER_EXITED
        {
            // The record still has the agent that the person acts as, so the person sends the response again.
            let rejected = Some(failure.message.clone());
            report.progress = crate::CallProgress::Acting { rejected };
        } else if !matches!(report.progress, crate::CallProgress::Acting { .. }) {
            self.forget_played(session, call_id).await;
        }
        report
    }

    async fn stop_acting(&self, session: &SessionId, call_id: &CallId) -> CallReport {
        let params = OfCall { session_id: session.as_str(), call_id: call_id.as_str() };
        let token = CancellationToken::new();
        let report = self.run(session, call_id, "stop_playing", params, token).await;
        self.forget_played(session, call_id).await;
        report
    }

    async fn artifact(&self, session: &SessionId, index: usize) -> Option<ArtifactContent> {
        self.find(session)?.slot.lock().await.record.artifact(index)
    }

    async fn close_session(&self, session: &SessionId) {
        let open = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
        let Some(open) = open else { return };
        if let Ok(slot) = open.slot.try_lock() {
            slot.forget(session);
            return;
        }
        // A call under way has the slot locked. The worker closes the session after it.
        let session = session.clone();
        tokio::spawn(async move { open.slot.lock().await.forget(&session) });
    }

    async fn shut_down(&self) {
        self.supervisor.stop().await;
    }
}
