//! [`ToolContent`]: the result of an MCP tool, block by block.
//!
//! A server returns a list of content blocks. The model receives the list inside one object,
//! `{"content": […], "structuredContent": …, "isError": false}`, which is shown as blocks here.

use json_text::{JsonText, Kind, Node};
use serde::Deserialize;

use crate::state::excerpt::{Lines, beginning, written_out};
use crate::state::file_bytes::bytes_of;
use crate::state::preview::{Token, TokenColor, preview};

/// The longest image or sound that is shown, in base64 characters.
const CARRIED_BASE64: usize = 12_000_000;

/// The length of text that is previewed in a row, in bytes.
const FIRST_LINE: usize = 160;

/// The result of an MCP tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolContent {
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// The structured content, if the tool has an output schema.
    pub structured: Option<JsonText>,
}

impl ToolContent {
    /// How the structured content repeats the content.
    #[must_use]
    pub fn repeated(&self) -> Repeated {
        let ([block], Some(structured)) = (self.blocks.as_slice(), &self.structured) else {
            return Repeated::Nothing;
        };
        match block {
            Block::Json(content) if is_same(content, structured) => Repeated::Value,
            Block::Json(_) | Block::Text(_) if wraps(structured, block) => Repeated::Wrapped,
            _ => Repeated::Nothing,
        }
    }
}

/// How the structured content of a result repeats its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeated {
    /// It does not.
    Nothing,
    /// The content is the structured content as text.
    Value,
    /// The content is the only member, `result`, of the structured content. FastMCP wraps values
    /// that are not objects in this way.
    Wrapped,
}

/// Whether `structured` is an object with the block's content as its only member, `result`.
fn wraps(structured: &JsonText, block: &Block) -> bool {
    let Node::Object(members) = structured.open() else { return false };
    let [(key, raw)] = members.as_slice() else { return false };
    if key != "result" {
        return false;
    }
    let wrapped = match Node::of(raw) {
        Node::String(wrapped) => text(wrapped.to_string()),
        _ => text(raw.get().to_owned()),
    };
    match (&wrapped, block) {
        (Block::Text(wrapped), Block::Text(block)) => wrapped == block,
        (Block::Json(wrapped), Block::Json(block)) => is_same(wrapped, block),
        _ => false,
    }
}

/// Whether two values are equal. Numbers may differ in their text, because structured content is
/// read with 64-bit numbers.
fn is_same(one: &JsonText, other: &JsonText) -> bool {
    one.compact() == other.compact()
        || one.to_value().is_ok_and(|value| other.to_value() == Ok(value))
}

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Text.
    Text(String),
    /// Text that is a JSON object or list.
    Json(JsonText),
    /// An image, as a `data:` URL.
    Image {
        /// The media type, such as `image/png`.
        mime_type: String,
        /// `data:image/png;base64,…`
        url: String,
    },
    /// A sound, as a `data:` URL.
    Audio {
        /// The media type, such as `audio/wav`.
        mime_type: String,
        /// `data:audio/wav;base64,…`
        url: String,
    },
    /// A link to a resource of the server.
    Link(Link),
    /// A resource with its contents.
    Resource {
        /// Its URI.
        uri: String,
        /// Such as `text/plain`.
        mime_type: Option<String>,
        /// Its contents.
        body: Body,
    },
    /// A block of another kind, as JSON.
    Other(JsonText),
}

/// A link to a resource of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its URI. Only the server knows what it means.
    pub uri: String,
    /// Its title, else its name.
    pub name: String,
    /// Such as `text/plain`.
    pub mime_type: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// How many bytes it has, if the server says so.
    pub bytes: Option<u64>,
}

impl Link {
    /// Whether the URI is a web address, which a browser can open.
    #[must_use]
    pub fn is_web_address(&self) -> bool {
        let scheme = self.uri.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        scheme.is_some_and(|scheme| scheme == "http" || scheme == "https")
    }
}

/// A name for the file that a resource is saved as: the end of its URI's path.
#[must_use]
pub fn file_name(uri: &str) -> Option<&str> {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let name = path.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    (!name.is_empty()).then_some(name)
}

/// The contents of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A text.
    Text(String),
    /// An image, as a `data:` URL.
    Image(String),
    /// A sound, as a URL that carries it.
    Audio(String),
    /// Bytes that are not shown.
    Bytes {
        /// How many.
        count: usize,
        /// A URL that carries them, to save; `None` if they are not valid or too many.
        url: Option<String>,
    },
}

/// One block as MCP serializes it, of any kind.
#[derive(Deserialize)]
struct Wire {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    data: Option<String>,
    #[serde(rename = "mimeType")]
    mime_type: Option<String>,
    uri: Option<String>,
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    size: Option<f64>,
    resource: Option<WireResource>,
}

#[derive(Deserialize)]
struct WireResource {
    uri: String,
    #[serde(rename = "mimeType")]
    mime_type: Option<String>,
    text: Option<String>,
    blob: Option<String>,
}

/// Reads `value` as the result of an MCP tool; `None` when it is something else.
#[must_use]
pub fn tool_content(value: &JsonText) -> Option<ToolContent> {
    let Node::Object(members) = value.open() else { return None };
    let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw);
    // MCP results have both keys. Other tools may return an object with a `content` of their own.
    matches!(Node::of(member("isError")?), Node::Bool(_)).then_some(())?;
    let Node::Array(items) = Node::of(member("content")?) else { return None };
    let blocks: Option<Vec<Block>> = items.iter().map(|raw| block(&JsonText::from(*raw))).collect();
    Some(ToolContent {
        blocks: blocks?,
        structured: member("structuredContent").map(JsonText::from),
    })
}

/// The beginning of a tool's result in about `budget` characters. For an MCP tool: its structured
/// content, else its first block and the number of further blocks. A returned error comes before what
/// is returned beside it.
#[must_use]
pub fn result_preview(value: &JsonText, budget: usize) -> Vec<Token> {
    let Some(content) = tool_content(value) else {
        return error_first(value, budget).unwrap_or_else(|| preview(value, budget));
    };
    let is_wrapped = content.repeated() == Repeated::Wrapped;
    let ToolContent { blocks, structured } = content;
    if let Some(structured) = structured.filter(|_| !is_wrapped) {
        return preview(&structured, budget);
    }
    let token = |ink, text: &str| {
        let shown = beginning(text, FIRST_LINE);
        let end = if shown.len() < text.len() { "…" } else { "" };
        vec![Token { ink, text: format!("{}{end}", written_out(shown, Lines::Escaped)) }]
    };
    let mut tokens = match blocks.first() {
        None => token(TokenColor::Plain, "nothing"),
        Some(Block::Text(text)) => token(TokenColor::Text, text),
        Some(Block::Json(value) | Block::Other(value)) => preview(value, budget),
        Some(Block::Image { mime_type, .. } | Block::Audio { mime_type, .. }) => {
            token(TokenColor::Key, mime_type)
        }
        Some(Block::Link(Link { uri, .. }) | Block::Resource { uri, .. }) => {
            token(TokenColor::Key, uri)
        }
    };
    if blocks.len() > 1 {
        let more = format!(" +{}", blocks.len() - 1);
        tokens.push(Token { ink: TokenColor::Plain, text: more });
    }
    tokens
}

/// The preview of an object with an `error` behind other members.
fn error_first(value: &JsonText, budget: usize) -> Option<Vec<Token>> {
    let Node::Object(members) = value.open() else { return None };
    let is_error = |raw: &str| !matches!(raw, "null" | "false");
    let (_, error) =
        members.iter().skip(1).find(|(key, raw)| key == "error" && is_error(raw.get()))?;
    let token = |ink, text: &str| Token { ink, text: text.to_owned() };
    let mut tokens = vec![
        token(TokenColor::Plain, "{ "),
        token(TokenColor::Key, "error"),
        token(TokenColor::Plain, ": "),
    ];
    tokens.extend(preview(&JsonText::from(*error), budget));
    tokens.push(token(TokenColor::Plain, ", … }"));
    Some(tokens)
}

fn block(raw: &JsonText) -> Option<Block> {
    if raw.kind() != Kind::Object {
        return None;
    }
    let Ok(wire) = raw.decode::<Wire>() else { return Some(Block::Other(raw.clone())) };
    let other = || Block::Other(raw.clone());
    Some(match wire.kind.as_str() {
        "text" => wire.text.map_or_else(other, text),
        "image" | "audio" => {
            let carried = wire.data.zip(wire.mime_type).and_then(|(data, mime_type)| {
                Some((carrying(&wire.kind, &mime_type, &data)?, mime_type))
            });
            match (carried, wire.kind.as_str()) {
                (Some((url, mime_type)), "image") => Block::Image { mime_type, url },
                (Some((url, mime_type)), _) => Block::Audio { mime_type, url },
                (None, _) => other(),
            }
        }
        "resource_link" => match wire.uri {
            Some(uri) => {
                let named = |text: Option<String>| text.filter(|text| !text.is_empty());
                let name = named(wire.title).or(named(wire.name));
                Block::Link(Link {
                    name: name.unwrap_or_else(|| uri.clone()),
                    uri,
                    mime_type: wire.mime_type,
                    description: named(wire.description),
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a negative size counts as 0"
                    )]
                    bytes: wire.size.map(|size| size as u64),
                })
            }
            None => other(),
        },
        "resource" => match wire.resource {
            Some(resource) => Block::Resource {
                body: body(resource.text, resource.blob, resource.mime_type.as_deref()),
                uri: resource.uri,
                mime_type: resource.mime_type,
            },
            None => other(),
        },
        _ => other(),
    })
}

/// The contents of a resource. Images and sounds are shown as those of the result.
fn body(text: Option<String>, blob: Option<String>, mime_type: Option<&str>) -> Body {
    if let Some(text) = text {
        return Body::Text(text);
    }
    let blob = blob.unwrap_or_default();
    // Parameters of the media type, such as a sound's codec, are left to the browser.
    let mime_type = mime_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let url = |kind| carrying(kind, mime_type, &blob).filter(|_| !blob.is_empty());
    let shown = url("image").map(Body::Image).or_else(|| url("audio").map(Body::Audio));
    shown.unwrap_or_else(|| Body::Bytes {
        count: bytes_of(&blob),
        url: carrying("application", "application/octet-stream", &blob),
    })
}

fn text(text: String) -> Block {
    match text.trim_start().chars().next() {
        Some('{' | '[') => match JsonText::parse(&text) {
            Ok(json) => Block::Json(json),
            Err(_) => Block::Text(text),
        },
        _ => Block::Text(text),
    }
}

/// A `data:` URL of the data; `None` if it is not valid base64, is too long, or has a media type of
/// another kind.
fn carrying(kind: &str, mime_type: &str, data: &str) -> Option<String> {
    let is_plain = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-./_".contains(&byte))
    };
    let is_base64 =
        data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\r\n".contains(&byte));
    (mime_type.strip_prefix(kind)?.starts_with('/')
        && is_plain(mime_type)
        && is_base64
        && data.len() <= CARRIED_BASE64)
        .then(|| format!("data:{mime_type};base64,{data}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<ToolContent> {
        tool_content(&JsonText::parse(text).expect("valid"))
    }

    #[test]
    fn each_kind_of_block_is_recognized() {
        let content = read(
            r#"{"content": [
                {"type": "text", "text": "hello"},
                {"type": "text", "text": " {\"n\": 9007199254740993}"},
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
                {"type": "resource_link", "uri": "a://b", "name": "B"},
                {"type": "resource", "resource": {"uri": "a://c", "text": "c"}},
                {"type": "resource", "resource": {"uri": "a://d", "blob": "AAAA"}},
                {"type": "hologram"}
            ], "structuredContent": {"n": 1}, "isError": false}"#,
        )
        .expect("a result");
        let kinds: Vec<&str> = content
            .blocks
            .iter()
            .map(|block| match block {
                Block::Text(_) => "text",
                Block::Json(json) if json.as_str().contains("9007199254740993") => "json",
                Block::Image { url, .. } if url == "data:image/png;base64,AAAA" => "image",
                Block::Audio { .. } => "audio",
                Block::Link(Link { name, .. }) if name == "B" => "link",
                Block::Resource { body: Body::Text(_), .. } => "resource",
                Block::Resource { body: Body::Bytes { count: 3, .. }, .. } => "bytes",
                Block::Other(_) => "other",
                _ => "?",
            })
            .collect();
        let expected = ["text", "json", "image", "audio", "link", "resource", "bytes", "other"];
        assert_eq!(kinds, expected);
        assert!(content.structured.is_some());
    }

    #[test]
    fn images_and_sounds_of_resources_are_shown_as_those_of_the_result() {
        let body = |mime_type: &str, blob: &str| {
            let resource = format!(r#"{{"uri":"a://b","mimeType":"{mime_type}","blob":"{blob}"}}"#);
            let block = format!(r#"{{"type":"resource","resource":{resource}}}"#);
            let content = read(&format!(r#"{{"content":[{block}],"isError":false}}"#));
            match content.expect("a result").blocks.remove(0) {
                Block::Resource { body, .. } => body,
                other => panic!("{other:?}"),
            }
        };
        let url = |url: &str| url.to_owned();
        assert_eq!(body("image/png", "AAAA"), Body::Image(url("data:image/png;base64,AAAA")));
        assert_eq!(body("audio/wav", "AAAA"), Body::Audio(url("data:audio/wav;base64,AAAA")));
        let opus = body("audio/ogg; codecs=opus", "AAAA");
        assert_eq!(opus, Body::Audio(url("data:audio/ogg;base64,AAAA")));
        // The limits are those of an image in the result.
        let bytes = |count, base64: &str| Body::Bytes {
            count,
            url: Some(format!("data:application/octet-stream;base64,{base64}")),
        };
        assert_eq!(body("text/html", "AAA="), bytes(2, "AAA="));
        assert_eq!(body("image/png", ""), bytes(0, ""));
        assert_eq!(body("image/png,x", "AAAA"), bytes(3, "AAAA"));
        assert!(matches!(body("image/png", "AA<A"), Body::Bytes { url: None, .. }));
        let long = "A".repeat(CARRIED_BASE64 + 4);
        assert_eq!(body("image/png", &long), Body::Bytes { count: 9_000_003, url: None });
    }

    #[test]
    fn a_link_has_its_title_description_and_size() {
        let link = |members: &str| {
            let block = format!(r#"{{"type":"resource_link","uri":"a://b/c.txt"{members}}}"#);
            let content = read(&format!(r#"{{"content":[{block}],"isError":false}}"#));
            match content.expect("a result").blocks.remove(0) {
                Block::Link(link) => link,
                other => panic!("{other:?}"),
            }
        };
        let whole =
            link(r#","name":"c","title":"C","description":"It.","size":12,"mimeType":"a/b""#);
        assert_eq!((whole.name.as_str(), whole.bytes), ("C", Some(12)));
        assert_eq!(whole.description.as_deref(), Some("It."));
        assert_eq!(link(r#","name":"c","title":"""#).name, "c");
        assert_eq!(link("").name, "a://b/c.txt");
    }

    #[test]
    fn only_web_addresses_open_in_the_browser() {
        let is_web = |uri: &str| {
            let link = Link {
                uri: uri.to_owned(),
                name: String::new(),
                mime_type: None,
                description: None,
                bytes: None,
            };
            link.is_web_address()
        };
        assert!(is_web("https://example.com") && is_web("HTTP://example.com"));
        for uri in
            ["javascript://example.com/%0aalert(1)", "javascript:alert(1)", "file:///a", "data:,x"]
        {
            assert!(!is_web(uri), "{uri}");
        }
    }

    #[test]
    fn a_resource_is_saved_under_the_end_of_its_path() {
        assert_eq!(file_name("file:///notes/a.txt"), Some("a.txt"));
        assert_eq!(file_name("https://example.com/a/b.png?size=2#top"), Some("b.png"));
        assert_eq!(file_name("note:today"), Some("today"));
        assert_eq!(file_name("note:///"), None);
    }

    #[test]
    fn a_preview_shows_the_result_in_a_line() {
        let line = |text: &str| {
            let value = JsonText::parse(text).expect("valid");
            crate::state::preview::plain(&result_preview(&value, 80))
        };
        let two = r#"[{"type":"text","text":"Echo:\nhi"},{"type":"text","text":"x"}]"#;
        assert_eq!(line(&format!(r#"{{"content":{two},"isError":false}}"#)), "Echo:\\nhi +1");
        let structured = r#"{"content":[],"structuredContent":{"t":3.50},"isError":false}"#;
        assert_eq!(line(structured), "{ t: 3.50 }");
        let wrapped = r#"{"content":[{"type":"text","text":"hi"}],"structuredContent":{"result":"hi"},"isError":false}"#;
        assert_eq!(line(wrapped), "hi");
        assert_eq!(line(r#"{"content":[],"isError":false}"#), "nothing");
        assert_eq!(line(r#"{"a":1}"#), "{ a: 1 }");
    }

    #[test]
    fn a_returned_error_is_in_sight_before_other_members() {
        let line = |text: &str| {
            let value = JsonText::parse(text).expect("valid");
            crate::state::preview::plain(&result_preview(&value, 80))
        };
        let rows = vec!["123456"; 100].join(",");
        assert_eq!(
            line(&format!(r#"{{"rows":[{rows}],"error":"gone"}}"#)),
            r#"{ error: "gone", … }"#
        );
        assert_eq!(line(r#"{"error":"gone","a":1}"#), r#"{ error: "gone", a: 1 }"#);
        assert_eq!(line(r#"{"a":1,"error":null}"#), "{ a: 1, error: null }");
    }

    #[test]
    fn content_that_repeats_the_structured_content_is_recognized() {
        let repeated = |text: &str, structured: &str| {
            let text = JsonText::string(text);
            let content = format!(r#"[{{"type":"text","text":{text}}}]"#);
            let result = format!(
                r#"{{"content":{content},"structuredContent":{structured},"isError":false}}"#
            );
            read(&result).expect("a result").repeated()
        };
        assert_eq!(repeated("{\n  \"a\": 1, \"b\": [2]\n}", r#"{"b":[2],"a":1}"#), Repeated::Value);
        assert_eq!(repeated(r#"{"a":1}"#, r#"{"a":2}"#), Repeated::Nothing);
        assert_eq!(repeated("It is 1.", r#"{"a":1}"#), Repeated::Nothing);
        for (text, result) in [
            ("It is 1.", r#""It is 1.""#),
            ("{\"a\":1}", r#""{\"a\":1}""#),
            ("5", "5"),
            ("[1, 2]", "[1,2]"),
        ] {
            assert_eq!(repeated(text, &format!(r#"{{"result":{result}}}"#)), Repeated::Wrapped);
            let more = format!(r#"{{"result":{result},"more":1}}"#);
            assert_eq!(repeated(text, &more), Repeated::Nothing);
        }
        assert_eq!(repeated("It is 1.", r#"{"result":"It is 2."}"#), Repeated::Nothing);
    }

    #[test]
    fn other_results_stay_as_they_are() {
        assert_eq!(read(r#"{"content": [{"type": "text", "text": "x"}]}"#), None);
        assert_eq!(read(r#"{"content": "x", "isError": false}"#), None);
        assert_eq!(read(r#"{"content": [1], "isError": false}"#), None);
        assert_eq!(read("[]"), None);
    }

    #[test]
    fn invalid_images_are_not_passed_to_the_browser() {
        for (data, mime_type) in [
            ("AA\\\"><script>", "image/png"),
            ("AAAA", "text/html"),
            ("AAAA", "image/png;x,y"),
            ("AAAA", "imagery"),
        ] {
            let block = format!(r#"{{"type":"image","data":"{data}","mimeType":"{mime_type}"}}"#);
            let text = format!(r#"{{"content":[{block}],"isError":false}}"#);
            let content = read(&text).expect("a result");
            assert!(matches!(content.blocks[0], Block::Other(_)), "{mime_type}");
        }
    }
}
