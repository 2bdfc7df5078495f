//! The tags, the name and the note of a case, and the tools that it calls.

use json_text::{JsonText, Node};
use serde::de::DeserializeOwned;

use crate::{Case, adk};

impl Case {
    /// The tags. Only AgentFlow has a field for them; a converted ADK case has them under `agentflow`.
    #[must_use]
    pub fn tags(&self) -> Vec<String> {
        match self {
            Self::AgentFlow(case) => case.tags.clone(),
            Self::Adk(case) => kept(case, "tags").unwrap_or_default(),
            Self::AdkLegacy(_) => Vec::new(),
        }
    }

    /// The display name. Only AgentFlow has a field for it; see [`Self::tags`].
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let name = match self {
            Self::AgentFlow(case) => Some(case.name.clone()),
            Self::Adk(case) => kept(case, "name"),
            Self::AdkLegacy(_) => None,
        };
        name.filter(|name| !name.is_empty())
    }

    /// The note for people, which AgentFlow calls a description; see [`Self::tags`].
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let note = match self {
            Self::AgentFlow(case) => Some(case.description.clone()),
            Self::Adk(case) => kept(case, "description"),
            Self::AdkLegacy(_) => None,
        };
        note.filter(|note| !note.is_empty())
    }

    /// The tools that the case calls, each once, in the order of their first calls.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        let mut tools = Vec::new();
        let mut take = |name| {
            if !tools.contains(&name) {
                tools.push(name);
            }
        };
        match self {
            Self::Adk(case) => {
                let data = case.turns().iter().filter_map(|turn| turn.intermediate_data.as_ref());
                let calls = data.flat_map(adk::IntermediateData::calls);
                calls.filter_map(|call| call.name.as_deref()).for_each(take);
            }
            Self::AdkLegacy(case) => {
                let calls = case.data.iter().flat_map(|query| &query.expected_tool_use);
                calls.filter_map(|call| call.tool_name.as_deref()).for_each(take);
            }
            Self::AgentFlow(case) => {
                let calls =
                    case.conversation.iter().flat_map(|turn| &turn.expected_tool_trajectory);
                calls.for_each(|call| take(&call.name));
            }
        }
        tools
    }
}

/// A member of `agentflow` in a converted case.
fn kept<T: DeserializeOwned>(case: &adk::EvalCase, wanted: &str) -> Option<T> {
    let Node::Object(members) = case.written.extra("agentflow")?.open() else { return None };
    let (_, value) = members.into_iter().find(|(key, _)| key == wanted)?;
    JsonText::from(value).decode().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_tools_survive_conversion() {
        let text = r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "name": "A",
            "description": "Why", "tags": ["x", "y"],
            "conversation": [{"invocation_id": "i", "user_content": {"role": "user", "content": ""},
            "expected_tool_trajectory": [{"name": "f"}, {"name": "g"}, {"name": "f"}]}]}]}"#;
        let cases = crate::read(text.as_bytes()).whole().expect("whole").into_cases("s");
        let adk = Case::Adk(cases[0].clone().into_adk());
        for case in [&cases[0], &adk] {
            assert_eq!(
                (case.tags(), case.tools()),
                (vec!["x".to_owned(), "y".to_owned()], vec!["f", "g"])
            );
            assert_eq!(case.name().as_deref(), Some("A"));
            assert_eq!(case.note().as_deref(), Some("Why"));
        }
        let older =
            br#"[{"query": "q", "expected_tool_use": [{"tool_name": "t", "tool_input": {}}]}]"#;
        let older = crate::read(older).whole().expect("whole").into_cases("s");
        assert_eq!((older[0].tags(), older[0].tools()), (vec![], vec!["t"]));
        assert_eq!(older[0].name(), None);
    }
}
