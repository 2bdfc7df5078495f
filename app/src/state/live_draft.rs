//! [`Draft`]: what a person is answering in one turn, kept until it is sent.
//!
//! A draft belongs to its turn and to the page, not to what is drawn: neither a lost connection nor a
//! look at another page loses it. Its text and its finished calls outlive a reload too, in the
//! browser's storage, until the turn has its answer or they are swept out (`live_sweep`). Each tab
//! keeps its own, with the person's name, and one beside it for whoever comes to the tab later: two
//! tabs write over nothing, and nobody is given what somebody else typed at this browser. A tab that
//! has none begins with the person's newest.

use std::collections::HashMap;

use api::{LiveCall, LiveId, LiveLeaseId, LiveTurnId, ToolView};
use json_text::JsonText;
use leptos::prelude::*;
use schema_form::Integers;
use serde::{Deserialize, Serialize};
use session::ToolName;

use crate::state::browser;
use crate::state::rehearsal::{FormKey, Forms};
use crate::state::value_form::ValueForm;

/// Which side of the answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Calling tools.
    Call,
    /// Text, or the value that is wanted.
    Text,
}

/// What the host reported of this page's lease on a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseRequest {
    /// It was not asked.
    Unasked,
    /// It was asked, and did not refuse.
    Asked,
    /// Somebody else holds the turn, or the same person in another window.
    Refused,
}

/// An answer that is being made.
#[derive(Clone, Copy)]
pub struct Draft {
    /// The text.
    pub text: RwSignal<String>,
    /// The calls that are finished.
    pub calls: RwSignal<Vec<LiveCall>>,
    /// The tool whose form is shown.
    pub tool: RwSignal<Option<String>>,
    /// Which side is shown; `None` until the person chose one.
    pub side: RwSignal<Option<Side>>,
    /// Whether the person has begun to answer.
    pub is_begun: RwSignal<bool>,
    /// When the person last typed here, in milliseconds since 1970.
    pub touched_ms: StoredValue<i64>,
    /// Whether the person was warned about other input that would not be sent.
    pub was_warned: StoredValue<bool>,
    /// The id of the call in the form, the same however often it is sent.
    pub call_id: StoredValue<String>,
    /// The secret under which this page holds the turn.
    pub lease: StoredValue<LiveLeaseId>,
    /// Whether this page may take itself for the holder.
    pub hold: RwSignal<LeaseRequest>,
    forms: Forms,
}

/// What outlives a reload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    text: String,
    calls: Vec<LiveCall>,
    /// The session that the turn is of.
    session: Option<LiveId>,
    /// When the person last typed, in milliseconds since 1970.
    typed_ms: i64,
    /// Who typed, where that was known.
    by: Option<String>,
}

impl Stored {
    fn at(key: &str) -> Option<Self> {
        serde_json::from_str(&browser::stored(key)?).ok()
    }

    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }
}

/// A draft in the browser's storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The name under which it is stored.
    pub key: String,
    /// Its turn.
    pub turn: LiveTurnId,
    /// Who typed it, where that was known.
    pub by: Option<String>,
    /// The session that the turn is of, where the draft tells.
    pub session: Option<LiveId>,
    /// When the person last typed in it, in milliseconds since 1970.
    pub typed_ms: i64,
}

impl Draft {
    /// The form for a tool's arguments.
    #[must_use]
    pub fn tool_form(self, tool: &ToolView) -> ValueForm {
        self.forms.of(&FormKey::Tool(tool.name.clone()), tool.parameters.as_ref(), Integers::Any)
    }

    /// The form for the value that is wanted.
    #[must_use]
    pub fn answer_form(self, schema: &JsonText) -> ValueForm {
        self.forms.of(&FormKey::Response, Some(schema), Integers::Any)
    }

    /// The person did something here.
    pub fn touch(self) {
        self.touched_ms.set_value(browser::now().as_millisecond());
        self.was_warned.set_value(false);
        if !self.is_begun.get_untracked() {
            self.is_begun.set(true);
        }
    }

    /// Puts the call in the form among the finished ones.
    pub fn add_call(self, name: &ToolName, args: JsonText, form: ValueForm) {
        let id = self.call_id.get_value();
        self.call_id.set_value(new_call_id());
        self.calls.update(|calls| calls.push(LiveCall { id, name: name.to_string(), args }));
        form.clear();
        self.tool.set(None);
    }

    /// Takes a finished call out again, and shows it in its form.
    pub fn edit_call(self, id: &str, form: Option<ValueForm>) {
        let call = self.calls.with_untracked(|calls| calls.iter().find(|it| it.id == id).cloned());
        if let Some(call) = call {
            self.drop_call(id);
            if let Some(form) = form {
                form.fill(&call.args);
            }
            self.tool.set(Some(call.name));
            self.side.set(Some(Side::Call));
        }
    }

    /// Takes a finished call out.
    pub fn drop_call(self, id: &str) {
        self.calls.update(|calls| calls.retain(|call| call.id != id));
    }
}

impl Kept {
    /// Whether `me` may have typed it.
    #[must_use]
    pub fn may_be_of(&self, me: Option<&str>) -> bool {
        self.by.is_none() || self.by.as_deref() == me
    }
}

/// The drafts of this page.
#[derive(Clone, Copy)]
pub struct Drafts {
    /// The person's name.
    name: RwSignal<Option<String>>,
    owner: StoredValue<Option<Owner>>,
    begun: StoredValue<HashMap<LiveTurnId, Draft>>,
    swept: StoredValue<bool>,
}

/// None yet, of the person of that name.
#[must_use]
pub fn use_drafts(name: RwSignal<Option<String>>) -> Drafts {
    Effect::new(move |_| drop(browser::tab_id()));
    Drafts {
        name,
        owner: StoredValue::new(Owner::current()),
        begun: StoredValue::new(HashMap::new()),
        swept: StoredValue::new(false),
    }
}

impl Drafts {
    /// The draft of a turn as the person left it. For effects and handlers: it reads the browser's
    /// storage.
    #[must_use]
    pub fn of(self, session: &LiveId, turn: &LiveTurnId) -> Draft {
        if let Some(draft) = self.begun.with_value(|begun| begun.get(turn).copied()) {
            return draft;
        }
        let make = || self.begin(session, turn);
        let draft = match self.owner.get_value() {
            Some(owner) => owner.with(make),
            None => make(),
        };
        self.begun.update_value(|begun| {
            begun.insert(turn.clone(), draft);
        });
        draft
    }

    /// Whether something is being answered in this turn.
    #[must_use]
    pub fn has_begun(self, turn: &LiveTurnId) -> bool {
        let draft = self.begun.with_value(|begun| begun.get(turn).copied());
        draft.is_some_and(|draft| draft.is_begun.get_untracked())
    }

    /// Whether the person has typed in this turn since the page was loaded.
    #[must_use]
    pub fn is_typed_in(self, turn: &LiveTurnId) -> bool {
        let draft = self.begun.with_value(|begun| begun.get(turn).copied());
        draft.is_some_and(|draft| draft.touched_ms.get_value() > 0)
    }

    /// The drafts in the browser's storage, of all tabs and of everybody.
    #[must_use]
    pub fn kept(self) -> Vec<Kept> {
        let keys = browser::stored_keys(KEY).into_iter();
        keys.filter_map(|key| {
            let Stored { session, typed_ms, by, .. } = Stored::at(&key)?;
            Some(Kept { turn: turn_of(&key)?, key, by, session, typed_ms })
        })
        .collect()
    }

    /// Whether nobody has swept yet; the next time somebody has.
    #[must_use]
    pub fn is_first_sweep(self) -> bool {
        !self.swept.try_update_value(|swept| std::mem::replace(swept, true)).unwrap_or(true)
    }

    /// The turn has its answer: what the person typed is not needed any more, in whichever tab.
    pub fn forget(self, turn: &LiveTurnId) {
        self.drop_begun(turn);
        browser::tab_store(&lease_key(turn), None);
        let (me, own) = (self.name.get_untracked(), self.key(turn));
        for kept in self.kept() {
            if kept.turn == *turn && (kept.key == own || kept.may_be_of(me.as_deref())) {
                browser::store(&kept.key, None);
            }
        }
    }

    /// Throws one of [`kept`](Self::kept) away.
    pub fn discard(self, kept: &Kept) {
        if kept.key == self.key(&kept.turn) {
            self.drop_begun(&kept.turn);
        }
        browser::store(&kept.key, None);
    }

    fn drop_begun(self, turn: &LiveTurnId) {
        let draft = self.begun.try_update_value(|begun| begun.remove(turn)).flatten();
        if let Some(draft) = draft {
            // In this order: what is stored follows the draft.
            draft.text.set(String::new());
            draft.calls.set(Vec::new());
            draft.is_begun.set(false);
            draft.forms.forget();
        }
    }

    /// What this tab has of the turn, or else the newest that the person typed in another.
    fn stored(self, turn: &LiveTurnId) -> Option<Stored> {
        let me = self.name.get_untracked();
        let own = Stored::at(&self.key(turn)).filter(|stored| {
            // Who begins to type may say another name later.
            me.is_none() || stored.by.is_none() || stored.by == me
        });
        own.or_else(|| {
            let kept = self.kept().into_iter();
            kept.filter(|kept| kept.turn == *turn && kept.may_be_of(me.as_deref()))
                .max_by_key(|kept| kept.typed_ms)
                .and_then(|kept| Stored::at(&kept.key))
        })
    }

    /// Where this tab's draft of a turn is stored, beside that of somebody else who was here before.
    fn key(self, turn: &LiveTurnId) -> String {
        let plain = format!("{KEY}{turn}.{}", browser::tab_id());
        let there = Stored::at(&plain).and_then(|stored| stored.by);
        own_key(plain, there.as_deref(), self.name.get_untracked().as_deref())
    }

    fn begin(self, session: &LiveId, turn: &LiveTurnId) -> Draft {
        let (key, session) = (self.key(turn), session.clone());
        let stored = self.stored(turn).unwrap_or_default();
        // A page that is reloaded goes on with the hold that it had.
        let held = browser::tab_stored(&lease_key(turn));
        let side = (!stored.text.is_empty()).then_some(Side::Text);
        let draft = Draft {
            is_begun: RwSignal::new(!stored.is_empty()),
            text: RwSignal::new(stored.text),
            calls: RwSignal::new(stored.calls),
            tool: RwSignal::new(None),
            side: RwSignal::new(side),
            touched_ms: StoredValue::new(0),
            was_warned: StoredValue::new(false),
            call_id: StoredValue::new(new_call_id()),
            hold: RwSignal::new(if held.is_some() {
                LeaseRequest::Asked
            } else {
                LeaseRequest::Unasked
            }),
            lease: StoredValue::new(LiveLeaseId::new(held.unwrap_or_else(browser::new_uuid))),
            forms: Forms::new(),
        };
        Effect::new(move |before: Option<()>| {
            let now = Stored {
                text: draft.text.get(),
                calls: draft.calls.get(),
                session: Some(session.clone()),
                typed_ms: browser::now().as_millisecond(),
                by: self.name.get_untracked(),
            };
            if before.is_some() {
                let text = (!now.is_empty()).then(|| serde_json::to_string(&now).ok());
                browser::store(&key, text.flatten().as_deref());
            }
        });
        draft
    }
}

/// Remembers over a reload that this tab holds the turn, or with `None` that it does not.
pub fn remember_hold(turn: &LiveTurnId, lease: Option<&LiveLeaseId>) {
    browser::tab_store(&lease_key(turn), lease.map(|lease| lease.as_str()));
}

/// What the names of drafts in the browser's storage begin with; the turn follows, then the tab, then
/// the person where another one has begun in the same tab.
const KEY: &str = "rehearsal.draft.";

/// `plain`, unless somebody else's draft stands there.
fn own_key(plain: String, there: Option<&str>, me: Option<&str>) -> String {
    match (there, me) {
        (Some(there), Some(me)) if there != me => format!("{plain}.{me}"),
        _ => plain,
    }
}

/// The turn of a draft by its name in the storage.
fn turn_of(key: &str) -> Option<LiveTurnId> {
    let rest = key.strip_prefix(KEY)?;
    Some(LiveTurnId::new(rest.split_once('.').map_or(rest, |(turn, _)| turn)))
}

fn lease_key(turn: &LiveTurnId) -> String {
    // A duplicate of the tab begins with the tab's storage, and not with its hold.
    format!("rehearsal.lease.{turn}.{}", browser::tab_id())
}

fn new_call_id() -> String {
    // The prefix of google-adk's own ids: it takes them out before a model sees them.
    format!("adk-{}", browser::new_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_to_a_tab_keeps_a_draft_beside_the_one_before() {
        let turn = LiveTurnId::new("936da01f-9abd-4d9d-80c7-02af85c822a8");
        let plain = format!("{KEY}{turn}.tab");
        let key = |there, me| own_key(plain.clone(), there, me);
        assert_eq!(key(None, Some("Ann")), plain);
        assert_eq!(key(Some("Ann"), Some("Ann")), plain);
        assert_eq!(key(Some("Ann"), None), plain);
        let beside = key(Some("Ann"), Some("Bo v. B."));
        assert_ne!(beside, plain);
        assert_eq!(turn_of(&beside), Some(turn));
    }
}
