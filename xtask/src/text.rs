//! `cargo xtask text`: lists the text of the page with file and line, to proofread it.
//!
//! [`tokens`] splits sources into tokens. [`Reader`] decides by position and content which string literals
//! people read. The list may contain a few others, but must not omit any.

mod tokens;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use tokens::{Token, tokens};
use xtask::process;
use xtask::workspace::Workspace;

/// Prints the text in `paths`, or in every crate of the workspace that the page is built from.
pub(crate) fn run(workspace: &Workspace, paths: &[PathBuf]) -> Result<ExitCode> {
    let paths = if paths.is_empty() { crates_of_the_page(workspace)? } else { paths.to_vec() };
    let mut files = BTreeSet::new();
    for path in &paths {
        collect(path, &mut files)?;
    }
    let mut list = io::stdout().lock();
    for file in files {
        let source = fs::read_to_string(&file)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let name = file.strip_prefix(workspace.root()).unwrap_or(&file).display();
        for (line, text) in texts(&source) {
            writeln!(list, "{name}:{line}  {text}").context("the list cannot be written")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The source folders of the workspace's crates below `frontend`, and the files of the login page.
fn crates_of_the_page(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut command = workspace.cargo();
    command.args(["tree", "-p", "frontend", "--target", "wasm32-unknown-unknown"]);
    command.args(["-e", "normal", "--prefix", "none", "--format", "{p}"]);
    let tree = process::output(&mut command).context("cargo cannot list the crates of the page")?;
    let root = workspace.root().display().to_string();
    let folders = tree.lines().filter_map(|line| {
        let (_, path) = line.split_once(&format!("({root}"))?;
        Some(workspace.root().join(path[..path.find(')')?].trim_start_matches('/')).join("src"))
    });
    // The host writes the page that asks for a password.
    let login =
        ["login.rs", "page.rs"].map(|file| workspace.root().join("server/src/access").join(file));
    Ok(folders.chain(login).collect())
}

fn collect(path: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    if path.is_dir() {
        let entries =
            fs::read_dir(path).with_context(|| format!("{} cannot be read", path.display()))?;
        for entry in entries {
            let entry = entry?.path();
            let name = entry.file_name().unwrap_or_default();
            if name != "tests" && name != "tests.rs" && name != "generated" {
                collect(&entry, files)?;
            }
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        files.insert(path.to_owned());
    }
    Ok(())
}

/// Calls and macros whose strings are for developers or for the browser.
const NOT_TEXT: [&str; 29] = [
    "expect",
    "panic",
    "unreachable",
    "todo",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug",
    "info",
    "warn",
    "trace",
    "concat",
    "env",
    "include_str",
    "cfg",
    "path",
    "query_selector",
    "query_selector_all",
    "set_attribute",
    "remove_attribute",
    "get_element_by_id",
    "closest",
    "matches_selector",
    "server",
    "field",
    "stringify",
    "debug_struct",
];

/// Attributes of elements whose strings are for the browser.
const NOT_READ: [&str; 34] = [
    "class",
    "id",
    "href",
    "src",
    "role",
    "type",
    "name",
    "for",
    "rel",
    "style",
    "value",
    "lang",
    "d",
    "viewBox",
    "xmlns",
    "autocomplete",
    "method",
    "action",
    "target",
    "list",
    "form",
    "key",
    "dir",
    "tabindex",
    "inputmode",
    "spellcheck",
    "accept",
    "enterkeyhint",
    "wrap",
    "step",
    "pattern",
    "icon",
    "scope",
    "kind",
];

/// The texts of a source file that people read, with their lines.
fn texts(source: &str) -> Vec<(usize, String)> {
    let mut reader = Reader::default();
    for token in tokens(source) {
        reader.take(token);
    }
    reader.found
}

/// Reads the tokens of one file and tracks the position of strings.
#[derive(Default)]
struct Reader {
    found: Vec<(usize, String)>,
    /// What opened each bracket that is open: the name of a call or macro, or nothing.
    open: Vec<String>,
    /// The last tokens, the latest last.
    before: Vec<Token>,
    /// The attribute of an element whose value is being read, and how many brackets were open.
    attribute: Option<(String, usize)>,
    /// The number of open brackets outside what is skipped: an attribute or a module of tests.
    skipping: Option<usize>,
    /// `#[cfg(test)]` was read: the next block is skipped.
    tests_follow: bool,
}

impl Reader {
    fn take(&mut self, token: Token) {
        match &token {
            Token::Open(bracket) => self.open(*bracket),
            Token::Close => {
                self.open.pop();
                self.skipping = self.skipping.filter(|outside| self.open.len() > *outside);
            }
            Token::Punct('=') => self.begin_attribute(),
            Token::Punct('>' | '/') if !matches!(self.last(1), Some(Token::Punct('-' | '='))) => {
                self.attribute =
                    self.attribute.take().filter(|(_, depth)| *depth < self.open.len());
            }
            Token::Word(word) if word == "test" => {
                self.tests_follow |= self.open.ends_with(&["#".to_owned(), "cfg".to_owned()]);
            }
            Token::Punct(';') if self.skipping.is_none() => self.tests_follow = false,
            Token::Str { line, text } if self.skipping.is_none() && self.is_text(text) => {
                self.found.push((*line, text.clone()));
            }
            _ => {}
        }
        self.before.push(token);
    }

    fn last(&self, back: usize) -> Option<&Token> {
        self.before.len().checked_sub(back).and_then(|index| self.before.get(index))
    }

    fn open(&mut self, bracket: char) {
        let mut back = 1;
        if matches!(self.last(back), Some(Token::Punct('!'))) {
            back += 1;
        }
        let name = match self.last(back) {
            Some(Token::Word(name)) => name.clone(),
            _ => String::new(),
        };
        let attribute = bracket == '[' && matches!(self.last(1), Some(Token::Punct('#')));
        if self.skipping.is_none() && bracket == '{' && self.tests_follow {
            self.tests_follow = false;
            self.skipping = Some(self.open.len());
        }
        self.open.push(if attribute { "#".to_owned() } else { name });
    }

    /// At `name=` within `view!`, where sources write no space: what follows is its value.
    fn begin_attribute(&mut self) {
        if !self.open.iter().any(|name| name == "view") {
            return;
        }
        let mut name = String::new();
        let mut back = 1;
        while let Some(Token::Word(part)) = self.last(back) {
            name = part.clone() + &name;
            match self.last(back + 1) {
                Some(Token::Punct(joint @ ('-' | ':'))) => name.insert(0, *joint),
                _ => break,
            }
            back += 2;
        }
        if !name.is_empty() {
            self.attribute = Some((name, self.open.len()));
        }
    }

    fn is_text(&self, text: &str) -> bool {
        let within = |names: &[&str]| self.open.iter().any(|name| names.contains(&name.as_str()));
        let has_word =
            text.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() > 1);
        if !has_word || within(&NOT_TEXT) {
            return false;
        }
        if self.open.iter().any(|name| name == "#") {
            // Of the attributes of items only thiserror's hold messages.
            return self.open.last().is_some_and(|name| name == "error");
        }
        if let Some((name, _)) = &self.attribute {
            let unread = NOT_READ.contains(&name.as_str())
                || name.starts_with("data-")
                || name.contains(':')
                || (name.starts_with("aria-")
                    && !matches!(&name[5..], "label" | "description" | "roledescription"));
            return !unread && (reads_as_text(text) || self.is_whole_value());
        }
        let child = within(&["view"])
            && matches!(self.last(1), Some(Token::Punct('>') | Token::Close | Token::Str { .. }))
            && !matches!(self.last(2), Some(Token::Punct('=' | '-')));
        child || reads_as_text(text)
    }

    /// Whether the string is all that an attribute of an element gets: `label="tool"`.
    fn is_whole_value(&self) -> bool {
        let label = self.attribute.as_ref().is_some_and(|(name, _)| {
            ["label", "title", "placeholder", "alt", "text"].iter().any(|end| name.ends_with(end))
        });
        label && matches!(self.last(1), Some(Token::Punct('=')))
    }
}

/// Whether a string looks like words for people: several words, or one with a capital letter.
fn reads_as_text(text: &str) -> bool {
    let words =
        text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let capital = text.starts_with(char::is_uppercase) && text.chars().any(char::is_lowercase);
    let path = text.contains("::") || text.starts_with(['/', '#', '.', '<']);
    let name =
        text.chars().all(char::is_alphanumeric) && text.chars().skip(1).any(char::is_uppercase);
    !path && (words > 1 || (capital && !name) || text.ends_with(['…', '.', '?', ':']) && words > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let found: Vec<String> = texts(source).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lists_children_and_labels_of_views() {
        check(
            r##"fn a() { view! {
                <button class="quiet small" class:on=move || is("a b") aria-label="Close" title="close">"send"</button>
                <p id="x y">{count} " of them" {move || if one { "One call" } else { "calls" }}</p>
                <Field label="tool" hint=Some("What it takes.") on:click=move |_| go("the way")/>
            } }"##,
            &["Close", "close", "send", " of them", "One call", "tool", "What it takes."],
        );
    }

    #[test]
    fn lists_messages_but_not_text_for_developers() {
        check(
            r##"
            /// "A comment."
            #[derive(Error)]
            enum E { #[error("no agent `{0}`")] #[expect(dead_code, reason = "not yet used")] A(String) }
            fn b() -> String {
                known.expect("it is there");
                warn!(%error, "the log says so");
                // "Another comment."
                format!("{ready} of {}", "many \
                    of them")
            }
            const NAME: &str = "aria-label";
            const C: char = '"';
            #[cfg(test)]
            mod tests { fn c() { text("In a test."); } }
            fn d<'a>(x: &'a str) -> &'a str { "After a \"test\"." }
            "##,
            &["no agent `{0}`", "{ready} of {}", "many of them", "After a \"test\"."],
        );
    }

    #[test]
    fn counts_lines_from_one() {
        assert_eq!(
            texts("\n\nlet a = r#\"Two\nlines\"#;\nlet b = \"One line.\";"),
            [(3, "Two⏎lines".to_owned()), (5, "One line.".to_owned())]
        );
    }
}
