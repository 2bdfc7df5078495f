//! Answers in place of a tool's result, checked against the tool's output schema.

use json_text::JsonText;
use schema_check::Check;

/// How `answer` differs from what `schema` says the tool returns; `None` if it does not. A schema that cannot be
/// checked says nothing, and so does an answer that is nothing, with which a tool says that it waits.
pub(crate) fn mismatch(schema: &JsonText, answer: &JsonText) -> Option<String> {
    if *answer == JsonText::null() {
        return None;
    }
    let violations = Check::of(schema).ok()?.violations(answer);
    let told: Vec<String> = violations
        .iter()
        .map(|violation| match violation.pointer.as_str() {
            "" => violation.text.clone(),
            pointer => format!("{pointer}: {}", violation.text),
        })
        .collect();
    (!told.is_empty())
        .then(|| format!("it does not match the tool's output schema. {}", told.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_is_told_with_its_place() {
        let json = |text: &str| JsonText::parse(text).expect("valid");
        let schema = json(
            r#"{"type":"object","properties":{"degrees":{"type":"integer"}},"required":["degrees"]}"#,
        );
        assert_eq!(mismatch(&schema, &json(r#"{"degrees":20}"#)), None);
        assert_eq!(mismatch(&schema, &json("null")), None);
        let told = mismatch(&schema, &json(r#"{"degrees":"warm"}"#)).expect("a mismatch");
        assert!(
            told.starts_with("it does not match the tool's output schema. /degrees: "),
            "{told}"
        );
        assert_eq!(mismatch(&json(r#"{"type":7}"#), &json("1")), None);
    }
}
