//! [`Host`]: what the page's server functions call.

mod exchange;
mod restore;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use agents::SimulatedAgentConfig;
use agents::registry::{RegisteredAgent, Registry};
use agents::schemas;
use agents::{AgentFault, AnswerError, ArtifactContent, SessionSeed, SourceError, SourceKind};
use api::host::{AgentHost, CallHost, EvalSetHost, RehearsalHost, ReportHost, RunHost};
use api::{
    AgentSummary, Answer, ApiError, CaseChange, CaseDownload, CaseList, CaseQuery, CaseVersion,
    CaseView, EvalSetList, ExportPreview, ExportReceipt, ExportRequest, FieldMessage, LogLine,
    ReportId, ReportList, ResourceContent, RestoreRequest, RestoredSession, ResultSlice,
    SessionView, SetId, ToolRequest, ValueTarget, agent_in_address,
};
use async_trait::async_trait;
use json_text::{JsonText, Node};
use percent_encoding::percent_decode_str;
use session::{AgentId, CallId, GoldenTrace, GoldenTurn, SessionId, ToolName};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::access::AuditEntry;
use crate::actor::exporter;
use crate::blocking::run_blocking;
use crate::evalsets::{self, EvalSets, RehearsalExport, SetFile};
use crate::folders::Folders;
use crate::page_dto;
use crate::replaceable::Replaceable;
use crate::reports;
use crate::served_file::ServedFile;
use crate::sessions::{Calls, HostSession, Sessions, StoredResults};

/// How often the host looks for silent sessions.
const SWEEP: Duration = Duration::from_secs(30);
/// How often the host looks for changed files of the agents.
const WATCH: Duration = Duration::from_secs(1);
/// How many agents load at once, and how long one may delay the others.
const LOADING_AT_ONCE: usize = 2;
const SLOW_LOAD: Duration = Duration::from_secs(10);

/// The agents, sessions and calls of the page.
pub(crate) struct Host {
    pub(crate) registry: Registry,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) calls: Arc<Calls>,
    stored_results: Arc<StoredResults>,
    pub(crate) folders: Replaceable<Folders>,
    pub(crate) runs: Arc<dyn RunHost>,
    /// Whether exports write results as google-adk records them, unless the person chooses.
    pub(crate) adk_tool_responses: Replaceable<bool>,
    /// What agents that were removed or replaced still do, and the loading of new ones.
    exchanges: Mutex<JoinSet<()>>,
}

impl Host {
    pub(crate) fn new(
        agents: Vec<SimulatedAgentConfig>,
        folders: Folders,
        adk_tool_responses: bool,
        stored_results: StoredResults,
        runs: Arc<dyn RunHost>,
    ) -> Arc<Self> {
        let sessions = Arc::new(Sessions::default());
        let stored_results = Arc::new(stored_results);
        let shown = Arc::clone(&sessions);
        let registry = Registry::new(agents, move |change| {
            if let Some(session) = shown.find(&change.session) {
                session.set_view(change.view.clone());
            }
        });
        Arc::new(Self {
            registry,
            sessions,
            calls: Arc::new(Calls::new(Arc::clone(&stored_results))),
            stored_results,
            folders: Replaceable::new(folders),
            runs,
            adk_tool_responses: Replaceable::new(adk_tool_responses),
            exchanges: Mutex::default(),
        })
    }

    /// Loads every agent in order, a few at once: imports are expensive, and the first agents are
    /// usable while the later ones load. A slow agent lets the next one start.
    pub(crate) async fn load_agents(&self) {
        self.load(&self.registry.agents()).await;
    }

    async fn load(&self, agents: &[Arc<RegisteredAgent>]) {
        let permits = Semaphore::new(LOADING_AT_ONCE);
        let load = async |agent: &Arc<RegisteredAgent>| {
            // Nothing is imported or started for it.
            if agent.source.kind() == SourceKind::Native {
                return drop(agent.load().await);
            }
            // The semaphore is never closed.
            let permit = permits.acquire().await;
            let mut loading = std::pin::pin!(agent.load());
            if tokio::time::timeout(SLOW_LOAD, loading.as_mut()).await.is_err() {
                drop(permit);
                // The agent shows its fault.
                drop(loading.await);
            }
        };
        futures::future::join_all(agents.iter().map(load)).await;
    }

    /// Removes sessions of closed pages, and old results. Never returns.
    pub(crate) async fn sweep(&self) {
        let mut ticks = tokio::time::interval(SWEEP);
        loop {
            ticks.tick().await;
            for session in self.sessions.take_silent(Instant::now()) {
                tracing::info!(session = %session.id, "closing the session: its page sent no keep-alive");
                let _change = self.sessions.change(&session.id).await;
                // Its page may have opened it again meanwhile.
                if self.sessions.find(&session.id).is_none() {
                    self.end(&session).await;
                }
            }
            let (stored, sessions) = (Arc::clone(&self.stored_results), Arc::clone(&self.sessions));
            let removed = run_blocking("delete old results", move || {
                stored.remove_old(SystemTime::now(), |session| sessions.find(session).is_some());
                Ok(())
            });
            // A failure is logged.
            let _ = removed.await;
        }
    }

    /// Looks for changed files of the agents while a page is connected. An agent that failed to load, such as one in a
    /// folder that was still being copied, is loaded again. Never returns.
    pub(crate) async fn watch_agents(&self) {
        let mut ticks = tokio::time::interval(WATCH);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut loading = JoinSet::new();
        loop {
            ticks.tick().await;
            if !self.registry.has_listeners() {
                continue;
            }
            while loading.try_join_next().is_some() {}
            for agent in self.registry.agents().iter() {
                // The others follow at a later look.
                if agent.look_for_changes().await && loading.len() < LOADING_AT_ONCE {
                    let (agent, sessions) = (Arc::clone(agent), Arc::clone(&self.sessions));
                    loading.spawn(async move {
                        if agent.load_changed().await.is_ok() {
                            sessions.renew(&agent).await;
                        }
                    });
                }
            }
        }
    }

    async fn end(&self, session: &Arc<HostSession>) {
        if let Some(call) = session.call() {
            call.cancel.cancel();
        }
        session.agent.source.close_session(&session.id).await;
        self.remove_exported(session);
    }

    /// Deletes the stored results of a session that ends, if an export has them.
    fn remove_exported(&self, session: &HostSession) {
        if session.is_exported() {
            self.stored_results.remove(&session.id);
        }
    }

    /// Ends every worker.
    pub(crate) async fn shut_down(&self) {
        self.sessions.list().iter().for_each(|session| self.remove_exported(session));
        let agents = self.registry.agents();
        futures::future::join_all(agents.iter().map(|agent| agent.source.shut_down())).await;
        let exchanges = std::mem::take(&mut *self.exchanges());
        exchanges.join_all().await;
    }

    fn exchanges(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agent that this segment of an address means, which may have been removed.
    pub(crate) fn agent_in_address(&self, segment: &str) -> Option<AgentId> {
        let written = percent_decode_str(segment).decode_utf8_lossy();
        let agents = self.registry.all();
        let named = agents.iter().map(|agent| (&agent.id, agent.name.as_str()));
        agent_in_address(&written, named).cloned()
    }

    /// The agent with this id, which may have been removed.
    fn any_agent(&self, id: &AgentId) -> Result<Arc<RegisteredAgent>, ApiError> {
        self.registry.find_any(id).ok_or_else(|| ApiError::UnknownAgent {
            id: id.clone(),
            known: self.registry.agents().iter().map(|agent| agent.id.clone()).collect(),
        })
    }

    fn agent(&self, id: &AgentId) -> Result<Arc<RegisteredAgent>, ApiError> {
        let agent = self.any_agent(id)?;
        match agent.gone() {
            Some(fault) => Err(faulted(fault.clone())),
            None => Ok(agent),
        }
    }

    /// The session, if its agent can be used.
    fn usable(&self, id: &SessionId) -> Result<Arc<HostSession>, ApiError> {
        let session = self.session(id)?;
        let agent = self.agent(&session.agent.id)?;
        // The page opens it again with an agent that replaced its own.
        let is_open = Arc::ptr_eq(&agent, &session.agent);
        is_open.then_some(session).ok_or_else(|| ApiError::UnknownSession(id.clone()))
    }

    fn session(&self, id: &SessionId) -> Result<Arc<HostSession>, ApiError> {
        let session = self.sessions.find(id).ok_or_else(|| ApiError::UnknownSession(id.clone()))?;
        session.record_keep_alive();
        Ok(session)
    }

    /// A report's file and its length in bytes.
    pub(crate) async fn open_report(&self, report: ReportId) -> Result<(File, u64), ApiError> {
        let folders = self.folders.get().reports.clone();
        run_blocking("open a report", move || reports::open(&folders, &report)).await
    }

    /// The content of an artifact, by its index in the view of the session.
    pub(crate) async fn artifact(&self, session: &str, index: usize) -> Option<ArtifactContent> {
        let session = self.usable(&SessionId::parse(session).ok()?).ok()?;
        session.agent.source.artifact(&session.id, index).await
    }

    /// A content of a resource that the person opened.
    pub(crate) fn opened_resource(&self, session: &str, number: u64) -> Option<ServedFile> {
        self.session(&SessionId::parse(session).ok()?).ok()?.opened_resources.find(number)
    }

    /// The eval set of an id.
    pub(crate) async fn set(&self, id: SetId) -> Result<SetFile, ApiError> {
        let sets = self.sets();
        run_blocking("find an eval set", move || sets.find(&id)).await
    }

    fn sets(&self) -> EvalSets {
        EvalSets::new(&self.registry, self.folders.get().eval_sets.clone())
    }

    /// The rehearsal of a request, with its trace validated.
    pub(crate) fn rehearsal(&self, request: ExportRequest) -> Result<RehearsalExport, ApiError> {
        let agent = self.any_agent(&request.agent)?;
        let session = self.sessions.find(&request.session);
        if let Some(session) = &session {
            session.record_keep_alive();
            if session.agent.id != request.agent {
                let reason = format!(
                    "it belongs to the agent {}, not to {}",
                    session.agent.id, request.agent
                );
                return Err(ApiError::NotExportable(reason));
            }
        }
        let ExportRequest { session: id, agent: agent_id, history, state, mut choices } = request;
        choices.adk_tool_responses.get_or_insert(*self.adk_tool_responses.get());
        let mut trace = GoldenTrace::from_history(id, agent_id, history)
            .map_err(|fault| ApiError::NotExportable(fault.to_string()))?;
        if agent.source.kind() != SourceKind::AdkPython {
            // Rehearsal asked for these confirmations, and google-adk would not.
            trace.calls_mut().for_each(|call| call.call.waited = None);
        }
        let stored_results = Arc::clone(&self.stored_results);
        Ok(RehearsalExport { agent, session, stored_results, trace, state, choices })
    }

    /// The rehearsal of a request, also checked against the agent: its schemas, and whether the person acted as
    /// the whole of it.
    async fn exportable(&self, request: ExportRequest) -> Result<RehearsalExport, ApiError> {
        let session = request.session.clone();
        let is_gone = self.sessions.find(&session).is_none();
        if is_gone {
            // The schemas of query and response are known while a session is open. If the agent
            // cannot open one, the trace is exported without them.
            let _ = self
                .open_session(session.clone(), request.agent.clone(), request.state.clone())
                .await;
        }
        let export = self.rehearsal(request);
        if is_gone && self.sessions.find(&session).is_some_and(|open| !open.has_begun()) {
            // It has the initial state, so that the page must not go on in it.
            self.close(&session).await;
        }
        let export = export?;
        if let Some(session) = &export.session {
            let view = session.view();
            if let Some(workflow) = view.workflow {
                let reason = workflow.why_not_a_case(&view.agent.name);
                return Err(ApiError::PartOfWorkflow(reason));
            }
            let turns = export.trace.turns.clone();
            let check = move || turns.iter().try_for_each(|turn| check_turn(&view, turn));
            let fits = schemas::run_blocking(check).await;
            fits.map_err(|error| ApiError::NotExportable(error.to_string()))?;
        }
        Ok(export)
    }

    /// Closes a session, and keeps what is stored of it.
    async fn close(&self, session: &SessionId) {
        // A running call may delay what opens the session again.
        if let Some(call) = self.sessions.find(session).and_then(|session| session.call()) {
            call.cancel.cancel();
        }
        let _change = self.sessions.change(session).await;
        if let Some(session) = self.sessions.remove(session) {
            self.end(&session).await;
        }
    }

    /// The file that `export` goes to.
    async fn export_path(&self, export: &RehearsalExport) -> Result<PathBuf, ApiError> {
        match &export.choices.set {
            Some(set) => Ok(self.set(set.clone()).await?.path),
            None => Ok(export.agent.eval_set_path.clone()),
        }
    }
}

/// Checks a turn's query and final response against the agent's schemas.
fn check_turn(view: &agents::SessionView, turn: &GoldenTurn) -> Result<(), schemas::EndError> {
    schemas::check_query(view, &turn.query.content)?;
    // google-adk has validated the value of `set_model_response`.
    match turn.calls.last().and_then(session::Call::model_response) {
        Some(_) => Ok(()),
        None => schemas::check_response(view, &turn.final_response.content),
    }
}

/// What a session of `agent` starts from: the entered `state`, or else as configured.
fn seed(agent: &RegisteredAgent, state: Option<JsonText>) -> Result<SessionSeed, ApiError> {
    let Some(state) = state else { return Ok(agent.seed.clone()) };
    let state = members(&state, "initial state")?;
    Ok(SessionSeed { user_id: agent.seed.user_id.clone(), state, is_whole: true })
}

/// The members of a state that the page sent.
fn members(state: &JsonText, what: &str) -> Result<BTreeMap<String, JsonText>, ApiError> {
    let Node::Object(members) = state.open() else {
        let kind = state.kind().phrase();
        let text = format!("The {what} must be a JSON object. Found {kind}.");
        return Err(ApiError::Invalid(vec![FieldMessage { pointer: String::new(), text }]));
    };
    Ok(members.into_iter().map(|(key, value)| (key, value.into())).collect())
}

fn faulted(fault: AgentFault) -> ApiError {
    ApiError::AgentFaulted(Box::new(fault))
}

fn refusal(agent: &RegisteredAgent, error: SourceError) -> ApiError {
    match error {
        SourceError::UnknownSession(id) => ApiError::UnknownSession(id),
        SourceError::Faulted(fault) => {
            agent.fault(fault.clone());
            faulted(fault)
        }
    }
}

fn unreadable(error: &std::io::Error) -> ApiError {
    tracing::error!("a stored result cannot be read: {error}");
    ApiError::Internal("read a large result".to_owned())
}

#[async_trait]
impl AgentHost for Host {
    async fn list_agents(&self) -> Result<Vec<AgentSummary>, ApiError> {
        Ok(self.registry.all().iter().map(|agent| page_dto::agent_summary(agent)).collect())
    }

    async fn reload_agent(&self, agent: AgentId) -> Result<AgentSummary, ApiError> {
        let agent = self.agent(&agent)?;
        let sessions = Arc::clone(&self.sessions);
        // A task of its own: a page that is closed meanwhile does not interrupt it.
        let reloading = tokio::spawn(async move {
            if agent.load().await.is_ok() {
                sessions.renew(&agent).await;
            }
            page_dto::agent_summary(&agent)
        });
        reloading.await.map_err(|_| ApiError::Internal("reload the agent".to_owned()))
    }

    async fn stop_loading(&self, agent: AgentId) -> Result<(), ApiError> {
        self.agent(&agent)?.stop_loading();
        Ok(())
    }

    async fn read_agent_log(&self, agent: AgentId) -> Result<Vec<LogLine>, ApiError> {
        Ok(self.any_agent(&agent)?.log.lines())
    }
}

#[async_trait]
impl RehearsalHost for Host {
    async fn open_session(
        &self,
        session: SessionId,
        agent: AgentId,
        state: Option<JsonText>,
    ) -> Result<SessionView, ApiError> {
        let _change = self.sessions.change(&session).await;
        let agent = self.agent(&agent)?;
        let seed = seed(&agent, state)?;
        match self.sessions.open_on(&session, &agent)? {
            // A session that is open does not depend on a reload.
            Some(open) if open.has_begun() || open.seed == seed => {}
            Some(_) => {
                self.sessions.remove(&session);
                agent.source.close_session(&session).await;
            }
            None => agent.ready().await.map_err(faulted)?,
        }
        let opened = agent.source.open_session(&session, &seed).await;
        let view = opened.map_err(|error| refusal(&agent, error))?;
        self.sessions.enter(&session, &agent, seed, view.clone()).record_keep_alive();
        Ok(page_dto::session_view(view))
    }

    async fn restore_session(&self, request: RestoreRequest) -> Result<RestoredSession, ApiError> {
        restore::restore(self, request).await
    }

    async fn begin_invocation(
        &self,
        session: SessionId,
        content: String,
    ) -> Result<SessionView, ApiError> {
        let session = self.usable(&session)?;
        let begun = session.agent.source.begin_invocation(&session.id, &content).await;
        let view = begun.map_err(|error| refusal(&session.agent, error))?;
        session.begin(view.clone());
        Ok(page_dto::session_view(view))
    }

    async fn end_invocation(
        &self,
        session: SessionId,
        content: String,
    ) -> Result<SessionView, ApiError> {
        let session = self.usable(&session)?;
        let ended = session.agent.source.end_invocation(&session.id, &content).await;
        match ended.map_err(|error| refusal(&session.agent, error))? {
            Some(view) => {
                session.set_view(view.clone());
                Ok(page_dto::session_view(view))
            }
            None => Ok(page_dto::session_view(session.view())),
        }
    }

    async fn check_value(
        &self,
        session: SessionId,
        target: ValueTarget,
        value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError> {
        let view = self.session(&session)?.view();
        schemas::run_blocking(move || {
            let found = match &target {
                ValueTarget::Input => schemas::check_schema(view.input_schema.as_ref(), &value),
                ValueTarget::Output => schemas::check_schema(view.output_schema.as_ref(), &value),
                ValueTarget::Arguments(name) => {
                    let tool = view.tools.iter().find(|tool| tool.name == *name);
                    let unknown = || ApiError::UnknownTool(name.to_string());
                    let tool = tool.ok_or_else(unknown)?;
                    schemas::check_arguments(tool.parameters.as_ref(), &value)
                }
            };
            Ok(page_dto::field_messages(found))
        })
        .await
    }

    async fn close_session(&self, session: SessionId) -> Result<(), ApiError> {
        self.close(&session).await;
        self.stored_results.remove(&session);
        Ok(())
    }

    async fn preview_export(&self, request: ExportRequest) -> Result<ExportPreview, ApiError> {
        let export = self.exportable(request).await?;
        let path = self.export_path(&export).await?;
        evalsets::preview(export, path).await
    }

    async fn case_file(&self, request: ExportRequest) -> Result<CaseDownload, ApiError> {
        evalsets::case_file(self.exportable(request).await?).await
    }

    async fn export_session(
        &self,
        request: ExportRequest,
        by: Option<String>,
    ) -> Result<ExportReceipt, ApiError> {
        let by = exporter(by.as_deref())?;
        let export = self.exportable(request).await?;
        let path = self.export_path(&export).await?;
        let entry = AuditEntry::new("export")
            .with("agent", &export.agent.id)
            .with("session", &export.trace.session_id);
        let entry = entry.by_optional(by.as_ref());
        let session = export.trace.session_id.clone();
        let receipt = evalsets::export(export, path, entry.with_caller()).await?;
        match self.sessions.find(&session) {
            // Its page still shows the results.
            Some(session) => session.record_export(),
            None => self.stored_results.remove(&session),
        }
        Ok(receipt)
    }
}

#[async_trait]
impl CallHost for Host {
    async fn start_call(&self, request: ToolRequest) -> Result<(), ApiError> {
        let session = self.usable(&request.session)?;
        self.calls.start(&session, request)
    }

    async fn cancel_call(&self, session: SessionId, call_id: CallId) -> Result<(), ApiError> {
        let session = self.session(&session)?;
        self.calls.cancel(&session, &call_id)
    }

    async fn confirm_call(
        &self,
        session: SessionId,
        call_id: CallId,
        confirmed: bool,
        payload: Option<JsonText>,
    ) -> Result<(), ApiError> {
        let session = self.usable(&session)?;
        self.calls.confirm(&session, call_id, confirmed, payload)
    }

    async fn supply_result(
        &self,
        session: SessionId,
        call_id: CallId,
        result: JsonText,
    ) -> Result<(), ApiError> {
        let session = self.usable(&session)?;
        self.calls.supply(&session, call_id, result)
    }

    async fn act_as_agent(&self, session: SessionId, call_id: CallId) -> Result<(), ApiError> {
        let session = self.usable(&session)?;
        self.calls.act_as(&session, call_id)
    }

    async fn respond_as_agent(
        &self,
        session: SessionId,
        call_id: CallId,
        content: String,
    ) -> Result<(), ApiError> {
        let session = self.usable(&session)?;
        self.calls.respond(&session, call_id, content)
    }

    async fn read_stored_result(
        &self,
        session: SessionId,
        call_id: CallId,
        offset: u64,
    ) -> Result<ResultSlice, ApiError> {
        if let Some(session) = self.sessions.find(&session) {
            session.record_keep_alive();
        }
        match self.stored_results.slice(&session, &call_id, offset) {
            Ok(Some(slice)) => Ok(slice),
            Ok(None) => Err(ApiError::ResultGone(call_id)),
            Err(error) => Err(unreadable(&error)),
        }
    }

    async fn read_resource(
        &self,
        session: SessionId,
        tool: ToolName,
        uri: String,
    ) -> Result<Vec<ResourceContent>, ApiError> {
        let session = self.usable(&session)?;
        let read = session.agent.source.read_resource(&session.id, &tool, &uri).await;
        let contents = read.map_err(|error| ApiError::Resource(error.to_string()))?.into_iter();
        Ok(contents.map(|content| session.opened_resources.keep(&session.id, content)).collect())
    }

    async fn answer_question(
        &self,
        session: SessionId,
        number: u64,
        answer: Answer,
    ) -> Result<(), ApiError> {
        let session = self.session(&session)?;
        let answered = session.agent.source.answer(&session.id, number, answer).await;
        answered.map_err(|error| match error {
            AnswerError::NotWaiting => ApiError::QuestionGone,
            AnswerError::Invalid(found) => ApiError::Invalid(page_dto::field_messages(found)),
        })
    }
}

#[async_trait]
impl EvalSetHost for Host {
    async fn list_eval_sets(&self) -> Result<EvalSetList, ApiError> {
        let sets = self.sets();
        run_blocking("list the eval sets", move || Ok(sets.list())).await
    }

    async fn list_cases(&self, set: SetId, asked: CaseQuery) -> Result<CaseList, ApiError> {
        evalsets::cases(&self.set(set).await?, asked).await
    }

    async fn read_case(
        &self,
        set: SetId,
        eval_id: String,
        index: u64,
    ) -> Result<CaseView, ApiError> {
        let set = self.set(set).await?;
        Ok(set.with_agent(&self.registry, evalsets::case(&set, eval_id, index).await?))
    }

    async fn change_case(
        &self,
        set: SetId,
        case: CaseVersion,
        change: CaseChange,
    ) -> Result<CaseView, ApiError> {
        let set = self.set(set).await?;
        Ok(set.with_agent(&self.registry, evalsets::change(&set, case, change).await?))
    }

    async fn duplicate_case(&self, set: SetId, case: CaseVersion) -> Result<CaseView, ApiError> {
        let set = self.set(set).await?;
        Ok(set.with_agent(&self.registry, evalsets::duplicate(&set, case).await?))
    }

    async fn remove_case(&self, set: SetId, case: CaseVersion) -> Result<(), ApiError> {
        evalsets::remove(&self.set(set).await?, case).await
    }

    async fn insert_case(
        &self,
        set: SetId,
        index: u64,
        text: JsonText,
    ) -> Result<CaseView, ApiError> {
        let set = self.set(set).await?;
        Ok(set.with_agent(&self.registry, evalsets::insert(&set, index, text).await?))
    }
}

#[async_trait]
impl ReportHost for Host {
    async fn list_reports(&self) -> Result<ReportList, ApiError> {
        let folders = self.folders.get().reports.clone();
        run_blocking("list the reports", move || Ok(reports::list(&folders))).await
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    use agents::registry::AgentStatus;
    use agents::{
        AgentFacts, AgentLog, AgentSource, CallReport, RunnerDifference, SessionView, ToolFailure,
        ToolInvocation, Workflow,
    };
    use serde_json::json;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::no_runs::NoRuns;

    /// How long opening and closing take.
    const STEP: Duration = Duration::from_millis(100);

    /// Files that an agent does not load from.
    const HALF_WRITTEN: u64 = 1;
    /// From here on, neither does it, and it writes other ones.
    const WRITES: u64 = 100;

    /// Has one session, which may be open.
    #[derive(Clone, Default)]
    struct SlowSource {
        is_open: Arc<Mutex<bool>>,
        /// The fingerprint of its files.
        files: Arc<AtomicU64>,
    }

    impl SlowSource {
        fn is_open(&self) -> bool {
            *self.is_open.lock().expect("no panic")
        }

        async fn set(&self, is_open: bool) {
            if self.is_open() != is_open {
                tokio::time::sleep(STEP).await;
                *self.is_open.lock().expect("no panic") = is_open;
            }
        }
    }

    fn view() -> SessionView {
        serde_json::from_str(
            r#"{"app_name": "a", "agent": {"name": "a"}, "instruction": "", "state": {}, "tools": []}"#,
        )
        .expect("a view")
    }

    fn no_tools() -> CallReport {
        CallReport::failed(ToolFailure::cancelled(), 0.0)
    }

    #[async_trait]
    impl AgentSource for SlowSource {
        fn kind(&self) -> SourceKind {
            SourceKind::Native
        }

        fn fingerprint(&self, _: &Path) -> Option<u64> {
            Some(self.files.load(Ordering::Relaxed))
        }

        async fn load(&self, _: &SessionSeed, _: Arc<AgentLog>) -> Result<AgentFacts, AgentFault> {
            let files = self.files.load(Ordering::Relaxed);
            if files >= WRITES {
                self.files.store(files + 1, Ordering::Relaxed);
            }
            let has_failed = files == HALF_WRITTEN || files >= WRITES;
            let reason = "It is not whole.".to_owned();
            let fault = AgentFault { reason, error_type: None, traceback: None };
            if has_failed { Err(fault) } else { Ok(AgentFacts::default()) }
        }

        async fn open_session(
            &self,
            _: &SessionId,
            _: &SessionSeed,
        ) -> Result<SessionView, SourceError> {
            self.set(true).await;
            Ok(view())
        }

        async fn begin_invocation(
            &self,
            _: &SessionId,
            _: &str,
        ) -> Result<SessionView, SourceError> {
            Ok(view())
        }

        async fn call_tool(&self, _: ToolInvocation, _: CancellationToken) -> CallReport {
            no_tools()
        }

        async fn confirm(
            &self,
            _: &SessionId,
            _: &CallId,
            _: bool,
            _: Option<JsonText>,
            _: CancellationToken,
        ) -> CallReport {
            no_tools()
        }

        async fn supply_result(
            &self,
            _: &SessionId,
            _: &CallId,
            _: JsonText,
            _: CancellationToken,
        ) -> CallReport {
            no_tools()
        }

        async fn close_session(&self, _: &SessionId) {
            self.set(false).await;
        }

        async fn shut_down(&self) {}
    }

    async fn host() -> (SlowSource, Arc<Host>) {
        let source = SlowSource::default();
        let host = serving(&source).await;
        (source, host)
    }

    async fn serving(source: &SlowSource) -> Arc<Host> {
        let agent = SimulatedAgentConfig::new("Slow", source.clone(), "slow.evalset.json");
        let host = Host::new(
            vec![agent],
            Folders::default(),
            false,
            StoredResults::new("results"),
            Arc::new(NoRuns),
        );
        host.load_agents().await;
        host
    }

    async fn loaded(source: &SlowSource) -> Arc<RegisteredAgent> {
        Arc::clone(&serving(source).await.registry.agents()[0])
    }

    async fn open(host: &Host, session: &SessionId) {
        let agent = AgentId::parse("slow").expect("valid");
        host.open_session(session.clone(), agent, None).await.expect("opens");
    }

    async fn close(host: &Host, session: &SessionId) {
        tokio::time::sleep(STEP / 4).await;
        host.close_session(session.clone()).await.expect("closes");
    }

    /// The export of a session that the host has open with this view.
    async fn exported(host: &Host, view: SessionView) -> ExportRequest {
        let agent = host.agent(&AgentId::parse("slow").expect("valid")).expect("known");
        let session = SessionId::parse("s").expect("valid");
        host.sessions.enter(&session, &agent, agent.seed.clone(), view);
        let at = "2025-12-23T14:30:00Z";
        let history = [
            json!({ "type": "user_query", "content": "Where?", "timestamp": at }),
            json!({ "type": "final_response", "content": "There.", "timestamp": at }),
        ];
        let request = json!({ "session": "s", "agent": "slow", "history": history });
        JsonText::from_value(&request).decode().expect("a request")
    }

    #[tokio::test]
    async fn a_session_of_one_agent_of_a_workflow_is_not_exported() {
        let (_, host) = host().await;
        let (name, kind) = ("newsroom".to_owned(), "SequentialAgent".to_owned());
        let workflow = Workflow { name, kind, folder: None };
        let request = exported(&host, SessionView { workflow: Some(workflow), ..view() }).await;
        let refused = [
            host.preview_export(request.clone()).await.expect_err("rejected"),
            host.case_file(request.clone()).await.expect_err("rejected"),
            host.export_session(request, None).await.expect_err("rejected"),
        ];
        for refused in refused {
            let ApiError::PartOfWorkflow(reason) = refused else { panic!("{refused:?}") };
            assert!(reason.contains("newsroom: you acted only as a,"), "{reason}");
        }
        // Without an agent that calls a model, the person acts as nothing of it.
        let (name, kind) = (view().agent.name, "Workflow".to_owned());
        let workflow = Workflow { name, kind, folder: None };
        let request = exported(&host, SessionView { workflow: Some(workflow), ..view() }).await;
        let refused = host.export_session(request, None).await.expect_err("rejected");
        assert!(refused.to_string().contains("it has no LLM agent"), "{refused}");
    }

    #[tokio::test]
    async fn an_agent_that_failed_is_loaded_again_once_its_changed_files_are_settled() {
        let source = SlowSource::default();
        source.files.store(HALF_WRITTEN, Ordering::Relaxed);
        let agent = loaded(&source).await;
        assert!(matches!(agent.status(), AgentStatus::Faulted(_)));
        assert!(!agent.look_for_changes().await, "its files are as before");
        source.files.store(2, Ordering::Relaxed);
        assert!(!agent.look_for_changes().await, "they may still be written");
        source.files.store(3, Ordering::Relaxed);
        assert!(!agent.look_for_changes().await, "they were");
        assert!(agent.look_for_changes().await);
        agent.load_changed().await.expect("it is whole");
        assert!(matches!(agent.status(), AgentStatus::Ready(_)));
        // The page offers to reload one that works.
        source.files.store(4, Ordering::Relaxed);
        assert!(!agent.look_for_changes().await && !agent.look_for_changes().await);
        assert!(agent.is_changed());
    }

    #[tokio::test]
    async fn an_agent_that_writes_its_files_while_it_fails_is_loaded_again_once() {
        let source = SlowSource::default();
        source.files.store(WRITES, Ordering::Relaxed);
        let agent = loaded(&source).await;
        assert!(!agent.look_for_changes().await);
        assert!(agent.look_for_changes().await, "what was written may be its missing part");
        agent.load_changed().await.expect_err("it fails again");
        assert!(!agent.look_for_changes().await && !agent.look_for_changes().await);
    }

    #[tokio::test]
    async fn addresses_name_agents_without_regard_to_case() {
        let (_, host) = host().await;
        for (segment, is_known) in
            [("slow", true), ("Slow", true), ("%53LOW", true), ("slo", false), ("%", false)]
        {
            assert_eq!(host.agent_in_address(segment).is_some(), is_known, "{segment}");
        }
    }

    #[tokio::test]
    async fn the_preview_names_what_the_runner_would_do_otherwise() {
        let (_, host) = host().await;
        let text = "In turn 1, the callback responds.".to_owned();
        let difference = RunnerDifference { text: text.clone(), turn: Some(0), call_id: None };
        let view = SessionView { runner_differences: vec![difference], ..view() };
        let request = exported(&host, view).await;
        let preview = host.preview_export(request).await.expect("it is a warning only");
        assert_eq!(preview.runner_differences, [text]);
    }

    #[tokio::test]
    async fn closing_waits_for_an_opening() {
        let (source, host) = host().await;
        let id = SessionId::parse("s").expect("valid");
        tokio::join!(open(&host, &id), close(&host, &id));
        assert!(!source.is_open() && host.sessions.find(&id).is_none());
    }

    #[tokio::test]
    async fn closing_does_not_end_a_session_that_is_opened_again() {
        let (source, host) = host().await;
        let id = SessionId::parse("s").expect("valid");
        open(&host, &id).await;
        let again = async {
            tokio::time::sleep(STEP / 2).await;
            open(&host, &id).await;
        };
        tokio::join!(close(&host, &id), again);
        assert!(source.is_open() && host.sessions.find(&id).is_some());
    }
}
