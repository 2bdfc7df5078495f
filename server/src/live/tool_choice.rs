//! Describes a request's tool-choice setting, for the person who responds.

use json_text::JsonText;
use serde_json::Value;

/// One sentence on what the setting requires: OpenAI's and Anthropic's `tool_choice`, Gemini's
/// `tool_config`. `None` if the model may choose.
pub(super) fn required(config: &JsonText) -> Option<String> {
    let config: Value = serde_json::from_str(config.as_str()).ok()?;
    let choice = config.get("tool_choice");
    if let Some(choice) = choice.filter(|choice| !choice.is_null()) {
        let kind = choice.as_str().or_else(|| choice.get("type")?.as_str())?;
        let function = choice.get("function").unwrap_or(choice);
        let name = function.get("name").and_then(Value::as_str);
        return describe(kind, name);
    }
    let either =
        |value: &Value, names: [&str; 2]| names.iter().find_map(|name| value.get(name)).cloned();
    let tool_config = either(&config, ["tool_config", "toolConfig"])?;
    let calling = either(&tool_config, ["function_calling_config", "functionCallingConfig"])?;
    let allowed = either(&calling, ["allowed_function_names", "allowedFunctionNames"]);
    let name = allowed.as_ref().and_then(|allowed| match allowed.as_array()?.as_slice() {
        [only] => only.as_str(),
        _ => None,
    });
    describe(calling.get("mode")?.as_str()?, name)
}

fn describe(kind: &str, name: Option<&str>) -> Option<String> {
    match (kind.to_ascii_lowercase().as_str(), name) {
        ("required" | "any" | "tool" | "function", Some(name)) => {
            Some(format!("The request requires a call of {name}."))
        }
        ("required" | "any", None) => Some("The request requires a tool call.".to_owned()),
        ("none", _) => Some("The request allows no tool call.".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_the_tool_choice_of_each_vendor() {
        let a_tool = Some("The request requires a tool call.");
        let forecast = Some("The request requires a call of forecast.");
        let none = Some("The request allows no tool call.");
        for (config, expected) in [
            (r#"{"tool_choice":"required"}"#, a_tool),
            (r#"{"tool_choice":{"type":"function","function":{"name":"forecast"}}}"#, forecast),
            (r#"{"tool_choice":{"type":"function","name":"forecast"}}"#, forecast),
            (r#"{"tool_choice":{"type":"any"}}"#, a_tool),
            (r#"{"tool_choice":{"type":"tool","name":"forecast"}}"#, forecast),
            (r#"{"tool_choice":"none"}"#, none),
            (r#"{"tool_choice":"auto","temperature":0.2}"#, None),
            (r#"{"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}}"#, a_tool),
            (
                r#"{"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["forecast"]}}}"#,
                forecast,
            ),
            (r#"{"tool_config":{"function_calling_config":{"mode":"NONE"}}}"#, none),
            (r#"{"tool_config":{"function_calling_config":{"mode":"AUTO"}}}"#, None),
            (r#"{"tool_choice":7}"#, None),
            ("[]", None),
        ] {
            let config = JsonText::parse(config).expect("JSON");
            assert_eq!(required(&config).as_deref(), expected, "{config:?}");
        }
    }
}
