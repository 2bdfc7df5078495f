//! Changes of the state by scope, as user agents and mocks give them.

use serde_json::{Map, Value};

use crate::scopes::Scopes;
use crate::state_change::{ChangeError, applied, check_operators};

/// Checks that changes are those of scopes: objects, by names that the state has.
pub(crate) fn check_scopes(
    changes: &Map<String, Value>,
    scopes: Scopes,
    has: impl Fn(&str) -> bool,
) -> Result<(), ChangeError> {
    for (scope, changed) in changes {
        if !changed.is_object() {
            let (scope, value) = (scope.clone(), changed.clone());
            return Err(ChangeError::NotAnObject { scope, value });
        }
        if !scopes.built_in().any(|it| it == scope) && !has(scope) {
            return Err(ChangeError::UnknownScope { scope: scope.clone() });
        }
    }
    changes.iter().try_for_each(|(scope, changed)| check_operators(changed, scope, &|_| false))
}

/// The keys of `state` that changes by scope change, with their new values.
///
/// # Errors
/// What is appended to is not a list.
pub(crate) fn changed_keys(
    state: &Map<String, Value>,
    changes: Map<String, Value>,
    scopes: Scopes,
) -> Result<Map<String, Value>, ChangeError> {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::state_change::merge;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(members) = value else { panic!("{value} is not an object") };
        members
    }

    #[test]
    fn lists_are_appended_to() {
        let append = |item: &str| object(json!({ "patient": { "pains": { "$append": [item] } } }));
        let mut changes = append("chest");
        merge(&mut changes, append("arm"));
        let changed = |state: Value| {
            let changed = changed_keys(&object(state), changes.clone(), Scopes::default());
            changed.map(Value::Object).map_err(|error| error.to_string())
        };
        assert_eq!(changed(json!({})), Ok(json!({ "patient": { "pains": ["chest", "arm"] } })));
        assert_eq!(
            changed(json!({ "patient": { "age": 55, "pains": ["head"] } })),
            Ok(json!({ "patient": { "age": 55, "pains": ["head", "chest", "arm"] } }))
        );
        let error = "it appends to patient.pains, which is \"head\" and not a list";
        assert_eq!(changed(json!({ "patient": { "pains": "head" } })), Err(error.to_owned()));
        let replaced = object(json!({ "patient": { "pains": [] } }));
        merge(&mut changes, replaced);
        merge(&mut changes, append("leg"));
        assert_eq!(changes, object(json!({ "patient": { "pains": ["leg"] } })));
    }

    #[test]
    fn another_operator_is_refused() {
        let check = |changes: Value| {
            let checked = check_scopes(&object(changes), Scopes::default(), |_| true);
            checked.map_or_else(|error| error.to_string(), |()| String::new())
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
}
