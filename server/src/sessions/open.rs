//! [`Sessions`]: every open session, with the time of its last keep-alive.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agents::SessionView;
use agents::registry::RegisteredAgent;
use agents::spill_store::MemoryBound;
use api::CallUpdate;
use json_text::JsonText;
use session::{CallId, SessionId};
use tokio_util::sync::CancellationToken;

use super::stored_results::StoredResults;

/// How long a session stays open after the last keep-alive of its page.
const OUTLIVES: Duration = Duration::from_secs(10 * 60);

/// How many cancelled calls are remembered; a person cancels one at a time.
const MOST_FORGONE: usize = 16;

/// Why a call did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotBegun {
    /// It was cancelled before it arrived.
    Cancelled,
    /// Another call is running.
    AnotherIsUnderWay,
}

/// One open session.
pub(crate) struct HostSession {
    pub(crate) id: SessionId,
    pub(crate) agent: Arc<RegisteredAgent>,
    pub(crate) stored_results: StoredResults,
    /// The state that the session started with, a JSON object; exports contain it.
    pub(crate) initial_state: JsonText,
    state: Mutex<Live>,
}

struct Live {
    view: SessionView,
    heard: Instant,
    call: Option<CallUnderWay>,
    /// The last calls that were cancelled before they arrived.
    forgone: VecDeque<CallId>,
    /// The last progress of a call, for a page that was not connected then.
    news: Option<Arc<CallUpdate>>,
}

/// The running call.
#[derive(Clone)]
pub(crate) struct CallUnderWay {
    pub(crate) call_id: CallId,
    pub(crate) cancel: CancellationToken,
    /// The person's input that it waits for, if any.
    pub(crate) waits: Option<Waits>,
}

/// The input that a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    Confirmation,
    Result,
}

impl HostSession {
    fn live(&self) -> MutexGuard<'_, Live> {
        // Plain data: a panic elsewhere leaves it consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn view(&self) -> SessionView {
        self.live().view.clone()
    }

    pub(crate) fn set_view(&self, view: SessionView) {
        self.live().view = view;
    }

    /// Records a keep-alive of the page.
    pub(crate) fn hear(&self) {
        self.live().heard = Instant::now();
    }

    pub(crate) fn call(&self) -> Option<CallUnderWay> {
        self.live().call.clone()
    }

    /// Makes `call` the running call.
    pub(crate) fn begin_call(&self, call: CallUnderWay) -> Result<(), NotBegun> {
        let mut live = self.live();
        if live.forgone.contains(&call.call_id) {
            return Err(NotBegun::Cancelled);
        }
        if live.call.is_some() {
            return Err(NotBegun::AnotherIsUnderWay);
        }
        live.call = Some(call);
        live.news = None;
        drop(live);
        Ok(())
    }

    /// Cancels a call that is not running: it has ended, or it has not arrived and must not start.
    pub(crate) fn forgo_call(&self, call_id: &CallId) {
        let mut live = self.live();
        if live.forgone.len() == MOST_FORGONE {
            live.forgone.pop_front();
        }
        live.forgone.push_back(call_id.clone());
    }

    /// Changes what the call waits for; `false` if it is not the running call.
    pub(crate) fn set_waits(&self, call_id: &CallId, waits: Option<Waits>) -> bool {
        let mut live = self.live();
        match &mut live.call {
            Some(call) if call.call_id == *call_id => {
                call.waits = waits;
                true
            }
            _ => false,
        }
    }

    /// Removes the call if it is the running one. The caller that gets `true` reports its end.
    pub(crate) fn end_call(&self, call_id: &CallId) -> bool {
        self.live().call.take_if(|call| call.call_id == *call_id).is_some()
    }

    pub(crate) fn news(&self) -> Option<Arc<CallUpdate>> {
        self.live().news.clone()
    }

    /// Stores the progress of a call, and a changed model view.
    pub(crate) fn keep_news(&self, news: &Arc<CallUpdate>, view: Option<SessionView>) {
        let mut live = self.live();
        if let Some(view) = view {
            live.view = view;
        } else if let Some(state) = &news.state {
            live.view.state = state.clone();
        }
        live.news = Some(Arc::clone(news));
    }
}

/// Every open session.
pub(crate) struct Sessions {
    open: Mutex<HashMap<SessionId, Arc<HostSession>>>,
    bound: Arc<MemoryBound>,
}

impl Sessions {
    pub(crate) fn new(bound: Arc<MemoryBound>) -> Self {
        Self { open: Mutex::default(), bound }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<HostSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, id: &SessionId) -> Option<Arc<HostSession>> {
        self.all().get(id).cloned()
    }

    /// Adds a session, or returns the open one with this id.
    pub(crate) fn enter(
        &self,
        id: &SessionId,
        agent: &Arc<RegisteredAgent>,
        view: SessionView,
    ) -> Arc<HostSession> {
        let mut all = self.all();
        let session = all.entry(id.clone()).or_insert_with(|| {
            let live = Live {
                view: view.clone(),
                heard: Instant::now(),
                call: None,
                forgone: VecDeque::new(),
                news: None,
            };
            Arc::new(HostSession {
                id: id.clone(),
                agent: Arc::clone(agent),
                stored_results: StoredResults::new(Arc::clone(&self.bound)),
                initial_state: live.view.state.clone(),
                state: Mutex::new(live),
            })
        });
        session.set_view(view);
        Arc::clone(session)
    }

    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<HostSession>> {
        self.all().remove(id)
    }

    /// Removes every session without a recent keep-alive at `now`.
    pub(crate) fn take_silent(&self, now: Instant) -> Vec<Arc<HostSession>> {
        let mut all = self.all();
        let silent: Vec<SessionId> = all
            .values()
            .filter(|session| now.saturating_duration_since(session.live().heard) > OUTLIVES)
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

    #[tokio::test]
    async fn a_session_outlives_its_page_by_ten_minutes() {
        let agent =
            SimulatedAgentConfig::native("Maths", NativeAgent::new("maths"), "maths.evalset.json");
        let registry = Registry::new(vec![agent], |_| {});
        let agent = &registry.agents()[0];
        let id = SessionId::parse("s").expect("valid");
        let view = agent.source.open_session(&id, &agent.seed).await.expect("opens");
        let sessions = Sessions::new(MemoryBound::new(1_024));
        sessions.enter(&id, agent, view);
        let after = |minutes: u64| Instant::now() + Duration::from_secs(minutes * 60);
        assert!(sessions.take_silent(after(9)).is_empty());
        assert!(sessions.find(&id).is_some());
        assert_eq!(sessions.take_silent(after(11)).len(), 1);
        assert!(sessions.find(&id).is_none());
    }
}
