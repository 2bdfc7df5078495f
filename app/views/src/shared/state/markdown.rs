//! Markdown as a tree that is safe to draw, with matches and filled-in values marked.
//!
//! The text of a tool or an agent is not trusted: raw HTML is text, an image is its description and URL,
//! and only web and mail links can be followed.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use value_tree::{Language, find_all};

/// A part of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Words.
    Words(Vec<Piece>),
    /// A line break.
    Break,
    /// A horizontal rule.
    Rule,
    /// The box of a task, done or not.
    Task(bool),
    /// A part with parts in it.
    Part(Part, Vec<Node>),
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Paragraph,
    Heading,
    Quote,
    /// With its language, if it names one that can be highlighted.
    CodeBlock(Option<Language>),
    Code,
    Bullets,
    /// With the number of its first item.
    Numbers(u64),
    Item,
    Strong,
    Emphasis,
    Strike,
    /// With its URL, if it is safe to follow.
    Link(Option<String>),
    /// With its URL, which is shown and not loaded.
    Image(String),
    Table,
    Row,
    HeadCell,
    Cell,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The words.
    pub text: String,
    /// Whether it was filled in for a placeholder. An empty text: the placeholder has no value.
    pub is_filled_in: bool,
    /// Which match it belongs to, from 0.
    pub found: Option<usize>,
}

/// A text, marked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    /// The tree.
    pub nodes: Vec<Node>,
    /// How many matches there are.
    pub found: usize,
}

/// The depth to which parts are nested; deeper ones are put beside their part. Drawing recurses, and a
/// text of many `>` would overflow the stack.
const DEEPEST: usize = 40;

/// Parses `source` as Markdown and marks `filled_in` (byte ranges of it) and every match of `searched`.
#[must_use]
pub fn markdown(source: &str, filled_in: &[Range<usize>], searched: &str) -> Marked {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut marker = Marker::new(filled_in, searched);
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

/// The direction that `dir="auto"` would give `source`: that of its first letter. With `dir="auto"`, the
/// browser would search an element again for each of thousands of nodes that are added to it.
#[must_use]
pub fn direction(source: &str) -> &'static str {
    let first = source.chars().find(|character| character.is_alphabetic());
    // The Unicode blocks of right-to-left scripts, such as Hebrew and Arabic.
    let is_from_the_right = |letter: char| {
        matches!(
            letter,
            '\u{590}'..='\u{8ff}'
                | '\u{fb1d}'..='\u{fdff}'
                | '\u{fe70}'..='\u{feff}'
                | '\u{10800}'..='\u{10fff}'
                | '\u{1e800}'..='\u{1efff}'
        )
    };
    if first.is_some_and(is_from_the_right) { "rtl" } else { "ltr" }
}

/// The words of `source` alone, as one line.
#[must_use]
pub fn words(source: &str) -> String {
    fn add(nodes: &[Node], words: &mut String) {
        for node in nodes {
            match node {
                Node::Words(pieces) => words.extend(pieces.iter().map(|piece| piece.text.as_str())),
                Node::Break => words.push(' '),
                Node::Rule | Node::Task(_) => {}
                Node::Part(_, inner) => add(inner, words),
            }
        }
    }
    let mut words = String::new();
    add(&markdown(source, &[], "").nodes, &mut words);
    words
}

/// Marks `source` as plain text.
#[must_use]
pub fn raw(source: &str, filled_in: &[Range<usize>], searched: &str) -> Marked {
    let mut marker = Marker::new(filled_in, searched);
    let words = Node::Words(marker.mark(source, source, &(0..source.len())));
    Marked { nodes: vec![words], found: marker.found }
}

fn part(tag: Tag<'_>, in_head: bool) -> Part {
    match tag {
        Tag::Heading { .. } => Part::Heading,
        Tag::BlockQuote(_) => Part::Quote,
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
            Part::CodeBlock(info.split([' ', ',', '{']).next().and_then(Language::named))
        }
        Tag::CodeBlock(CodeBlockKind::Indented) => Part::CodeBlock(None),
        Tag::List(None) => Part::Bullets,
        Tag::List(Some(first)) => Part::Numbers(first),
        Tag::Item => Part::Item,
        Tag::Strong => Part::Strong,
        Tag::Emphasis => Part::Emphasis,
        Tag::Strikethrough => Part::Strike,
        Tag::Link { dest_url, .. } => Part::Link(safe_address(&dest_url)),
        Tag::Image { dest_url, .. } => Part::Image(dest_url.into_string()),
        Tag::Table(_) => Part::Table,
        Tag::TableHead | Tag::TableRow => Part::Row,
        Tag::TableCell if in_head => Part::HeadCell,
        Tag::TableCell => Part::Cell,
        _ => Part::Paragraph,
    }
}

/// The address, if following it is safe.
#[must_use]
pub fn safe_address(address: &str) -> Option<String> {
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
    /// How many of `filled_in` begin before the rest that is to be marked.
    passed: usize,
}

impl<'a> Marker<'a> {
    fn new(filled_in: &'a [Range<usize>], searched: &'a str) -> Self {
        Self { filled_in, searched, found: 0, passed: 0 }
    }

    /// Cuts `text`, which comes from `range` of `source`, at the marks.
    fn mark(&mut self, text: &str, source: &str, range: &Range<usize>) -> Vec<Piece> {
        let offset =
            source.get(range.clone()).and_then(|part| part.find(text)).map(|at| at + range.start);
        let filled = offset.map_or_else(Vec::new, |offset| {
            // Markdown removes the spaces at the end of a line.
            let behind = source[offset + text.len()..].bytes().take_while(|it| *it == b' ').count();
            self.filled_in_at(offset, text.len(), behind)
        });
        let matches = find_all(text, self.searched);
        let mut cuts: Vec<usize> =
            filled.iter().chain(&matches).flat_map(|range| [range.start, range.end]).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        cuts.dedup();
        let first = self.found;
        self.found += matches.len();
        let empty_at = |at: usize| {
            let empty = filled.iter().filter(move |it| it.is_empty() && it.start == at);
            empty.map(|_| Piece { text: String::new(), is_filled_in: true, found: None })
        };
        let mut pieces: Vec<Piece> = empty_at(0).collect();
        for cut in cuts.windows(2) {
            let within = |range: &Range<usize>| range.start <= cut[0] && cut[1] <= range.end;
            pieces.push(Piece {
                text: text[cut[0]..cut[1]].to_owned(),
                is_filled_in: filled.iter().any(within),
                found: matches.iter().position(within).map(|at| first + at),
            });
            pieces.extend(empty_at(cut[1]));
        }
        pieces
    }

    /// The filled-in ranges within `length` bytes from `offset`, relative to it, and empty ones up to
    /// `behind` bytes further. An empty range between two texts belongs to the first.
    fn filled_in_at(&mut self, offset: usize, length: usize, behind: usize) -> Vec<Range<usize>> {
        let here = |at: usize| at.saturating_sub(offset).min(length);
        let mut ranges = Vec::new();
        for range in &self.filled_in[self.passed..] {
            let end = offset + length + if range.is_empty() { behind } else { 0 };
            if range.start > end {
                break;
            }
            self.passed += usize::from(range.end <= end);
            let part = here(range.start)..here(range.end);
            if !part.is_empty() || range.is_empty() && range.start >= offset {
                ranges.push(part);
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in brackets, with matches in guillemets and filled-in values in braces.
    fn printed(nodes: &[Node]) -> String {
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
                Node::Part(part, children) => format!("({part:?} {})", printed(children)),
                other => format!("{other:?}"),
            })
            .collect()
    }

    fn check(source: &str, searched: &str, expected: &str) {
        assert_eq!(printed(&markdown(source, &[], searched).nodes), expected);
    }

    #[test]
    fn markdown_becomes_a_tree() {
        check("# A\n\nb **c**", "", "(Heading A)(Paragraph b (Strong c))");
        check("1. a\n2. b", "", "(Numbers(1) (Item a)(Item b))");
        check("```py\na = 1\n```", "", "(CodeBlock(Some(Python)) a = 1\n)");
        check("```nothing known\na\n```", "", "(CodeBlock(None) a\n)");
        check("|x|\n|-|\n|y|", "", "(Table (Row (HeadCell x))(Row (Cell y)))");
    }

    #[test]
    fn the_first_letter_determines_the_direction() {
        for (source, expected) in
            [("1. שלום, world", "rtl"), ("**مرحبا**", "rtl"), ("- a שלום", "ltr"), ("12", "ltr")]
        {
            assert_eq!(direction(source), expected, "{source}");
        }
    }

    #[test]
    fn untrusted_markup_becomes_text() {
        check("a <b onclick=x>c</b>", "", "(Paragraph a <b onclick=x>c</b>)");
        check("<script>x</script>", "", "(Paragraph <script>x</script>)");
        check("[a](javascript:x)", "", "(Paragraph (Link(None) a))");
        check("[a](/x)", "", "(Paragraph (Link(None) a))");
        check("[a](HTTPS://x.y)", "", "(Paragraph (Link(Some(\"HTTPS://x.y\")) a))");
        check("![seen](https://x.y/z.png)", "", "(Paragraph (Image(\"https://x.y/z.png\") seen))");
    }

    #[test]
    fn nesting_depth_is_limited() {
        let deep = markdown(&format!("{} end", ">".repeat(20_000)), &[], "");
        let printed = printed(&deep.nodes);
        assert!(printed.contains("end") && printed.matches("Quote").count() <= DEEPEST);
    }

    #[test]
    fn matches_are_counted_across_the_tree() {
        check(
            "Room, *room*, `ROOM`",
            "room",
            "(Paragraph «0:Room», (Emphasis «1:room»), (Code «2:ROOM»))",
        );
        assert_eq!(raw("a room", &[], "room").found, 1);
    }

    #[test]
    fn filled_in_values_are_marked_in_markdown() {
        let source = "Serve **Ada** `now`.";
        let marked = markdown(source, &[8..11, 15..18], "");
        assert_eq!(printed(&marked.nodes), "(Paragraph Serve (Strong {Ada}) (Code {now}).)");
    }

    #[test]
    fn a_placeholder_without_a_value_shows_once() {
        let source = "Maybe . Of `x`:\n\nEnd.";
        let marked = |searched| markdown(source, &[6..6, 15..15], searched);
        assert_eq!(
            printed(&marked("").nodes),
            "(Paragraph Maybe {}. Of (Code x):{})(Paragraph End.)"
        );
        let found = "(Paragraph «0:Maybe» {}. Of (Code x):{})(Paragraph End.)";
        assert_eq!(printed(&marked("maybe").nodes), found);
        assert_eq!(printed(&raw("ab", &[0..0, 1..1, 2..2], "").nodes), "{}a{}b{}");
        let at_the_end_of_a_line = markdown("Wants: \nSet: ", &[7..7, 13..13], "");
        assert_eq!(printed(&at_the_end_of_a_line.nodes), "(Paragraph Wants:{}BreakSet:{})");
    }
}
