//! [`Sessions`]: every open session, with the time of its last keep-alive.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agents::registry::RegisteredAgent;
use agents::{SessionSeed, SessionView};
use api::{ApiError, CallUpdate, Restored};
use json_text::JsonText;
use session::{CallId, SessionId};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use tokio_util::sync::CancellationToken;

use super::opened_resources::OpenedResources;

/// How long a session stays open after the last keep-alive of its page.
const SESSION_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// How many canceled calls are remembered; a person cancels one at a time.
const MOST_CANCELED: usize = 16;

/// Why a call did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotStarted {
    /// It was canceled before it arrived.
    Cancelled,
    /// Another call is running.
    AnotherIsRunning,
}

/// One open session.
pub(crate) struct HostSession {
    pub(crate) id: SessionId,
    pub(crate) agent: Arc<RegisteredAgent>,
    pub(crate) opened_resources: Arc<OpenedResources>,
    /// What the session started from.
    pub(crate) seed: SessionSeed,
    /// The state that the session started with, a JSON object; exports contain it.
    pub(crate) initial_state: JsonText,
    /// What was restored of the session of an earlier host.
    pub(crate) restored: Restored,
    state: Mutex<State>,
}

/// How a session started.
pub(crate) struct Start {
    pub(crate) seed: SessionSeed,
    pub(crate) initial_state: JsonText,
    pub(crate) restored: Restored,
}

struct State {
    view: SessionView,
    /// Whether the user's message was sent.
    has_begun: bool,
    /// Whether an export has everything that happened.
    is_exported: bool,
    last_keep_alive: Instant,
    /// The calls that have not ended. All but the last are of agents that the person acts as, and each is made by
    /// the agent before it.
    calls: Vec<RunningCall>,
    /// The last calls that were canceled before they arrived.
    canceled_early: VecDeque<CallId>,
    /// The last progress of a call, for a page that was not connected then.
    update: Option<Arc<CallUpdate>>,
}

/// The running call.
#[derive(Clone)]
pub(crate) struct RunningCall {
    pub(crate) call_id: CallId,
    pub(crate) cancel: CancellationToken,
    /// The person's input that it waits for, if any.
    pub(crate) awaits: Option<AwaitedInput>,
}

/// The input that a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AwaitedInput {
    Confirmation,
    Result,
    /// The final response of the agent that was called. Until then, the person calls its tools.
    Response,
}

impl HostSession {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Plain data: a panic elsewhere leaves it consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn view(&self) -> SessionView {
        self.lock().view.clone()
    }

    pub(crate) fn set_view(&self, view: SessionView) {
        self.lock().view = view;
    }

    /// Whether the user's message was sent.
    pub(crate) fn has_begun(&self) -> bool {
        self.lock().has_begun
    }

    /// Records that the user's message was sent.
    pub(crate) fn begin(&self, view: SessionView) {
        let mut state = self.lock();
        state.has_begun = true;
        state.is_exported = false;
        state.view = view;
    }

    /// Whether an export has everything that happened.
    pub(crate) fn is_exported(&self) -> bool {
        self.lock().is_exported
    }

    /// Records that the session was exported.
    pub(crate) fn record_export(&self) {
        self.lock().is_exported = true;
    }

    /// Records a keep-alive of the page.
    pub(crate) fn record_keep_alive(&self) {
        self.lock().last_keep_alive = Instant::now();
    }

    /// The innermost call that has not ended.
    pub(crate) fn call(&self) -> Option<RunningCall> {
        self.lock().calls.last().cloned()
    }

    /// Makes `call` the running call, of the agent that the person acts as if there is one.
    pub(crate) fn begin_call(&self, call: RunningCall) -> Result<(), NotStarted> {
        let mut state = self.lock();
        if state.canceled_early.contains(&call.call_id) {
            return Err(NotStarted::Cancelled);
        }
        if state.calls.last().is_some_and(|last| last.awaits != Some(AwaitedInput::Response)) {
            return Err(NotStarted::AnotherIsRunning);
        }
        state.calls.push(call);
        state.update = None;
        drop(state);
        Ok(())
    }

    /// Cancels a call that is not running: it has ended, or it has not arrived and must not start.
    pub(crate) fn cancel_unstarted(&self, call_id: &CallId) {
        let mut state = self.lock();
        if state.canceled_early.len() == MOST_CANCELED {
            state.canceled_early.pop_front();
        }
        state.canceled_early.push_back(call_id.clone());
    }

    /// Changes what the call waits for; `false` if it is not the running call.
    pub(crate) fn set_awaits(&self, call_id: &CallId, awaits: Option<AwaitedInput>) -> bool {
        let mut state = self.lock();
        match state.calls.last_mut() {
            Some(call) if call.call_id == *call_id => {
                call.awaits = awaits;
                true
            }
            _ => false,
        }
    }

    /// Removes the call if it is the running one. The caller that gets `true` reports its end.
    pub(crate) fn end_call(&self, call_id: &CallId) -> bool {
        self.lock().calls.pop_if(|call| call.call_id == *call_id).is_some()
    }

    /// The calls whose end was reported last or will be reported.
    pub(crate) fn reported_calls(&self) -> Vec<CallId> {
        let state = self.lock();
        let running = state.calls.iter().map(|call| &call.call_id);
        running.chain(state.update.iter().map(|update| &update.call_id)).cloned().collect()
    }

    pub(crate) fn last_update(&self) -> Option<Arc<CallUpdate>> {
        self.lock().update.clone()
    }

    /// Stores the progress of a call, and a changed model view.
    pub(crate) fn store_update(&self, update: &Arc<CallUpdate>, view: Option<SessionView>) {
        let mut state = self.lock();
        if let Some(view) = view {
            state.view = view;
        } else if let Some(changed) = &update.state {
            state.view.state = changed.clone();
        }
        state.update = Some(Arc::clone(update));
    }
}

/// Every open session.
#[derive(Default)]
pub(crate) struct Sessions {
    open: Mutex<HashMap<SessionId, Arc<HostSession>>>,
    changing: Mutex<HashMap<SessionId, Arc<AsyncMutex<()>>>>,
}

impl Sessions {
    /// Waits until nothing else opens or closes a session with this id. Otherwise closing one could end one that
    /// was opened again meanwhile.
    pub(crate) async fn change(&self, id: &SessionId) -> OwnedMutexGuard<()> {
        let lock = {
            let mut changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
            changing.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(changing.entry(id.clone()).or_default())
        };
        lock.lock_owned().await
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<HostSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, id: &SessionId) -> Option<Arc<HostSession>> {
        self.all().get(id).cloned()
    }

    /// The session with this id, if it is open on `agent`. One of an agent that was replaced is not.
    ///
    /// # Errors
    /// [`ApiError::UnknownSession`] if it is a session of an agent with another id.
    pub(crate) fn open_on(
        &self,
        id: &SessionId,
        agent: &Arc<RegisteredAgent>,
    ) -> Result<Option<Arc<HostSession>>, ApiError> {
        let open = self.find(id);
        // A session keeps its agent.
        if open.as_ref().is_some_and(|open| open.agent.id != agent.id) {
            return Err(ApiError::UnknownSession(id.clone()));
        }
        Ok(open.filter(|open| Arc::ptr_eq(&open.agent, agent)))
    }

    /// The sessions of `agent`.
    pub(crate) fn of(&self, agent: &Arc<RegisteredAgent>) -> Vec<Arc<HostSession>> {
        let all = self.all();
        all.values().filter(|session| Arc::ptr_eq(&session.agent, agent)).cloned().collect()
    }

    /// Adds a session, or returns the open one with this id.
    pub(crate) fn enter(
        &self,
        id: &SessionId,
        agent: &Arc<RegisteredAgent>,
        seed: SessionSeed,
        view: SessionView,
    ) -> Arc<HostSession> {
        let initial_state = view.state.clone();
        self.enter_with(id, agent, Start { seed, initial_state, restored: Restored::Open }, view)
    }

    /// Adds a session that started like this, or returns the open one with this id. One of an agent that was
    /// replaced leaves it the resources that were opened.
    pub(crate) fn enter_with(
        &self,
        id: &SessionId,
        agent: &Arc<RegisteredAgent>,
        start: Start,
        view: SessionView,
    ) -> Arc<HostSession> {
        let mut all = self.all();
        let is_former = all.get(id).is_some_and(|open| !Arc::ptr_eq(&open.agent, agent));
        let former = if is_former { all.remove(id) } else { None };
        let session = all.entry(id.clone()).or_insert_with(|| {
            let Start { seed, initial_state, restored } = start;
            let state = State {
                view: view.clone(),
                has_begun: false,
                is_exported: false,
                last_keep_alive: Instant::now(),
                calls: Vec::new(),
                canceled_early: VecDeque::new(),
                update: None,
            };
            let opened_resources = former.map(|it| Arc::clone(&it.opened_resources));
            Arc::new(HostSession {
                id: id.clone(),
                agent: Arc::clone(agent),
                opened_resources: opened_resources.unwrap_or_default(),
                seed,
                initial_state,
                restored,
                state: Mutex::new(state),
            })
        });
        session.set_view(view);
        Arc::clone(session)
    }

    /// The open sessions.
    pub(crate) fn list(&self) -> Vec<Arc<HostSession>> {
        self.all().values().cloned().collect()
    }

    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<HostSession>> {
        self.all().remove(id)
    }

    /// Opens the sessions of `agent` that have not begun again, after it was reloaded, and reports what
    /// their models would see now.
    pub(crate) async fn renew(&self, agent: &Arc<RegisteredAgent>) {
        for session in self.of(agent).iter().filter(|session| !session.has_begun()) {
            let _change = self.change(&session.id).await;
            agent.source.close_session(&session.id).await;
            match agent.source.open_session(&session.id, &session.seed).await {
                Ok(view) => agent.report_reloaded(&session.id, &session.view(), view),
                // The page opens the session again when it sends the user's message.
                Err(error) => tracing::warn!(session = %session.id, "not opened again: {error}"),
            }
        }
    }

    /// Removes every session without a recent keep-alive at `now`.
    pub(crate) fn take_silent(&self, now: Instant) -> Vec<Arc<HostSession>> {
        let mut all = self.all();
        let silent: Vec<SessionId> = all
            .values()
            .filter(|session| {
                now.saturating_duration_since(session.lock().last_keep_alive) > SESSION_TIMEOUT
            })
            .map(|session| session.id.clone())
            .collect();
        silent.iter().filter_map(|id| all.remove(id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use agents::native::NativeAgent;

    use super::*;
    use agents::SimulatedAgentConfig;
    use agents::registry::Registry;

    /// An open session, and the sessions that it is one of.
    async fn entered() -> (Sessions, Arc<HostSession>, SessionId) {
        let agent =
            SimulatedAgentConfig::native("Maths", NativeAgent::new("maths"), "maths.evalset.json");
        let registry = Registry::new(vec![agent], |_| {});
        let agent = &registry.agents()[0].clone();
        let id = SessionId::parse("s").expect("valid");
        let view = agent.source.open_session(&id, &agent.seed).await.expect("opens");
        let sessions = Sessions::default();
        let session = sessions.enter(&id, agent, agent.seed.clone(), view);
        (sessions, session, id)
    }

    #[tokio::test]
    async fn names_the_calls_whose_end_a_reloaded_page_gets() {
        let (_sessions, session, id) = entered().await;
        assert_eq!(session.reported_calls(), []);
        let call_id = CallId::parse("c1").expect("valid");
        let cancel = CancellationToken::new();
        let call = RunningCall { call_id: call_id.clone(), cancel, awaits: None };
        session.begin_call(call).expect("begins");
        assert_eq!(session.reported_calls(), std::slice::from_ref(&call_id), "it runs");
        assert!(session.end_call(&call_id));
        let failed = api::CallProgress::Failed {
            error_type: "ValueError".to_owned(),
            message: String::new(),
            traceback: None,
            duration_ms: 1.0,
        };
        let update = CallUpdate {
            session: id,
            call_id: call_id.clone(),
            progress: failed,
            state: None,
            view: None,
            broken: Vec::new(),
        };
        session.store_update(&Arc::new(update), None);
        assert_eq!(session.reported_calls(), [call_id], "its end is sent again");
    }

    #[tokio::test]
    async fn closes_a_session_ten_minutes_after_the_last_keep_alive() {
        let (sessions, _, id) = entered().await;
        let after = |minutes: u64| Instant::now() + Duration::from_secs(minutes * 60);
        assert!(sessions.take_silent(after(9)).is_empty());
        assert!(sessions.find(&id).is_some());
        assert_eq!(sessions.take_silent(after(11)).len(), 1);
        assert!(sessions.find(&id).is_none());
    }
}
