//! The rehearsals of this page, one per agent. They live as long as the page.

use api::SessionEvent;
use json_text::JsonText;
use leptos::prelude::*;
use session::{AgentId, SessionId, SessionState};

use crate::state::connection::decoded;
use crate::state::lazy_pages::{LazyPart, SessionViews};
use crate::state::rehearsal::{Rehearsal, forget_all, kept_agents, use_rehearsal};

/// The rehearsals, in the order in which they began.
#[derive(Clone, Copy)]
pub struct Rehearsals {
    owner: StoredValue<Option<Owner>>,
    begun: RwSignal<Vec<Rehearsal>>,
    /// The code of a session, which takes up what the tab keeps of it.
    code: LazyPart<SessionViews>,
}

/// No rehearsals yet. In the browser, those that this tab keeps go on.
#[must_use]
pub fn use_rehearsals(code: LazyPart<SessionViews>) -> Rehearsals {
    let owner = StoredValue::new(Owner::current());
    let rehearsals = Rehearsals { owner, begun: RwSignal::new(Vec::new()), code };
    Effect::new(move |_| {
        for agent in kept_agents() {
            rehearsals.with(&agent, |_| ());
        }
    });
    rehearsals
}

impl Rehearsals {
    /// Calls `then` with the rehearsal of `agent`, which begins now if there is none. One that this tab keeps is
    /// taken up first, once the code for that is loaded. For effects: it sends a request.
    pub fn with(self, agent: &AgentId, then: impl FnOnce(Rehearsal) + 'static) {
        let rehearsal = self.of(agent);
        if !rehearsal.is_kept_back() {
            then(rehearsal);
            return;
        }
        self.code.and_then(move |views| {
            if let Ok(views) = views {
                untrack(|| (views.keep)(rehearsal));
                then(rehearsal);
            }
        });
    }

    fn of(self, agent: &AgentId) -> Rehearsal {
        let begun = self.begun.with_untracked(|begun| {
            begun.iter().find(|rehearsal| rehearsal.agent() == *agent).copied()
        });
        begun.unwrap_or_else(|| {
            let begin = || {
                let rehearsal = use_rehearsal(agent.clone());
                Effect::new(move |_| {
                    if let Some(Ok(views)) = self.code.views() {
                        untrack(|| (views.keep)(rehearsal));
                    }
                });
                rehearsal
            };
            let rehearsal = match self.owner.get_value() {
                Some(owner) => owner.with(begin),
                None => begin(),
            };
            self.begun.update(|begun| begun.push(rehearsal));
            rehearsal
        })
    }

    /// The state of `agent`'s session on this page. Tracked.
    #[must_use]
    pub fn state_of(self, agent: &AgentId) -> Option<SessionState> {
        let begun = self.begun.read();
        let rehearsal = begun.iter().find(|rehearsal| rehearsal.agent() == *agent)?;
        Some(rehearsal.session.read().state())
    }

    /// Whether the session of `agent` has something to show. Tracked.
    #[must_use]
    pub fn has_content(self, agent: &AgentId) -> bool {
        let begun = self.begun.read();
        let rehearsal = begun.iter().find(|rehearsal| rehearsal.agent() == *agent);
        rehearsal.is_some_and(|it| it.view.read().is_some() || it.is_under_way())
    }

    /// The sessions that this page shows. Tracked.
    #[must_use]
    pub fn watched(self) -> Signal<Vec<SessionId>> {
        Memo::new(move |_| {
            self.begun.read().iter().map(|rehearsal| rehearsal.id()).collect::<Vec<_>>()
        })
        .into()
    }

    /// Whether a rehearsal has begun. Untracked.
    #[must_use]
    pub fn any(self) -> bool {
        !self.begun.read_untracked().is_empty()
    }

    /// Whether a session has begun and is not exported. Tracked.
    #[must_use]
    pub fn any_under_way(self) -> bool {
        self.begun.read().iter().any(|rehearsal| rehearsal.is_under_way())
    }

    /// Whether closing or reloading the page would lose a session. Tracked.
    #[must_use]
    pub fn any_would_be_lost(self) -> bool {
        self.begun.read().iter().any(|rehearsal| rehearsal.would_be_lost())
    }

    /// Deletes what this tab keeps, because the person logs out and another may use the tab.
    pub fn stop_keeping(self) {
        forget_all();
        for rehearsal in self.begun.get_untracked() {
            rehearsal.stop_keeping();
        }
    }

    /// Applies an event of a session. Reached through the code that is loaded with a session.
    pub fn take_in(self, event: &JsonText) {
        let Some(event) = decoded::<SessionEvent>(event.as_str()) else { return };
        self.with_session(&event.session().clone(), |rehearsal| match event {
            SessionEvent::Call(update) => rehearsal.take_in(*update),
            SessionEvent::Progress(progress) => rehearsal.progressed(progress),
            SessionEvent::Asked(question) => rehearsal.asked(*question),
            SessionEvent::Withdrawn { number, .. } => rehearsal.withdrawn(number),
            SessionEvent::TakenUp { .. } => rehearsal.note_new_process(),
            SessionEvent::Closed { .. } => rehearsal.agent_exchanged(),
            SessionEvent::CatalogChanged(change) => rehearsal.tools_changed(*change),
        });
    }

    /// Calls `apply` with the rehearsal of `session`, if it is one of this page.
    fn with_session(self, session: &SessionId, apply: impl FnOnce(Rehearsal)) {
        let rehearsal = self.begun.with_untracked(|begun| {
            begun
                .iter()
                .find(|rehearsal| rehearsal.session.read_untracked().id() == session)
                .copied()
        });
        if let Some(rehearsal) = rehearsal {
            apply(rehearsal);
        }
    }

    /// Opens the session of `agent`, which is loaded now, if that failed before.
    pub fn agent_is_ready(self, agent: &AgentId) {
        let waiting = self.begun.with_untracked(|begun| {
            begun
                .iter()
                .find(|it| it.agent() == *agent && it.fault.read_untracked().is_some())
                .copied()
        });
        if let Some(rehearsal) = waiting {
            rehearsal.open();
        }
    }

    /// Updates each rehearsal after a restart of the host.
    pub fn host_restarted(self) {
        for rehearsal in self.begun.get_untracked() {
            rehearsal.host_restarted();
        }
    }
}
