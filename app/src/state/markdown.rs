//! Markdown as a tree that is safe to draw, with what is found in it and what was filled in marked.
//!
//! What a tool or an agent wrote is not trusted: raw HTML is text, an image is its description, and
//! a link leads nowhere unless it is plain web or mail.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use value_tree::find_all;

/// A part of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Words.
    Words(Vec<Piece>),
    /// A line break.
    Break,
    /// A line across.
    Rule,
    /// The box of a task, done or not.
    Task(bool),
    /// A part with parts in it.
    Part(Part, Vec<Node>),
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are markdown's own")]
pub enum Part {
    Paragraph,
    Heading,
    Quote,
    CodeBlock,
    Code,
    Bullets,
    /// With the number of its first item.
    Numbers(u64),
    Item,
    Strong,
    Emphasis,
    Strike,
    /// With its address, where it leads somewhere safe.
    Link(Option<String>),
    Table,
    Row,
    HeadCell,
    Cell,
}

/// A piece of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The words.
    pub text: String,
    /// Whether they were filled in for a placeholder.
    pub is_filled_in: bool,
    /// Which of the things found it belongs to, from 0.
    pub found: Option<usize>,
}

/// A text, marked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    /// The tree.
    pub nodes: Vec<Node>,
    /// How many times the search found something.
    pub found: usize,
}

/// How deep parts stand in parts; what is deeper stands beside its part. Drawing recurses, and a
/// text of nothing but `>` would otherwise end the page.
const DEEPEST: usize = 40;

/// Reads `source` as markdown and marks `filled_in` (byte ranges of it) and every `searched`.
#[must_use]
pub fn markdown(source: &str, filled_in: &[Range<usize>], searched: &str) -> Marked {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut marker = Marker { filled_in, searched, found: 0 };
    let mut open: Vec<(Part, Vec<Node>)> = Vec::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut in_head = false;
    let mut beyond = 0_usize;
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        let node = match event {
            Event::Start(_) if open.len() >= DEEPEST => {
                beyond += 1;
                continue;
            }
            Event::End(_) if beyond > 0 => {
                beyond -= 1;
                continue;
            }
            Event::Start(tag) => {
                in_head = in_head || matches!(tag, Tag::TableHead);
                open.push((part(tag, in_head), Vec::new()));
                continue;
            }
            Event::End(end) => {
                in_head = in_head && !matches!(end, TagEnd::TableHead);
                let Some((part, children)) = open.pop() else { continue };
                Node::Part(part, children)
            }
            Event::Code(text) => {
                Node::Part(Part::Code, vec![Node::Words(marker.mark(&text, source, &range))])
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                Node::Words(marker.mark(&text, source, &range))
            }
            Event::SoftBreak | Event::HardBreak => Node::Break,
            Event::Rule => Node::Rule,
            Event::TaskListMarker(done) => Node::Task(done),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                Node::Words(marker.mark(&text, source, &range))
            }
        };
        match open.last_mut() {
            Some((_, children)) => children.push(node),
            None => nodes.push(node),
        }
    }
    Marked { nodes, found: marker.found }
}

/// Marks `source` as it is written.
#[must_use]
pub fn raw(source: &str, filled_in: &[Range<usize>], searched: &str) -> Marked {
    let mut marker = Marker { filled_in, searched, found: 0 };
    let words = Node::Words(marker.mark(source, source, &(0..source.len())));
    Marked { nodes: vec![words], found: marker.found }
}

fn part(tag: Tag<'_>, in_head: bool) -> Part {
    match tag {
        Tag::Heading { .. } => Part::Heading,
        Tag::BlockQuote(_) => Part::Quote,
        Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => Part::CodeBlock,
        Tag::List(None) => Part::Bullets,
        Tag::List(Some(first)) => Part::Numbers(first),
        Tag::Item => Part::Item,
        Tag::Strong => Part::Strong,
        Tag::Emphasis => Part::Emphasis,
        Tag::Strikethrough => Part::Strike,
        Tag::Link { dest_url, .. } => Part::Link(safe_address(&dest_url)),
        // An image is drawn as its description: nothing is fetched from elsewhere.
        Tag::Image { .. } => Part::Link(None),
        Tag::Table(_) => Part::Table,
        Tag::TableHead | Tag::TableRow => Part::Row,
        Tag::TableCell if in_head => Part::HeadCell,
        Tag::TableCell => Part::Cell,
        _ => Part::Paragraph,
    }
}

/// The address, if following it is safe.
fn safe_address(address: &str) -> Option<String> {
    let (scheme, _) = address.split_once(':')?;
    ["http", "https", "mailto"]
        .iter()
        .any(|safe| scheme.eq_ignore_ascii_case(safe))
        .then(|| address.to_owned())
}

struct Marker<'a> {
    filled_in: &'a [Range<usize>],
    searched: &'a str,
    found: usize,
}

impl Marker<'_> {
    /// Cuts `text`, which stands somewhere in `range` of `source`, at what is to be marked.
    fn mark(&mut self, text: &str, source: &str, range: &Range<usize>) -> Vec<Piece> {
        let offset =
            source.get(range.clone()).and_then(|part| part.find(text)).map(|at| at + range.start);
        let filled: Vec<Range<usize>> = offset.map_or_else(Vec::new, |offset| {
            let here = |at: usize| at.saturating_sub(offset).min(text.len());
            self.filled_in
                .iter()
                .map(|it| here(it.start)..here(it.end))
                .filter(|it| !it.is_empty())
                .collect()
        });
        let matches = find_all(text, self.searched);
        let mut cuts: Vec<usize> =
            filled.iter().chain(&matches).flat_map(|range| [range.start, range.end]).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        cuts.dedup();
        let first = self.found;
        self.found += matches.len();
        cuts.windows(2)
            .map(|cut| {
                let within = |range: &Range<usize>| range.start <= cut[0] && cut[1] <= range.end;
                Piece {
                    text: text[cut[0]..cut[1]].to_owned(),
                    is_filled_in: filled.iter().any(within),
                    found: matches.iter().position(within).map(|at| first + at),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in brackets, with what is found in guillemets and what is filled in braces.
    fn told(nodes: &[Node]) -> String {
        nodes
            .iter()
            .map(|node| match node {
                Node::Words(pieces) => pieces
                    .iter()
                    .map(|piece| match (piece.found, piece.is_filled_in) {
                        (Some(at), _) => format!("«{at}:{}»", piece.text),
                        (None, true) => format!("{{{}}}", piece.text),
                        (None, false) => piece.text.clone(),
                    })
                    .collect(),
                Node::Part(part, children) => format!("({part:?} {})", told(children)),
                other => format!("{other:?}"),
            })
            .collect()
    }

    fn check(source: &str, searched: &str, expected: &str) {
        assert_eq!(told(&markdown(source, &[], searched).nodes), expected);
    }

    #[test]
    fn markdown_becomes_a_tree() {
        check("# A\n\nb **c**", "", "(Heading A)(Paragraph b (Strong c))");
        check("1. a\n2. b", "", "(Numbers(1) (Item a)(Item b))");
        check("|x|\n|-|\n|y|", "", "(Table (Row (HeadCell x))(Row (Cell y)))");
    }

    #[test]
    fn what_is_not_trusted_is_text() {
        check("a <b onclick=x>c</b>", "", "(Paragraph a <b onclick=x>c</b>)");
        check("<script>x</script>", "", "(Paragraph <script>x</script>)");
        check("[a](javascript:x)", "", "(Paragraph (Link(None) a))");
        check("[a](/x)", "", "(Paragraph (Link(None) a))");
        check("[a](HTTPS://x.y)", "", "(Paragraph (Link(Some(\"HTTPS://x.y\")) a))");
        check("![seen](https://x.y/z.png)", "", "(Paragraph (Link(None) seen))");
    }

    #[test]
    fn depth_ends() {
        let deep = markdown(&format!("{} end", ">".repeat(20_000)), &[], "");
        let told = told(&deep.nodes);
        assert!(told.contains("end") && told.matches("Quote").count() <= DEEPEST);
    }

    #[test]
    fn what_is_searched_is_counted_through() {
        check(
            "Room, *room*, `ROOM`",
            "room",
            "(Paragraph «0:Room», (Emphasis «1:room»), (Code «2:ROOM»))",
        );
        assert_eq!(raw("a room", &[], "room").found, 1);
    }

    #[test]
    fn what_was_filled_in_shows_through_markdown() {
        let source = "Serve **Ada** `now`.";
        let marked = markdown(source, &[8..11, 15..18], "");
        assert_eq!(told(&marked.nodes), "(Paragraph Serve (Strong {Ada}) (Code {now}).)");
    }
}
