//! The path from a value to one inside it.

use std::borrow::Cow;

use json_text::Kind;

use super::{Cursor, Origin, Reader};

/// One segment of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathSegment<'a> {
    /// A key of an object.
    Key(Cow<'a, str>),
    /// An index of a list, from 0.
    Index(usize),
}

/// The path as text: `conversation[0].user_content`.
///
/// ```
/// use evalset::{PathSegment, path_of};
/// let key = |key: &'static str| PathSegment::Key(key.into());
/// let steps = [key("conversation"), PathSegment::Index(0), key("x")];
/// assert_eq!(path_of(&steps), "conversation[0].x");
/// ```
#[must_use]
pub fn path_of(steps: &[PathSegment<'_>]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PathSegment::Index(index) => {
                text.push('[');
                text.push_str(&index.to_string());
                text.push(']');
            }
            PathSegment::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
        }
    }
    text
}

impl Origin<'_> {
    /// The line of the value to which `steps` lead in `text`, which begins here and must be JSON, and
    /// its column in characters, both from 1. Where they lead further than the text, the place of the
    /// last value on the way.
    ///
    /// ```
    /// use evalset::{Origin, PathSegment};
    /// let text = "{\"a\": 1,\n \"b\": [true]}";
    /// let steps = [PathSegment::Key("b".into()), PathSegment::Index(0)];
    /// assert_eq!(Origin { line: 7, ..Origin::default() }.place(text, &steps), (8, 8));
    /// ```
    #[must_use]
    pub fn place(self, text: &str, steps: &[PathSegment<'_>]) -> (u64, u64) {
        let mut cursor = Cursor::new(text);
        let mut offset = cursor.offset();
        for step in steps {
            let Some(found) = entered(&mut cursor, step) else { break };
            offset = found;
            cursor.go_to(offset);
        }
        Reader::new(text, Origin { eval_id: None, ..self }).line_and_column(offset)
    }
}

/// The offset of the value at a segment; for duplicate keys, of the last one.
fn entered(cursor: &mut Cursor<'_>, step: &PathSegment<'_>) -> Option<usize> {
    let wanted = if matches!(step, PathSegment::Key(_)) { Kind::Object } else { Kind::Array };
    if cursor.kind() != wanted {
        return None;
    }
    cursor.enter();
    let (mut found, mut index) = (None, 0);
    while cursor.more() {
        let is_meant = match step {
            PathSegment::Key(key) => cursor.key() == *key,
            PathSegment::Index(wanted) => index == *wanted,
        };
        if is_meant {
            found = Some(cursor.offset());
        }
        cursor.pass();
        index += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_gives_line_and_column_of_the_value() {
        let text = "{\"é\": {\"x\": 1},\n  \"é\": {\"x\": [0, {\"y\": 2}]}}";
        let (key, index) = (|key| PathSegment::Key(Cow::Borrowed(key)), PathSegment::Index);
        let origin = Origin { line: 3, column: 5, ..Origin::default() };
        for (steps, place) in [
            (vec![], (3, 5)),
            (vec![key("é")], (4, 8)),
            (vec![key("é"), key("x"), index(1), key("y")], (4, 24)),
            (vec![key("é"), key("x"), index(2), key("y")], (4, 14)),
            (vec![key("é"), index(0)], (4, 8)),
            (vec![key("a")], (3, 5)),
        ] {
            assert_eq!(origin.place(text, &steps), place, "{steps:?}");
        }
    }
}
