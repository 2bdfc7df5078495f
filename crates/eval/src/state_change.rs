//! Changes of the session's state that user agents, mocks and simulated tools make.

use json_text::JsonText;
use serde_json::{Map, Value};

use crate::ledger::{Event, Ledger};
use crate::metric::{SCOPES, SESSION};

/// Checks that changes are those of scopes: objects, by names that the state has.
pub(crate) fn check_scopes(
    changes: &Map<String, Value>,
    has: impl Fn(&str) -> bool,
) -> Result<(), String> {
    for (scope, changed) in changes {
        if !changed.is_object() {
            return Err(format!(
                "it changes the scope {scope} to {changed}, which is not an object"
            ));
        }
        if !SCOPES.contains(&scope.as_str()) && !has(scope) {
            return Err(format!(
                "it changes the scope {scope}, which the case does not have. A further scope is an object in `initial_state`"
            ));
        }
    }
    Ok(())
}

/// Adds `more` to `to`: objects are merged, everything else is replaced.
pub(crate) fn merge(to: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match to.get_mut(&key) {
            Some(there) => merge_value(there, value),
            None => drop(to.insert(key, value)),
        }
    }
}

/// As [`merge`], for a value that may not be an object.
fn merge_value(to: &mut Value, value: Value) {
    match (to, value) {
        (Value::Object(to), Value::Object(more)) => merge(to, more),
        (to, value) => *to = value,
    }
}

/// The keys of `state` that changes by scope change, with their new values. The scope `session` is the state itself.
pub(crate) fn changed_keys(
    state: &Map<String, Value>,
    changes: Map<String, Value>,
) -> Map<String, Value> {
    let mut changed = Map::new();
    for (scope, value) in changes {
        let members = match (scope.as_str(), value) {
            (SESSION, Value::Object(members)) => members,
            (_, value) => Map::from_iter([(scope, value)]),
        };
        for (key, value) in members {
            let before = changed.get(&key).or_else(|| state.get(&key));
            let mut whole = before.cloned().unwrap_or(Value::Null);
            merge_value(&mut whole, value);
            changed.insert(key, whole);
        }
    }
    changed
}

/// A value that two changes set differently.
#[derive(Debug, PartialEq, Eq)]
struct Conflict {
    /// Where it is, as a JSON Pointer that begins with the scope.
    pointer: String,
    earlier: Value,
    later: Value,
}

/// As [`merge`], with an event for each value that is replaced by another.
pub(crate) fn merge_noting(ledger: &Ledger, to: &mut Map<String, Value>, more: Map<String, Value>) {
    for Conflict { pointer, earlier, later } in conflicts(to, &more) {
        ledger.add(Event::StateConflict {
            pointer,
            kept: JsonText::from_value(&later),
            replaced: JsonText::from_value(&earlier),
        });
    }
    merge(to, more);
}

/// What merging `later` into `earlier` would replace by another value.
fn conflicts(earlier: &Map<String, Value>, later: &Map<String, Value>) -> Vec<Conflict> {
    let mut found = Vec::new();
    collect("", earlier, later, &mut found);
    found
}

fn collect(
    within: &str,
    earlier: &Map<String, Value>,
    later: &Map<String, Value>,
    found: &mut Vec<Conflict>,
) {
    for (key, value) in later {
        let pointer = || format!("{within}/{}", key.replace('~', "~0").replace('/', "~1"));
        match (earlier.get(key), value) {
            (None, _) => {}
            (Some(Value::Object(earlier)), Value::Object(later)) => {
                collect(&pointer(), earlier, later, found);
            }
            (Some(earlier), later) if earlier == later => {}
            (Some(earlier), later) => found.push(Conflict {
                pointer: pointer(),
                earlier: earlier.clone(),
                later: later.clone(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(members) = value else { panic!("{value} is not an object") };
        members
    }

    #[test]
    fn objects_are_merged_and_arrays_replaced() {
        let mut state = object(json!({ "patient": { "age": 55, "pains": [1, 2] }, "a": 1 }));
        merge(&mut state, object(json!({ "patient": { "pains": [3] }, "a": { "b": 2 } })));
        let wanted = json!({ "patient": { "age": 55, "pains": [3] }, "a": { "b": 2 } });
        assert_eq!(state, object(wanted));
    }

    #[test]
    fn values_that_are_set_twice_are_conflicts() {
        let earlier = object(json!({ "patient": { "age": 55, "is/in": true, "name": "Ada" } }));
        let later = object(json!({ "patient": { "age": 55, "is/in": false, "sex": "f" }, "a": 1 }));
        let conflict = Conflict {
            pointer: "/patient/is~1in".to_owned(),
            earlier: json!(true),
            later: json!(false),
        };
        assert_eq!(conflicts(&earlier, &later), [conflict]);
    }
}
