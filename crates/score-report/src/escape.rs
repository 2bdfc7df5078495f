//! Text of files, made harmless for where it is shown.

use std::fmt::Write as _;

use json_text::written_out::{HIDDEN, visible_name, visible_text};
use quick_junit::XmlString;

/// For a line of a terminal: nothing in it moves the cursor, breaks the line or turns it around.
pub(crate) fn plain(text: &str) -> String {
    visible_name(text)
}

/// The characters that are written as escapes, as a class of a regular expression in JavaScript.
pub(crate) fn hidden_class() -> String {
    let mut class = "[".to_owned();
    for range in HIDDEN {
        let (first, last) = (u32::from(*range.start()), u32::from(*range.end()));
        let _ = write!(class, "\\u{first:04x}-\\u{last:04x}");
    }
    class + "]"
}

/// For a cell of a Markdown table, as text and never as markup.
pub(crate) fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in plain(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // A zero-width joiner after it, so that no user is notified.
            '@' => escaped.push_str("@\u{2060}"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => {
                escaped.push('\\');
                escaped.push(character);
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// For JUnit's XML, lines kept: without what XML has not, such as the colors of a terminal.
pub(crate) fn xml(text: &str) -> String {
    visible_text(XmlString::new(text).as_str())
}

/// For HTML, as text or in a quoted attribute.
pub(crate) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in plain(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// JSON text for inside a `<script>`: no `<` is left that could end it or begin a comment. Only
/// strings hold one, where the escape means the same.
pub(crate) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}
