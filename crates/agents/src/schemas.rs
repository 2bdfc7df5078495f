//! Checks values against an agent's schemas, with `schema-check` as the authority.
//!
//! Checking a long schema or value takes long, so [`run_blocking`] runs it on a thread that may block. Each
//! schema is compiled once (`compiled`).

mod compiled;

use crate::SessionView;
use json_text::{JsonText, JsonTextError, Kind, repeated_member};
use schema_check::Violation;

use compiled::compiled;

/// Runs `work` on a thread that may block. A panic of `work` continues here.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is ending, and `work` did not start.
            Err(_) => std::future::pending().await,
        },
    }
}

/// What a session begins or ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// The user's query.
    Query,
    /// The final response.
    FinalResponse,
}

impl std::fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Query => "query",
            Self::FinalResponse => "final response",
        })
    }
}

/// Why a query or a final response does not match the agent's own schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndError {
    /// The agent has a schema, and the text is not JSON.
    #[error("its {end} must be JSON that matches the agent's schema: {error}")]
    NotJson {
        /// Which of the two.
        end: SessionEnd,
        /// Why the text is not JSON.
        error: JsonTextError,
    },
    /// The value does not match the schema.
    #[error(
        "its {end} does not match the agent's schema: {}: {}",
        if violation.pointer.is_empty() { "the value" } else { &violation.pointer },
        violation.text
    )]
    Violation {
        /// Which of the two.
        end: SessionEnd,
        /// The first violation.
        violation: Violation,
    },
}

/// Checks a query against the agent's input schema.
///
/// # Errors
/// The text is not JSON, or the first violation.
pub fn check_query(view: &SessionView, content: &str) -> Result<(), EndError> {
    check_end(SessionEnd::Query, view.input_schema.as_ref(), content)
}

/// Checks a final response against the agent's output schema.
///
/// # Errors
/// The text is not JSON, or the first violation.
pub fn check_response(view: &SessionView, content: &str) -> Result<(), EndError> {
    check_end(SessionEnd::FinalResponse, view.output_schema.as_ref(), content)
}

fn check_end(end: SessionEnd, schema: Option<&JsonText>, content: &str) -> Result<(), EndError> {
    if schema.is_none() {
        return Ok(());
    }
    let value = JsonText::parse(content).map_err(|error| EndError::NotJson { end, error })?;
    match check_schema(schema, &value).into_iter().next() {
        Some(violation) => Err(EndError::Violation { end, violation }),
        None => Ok(()),
    }
}

/// Checks a tool's arguments: an object that the schema of its `parameters` accepts, each member once.
#[must_use]
pub fn check_arguments(parameters: Option<&JsonText>, arguments: &JsonText) -> Vec<Violation> {
    if arguments.kind() != Kind::Object {
        let text = format!("Arguments must be an object, not of type {}.", arguments.kind().name());
        return vec![Violation { pointer: String::new(), text }];
    }
    if let Some(error) = repeated_member(arguments.as_str()) {
        let text = format!("The arguments repeat a name: {error}. Remove one of the two.");
        return vec![Violation { pointer: String::new(), text }];
    }
    check_schema(parameters, arguments)
}

/// The parts of the schema that values are not checked against, a sentence each.
#[must_use]
pub fn left_unchecked(schema: &JsonText) -> Vec<String> {
    match &*compiled(schema) {
        Ok(sound) => sound
            .unchecked
            .iter()
            .map(|part| format!("The schema at {} is not checked: {}.", part.pointer, part.reason))
            .collect(),
        Err(error) => vec![format!("Nothing is checked: {error}.")],
    }
}

/// The parts of the schema of a tool's `parameters` that values are not checked against.
#[must_use]
pub fn left_unchecked_of(tool: &str, parameters: Option<&JsonText>) -> Vec<String> {
    named(&format!("The input schema of {tool}"), parameters).collect()
}

/// The parts of an agent's input and output schemas that values are not checked against.
#[must_use]
pub fn left_unchecked_at_ends(ends: (Option<&JsonText>, Option<&JsonText>)) -> Vec<String> {
    let (input, output) = ends;
    let input = named("The agent's input schema", input);
    input.chain(named("The agent's output schema", output)).collect()
}

/// Adds a warning to the view for each part of its schemas that values are not checked against.
pub async fn warned_of_unchecked(mut view: SessionView) -> SessionView {
    run_blocking(move || {
        let ends = (view.input_schema.as_ref(), view.output_schema.as_ref());
        let ends = left_unchecked_at_ends(ends);
        let tools = view.tools.iter();
        let tools =
            tools.flat_map(|it| left_unchecked_of(it.name.as_str(), it.parameters.as_ref()));
        let tools = tools.collect::<Vec<_>>();
        view.warnings.extend(ends.into_iter().chain(tools));
        view
    })
    .await
}

fn named(what: &str, schema: Option<&JsonText>) -> impl Iterator<Item = String> {
    let notes = schema.map(left_unchecked).unwrap_or_default().into_iter();
    notes.map(move |note| format!("{what}: {note}"))
}

/// Checks a value against a schema; without one, everything fits.
#[must_use]
pub fn check_schema(schema: Option<&JsonText>, value: &JsonText) -> Vec<Violation> {
    let Some(schema) = schema else { return Vec::new() };
    let compiled = compiled(schema);
    let check = match &*compiled {
        Ok(sound) => &sound.check,
        Err(error) => {
            // A model would get this schema too, and the tool would run.
            tracing::debug!("{error}");
            return Vec::new();
        }
    };
    check.violations(value)
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
    fn reports_violations_with_their_places() {
        let schema = r#"{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}},"required":["a"]}"#;
        assert_eq!(messages(schema, "{}"), [("/a".to_owned(), "Required.".to_owned())]);
        assert_eq!(messages(schema, r#"{"a":1}"#), []);
    }

    #[test]
    fn checks_the_valid_parts_of_a_schema() {
        let schema = r##"{"type":"object","unevaluatedProperties":false,
            "properties":{"a":{"$ref":"#/$defs/gone"},"n":{"type":"integer"}}}"##;
        assert_eq!(messages(schema, r#"{"zz":1}"#).len(), 1);
        assert_eq!(messages(schema, r#"{"n":"x"}"#)[0].0, "/n");
        assert_eq!(messages(schema, r#"{"a":[],"n":1}"#), []);
        let actual = left_unchecked(&JsonText::parse(schema).expect("valid"));
        assert_eq!(actual.len(), 1, "{actual:?}");
        assert!(actual[0].contains("/properties/a is not checked"), "{actual:?}");
    }

    #[tokio::test]
    async fn runs_blocking_work_on_another_thread() {
        let here = std::thread::current().id();
        assert_ne!(run_blocking(|| std::thread::current().id()).await, here);
    }

    #[test]
    fn an_invalid_schema_has_no_violations() {
        assert_eq!(messages(r#"{"type":"object","properties":7}"#, "{}"), []);
        assert_eq!(messages(r#"{"$ref":"https://example.org/remote.json"}"#, "{}"), []);
    }
}
