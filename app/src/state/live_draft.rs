//! [`Draft`]: a person's unsent response to one turn.
//!
//! A draft lives as long as the page, also while the connection is lost or another page is shown.
//! Its text and its finished calls are in the browser's storage, and so survive a reload, until the
//! turn is answered or `draft_cleanup` deletes them.
//!
//! Storage is keyed by turn, tab and, where a second person uses the same tab, that person's name.
//! So tabs do not overwrite each other's drafts, and no one sees the draft of another person. A tab
//! without a draft of the turn starts with the person's newest draft from another tab.
//!
//! Between a response and the next request, the person types in the session's next draft, which
//! becomes that of the next request. It is stored too, under the session's name.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use api::{LiveCall, LiveId, LiveLeaseId, LiveTurnId, ToolView};
use json_text::JsonText;
use leptos::prelude::*;
use schema_form::{Edit, Integers, Path};
use serde::{Deserialize, Serialize};
use session::ToolName;

use crate::state::browser;
use crate::state::rehearsal::{FormKey, FormSource, Forms};
use crate::state::value_form::ValueForm;

/// The shown kind of response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Calling tools.
    Call,
    /// Text, or the value for the response schema.
    Text,
}

/// The state of this page's lease on a turn, as the host reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseRequest {
    /// The page has not requested a lease.
    Unasked,
    /// The page has requested a lease, and the host did not refuse it.
    Asked,
    /// Another person or another window holds the lease.
    Refused,
}

/// The draft of one turn.
#[derive(Clone, Copy)]
pub struct Draft {
    /// The text.
    pub text: RwSignal<String>,
    /// The JSON of the form for the response schema, as far as it is entered.
    value: RwSignal<String>,
    /// The JSON of the forms of tools, as far as it is entered, by tool.
    args: RwSignal<BTreeMap<String, String>>,
    /// The finished calls.
    pub calls: RwSignal<Vec<LiveCall>>,
    /// The tool whose form is shown.
    pub tool: RwSignal<Option<String>>,
    /// The shown side; `None` until the person has chosen one or sent a response.
    pub side: RwSignal<Option<Side>>,
    /// Whether the person has entered anything.
    pub is_begun: RwSignal<bool>,
    /// When the person last typed here, in milliseconds since 1970.
    pub touched_ms: StoredValue<i64>,
    /// Whether the person was warned that other input would not be sent.
    pub was_warned: StoredValue<bool>,
    /// The id of the call in the form, the same in each attempt to send it.
    pub call_id: StoredValue<String>,
    /// The storage key.
    key: StoredValue<String>,
    /// The secret id of this page's lease.
    pub lease: StoredValue<LiveLeaseId>,
    /// Whether this page holds the lease.
    pub lease_request: RwSignal<LeaseRequest>,
    forms: Forms,
}

/// What the person has entered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Entered {
    text: String,
    value: String,
    tool: Option<String>,
    args: BTreeMap<String, String>,
    calls: Vec<LiveCall>,
}

/// A draft as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    entered: Entered,
    /// The turn's session.
    session: LiveId,
    /// When the person last typed, in milliseconds since 1970.
    typed_ms: i64,
    /// The person who typed, if known.
    by: Option<String>,
}

impl Stored {
    fn at(key: &str) -> Option<Self> {
        serde_json::from_str(&browser::stored(key)?).ok()
    }
}

impl Entered {
    fn is_empty(&self) -> bool {
        self.text.is_empty()
            && self.value.is_empty()
            && self.args.is_empty()
            && self.calls.is_empty()
    }
}

/// A draft in the browser's storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its storage key.
    pub key: String,
    /// Its turn.
    pub turn: LiveTurnId,
    /// The person who typed it, if known.
    pub by: Option<String>,
    /// The turn's session.
    pub session: LiveId,
    /// When the person last typed in it, in milliseconds since 1970.
    pub typed_ms: i64,
}

impl Draft {
    /// The form for a tool's arguments.
    #[must_use]
    pub fn tool_form(self, tool: &ToolView) -> ValueForm {
        let key = FormKey::Tool { agent: None, name: tool.name.clone() };
        let schema = tool.parameters.clone();
        self.forms.of(&FormSource { key, schema, integers: Integers::Any })
    }

    /// The form for a value of the response schema.
    #[must_use]
    pub fn answer_form(self, schema: &JsonText) -> ValueForm {
        let (key, schema) = (FormKey::Response, Some(schema.clone()));
        self.forms.of(&FormSource { key, schema, integers: Integers::Any })
    }

    /// Fills the form for the response schema with what was entered before the page was reloaded, and keeps what is
    /// entered from now on. Called when the form is drawn.
    pub fn keep_value(self, form: ValueForm) {
        keep(form, &self.value.get_untracked(), move |entered| {
            self.value.set(entered.unwrap_or_default());
        });
    }

    /// The same for the form of a tool's arguments.
    pub fn keep_args(self, tool: &ToolName, form: ValueForm) {
        let tool = tool.to_string();
        let stored = self.args.with_untracked(|args| args.get(&tool).cloned().unwrap_or_default());
        keep(form, &stored, move |entered| {
            self.args.update(|args| match entered {
                Some(entered) => drop(args.insert(tool.clone(), entered)),
                None => drop(args.remove(&tool)),
            });
        });
    }

    /// Records that the person changed the draft now.
    pub fn touch(self) {
        self.touched_ms.set_value(browser::now().as_millisecond());
        self.was_warned.set_value(false);
        if !self.is_begun.get_untracked() {
            self.is_begun.set(true);
        }
    }

    /// Adds the call in the form to the finished calls, and clears the form.
    pub fn add_call(self, name: &ToolName, args: JsonText, form: ValueForm) {
        let id = self.call_id.get_value();
        self.call_id.set_value(new_call_id());
        self.calls.update(|calls| calls.push(LiveCall { id, name: name.to_string(), args }));
        form.clear();
        self.tool.set(None);
    }

    /// Moves a finished call back into its form.
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

    /// The JSON for the response schema, as far as it is entered. Tracked.
    #[must_use]
    pub fn value_text(self) -> String {
        self.value.get()
    }

    /// Adds what `next` has after what this draft has. Of two inputs for one form, the later one becomes text.
    pub fn add(self, next: Draft) {
        let Entered { text, value, tool, args, calls } = untrack(|| next.entered());
        let mut words = vec![text];
        if self.value.with_untracked(String::is_empty) {
            self.value.set(value);
        } else {
            words.push(value);
        }
        self.args.update(|own| {
            for (tool, entered) in args {
                match own.entry(tool) {
                    Entry::Vacant(place) => drop(place.insert(entered)),
                    Entry::Occupied(place) => words.push(format!("{}({entered})", place.key())),
                }
            }
        });
        words.retain(|words| !words.is_empty());
        let own = self.text.get_untracked();
        if !own.is_empty() {
            words.insert(0, own);
        }
        self.text.set(words.join("\n"));
        self.calls.update(|all| all.extend(calls));
        if self.tool.read_untracked().is_none() {
            self.tool.set(tool);
        }
        self.side.set(next.side.get_untracked());
    }

    /// The arguments that are entered, by tool. Tracked.
    #[must_use]
    pub fn entered_args(self) -> BTreeMap<String, String> {
        self.args.get()
    }

    /// Fills a form of this draft, which may be drawn, with what was added for it.
    pub fn refill(self, tool: &ToolName, form: ValueForm) {
        let entered = self.args.with_untracked(|args| args.get(tool.as_str()).cloned());
        fill(form, &entered.unwrap_or_default());
    }

    /// The same for the form for the response schema.
    pub fn refill_value(self, form: ValueForm) {
        fill(form, &self.value.get_untracked());
    }

    /// What the person has entered. Tracked.
    fn entered(self) -> Entered {
        Entered {
            text: self.text.get(),
            value: self.value.get(),
            tool: self.tool.get(),
            args: self.args.get(),
            calls: self.calls.get(),
        }
    }

    /// Whether `other` is this draft.
    #[must_use]
    pub fn is(self, other: Self) -> bool {
        self.text == other.text
    }

    /// Removes a finished call.
    pub fn drop_call(self, id: &str) {
        self.calls.update(|calls| calls.retain(|call| call.id != id));
    }
}

/// Fills a form with what was stored, and gives `entered` what is entered now and from now on; `None` for nothing.
fn keep(form: ValueForm, stored: &str, entered: impl Fn(Option<String>) + 'static) {
    fill(form, stored);
    Effect::new(move |_| {
        entered(form.is_edited().then(|| form.reading.read().text().to_owned()));
    });
}

/// Fills a form in which nothing is entered with what was stored.
fn fill(form: ValueForm, stored: &str) {
    if stored.is_empty() || untrack(|| form.is_edited()) {
        return;
    }
    match JsonText::parse(stored) {
        Ok(value) => form.fill(&value),
        Err(_) => {
            form.show_json();
            form.edit(&Path::root(), Edit::SetText(stored.to_owned()));
        }
    }
}

impl Kept {
    /// Whether it was typed ahead of a request, and belongs to no turn.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        self.turn == ahead_of(&self.session)
    }

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
    /// Of each session, the draft for the request that follows the answered one.
    next: StoredValue<HashMap<LiveId, Draft>>,
    /// The side that the person last sent from. New drafts begin with it.
    last_side: StoredValue<Option<Side>>,
    cleaned_up: StoredValue<bool>,
}

/// No drafts yet. `name` is the person's name.
#[must_use]
pub fn use_drafts(name: RwSignal<Option<String>>) -> Drafts {
    // Reads the tab's id from the browser before a duplicate of the tab can be made.
    Effect::new(move |_| drop(browser::tab_id()));
    Drafts {
        name,
        owner: StoredValue::new(Owner::current()),
        begun: StoredValue::new(HashMap::new()),
        next: StoredValue::new(HashMap::new()),
        last_side: StoredValue::new(None),
        cleaned_up: StoredValue::new(false),
    }
}

impl Drafts {
    /// The draft of a turn, loaded from the browser's storage if needed. For effects and event
    /// handlers.
    #[must_use]
    pub fn of(self, session: &LiveId, turn: &LiveTurnId) -> Draft {
        if let Some(draft) = self.begun.with_value(|begun| begun.get(turn).copied()) {
            return draft;
        }
        let draft = self.owned(|| self.begin(session, turn));
        self.begun.update_value(|begun| {
            begun.insert(turn.clone(), draft);
        });
        draft
    }

    /// The draft for the request that follows the one that is being answered from `side`.
    #[must_use]
    pub fn next_of(self, session: &LiveId, side: Side) -> Draft {
        self.last_side.set_value(Some(side));
        if let Some(next) = self.next.with_value(|next| next.get(session).copied()) {
            return next;
        }
        let next = self.owned(|| self.begin(session, &ahead_of(session)));
        self.next.update_value(|all| {
            all.insert(session.clone(), next);
        });
        next
    }

    /// Discards what the person typed ahead of the session's next request.
    pub fn discard_next(self, session: &LiveId) {
        if let Some(next) = self.take_next(session) {
            browser::store(&next.key.get_value(), None);
        }
    }

    /// The session's next draft, also one from before the page was loaded.
    fn take_next(self, session: &LiveId) -> Option<Draft> {
        let ahead = ahead_of(session);
        let begun = self.next.try_update_value(|next| next.remove(session)).flatten();
        begun.or_else(|| {
            self.stored(&ahead)?;
            Some(self.owned(|| self.begin(session, &ahead)))
        })
    }

    /// Makes the session's next draft the draft of `turn`. A draft that the turn already has is kept,
    /// and what was typed ahead is added to it.
    #[must_use]
    pub fn adopt_next(self, session: &LiveId, turn: &LiveTurnId) -> Draft {
        let Some(next) = self.take_next(session) else { return self.of(session, turn) };
        if self.has_begun(turn) || self.stored(turn).is_some() {
            let own = self.of(session, turn);
            own.add(next);
            browser::store(&next.key.get_value(), None);
            return own;
        }
        browser::store(&next.key.get_value(), None);
        next.key.set_value(self.key(turn));
        self.write(next, session, &untrack(|| next.entered()));
        self.begun.update_value(|begun| {
            begun.insert(turn.clone(), next);
        });
        next
    }

    /// Runs `make` so that what it makes lives as long as the drafts.
    fn owned<T>(self, make: impl FnOnce() -> T) -> T {
        match self.owner.get_value() {
            Some(owner) => owner.with(make),
            None => make(),
        }
    }

    /// Whether the person has entered anything in this turn.
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

    /// The drafts in the browser's storage, of all tabs and all people.
    #[must_use]
    pub fn kept(self) -> Vec<Kept> {
        let keys = browser::stored_keys(KEY).into_iter();
        keys.filter_map(|key| {
            let Stored { session, typed_ms, by, .. } = Stored::at(&key)?;
            Some(Kept { turn: turn_of(&key)?, key, by, session, typed_ms })
        })
        .collect()
    }

    /// Whether this is the first call of this function.
    #[must_use]
    pub fn is_first_cleanup(self) -> bool {
        let was_cleaned_up = self.cleaned_up.try_update_value(|done| std::mem::replace(done, true));
        was_cleaned_up == Some(false)
    }

    /// Deletes the person's drafts of an answered turn, in all tabs.
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

    /// Deletes one of [`kept`](Self::kept).
    pub fn discard(self, kept: &Kept) {
        if kept.key == self.key(&kept.turn) {
            self.drop_begun(&kept.turn);
        }
        browser::store(&kept.key, None);
    }

    fn drop_begun(self, turn: &LiveTurnId) {
        let draft = self.begun.try_update_value(|begun| begun.remove(turn)).flatten();
        if let Some(draft) = draft {
            // Empty text and calls delete the stored draft.
            draft.text.set(String::new());
            draft.value.set(String::new());
            draft.args.set(BTreeMap::new());
            draft.calls.set(Vec::new());
            draft.is_begun.set(false);
            draft.forms.forget();
        }
    }

    /// This tab's stored draft of the turn, else the person's newest from another tab.
    fn stored(self, turn: &LiveTurnId) -> Option<Stored> {
        let me = self.name.get_untracked();
        let own = Stored::at(&self.key(turn)).filter(|stored| {
            // A person without a name yet may enter it later.
            me.is_none() || stored.by.is_none() || stored.by == me
        });
        own.or_else(|| {
            let kept = self.kept().into_iter();
            kept.filter(|kept| kept.turn == *turn && !kept.is_ahead())
                .filter(|kept| kept.may_be_of(me.as_deref()))
                .max_by_key(|kept| kept.typed_ms)
                .and_then(|kept| Stored::at(&kept.key))
        })
    }

    /// The storage key of this tab's draft of a turn.
    fn key(self, turn: &LiveTurnId) -> String {
        let plain = format!("{KEY}{turn}.{}", browser::tab_id());
        let author = Stored::at(&plain).and_then(|stored| stored.by);
        own_key(plain, author.as_deref(), self.name.get_untracked().as_deref())
    }

    fn begin(self, session: &LiveId, turn: &LiveTurnId) -> Draft {
        let stored = self.stored(turn);
        let draft = self.empty(self.key(turn));
        let loaded = stored.map(|stored| stored.entered).unwrap_or_default();
        if !loaded.is_empty() {
            let has_words = !loaded.text.is_empty() || !loaded.value.is_empty();
            draft.side.set(Some(if has_words { Side::Text } else { Side::Call }));
            draft.is_begun.set(true);
            let Entered { text, value, tool, args, calls } = loaded.clone();
            draft.text.set(text);
            draft.value.set(value);
            draft.tool.set(tool);
            draft.args.set(args);
            draft.calls.set(calls);
        }
        // A reloaded page keeps its lease.
        if let Some(held) = browser::tab_stored(&lease_key(turn)) {
            draft.lease_request.set(LeaseRequest::Asked);
            draft.lease.set_value(LiveLeaseId::new(held));
        }
        self.store_changes(draft, session, loaded);
        draft
    }

    fn empty(self, key: String) -> Draft {
        Draft {
            key: StoredValue::new(key),
            is_begun: RwSignal::new(false),
            text: RwSignal::new(String::new()),
            value: RwSignal::new(String::new()),
            args: RwSignal::new(BTreeMap::new()),
            calls: RwSignal::new(Vec::new()),
            tool: RwSignal::new(None),
            side: RwSignal::new(self.last_side.get_value()),
            touched_ms: StoredValue::new(0),
            was_warned: StoredValue::new(false),
            call_id: StoredValue::new(new_call_id()),
            lease_request: RwSignal::new(LeaseRequest::Unasked),
            lease: StoredValue::new(LiveLeaseId::new(browser::new_uuid())),
            forms: Forms::new(),
        }
    }

    /// Writes the draft to the browser's storage whenever it differs from what is there, `stored` at first.
    fn store_changes(self, draft: Draft, session: &LiveId, stored: Entered) {
        let session = session.clone();
        Effect::new(move |before: Option<Entered>| {
            let entered = draft.entered();
            if entered != *before.as_ref().unwrap_or(&stored) {
                self.write(draft, &session, &entered);
            }
            entered
        });
    }

    fn write(self, draft: Draft, session: &LiveId, entered: &Entered) {
        let now = Stored {
            entered: entered.clone(),
            session: session.clone(),
            typed_ms: browser::now().as_millisecond(),
            by: self.name.get_untracked(),
        };
        let text = (!entered.is_empty()).then(|| serde_json::to_string(&now).ok());
        browser::store(&draft.key.get_value(), text.flatten().as_deref());
    }
}

/// Stores this tab's lease on the turn for after a reload; `None` deletes it.
pub fn remember_hold(turn: &LiveTurnId, lease: Option<&LiveLeaseId>) {
    browser::tab_store(&lease_key(turn), lease.map(|lease| lease.as_str()));
}

/// The prefix of the storage keys of drafts. The turn and the tab follow, and the person's name if
/// the tab already has another person's draft.
const KEY: &str = "rehearsal.draft.";

/// Stands for the turn that follows, in the storage key of what is typed ahead of it.
fn ahead_of(session: &LiveId) -> LiveTurnId {
    LiveTurnId::new(format!("next-{session}"))
}

/// The key `plain`, with the name `me` appended if the draft there is of another person.
fn own_key(plain: String, author: Option<&str>, me: Option<&str>) -> String {
    match (author, me) {
        (Some(author), Some(me)) if author != me => format!("{plain}.{me}"),
        _ => plain,
    }
}

/// The turn in a draft's storage key.
fn turn_of(key: &str) -> Option<LiveTurnId> {
    let rest = key.strip_prefix(KEY)?;
    Some(LiveTurnId::new(rest.split_once('.').map_or(rest, |(turn, _)| turn)))
}

fn lease_key(turn: &LiveTurnId) -> String {
    // A duplicate of the tab copies the tab's storage. The tab's id keeps it from using the lease.
    format!("rehearsal.lease.{turn}.{}", browser::tab_id())
}

fn new_call_id() -> String {
    // The prefix of google-adk's own ids, which it removes before a model sees them.
    format!("adk-{}", browser::new_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_person_in_a_tab_has_a_draft_of_their_own() {
        let turn = LiveTurnId::new("936da01f-9abd-4d9d-80c7-02af85c822a8");
        let plain = format!("{KEY}{turn}.tab");
        let key = |author, me| own_key(plain.clone(), author, me);
        assert_eq!(key(None, Some("Ann")), plain);
        assert_eq!(key(Some("Ann"), Some("Ann")), plain);
        assert_eq!(key(Some("Ann"), None), plain);
        let second = key(Some("Ann"), Some("Bo v. B."));
        assert_ne!(second, plain);
        assert_eq!(turn_of(&second), Some(turn));
    }
}
