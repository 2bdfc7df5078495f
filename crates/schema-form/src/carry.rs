//! What was entered under a schema that is another now.

use json_text::JsonText;

use crate::draft::{Content, Draft, Entered, State};
use crate::form::Form;

impl Draft {
    /// What was entered in `from`, as a draft of `to`, whose schema may be another: the value that it
    /// would send fills `to`, where what the schema does not name or take stands as any value does
    /// that is pasted. What is no value yet, and what was written as JSON text, stands as text.
    /// `None` where nothing was entered.
    #[must_use]
    pub fn carried(&self, from: &Form, to: &Form) -> Option<Self> {
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
    fn nothing_that_was_entered_is_lost() {
        let value = r#"{"city":"Rome","days":3,"note":"keep me"}"#;
        let draft = before().fill(&JsonText::parse(value).expect("JSON"));
        let carried = draft.carried(&before(), &after()).expect("something was entered");
        let text = carried.read(&after()).text().to_owned();
        let member = |name: &str| {
            let text = JsonText::parse(&text).expect("JSON");
            serde_json::from_str::<serde_json::Value>(text.as_str()).expect("JSON")[name].clone()
        };
        assert_eq!(member("city"), "Rome");
        assert_eq!(member("note"), "keep me");
        assert_eq!(member("days"), 3);
    }

    #[test]
    fn what_is_no_value_yet_stands_as_text() {
        let mut draft = before().fill(&JsonText::parse(r#"{"city":"Rome"}"#).expect("JSON"));
        let days = draft.locate(&before(), "/days");
        draft.edit(&before(), &days, Edit::SetText("1e".into())).expect("a number");
        let carried = draft.carried(&before(), &after()).expect("something was entered");
        let reading = carried.read(&after());
        assert!(reading.text().contains("Rome") && reading.text().contains("1e"), "{reading:?}");
        assert_eq!(reading.json(), None);
        // Text stays text, also where it is a value.
        let mut text = before().fill(&JsonText::parse(r#"{"city":"Rome"}"#).expect("JSON"));
        text.edit(&before(), &Path::root(), Edit::AsJson).expect("any form is text");
        let carried = text.carried(&before(), &after()).expect("something was entered");
        assert!(matches!(carried.root.content, Some(Content::Json { .. })));
        assert_eq!(Draft::blank(&before()).carried(&before(), &after()), None);
    }
}
