//! [`Scopes`]: where the scopes of a case are in the state of a subject.

use serde_json::{Map, Value};

use crate::state_change::merge;

/// The scope that is the state itself.
pub(crate) const SESSION: &str = "session";

/// The prefixed scope whose keys last for one turn of the subject.
const TEMPORARY: &str = "temp";

/// Where the scopes of a case are in the state of a subject: `session` is the state itself, and any other an object in
/// it. Some frameworks have scopes of their own, whose keys are in the state with a prefix, such as `user:tier`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scopes {
    prefixed: &'static [&'static str],
}

impl Scopes {
    /// Those of google-adk: `app`, `user` and `temp` are prefixes.
    pub const OF_ADK: Self = Self { prefixed: &["app", "user", TEMPORARY] };

    /// The scopes that every case has.
    pub(crate) fn built_in(self) -> impl Iterator<Item = &'static str> {
        [SESSION, "user"].into_iter().chain(self.prefixed.iter().copied())
    }

    /// The scopes that are prefixes.
    pub(crate) fn prefixed(self) -> &'static [&'static str] {
        self.prefixed
    }

    /// Whether a scope is a prefix.
    pub(crate) fn is_prefix(self, scope: &str) -> bool {
        self.prefixed.contains(&scope)
    }

    /// Whether the keys of a scope are gone when the subject waits for the user.
    pub(crate) fn is_temporary(self, scope: &str) -> bool {
        self.is_prefix(scope) && scope == TEMPORARY
    }

    /// Where in the state a key of a scope is, as a path.
    pub(crate) fn path(self, scope: &str, key: &str) -> String {
        match scope {
            SESSION => key.to_owned(),
            _ if self.is_prefix(scope) => format!("{scope}:{key}"),
            _ => format!("{scope}.{key}"),
        }
    }

    /// The state that has these scopes.
    pub(crate) fn state(self, scopes: &Map<String, Value>) -> Map<String, Value> {
        let mut state = Map::new();
        for (scope, value) in scopes {
            merge(&mut state, self.members(scope.clone(), value.clone()));
        }
        state
    }

    /// The keys of the state that a scope with this value sets.
    pub(crate) fn members(self, scope: String, value: Value) -> Map<String, Value> {
        match value {
            Value::Object(members) if scope == SESSION => members,
            Value::Object(members) if self.is_prefix(&scope) => {
                members.into_iter().map(|(key, value)| (self.path(&scope, &key), value)).collect()
            }
            value => Map::from_iter([(scope, value)]),
        }
    }

    /// Conditions by scope as conditions on the state.
    pub(crate) fn query(self, scopes: &Map<String, Value>) -> Map<String, Value> {
        let mut query = Map::new();
        for (scope, conditions) in scopes {
            match conditions {
                Value::Object(members) if has_keys(members) => query.extend(
                    members.iter().map(|(key, value)| (self.path(scope, key), value.clone())),
                ),
                Value::Array(queries) if scope.starts_with('$') => {
                    let query_of = |it: &Value| it.as_object().map(|it| self.query(it).into());
                    let queries = queries.iter().map(|it| query_of(it).unwrap_or(it.clone()));
                    query.insert(scope.clone(), queries.collect());
                }
                conditions => drop(query.insert(scope.clone(), conditions.clone())),
            }
        }
        query
    }
}

/// The scopes of which conditions by scope have keys, and the members that are compared as they are.
pub(crate) fn queried(scopes: &Map<String, Value>) -> (Vec<&str>, Vec<&str>) {
    let (mut of_keys, mut whole) = (Vec::new(), Vec::new());
    let mut open = vec![scopes];
    while let Some(scopes) = open.pop() {
        for (scope, conditions) in scopes {
            match conditions {
                Value::Object(members) if has_keys(members) => of_keys.push(scope.as_str()),
                Value::Array(queries) if scope.starts_with('$') => {
                    open.extend(queries.iter().filter_map(Value::as_object));
                }
                _ => whole.push(scope.as_str()),
            }
        }
    }
    (of_keys, whole)
}

/// Whether conditions are those of a scope, by key, and not of a value.
fn has_keys(conditions: &Map<String, Value>) -> bool {
    !conditions.keys().any(|key| key.starts_with('$'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> &Map<String, Value> {
        value.as_object().expect("an object")
    }

    #[test]
    fn scopes_of_google_adk_are_prefixes() {
        let scopes = json!({
            "session": { "mode": "triage" }, "user": { "tier": "gold" }, "patient": { "age": 55 },
        });
        let adk = json!({ "mode": "triage", "user:tier": "gold", "patient": { "age": 55 } });
        assert_eq!(Scopes::OF_ADK.state(object(&scopes)), *object(&adk));
        let objects =
            json!({ "mode": "triage", "user": { "tier": "gold" }, "patient": { "age": 55 } });
        assert_eq!(Scopes::default().state(object(&scopes)), *object(&objects));
    }

    #[test]
    fn conditions_are_on_paths_of_the_state() {
        let scopes = json!({
            "session": { "mode": "triage" }, "app": { "limits.day": { "$gte": 1 } },
            "patient": { "age": 55 }, "done": { "$exists": true },
            "$or": [{ "user": { "tier": "gold" } }, { "session": { "paid": true } }],
        });
        let query = json!({
            "mode": "triage", "app:limits.day": { "$gte": 1 }, "patient.age": 55, "done": { "$exists": true },
            "$or": [{ "user:tier": "gold" }, { "paid": true }],
        });
        assert_eq!(Scopes::OF_ADK.query(object(&scopes)), *object(&query));
    }
}
