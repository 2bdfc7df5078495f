//! Checks values against an agent's schemas, with `schema-check` as the authority.
//!
//! A schema may be long and its faults many, and a value may be long: what may take its time is done
//! by [`aside`] on a thread that may block, each schema compiled once (`compiled`).

mod compiled;

use app::api::{FieldMessage, SessionView, ToolView, ValueTarget};
use json_text::{JsonText, Kind, written_twice};

use compiled::compiled;

/// Does `work` on a thread that may block. Where it panics, its panic goes on here.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Work that never began: the runtime is ending, and whoever waits here with it.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Checks `value` against the schema that `target` names in `view`. `None`: there is no such tool.
pub(crate) fn check(
    view: &SessionView,
    target: &ValueTarget,
    value: &JsonText,
) -> Option<Vec<FieldMessage>> {
    Some(match target {
        ValueTarget::Input => check_schema(view.input_schema.as_ref(), value),
        ValueTarget::Output => check_schema(view.output_schema.as_ref(), value),
        ValueTarget::Arguments(name) => {
            check_arguments(view.tools.iter().find(|tool| tool.name == *name)?, value)
        }
    })
}

/// Checks what a session begins and ends with against the agent's own schemas.
///
/// # Errors
/// Which of the two does not fit, and the first reason.
pub(crate) fn check_ends(view: &SessionView, query: &str, response: &str) -> Result<(), String> {
    let ends = [
        ("query", view.input_schema.as_ref(), query),
        ("final response", view.output_schema.as_ref(), response),
    ];
    for (what, schema, content) in ends {
        if schema.is_none() {
            continue;
        }
        let value = JsonText::parse(content).map_err(|error| {
            format!("its {what} must be JSON that fits the agent's schema: {error}")
        })?;
        if let Some(message) = check_schema(schema, &value).first() {
            let place = if message.pointer.is_empty() { "the value" } else { &message.pointer };
            return Err(format!(
                "its {what} does not fit the agent's schema: {place}: {}",
                message.text
            ));
        }
    }
    Ok(())
}

/// Checks a tool's arguments: an object that its parameters' schema accepts, each member once.
pub(crate) fn check_arguments(tool: &ToolView, arguments: &JsonText) -> Vec<FieldMessage> {
    if arguments.kind() != Kind::Object {
        let text = format!("A tool takes an object, not a {}.", arguments.kind().name());
        return vec![FieldMessage { pointer: String::new(), text }];
    }
    if let Some(error) = written_twice(arguments.as_str()) {
        let text = format!("A tool gets only one of the two where {error}: take one out.");
        return vec![FieldMessage { pointer: String::new(), text }];
    }
    check_schema(tool.parameters.as_ref(), arguments)
}

/// Checks a value against a schema of its own.
pub(crate) fn check_against(schema: &JsonText, value: &JsonText) -> Vec<FieldMessage> {
    check_schema(Some(schema), value)
}

/// What of the schema values are not checked against, a sentence each; nothing for a sound one.
pub(crate) fn left_unchecked(schema: &JsonText) -> Vec<String> {
    match &*compiled(schema) {
        Ok(sound) => sound
            .unchecked
            .iter()
            .map(|part| format!("What stands at {} is not checked: {}.", part.pointer, part.reason))
            .collect(),
        Err(error) => vec![format!("Nothing is checked: {error}.")],
    }
}

/// What of the tool's schema values are not checked against.
pub(crate) fn left_unchecked_of(tool: &ToolView) -> Vec<String> {
    named(&format!("The input schema of {}", tool.name), tool.parameters.as_ref()).collect()
}

/// What of an agent's own schemas, for its input and its output, values are not checked against.
pub(crate) fn left_unchecked_at_ends(ends: (Option<&JsonText>, Option<&JsonText>)) -> Vec<String> {
    let (input, output) = ends;
    let input = named("The agent's input schema", input);
    input.chain(named("The agent's output schema", output)).collect()
}

/// Adds to the view's warnings what of its schemas values are not checked against.
pub(crate) async fn warned_of_unchecked(mut view: SessionView) -> SessionView {
    aside(move || {
        let ends = (view.input_schema.as_ref(), view.output_schema.as_ref());
        let ends = left_unchecked_at_ends(ends);
        let tools = view.tools.iter().flat_map(left_unchecked_of).collect::<Vec<_>>();
        view.warnings.extend(ends.into_iter().chain(tools));
        view
    })
    .await
}

fn named(what: &str, schema: Option<&JsonText>) -> impl Iterator<Item = String> {
    let told = schema.map(left_unchecked).unwrap_or_default().into_iter();
    told.map(move |told| format!("{what}: {told}"))
}

fn check_schema(schema: Option<&JsonText>, value: &JsonText) -> Vec<FieldMessage> {
    let Some(schema) = schema else { return Vec::new() };
    let compiled = compiled(schema);
    let check = match &*compiled {
        Ok(sound) => &sound.check,
        Err(error) => {
            // A model would be shown this schema all the same, and the tool would run.
            tracing::debug!("{error}");
            return Vec::new();
        }
    };
    let complaints = check.complaints(value).into_iter();
    complaints.map(|it| FieldMessage { pointer: it.pointer, text: it.text }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(schema: &str, value: &str) -> Vec<(String, String)> {
        let schema = JsonText::parse(schema).expect("valid");
        let value = JsonText::parse(value).expect("valid");
        let messages = check_schema(Some(&schema), &value);
        messages.into_iter().map(|message| (message.pointer, message.text)).collect()
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place() {
        let schema = r#"{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}},"required":["a"]}"#;
        assert_eq!(messages(schema, "{}"), [("/a".to_owned(), "Required.".to_owned())]);
        assert_eq!(messages(schema, r#"{"a":1}"#), []);
    }

    #[test]
    fn one_broken_part_does_not_let_the_rest_pass() {
        let schema = r##"{"type":"object","unevaluatedProperties":false,
            "properties":{"a":{"$ref":"#/$defs/gone"},"n":{"type":"integer"}}}"##;
        assert_eq!(messages(schema, r#"{"zz":1}"#).len(), 1);
        assert_eq!(messages(schema, r#"{"n":"x"}"#)[0].0, "/n");
        assert_eq!(messages(schema, r#"{"a":[],"n":1}"#), []);
        let told = left_unchecked(&JsonText::parse(schema).expect("valid"));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("/properties/a is not checked"), "{told:?}");
    }

    #[tokio::test]
    async fn what_may_take_its_time_leaves_the_runtime_its_thread() {
        let here = std::thread::current().id();
        assert_ne!(aside(|| std::thread::current().id()).await, here);
    }

    #[test]
    fn a_schema_that_is_none_refuses_nothing() {
        assert_eq!(messages(r#"{"type":"object","properties":7}"#, "{}"), []);
        assert_eq!(messages(r#"{"$ref":"https://example.org/remote.json"}"#, "{}"), []);
    }
}
