//! Runs in which a person acts as the model of every agent, through the agent's own runner.

use std::path::{Path, PathBuf};

use api::{ActRequest, ActedTools, RunCases, RunOf, RunRequest};
use serde_json::{Map, Value, json};

use super::recorded::{RecordedError, name_of, write};

/// The folder beside the store in which the suites of these runs are.
const SUITES: &str = "acted";
/// The characters of a message that name its case.
const NAME: usize = 40;
/// The scopes of a state that keys name before a colon.
const SCOPES: [&str; 3] = ["app", "user", "temp"];

/// The request for a run of all cases of a suite, which [`written`] has written.
pub(super) fn request_of(request: &ActRequest) -> RunRequest {
    let of = RunOf::Suite(request.agent.to_string());
    RunRequest { of, cases: RunCases::All, repeats: None, model: None }
}

/// Writes a suite for the agent in this folder, beside the store, and returns its path.
///
/// # Errors
/// [`RecordedError`] if it cannot be written.
pub(super) fn written(
    request: &ActRequest,
    folder: &Path,
    tools: &[String],
    store: &Path,
) -> Result<PathBuf, RecordedError> {
    let text = suite(request, folder, tools);
    let beside = store.parent().unwrap_or(Path::new(""));
    let name = format!("{}.eval.yaml", name_of(&text));
    let path = beside.join(SUITES).join(request.agent.as_str()).join(name);
    write(&path, &text)?;
    Ok(path)
}

/// A suite with one case: a person responds in place of the models, and says what the user says after the first message.
fn suite(request: &ActRequest, folder: &Path, tools: &[String]) -> String {
    let used = match request.tools {
        ActedTools::Real => json!("real"),
        ActedTools::Sealed => json!("sealed"),
        ActedTools::Person => json!({ "person": {} }),
    };
    let tools: Map<String, Value> = tools.iter().map(|tool| (tool.clone(), used.clone())).collect();
    let words = request.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = words.chars().take(NAME).collect();
    let state = request.state.as_ref().and_then(|state| serde_json::from_str(state.as_str()).ok());
    let case = json!({
        "name": name,
        "first_message": request.message,
        "initial_state": by_scope(state.unwrap_or_default()),
        "model": "person",
        "tools": tools,
        "user_agents": { "loop": { "person": "" } },
    });
    // JSON is YAML.
    format!("{:#}\n", json!({ "subject": { "adk": folder }, "cases": [case] }))
}

/// A state of google-adk as suites have it: by scope.
fn by_scope(state: Map<String, Value>) -> Value {
    let mut scopes: Map<String, Value> = Map::new();
    for (key, value) in state {
        let (scope, key) = match key.split_once(':') {
            Some((scope, rest)) if SCOPES.contains(&scope) => (scope, rest.to_owned()),
            _ => ("session", key),
        };
        let members = scopes.entry(scope).or_insert_with(|| json!({}));
        if let Some(members) = members.as_object_mut() {
            members.insert(key, value);
        }
    }
    Value::Object(scopes)
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
    use session::AgentId;

    use super::*;

    #[test]
    fn a_suite_has_the_tools_and_the_state_by_scope() {
        let state = r#"{"language": "en", "user:tier": "gold", "odd:key": 1}"#;
        let request = ActRequest {
            agent: AgentId::from_display_name("Desk"),
            message: "Refund\nmy order 7, which has never reached me, please".to_owned(),
            state: Some(JsonText::parse(state).expect("JSON")),
            tools: ActedTools::Sealed,
        };
        let text = suite(&request, Path::new("/agents/desk"), &["refund".to_owned()]);
        let suite: Value = serde_json::from_str(&text).expect("JSON");
        let case = &suite["cases"][0];
        assert_eq!(case["name"], "Refund my order 7, which has never reach");
        assert_eq!(case["tools"], json!({ "refund": "sealed" }));
        let state =
            json!({ "session": { "language": "en", "odd:key": 1 }, "user": { "tier": "gold" } });
        assert_eq!(case["initial_state"], state);
    }
}
