//! The forms for a value that a person enters: arguments, a structured query or response, a result.

use json_text::JsonText;
use schema_form::{Draft, Form, Integers};

use crate::state::form::{use_form, use_form_from};

pub use crate::state::form::FormState as ValueForm;

/// A form for a value of `schema`; without a schema, a form without fields. Integers out of the
/// range of `integers` get a message at their fields. If the schema describes nothing, such as any
/// object, the form starts as empty JSON text.
#[must_use]
pub fn use_value_form(schema: Option<&JsonText>, integers: Integers) -> ValueForm {
    let form = schema.map_or_else(Form::no_arguments, Form::of_schema).with_integers(integers);
    let is_text = form.is_undescribed();
    let start = if is_text { Draft::blank_text() } else { Draft::blank(&form) };
    use_form_from(form, start)
}

/// A form for a tool's arguments, which accepts only objects, whatever the schema allows.
#[must_use]
pub fn use_arguments_form(schema: Option<&JsonText>, integers: Integers) -> ValueForm {
    let form = schema.map_or_else(Form::no_arguments, Form::of_schema);
    use_form(form.with_integers(integers).with_objects_only(), None)
}

/// A form for the answer to an MCP server's elicitation, filled in with its defaults.
#[must_use]
pub fn use_answer_form(schema: &JsonText) -> ValueForm {
    let form = Form::of_schema(schema);
    let start = Draft::with_defaults(&form);
    use_form_from(form, start)
}

/// A form for any value that starts with `begin` as JSON text.
#[must_use]
pub fn use_any_form(begin: &JsonText) -> ValueForm {
    let form = use_form(Form::any(), Some(begin));
    form.show_json();
    form
}

#[cfg(test)]
mod tests {
    use leptos::prelude::*;
    use schema_form::{Edit, Path};

    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("the text is JSON")
    }

    fn value(form: ValueForm) -> Option<String> {
        form.reading.read_untracked().json().map(|json| json.compact().to_string())
    }

    fn admits(form: ValueForm, text: &str) -> bool {
        form.fill(&json(text));
        value(form).is_some()
    }

    #[test]
    fn arguments_are_objects_and_other_values_may_be_lists() {
        let owner = Owner::new();
        owner.set();
        let any = json("{}");
        let arguments = use_arguments_form(Some(&any), Integers::Any);
        assert!(admits(arguments, r#"{"city": "Oslo"}"#) && !admits(arguments, "[1]"));
        assert!(admits(use_value_form(Some(&any), Integers::Any), "[1]"));
    }

    #[test]
    fn a_tool_without_a_schema_is_called_with_an_empty_object() {
        let owner = Owner::new();
        owner.set();
        let form = use_arguments_form(None, Integers::Any);
        assert_eq!(value(form).as_deref(), Some("{}"));
    }

    #[test]
    fn integers_beyond_64_bits_are_rejected_where_the_tool_cannot_read_them() {
        let owner = Owner::new();
        owner.set();
        let schema = json(r#"{"type": "integer"}"#);
        let large = "18446744073709551616";
        assert!(admits(use_value_form(Some(&schema), Integers::Any), large));
        assert!(!admits(use_value_form(Some(&schema), Integers::Of64Bits), large));
    }

    #[test]
    fn a_value_that_its_schema_does_not_describe_starts_as_empty_json_text() {
        let owner = Owner::new();
        owner.set();
        let form = |schema: &str| use_value_form(Some(&json(schema)), Integers::Any);
        for schema in [r#"{"type": "object"}"#, "true", r#"{"type": "object", "properties": {}}"#] {
            let form = form(schema);
            assert!(untrack(|| form.is_json()), "{schema}");
            assert_eq!(
                form.draft.read_untracked().at(&Path::root()).and_then(|it| it.text()),
                Some("")
            );
            assert_eq!(value(form), None, "nothing was entered: {schema}");
            assert_eq!(untrack(|| form.violation_count()), 0, "no error before typing: {schema}");
            form.edit(&Path::root(), Edit::SetText(r#"{"ok": true}"#.to_owned()));
            assert_eq!(value(form).as_deref(), Some(r#"{"ok":true}"#));
        }
        for schema in [
            r#"{"type": "object", "properties": {"a": {}}}"#,
            r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
            r#"{"type": "object", "additionalProperties": false}"#,
            r#"{"type": "string"}"#,
        ] {
            assert!(!untrack(|| form(schema).is_json()), "{schema}");
        }
    }

    #[test]
    fn an_empty_json_text_leaves_nothing_to_take_over() {
        let owner = Owner::new();
        owner.set();
        let before = use_value_form(Some(&json(r#"{"type": "object"}"#)), Integers::Any);
        let after = use_value_form(
            Some(&json(r#"{"type": "object", "properties": {"a": {}}}"#)),
            Integers::Any,
        );
        after.take_over(before);
        assert!(!untrack(|| after.is_json()));
    }

    #[test]
    fn a_form_for_any_value_starts_as_json_text() {
        let owner = Owner::new();
        owner.set();
        let form = use_any_form(&json(r#"{"ok": true}"#));
        assert!(untrack(|| form.is_json()));
        assert_eq!(value(form).as_deref(), Some(r#"{"ok":true}"#));
        assert_eq!(untrack(|| form.undoable()), None);
        // Nothing is entered yet, so that what was entered before a reload is taken up.
        assert!(!untrack(|| form.is_edited()));
        form.take_up("[1, 2", true);
        assert!(untrack(|| form.is_edited()));
        assert_eq!(form.reading.read_untracked().text(), "[1, 2");
    }
}
