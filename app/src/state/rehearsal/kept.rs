//! What this tab keeps of a rehearsal, so that a reload of the page does not end it: the session and the
//! person's input, in the tab's storage. A duplicate of the tab has another id, and so a session of its own.

use std::collections::HashMap;

use api::{CallUpdate, ExportReceipt, FieldMessage, RestoredSession};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};
use session::{AgentId, CallId, SavedSession, Session, ToolError};

use super::confirmed::Confirmed;
use super::kept_input::KeptInput;
use super::requests::Restoring;
use super::{Export, ExportFile, Rehearsal, Restart};
use crate::state::browser;
use crate::state::rows::{OpenParts, OpenRows};
use api::host::cancel_call;

/// The prefixes of the storage keys. The tab's id and the agent's id follow.
const SESSIONS: &str = "rehearsal.session.";
const INPUT: &str = "rehearsal.input.";

/// Why a reloaded session that the host does not have was restored.
const NOT_OPEN: &str =
    "The host was restarted, or closed this session, while the page was not open.";
/// Why its pending calls ended.
const CALL_NOT_OPEN: &str = "The host was restarted, or closed this session, while the page was not open and the tool was running.";
/// Why a pending call ended that the host does not have.
const CALL_UNKNOWN: &str = "The page was reloaded, and the host does not have this call. Call the tool again if it is still needed.";
/// What the person reads when the storage has something else.
const UNREADABLE: &str = "This tab's earlier session of the agent cannot be read and was removed.";

/// Whether this tab keeps the session over a reload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keeping {
    /// It does.
    #[default]
    Kept,
    /// The session does not fit in the browser's storage.
    NotKept,
    /// The same, and the person has dismissed the notice.
    Dismissed,
}

/// The texts in the tab's storage, until the code that reads them is loaded.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptTexts {
    session: Option<String>,
    input: Option<String>,
}

/// A rehearsal that was taken up after a reload, until the host has its session. Function pointers, so that opening
/// a session does not link their code.
#[derive(Debug, Clone)]
pub(super) struct Reopened {
    /// The host's news of calls, which came before its answer.
    news: Vec<CallUpdate>,
    /// Called before the view of the opened session is shown.
    pub(super) before: fn(Rehearsal, &RestoredSession),
    /// Called after that.
    pub(super) after: fn(Rehearsal, Reopened, &RestoredSession),
}

/// What is kept of a session.
#[derive(Debug, Serialize, Deserialize)]
struct KeptSession {
    session: SavedSession,
    confirmed: Confirmed,
    #[serde(default)]
    began_with: Option<String>,
    #[serde(default)]
    loads: Option<u64>,
    #[serde(default)]
    restarts: Vec<Restart>,
    #[serde(default)]
    broken: HashMap<CallId, Vec<FieldMessage>>,
    #[serde(default)]
    open_rows: OpenRows,
    #[serde(default)]
    open_parts: OpenParts,
    #[serde(default)]
    exported: Option<ExportReceipt>,
    #[serde(default)]
    export_file: Option<ExportFile>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    note: String,
    #[serde(default)]
    left_out: Vec<CallId>,
    #[serde(default)]
    left_out_turns: Vec<usize>,
    #[serde(default)]
    left_out_responses: Vec<usize>,
    #[serde(default)]
    case_id: Option<String>,
    #[serde(default)]
    adk_tool_responses: Option<bool>,
    #[serde(default)]
    case: Option<(String, u64)>,
}

impl KeptSession {
    /// The session in `text` with what is kept beside it, if it is one of `agent`.
    fn read(text: &str, agent: &AgentId) -> Option<(Session, Self)> {
        let kept: Self = serde_json::from_slice(text.as_bytes()).ok()?;
        let session = kept.session.clone().open().ok()?;
        (session.agent() == Some(agent)).then_some((session, kept))
    }
}

fn key(prefix: &str, agent: &AgentId) -> String {
    format!("{prefix}{}.{agent}", browser::tab_id())
}

/// The agents whose sessions this tab keeps. Deletes what a duplicate of another tab has of that tab.
pub(crate) fn kept_agents() -> Vec<AgentId> {
    let own = format!("{}.", browser::tab_id());
    let mut agents = Vec::new();
    for prefix in [SESSIONS, INPUT] {
        for key in browser::tab_stored_keys(prefix) {
            match key[prefix.len()..].strip_prefix(&own) {
                Some(agent) if prefix == SESSIONS => agents.extend(AgentId::parse(agent).ok()),
                Some(_) => {}
                None => {
                    browser::tab_store(&key, None);
                }
            }
        }
    }
    agents
}

/// Deletes everything that this tab keeps of rehearsals.
pub(crate) fn forget_all() {
    for prefix in [SESSIONS, INPUT] {
        for key in browser::tab_stored_keys(prefix) {
            browser::tab_store(&key, None);
        }
    }
}

/// What the storage has of `agent`, if anything.
pub(super) fn texts(agent: &AgentId) -> Option<KeptTexts> {
    let session = browser::tab_stored(&key(SESSIONS, agent));
    let input = browser::tab_stored(&key(INPUT, agent));
    (session.is_some() || input.is_some()).then_some(KeptTexts { session, input })
}

impl Rehearsal {
    /// Whether what this tab keeps is still to be taken up. Untracked.
    pub(crate) fn is_kept_back(self) -> bool {
        self.kept_back.with_value(Option::is_some)
    }

    /// Takes up what this tab keeps of the rehearsal, and keeps it from now on. Reached through the code that
    /// is loaded with a session.
    pub fn keep(self) {
        if self.keeps.try_update_value(|keeps| std::mem::replace(keeps, true)) != Some(false) {
            return;
        }
        self.restoring.set_value(Some(Restoring::CODE));
        self.forms.keeps_input();
        if let Some(texts) = self.kept_back.try_update_value(Option::take).flatten() {
            untrack(|| self.take_up(&texts));
            self.open();
        }
        self.forms.owned(|| {
            Effect::new(move |_| self.store_session());
            Effect::new(move |_| self.store_input());
        });
    }

    /// Keeps the session and the input no longer, because the person logs out.
    pub(crate) fn stop_keeping(self) {
        self.is_leaving.set(true);
    }

    /// Whether closing or reloading the page would lose something. Tracked.
    #[must_use]
    pub fn would_be_lost(self) -> bool {
        let is_kept = self.keeping.get() == Keeping::Kept && !self.is_leaving.get();
        let is_written = matches!(&*self.export.read(), Export::Writing);
        is_written || self.is_under_way() && !(is_kept && self.keeps.get_value())
    }

    fn take_up(self, texts: &KeptTexts) {
        let agent = self.agent();
        let mut is_unreadable = false;
        match texts.input.as_deref().map(KeptInput::read) {
            Some(Some(input)) => self.forms.take_up(input),
            read => is_unreadable |= read.is_some(),
        }
        match texts.session.as_deref().map(|text| KeptSession::read(text, &agent)) {
            Some(Some((session, kept))) => self.take_up_session(session, kept),
            read => is_unreadable |= read.is_some(),
        }
        if is_unreadable {
            self.notice.set(Some(UNREADABLE.to_owned()));
        }
    }

    fn take_up_session(self, session: Session, kept: KeptSession) {
        self.session.set(session);
        self.confirmed.set_value(kept.confirmed);
        self.began_with.set(kept.began_with);
        self.loads.set(kept.loads);
        self.restarts.set(kept.restarts);
        self.broken.set(kept.broken);
        self.open_rows.set(kept.open_rows);
        self.open_parts.set(kept.open_parts);
        self.export.set(kept.exported.map_or(Export::NotYet, Export::Written));
        self.export_file.set(kept.export_file);
        self.tags.set(kept.tags);
        self.note.set(kept.note);
        self.left_out.set(kept.left_out);
        self.left_out_turns.set(kept.left_out_turns);
        self.left_out_responses.set(kept.left_out_responses);
        self.case_id.set(kept.case_id);
        self.adk_tool_responses.set(kept.adk_tool_responses);
        self.case.set_value(kept.case);
        let (before, after) = (Self::end_lost, Self::catch_up);
        self.reopened.set_value(Some(Reopened { news: Vec::new(), before, after }));
    }

    /// The session as it is kept; `None` before it has begun. Tracked.
    fn kept(self) -> Option<String> {
        // What the host has confirmed changes with the view.
        self.view.track();
        let session = self.session.read();
        let begun = session.started_at().and_then(|_| session.saved());
        drop(session);
        let exported = match &*self.export.read() {
            Export::Written(receipt) => Some(receipt.clone()),
            _ => None,
        };
        let kept = KeptSession {
            session: begun?,
            confirmed: self.confirmed.get_value(),
            began_with: self.began_with.get(),
            loads: self.loads.get(),
            restarts: self.restarts.get(),
            broken: self.broken.get(),
            open_rows: self.open_rows.get(),
            open_parts: self.open_parts.get(),
            exported,
            export_file: self.export_file.get(),
            tags: self.tags.get(),
            note: self.note.get(),
            left_out: self.left_out.get(),
            left_out_turns: self.left_out_turns.get(),
            left_out_responses: self.left_out_responses.get(),
            case_id: self.case_id.get(),
            adk_tool_responses: self.adk_tool_responses.get(),
            case: self.case.get_value(),
        };
        serde_json::to_string(&kept).ok()
    }

    fn store_session(self) {
        let text = self.kept();
        let key = key(SESSIONS, &self.agent());
        if self.is_leaving.get() {
            return;
        }
        let is_kept = browser::tab_store(&key, text.as_deref());
        if !is_kept {
            // An earlier part of the session would not be what the host has.
            browser::tab_store(&key, None);
        }
        let keeping = match (is_kept, self.keeping.get_untracked()) {
            (true, _) => Keeping::Kept,
            (false, Keeping::Kept) => Keeping::NotKept,
            (false, before) => before,
        };
        if keeping != self.keeping.get_untracked() {
            self.keeping.set(keeping);
        }
    }

    fn store_input(self) {
        let input = self.forms.kept_input();
        if !self.is_leaving.get() {
            let text = (!input.is_empty()).then(|| serde_json::to_string(&input).ok()).flatten();
            browser::tab_store(&key(INPUT, &self.agent()), text.as_deref());
        }
    }

    /// Holds back the host's news of a call until the session of a reloaded page is open. Returns what is not held
    /// back.
    pub(super) fn unless_reopening(self, news: CallUpdate) -> Option<CallUpdate> {
        let mut news = Some(news);
        self.reopened.update_value(|reopened| {
            if let Some(reopened) = reopened {
                reopened.news.extend(news.take());
            }
        });
        news
    }

    /// Ends what the host has lost while the page was not open.
    fn end_lost(self, opened: &RestoredSession) {
        if !opened.was_open {
            self.loads.set(None);
            self.lose_session(NOT_OPEN, CALL_NOT_OPEN);
        }
    }

    /// Applies the news that were held back, and ends the calls that the host does not have.
    fn catch_up(self, reopened: Reopened, opened: &RestoredSession) {
        for news in reopened.news {
            self.take_in(news);
        }
        let innermost =
            || self.session.with_untracked(|it| Some(it.pending()?.call.call_id.clone()));
        while let Some(call_id) = innermost().filter(|call_id| !opened.calls.contains(call_id)) {
            self.settle_locally(&call_id, ToolError::HOST_UNREACHABLE, CALL_UNKNOWN.to_owned());
            let session = self.session.read_untracked().id().clone();
            // Its request may still arrive.
            spawn_local(async move { drop(cancel_call(session, call_id).await) });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use session::SessionState;

    use super::*;

    fn agent() -> AgentId {
        AgentId::parse("home").expect("valid")
    }

    fn record() -> Value {
        let at = "2025-12-23T14:30:00Z";
        json!({
            "session": {
                "id": "s", "agent": "home",
                "history": [
                    { "type": "user_query", "content": "Warm the hall.", "timestamp": at },
                    { "type": "tool_call", "tool_name": "heat", "arguments": {}, "call_id": "c1", "timestamp": at },
                ],
                "pending": [{ "is_agent": false, "phase": { "awaiting_result": { "first": null } } }],
            },
            "confirmed": { "initial_state": {}, "now": [{ "rooms": 1.10 }, "home"], "steps": 1 },
            "restarts": [{ "of": "Host", "rows": 1, "lost": ["plan.txt"] }],
            "tags": ["warm"],
        })
    }

    #[test]
    fn a_kept_session_is_read_with_what_belongs_to_it() {
        let (session, kept) = KeptSession::read(&record().to_string(), &agent()).expect("reads");
        assert_eq!(session.state(), SessionState::Active);
        assert_eq!(session.pending().map(|it| it.call.tool_name.as_str()), Some("heat"));
        assert_eq!((kept.restarts[0].rows, kept.tags[0].as_str()), (1, "warm"));
        let again = serde_json::to_string(&kept).expect("writes");
        let (again, _) = KeptSession::read(&again, &agent()).expect("reads what it writes");
        assert_eq!(again, session);
    }

    #[test]
    fn what_is_not_a_kept_session_is_not_read() {
        let whole = record().to_string();
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            assert!(KeptSession::read(&whole[..end], &agent()).is_none(), "{end}");
        }
        let other = AgentId::parse("other").expect("valid");
        assert!(KeptSession::read(&whole, &other).is_none(), "another agent's");
        let mut changed = record();
        changed["session"]["pending"] = json!([]);
        for text in ["null", "[]", "{}", "\u{0}", &changed.to_string()] {
            assert!(KeptSession::read(text, &agent()).is_none(), "{text}");
        }
    }
}
