//! Answers in place of a tool's result, checked against the tool's output schema.

use json_text::{JsonIndex, JsonText, Kind};
use schema_check::Check;

/// How `answer` differs from what `schema` says the tool returns; `None` if it does not. A schema that cannot be
/// checked says nothing, and so does an answer that is nothing, with which a tool says that it waits.
///
/// An answer may be written as google-adk records it: what is not an object in `{"result": ...}`.
pub(crate) fn mismatch(schema: &JsonText, answer: &JsonText) -> Option<String> {
    if *answer == JsonText::null() {
        return None;
    }
    let check = Check::of(schema).ok()?;
    let violations = check.violations(answer);
    if !violations.is_empty()
        && as_returned(answer).is_some_and(|it| check.violations(&it).is_empty())
    {
        return None;
    }
    let messages: Vec<String> = violations
        .iter()
        .map(|violation| match violation.pointer.as_str() {
            "" => violation.text.clone(),
            pointer => format!("{pointer}: {}", violation.text),
        })
        .collect();
    (!messages.is_empty())
        .then(|| format!("it does not match the tool's output schema. {}", messages.join(" ")))
}

/// What a tool returned, if `answer` is how google-adk records it.
fn as_returned(answer: &JsonText) -> Option<JsonText> {
    let document = JsonIndex::of(answer);
    let root = document.root();
    let only = root.kind() == Kind::Object && root.entries().len() == 1;
    root.member("result").filter(|_| only).map(|result| result.to_json())
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
        let messages = mismatch(&schema, &json(r#"{"degrees":"warm"}"#)).expect("a mismatch");
        assert!(
            messages.starts_with("it does not match the tool's output schema. /degrees: "),
            "{messages}"
        );
        let number = json(r#"{"type":"integer"}"#);
        assert_eq!(mismatch(&number, &json(r#"{"result":18}"#)), None);
        assert!(mismatch(&number, &json(r#"{"result":18,"more":1}"#)).is_some());
        assert_eq!(mismatch(&json(r#"{"type":7}"#), &json("1")), None);
    }
}
