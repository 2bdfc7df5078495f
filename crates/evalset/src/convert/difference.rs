//! [`Difference`]: what turns one JSON value into another, as JSON that people can read.
//!
//! An object whose keys are paths: `"session_input/app_name": "home"`. A path leads from the value
//! down, with `~1` for a slash in a key and `~0` for a tilde, as in JSON Pointer. Replacements
//! (`~instead`) and removals (`~without`) are under two keys that no path can equal, each with the
//! fingerprint of the value that it replaces or removes: when that value has been edited since, the
//! edit is kept. A fingerprint depends on the value only, so another program may write the same value
//! with other digits, escapes or key order.
//!
//! ```json
//! {"creation_timestamp": 1.5,
//!  "~instead": {"role": {"of": "5f0c1a3e", "is": "tool"}}, "~without": {"parts": "0a51c2d9"}}
//! ```

use std::collections::BTreeMap;

use json_text::{JsonText, Node, pointer};
use serde_json::value::RawValue;

use crate::model::json_string;

const INSTEAD: &str = "~instead";
const WITHOUT: &str = "~without";

/// The depth from which parts of two values are not compared one by one.
const MAX_DEPTH: usize = 40;

/// A JSON value that is taken apart as far as it is to be changed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Leaf(JsonText),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Takes `text`, which must be JSON, apart.
    pub(super) fn of(text: &JsonText) -> Self {
        Self::of_node(text.open(), &|| text.clone(), 0)
    }

    /// An object without members.
    pub(super) fn empty() -> Self {
        Self::Object(Vec::new())
    }

    fn of_node(node: Node<'_>, whole: &dyn Fn() -> JsonText, depth: usize) -> Self {
        let below = |raw: &RawValue| Self::of_node(Node::of(raw), &|| raw.into(), depth + 1);
        match node {
            Node::Array(items) if depth < MAX_DEPTH => {
                Self::List(items.into_iter().map(below).collect())
            }
            Node::Object(members) if depth < MAX_DEPTH && !has_repeated_key(&members) => {
                Self::Object(members.into_iter().map(|(key, raw)| (key, below(raw))).collect())
            }
            // One spelling, since a field of the model is written without needless escapes.
            Node::String(content) => Self::Leaf(JsonText::string(&content)),
            _ => Self::Leaf(whole()),
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Self::Leaf(text) => out.push_str(text.as_str()),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(&json_string(key));
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Eight digits that are the same for the same value. The order of keys, escapes and spellings of
    /// a number do not count.
    fn fingerprint(&self) -> String {
        format!("{:08x}", crate::ids::digits_of(&self.canonical().to_text()))
    }

    fn canonical(&self) -> Self {
        match self {
            Self::Leaf(text) => Self::Leaf(canonical(text, 0)),
            Self::List(items) => Self::List(items.iter().map(Self::canonical).collect()),
            Self::Object(members) => Self::Object(sorted(members, Self::canonical)),
        }
    }

    /// Whether both are the same value; the order of keys does not count, digits do.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Leaf(one), Self::Leaf(other)) => {
                one == other || one.compact() == other.compact()
            }
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.same(b))
            }
            (Self::Object(one), Self::Object(_)) => {
                other.length() == one.len()
                    && one.iter().all(|(key, value)| {
                        other.member(key).is_some_and(|other| value.same(other))
                    })
            }
            _ => false,
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Leaf(_) => 0,
            Self::List(items) => items.len(),
            Self::Object(members) => members.len(),
        }
    }

    pub(super) fn member(&self, wanted: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(key, _)| key == wanted).map(|(_, value)| value)
    }

    /// Takes a member out.
    pub(super) fn take(&mut self, wanted: &str) -> Option<Self> {
        let Self::Object(members) = self else { return None };
        let found = members.iter().position(|(key, _)| key == wanted)?;
        Some(members.remove(found).1)
    }

    /// Puts a member at the end.
    pub(super) fn put(&mut self, key: &str, value: Self) {
        if let Self::Object(members) = self {
            members.push((key.to_owned(), value));
        }
    }

    pub(super) fn at(&mut self, token: &str) -> Option<&mut Self> {
        match self {
            Self::Leaf(_) => None,
            Self::List(items) => items.get_mut(token.parse::<usize>().ok()?),
            Self::Object(members) => {
                members.iter_mut().find(|(key, _)| key == token).map(|(_, value)| value)
            }
        }
    }
}

/// One text for all spellings of a value. Of a repeated key the last value counts, as in Python.
fn canonical(text: &JsonText, depth: usize) -> JsonText {
    let leaf = |raw: &RawValue| Tree::Leaf(canonical(&raw.into(), depth + 1));
    let tree = match text.open() {
        Node::String(content) => return JsonText::string(&content),
        Node::Number(_) => {
            let plain = plain_number(text.as_str());
            return plain.unwrap_or_else(|| text.clone());
        }
        Node::Array(items) if depth < MAX_DEPTH => {
            Tree::List(items.into_iter().map(leaf).collect())
        }
        Node::Object(members) if depth < MAX_DEPTH => {
            let last: BTreeMap<String, &RawValue> = members.into_iter().collect();
            Tree::Object(last.into_iter().map(|(key, raw)| (key, leaf(raw))).collect())
        }
        _ => return text.compact(),
    };
    JsonText::parse(&tree.to_text()).unwrap_or_else(|_| text.compact())
}

/// The shortest number that Python reads as equal; `None` for one that no `f64` holds.
fn plain_number(text: &str) -> Option<JsonText> {
    if !text.contains(['.', 'e', 'E']) {
        return JsonText::parse(if text == "-0" { "0" } else { text }).ok();
    }
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite())?;
    let is_whole = value.fract() == 0.0;
    let plain = if is_whole { format!("{:.0}", value + 0.0) } else { format!("{value:?}") };
    JsonText::parse(&plain).ok()
}

fn sorted(members: &[(String, Tree)], of: impl Fn(&Tree) -> Tree) -> Vec<(String, Tree)> {
    let mut members: Vec<_> = members.iter().map(|(key, value)| (key.clone(), of(value))).collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    members
}

fn has_repeated_key(members: &[(String, &RawValue)]) -> bool {
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// What turns one value into another.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Difference {
    /// What is not there yet.
    more: Vec<(String, Tree)>,
    instead: Vec<(String, Replacement)>,
    /// Paths with the fingerprints of their values.
    without: Vec<(String, String)>,
}

/// A value that replaces another.
#[derive(Debug, Clone, PartialEq)]
struct Replacement {
    /// The other's fingerprint.
    of: String,
    is: Tree,
}

impl Replacement {
    fn new(of: &Tree, is: &Tree) -> Self {
        Self { of: of.fingerprint(), is: is.clone() }
    }
}

impl Difference {
    /// What turns `from` into `to`, both objects, apart from the order of keys.
    pub(super) fn between(from: &Tree, to: &Tree) -> Self {
        let mut difference = Self::default();
        difference.compare(&mut Vec::new(), from, to);
        difference
    }

    /// What turns the first of one pair into its second, and that of the other pair as well where
    /// one difference can do both.
    pub(super) fn from_either((from, to): (&Tree, &Tree), other: (&Tree, &Tree)) -> Self {
        let own = Self::between(from, to);
        if own.turns(other.0, other.1) {
            return own;
        }
        let both = own.clone().with(Self::between(other.0, other.1));
        if both.turns(from, to) { both } else { own }
    }

    fn turns(&self, from: &Tree, to: &Tree) -> bool {
        let mut result = from.clone();
        self.clone().apply(&mut result);
        result.same(to)
    }

    /// Adds the paths of `other` that are not in this one.
    fn with(mut self, other: Self) -> Self {
        for (path, value) in other.more {
            if self.more.iter().all(|(own, _)| *own != path) {
                self.more.push((path, value));
            }
        }
        for (path, value) in other.instead {
            if self.instead.iter().all(|(own, _)| *own != path) {
                self.instead.push((path, value));
            }
        }
        for (path, of) in other.without {
            if self.without.iter().all(|(own, _)| *own != path) {
                self.without.push((path, of));
            }
        }
        self
    }

    fn compare(&mut self, path: &mut Vec<String>, from: &Tree, to: &Tree) {
        match (from, to) {
            (Tree::Object(before), Tree::Object(after)) => {
                for (key, value) in after {
                    path.push(key.clone());
                    match from.member(key) {
                        // Two dots lead to another place.
                        Some(earlier) if key != ".." => self.compare(path, earlier, value),
                        Some(earlier) if !earlier.same(value) => {
                            self.instead.push((joined(path), Replacement::new(earlier, value)));
                        }
                        Some(_) => {}
                        None => self.more.push((joined(path), value.clone())),
                    }
                    path.pop();
                }
                for (key, value) in before {
                    if to.member(key).is_none() {
                        path.push(key.clone());
                        self.without.push((joined(path), value.fingerprint()));
                        path.pop();
                    }
                }
            }
            (Tree::List(before), Tree::List(after)) if before.len() == after.len() => {
                for (index, (before, after)) in before.iter().zip(after).enumerate() {
                    path.push(index.to_string());
                    self.compare(path, before, after);
                    path.pop();
                }
            }
            _ if from.same(to) => {}
            _ => self.instead.push((joined(path), Replacement::new(from, to))),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.more.is_empty() && self.instead.is_empty() && self.without.is_empty()
    }

    /// Applies the difference to `tree`. Skips what does not fit because the value has been edited
    /// since, and keeps values that were added since.
    pub(super) fn apply(self, tree: &mut Tree) {
        for (path, of) in &self.without {
            if let Some((parent, key)) = reach(tree, path)
                && parent.at(&key).is_some_and(|there| there.fingerprint() == *of)
            {
                parent.take(&key);
            }
        }
        for (path, Replacement { of, is }) in self.instead {
            if let Some((parent, key)) = reach(tree, &path)
                && let Some(there) = parent.at(&key)
                && there.fingerprint() == of
            {
                *there = is;
            }
        }
        for (path, value) in self.more {
            if let Some((parent, key)) = reach(tree, &path) {
                match parent.at(&key) {
                    None => parent.put(&key, value),
                    Some(there) => complete(there, value),
                }
            }
        }
    }

    /// Moves everything one step down, under `prefix`, which is not escaped.
    pub(super) fn under(self, prefix: &str) -> Self {
        let longer = |path: String| format!("{prefix}/{path}");
        Self {
            more: self.more.into_iter().map(|(path, value)| (longer(path), value)).collect(),
            instead: self.instead.into_iter().map(|(path, value)| (longer(path), value)).collect(),
            without: self.without.into_iter().map(|(path, of)| (longer(path), of)).collect(),
        }
    }

    /// Splits off what is under `prefix`.
    pub(super) fn split_prefix(self, prefix: &str) -> (Self, Self) {
        let start = format!("{prefix}/");
        let (mut inside, mut outside) = (Self::default(), Self::default());
        let inner = |path: &str| path.strip_prefix(start.as_str()).map(str::to_owned);
        for (path, value) in self.more {
            match inner(&path) {
                Some(path) => inside.more.push((path, value)),
                None => outside.more.push((path, value)),
            }
        }
        for (path, value) in self.instead {
            match inner(&path) {
                Some(path) => inside.instead.push((path, value)),
                None => outside.instead.push((path, value)),
            }
        }
        for (path, of) in self.without {
            match inner(&path) {
                Some(path) => inside.without.push((path, of)),
                None => outside.without.push((path, of)),
            }
        }
        (inside, outside)
    }

    /// Both together.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.more.extend(other.more);
        self.instead.extend(other.instead);
        self.without.extend(other.without);
        self
    }

    pub(super) fn to_json(&self) -> Tree {
        let mut members = self.more.clone();
        if !self.instead.is_empty() {
            let members_of = |Replacement { of, is }: &Replacement| {
                let of = Tree::Leaf(JsonText::string(of));
                Tree::Object(vec![("of".to_owned(), of), ("is".to_owned(), is.clone())])
            };
            let instead = self.instead.iter().map(|(path, it)| (path.clone(), members_of(it)));
            members.push((INSTEAD.to_owned(), Tree::Object(instead.collect())));
        }
        if !self.without.is_empty() {
            let leaf = |of: &String| Tree::Leaf(JsonText::string(of));
            let without = self.without.iter().map(|(path, of)| (path.clone(), leaf(of)));
            members.push((WITHOUT.to_owned(), Tree::Object(without.collect())));
        }
        Tree::Object(members)
    }

    /// None when the value is nothing that [`Self::to_json`] makes.
    pub(super) fn from_json(json: &Tree) -> Option<Self> {
        let Tree::Object(members) = json else { return None };
        let mut difference = Self::default();
        for (key, value) in members {
            match (key.as_str(), value) {
                (INSTEAD, Tree::Object(members)) => {
                    for (path, value) in members {
                        let (of, is) = (word(value.member("of")?)?, value.member("is")?.clone());
                        difference.instead.push((path.clone(), Replacement { of, is }));
                    }
                }
                (WITHOUT, Tree::Object(members)) => {
                    for (path, of) in members {
                        difference.without.push((path.clone(), word(of)?));
                    }
                }
                (INSTEAD | WITHOUT, _) => return None,
                (path, value) => difference.more.push((path.to_owned(), value.clone())),
            }
        }
        Some(difference)
    }
}

/// The content of a string.
fn word(tree: &Tree) -> Option<String> {
    let Tree::Leaf(text) = tree else { return None };
    text.decode().ok()
}

/// Adds the members that `there` lacks.
fn complete(there: &mut Tree, value: Tree) {
    let (Tree::Object(_), Tree::Object(members)) = (&*there, value) else { return };
    for (key, value) in members {
        match there.at(&key) {
            Some(there) => complete(there, value),
            None => there.put(&key, value),
        }
    }
}

/// What a path leads to: the innermost container, and the key in it.
fn reach<'a>(tree: &'a mut Tree, path: &str) -> Option<(&'a mut Tree, String)> {
    let mut tokens: Vec<String> = path.split('/').map(pointer::name).collect();
    let last = tokens.pop()?;
    let mut place = tree;
    for token in tokens {
        place = place.at(&token)?;
    }
    Some((place, last))
}

fn joined(path: &[String]) -> String {
    let tokens: Vec<_> = path.iter().map(|token| pointer::step(token)).collect();
    tokens.join("/")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tree(text: &str) -> Tree {
        Tree::of(&JsonText::parse(text).expect("JSON"))
    }

    #[test]
    fn difference_json_is_readable() {
        let from = tree(r#"{"a": {"b": 1, "list": [1, {"x": 2}]}, "gone": 1, "role": "user"}"#);
        let to = tree(
            r#"{"a": {"b": 1, "list": [1, {"x": 2, "y/~": 3.0}]}, "role": "tool", "t": null}"#,
        );
        let difference = Difference::between(&from, &to);
        let json = difference.to_json();
        assert_eq!(
            json.to_text(),
            r#"{"a/list/1/y~1~0":3.0,"t":null,"~instead":{"role":{"of":"a13d5dd0","is":"tool"}},"~without":{"gone":"340ca71c"}}"#
        );
        assert_eq!(Difference::from_json(&json), Some(difference));
    }

    #[test]
    fn apply_keeps_later_edits() {
        let from = tree(r#"{"a": 1, "b": [1]}"#);
        let to = tree(r#"{"a": 1, "b": [1], "c": {"x": 1, "y": 2}, "d": 1}"#);
        let difference = Difference::between(&from, &to);
        let mut edited = tree(r#"{"a": 5, "b": [1, 2], "c": {"x": 7}, "d": 9}"#);
        difference.apply(&mut edited);
        assert_eq!(edited.to_text(), r#"{"a":5,"b":[1,2],"c":{"x":7,"y":2},"d":9}"#);
    }

    fn any_tree() -> impl Strategy<Value = Tree> {
        let key =
            prop::sample::select(vec!["a", "b", "..", "", "~instead", "~without", "x/y", "0"]);
        let leaf = prop::sample::select(vec!["1", "1.0", "null", "\"s\"", "9007199254740993"]);
        let leaf = leaf.prop_map(|text| Tree::Leaf(JsonText::parse(text).expect("JSON")));
        leaf.prop_recursive(4, 30, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::List),
                prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..4)
                    .prop_map(|members| Tree::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn applying_a_difference_gives_the_target(from in any_tree(), to in any_tree()) {
            let wrapped = |tree: Tree| Tree::Object(vec![("v".to_owned(), tree)]);
            let (mut from, to) = (wrapped(from), wrapped(to));
            let difference = Difference::between(&from, &to);
            prop_assert_eq!(difference.is_empty(), from.same(&to));
            let read = Difference::from_json(&tree(&difference.to_json().to_text()));
            prop_assert_eq!(read.as_ref(), Some(&difference));
            let (inside, outside) = difference.clone().under("..").and(difference.clone()).split_prefix("..");
            prop_assert_eq!(&inside, &difference);
            prop_assert_eq!(&outside, &difference);
            difference.apply(&mut from);
            prop_assert!(from.same(&to), "{} {}", from.to_text(), to.to_text());
        }
    }
}
