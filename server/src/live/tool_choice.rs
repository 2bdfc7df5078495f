//! A request's tool-choice setting: what the person who responds reads, and what is refused.

use json_text::JsonText;
use serde_json::Value;

/// What a request requires of the response.
#[derive(Debug, PartialEq, Eq)]
enum ToolChoice {
    /// A call of any tool.
    AnyCall,
    /// A call of this tool.
    CallOf(String),
    /// No call.
    NoCall,
}

/// One sentence on what the setting requires; `None` if the model may choose.
pub(super) fn required(config: &JsonText) -> Option<String> {
    Some(match choice(config)? {
        ToolChoice::AnyCall => "The request requires a tool call.".to_owned(),
        ToolChoice::CallOf(name) => format!("The request requires a call of {name}."),
        ToolChoice::NoCall => "The request allows no tool call.".to_owned(),
    })
}

/// Why a response with calls of these tools is none that the request allows, and what to do.
pub(super) fn refusal(config: &JsonText, called: &[String]) -> Option<String> {
    match choice(config)? {
        ToolChoice::AnyCall if called.is_empty() => {
            Some("The request requires a tool call. Choose a tool, and add its call.".to_owned())
        }
        ToolChoice::CallOf(name) if !called.contains(&name) => {
            Some(format!("The request requires a call of {name}. Add one."))
        }
        ToolChoice::NoCall if !called.is_empty() => Some(
            "The request allows no tool call. Remove the calls, and respond with a text."
                .to_owned(),
        ),
        _ => None,
    }
}

/// The setting of OpenAI's and Anthropic's `tool_choice`, or of Gemini's `tool_config`.
fn choice(config: &JsonText) -> Option<ToolChoice> {
    let config: Value = serde_json::from_str(config.as_str()).ok()?;
    let choice = config.get("tool_choice");
    if let Some(choice) = choice.filter(|choice| !choice.is_null()) {
        let kind = choice.as_str().or_else(|| choice.get("type")?.as_str())?;
        let function = choice.get("function").unwrap_or(choice);
        let name = function.get("name").and_then(Value::as_str);
        return of_kind(kind, name);
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
    of_kind(calling.get("mode")?.as_str()?, name)
}

fn of_kind(kind: &str, name: Option<&str>) -> Option<ToolChoice> {
    match (kind.to_ascii_lowercase().as_str(), name) {
        ("required" | "any" | "tool" | "function", Some(name)) => {
            Some(ToolChoice::CallOf(name.to_owned()))
        }
        ("required" | "any", None) => Some(ToolChoice::AnyCall),
        ("none", _) => Some(ToolChoice::NoCall),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_that_the_request_does_not_allow_is_refused() {
        let refused = |config: &str, called: &[&str]| {
            let called: Vec<String> = called.iter().map(|name| (*name).to_owned()).collect();
            refusal(&JsonText::parse(config).expect("JSON"), &called).is_some()
        };
        let (any, forecast) = (
            r#"{"tool_choice":"required"}"#,
            r#"{"tool_choice":{"type":"function","function":{"name":"forecast"}}}"#,
        );
        assert!(refused(any, &[]) && !refused(any, &["f"]));
        assert!(refused(forecast, &["f"]) && !refused(forecast, &["f", "forecast"]));
        let none = r#"{"tool_choice":{"type":"none"}}"#;
        assert!(refused(none, &["f"]) && !refused(none, &[]));
        assert!(!refused(r#"{"tool_choice":"auto"}"#, &[]));
    }

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
