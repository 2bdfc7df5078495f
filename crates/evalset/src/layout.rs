//! [`Layout`]: the white space between the tokens of a JSON text.
//!
//! ADK indents by two spaces; other files differ. An appended case gets the layout of its neighbors.

/// How a value is spread over lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// A line for every member and item, as ADK and Python's `json.dump(indent=...)` write.
    Lines {
        /// One step of indent, such as two spaces or a tab.
        step: String,
        /// The indentation of the value itself; not written on its first line.
        base: String,
        /// `"\n"` or `"\r\n"`.
        line_end: &'static str,
    },
    /// Everything on one line.
    OneLine {
        /// What follows a comma: nothing, or a space as in Python's `json.dumps`.
        after_comma: &'static str,
        /// What follows a colon.
        after_colon: &'static str,
    },
}

impl Layout {
    /// ADK's own: two spaces, line feeds, no base.
    #[must_use]
    pub fn two_spaces() -> Self {
        Self::Lines { step: "  ".to_owned(), base: String::new(), line_end: "\n" }
    }

    /// No white space at all.
    #[must_use]
    pub fn compact() -> Self {
        Self::OneLine { after_comma: "", after_colon: "" }
    }
}

/// A value's JSON text that passed the checks of its format, ready for a layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseText {
    json: String,
    /// Whether its whitespace is kept.
    is_laid_out: bool,
}

impl CaseText {
    pub(crate) fn new(json: String) -> Self {
        Self { json, is_laid_out: false }
    }

    /// A value that is not checked.
    #[must_use]
    pub fn unchecked(value: &json_text::JsonText) -> Self {
        Self::new(value.as_str().to_owned())
    }

    /// A case from a file, to be restored with its whitespace; not checked.
    #[must_use]
    pub fn with_original_layout(case: &json_text::JsonText) -> Self {
        Self { json: case.as_str().to_owned(), is_laid_out: true }
    }

    /// The text with only `layout`'s whitespace; digits, escapes and key order stay.
    #[must_use]
    pub fn laid_out(&self, layout: &Layout) -> String {
        match layout {
            _ if self.is_laid_out => self.json.clone(),
            Layout::Lines { step, base, line_end } => lines(&self.json, step, base, line_end),
            Layout::OneLine { after_comma, after_colon } => {
                one_line(&self.json, after_comma, after_colon)
            }
        }
    }
}

/// A stretch of JSON: a string with its quotes, or one character outside strings.
fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let bytes = json.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let start = at;
        match bytes.get(at)? {
            b'"' => {
                at += 1;
                while let Some(&byte) = bytes.get(at) {
                    at += 1;
                    match byte {
                        b'\\' => at += 1,
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => at += 1,
            _ => {
                let ends = |byte: &u8| b"{}[],:\" \t\r\n".contains(byte);
                while bytes.get(at).is_some_and(|byte| !ends(byte)) {
                    at += 1;
                }
            }
        }
        at = at.min(bytes.len());
        json.get(start..at)
    })
}

fn lines(json: &str, step: &str, base: &str, line_end: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let new_line = |out: &mut String, depth: usize| {
        out.push_str(line_end);
        out.push_str(base);
        out.extend(std::iter::repeat_n(step, depth));
    };
    let mut opened = false;
    for token in tokens(json) {
        match token {
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                if !opened {
                    new_line(&mut out, depth);
                }
                opened = false;
                out.push_str(token);
                continue;
            }
            _ if opened => {
                new_line(&mut out, depth);
                opened = false;
            }
            _ => {}
        }
        out.push_str(token);
        match token {
            "{" | "[" => {
                depth += 1;
                opened = true;
            }
            "," => new_line(&mut out, depth),
            ":" => out.push(' '),
            _ => {}
        }
    }
    out
}

fn one_line(json: &str, after_comma: &str, after_colon: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for token in tokens(json) {
        out.push_str(token);
        match token {
            "," => out.push_str(after_comma),
            ":" => out.push_str(after_colon),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = r#"{"a":[1,{}],"b": "x, {y}: \"z\\","c":[ ], "é":-1.50}"#;

    #[test]
    fn lines_as_adk_writes_them() {
        assert_eq!(
            CaseText::new(JSON.to_owned()).laid_out(&Layout::two_spaces()),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x, {y}: \\\"z\\\\\",\n  \"c\": [],\n  \"é\": -1.50\n}"
        );
    }

    #[test]
    fn lines_take_base_step_and_line_end() {
        let layout =
            Layout::Lines { step: "\t".to_owned(), base: "  ".to_owned(), line_end: "\r\n" };
        assert_eq!(
            CaseText::new(r#"{"a":[1]}"#.to_owned()).laid_out(&layout),
            "{\r\n  \t\"a\": [\r\n  \t\t1\r\n  \t]\r\n  }"
        );
    }

    #[test]
    fn one_line_as_python_writes_it() {
        let layout = Layout::OneLine { after_comma: " ", after_colon: " " };
        assert_eq!(
            CaseText::new(JSON.to_owned()).laid_out(&layout),
            r#"{"a": [1, {}], "b": "x, {y}: \"z\\", "c": [], "é": -1.50}"#
        );
        assert_eq!(
            CaseText::new(JSON.to_owned()).laid_out(&Layout::compact()),
            r#"{"a":[1,{}],"b":"x, {y}: \"z\\","c":[],"é":-1.50}"#
        );
    }
}
