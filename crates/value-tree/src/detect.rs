//! Detects what a value is beyond its JSON type, such as Markdown or an image.
//!
//! A wrong guess costs one click, so detection is cheap and bounded: it reads the
//! beginning of a text, the first items of a list. What must be checked whole (JSON in a string,
//! base64) is checked up to a size and is a plain text beyond it.

mod image;
mod prose;
mod table;
mod yaml;

use std::borrow::Cow;

use json_text::{JsonText, Kind};

use crate::nodes::Nodes;
use crate::scan;
use json_text::index::Id;

pub(crate) use image::of_object as image_of_object;
pub(crate) use image::of_string as image_of_string;
pub(crate) use table::Table;
pub(crate) use yaml::key as yaml_key;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Nothing beyond its JSON type.
    Plain,
    /// A string that does not fit on a line.
    Long,
    /// A string that holds JSON, perhaps several times encoded.
    Json,
    /// A string in markdown.
    Markdown,
    /// A string of source code.
    Code(Language),
    /// A string that is a unified diff.
    Diff,
    /// A string that is one web address.
    Url,
    /// An image: a data URL, base64 with an image's first bytes, or an object with `data` and a
    /// MIME type, as MCP and google.genai write it.
    Image,
    /// A list of like objects.
    Table,
}

/// A language that code is recognized in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the languages' own")]
pub enum Language {
    Python,
    JavaScript,
    Rust,
    Sql,
    Html,
    Xml,
    Css,
    Shell,
    Yaml,
    /// Code in an unknown language.
    Other,
}

impl Language {
    /// The language that a fence names, such as `py` or `sql`, if it is supported.
    ///
    /// ```
    /// use value_tree::Language;
    /// assert_eq!(Language::named("TypeScript"), Some(Language::JavaScript));
    /// assert_eq!(Language::named("cobol"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "py" | "python" | "python3" => Self::Python,
            "js" | "jsx" | "javascript" | "ts" | "tsx" | "typescript" | "json" => Self::JavaScript,
            "rs" | "rust" => Self::Rust,
            "sql" => Self::Sql,
            "html" => Self::Html,
            "xml" | "svg" => Self::Xml,
            "css" => Self::Css,
            "sh" | "bash" | "shell" | "zsh" | "console" => Self::Shell,
            _ => return None,
        })
    }

    /// The language's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::Rust => "Rust",
            Self::Sql => "SQL",
            Self::Html => "HTML",
            Self::Xml => "XML",
            Self::Css => "CSS",
            Self::Shell => "Shell",
            Self::Yaml => "YAML",
            Self::Other => "Code",
        }
    }
}

impl Shape {
    /// The shape's name, if it is more than the JSON type.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain | Self::Long => None,
            Self::Json => Some("JSON"),
            Self::Markdown => Some("Markdown"),
            Self::Code(language) => Some(language.name()),
            Self::Diff => Some("Diff"),
            Self::Url => Some("Link"),
            Self::Image => Some("Image"),
            Self::Table => Some("Table"),
        }
    }
}

pub use image::Image;

/// How much of a text is looked at.
const LOOKED_AT: usize = 64 * 1024;
/// The longest string that is looked into for JSON.
const JSON: usize = 8 * 1024 * 1024;
/// How many times a text may be encoded.
const LAYERS: u8 = 4;
/// The longest web address.
const URL: usize = 2_048;
/// How many bytes of a string fit on a line.
const LINE: usize = 100;

/// What the string with this literal is, with the JSON that it holds and how often that is encoded.
pub(crate) fn detect_string(literal: &str) -> (Shape, Option<(JsonText, u8)>) {
    if let Some(held) = held_json(literal) {
        return (Shape::Json, Some(held));
    }
    let (head, is_whole) = scan::content_head(literal, LOOKED_AT);
    let trimmed = head.trim();
    let shape = if is_whole && address(trimmed).is_some() {
        Shape::Url
    } else if image::is_image(literal) {
        Shape::Image
    } else if prose::is_diff(trimmed) {
        Shape::Diff
    } else if let Some(language) = prose::code(trimmed) {
        Shape::Code(language)
    } else if prose::is_markdown(trimmed) {
        Shape::Markdown
    } else if head.len() > LINE || head.contains('\n') {
        Shape::Long
    } else {
        Shape::Plain
    };
    (shape, None)
}

pub(crate) fn detect_object(nodes: &Nodes, id: Id) -> Shape {
    if image_of_object(nodes, id).is_some() { Shape::Image } else { Shape::Plain }
}

pub(crate) fn detect_list(nodes: &Nodes, id: Id) -> Option<Table> {
    Table::of(nodes, id)
}

/// Whether a look into the string could find JSON. Costs its ends.
pub(crate) fn may_hold_json(literal: &str) -> bool {
    let (first, last) = ends(literal);
    literal.len() <= JSON
        && matches!((first, last), (b'{', b'}') | (b'[', b']') | (b'"' | b'\\', b'"'))
}

/// The first and the last byte of the content that are not white space, escaped or not.
fn ends(literal: &str) -> (u8, u8) {
    let mut inner = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    loop {
        let trimmed = inner.trim();
        let trimmed = ["\\n", "\\r", "\\t"].iter().fold(trimmed, |text, escape| {
            let text = text.strip_prefix(escape).unwrap_or(text);
            text.strip_suffix(escape).unwrap_or(text)
        });
        if trimmed.len() == inner.len() {
            break;
        }
        inner = trimmed;
    }
    (
        inner.as_bytes().first().copied().unwrap_or_default(),
        inner.as_bytes().last().copied().unwrap_or_default(),
    )
}

/// Whether a string with this content is recognized as something better shown than as text.
#[must_use]
pub fn is_more_than_text(content: &str) -> bool {
    detect_string(JsonText::string(content).as_str()).0.name().is_some()
}

/// The object or list that the string holds, and how many times it was encoded.
fn held_json(literal: &str) -> Option<(JsonText, u8)> {
    if !may_hold_json(literal) {
        return None;
    }
    let mut content: Cow<'_, str> = scan::content(literal);
    for layers in 1..=LAYERS {
        let text = JsonText::parse(&content).ok()?;
        match text.kind() {
            // An empty container adds nothing to the string.
            Kind::Object | Kind::Array => {
                return (!scan::is_empty(text.as_str())).then_some((text, layers));
            }
            Kind::String => content = Cow::Owned(scan::content(text.as_str()).into_owned()),
            _ => return None,
        }
    }
    None
}

/// The host that a web address leads to. Only a host that can be read for what it is counts: no
/// user before it, and no letters that look like others.
pub(crate) fn address(text: &str) -> Option<&str> {
    if text.len() > URL || !text.is_char_boundary(8.min(text.len())) {
        return None;
    }
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let start = text.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| &text[scheme.len()..])
    })?;
    let is_plain = |character: char| {
        !character.is_whitespace() && !character.is_control() && !"<>\"\\^`{|}".contains(character)
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let readable = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    (rest.chars().all(is_plain) && !host.is_empty() && host.bytes().all(readable)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(content: &str) -> Shape {
        detect_string(JsonText::string(content).as_str()).0
    }

    #[test]
    fn strings_are_recognized_by_their_content() {
        assert_eq!(shape("Lisbon"), Shape::Plain);
        assert_eq!(shape("two\nlines"), Shape::Long);
        assert_eq!(shape(" {\"a\": [1]}\n"), Shape::Json);
        assert_eq!(shape("a: 1\nb:\n  - x"), Shape::Code(Language::Yaml));
        assert_eq!(shape("{not json}"), Shape::Plain);
        assert_eq!(shape("{}"), Shape::Plain);
        assert_eq!(shape("[see below]"), Shape::Plain);
        assert_eq!(shape("https://example.org/a?b=c#d"), Shape::Url);
        assert_eq!(shape("see https://example.org"), Shape::Plain);
        assert_eq!(shape("javascript:alert(1)"), Shape::Plain);
        assert_eq!(shape("https://bank.example@evil.example/"), Shape::Plain);
        assert_eq!(shape("https://b\u{430}nk.example/"), Shape::Plain);
        assert_eq!(shape(&format!("https://example.org/{}", "x".repeat(3_000))), Shape::Long);
    }

    #[test]
    fn json_encoded_twice_is_recognized() {
        let once = JsonText::parse("{\"n\": 9007199254740993}").expect("valid");
        let twice = JsonText::string(JsonText::string(once.as_str()).as_str());
        let (shape, held) = detect_string(twice.as_str());
        assert_eq!(shape, Shape::Json);
        assert_eq!(held, Some((once, 2)));
    }

    #[test]
    fn repeated_encoding_is_decoded_up_to_a_limit() {
        let mut text = JsonText::parse("[1]").expect("valid");
        for _ in 0..9 {
            text = JsonText::string(text.as_str());
        }
        assert!(matches!(detect_string(text.as_str()), (Shape::Plain | Shape::Long, None)));
    }

    #[test]
    fn only_the_start_of_a_long_string_is_read() {
        let long = "x".repeat(20_000_000);
        assert_eq!(shape(&long), Shape::Long);
        assert_eq!(shape(&format!("{{{long}}}")), Shape::Long);
    }
}
