//! [`ChangeTemplates`]: changes of the state that depend on the arguments of a call.

use json_text::{JsonText, JsonTextError};
use serde_json::{Map, Value, json};

use crate::state_change::{ChangeError, check_operators};
use crate::template::{Template, TemplateError};

/// Changes of the state by scope. Texts in them are templates over the arguments, `args`, and give JSON if their text
/// is JSON.
#[derive(Debug, Clone)]
pub struct ChangeTemplates(Vec<(String, Filled)>);

/// A value whose texts are templates.
#[derive(Debug, Clone)]
enum Filled {
    Value(Value),
    Text(Template),
    Array(Vec<Filled>),
    Object(Vec<(String, Filled)>),
}

/// Why changes of the state cannot be made of the arguments of a call.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// The arguments cannot be read.
    #[error(transparent)]
    Arguments(#[from] JsonTextError),
    /// A template cannot be filled.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// What a template gives is not a change.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

impl ChangeTemplates {
    /// Reads changes by scope.
    ///
    /// # Errors
    /// [`TemplateError`] of the first template that cannot be read.
    pub fn of(changes: &Map<String, Value>) -> Result<Self, TemplateError> {
        let changes = changes.iter().map(|(scope, value)| Ok((scope.clone(), Filled::of(value)?)));
        changes.collect::<Result<_, _>>().map(Self)
    }

    /// The changes with the arguments in their templates.
    ///
    /// # Errors
    /// [`FillError`], such as for a name that is not given.
    pub(crate) fn fill(&self, args: &JsonText) -> Result<Map<String, Value>, FillError> {
        let names = json!({ "args": args.to_value()? });
        let filled = self.0.iter().map(|(scope, value)| {
            let filled = value.fill(&names)?;
            check_operators(&filled, scope, &|_| false)?;
            Ok((scope.clone(), filled))
        });
        filled.collect()
    }
}

/// Whether a value is a template over the arguments.
pub(crate) fn is_template(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains("{{") || text.contains("{%"))
}

impl Filled {
    fn of(value: &Value) -> Result<Self, TemplateError> {
        Ok(match value {
            Value::String(text) if is_template(value) => Self::Text(Template::parse(text)?),
            Value::Array(items) => {
                Self::Array(items.iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| Ok((name.clone(), Self::of(value)?)));
                Self::Object(members.collect::<Result<_, TemplateError>>()?)
            }
            value => Self::Value(value.clone()),
        })
    }

    fn fill(&self, names: &Value) -> Result<Value, TemplateError> {
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
                Value::Object(members.collect::<Result<_, TemplateError>>()?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_depend_on_the_arguments() {
        let changes = json!({ "patient": {
            "revealed": ["{{ args.condition }}"],
            "years": "{{ args.years }}",
            "seen": true,
        }});
        let changes = changes.as_object().expect("an object");
        let templates = ChangeTemplates::of(changes).expect("templates");
        let args = json!({ "condition": "asthma", "years": 3 });
        let changed = templates.fill(&JsonText::from_value(&args)).expect("filled");
        let patient = json!({ "revealed": ["asthma"], "years": 3, "seen": true });
        assert_eq!(changed["patient"], patient);
        assert!(templates.fill(&JsonText::from_value(&json!({}))).is_err());
    }
}
