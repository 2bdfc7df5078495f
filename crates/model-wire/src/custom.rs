//! OpenAI's custom tools, which take free text: a person sees a function with one argument [`INPUT`] for
//! the text, and the agent receives only the text.

use std::collections::BTreeSet;

use json_text::{JsonText, Node};
use live::{FunctionCall, FunctionDeclaration};

use crate::api_fault::ApiFault;
use crate::calls::arguments;
use crate::output::{Json as _, Object as Output};
use crate::reader::{Object, Value};

/// The argument with the text.
const INPUT: &str = "input";

/// The names of the tools that take a free text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FreeText(BTreeSet<String>);

impl FreeText {
    /// Whether the tool of this name does.
    #[must_use]
    pub fn takes(&self, tool: &str) -> bool {
        self.0.contains(tool)
    }

    /// Parses the declaration of a custom tool: name, description and format of the text.
    pub(crate) fn declaration(
        &mut self,
        mut tool: Object<'_>,
    ) -> Result<FunctionDeclaration, ApiFault> {
        let name = tool.required("name")?.name()?;
        let description = tool.text("description")?.unwrap_or_default();
        let form = tool.take("format").map_or(Ok(FREE.to_owned()), |format| form(&format))?;
        let input = Output::new()
            .with("type", "string")
            .with("format", "multiline")
            .with("description", form);
        let parameters = Output::new()
            .with("type", "object")
            .with("properties", Output::new().with(INPUT, input))
            .with("required", vec![INPUT.to_owned()])
            .with("additionalProperties", false);
        self.0.insert(name.clone());
        Ok(FunctionDeclaration {
            name,
            description,
            parameters: Some(parameters.json()),
            response: None,
        })
    }
}

const FREE: &str = "Free text.";

/// A description of the text's format. A grammar is in the format (Responses) or in a member of it (Chat
/// Completions); an unknown format is shown as JSON.
fn form(format: &Value<'_>) -> Result<String, ApiFault> {
    let mut open = format.object()?;
    let kind = open.required("type")?.string()?;
    let mut grammar = match (kind.as_str(), open.get("grammar")) {
        ("text", _) => return Ok(FREE.to_owned()),
        ("grammar", Some(inner)) => inner.object()?,
        ("grammar", None) => open,
        _ => return Ok(format!("Free text in this format: {}", format.json())),
    };
    let syntax = grammar.required("syntax")?.string()?;
    let definition = grammar.required("definition")?.string()?;
    Ok(format!("Free text that matches this grammar ({syntax}):\n\n{definition}"))
}

/// The arguments with a text.
pub(crate) fn as_arguments(text: &str) -> JsonText {
    Output::new().with(INPUT, text).json()
}

/// The text of a call; arguments of another shape are returned as JSON.
pub(crate) fn text(call: &FunctionCall) -> String {
    let args = arguments(call);
    let found = match args.open() {
        Node::Object(members) => members.into_iter().rev().find(|(name, _)| name == INPUT),
        _ => None,
    };
    match found.map(|(_, raw)| Node::of(raw)) {
        Some(Node::String(text)) => text.into_owned(),
        _ => args.as_str().to_owned(),
    }
}
