//! Changes of the session's state that user agents, mocks and simulated tools make.

use json_text::{JsonText, pointer};
use scoring::state::operator;
use serde_json::{Map, Value, json};

use crate::ledger::{Event, Ledger};
use crate::scopes::Scopes;

/// Adds values to a list: `{ $append: [VALUE, ...] }`.
const APPEND: &str = "$append";

/// Operators with which MongoDB changes documents. Nothing here knows them.
const UNKNOWN: [&str; 10] = [
    "$set",
    "$unset",
    "$inc",
    "$mul",
    "$rename",
    "$push",
    "$pull",
    "$pop",
    "$addToSet",
    "$currentDate",
];

/// Checks that changes are those of scopes: objects, by names that the state has.
pub(crate) fn check_scopes(
    changes: &Map<String, Value>,
    scopes: Scopes,
    has: impl Fn(&str) -> bool,
) -> Result<(), String> {
    for (scope, changed) in changes {
        if !changed.is_object() {
            return Err(format!(
                "it changes the scope {scope} to {changed}, which is not an object"
            ));
        }
        if !scopes.built_in().any(|it| it == scope) && !has(scope) {
            return Err(format!(
                "it changes the scope {scope}, which the case does not have. A further scope is an object in `initial_state`"
            ));
        }
    }
    changes.iter().try_for_each(|(scope, changed)| check_operators(changed, scope, &|_| false))
}

/// Checks that what looks like an operator in changes is `$append` with a list. `is_filled_later` tells values that
/// become others before the changes are made.
pub(crate) fn check_operators(
    value: &Value,
    path: &str,
    is_filled_later: &dyn Fn(&Value) -> bool,
) -> Result<(), String> {
    match value {
        Value::Array(items) => {
            items.iter().try_for_each(|item| check_operators(item, path, is_filled_later))
        }
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            let looks_like = |operator| strsim::damerau_levenshtein(name, operator) <= 2;
            if name == APPEND {
                if members.len() > 1 {
                    return Err(format!(
                        "{path} has `{APPEND}` beside other members; a list that is appended to has no members"
                    ));
                }
                if !member.is_array() && !is_filled_later(member) {
                    return Err(format!(
                        "{path} appends {member}, which is not a list; write `{{ {APPEND}: [{member}] }}`"
                    ));
                }
            } else if name.starts_with('$')
                && (looks_like(APPEND) || UNKNOWN.contains(&name.as_str()) || operator(name).is_some())
            {
                return Err(format!(
                    "{path} has `{name}`, and the only operator of changes is `{APPEND}`, with a list of the values to append. Objects are merged, everything else is replaced"
                ));
            }
            check_operators(member, &format!("{path}.{name}"), is_filled_later)
        }),
        _ => Ok(()),
    }
}

/// Adds `more` to `to`: objects are merged, what is appended is added to a list, everything else is replaced.
pub(crate) fn merge(to: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match to.get_mut(&key) {
            Some(there) => merge_value(there, value),
            None => drop(to.insert(key, value)),
        }
    }
}

/// As [`merge`], for a value that may not be an object.
fn merge_value(to: &mut Value, mut value: Value) {
    if let Some(mut items) = appended(&mut value) {
        match to {
            Value::Array(list) => list.append(&mut items),
            to => match to.get_mut(APPEND).and_then(Value::as_array_mut) {
                Some(list) => list.append(&mut items),
                None => *to = json!({ APPEND: items }),
            },
        }
        return;
    }
    match (to, value) {
        (Value::Object(to), Value::Object(more)) if !to.contains_key(APPEND) => merge(to, more),
        (to, value) => *to = value,
    }
}

/// What a value appends, taken out of it; `None` if it appends nothing.
fn appended(value: &mut Value) -> Option<Vec<Value>> {
    value.get_mut(APPEND)?.as_array_mut().map(std::mem::take)
}

/// The keys of `state` that changes by scope change, with their new values.
///
/// # Errors
/// What is appended to is not a list.
pub(crate) fn changed_keys(
    state: &Map<String, Value>,
    changes: Map<String, Value>,
    scopes: Scopes,
) -> Result<Map<String, Value>, String> {
    let mut changed = Map::new();
    for (scope, value) in changes {
        for (key, value) in scopes.members(scope, value) {
            let before = changed.get(&key).or_else(|| state.get(&key));
            let whole = applied(before.cloned().unwrap_or(Value::Null), value, &key)?;
            changed.insert(key, whole);
        }
    }
    Ok(changed)
}

/// A value of the state after a change.
fn applied(before: Value, mut change: Value, path: &str) -> Result<Value, String> {
    if let Some(mut items) = appended(&mut change) {
        return match before {
            Value::Null => Ok(items.into()),
            Value::Array(mut list) => {
                list.append(&mut items);
                Ok(list.into())
            }
            before => Err(format!("it appends to {path}, which is {before} and not a list")),
        };
    }
    let Value::Object(members) = change else { return Ok(change) };
    let mut object = match before {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    for (key, change) in members {
        let path = format!("{path}.{key}");
        let value = object.entry(key).or_insert(Value::Null);
        *value = applied(value.take(), change, &path)?;
    }
    Ok(object.into())
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
        let pointer = || format!("{within}/{}", pointer::step(key));
        match (earlier.get(key), value) {
            (None, _) => {}
            // Both add to the list, or the later one to what the earlier one set.
            (Some(earlier), Value::Object(later))
                if later.contains_key(APPEND)
                    && (earlier.is_array() || earlier.get(APPEND).is_some()) => {}
            (Some(Value::Object(earlier)), Value::Object(later))
                if !earlier.contains_key(APPEND) && !later.contains_key(APPEND) =>
            {
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
    fn lists_are_appended_to() {
        let append = |item: &str| object(json!({ "patient": { "pains": { "$append": [item] } } }));
        let mut changes = append("chest");
        assert_eq!(conflicts(&changes, &append("arm")), []);
        merge(&mut changes, append("arm"));
        let changed = |state: Value| {
            let changed = changed_keys(&object(state), changes.clone(), Scopes::default());
            changed.map(Value::Object)
        };
        assert_eq!(changed(json!({})), Ok(json!({ "patient": { "pains": ["chest", "arm"] } })));
        assert_eq!(
            changed(json!({ "patient": { "age": 55, "pains": ["head"] } })),
            Ok(json!({ "patient": { "age": 55, "pains": ["head", "chest", "arm"] } }))
        );
        let error = "it appends to patient.pains, which is \"head\" and not a list";
        assert_eq!(changed(json!({ "patient": { "pains": "head" } })), Err(error.to_owned()));
        let replaced = object(json!({ "patient": { "pains": [] } }));
        assert_eq!(conflicts(&changes, &replaced).len(), 1);
        merge(&mut changes, replaced);
        merge(&mut changes, append("leg"));
        assert_eq!(changes, object(json!({ "patient": { "pains": ["leg"] } })));
    }

    #[test]
    fn another_operator_is_refused() {
        let check = |changes: Value| {
            let checked = check_scopes(&object(changes), Scopes::default(), |_| true);
            checked.err().unwrap_or_default()
        };
        assert_eq!(check(json!({ "a": { "b": { "$append": [1] }, "c": { "$ref": "d" } } })), "");
        let error = check(json!({ "a": { "b": { "$append": 1 } } }));
        assert_eq!(error, "a.b appends 1, which is not a list; write `{ $append: [1] }`");
        for name in ["$appand", "$push", "$inc"] {
            let error = check(json!({ "a": { "b": { name: [1] } } }));
            assert!(
                error.starts_with(&format!("a.b has `{name}`, and the only operator")),
                "{error}"
            );
        }
    }

    #[test]
    fn keys_of_prefixed_scopes_are_changed() {
        let state = object(json!({ "user:seen": { "a": 1 }, "user": 1 }));
        let changes = object(json!({ "user": { "seen": { "b": 2 }, "tier": "gold" } }));
        let changed = changed_keys(&state, changes, Scopes::OF_ADK).map(Value::Object);
        let wanted = json!({ "user:seen": { "a": 1, "b": 2 }, "user:tier": "gold" });
        assert_eq!(changed, Ok(wanted));
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
