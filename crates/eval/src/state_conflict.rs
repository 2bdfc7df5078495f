//! Changes of the state that replace one another: user agents may answer at the same time.

use json_text::{JsonText, pointer};
use serde_json::{Map, Value};

use crate::ledger::{Event, Ledger};
use crate::state_change::{APPEND, merge};

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
    fn a_list_that_is_replaced_conflicts_with_what_was_appended() {
        let append = |item: &str| object(json!({ "patient": { "pains": { "$append": [item] } } }));
        let appended = append("chest");
        assert_eq!(conflicts(&appended, &append("arm")), []);
        let replaced = object(json!({ "patient": { "pains": [] } }));
        assert_eq!(conflicts(&appended, &replaced).len(), 1);
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
