//! [`JsonIndex`]: random access to the values of one JSON text.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::index::{Entry, Id, NONE, append};
use crate::scan::{inside_quotes, string_content, string_end};
use crate::{JsonText, Kind, pointer};

/// The values of one JSON text of less than 4 GiB, indexed without recursion and without a limit on
/// depth. Building it reads the text once; 28 bytes per value.
///
/// ```
/// use json_text::{JsonIndex, JsonText};
/// let text = JsonText::parse(r#"{"days": [{"from": 8.50}]}"#)?;
/// let index = JsonIndex::of(&text);
/// let from = index.root().member("days").and_then(|days| days.item(0)?.member("from"));
/// assert_eq!(from.map(|value| value.text()), Some("8.50"));
/// # Ok::<(), json_text::JsonTextError>(())
/// ```
#[derive(Debug)]
pub struct JsonIndex<'t> {
    text: &'t str,
    entries: Vec<Entry>,
}

impl<'t> JsonIndex<'t> {
    /// The index of `text`.
    #[must_use]
    pub fn of(text: &'t JsonText) -> Self {
        Self::of_valid(text.as_str())
    }

    /// The index of `text`, which must be valid JSON; anything else gives wrong values.
    #[must_use]
    pub fn of_valid(text: &'t str) -> Self {
        let mut entries = Vec::new();
        let _complete = append(text, &mut entries, usize::MAX);
        Self { text, entries }
    }

    /// The JSON pointers of members whose name occurred in their object before, in the order written.
    #[must_use]
    pub fn repeated_names(&self) -> Vec<String> {
        let mut repeated = Vec::new();
        for id in (0..).take(self.entries.len()) {
            let value = JsonValue { index: self, id };
            if value.kind() == Kind::Object {
                let mut names = HashSet::new();
                let again = value.items().filter(|member| !names.insert(member.name()));
                repeated.extend(again.map(|member| member.id));
            }
        }
        repeated.sort_unstable();
        repeated.into_iter().map(|id| self.pointer(id)).collect()
    }

    /// The JSON pointer of a value.
    fn pointer(&self, id: Id) -> String {
        let mut tokens = Vec::new();
        let mut value = JsonValue { index: self, id };
        while value.entry().parent != NONE {
            let entry = value.entry();
            tokens.push(match entry.key {
                NONE => entry.place.to_string(),
                _ => pointer::step(&value.name()),
            });
            value = JsonValue { index: self, id: entry.parent };
        }
        tokens.iter().rev().fold(String::new(), |pointer, token| pointer + "/" + token)
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> JsonValue<'_> {
        JsonValue { index: self, id: 0 }
    }
}

/// One value of a [`JsonIndex`]. Copying it is cheap.
#[derive(Debug, Clone, Copy)]
pub struct JsonValue<'d> {
    index: &'d JsonIndex<'d>,
    id: Id,
}

impl<'d> JsonValue<'d> {
    fn entry(self) -> Entry {
        let outermost = Entry {
            start: 0,
            end: u32::try_from(self.index.text.len()).unwrap_or(NONE),
            key: NONE,
            parent: NONE,
            next: self.id + 1,
            count: 0,
            place: 0,
        };
        self.index.entries.get(self.id as usize).copied().unwrap_or(outermost)
    }

    /// The value as written.
    #[must_use]
    pub fn text(self) -> &'d str {
        let entry = self.entry();
        self.index.text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
    }

    /// A copy of the value as a text of its own.
    #[must_use]
    pub fn to_json(self) -> JsonText {
        JsonText::parse(self.text()).unwrap_or_else(|_| JsonText::null())
    }

    /// The kind of value.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.text().as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// Whether this is `true`.
    #[must_use]
    pub fn is_true(self) -> bool {
        self.text() == "true"
    }

    /// A string's content, escapes resolved; `None` for another kind of value.
    #[must_use]
    pub fn string(self) -> Option<Cow<'d, str>> {
        (self.kind() == Kind::String).then(|| content(self.text()))
    }

    /// The values directly inside an array or object, in the order written.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let end = self.entry().next;
        let mut id = self.id + 1;
        std::iter::from_fn(move || {
            (id < end).then(|| {
                let item = Self { index: self.index, id };
                id = item.entry().next;
                item
            })
        })
    }

    /// The number of values directly inside.
    #[must_use]
    pub fn len(self) -> usize {
        self.entry().count as usize
    }

    /// Whether there are no values inside.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.entry().next == self.id + 1
    }

    /// The members of an object by name, in the order of the names; of a repeated name the
    /// last counts, as in Python and JavaScript.
    #[must_use]
    pub fn members(self) -> Vec<(Cow<'d, str>, Self)> {
        if self.kind() != Kind::Object {
            return Vec::new();
        }
        let mut members: Vec<_> = self.items().map(|member| (member.name(), member)).collect();
        // Stable: of equal names the last written stays last.
        members.sort_by(|one, other| one.0.cmp(&other.0));
        members.reverse();
        members.dedup_by(|later, kept| later.0 == kept.0);
        members.reverse();
        members
    }

    /// The members of an object in the order written; of a repeated name the last counts.
    #[must_use]
    pub fn entries(self) -> Vec<(Cow<'d, str>, Self)> {
        let mut members = self.members();
        members.sort_by_key(|(_, member)| member.id);
        members
    }

    /// The member with this name; of several the last.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Self> {
        if self.kind() != Kind::Object {
            return None;
        }
        self.items().filter(|member| member.name() == name).last()
    }

    /// The item at this position of an array, from 0.
    #[must_use]
    pub fn item(self, place: usize) -> Option<Self> {
        if self.kind() == Kind::Array { self.items().nth(place) } else { None }
    }

    /// The name of a member, escapes resolved; empty for an item and the outermost value.
    #[must_use]
    pub fn name(self) -> Cow<'d, str> {
        let key = self.entry().key;
        if key == NONE {
            return Cow::Borrowed("");
        }
        let text = self.index.text;
        let key = key as usize;
        content(text.get(key..string_end(text.as_bytes(), key)).unwrap_or_default())
    }
}

/// The content of a string; the text between its quotes for a lone surrogate, which JSON's grammar
/// allows and Unicode does not.
fn content(quoted: &str) -> Cow<'_, str> {
    string_content(quoted).unwrap_or_else(|| Cow::Borrowed(inside_quotes(quoted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    #[test]
    fn values_are_found() {
        let text = json(r#"{"a": [1.50, "x\n", {}], "\u0062": {"c": null}, "a": true}"#);
        let index = JsonIndex::of(&text);
        let root = index.root();
        assert_eq!(root.len(), 3);
        let names: Vec<_> = root.members().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(root.member("a").is_some_and(JsonValue::is_true), "the last of a name counts");
        let written: Vec<_> = root.entries().into_iter().map(|(name, _)| name).collect();
        assert_eq!(written, ["b", "a"]);
        let list = root.items().next().expect("an array");
        assert_eq!(list.item(0).map(JsonValue::text), Some("1.50"));
        assert_eq!(list.item(1).and_then(JsonValue::string).as_deref(), Some("x\n"));
        assert!(list.item(2).is_some_and(JsonValue::is_empty));
        assert_eq!(list.item(3).map(JsonValue::text), None);
        let inner = root.member("b").and_then(|value| value.member("c"));
        assert_eq!(inner.map(JsonValue::kind), Some(Kind::Null));
        assert_eq!(root.text(), text.as_str());
    }

    #[test]
    fn repeated_names_are_found() {
        let text = json(r#"{"a":[{"b/c":1,"d":2,"b\u002fc":3,"b/c":4},[]],"e":{"a":0},"a":{}}"#);
        assert_eq!(JsonIndex::of(&text).repeated_names(), ["/a/0/b~1c", "/a/0/b~1c", "/a"]);
        assert!(JsonIndex::of(&json("[{\"a\":1},{\"a\":1}]")).repeated_names().is_empty());
    }

    #[test]
    fn a_scalar_is_an_index_of_one_value() {
        for text in ["1", "\"\"", "true", "null", "[]", "{}"] {
            let value = json(text);
            assert_eq!(JsonIndex::of(&value).root().text(), text);
        }
    }

    #[test]
    fn deep_values_need_no_stack() {
        let text = json(&format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)));
        let index = JsonIndex::of(&text);
        assert_eq!(index.root().len(), 1);
    }
}
