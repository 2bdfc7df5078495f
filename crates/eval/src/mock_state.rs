//! [`MockState`]: the session's state, as a mock reads and changes it.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use json_text::{JsonText, JsonTextError};
use serde_json::{Map, Value};

use crate::scope_change::{changed_keys, check_scopes};
use crate::scopes::Scopes;
pub use crate::state_change::ChangeError;

/// The state of the session during one call of a mock. What the mock changes, the session has with the result of the
/// call.
#[derive(Debug, Default)]
pub struct MockState(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    scopes: Scopes,
    now: Map<String, Value>,
    changed: BTreeSet<String>,
}

impl MockState {
    /// The state at the call: an object, in which the scopes are where `scopes` says.
    ///
    /// # Errors
    /// It is not an object.
    pub fn new(state: &JsonText, scopes: Scopes) -> Result<Self, JsonTextError> {
        let now = state.decode::<Map<String, Value>>()?;
        Ok(Self(Mutex::new(State { scopes, now, changed: BTreeSet::new() })))
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value> {
        self.lock().now.get(key).cloned()
    }

    /// Sets a key.
    pub fn set(&self, key: impl Into<String>, value: Value) {
        self.replace(Map::from_iter([(key.into(), value)]));
    }

    /// Makes changes by scope, as user agents do: objects are merged, `{ "$append": [VALUE] }` adds to a list, everything
    /// else is replaced.
    ///
    /// # Errors
    /// [`ChangeError`]. Nothing is changed then.
    pub fn change(&self, changes: Map<String, Value>) -> Result<(), ChangeError> {
        let changed = {
            let state = self.lock();
            check_scopes(&changes, state.scopes, |_| true)?;
            changed_keys(&state.now, changes, state.scopes)?
        };
        self.replace(changed);
        Ok(())
    }

    /// Sets several keys.
    pub(crate) fn replace(&self, members: Map<String, Value>) {
        let state = &mut *self.lock();
        state.changed.extend(members.keys().cloned());
        state.now.extend(members);
    }

    /// The whole state.
    #[must_use]
    pub fn to_json(&self) -> JsonText {
        JsonText::from_value(&Value::Object(self.lock().now.clone()))
    }

    /// Whether it has a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.lock().now.contains_key(key)
    }

    /// Where its scopes are.
    pub(crate) fn scopes(&self) -> Scopes {
        self.lock().scopes
    }

    /// The keys that were changed, with their values.
    pub(crate) fn changes(&self) -> Map<String, Value> {
        let state = self.lock();
        let value = |key: &String| Some((key.clone(), state.now.get(key)?.clone()));
        state.changed.iter().filter_map(value).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_set_and_changed_is_read_again() {
        let state = json!({ "patient": { "age": 55, "sex": "f" }, "seats": ["A"], "kept": 1 });
        let state = MockState::new(&JsonText::from_value(&state), Scopes::default());
        let state = state.expect("an object");
        state.set("seats", json!(["A", "B"]));
        let changes = json!({ "patient": { "age": 56 }, "session": { "booked": true } });
        let changed = state.change(changes.as_object().cloned().expect("an object"));
        assert_eq!(changed, Ok(()));
        assert_eq!(state.get("booked"), Some(json!(true)));
        let changed = json!({
            "booked": true,
            "patient": { "age": 56, "sex": "f" },
            "seats": ["A", "B"],
        });
        assert_eq!(Value::Object(state.changes()), changed);
    }
}
