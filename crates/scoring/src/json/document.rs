//! [`Document`]: the values of one JSON text, each with its place in the text.

use std::borrow::Cow;
use std::collections::HashSet;

use json_text::{JsonText, Kind};

use super::pointer_step;

/// What stands where a place would, when there is none.
const NONE: usize = usize::MAX;

/// Where a value stands. Values follow each other in the order of the text, so those inside a
/// value are the ones from the next up to `next`.
#[derive(Debug, Clone, Copy)]
struct Record {
    start: usize,
    end: usize,
    /// Where its name begins, with the quotes; [`NONE`] for an item and for the whole.
    key: usize,
    /// The first value after it and what is in it.
    next: usize,
}

/// One JSON text, indexed without recursion and without a limit on depth.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    records: Vec<Record>,
}

impl<'t> Document<'t> {
    /// The index of a checked text.
    #[must_use]
    pub fn of(text: &'t JsonText) -> Self {
        Self::of_checked(text.as_str())
    }

    /// The same of a text that has been checked elsewhere.
    pub(crate) fn of_checked(text: &'t str) -> Self {
        Self { text, records: index(text) }
    }

    /// The JSON pointers of members whose name stands in their object before, in the order written.
    pub(crate) fn repeated(&self) -> Vec<String> {
        let mut repeated = Vec::new();
        for id in 0..self.records.len() {
            let value = Value { document: self, id };
            if value.kind() == Kind::Object {
                let mut names = HashSet::new();
                let again = value.items().filter(|member| !names.insert(member.name()));
                repeated.extend(again.map(|member| member.id));
            }
        }
        repeated.sort_unstable();
        repeated.into_iter().map(|id| self.pointer(id)).collect()
    }

    /// Where a value stands.
    fn pointer(&self, id: usize) -> String {
        let mut pointer = String::new();
        let mut value = self.root();
        while value.id != id {
            let is_object = value.kind() == Kind::Object;
            let mut items = value.items().enumerate();
            let Some((index, inner)) = items.find(|(_, item)| id < item.record().next) else {
                break;
            };
            let step = if is_object { inner.name() } else { Cow::Owned(index.to_string()) };
            pointer.push_str(&pointer_step(&step));
            value = inner;
        }
        pointer
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value { document: self, id: 0 }
    }
}

/// One value of a [`Document`].
#[derive(Debug, Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document<'d>,
    id: usize,
}

impl<'d> Value<'d> {
    fn record(self) -> Record {
        let whole =
            Record { start: 0, end: self.document.text.len(), key: NONE, next: self.id + 1 };
        self.document.records.get(self.id).copied().unwrap_or(whole)
    }

    /// The value as written.
    #[must_use]
    pub fn text(self) -> &'d str {
        let record = self.record();
        &self.document.text[record.start..record.end]
    }

    /// The value by itself.
    #[must_use]
    pub fn to_json(self) -> JsonText {
        JsonText::parse(self.text()).unwrap_or_else(|_| JsonText::null())
    }

    /// What sort of value this is.
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

    /// A string's content, escapes resolved; `None` for another sort of value.
    #[must_use]
    pub fn string(self) -> Option<Cow<'d, str>> {
        (self.kind() == Kind::String).then(|| content(self.text()))
    }

    /// The values directly inside an array or object, in the order written.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let end = self.record().next;
        let mut id = self.id + 1;
        std::iter::from_fn(move || {
            (id < end).then(|| {
                let item = Self { document: self.document, id };
                id = item.record().next;
                item
            })
        })
    }

    /// How many values stand directly inside.
    #[must_use]
    pub fn len(self) -> usize {
        self.items().count()
    }

    /// Whether nothing stands inside.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.record().next == self.id + 1
    }

    /// The members of an object by name, in the order of the names; of a name written twice the
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

    /// The same in the order written.
    #[must_use]
    pub fn entries(self) -> Vec<(Cow<'d, str>, Self)> {
        let mut members = self.members();
        members.sort_by_key(|(_, member)| member.id);
        members
    }

    /// The member of that name; of several the last.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Self> {
        if self.kind() != Kind::Object {
            return None;
        }
        self.items().filter(|member| member.name() == name).last()
    }

    /// The item at that place of an array.
    #[must_use]
    pub fn item(self, place: usize) -> Option<Self> {
        if self.kind() == Kind::Array { self.items().nth(place) } else { None }
    }

    fn name(self) -> Cow<'d, str> {
        let key = self.record().key;
        if key == NONE {
            return Cow::Borrowed("");
        }
        let bytes = self.document.text.as_bytes();
        content(&self.document.text[key..string_end(bytes, key)])
    }
}

/// The content of a string with its quotes. A lone surrogate, which JSON's grammar allows and
/// Unicode does not, leaves the string as its source text.
fn content(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    serde_json::from_str::<String>(quoted).map_or(Cow::Borrowed(inner), Cow::Owned)
}

fn index(text: &str) -> Vec<Record> {
    let bytes = text.as_bytes();
    let mut records: Vec<Record> = Vec::new();
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut key = NONE;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'}' | b']' => {
                at += 1;
                let next = records.len();
                if let Some((id, _)) = open.pop()
                    && let Some(record) = records.get_mut(id)
                {
                    record.end = at;
                    record.next = next;
                }
                continue;
            }
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => at += 1,
            _ => at = word_end(bytes, at),
        }
        if *byte == b'"' && key == NONE && open.last().is_some_and(|(_, is_object)| *is_object) {
            key = start;
            continue;
        }
        let id = records.len();
        records.push(Record { start, end: at, key, next: id + 1 });
        key = NONE;
        if matches!(byte, b'{' | b'[') {
            open.push((id, *byte == b'{'));
        }
    }
    records
}

/// Just after the closing quote of the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Just after the number or literal that begins at `at`.
fn word_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest
        .iter()
        .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
        .unwrap_or(rest.len());
    at + length.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    #[test]
    fn values_stand_where_they_are() {
        let text = json(r#"{"a": [1.50, "x\n", {}], "\u0062": {"c": null}, "a": true}"#);
        let document = Document::of(&text);
        let root = document.root();
        assert_eq!(root.len(), 3);
        let names: Vec<_> = root.members().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(root.member("a").is_some_and(Value::is_true), "the last of a name counts");
        let written: Vec<_> = root.entries().into_iter().map(|(name, _)| name).collect();
        assert_eq!(written, ["b", "a"]);
        let list = root.items().next().expect("an array");
        assert_eq!(list.item(0).map(Value::text), Some("1.50"));
        assert_eq!(list.item(1).and_then(Value::string).as_deref(), Some("x\n"));
        assert!(list.item(2).is_some_and(Value::is_empty));
        assert_eq!(list.item(3).map(Value::text), None);
        let inner = root.member("b").and_then(|value| value.member("c"));
        assert_eq!(inner.map(Value::kind), Some(Kind::Null));
        assert_eq!(root.text(), text.as_str());
    }

    #[test]
    fn names_that_stand_twice_are_found() {
        let text = json(r#"{"a":[{"b/c":1,"d":2,"b\u002fc":3,"b/c":4},[]],"e":{"a":0},"a":{}}"#);
        assert_eq!(Document::of(&text).repeated(), ["/a/0/b~1c", "/a/0/b~1c", "/a"]);
        assert!(Document::of(&json("[{\"a\":1},{\"a\":1}]")).repeated().is_empty());
    }

    #[test]
    fn scalars_are_documents_too() {
        for text in ["1", "\"\"", "true", "null", "[]", "{}"] {
            let value = json(text);
            assert_eq!(Document::of(&value).root().text(), text);
        }
    }

    #[test]
    fn depth_costs_nothing() {
        let text = json(&format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)));
        let document = Document::of(&text);
        assert_eq!(document.root().len(), 1);
    }
}
