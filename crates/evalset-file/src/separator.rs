//! [`Separator`]: the whitespace and layout of a new case, copied from its neighbors.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use evalset::Layout;

use crate::scan::{Outline, Span};

/// How many bytes are read to detect a layout.
const SAMPLE: u64 = 4096;

/// What surrounds the new case's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Separator {
    /// The offset at which the new bytes begin.
    pub(crate) splice: u64,
    /// Written first: a comma, white space.
    pub(crate) before: String,
    /// How the case is laid out.
    pub(crate) layout: Layout,
    /// Written after the case.
    pub(crate) after: String,
    /// The offset from which the old bytes follow.
    pub(crate) resume: u64,
}

impl Separator {
    /// Copies the last case, or the top of a file without cases.
    pub(crate) fn of(file: &File, outline: &Outline) -> io::Result<Self> {
        match &outline.last {
            Some(last) => Self::after_case(file, last),
            None => Self::in_empty_list(file, outline),
        }
    }

    /// Copies the layout of the case `last` and its separator.
    pub(crate) fn after_case(file: &File, last: &Span) -> io::Result<Self> {
        let parting = sample(file, last.parting + 1, last.start)?;
        let head = sample(file, last.start, last.end)?;
        let foot = sample(file, last.end.saturating_sub(SAMPLE).max(last.start), last.end)?;
        let (blank, line) = (blank_after(&head, 1), indent_before_end(&foot));
        let layout = match (line, blank.contains('\n')) {
            (Some(base), true) => {
                let inner = blank.rsplit('\n').next().unwrap_or_default();
                let step = inner.strip_prefix(base.as_str()).unwrap_or("  ").to_owned();
                Layout::Lines { step, base, line_end: line_end(&blank) }
            }
            _ => one_line(&head),
        };
        let parting = String::from_utf8_lossy(&parting).into_owned();
        let only_one = byte_at(file, last.parting)? == b'[';
        let spaced = !matches!(&layout, Layout::OneLine { after_comma: "", .. });
        let before = match parting.as_str() {
            "" if only_one && spaced => ", ".to_owned(),
            _ => format!(",{parting}"),
        };
        Ok(Self { splice: last.end, before, layout, after: String::new(), resume: last.end })
    }

    fn in_empty_list(file: &File, outline: &Outline) -> io::Result<Self> {
        let top = sample(file, 0, outline.list_open)?;
        let open = top.iter().position(|&byte| byte == b'{').unwrap_or(0);
        let blank = blank_after(&top, open + 1);
        let (splice, resume) = (outline.list_open + 1, outline.list_close);
        if !blank.contains('\n') {
            let layout = one_line(&top[open..]);
            return Ok(Self {
                splice,
                before: String::new(),
                layout,
                after: String::new(),
                resume,
            });
        }
        let step = blank.rsplit('\n').next().unwrap_or_default().to_owned();
        let (end, base) = (line_end(&blank), step.repeat(2));
        Ok(Self {
            splice,
            before: format!("{end}{base}"),
            after: format!("{end}{step}"),
            layout: Layout::Lines { step, base, line_end: end },
            resume,
        })
    }
}

fn sample(file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let length = to.saturating_sub(from).min(SAMPLE);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

fn byte_at(file: &File, at: u64) -> io::Result<u8> {
    let mut byte = [0];
    file.read_exact_at(&mut byte, at)?;
    Ok(byte[0])
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The white space from `at` on.
fn blank_after(bytes: &[u8], at: usize) -> String {
    let blank = bytes.get(at..).unwrap_or_default().iter().copied().take_while(|&b| is_blank(b));
    blank.map(char::from).collect()
}

/// The indent of the closing bracket that the bytes end with, if it begins its line.
fn indent_before_end(bytes: &[u8]) -> Option<String> {
    let (_, inner) = bytes.split_last()?;
    let start = inner.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |index| index + 1);
    let blank: String = inner[start..].iter().copied().map(char::from).collect();
    blank.contains('\n').then(|| blank.rsplit('\n').next().unwrap_or_default().to_owned())
}

fn line_end(blank: &str) -> &'static str {
    if blank.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The spaces after commas and colons, as the first of each show them.
fn one_line(bytes: &[u8]) -> Layout {
    let mut after = [None, None];
    let mut in_string = false;
    let mut escaped = false;
    for (index, &byte) in bytes.iter().enumerate() {
        let mark = match byte {
            _ if escaped => {
                escaped = false;
                continue;
            }
            b'\\' => {
                escaped = true;
                continue;
            }
            b'"' => {
                in_string = !in_string;
                continue;
            }
            b',' if !in_string => 0,
            b':' if !in_string => 1,
            _ => continue,
        };
        let space = if bytes.get(index + 1) == Some(&b' ') { " " } else { "" };
        after[mark].get_or_insert(space);
    }
    let after_colon = after[1].unwrap_or("");
    Layout::OneLine { after_comma: after[0].unwrap_or(after_colon), after_colon }
}
