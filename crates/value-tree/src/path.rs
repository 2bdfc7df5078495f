//! Where a value is, as a JSONPath (RFC 9535): `$.fares[0]['seat class']`.
//!
//! A value in a string that holds JSON is written with the string's own path as the start:
//! `json($.reply).fares[0]`. The standard has no syntax for that, so the parentheses name the decoding.

use json_text::JsonText;

use crate::nodes::NodeId;
use crate::scan;
use crate::tree::Tree;
use json_text::index::Id;

/// How many steps of a path are written; of a longer one, the last.
const STEPS: usize = 200;

impl Tree {
    /// The path of a value, whole.
    #[must_use]
    pub fn path(&self, node: NodeId) -> String {
        self.path_of(node.0, usize::MAX)
    }

    /// The path of a value, its beginning left out when it is long.
    pub(crate) fn shown_path(&self, id: Id) -> String {
        self.path_of(id, STEPS)
    }

    fn path_of(&self, id: Id, most: usize) -> String {
        // From the inside out: the steps within a text, then the string that holds it.
        let mut steps: Vec<String> = Vec::new();
        let mut starts = 0_usize;
        let mut here = id;
        loop {
            if steps.len() >= most {
                steps.push("…".to_owned());
                starts = 0;
                break;
            }
            let parent = self.nodes.record(here).parent;
            if parent as usize >= self.nodes.len() {
                let Some((host, layers)) = self.nodes.host(here) else { break };
                steps.push(")".repeat(layers.into()));
                starts += usize::from(layers);
                here = host;
                continue;
            }
            steps.push(match self.nodes.key(here) {
                Some(key) => step(key),
                None => format!("[{}]", self.nodes.record(here).place),
            });
            here = parent;
        }
        let mut path = "json(".repeat(starts);
        if steps.last().is_none_or(|last| last != "…") {
            path.push('$');
        }
        path.extend(steps.into_iter().rev());
        path
    }
}

/// The step to the member with the name `key`, a literal.
fn step(key: &str) -> String {
    let name = scan::content(key);
    let mut characters = name.chars();
    let starts_plainly =
        characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if starts_plainly && characters.all(|it| it.is_ascii_alphanumeric() || it == '_') {
        return format!(".{name}");
    }
    let literal = JsonText::string(&name);
    let inner = literal.as_str();
    let inner = inner
        .get(1..inner.len() - 1)
        .unwrap_or_default()
        .replace("\\\"", "\"")
        .replace('\'', "\\'");
    format!("['{inner}']")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut tree = Tree::new(JsonText::parse(text).expect("valid"));
        tree.expand(usize::MAX);
        let paths: Vec<String> = tree.rows().iter().map(|row| tree.path(row.node)).collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn paths_are_those_of_the_standard() {
        check(
            r#"{"a": [{"b c": 1}], "it's \"x\"": null, "é": 2, "1": 3}"#,
            &["$.a", "$.a[0]", "$.a[0]['b c']", r#"$['it\'s "x"']"#, "$['é']", "$['1']"],
        );
        check("7", &["$"]);
    }

    #[test]
    fn paths_go_through_strings() {
        check(
            r#"{"r": "[{\"x\": \"{\\\"y\\\": 1}\"}]"}"#,
            &["$.r", "json($.r)[0]", "json($.r)[0].x", "json(json($.r)[0].x).y"],
        );
        check(r#"["\"[5]\""]"#, &["$[0]", "json(json($[0]))[0]"]);
    }

    #[test]
    fn long_path_is_shortened_at_the_start() {
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        let mut tree = Tree::new(JsonText::parse(&deep).expect("valid"));
        tree.expand(usize::MAX);
        let last = tree.rows()[tree.row_count() - 1].node;
        assert_eq!(tree.path(last).len(), 1 + 5_000 * 3);
        assert!(tree.shown_path(last.0).starts_with("…[0]") && tree.shown_path(last.0).len() < 700);
    }
}
