//! [`LiveStage`]: one live session as a person looks at it: how it stands, the turn that is shown,
//! and what is done with it.

use std::time::Duration;

use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::ToolName;

use super::live_draft::{Draft, Side};
use super::value_form::ValueForm;
use super::{browser, clock, use_page};
use crate::api::{
    ApiError, FieldMessage, LiveAnswer, LiveCall, LiveId, LiveSummary, LiveTarget, LiveTurn,
    LiveTurnId, ToolView, answer_live_turn, cancel_live_turn, check_live_value,
    complete_live_session, hand_over_live_turn, hold_live_turn, read_live_session, read_live_turn,
    release_live_turn,
};
use crate::state::live::Live;

/// How often a person who answers shows a sign of life. The lease lasts 30 s.
const HEARTBEAT: Duration = Duration::from_secs(8);
/// After so long without a keystroke the turn is left to its lease, in milliseconds.
const IDLE_MS: i64 = 3 * 60 * 1000;

/// What the person is asked before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Whether to send the agent away.
    Cancel,
    /// Whether to end the session.
    Complete,
    /// To whom to give the turn.
    HandOver,
}

/// One live session on stage.
#[derive(Clone, Copy)]
pub struct LiveStage {
    /// The session.
    pub id: StoredValue<LiveId>,
    /// What the page shares of live sessions.
    pub live: Live,
    /// How it stands; `None` until the host has told.
    pub summary: Memo<Option<LiveSummary>>,
    /// Why it cannot be shown.
    pub fault: RwSignal<Option<ApiError>>,
    /// The turn that the address names.
    pub named: Memo<Option<LiveTurnId>>,
    /// The turn that is shown.
    pub shown: RwSignal<Option<LiveTurnId>>,
    /// What the model would see in it.
    pub turn: RwSignal<Option<LiveTurn>>,
    /// Why that cannot be shown.
    pub turn_fault: RwSignal<Option<ApiError>>,
    /// Its draft.
    pub draft: RwSignal<Option<Draft>>,
    /// Whether the session's events are shown instead of the turn's conversation.
    pub shows_events: RwSignal<bool>,
    /// What the tools are filtered by.
    pub filter: RwSignal<String>,
    /// What went wrong last.
    pub notice: RwSignal<Option<String>>,
    /// What happened last, for those who hear the page.
    pub announcement: RwSignal<String>,
    /// Whether an answer is on its way.
    pub is_sending: RwSignal<bool>,
    /// What the person is asked.
    pub question: RwSignal<Option<Question>>,
}

/// The session as the address names it. Watches it for as long as the stage is shown.
#[must_use]
pub fn use_live_stage(id: LiveId, named: Memo<Option<LiveTurnId>>) -> LiveStage {
    let page = use_page();
    let live = page.live;
    let known = id.clone();
    let stage = LiveStage {
        summary: Memo::new(move |_| live.of(&known)),
        id: StoredValue::new(id.clone()),
        live,
        fault: RwSignal::new(None),
        named,
        shown: RwSignal::new(None),
        turn: RwSignal::new(None),
        turn_fault: RwSignal::new(None),
        draft: RwSignal::new(None),
        shows_events: RwSignal::new(false),
        filter: RwSignal::new(String::new()),
        notice: RwSignal::new(None),
        announcement: RwSignal::new(String::new()),
        is_sending: RwSignal::new(false),
        question: RwSignal::new(None),
    };
    live.watch(id);
    stage.open();
    // After a lost connection the host tells how the session stands; a fault is tried again.
    Effect::new(move |_| {
        let is_there = page.connection.link.get() == super::Link::Connected;
        if is_there && stage.fault.read_untracked().is_some() {
            stage.open();
        }
        if is_there && stage.turn_fault.read_untracked().is_some() {
            stage.read_turn();
        }
    });
    stage.follow_the_queue();
    stage.keep_hold();
    stage
}

impl LiveStage {
    /// Asks the host for the session.
    pub fn open(self) {
        spawn_local(async move {
            match read_live_session(self.id.get_value()).await {
                Ok(summary) => {
                    self.fault.try_set(None);
                    self.live.learn(summary);
                }
                Err(error) => {
                    self.fault.try_set(Some(error));
                }
            }
        });
    }

    /// The turn that is up for answer. Tracked.
    #[must_use]
    pub fn up(self) -> Option<LiveTurnId> {
        self.summary.with(|summary| Some(summary.as_ref()?.up()?.turn.clone()))
    }

    /// Whether the shown turn is the one that is up. Tracked.
    #[must_use]
    pub fn is_up(self) -> bool {
        let up = self.up();
        up.is_some() && up == self.shown.get()
    }

    /// Whether the session has ended. Tracked.
    #[must_use]
    pub fn is_completed(self) -> bool {
        self.summary.with(|summary| summary.as_ref().is_some_and(|it| it.is_completed))
    }

    /// How many turns wait before the shown one; `None` when it does not wait. Tracked.
    #[must_use]
    pub fn ahead(self) -> Option<usize> {
        let shown = self.shown.get()?;
        self.summary
            .with(|summary| summary.as_ref()?.waiting.iter().position(|turn| turn.turn == shown))
    }

    /// Who holds the shown turn, unless it is this page. Tracked.
    #[must_use]
    pub fn other_holder(self) -> Option<String> {
        let name = self.live.name.get();
        self.summary.with(|summary| {
            let lease = summary.as_ref()?.lease.as_ref()?;
            let is_mine = name.as_deref() == Some(lease.holder.as_str());
            (!is_mine && Some(&lease.turn) == self.shown.get().as_ref())
                .then(|| lease.holder.clone())
        })
    }

    /// The shown turn's tools. Tracked.
    #[must_use]
    pub fn tools(self) -> Vec<ToolView> {
        self.turn.with(|turn| turn.as_ref().map(|turn| turn.tools.clone()).unwrap_or_default())
    }

    /// The tool whose form is shown. Tracked.
    #[must_use]
    pub fn tool(self) -> Option<ToolView> {
        let name = self.draft.get()?.tool.get();
        self.turn.with(|turn| {
            let tools = &turn.as_ref()?.tools;
            match (&name, tools.as_slice()) {
                (Some(name), _) => tools.iter().find(|tool| tool.name.as_str() == name).cloned(),
                _ => None,
            }
        })
    }

    /// The side of the answer that is shown. Tracked.
    #[must_use]
    pub fn side(self) -> Side {
        let has_tools = self.turn.with(|turn| turn.as_ref().is_none_or(|it| !it.tools.is_empty()));
        let chosen = self.draft.get().and_then(|draft| draft.side.get());
        match chosen {
            _ if !has_tools => Side::Text,
            Some(side) => side,
            None => Side::Call,
        }
    }

    /// The schema of the answer that is wanted. Tracked.
    #[must_use]
    pub fn output_schema(self) -> Option<JsonText> {
        self.turn.with(|turn| turn.as_ref().and_then(|turn| turn.output_schema.clone()))
    }

    /// Shows what is up, unless the address names a turn or the person is busy with another.
    fn follow_the_queue(self) {
        Effect::new(move |_| {
            let (named, up) = (self.named.get(), self.up());
            let now = self.shown.get_untracked();
            let is_busy = now.as_ref().is_some_and(|turn| self.live.drafts.has_begun(turn));
            let next = match (named, up) {
                (Some(named), _) => Some(named),
                (None, _) if is_busy => now.clone(),
                (None, Some(up)) => Some(up),
                (None, None) => now.clone(),
            };
            if next != now {
                self.shown.set(next);
            }
        });
        // A session in which nothing waits shows its events.
        Effect::new(move |decided: Option<bool>| {
            if decided == Some(true) {
                return true;
            }
            let Some(summary) = self.summary.get() else { return false };
            if summary.waiting.is_empty() && self.named.get_untracked().is_none() {
                self.shows_events.set(true);
            }
            true
        });
        let closed = Memo::new(move |_| self.ahead().is_none());
        Effect::new(move |before: Option<Option<LiveTurnId>>| {
            let shown = self.shown.get();
            // Read again once it has its answer.
            closed.get();
            if before.as_ref() != Some(&shown) {
                self.turn.set(None);
                self.notice.set(None);
                self.filter.set(String::new());
                self.draft.set(shown.as_ref().map(|turn| self.live.drafts.of(turn)));
                if before.is_some_and(|before| before.is_some()) && shown.is_some() {
                    self.announcement.set("The next turn is up for answer.".to_owned());
                    self.shows_events.set(false);
                }
            }
            self.read_turn();
            shown
        });
    }

    /// Asks the host what the model would see.
    pub fn read_turn(self) {
        let Some(wanted) = self.shown.get_untracked() else { return };
        let id = self.id.get_value();
        spawn_local(async move {
            let read = read_live_turn(id, wanted.clone()).await;
            if self.shown.try_get_untracked().flatten() != Some(wanted) {
                return;
            }
            match read {
                Ok(turn) => {
                    self.turn_fault.try_set(None);
                    if self.turn.read_untracked().as_ref() != Some(&turn) {
                        self.turn.try_set(Some(turn));
                    }
                }
                Err(error) => {
                    self.turn_fault.try_set(Some(error));
                }
            }
        });
    }

    /// The person did something in the answer: the turn is held from now on.
    pub fn touch(self) {
        let Some(draft) = self.draft.get_untracked() else { return };
        let was_idle = !draft.is_begun.get_untracked()
            || browser::now().as_millisecond() - draft.touched_ms.get_value() > IDLE_MS;
        draft.touch();
        if was_idle {
            self.hold();
        }
    }

    /// Takes or keeps the turn, when it is up and the person has a name.
    pub fn hold(self) {
        if !untrack(|| self.is_up()) {
            return;
        }
        let (Some(draft), Some(turn), Some(by)) = (
            self.draft.get_untracked(),
            self.shown.get_untracked(),
            self.live.name.get_untracked(),
        ) else {
            return;
        };
        let (id, lease) = (self.id.get_value(), draft.lease.get_value());
        spawn_local(async move {
            // A refusal is seen in the session's lease; a lost request by the next one.
            let _ = hold_live_turn(id, turn, lease, by).await;
        });
    }

    fn keep_hold(self) {
        Effect::new(move |started: Option<()>| {
            if started.is_none() {
                clock::every(HEARTBEAT, move || {
                    let Some(draft) = self.draft.get_untracked() else { return };
                    let since = browser::now().as_millisecond() - draft.touched_ms.get_value();
                    if draft.is_begun.get_untracked() && since < IDLE_MS {
                        self.hold();
                    }
                });
            }
        });
        // A turn that comes up while its answer is half written is held at once.
        let is_up = Memo::new(move |_| self.is_up());
        Effect::new(move |_| {
            let has_begun = self.draft.get().is_some_and(|draft| draft.is_begun.get());
            if is_up.get() && has_begun && self.live.name.read().is_some() {
                self.hold();
            }
        });
    }

    /// Lets go of the turn; what was typed stays.
    pub fn release(self) {
        let (Some(draft), Some(turn)) = (self.draft.get_untracked(), self.shown.get_untracked())
        else {
            return;
        };
        draft.touched_ms.set_value(0);
        let (id, lease) = (self.id.get_value(), draft.lease.get_value());
        spawn_local(async move {
            let _ = release_live_turn(id, turn, lease).await;
        });
    }

    /// Puts the call in the form among those of the answer.
    pub fn add_call(self) {
        let Some((draft, tool)) = untrack(|| Some((self.draft.get()?, self.tool()?))) else {
            return;
        };
        let form = draft.tool_form(&tool);
        spawn_local(async move {
            let target = LiveTarget::Arguments(tool.name.to_string());
            if let Some(args) = self.checked(form, target).await {
                draft.add_call(&tool.name, args, form);
                self.touch();
                self.announcement.set(format!("{} is in the answer.", tool.name));
                browser::after_drawing(|| browser::focus(super::live_stage::FILTER));
            }
        });
    }

    /// Sends what stands in the answer, with the call or the value in the form that is shown.
    pub fn send(self) {
        if self.is_sending.get_untracked() {
            return;
        }
        let (Some(draft), Some(turn)) = (self.draft.get_untracked(), self.shown.get_untracked())
        else {
            return;
        };
        let Some(by) = self.live.name.get_untracked() else {
            self.notice
                .set(Some("Say who you are first: your name stands beside the answer.".to_owned()));
            browser::focus(NAME_FIELD);
            return;
        };
        self.notice.set(None);
        self.is_sending.set(true);
        spawn_local(async move {
            if let Some((text, calls)) = self.collect(draft).await {
                let answer = LiveAnswer {
                    session: self.id.get_value(),
                    turn: turn.clone(),
                    by,
                    lease: self.is_held_here().then(|| draft.lease.get_value()),
                    text,
                    calls,
                };
                match answer_live_turn(answer).await {
                    Ok(()) => self.was_sent(&turn),
                    Err(error) => self.was_refused(&error),
                }
            }
            self.is_sending.try_set(false);
        });
    }

    /// What would be sent; `None` when something is to mend.
    async fn collect(self, draft: Draft) -> Option<(Option<String>, Vec<LiveCall>)> {
        let mut calls = draft.calls.get_untracked();
        let typed = draft.text.get_untracked();
        let mut text = (!typed.trim().is_empty()).then_some(typed);
        let (side, tool, schema) = untrack(|| (self.side(), self.tool(), self.output_schema()));
        match (side, tool, schema) {
            (Side::Call, Some(tool), _) => {
                let form = draft.tool_form(&tool);
                let target = LiveTarget::Arguments(tool.name.to_string());
                let args = self.checked(form, target).await?;
                let id = draft.call_id.get_value();
                calls.push(LiveCall { id, name: tool.name.to_string(), args });
            }
            (Side::Text, _, Some(schema)) => {
                let form = draft.answer_form(&schema);
                text = Some(self.checked(form, LiveTarget::Output).await?.as_str().to_owned());
            }
            _ => {}
        }
        if text.is_none() && calls.is_empty() {
            let what = match side {
                Side::Call => "Choose a tool to call, or answer in text.",
                Side::Text => "Write what the model answers.",
            };
            self.notice.set(Some(what.to_owned()));
            return None;
        }
        Some((text, calls))
    }

    /// The value of a form once the host finds nothing wrong with it; what it finds stands at the
    /// fields.
    async fn checked(self, form: ValueForm, target: LiveTarget) -> Option<JsonText> {
        let value = form.read()?;
        let turn = self.shown.get_untracked()?;
        let found: Result<Vec<FieldMessage>, ApiError> =
            check_live_value(self.id.get_value(), turn, target, value.clone()).await;
        match found {
            Ok(messages) if messages.is_empty() => Some(value),
            Ok(messages) => {
                form.tell(messages);
                None
            }
            Err(error) => {
                self.was_refused(&error);
                None
            }
        }
    }

    fn is_held_here(self) -> bool {
        let name = self.live.name.get_untracked();
        self.summary.with_untracked(|summary| {
            let lease = summary.as_ref().and_then(|summary| summary.lease.as_ref());
            lease.is_some_and(|lease| name.as_deref() == Some(lease.holder.as_str()))
        })
    }

    fn was_sent(self, turn: &LiveTurnId) {
        self.live.drafts.forget(turn);
        self.announcement.set("The answer is sent.".to_owned());
        self.go_on();
    }

    fn was_refused(self, error: &ApiError) {
        let text = match error {
            ApiError::LiveClosed { .. } => {
                format!("{error} What you typed is still here.")
            }
            ApiError::Transport { .. } => {
                "Not sent: the host does not answer. What you typed is kept; send it again once the host is back.".to_owned()
            }
            _ => error.to_string(),
        };
        self.notice.set(Some(text));
    }

    /// Shows what is up, whatever was shown.
    pub fn go_on(self) {
        let up = untrack(|| self.up());
        let shown = self.shown.get_untracked();
        // Soon the queue says what comes next; until then the turn stays as it is.
        match up {
            Some(up) if Some(&up) != shown.as_ref() && self.named.read_untracked().is_none() => {
                self.shown.set(Some(up));
            }
            _ => self.draft.set(shown.as_ref().map(|turn| self.live.drafts.of(turn))),
        }
    }

    /// Gives up what was typed in the shown turn and shows what is up.
    pub fn put_away(self) {
        if let Some(turn) = self.shown.get_untracked() {
            self.live.drafts.forget(&turn);
        }
        self.notice.set(None);
        self.go_on();
    }

    /// Sends the agent of the shown turn away.
    pub fn cancel(self, reason: String) {
        let (Some(turn), Some(by)) = (self.shown.get_untracked(), self.live.name.get_untracked())
        else {
            return;
        };
        let id = self.id.get_value();
        spawn_local(async move {
            match cancel_live_turn(id, turn.clone(), reason, by).await {
                Ok(()) => {
                    self.live.drafts.forget(&turn);
                    self.announcement.set("The turn is cancelled.".to_owned());
                    self.go_on();
                }
                Err(error) => self.was_refused(&error),
            }
        });
    }

    /// Ends the session, and with it every turn that waits.
    pub fn complete(self) {
        let Some(by) = self.live.name.get_untracked() else { return };
        let id = self.id.get_value();
        spawn_local(async move {
            match complete_live_session(id, true, by).await {
                Ok(()) => self.announcement.set("The session is completed.".to_owned()),
                Err(error) => self.was_refused(&error),
            }
        });
    }

    /// Gives the turn to somebody by name.
    pub fn hand_over(self, to: String) {
        let (Some(draft), Some(turn)) = (self.draft.get_untracked(), self.shown.get_untracked())
        else {
            return;
        };
        draft.touched_ms.set_value(0);
        let (id, lease) = (self.id.get_value(), draft.lease.get_value());
        spawn_local(async move {
            match hand_over_live_turn(id, turn, lease, to.clone()).await {
                Ok(()) => self.announcement.set(format!("The turn is offered to {to}.")),
                Err(error) => self.was_refused(&error),
            }
        });
    }

    /// Chooses a tool and shows its form.
    pub fn choose(self, name: &ToolName) {
        if let Some(draft) = self.draft.get_untracked() {
            draft.tool.set(Some(name.to_string()));
            draft.side.set(Some(Side::Call));
        }
    }

    /// Shows a side of the answer.
    pub fn show(self, side: Side) {
        if let Some(draft) = self.draft.get_untracked() {
            draft.side.set(Some(side));
        }
    }
}

/// The id of the catalogue's filter in the document.
pub const FILTER: &str = "tool-filter";
/// The id of the field for the person's name in the document.
pub const NAME_FIELD: &str = "your-name";

/// The stage that is shown.
#[must_use]
pub fn use_this_live_stage() -> LiveStage {
    expect_context()
}
