//! Images that a value carries in itself: their data, their format, their measures.
//!
//! To know an image nothing is decoded but its header. One whose measures are not known or are
//! enormous is not drawn unasked, for unpacking it costs what they say; neither is a damaged PNG.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use json_text::Kind;

use crate::nodes::Nodes;
use crate::scan;
use json_text::index::Id;

/// How much of the data is decoded for the measures, in characters of base64.
const HEADER: usize = 128 * 1024;
/// The longest image in characters of base64.
const LONGEST: usize = 16 * 1024 * 1024;
/// The shortest base64 text recognized as an image without a declared type.
const SHORTEST: usize = 40;
/// How many pixels are drawn unasked.
const PIXELS: u64 = 40_000_000;

/// A format that browsers draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Jpeg,
    Gif,
    Webp,
    Avif,
    Bmp,
    Svg,
}

impl Format {
    const ALL: [Self; 7] =
        [Self::Png, Self::Jpeg, Self::Gif, Self::Webp, Self::Avif, Self::Bmp, Self::Svg];

    fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Avif => "image/avif",
            Self::Bmp => "image/bmp",
            Self::Svg => "image/svg+xml",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::Webp => "WebP",
            Self::Avif => "AVIF",
            Self::Bmp => "BMP",
            Self::Svg => "SVG",
        }
    }

    fn of_mime(mime: &str) -> Option<Self> {
        let mime = if mime.eq_ignore_ascii_case("image/jpg") { "image/jpeg" } else { mime };
        Self::ALL.into_iter().find(|format| format.mime().eq_ignore_ascii_case(mime))
    }

    /// The format by the first bytes.
    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => {
                Some(Self::Avif)
            }
            _ => None,
        }
    }
}

/// An image in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub(crate) format: Format,
    /// Width and height in pixels, if the header has them.
    pub size: Option<(u32, u32)>,
    /// How long the data is, in bytes.
    pub bytes: usize,
    /// The whole image as a data URL.
    pub source: String,
}

impl Image {
    /// The format's name.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.format.name()
    }

    /// Why the image should not be drawn unasked, if there is a reason.
    #[must_use]
    pub fn doubt(&self) -> Option<&'static str> {
        match self.size {
            _ if self.format == Format::Svg => Some("An SVG drawing can make the page slow."),
            Some((width, height)) if u64::from(width) * u64::from(height) > PIXELS => {
                Some("Decoded, it takes hundreds of megabytes.")
            }
            Some(_) if self.is_damaged() => {
                Some("It is damaged or incomplete, and may be shown only in part.")
            }
            Some(_) => None,
            None => Some("Its dimensions cannot be read."),
        }
    }

    /// Whether a PNG's data is damaged. Browsers draw the part before the damage without a message.
    fn is_damaged(&self) -> bool {
        let data = self.source.split_once(";base64,").map(|(_, data)| data);
        let bytes = data.filter(|_| self.format == Format::Png).and_then(decoded);
        bytes.is_some_and(|bytes| !is_whole_png(&bytes))
    }
}

/// Whether the string with this literal is an image.
pub(crate) fn is_image(literal: &str) -> bool {
    // Base64 has no character that JSON escapes but `/`, which some writers do.
    let head = literal.get(1..literal.len().min(33)).unwrap_or_default();
    if head.get(..11).is_some_and(|start| {
        start.eq_ignore_ascii_case("data:image/") || start.starts_with("data:image\\")
    }) {
        return of_string(literal).is_some();
    }
    literal.len() >= SHORTEST
        && decoded(&head.replace('\\', "")).is_some_and(|bytes| Format::of_bytes(&bytes).is_some())
        && of_string(literal).is_some()
}

/// The image that the string with this literal is.
pub(crate) fn of_string(literal: &str) -> Option<Image> {
    if literal.len() > LONGEST {
        return None;
    }
    let content = scan::content(literal);
    let content = content.trim();
    match content.get(..5).filter(|start| start.eq_ignore_ascii_case("data:")) {
        Some(_) => {
            let (head, data) = content[5..].split_once(',')?;
            let mut parts = head.split(';');
            let format = Format::of_mime(parts.next()?)?;
            if parts.any(|part| part.eq_ignore_ascii_case("base64")) {
                return image(Some(format), data);
            }
            let is_drawing = format == Format::Svg
                && data.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
            is_drawing.then(|| Image {
                format,
                size: None,
                bytes: data.len(),
                source: content.to_owned(),
            })
        }
        None => image(None, content),
    }
}

/// The image that an object is which has `data` in base64 and its MIME type, under the names that
/// MCP, google.genai and Anthropic give them.
pub(crate) fn of_object(nodes: &Nodes, id: Id) -> Option<Image> {
    let (mut data, mut format) = (None, None);
    for member in nodes.members(id).take(8) {
        if nodes.kind(member) != Kind::String {
            continue;
        }
        match nodes.key(member)? {
            "\"data\"" => data = Some(nodes.text(member)),
            "\"mimeType\"" | "\"mime_type\"" | "\"media_type\"" => {
                format = Format::of_mime(&scan::content_head(nodes.text(member), 64).0);
            }
            _ => {}
        }
    }
    let (data, format) = (data?, format?);
    if data.len() > LONGEST {
        return None;
    }
    image(Some(format), scan::content(data).trim())
}

/// The image with the base64 `data`, if it has the declared format.
fn image(declared: Option<Format>, data: &str) -> Option<Image> {
    let data = standard(data)?;
    let mut header = data.len().min(HEADER);
    header -= header % 4;
    let head = decoded(&data[..header]).or_else(|| decoded(&data))?;
    let format = match (Format::of_bytes(&head), declared) {
        (Some(found), _) => found,
        (None, Some(declared @ (Format::Svg | Format::Bmp))) => declared,
        (None, _) => return None,
    };
    let size = imagesize::blob_size(&head).ok().filter(|_| format != Format::Svg);
    let size = size
        .and_then(|size| Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?)));
    let bytes = data.trim_end_matches('=').len() * 3 / 4;
    let source = format!("data:{};base64,{data}", format.mime());
    Some(Image { format, size, bytes, source })
}

/// Whether every chunk that a PNG must have is as it was written, to the last (PNG, section 5.3).
fn is_whole_png(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        let Some((chunk, after)) = after.split_at_checked(length.saturating_add(4)) else { break };
        let Some((sum, after)) = after.split_first_chunk::<4>() else { break };
        let name = chunk.get(..4).unwrap_or_default();
        let is_needed = name.first().is_some_and(u8::is_ascii_uppercase);
        if is_needed && crc32fast::hash(chunk) != u32::from_be_bytes(*sum) {
            return false;
        }
        if name == b"IEND" {
            return true;
        }
        rest = after;
    }
    false
}

/// The base64 in the alphabet that data URLs take, without white space; nothing when it is none.
fn standard(data: &str) -> Option<String> {
    let mut out = String::with_capacity(data.len());
    for byte in data.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => {
                out.push(char::from(byte));
            }
            // Python writes bytes in the alphabet for file names.
            b'-' => out.push('+'),
            b'_' => out.push('/'),
            b'\n' | b'\r' | b' ' => {}
            _ => return None,
        }
    }
    Some(out)
}

fn decoded(data: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let standard = standard(data)?;
    let whole = standard.len() - standard.len() % 4;
    let part = if standard.contains('=') { &standard } else { &standard[..whole] };
    GeneralPurpose::new(&base64::alphabet::STANDARD, config).decode(part).ok()
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    /// One red pixel.
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
    const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

    fn of(content: &str) -> Option<Image> {
        let literal = JsonText::string(content);
        is_image(literal.as_str()).then(|| of_string(literal.as_str())).flatten()
    }

    fn detected(content: &str) -> Option<(&'static str, Option<(u32, u32)>)> {
        of(content).map(|image| (image.format(), image.size))
    }

    #[test]
    fn images_are_known_by_their_first_bytes() {
        assert_eq!(detected(PNG), Some(("PNG", Some((1, 1)))));
        assert_eq!(detected(GIF), Some(("GIF", Some((1, 1)))));
        assert_eq!(detected(&format!("data:image/png;base64,{PNG}")), Some(("PNG", Some((1, 1)))));
        // The declared type differs from the content.
        assert_eq!(detected(&format!("data:image/png;base64,{GIF}")), Some(("GIF", Some((1, 1)))));
        assert_eq!(detected("data:image/png;base64,AAAA"), None);
        assert_eq!(detected("data:text/html,<script>x</script>"), None);
        assert_eq!(detected("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), None);
        assert_eq!(detected(&format!("{PNG} and more!")), None);
    }

    #[test]
    fn the_alphabet_for_file_names_is_read() {
        let image = of(&PNG.replace('+', "-").replace('/', "_")).expect("an image");
        assert_eq!(image.source, format!("data:image/png;base64,{PNG}"));
    }

    #[test]
    fn objects_of_mcp_and_genai_are_images() {
        let check = |text: &str| {
            let nodes = Nodes::of(JsonText::parse(text).expect("valid"), usize::MAX);
            of_object(&nodes, 0).map(|image| image.format())
        };
        assert_eq!(
            check(&format!(r#"{{"type":"image","data":"{PNG}","mimeType":"image/png"}}"#)),
            Some("PNG")
        );
        assert_eq!(check(&format!(r#"{{"mime_type":"image/gif","data":"{GIF}"}}"#)), Some("GIF"));
        assert_eq!(check(&format!(r#"{{"mimeType":"audio/wav","data":"{PNG}"}}"#)), None);
        assert_eq!(check(r#"{"mimeType":"image/png","data":"not base64!"}"#), None);
    }

    #[test]
    fn a_damaged_png_is_detected() {
        let bytes = decoded(PNG).expect("valid");
        let doubt = |bytes: &[u8]| {
            let text = base64::engine::general_purpose::STANDARD.encode(bytes);
            of(&text).expect("an image").doubt()
        };
        assert_eq!(doubt(&bytes), None);
        let mut broken = bytes.clone();
        broken[45] ^= 1;
        assert!(doubt(&broken).is_some_and(|actual| actual.contains("damaged")));
        assert!(doubt(&bytes[..bytes.len() - 12]).is_some_and(|actual| actual.contains("damaged")));
    }

    #[test]
    fn huge_image_is_not_drawn_automatically() {
        assert_eq!(of(PNG).expect("an image").doubt(), None);
        // The width and height in the header, and nothing behind it.
        let mut bytes = decoded(PNG).expect("valid");
        bytes[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        let huge = base64::engine::general_purpose::STANDARD.encode(&bytes);
        let image = of(&huge).expect("an image");
        assert_eq!(image.size, Some((65_536, 65_536)));
        assert!(image.doubt().is_some());
        assert!(of("data:image/svg+xml;base64,PHN2Zy8+").expect("a drawing").doubt().is_some());
    }
}
