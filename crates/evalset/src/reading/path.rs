//! The way from a value to one inside it.

use std::borrow::Cow;

use json_text::Kind;

use super::{Cursor, Origin, Reader};

/// One step of the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into an object, to what stands under this key.
    Key(Cow<'a, str>),
    /// Into a list, to the item at this place, from 0.
    Index(usize),
}

/// The steps for people: `conversation[0].user_content`.
///
/// ```
/// use evalset::{Step, path_of};
/// let steps = [Step::Key("conversation".into()), Step::Index(0), Step::Key("x".into())];
/// assert_eq!(path_of(&steps), "conversation[0].x");
/// ```
#[must_use]
pub fn path_of(steps: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Index(index) => {
                text.push('[');
                text.push_str(&index.to_string());
                text.push(']');
            }
            Step::Key(key) => {
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
    /// use evalset::{Origin, Step};
    /// let text = "{\"a\": 1,\n \"b\": [true]}";
    /// let steps = [Step::Key("b".into()), Step::Index(0)];
    /// assert_eq!(Origin { line: 7, ..Origin::default() }.place(text, &steps), (8, 8));
    /// ```
    #[must_use]
    pub fn place(self, text: &str, steps: &[Step<'_>]) -> (u64, u64) {
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

/// Where the value stands to which a step leads; of members with one key the last counts.
fn entered(cursor: &mut Cursor<'_>, step: &Step<'_>) -> Option<usize> {
    let wanted = if matches!(step, Step::Key(_)) { Kind::Object } else { Kind::Array };
    if cursor.kind() != wanted {
        return None;
    }
    cursor.enter();
    let (mut found, mut index) = (None, 0);
    while cursor.more() {
        let is_meant = match step {
            Step::Key(key) => cursor.key() == *key,
            Step::Index(wanted) => index == *wanted,
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
        let (key, index) = (|key| Step::Key(Cow::Borrowed(key)), Step::Index);
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
