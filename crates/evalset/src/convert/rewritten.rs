//! An ADK set as ADK rewrites it.
//!
//! ADK drops null values, defaults, and unknown fields of its sets. So these are not copied to fields of
//! AgentFlow's but stored as leftovers, which also apply to a file that ADK rewrote.

use super::difference::Tree;
use super::valid;
use crate::adk::{EvalCase, EvalSet};
use crate::model::Casing;

/// The fields of a set; ADK drops others.
const SET_FIELDS: [&str; 5] =
    ["eval_set_id", "name", "description", "eval_cases", "creation_timestamp"];

/// The fields that hold further models of ADK's. Others hold what users put there, which stays.
const MODELS: [&str; 13] = [
    "conversation",
    "user_content",
    "final_response",
    "intermediate_data",
    "tool_uses",
    "tool_responses",
    "intermediate_responses",
    "invocation_events",
    "content",
    "parts",
    "function_call",
    "function_response",
    "session_input",
];

/// The case as ADK writes it.
pub(super) fn case(case: &EvalCase) -> EvalCase {
    let left = model(super::tree(case, Casing::Snake));
    valid(&left.to_text()).unwrap_or_else(|| case.clone())
}

/// The set, which must have no cases, as ADK writes it.
pub(super) fn header(set: &EvalSet) -> EvalSet {
    let Tree::Object(mut members) = model(super::tree(set, Casing::Snake)) else {
        return set.clone();
    };
    members.retain(|(key, _)| SET_FIELDS.contains(&key.as_str()));
    valid(&Tree::Object(members).to_text()).unwrap_or_else(|| set.clone())
}

fn model(value: Tree) -> Tree {
    match value {
        Tree::Object(members) => {
            let kept = members.into_iter().filter(|(key, value)| !is_left_out(key, value));
            let kept = kept.map(|(key, value)| {
                let value = if MODELS.contains(&key.as_str()) { model(value) } else { value };
                (key, value)
            });
            Tree::Object(kept.collect())
        }
        Tree::List(items) => Tree::List(items.into_iter().map(model).collect()),
        Tree::Leaf(text) => Tree::Leaf(text),
    }
}

fn is_left_out(key: &str, value: &Tree) -> bool {
    match (key, value) {
        (_, Tree::Leaf(text)) if text.as_str() == "null" => true,
        ("creation_timestamp", Tree::Leaf(text)) => text.as_str().parse() == Ok(0.0),
        ("invocation_id", Tree::Leaf(text)) => text.as_str() == "\"\"",
        ("state", Tree::Object(members)) => members.is_empty(),
        (
            "tool_uses" | "tool_responses" | "intermediate_responses" | "invocation_events",
            Tree::List(items),
        ) => items.is_empty(),
        _ => false,
    }
}
