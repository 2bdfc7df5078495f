//! [`SimulatedTool`]: a mock that a model plays, in a world that all simulated tools of a case share.

use std::fmt::Write as _;

use async_trait::async_trait;
use json_text::{JsonIndex, JsonText, JsonValue, Kind};
use serde_json::{Map, Value};

use crate::ledger::Role;
use crate::mock::{MockContext, MockFailure, MockFunction};
use crate::model::{Model, ModelMessage, ModelRequest, UnfitAnswer, UsageNote, ask_for_json};
use crate::output_schema::mismatch;
use crate::state_change::merge;
use crate::world::SoFar;

/// A tool that a model plays: it answers calls from the tool's declaration, over given data and what earlier calls
/// changed.
#[derive(Debug, Clone)]
pub struct SimulatedTool {
    model: Model,
    data: Option<JsonText>,
    instructions: Option<String>,
}

/// What a call gives.
struct Played {
    result: Result<JsonText, String>,
    changes: Map<String, Value>,
}

impl SimulatedTool {
    /// A tool that this model plays.
    #[must_use]
    pub fn new(model: Model) -> Self {
        Self { model, data: None, instructions: None }
    }

    /// Gives it the data that it works on.
    #[must_use]
    pub fn data(mut self, data: JsonText) -> Self {
        self.data = Some(data);
        self
    }

    /// Says what it is to do beyond its declaration.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    fn request(&self, args: &JsonText, context: &MockContext, so_far: &SoFar) -> ModelRequest {
        let mut prompt = format!("The tool: {}", context.tool_name);
        let mut add = |title: &str, text: &str| {
            // Writing to a text cannot fail.
            let _ = write!(prompt, "\n\n{title}:\n{text}");
        };
        if let Some(declaration) = &context.declaration {
            add("Its declaration", &declaration.pretty());
        }
        if let Some(instructions) = &self.instructions {
            add("What it does", instructions);
        }
        if let Some(data) = &self.data {
            add("The data that it works on", &data.pretty());
        }
        let state = JsonText::from_value(&Value::Object(so_far.state.clone()));
        add("The state of the world, which all simulated tools share", &state.pretty());
        if !so_far.calls.is_empty() {
            add("The calls so far", &so_far.calls.join("\n"));
        }
        add("The call", &format!("{}({})", context.tool_name, args.compact()));
        ModelRequest {
            instruction: INSTRUCTION.to_owned(),
            messages: vec![ModelMessage::ToModel(prompt)],
            ..ModelRequest::default()
        }
    }
}

const INSTRUCTION: &str = "You play a tool that an AI agent calls in a test. Nothing real happens. Give the result \
    that the real tool would return: in its format, in keeping with the data, the state of the world and the \
    earlier calls. Do not help the agent beyond what the tool does, and do not make up records where the data says \
    which there are. A call that the real tool would refuse gets an error.\n\n\
    Answer with one JSON object and nothing else:\n\
    {\"result\": ANY_JSON, \"changes\": {...}}\n\
    or, for a call that fails,\n\
    {\"error\": \"MESSAGE\"}\n\
    `changes` is what the call changes in the state of the world: objects are merged, everything else is replaced. \
    Leave it out if nothing changes.";

#[async_trait]
impl MockFunction for SimulatedTool {
    fn wants_declaration(&self) -> bool {
        true
    }

    fn wants_state(&self) -> bool {
        false
    }

    async fn answer(
        &self,
        args: &JsonText,
        context: &MockContext,
    ) -> Result<JsonText, MockFailure> {
        let world = &context.world;
        let so_far = &mut *world.so_far.lock().await;
        let request = self.request(args, context, so_far);
        let note = UsageNote { ledger: &world.ledger, role: Role::Mock, agent: &context.tool_name };
        let played = ask_for_json(&self.model, request, note, |answer| {
            let played = played(answer)?;
            let schema = context.output_schema.as_ref();
            let returned = schema.zip(played.result.as_ref().ok());
            match returned.and_then(|(schema, result)| mismatch(schema, result)) {
                None => Ok(played),
                Some(error) => Err(format!("in `result`, {}", error.trim_end_matches('.')).into()),
            }
        })
        .await;
        let Played { result, changes } = played.map_err(MockFailure::broken)?;
        let outcome = match &result {
            Ok(value) => format!("returned {}", value.compact()),
            Err(message) => format!("failed: {message}"),
        };
        so_far.calls.push(format!("{}({}) {outcome}", context.tool_name, args.compact()));
        merge(&mut so_far.state, changes);
        result.map_err(MockFailure::Raises)
    }
}

/// Reads what the model answers.
fn played(answer: &JsonText) -> Result<Played, UnfitAnswer> {
    let document = JsonIndex::of(answer);
    let root = document.root();
    if root.kind() != Kind::Object {
        return Err("it is not an object".into());
    }
    let changes = match root.member("changes") {
        None => Map::new(),
        Some(changes) if changes.kind() == Kind::Null => Map::new(),
        Some(changes) => changes
            .to_json()
            .decode::<Map<String, Value>>()
            .map_err(|_| "`changes` is not an object")?,
    };
    let error = root.member("error").and_then(JsonValue::string);
    let result = match (root.member("result"), error) {
        (_, Some(error)) => Err(error.into_owned()),
        (Some(result), None) => Ok(result.to_json()),
        (None, None) => return Err("it has neither `result` nor `error`".into()),
    };
    Ok(Played { result, changes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> Result<(Result<JsonText, String>, usize), String> {
        let played = played(&JsonText::parse(answer).expect("valid"));
        let played = played.map_err(|error| error.to_string())?;
        Ok((played.result, played.changes.len()))
    }

    #[test]
    fn an_answer_is_a_result_with_changes_or_an_error() {
        let one = || JsonText::parse("1").expect("valid");
        assert_eq!(read(r#"{"result": 1}"#), Ok((Ok(one()), 0)));
        assert_eq!(
            read(r#"{"result": 1, "changes": {"a": 2}, "error": null}"#),
            Ok((Ok(one()), 1))
        );
        assert_eq!(read(r#"{"error": "gone"}"#), Ok((Err("gone".to_owned()), 0)));
        assert_eq!(read("[1]"), Err("it is not an object".to_owned()));
        assert_eq!(read("{}"), Err("it has neither `result` nor `error`".to_owned()));
        let changes = read(r#"{"result": 1, "changes": [1]}"#);
        assert_eq!(changes, Err("`changes` is not an object".to_owned()));
    }
}
