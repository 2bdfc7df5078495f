//! Where an instruction's placeholders were filled in: the template compared with the resolved text.

use std::ops::Range;

/// The byte ranges of `resolved` that replace the placeholders of `template`, such as `{owner}`,
/// `{user:units?}` or `{artifact.plan}`.
///
/// `resolved` may have more text before and after. A template whose text is not found gives no ranges; a
/// placeholder without a value gives an empty range.
#[must_use]
pub fn filled_in(template: &str, resolved: &str) -> Vec<Range<usize>> {
    let literals = literals(template);
    let (Some(first), true) = (literals.first(), literals.len() > 1) else { return Vec::new() };
    let Some(start) = resolved.find(first) else { return Vec::new() };
    let mut at = start + first.len();
    let mut ranges = Vec::new();
    for (index, literal) in literals.iter().enumerate().skip(1) {
        let rest = &resolved[at..];
        let end = match (literal.is_empty(), index + 1 == literals.len()) {
            // The value of a placeholder at the end of the template ends with its line at the latest.
            (true, true) => Some(rest.find('\n').unwrap_or(rest.len())),
            // Adjacent placeholders count as one.
            (true, false) => None,
            (false, _) => match rest.find(literal) {
                Some(end) => Some(end),
                None => return ranges,
            },
        };
        if let Some(end) = end {
            ranges.push(at..at + end);
            at += end + literal.len();
        }
    }
    ranges
}

/// The texts around the placeholders: one more than there are placeholders.
fn literals(template: &str) -> Vec<&str> {
    let mut literals = Vec::new();
    let mut from = 0;
    let mut look = 0;
    while let Some(open) = template[look..].find('{').map(|at| at + look) {
        let Some(close) = template[open..].find('}').map(|at| at + open) else { break };
        if is_placeholder(&template[open + 1..close]) {
            literals.push(&template[from..open]);
            from = close + 1;
            look = from;
        } else {
            look = open + 1;
        }
    }
    literals.push(&template[from..]);
    literals
}

/// Whether ADK fills it in: an identifier, with an optional scope or question mark, or an artifact.
fn is_placeholder(name: &str) -> bool {
    let name = name.trim().trim_end_matches('?');
    if let Some(artifact) = name.strip_prefix("artifact.") {
        return !artifact.is_empty() && !artifact.contains(['{', '\n']);
    }
    let name = ["app:", "user:", "temp:"]
        .iter()
        .find_map(|scope| name.strip_prefix(scope))
        .unwrap_or(name);
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_alphanumeric() || character == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, resolved: &str, expected: &[&str]) {
        let found: Vec<_> =
            filled_in(template, resolved).into_iter().map(|range| &resolved[range]).collect();
        assert_eq!(found, expected, "{template}");
    }

    #[test]
    fn values_are_found_between_the_template_texts() {
        check(
            "You serve {owner}. Units: {user:units?}.",
            "You serve Ada. Units: celsius.",
            &["Ada", "celsius"],
        );
        check(
            "{greeting} there, {name}",
            "Hello there, Ada\n\nYou are an agent.",
            &["Hello", "Ada"],
        );
        check("a {x}{y} b", "a 12 b", &["12"]);
    }

    #[test]
    fn text_around_the_instruction_does_not_matter() {
        check("Serve {owner} well.", "You are x.\nServe Ada well.\nEnd.", &["Ada"]);
    }

    #[test]
    fn other_braces_stay_text() {
        check(r#"Answer {"a": 1} to {who}."#, r#"Answer {"a": 1} to Ada."#, &["Ada"]);
        check("No placeholders", "No placeholders", &[]);
        check("Serve {owner} well.", "Something else", &[]);
        check("Empty {x} here", "Empty  here", &[""]);
    }
}
