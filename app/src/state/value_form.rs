//! One value that a person enters: arguments, a structured query or answer, a supplied result.
//!
//! The seam between the page and the form: whoever wants a value holds a [`ValueForm`], and does not
//! know how the value is entered.

use json_text::JsonText;
use leptos::prelude::*;

use crate::api::FieldMessage;

/// A value being entered, with what is wrong with it.
#[derive(Clone, Copy)]
pub struct ValueForm {
    /// The JSON text as typed.
    pub text: RwSignal<String>,
    /// What the last reading or the host found wrong.
    pub messages: RwSignal<Vec<FieldMessage>>,
    begin: StoredValue<String>,
}

/// A form for a value of `schema`, starting from `begin`.
#[must_use]
pub fn use_value_form(_schema: Option<&JsonText>, begin: &str) -> ValueForm {
    ValueForm {
        text: RwSignal::new(begin.to_owned()),
        messages: RwSignal::new(Vec::new()),
        begin: StoredValue::new(begin.to_owned()),
    }
}

impl ValueForm {
    /// The value, or what is to mend, which then also stands at its field.
    pub fn read(self) -> Option<JsonText> {
        match JsonText::parse(&self.text.read_untracked()) {
            Ok(value) => {
                self.messages.set(Vec::new());
                Some(value)
            }
            Err(error) => {
                self.tell(vec![FieldMessage { pointer: String::new(), text: error.to_string() }]);
                None
            }
        }
    }

    /// Shows what the host found wrong, each at its field.
    pub fn tell(self, messages: Vec<FieldMessage>) {
        self.messages.set(messages);
    }

    /// How many messages stand in the form.
    #[must_use]
    pub fn to_mend(self) -> usize {
        self.messages.read().len()
    }

    /// Starts over.
    pub fn clear(self) {
        self.begin.with_value(|begin| self.text.set(begin.clone()));
        self.messages.set(Vec::new());
    }
}
