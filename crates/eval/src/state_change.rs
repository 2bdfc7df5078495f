//! Changes of the session's state that user agents, mocks and simulated tools make: their operator, and how they are
//! merged.

use scoring::state::operator;
use serde_json::{Map, Value, json};

/// Adds values to a list: `{ $append: [VALUE, ...] }`.
pub(crate) const APPEND: &str = "$append";

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

/// Why a change of the session's state cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// A scope is an object.
    #[error("it changes the scope {scope} to {value}, which is not an object")]
    NotAnObject {
        /// The scope.
        scope: String,
        /// What it would become.
        value: Value,
    },
    /// The case does not have the scope.
    #[error(
        "it changes the scope {scope}, which the case does not have. A further scope is an object in `initial_state`"
    )]
    UnknownScope {
        /// The scope.
        scope: String,
    },
    /// The scope would be empty before the agent sees it.
    #[error("it changes the scope {scope}, which lasts for one turn of the agent")]
    TemporaryScope {
        /// The scope.
        scope: String,
    },
    /// `$append` has other members beside it.
    #[error(
        "{path} has `{APPEND}` beside other members; a list that is appended to has no members"
    )]
    AppendsBesideMembers {
        /// Where, from the scope on.
        path: String,
    },
    /// `$append` has no list.
    #[error("{path} appends {value}, which is not a list; write `{{ {APPEND}: [{value}] }}`")]
    AppendsNoList {
        /// Where, from the scope on.
        path: String,
        /// What it has.
        value: Value,
    },
    /// What is appended to is not a list.
    #[error("it appends to {path}, which is {value} and not a list")]
    AppendsToNoList {
        /// Where in the state.
        path: String,
        /// What is there.
        value: Value,
    },
    /// There is no such operator.
    #[error(
        "{path} has `{name}`, and the only operator of changes is `{APPEND}`, with a list of the values to append. Objects are merged, everything else is replaced"
    )]
    UnknownOperator {
        /// Where, from the scope on.
        path: String,
        /// What looks like an operator.
        name: String,
    },
}

/// Checks that what looks like an operator in changes is `$append` with a list. `is_filled_later` tells values that
/// become others before the changes are made.
pub(crate) fn check_operators(
    value: &Value,
    path: &str,
    is_filled_later: &dyn Fn(&Value) -> bool,
) -> Result<(), ChangeError> {
    match value {
        Value::Array(items) => {
            items.iter().try_for_each(|item| check_operators(item, path, is_filled_later))
        }
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            let looks_like = |operator| strsim::damerau_levenshtein(name, operator) <= 2;
            if name == APPEND {
                if members.len() > 1 {
                    return Err(ChangeError::AppendsBesideMembers { path: path.to_owned() });
                }
                if !member.is_array() && !is_filled_later(member) {
                    let (path, value) = (path.to_owned(), member.clone());
                    return Err(ChangeError::AppendsNoList { path, value });
                }
            } else if name.starts_with('$')
                && (looks_like(APPEND)
                    || UNKNOWN.contains(&name.as_str())
                    || operator(name).is_some())
            {
                let (path, name) = (path.to_owned(), name.clone());
                return Err(ChangeError::UnknownOperator { path, name });
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

/// A value of the state after a change.
pub(crate) fn applied(before: Value, mut change: Value, path: &str) -> Result<Value, ChangeError> {
    if let Some(mut items) = appended(&mut change) {
        return match before {
            Value::Null => Ok(items.into()),
            Value::Array(mut list) => {
                list.append(&mut items);
                Ok(list.into())
            }
            value => Err(ChangeError::AppendsToNoList { path: path.to_owned(), value }),
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
}
