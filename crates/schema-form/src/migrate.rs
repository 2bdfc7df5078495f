//! Moves a draft to another version of its form.

use json_text::JsonText;

use crate::draft::{Content, Draft, Entered, State};
use crate::form::Form;

impl Draft {
    /// This draft of `from` as a draft of `to`, whose schema may differ: `to` is filled with the value
    /// that this draft would send. An unfinished value, or a draft in JSON mode, becomes JSON text.
    /// `None` when nothing was entered.
    #[must_use]
    pub fn migrated(&self, from: &Form, to: &Form) -> Option<Self> {
        let blank = Self::blank(from);
        let is_text = matches!(
            (self.root.state, &self.root.content),
            (State::Value, Some(Content::Json { .. }))
        );
        let reading = self.read(from);
        if *self == blank || (!is_text && reading.text() == blank.read(from).text()) {
            return None;
        }
        let text = match &self.root.content {
            Some(Content::Json { text, .. }) if is_text => text.clone(),
            _ => reading.text().to_owned(),
        };
        match JsonText::parse(&text) {
            Ok(value) if !is_text => Some(to.fill(&value)),
            _ => {
                let mut draft = Self::blank(to);
                draft.root = Entered::value(Content::Json { text, before: None });
                Some(draft)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edit, Path};

    fn form(properties: &str) -> Form {
        let schema =
            format!(r#"{{"type":"object","properties":{properties},"required":["city"]}}"#);
        Form::of_schema(&JsonText::parse(&schema).expect("JSON"))
    }

    fn before() -> Form {
        form(r#"{"city":{"type":"string"},"days":{"type":"integer"},"note":{"type":"string"}}"#)
    }

    fn after() -> Form {
        form(
            r#"{"city":{"type":"string"},"days":{"type":"string","minLength":2},"extra":{"type":"string"}}"#,
        )
    }

    #[test]
    fn entered_values_are_kept() {
        let value = r#"{"city":"Rome","days":3,"note":"keep me"}"#;
        let draft = before().fill(&JsonText::parse(value).expect("JSON"));
        let migrated = draft.migrated(&before(), &after()).expect("something was entered");
        let text = migrated.read(&after()).text().to_owned();
        let member = |name: &str| {
            let text = JsonText::parse(&text).expect("JSON");
            serde_json::from_str::<serde_json::Value>(text.as_str()).expect("JSON")[name].clone()
        };
        assert_eq!(member("city"), "Rome");
        assert_eq!(member("note"), "keep me");
        assert_eq!(member("days"), 3);
    }

    #[test]
    fn an_unfinished_value_becomes_json_text() {
        let mut draft = before().fill(&JsonText::parse(r#"{"city":"Rome"}"#).expect("JSON"));
        let days = draft.locate(&before(), "/days");
        draft.edit(&before(), &days, Edit::SetText("1e".into())).expect("a number");
        let migrated = draft.migrated(&before(), &after()).expect("something was entered");
        let reading = migrated.read(&after());
        assert!(reading.text().contains("Rome") && reading.text().contains("1e"), "{reading:?}");
        assert_eq!(reading.json(), None);
        // A draft in JSON mode stays in JSON mode.
        let mut text = before().fill(&JsonText::parse(r#"{"city":"Rome"}"#).expect("JSON"));
        text.edit(&before(), &Path::root(), Edit::AsJson).expect("any form is text");
        let migrated = text.migrated(&before(), &after()).expect("something was entered");
        assert!(matches!(migrated.root.content, Some(Content::Json { .. })));
        assert_eq!(Draft::blank(&before()).migrated(&before(), &after()), None);
    }
}
