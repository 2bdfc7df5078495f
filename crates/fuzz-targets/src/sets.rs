//! A conversion there and back keeps the value, except for the exceptions in `docs/guide/eval-sets.md`.

use std::collections::HashSet;

use evalset::{EvalSet, Layout};
use json_text::{JsonText, Node};

/// A text that is the same for sets of the same value: the order of keys does not count, nor their
/// casing, which may have been mixed.
pub(crate) fn unordered(set: &EvalSet) -> String {
    let text = set.to_json().laid_out(&Layout::compact());
    JsonText::parse(&text).map_or(text, |text| of(&text.open()))
}

fn of(node: &Node<'_>) -> String {
    match node {
        Node::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| of(&Node::of(item))).collect();
            format!("[{}]", items.join(","))
        }
        Node::Object(members) => {
            let members = members.iter();
            let mut members: Vec<_> = members
                .map(|(key, value)| format!("{:?}:{}", snake(key), of(&Node::of(value))))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Node::Null => "null".to_owned(),
        Node::Bool(value) => value.to_string(),
        Node::Number(digits) => (*digits).to_owned(),
        Node::String(text) => format!("{text:?}"),
    }
}

/// Whether an object of the set has a field in both casings: what else its case has stays among the
/// leftovers then.
pub(crate) fn has_both_casings(set: &EvalSet) -> bool {
    fn of(node: &Node<'_>) -> bool {
        match node {
            Node::Array(items) => items.iter().any(|item| of(&Node::of(item))),
            Node::Object(members) => {
                let mut keys = HashSet::new();
                members.iter().any(|(key, value)| !keys.insert(snake(key)) || of(&Node::of(value)))
            }
            _ => false,
        }
    }
    let text = set.to_json().laid_out(&Layout::compact());
    JsonText::parse(&text).is_ok_and(|text| of(&text.open()))
}

fn snake(key: &str) -> String {
    let mut snake = String::with_capacity(key.len());
    for character in key.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}
