//! [`Forms`]: the person's input in a rehearsal, one form for each value. Hidden forms keep their
//! input.

use std::collections::{BTreeMap, HashMap};

use json_text::JsonText;
use leptos::prelude::*;
use schema_form::Integers;
use session::{CallId, ToolName};

use super::kept_input::{self, Entered};
use crate::state::value_form::{ValueForm, use_arguments_form, use_value_form};

/// The value that a form is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FormKey {
    /// The user's query, for an agent with an input schema.
    Query,
    /// The final response, for an agent with an output schema.
    Response,
    /// A tool's arguments. A transfer puts another agent in charge, whose tools are others than those of
    /// the same names before.
    Tool {
        /// The agent, if it is another than the session began with.
        agent: Option<String>,
        /// The tool.
        name: ToolName,
    },
}

/// What a form is made of. The code of forms is loaded with a session, so the workspace passes this on until then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormSource {
    /// The value that it is for.
    pub key: FormKey,
    /// The schema of the value.
    pub schema: Option<JsonText>,
    /// The integers that the value may have.
    pub integers: Integers,
}

/// A final response that waits until an agent that was called has ended.
pub(super) struct SetAside {
    /// The call.
    pub(super) call_id: CallId,
    /// Its text.
    pub(super) text: String,
    /// Its form.
    pub(super) form: Option<(Option<JsonText>, ValueForm)>,
    /// What is entered in the form.
    pub(super) entered: Option<Entered>,
}

/// The forms with their schemas.
type Made = HashMap<FormKey, (Option<JsonText>, ValueForm)>;

/// A text that the person writes: the query or the final response of an agent without a schema for
/// it.
#[derive(Clone, Copy)]
pub struct TextEntry {
    /// The text.
    pub text: RwSignal<String>,
    /// Whether the person tried to send it while it was empty.
    pub is_missed: RwSignal<bool>,
}

impl TextEntry {
    fn new() -> Self {
        Self { text: RwSignal::new(String::new()), is_missed: RwSignal::new(false) }
    }

    /// Replaces the text.
    pub fn write(self, text: String) {
        self.text.set(text);
        self.is_missed.set(false);
    }

    /// The text to send. If it is empty, sets `is_missed`.
    pub fn read(self) -> Option<String> {
        let text = self.text.get_untracked();
        let is_missed = text.trim().is_empty();
        self.is_missed.set(is_missed);
        (!is_missed).then_some(text)
    }
}

/// The forms of one rehearsal, and its two texts.
#[derive(Clone, Copy)]
pub struct Forms {
    owner: StoredValue<Option<Owner>>,
    pub(super) made: StoredValue<Made>,
    /// The final responses of the callers of the agents that the person acts as.
    pub(super) aside: StoredValue<Vec<SetAside>>,
    /// Whether a tab keeps the input over a reload.
    pub(super) keeps: StoredValue<bool>,
    /// The kept input, by the name of its form.
    pub(super) entered: RwSignal<BTreeMap<String, Entered>>,
    /// The query, for an agent without an input schema.
    pub query: TextEntry,
    /// The final response, for an agent without an output schema.
    pub response: TextEntry,
}

impl Forms {
    pub(crate) fn new() -> Self {
        Self {
            owner: StoredValue::new(Owner::current()),
            made: StoredValue::new(HashMap::new()),
            aside: StoredValue::new(Vec::new()),
            keeps: StoredValue::new(false),
            entered: RwSignal::new(BTreeMap::new()),
            query: TextEntry::new(),
            response: TextEntry::new(),
        }
    }

    /// The form with its input. If the schema has changed, a new form takes over the input.
    pub fn of(self, source: &FormSource) -> ValueForm {
        let FormSource { key, schema, integers } = source;
        let (schema, integers) = (schema.as_ref(), *integers);
        let made = self.made.with_value(|made| {
            made.get(key).filter(|(of, _)| of.as_ref() == schema).map(|(_, form)| *form)
        });
        made.unwrap_or_else(|| {
            let make = || match key {
                FormKey::Tool { .. } => use_arguments_form(schema, integers),
                FormKey::Query | FormKey::Response => use_value_form(schema, integers),
            };
            // Not only as long as the calling view.
            let form = self.owned(make);
            let before = self
                .made
                .try_update_value(|made| made.insert(key.clone(), (schema.cloned(), form)))
                .flatten();
            if let Some((_, before)) = before {
                form.take_over(before);
            }
            if self.keeps.get_value() {
                self.owned(|| self.keep(kept_input::name(key), form));
            }
            form
        })
    }

    /// Runs `make` so that what it makes lives as long as the rehearsal.
    pub(super) fn owned<T>(self, make: impl FnOnce() -> T) -> T {
        match self.owner.get_value() {
            Some(owner) => owner.with(make),
            None => make(),
        }
    }

    /// Puts the final response of the caller aside, for that of the agent that the person acts as for `call_id`.
    pub(crate) fn begin_acting(self, call_id: CallId) {
        let form = self.made.try_update_value(|made| made.remove(&FormKey::Response)).flatten();
        let text = self.response.text.get_untracked();
        let entered = self.take_entered(&FormKey::Response);
        self.aside.update_value(|aside| aside.push(SetAside { call_id, text, form, entered }));
        self.response.write(String::new());
    }

    /// Takes up the final response of the caller again, when the call whose agent the person acted as has ended.
    pub(crate) fn end_acting(self, call_id: &CallId) {
        let is_ended = |last: &mut SetAside| last.call_id == *call_id;
        let last = self.aside.try_update_value(|aside| aside.pop_if(is_ended)).flatten();
        let Some(SetAside { text, form, entered, .. }) = last else { return };
        self.made.update_value(|made| match form {
            Some(form) => drop(made.insert(FormKey::Response, form)),
            None => drop(made.remove(&FormKey::Response)),
        });
        self.take_entered(&FormKey::Response);
        if let Some(entered) = entered {
            let name = kept_input::name(&FormKey::Response);
            self.entered.update(|all| drop(all.insert(name, entered)));
        }
        self.response.write(text);
    }

    /// Removes what is kept of the form for `key`.
    fn take_entered(self, key: &FormKey) -> Option<Entered> {
        self.entered.try_update(|entered| entered.remove(&kept_input::name(key))).flatten()
    }

    /// Empties the query and the final response for the next turn. Tools keep their input.
    pub(crate) fn begin_turn(self) {
        self.made.update_value(|made| made.retain(|key, _| matches!(key, FormKey::Tool { .. })));
        self.take_entered(&FormKey::Query);
        self.take_entered(&FormKey::Response);
        self.query.write(String::new());
        self.response.write(String::new());
    }

    pub(crate) fn forget(self) {
        self.made.update_value(HashMap::clear);
        self.aside.update_value(Vec::clear);
        self.entered.update(BTreeMap::clear);
        self.query.write(String::new());
        self.response.write(String::new());
    }
}
