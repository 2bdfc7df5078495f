//! Recognizes diffs, source code and Markdown by their lines.

use super::{Language, yaml};

/// How many lines decide.
const LINES: usize = 200;

pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take(LINES)
}

/// Whether the text is a unified diff.
pub(crate) fn is_diff(text: &str) -> bool {
    let (mut from, mut to) = (false, false);
    for line in lines(text) {
        from |= line.starts_with("--- ");
        to |= from && line.starts_with("+++ ");
        if line.starts_with("@@ -") && line[4..].contains(" @@") {
            return to || text.starts_with("diff --git ") || text.starts_with("@@ -");
        }
    }
    false
}

/// The language of the text, if it is code.
pub(crate) fn code(text: &str) -> Option<Language> {
    if let Some(language) = by_its_start(text) {
        return Some(language);
    }
    if yaml::is_yaml(text) {
        return Some(Language::Yaml);
    }
    let (mut lines_seen, mut like_code) = (0_usize, 0_usize);
    let mut votes = [0_usize; VOTERS.len()];
    for line in lines(text) {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("# ") && !text.contains('(') {
            return None;
        }
        if line.is_empty() {
            continue;
        }
        lines_seen += 1;
        let mut is_code =
            line.ends_with(['{', '}', ';']) || matches!(line, ")" | "]" | "})" | "},");
        for ((_, starts), votes) in VOTERS.iter().zip(&mut votes) {
            if starts.iter().any(|start| begins(line, start)) {
                *votes += 1;
                is_code = true;
            }
        }
        like_code += usize::from(is_code);
    }
    if lines_seen < 2 || like_code < 2 || like_code * 5 < lines_seen * 2 {
        return None;
    }
    let most = votes.iter().enumerate().max_by_key(|(at, votes)| (**votes, VOTERS.len() - at));
    let language = most.filter(|(_, votes)| **votes > 0).map(|(at, _)| VOTERS[at].0);
    Some(language.unwrap_or(Language::Other))
}

/// What lines begin with, by language.
const VOTERS: [(Language, &[&str]); 5] = [
    (
        Language::Python,
        &[
            "def ",
            "from ",
            "import ",
            "elif ",
            "except",
            "@",
            "print(",
            "async def ",
            "return ",
            "class ",
        ],
    ),
    (
        Language::JavaScript,
        &["const ", "let ", "var ", "function ", "export ", "import {", "return ", "console."],
    ),
    // It shares words with JavaScript, which wins if there are no other signs.
    (
        Language::Rust,
        &["fn ", "pub ", "let ", "const ", "return ", "use ", "impl ", "match ", "#["],
    ),
    (
        Language::Sql,
        &[
            "SELECT ",
            "FROM ",
            "WHERE ",
            "JOIN ",
            "INSERT INTO ",
            "CREATE TABLE ",
            "GROUP BY ",
            "ORDER BY ",
        ],
    ),
    (Language::Css, &[":root", "@media", "display:", "color:", "margin:", "padding:"]),
];

/// Whether a line of code begins with `start`: prose that does ends like prose.
fn begins(line: &str, start: &str) -> bool {
    let is_prose = line.ends_with(['.', ',', '!', '?']) || line.split_whitespace().count() > 12;
    line.starts_with(start) && !is_prose
}

fn by_its_start(text: &str) -> Option<Language> {
    let starts =
        |start: &str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    if text.starts_with("#!") {
        let first = text.lines().next().unwrap_or_default();
        return Some(if first.contains("python") { Language::Python } else { Language::Shell });
    }
    if starts("<!doctype html") || starts("<html") {
        return Some(Language::Html);
    }
    if starts("<?xml") || starts("<svg") {
        return Some(Language::Xml);
    }
    let upper_words =
        ["select ", "with ", "insert into ", "update ", "delete from ", "create table "];
    let is_sql = upper_words.iter().any(|start| starts(start))
        && ["from ", "values", " set ", "("].iter().any(|word| {
            text.get(..text.len().min(2_000)).is_some_and(|head| head.to_lowercase().contains(word))
        })
        && (text.ends_with(';')
            || text
                .split_whitespace()
                .next()
                .is_some_and(|word| word.chars().all(char::is_uppercase)));
    is_sql.then_some(Language::Sql)
}

/// Whether the text is written in markdown: one sign that nothing else has, or two that others
/// might have as well.
pub(crate) fn is_markdown(text: &str) -> bool {
    let (mut bullets, mut numbers, mut quotes) = (0_usize, 0_usize, 0_usize);
    let (mut heading, mut fence, mut table, mut bold, mut link, mut code) =
        (false, 0_usize, false, false, false, false);
    let mut count = 0_usize;
    for line in lines(text) {
        let line = line.trim();
        count += usize::from(!line.is_empty());
        if line.starts_with("```") {
            fence += 1;
            continue;
        }
        if fence % 2 == 1 {
            continue;
        }
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        heading |= (1..=6).contains(&hashes) && line[hashes..].starts_with(' ');
        bullets += usize::from(["- ", "* ", "+ "].iter().any(|sign| line.starts_with(sign)));
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        numbers += usize::from((1..=3).contains(&digits) && line[digits..].starts_with(". "));
        quotes += usize::from(line.starts_with("> "));
        table |= line.contains("|-") && line.chars().all(|character| "|-: ".contains(character));
        bold |= paired(line, "**") || paired(line, "__");
        code |= paired(line, "`");
        link |=
            line.find("](").is_some_and(|at| line[..at].contains('[') && line[at..].contains(')'));
    }
    let sure = [heading && count > 1, fence >= 2, table, link];
    let hints = [heading, bullets >= 2, numbers >= 2, quotes >= 1, bold, code];
    sure.contains(&true) || hints.iter().filter(|hint| **hint).count() >= 2
}

/// Whether there is text between two `sign`s.
fn paired(line: &str, sign: &str) -> bool {
    let Some((_, after)) = line.split_once(sign) else { return false };
    after.find(sign).is_some_and(|at| at > 0) && !after.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_have_hunks() {
        assert!(is_diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"));
        assert!(is_diff(
            "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ fn\n a"
        ));
        assert!(!is_diff("--- Summary\nAll is well.\n+++ more"));
        assert!(!is_diff("a @@ -1 +1 @@"));
    }

    #[test]
    fn code_is_recognized_by_its_lines() {
        assert_eq!(code("def add(a, b):\n    return a + b"), Some(Language::Python));
        assert_eq!(
            code("import json\n\n# what it is\nprint(json.dumps({}))"),
            Some(Language::Python)
        );
        assert_eq!(
            code("const a = 1;\nfunction f() {\n  return a;\n}"),
            Some(Language::JavaScript)
        );
        assert_eq!(code("pub fn f() {\n    let mut a = 1;\n}"), Some(Language::Rust));
        let program = "fn main() {\n    let x = 1;\n    let y = 2;\n    const Z: u8 = 3;\n}";
        assert_eq!(code(program), Some(Language::Rust));
        let script = "let x = 1;\nlet y = 2;\nconst z = 3;";
        assert_eq!(code(script), Some(Language::JavaScript));
        assert_eq!(code("SELECT a FROM b WHERE c = 1"), Some(Language::Sql));
        assert_eq!(code("#!/bin/sh\nls"), Some(Language::Shell));
        assert_eq!(code("<!DOCTYPE html><p>x"), Some(Language::Html));
        assert_eq!(code("int main() {\n  puts(\"x\");\n}"), Some(Language::Other));
    }

    #[test]
    fn prose_is_no_code() {
        assert_eq!(code("Let us import the goods.\nFrom here on, all is well."), None);
        assert_eq!(code("select a seat from the list and tell us"), None);
        assert_eq!(
            code("A line;\nanother line, and a third one.\nAnd more of it.\nAnd more."),
            None
        );
        assert_eq!(code("# Title\n\nWords."), None);
    }

    #[test]
    fn markdown_keeps_its_markers() {
        assert!(is_markdown("# Title\n\nWords."));
        assert!(is_markdown("Take **two** of:\n- a\n- b"));
        assert!(is_markdown("```python\nprint(1)\n```"));
        assert!(is_markdown("See [the map](https://example.org)."));
        assert!(is_markdown("|a|b|\n|-|-|\n|1|2|"));
        assert!(!is_markdown("A sentence - with a dash. #1 of 2 * 3 * 4."));
        assert!(!is_markdown("- a\n- b"), "a plain list reads the same");
        assert!(!is_markdown("snake_case and 2**3"));
    }
}
