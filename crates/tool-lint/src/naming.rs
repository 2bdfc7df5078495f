//! The rules about the tool itself: its name and its description.

use serde_json::Value;

use crate::{Report, Rule};

/// The longest name that services accept. `google.genai` allows letters, digits, underscores, dots,
/// colons and dashes, starting with a letter or an underscore.
const LONGEST_NAME: usize = 64;

pub(crate) fn tool(declaration: &Value, report: &mut Report) {
    let name = report.tool.clone().unwrap_or_default();
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let plain =
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_.:-".contains(letter));
    if !begins || !plain {
        let message = format!(
            "Services reject the name `{name}`: start with a letter or an underscore, and use only \
             letters, digits, `_`, `.`, `:` and `-`."
        );
        report.find(Rule::NameInvalid, "/name", message);
    } else if name.len() > LONGEST_NAME {
        let long = name.len();
        let message = format!(
            "The name has {long} characters, but services allow at most {LONGEST_NAME}: shorten it."
        );
        report.find(Rule::NameInvalid, "/name", message);
    }
    let description = declaration.get("description");
    if description.and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
        let pointer = if description.is_some() { "/description" } else { "" };
        report.find(
            Rule::DescriptionMissing,
            pointer,
            "The tool has no description: describe what it does and when to call it.",
        );
    }
}

/// Pairs of names that differ by case only, each the second with the first.
pub(crate) fn case_twins<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<(&'n str, &'n str)> {
    let mut seen: Vec<(String, &str)> = Vec::new();
    let mut twins = Vec::new();
    for name in names {
        let folded = name.to_lowercase();
        match seen.iter().find(|(earlier, _)| *earlier == folded) {
            Some((_, first)) if *first != name => twins.push((*first, name)),
            Some(_) => {}
            None => seen.push((folded, name)),
        }
    }
    twins
}
