//! [`PersonaTool`]: what a simulated user can do besides talking, with its effect on the agent's state.

use json_text::JsonText;
use serde_json::{Map, Value, json};

use crate::mock::{MockFailure, Template};
use crate::model::ModelTool;
use crate::python::{PythonFunction, YieldedTo};

/// A tool of a simulated user. A call can change the state of the agent's session.
#[derive(Debug, Clone)]
pub struct PersonaTool {
    declaration: ModelTool,
    effect: Effect,
}

/// What a call does.
#[derive(Debug, Clone)]
enum Effect {
    /// It changes the state so, by scope, and nothing else.
    Changes(Vec<(String, Filled)>),
    /// What a function in Python does.
    Function(PythonFunction),
}

/// A value whose texts are templates.
#[derive(Debug, Clone)]
enum Filled {
    Value(Value),
    Text(Template),
    Array(Vec<Filled>),
    Object(Vec<(String, Filled)>),
}

impl PersonaTool {
    /// A tool that makes these changes of the state, by scope. Texts in them are templates over the arguments,
    /// `args`, and give JSON if their text is JSON.
    ///
    /// # Errors
    /// What is wrong with a template.
    pub fn new(declaration: ModelTool, changes: &Map<String, Value>) -> Result<Self, String> {
        let changes = changes.iter().map(|(scope, value)| Ok((scope.clone(), Filled::of(value)?)));
        let changes = changes.collect::<Result<_, String>>()?;
        Ok(Self { declaration, effect: Effect::Changes(changes) })
    }

    /// A tool that calls a function in Python with the arguments. The model gets what it returns.
    #[must_use]
    pub fn function(declaration: ModelTool, function: PythonFunction) -> Self {
        Self { declaration, effect: Effect::Function(function) }
    }

    /// Whether a call sees what the calls before it changed, so that it replaces nothing unknowingly.
    pub(crate) fn sees_state(&self) -> bool {
        matches!(self.effect, Effect::Function(_))
    }

    pub(crate) fn declaration(&self) -> &ModelTool {
        &self.declaration
    }

    /// What the model gets back for a call, and what the call changes, by scope.
    ///
    /// # Errors
    /// What is wrong with a function. A call with other arguments than declared does not fail: the model gets the
    /// reason, and can make it again.
    pub(crate) async fn call(
        &self,
        args: &JsonText,
        yielded: &YieldedTo<'_>,
    ) -> Result<(JsonText, Map<String, Value>), String> {
        let called = match &self.effect {
            Effect::Changes(templates) => filled(templates, args)
                .map(|changed| (JsonText::from_value(&json!({ "done": true })), changed)),
            Effect::Function(function) => match function.persona_tool(args, yielded).await {
                Ok(answer) => Ok(answer),
                Err(MockFailure::Raises(message)) => Err(message),
                Err(MockFailure::Broken(message)) => return Err(message),
                Err(MockFailure::NotRecorded) => Err("it has no answer".to_owned()),
            },
        };
        Ok(called
            .unwrap_or_else(|error| (JsonText::from_value(&json!({ "error": error })), Map::new())))
    }
}

/// The changes with the arguments in their templates.
fn filled(templates: &[(String, Filled)], args: &JsonText) -> Result<Map<String, Value>, String> {
    let args = args.to_value().map_err(|error| error.to_string())?;
    let names = json!({ "args": args });
    templates.iter().map(|(scope, value)| Ok((scope.clone(), value.fill(&names)?))).collect()
}

impl Filled {
    fn of(value: &Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) if text.contains("{{") || text.contains("{%") => {
                Self::Text(Template::parse(text)?)
            }
            Value::Array(items) => {
                Self::Array(items.iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| Ok((name.clone(), Self::of(value)?)));
                Self::Object(members.collect::<Result<_, String>>()?)
            }
            value => Self::Value(value.clone()),
        })
    }

    fn fill(&self, names: &Value) -> Result<Value, String> {
        Ok(match self {
            Self::Value(value) => value.clone(),
            Self::Text(template) => {
                let text = template.fill(names)?;
                serde_json::from_str(&text).unwrap_or(Value::String(text))
            }
            Self::Array(items) => {
                items.iter().map(|item| item.fill(names)).collect::<Result<Vec<_>, _>>()?.into()
            }
            Self::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| Ok((name.clone(), value.fill(names)?)));
                Value::Object(members.collect::<Result<_, String>>()?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_depend_on_the_arguments() {
        let declaration = ModelTool {
            name: "reveal".to_owned(),
            description: String::new(),
            parameters: JsonText::from_value(&json!({})),
        };
        let changes = json!({ "patient": {
            "revealed": ["{{ args.condition }}"],
            "years": "{{ args.years }}",
            "seen": true,
        }});
        let changes = changes.as_object().expect("an object");
        let tool = PersonaTool::new(declaration, changes).expect("templates");
        let Effect::Changes(templates) = &tool.effect else { panic!("{tool:?}") };
        let args = json!({ "condition": "asthma", "years": 3 });
        let changed = filled(templates, &JsonText::from_value(&args)).expect("filled");
        let patient = json!({ "revealed": ["asthma"], "years": 3, "seen": true });
        assert_eq!(changed["patient"], patient);
        assert!(filled(templates, &JsonText::from_value(&json!({}))).is_err());
    }
}
