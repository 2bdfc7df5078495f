//! One rehearsal on this page: the [`Session`] as a signal, and its requests to the host.
//!
//! [`Rehearsal::send`] passes events to [`session::step`] and turns the resulting effects into
//! requests to the host, which are in `requests`. The host's news, in `news`, become events again.

mod confirmed;
mod export_choices;
mod forms;
mod initial_state;
mod kept;
mod kept_input;
mod news;
mod questions;
mod reopened;
mod requests;
mod signals;

use std::ops::Deref;

use api::{ApiError, ExportReceipt, SessionView};
use json_text::JsonText;
use leptos::prelude::*;
use session::{AgentId, Event, PendingPhase, Session, SessionId, ToolName, Unmet, step};

use crate::state::browser;
use crate::state::reading::Readings;

use confirmed::Confirmed;
use kept::{KeptTexts, Reopened};
use reopened::LostSession;
use requests::Restoring;

pub use export_choices::{ExportFile, last_part};
pub use forms::{FormKey, FormSource, Forms, TextEntry};
pub use initial_state::{EnteredState, INITIAL_STATE};
pub use kept::Keeping;
pub(crate) use kept::{forget_all, kept_agents};
pub use kept_input::{name_of_call, name_of_question};
pub use reopened::{Restart, Restarted};
pub use signals::SessionSignals;

/// How far the export is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Export {
    /// Not requested.
    #[default]
    NotYet,
    /// The host is writing.
    Writing,
    /// The case is written.
    Written(ExportReceipt),
    /// The case could not be written. The session is kept.
    Failed(ApiError),
}

/// One rehearsal. Copies share its signals. The signals of its session are its fields too, through
/// [`Deref`], such as `rehearsal.view`.
#[derive(Clone, Copy)]
pub struct Rehearsal {
    agent: StoredValue<AgentId>,
    /// The session itself.
    pub session: RwSignal<Session>,
    signals: SessionSignals,
    /// The person's input.
    pub forms: Forms,
    /// The values that the person has opened.
    pub readings: Readings,
    /// Why exports leave calls out.
    leave_out: RwSignal<Vec<Unmet>>,
    /// The eval case that is rehearsed again, with its position in the file.
    pub case: StoredValue<Option<(String, u64)>>,
    /// Whether the host is opening the session, and whether it is to be opened again after that.
    opening: StoredValue<Opening>,
    /// What the model saw before the session was opened again.
    earlier: StoredValue<Option<SessionView>>,
    /// What the host has confirmed, for a restore.
    confirmed: StoredValue<Confirmed>,
    /// Why the host lost the session, until it has the session again.
    lost: StoredValue<Option<LostSession>>,
    /// What this tab keeps of the rehearsal, until it is taken up.
    kept_back: StoredValue<Option<KeptTexts>>,
    /// Whether this tab keeps the rehearsal over a reload.
    keeps: StoredValue<bool>,
    /// Whether the person logs out, so that nothing is kept.
    is_leaving: RwSignal<bool>,
    /// How a session that has begun is opened, once that code is loaded.
    restoring: StoredValue<Option<Restoring>>,
    /// Set after a reload of the page, until the host has the session.
    reopened: StoredValue<Option<Reopened>>,
}

/// Whether the host is opening the session. One request at a time, so that the last one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    No,
    Once,
    Again,
}

/// Starts a rehearsal of `agent`, unless this tab keeps one: then [`Rehearsal::keep`] takes that up. Its signals belong to the current owner.
#[must_use]
pub fn use_rehearsal(agent: AgentId) -> Rehearsal {
    let rehearsal = Rehearsal {
        session: RwSignal::new(begin(&agent)),
        leave_out: RwSignal::new(export_choices::remembered(&agent)),
        case: StoredValue::new(None),
        kept_back: StoredValue::new(kept::texts(&agent)),
        agent: StoredValue::new(agent),
        signals: SessionSignals::default(),
        forms: Forms::new(),
        readings: Readings::new(),
        opening: StoredValue::new(Opening::No),
        earlier: StoredValue::new(None),
        confirmed: StoredValue::default(),
        lost: StoredValue::new(None),
        keeps: StoredValue::new(false),
        is_leaving: RwSignal::new(false),
        restoring: StoredValue::new(None),
        reopened: StoredValue::new(None),
    };
    rehearsal.restore_initial_state();
    if !rehearsal.is_kept_back() {
        rehearsal.open();
    }
    rehearsal
}

/// A new session of `agent`.
fn begin(agent: &AgentId) -> Session {
    let session = Session::new(browser::new_session_id());
    match step(&session, Event::SelectAgent { agent: agent.clone() }) {
        Ok((session, _)) => session,
        // A new session accepts every agent.
        Err(_) => session,
    }
}

/// What the person does in a session, besides opening and closing it.
#[derive(Clone)]
pub enum Action {
    /// Sends the user's message: the value of the form, or the text without one.
    Ask(Option<FormSource>),
    /// Calls a tool with the value of the form.
    Run(ToolName, FormSource),
    /// Gives the final response: the value of the form, or the text without one.
    Respond(Option<FormSource>),
    /// Fills a form with a value.
    Fill(FormSource, JsonText),
    /// Cancels the pending call.
    Cancel,
    /// Writes the session into the eval set.
    Export,
    /// Takes up the completed session with another message.
    Continue,
    /// Completes the session again without another message.
    CancelContinue,
}

impl Deref for Rehearsal {
    type Target = SessionSignals;

    fn deref(&self) -> &SessionSignals {
        &self.signals
    }
}

impl Rehearsal {
    /// The rehearsed agent.
    #[must_use]
    pub fn agent(self) -> AgentId {
        self.agent.get_value()
    }

    /// The session's id. Tracked.
    #[must_use]
    pub fn id(self) -> SessionId {
        self.session.read().id().clone()
    }

    /// Applies an event and carries out its effects. A rejected event sets the notice and returns
    /// false.
    pub fn send(self, event: Event) -> bool {
        let stepped = step(&self.session.read_untracked(), event);
        match stepped {
            Ok((session, effects)) => {
                self.notice.set(None);
                self.session.set(session);
                for effect in effects {
                    self.carry_out(effect);
                }
                true
            }
            Err(refusal) => {
                self.notice.set(Some(sentence(&refusal.to_string())));
                false
            }
        }
    }

    /// Stores what the model would see now.
    pub(super) fn see(self, view: SessionView) {
        let name = &view.agent.name;
        if self.began_with.read_untracked().is_none() {
            self.began_with.set(Some(name.clone()));
        }
        let before =
            self.view.with_untracked(|view| view.as_ref().map(|view| view.agent.name.clone()));
        if before.is_some_and(|before| before != *name) {
            self.announcement.set(format!("{name} is active."));
        }
        self.view.set(Some(view));
    }

    /// The active agent, if the session began with another. Tracked.
    #[must_use]
    pub fn handed_to(self) -> Option<String> {
        let began_with = self.began_with.get()?;
        let now = self.view.with(|view| view.as_ref().map(|view| view.agent.name.clone()))?;
        (now != began_with).then_some(now)
    }

    /// Whether the session has begun and is not exported. Tracked.
    #[must_use]
    pub fn is_under_way(self) -> bool {
        self.session.read().started_at().is_some()
            && !matches!(&*self.export.read(), Export::Written(_))
    }

    /// Why the pending call prevents the next step. Tracked.
    #[must_use]
    pub fn held_up(self) -> Option<&'static str> {
        let session = self.session.read();
        Some(match session.busy_with()?.phase {
            PendingPhase::AwaitingConfirmation { .. } | PendingPhase::AwaitingResult { .. } => {
                "A call is waiting for your input"
            }
            _ => "A tool is still running",
        })
    }

    /// Does what the person wants. Reached through the code that is loaded with a session.
    pub fn act(self, action: Action) {
        // The code may have been loaded just now.
        self.keep();
        match action {
            Action::Ask(source) => self.ask(source.map(|source| self.forms.of(&source))),
            Action::Run(tool, source) => self.run(tool, self.forms.of(&source)),
            Action::Respond(source) => self.respond(source.map(|source| self.forms.of(&source))),
            Action::Fill(source, value) => self.forms.of(&source).fill(&value),
            Action::Cancel => self.cancel(),
            Action::Export => self.export(),
            Action::Continue => self.continue_session(),
            Action::CancelContinue => drop(self.send(Event::CancelContinue)),
        }
    }

    /// Continues the completed session: the user's next message is awaited.
    pub fn continue_session(self) {
        if self.send(Event::Continue) {
            self.forms.begin_turn();
            self.export.set(Export::NotYet);
            self.announcement.set("Write the user's next message.".to_owned());
        }
    }

    /// Discards this session and begins another with the same agent.
    pub fn start_over(self) {
        self.close();
        self.remember_view();
        self.session.set(begin(&self.agent()));
        self.confirmed.set_value(Confirmed::default());
        self.lost.set_value(None);
        self.reopened.set_value(None);
        self.signals.reset();
        self.store_initial_state();
        self.forms.forget();
        self.readings.forget();
        self.announcement.set("New session.".to_owned());
        self.open();
    }
}

/// `words` as a sentence.
fn sentence(words: &str) -> String {
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), characters.as_str()),
        None => String::new(),
    }
}
