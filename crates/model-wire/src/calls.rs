//! [`Calls`]: the function names of calls by id, for results that contain only the id; and a call's
//! [`arguments`].

use std::collections::HashMap;

use json_text::JsonText;
use live::{Content, FunctionCall, Part};

/// The names of the calls seen so far.
#[derive(Debug, Default)]
pub(crate) struct Calls(HashMap<String, String>);

impl Calls {
    /// The calls of an earlier conversation.
    pub(crate) fn of(history: &[Content]) -> Self {
        let mut calls = Self::default();
        for part in history.iter().flat_map(|content| &content.parts) {
            if let Part::FunctionCall(call) = part
                && let Some(id) = &call.id
            {
                calls.saw(id, &call.name);
            }
        }
        calls
    }

    pub(crate) fn saw(&mut self, id: &str, name: &str) {
        self.0.insert(id.to_owned(), name.to_owned());
    }

    pub(crate) fn name(&self, id: &str) -> Option<String> {
        self.0.get(id).cloned()
    }
}

/// The arguments of a call as JSON text; `{}` if absent.
pub(crate) fn arguments(call: &FunctionCall) -> JsonText {
    let none = || JsonText::from_value(&serde_json::Value::Object(serde_json::Map::new()));
    call.args.clone().unwrap_or_else(none)
}
