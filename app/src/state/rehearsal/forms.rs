//! What the person is entering in a rehearsal: one form for each thing that can be entered, kept
//! while the person looks at another.

use std::collections::HashMap;

use json_text::JsonText;
use leptos::prelude::*;
use schema_form::Integers;
use session::ToolName;

use crate::state::value_form::{ValueForm, use_arguments_form, use_value_form};

/// What a form is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FormKey {
    /// The user's query, for an agent with an input schema.
    Query,
    /// The final response, for an agent with an output schema.
    Response,
    /// A tool's arguments.
    Tool(ToolName),
}

type Made = HashMap<FormKey, (Option<JsonText>, ValueForm)>;

/// A text that the person writes: the query or the answer of an agent without a schema for it.
#[derive(Clone, Copy)]
pub struct TextEntry {
    /// What is written.
    pub text: RwSignal<String>,
    /// Whether it was to be sent while it was empty.
    pub is_missed: RwSignal<bool>,
}

impl TextEntry {
    fn new() -> Self {
        Self { text: RwSignal::new(String::new()), is_missed: RwSignal::new(false) }
    }

    /// Takes in what was typed.
    pub fn write(self, text: String) {
        self.text.set(text);
        self.is_missed.set(false);
    }

    /// The text to send; without one, that it is missed stands at its field.
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
    made: StoredValue<Made>,
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
            query: TextEntry::new(),
            response: TextEntry::new(),
        }
    }

    /// The form for `key`, as the person left it; when its schema has changed a new one that holds
    /// what was entered.
    pub fn of(self, key: &FormKey, schema: Option<&JsonText>, integers: Integers) -> ValueForm {
        let made = self.made.with_value(|made| {
            made.get(key).filter(|(of, _)| of.as_ref() == schema).map(|(_, form)| *form)
        });
        made.unwrap_or_else(|| {
            let make = || match key {
                FormKey::Tool(_) => use_arguments_form(schema, integers),
                FormKey::Query | FormKey::Response => use_value_form(schema, integers),
            };
            // Forms live as long as the rehearsal, not as long as the part of the page that asks.
            let form = match self.owner.get_value() {
                Some(owner) => owner.with(make),
                None => make(),
            };
            let before = self
                .made
                .try_update_value(|made| made.insert(key.clone(), (schema.cloned(), form)))
                .flatten();
            if let Some((_, before)) = before {
                form.take_over(before);
            }
            form
        })
    }

    pub(crate) fn forget(self) {
        self.made.update_value(HashMap::clear);
        self.query.write(String::new());
        self.response.write(String::new());
    }
}
