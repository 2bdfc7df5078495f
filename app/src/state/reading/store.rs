//! [`Readings`]: the values that were read in one rehearsal, as they were left.

use std::collections::HashMap;

use json_text::JsonText;
use leptos::prelude::*;
use session::CallId;
use value_tree::Tree;

use super::{Reading, use_reading};

/// Which value of a rehearsal is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReadingKey {
    /// The arguments of a call.
    Arguments(CallId),
    /// The result of a call.
    Result(CallId),
    /// The structured content of an MCP tool's result.
    Structured(CallId),
    /// A block of an MCP tool's result, by its place.
    Block(CallId, usize),
    /// The session's state.
    State,
    /// The whole history.
    History,
    /// The case that was exported.
    Case,
    /// The text of the row at this index.
    Text(usize),
}

/// The values that were read in one rehearsal.
#[derive(Clone, Copy)]
pub struct Readings {
    owner: StoredValue<Option<Owner>>,
    begun: StoredValue<HashMap<ReadingKey, Reading>>,
}

impl Readings {
    pub(in crate::state) fn new() -> Self {
        Self { owner: StoredValue::new(Owner::current()), begun: StoredValue::new(HashMap::new()) }
    }

    /// The reading that was begun for `key`, if one was.
    #[must_use]
    pub fn begun(self, key: &ReadingKey) -> Option<Reading> {
        self.begun.with_value(|begun| begun.get(key).copied())
    }

    /// The reading of `value` as it was left.
    #[must_use]
    pub fn of(self, key: ReadingKey, value: &JsonText) -> Reading {
        if let Some(reading) = self.begun(&key) {
            reading.take_in(value);
            return reading;
        }
        let make = || use_reading(value);
        // A value is read for as long as the rehearsal lasts, not for as long as its row is open.
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
                // The handles live on with the rehearsal; the values need not.
                reading.tree.set_value(Tree::new(nothing.clone()));
            }
        });
    }
}
