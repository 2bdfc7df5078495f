//! Recognizes YAML, as opposed to prose with colons, lists and code.
//!
//! Most texts of `word: words` are notes, headers or talk. So every line must be one that YAML has,
//! and something must be there that only data has: a block within a block, a list of records, or
//! values that are more than words.

use super::prose::lines;

/// Whether the text is YAML of several lines.
pub(super) fn is_yaml(text: &str) -> bool {
    let mut seen = Seen::default();
    // The indent of the key whose text of several lines goes on.
    let mut within: Option<usize> = None;
    for line in lines(text) {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let content = content.trim_end();
        if content.is_empty() || within.is_some_and(|outer| indent > outer) {
            continue;
        }
        within = None;
        match content {
            "---" | "..." => seen.marker |= content == "---",
            _ if content.starts_with('#') => {}
            _ => match seen.line(content, indent) {
                Some(true) => within = Some(indent),
                Some(false) => {}
                None => return false,
            },
        }
    }
    seen.is_data()
}

/// The state of recognition.
#[derive(Default)]
struct Seen {
    keys: usize,
    items: usize,
    marker: bool,
    /// A block is nested in a block.
    nested: bool,
    /// A list has items of several members.
    records: bool,
    /// A value is a number, a truth value, in quotes or in brackets.
    typed: bool,
    /// A value reads like a sentence.
    sentence: bool,
    /// A key is written as headings and names are.
    capital: bool,
    /// The line before: the indent of its key, whether it has a value, whether an item begins there.
    before: Option<(usize, bool, bool)>,
}

impl Seen {
    /// Takes a line's content; whether its text goes on, or nothing where it is not YAML's.
    fn line(&mut self, content: &str, indent: usize) -> Option<bool> {
        let rest = content.trim_start_matches("- ").trim_start_matches(' ');
        let is_item = content.starts_with("- ");
        let at = indent + content.len() - rest.len();
        self.items += usize::from(is_item);
        let Some(length) = key(rest) else {
            if !is_item || !self.value(rest)? {
                return None;
            }
            self.nested |= self.before.is_some_and(|(outer, has_value, _)| {
                !has_value && (indent > outer || indent == outer && !self.capital)
            });
            self.before = None;
            return Some(false);
        };
        let (name, value) = (&rest[..length], rest[length + 1..].trim());
        let value = value.split_once(" #").map_or(value, |(value, _)| value.trim_end());
        self.keys += 1;
        self.capital |= name.starts_with(|it: char| it.is_uppercase());
        if let Some((outer, has_value, began_item)) = self.before {
            self.nested |= !has_value && at > outer;
            self.records |= began_item && has_value && at == outer && !is_item;
        }
        let goes_on = matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+");
        let has_value = !value.is_empty() && !value.starts_with('#');
        if has_value && !goes_on && !self.value(value)? {
            return None;
        }
        self.before = Some((at, has_value, is_item));
        Some(goes_on)
    }

    /// Takes a one-line value; `None` if YAML has no such value.
    fn value(&mut self, value: &str) -> Option<bool> {
        let first = value.chars().next()?;
        let last = value.chars().next_back()?;
        let closed = match first {
            '"' | '\'' => value.len() > 1 && last == first,
            '[' => last == ']',
            '{' => last == '}',
            // An anchor, an alias, a tag.
            '&' | '*' | '!' => {
                return value[1..].starts_with(char::is_alphanumeric).then_some(true);
            }
            _ => {
                let is_number = value.parse::<f64>().is_ok() && !first.is_alphabetic();
                self.typed |= is_number || matches!(value, "true" | "false" | "null" | "~");
                self.sentence |= last.is_ascii_punctuation() && ".!?".contains(last)
                    || value.split_whitespace().count() > 12;
                let is_plain = !value.contains(": ")
                    && !"@`%|>,]}#:".contains(first)
                    && !":;,{[(\\".contains(last);
                return is_plain.then_some(true);
            }
        };
        self.typed |= closed;
        closed.then_some(true)
    }

    fn is_data(&self) -> bool {
        let is_flat = self.items == 0 && self.typed && !self.capital && !self.sentence;
        self.keys > 0
            && self.keys + self.items > 1
            && !(self.capital && self.sentence)
            && (self.nested || self.records || self.marker && self.keys > 0 || is_flat)
    }
}

/// How long the key is that a line's content begins with: one word, or text in quotes.
pub(crate) fn key(content: &str) -> Option<usize> {
    let length = match content.chars().next()? {
        quote @ ('"' | '\'') => content[1..].find(quote)? + 2,
        '<' if content.starts_with("<<:") => 2,
        first if first.is_alphabetic() || "_$/.".contains(first) => {
            content.find(|it: char| !it.is_alphanumeric() && !"_$/.-".contains(it))?
        }
        _ => return None,
    };
    let after = content[length..].strip_prefix(':')?;
    (after.is_empty() || after.starts_with(' ')).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_yaml() {
        for text in [
            "a: 1\nb:\n  - x\n  - y",
            "name: web\nport: 80",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {app: web}",
            "---\ntitle: Tea\nby: Ann",
            "# what runs\nservices:\n  web:\n    image: \"nginx:1.27\"\n    command: [a, b]",
            "- name: Ann\n  age: 30\n- name: Bob\n  age: 31",
            "steps:\n- run: make test\n- run: make",
            "script: |\n  echo hello; exit\n  Any text. At all!\nwhen: always\nretry: 2",
            "Resources:\n  Bucket:\n    Type: AWS::S3::Bucket",
            "base: &base\n  size: 1\nother:\n  <<: *base\n  url: https://example.org/#a",
            "description: Fetches the page.\noptions:\n  depth: 2 # levels\n\n  quiet: true",
            "paths:\n  /users/me:\n    get: {}",
        ] {
            assert!(is_yaml(text), "{text}");
        }
    }

    #[test]
    fn similar_strings_are_not_recognized() {
        for text in [
            "a: 1",
            "- milk\n- eggs",
            "Shopping:\n- milk\n- eggs",
            "Alice: Hi there!\nBob: How are you?",
            "alice: hi\nbob: hello",
            "count: 5\nnote: it all went well.",
            "Note: this is late.\nReason: the train.",
            "Summary:\n  First: we met.\n  Second: we left.",
            "There are two ways: one is long.\nThe other: short.",
            "INFO: started\nWARN: 3 left",
            "From: ann@example.org\nSubject: Tea at 5",
            "Error: no such file\n    at open (fs.js:1:2)",
            "color: red;\nmargin: 0;",
            "a: 1,\nb: 2,",
            "if x:\n    y = 1\nelse:\n    y = 2",
            "try:\n    run: int = 1\nfinally:\n    stop()",
            "{\n  a: 1\n}",
            "a: b: c\nd: 1",
            "a:\n\tb: 1\n\tc: 2",
            "todo:\n  - call Bob: he waits\n  - tea",
            "https://example.org\nport: 80",
            "10:30 tea\n11:00 talk",
            "---\ntitle: Tea\n---\n\nA text about tea.",
            "dinner: 7\nand then we walk home",
            "key: \"no end\nother: 1",
        ] {
            assert!(!is_yaml(text), "{text}");
        }
    }
}
