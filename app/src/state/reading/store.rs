//! [`Readings`]: the view states of the values of one rehearsal.

use std::collections::HashMap;

use json_text::JsonText;
use leptos::prelude::*;
use session::CallId;
use value_tree::Tree;

use super::{Reading, use_reading};

/// A value of a rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReadingKey {
    /// The arguments of a call.
    Arguments(CallId),
    /// The result of a call.
    Result(CallId),
    /// The structured content of an MCP tool's result.
    Structured(CallId),
    /// A block of an MCP tool's result, by index.
    Block(CallId, usize),
    /// The session's state.
    State,
    /// The whole history.
    History,
    /// The exported case.
    Case,
    /// The text of the row with this index.
    Text(usize),
}

/// The view states of the values that were opened in one rehearsal.
#[derive(Clone, Copy)]
pub struct Readings {
    owner: StoredValue<Option<Owner>>,
    begun: StoredValue<HashMap<ReadingKey, Reading>>,
}

impl Readings {
    pub(in crate::state) fn new() -> Self {
        Self { owner: StoredValue::new(Owner::current()), begun: StoredValue::new(HashMap::new()) }
    }

    /// The reading for `key`, if the value was opened.
    #[must_use]
    pub fn begun(self, key: &ReadingKey) -> Option<Reading> {
        self.begun.with_value(|begun| begun.get(key).copied())
    }

    /// The reading for `key`, with `value` as its value.
    #[must_use]
    pub fn of(self, key: ReadingKey, value: &JsonText) -> Reading {
        if let Some(reading) = self.begun(&key) {
            reading.take_in(value);
            return reading;
        }
        let make = || use_reading(value);
        // A reading lives as long as the rehearsal, not as long as its row is open.
        let reading = match self.owner.get_value() {
            Some(owner) => owner.with(make),
            None => make(),
        };
        self.begun.update_value(|begun| {
            begun.insert(key, reading);
        });
        reading
    }

    pub(in crate::state) fn forget(self) {
        let nothing = JsonText::null();
        self.begun.update_value(|begun| {
            for (_, reading) in begun.drain() {
                // The signals live as long as the rehearsal. This frees the value.
                reading.tree.set_value(Tree::new(nothing.clone()));
            }
        });
    }
}
