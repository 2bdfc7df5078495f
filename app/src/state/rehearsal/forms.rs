//! What the person is entering in a rehearsal: one form for each thing that can be entered, kept
//! while the person looks at another.

use std::collections::HashMap;

use json_text::JsonText;
use leptos::prelude::*;
use session::ToolName;

use crate::state::value_form::{ValueForm, use_value_form};

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

/// The forms of one rehearsal, and its two texts.
#[derive(Clone, Copy)]
pub struct Forms {
    owner: StoredValue<Option<Owner>>,
    made: StoredValue<Made>,
    /// The query, for an agent without an input schema.
    pub query: RwSignal<String>,
    /// The final response, for an agent without an output schema.
    pub response: RwSignal<String>,
}

impl Forms {
    pub(super) fn new() -> Self {
        Self {
            owner: StoredValue::new(Owner::current()),
            made: StoredValue::new(HashMap::new()),
            query: RwSignal::new(String::new()),
            response: RwSignal::new(String::new()),
        }
    }

    /// The form for `key`, as the person left it; a new one when its schema has changed.
    pub fn of(self, key: &FormKey, schema: Option<&JsonText>) -> ValueForm {
        let made = self.made.with_value(|made| {
            made.get(key).filter(|(of, _)| of.as_ref() == schema).map(|(_, form)| *form)
        });
        made.unwrap_or_else(|| {
            let make = || use_value_form(schema);
            // Forms live as long as the rehearsal, not as long as the part of the page that asks.
            let form = match self.owner.get_value() {
                Some(owner) => owner.with(make),
                None => make(),
            };
            self.made.update_value(|made| {
                made.insert(key.clone(), (schema.cloned(), form));
            });
            form
        })
    }

    pub(super) fn forget(self) {
        self.made.update_value(HashMap::clear);
        self.query.set(String::new());
        self.response.set(String::new());
    }
}
