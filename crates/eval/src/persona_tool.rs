//! [`PersonaTool`]: what a simulated user can do besides talking, with its effect on the agent's state.

use json_text::JsonText;
use serde_json::{Map, Value, json};

use crate::mock::Template;
use crate::model::ModelTool;
use crate::run::merge;

/// A tool of a simulated user. A call changes the state of the agent's session and has no other effect.
#[derive(Debug, Clone)]
pub struct PersonaTool {
    declaration: ModelTool,
    changes: Vec<(String, Filled)>,
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
        Ok(Self { declaration, changes: changes.collect::<Result<_, String>>()? })
    }

    pub(crate) fn declaration(&self) -> &ModelTool {
        &self.declaration
    }

    /// Adds the changes of a call to `changes`, and gives what the model gets back.
    pub(crate) fn call(&self, args: &JsonText, changes: &mut Map<String, Value>) -> JsonText {
        let filled = args.to_value().map_err(|error| error.to_string()).and_then(|args| {
            let names = json!({ "args": args });
            let filled =
                self.changes.iter().map(|(scope, value)| Ok((scope.clone(), value.fill(&names)?)));
            filled.collect::<Result<Map<_, _>, String>>()
        });
        match filled {
            Ok(filled) => {
                merge(changes, filled);
                JsonText::from_value(&json!({ "done": true }))
            }
            // A call with other arguments than declared: the model can make it again.
            Err(error) => JsonText::from_value(&json!({ "error": error })),
        }
    }
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
    fn calls_change_the_state_by_their_arguments() {
        let declaration = ModelTool {
            name: "reveal".to_owned(),
            description: String::new(),
            parameters: JsonText::from_value(&json!({})),
        };
        let changes = json!({ "patient": {
            "revealed": ["{{ args.condition }}"],
            "years": "{{ args.years }}",
            "told": true,
        }});
        let changes = changes.as_object().expect("an object");
        let tool = PersonaTool::new(declaration, changes).expect("templates");
        let mut changed = json!({ "patient": { "age": 55 } });
        let changed = changed.as_object_mut().expect("an object");
        let args = json!({ "condition": "asthma", "years": 3 });
        let result = tool.call(&JsonText::from_value(&args), changed);
        assert_eq!(result.compact().as_str(), r#"{"done":true}"#);
        let patient = json!({ "age": 55, "revealed": ["asthma"], "years": 3, "told": true });
        assert_eq!(changed["patient"], patient);
        let result = tool.call(&JsonText::from_value(&json!({})), changed);
        assert!(result.as_str().contains("error"), "{result}");
        assert_eq!(changed["patient"], patient);
    }
}
