//! OpenAI's custom tools, which take one free text: a person is shown a function whose one argument,
//! [`INPUT`], is that text, and the agent gets the text alone.

use std::collections::BTreeSet;

use json_text::{JsonText, Node};
use live::{FunctionCall, FunctionDeclaration, Invalid};

use crate::answer::arguments;
use crate::output::{Json as _, Object as Output};
use crate::reader::{Object, Value};

/// The argument that stands for the text.
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

    /// Reads the declaration of such a tool: its name, what it is for, and the form of its text.
    pub(crate) fn declaration(
        &mut self,
        mut tool: Object<'_>,
    ) -> Result<FunctionDeclaration, Invalid> {
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

const FREE: &str = "Free text, as the tool gets it.";

/// What a text has to be, in words. A grammar stands in the format (Responses) or in a member of it
/// (Chat Completions); a format that is not known is shown as it came.
fn form(format: &Value<'_>) -> Result<String, Invalid> {
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
    Ok(format!("Free text that fits this grammar ({syntax}):\n\n{definition}"))
}

/// The arguments that stand for a text.
pub(crate) fn as_arguments(text: &str) -> JsonText {
    Output::new().with(INPUT, text).json()
}

/// The text of a call; arguments of another shape are their own text.
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
