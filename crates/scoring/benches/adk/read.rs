//! As much of an ADK eval set as the two metrics look at: a stand-in until the eval-set model feeds
//! the metrics, so that parsing is counted on both sides.

use std::borrow::Cow;
use std::io;

use json_text::JsonText;
use scoring::{Invocation, ToolCall, Trace, joined};
use serde::Deserialize;

#[derive(Deserialize)]
struct EvalCase<'t> {
    #[serde(borrow)]
    conversation: Vec<Turn<'t>>,
}

#[derive(Deserialize)]
struct Turn<'t> {
    #[serde(borrow, default)]
    final_response: Option<Content<'t>>,
    #[serde(borrow, default)]
    intermediate_data: Option<Intermediate<'t>>,
}

#[derive(Deserialize)]
struct Content<'t> {
    #[serde(borrow, default)]
    parts: Vec<Part<'t>>,
}

#[derive(Deserialize)]
struct Part<'t> {
    #[serde(borrow, default)]
    text: Option<Cow<'t, str>>,
}

#[derive(Deserialize)]
struct Intermediate<'t> {
    #[serde(borrow, default)]
    tool_uses: Vec<Call<'t>>,
}

#[derive(Deserialize)]
struct Call<'t> {
    #[serde(borrow)]
    name: Cow<'t, str>,
    args: JsonText,
}

/// The cases of an eval set's text, one after the other.
pub(super) struct Cases<'t> {
    rest: &'t str,
}

impl<'t> Cases<'t> {
    /// The cases of a text in which `eval_cases` stands last, as the bench writes it.
    pub(super) fn of(text: &'t str) -> io::Result<Self> {
        let list = text.split_once("\"eval_cases\": [");
        let (_, rest) = list.ok_or_else(|| io::Error::other("no cases"))?;
        Ok(Self { rest })
    }

    /// The next case; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Trace>> {
        let rest = self.rest.trim_start_matches([',', ' ', '\n']);
        if rest.starts_with(']') {
            return Ok(None);
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<EvalCase<'t>>();
        let case = values.next().transpose()?;
        self.rest = &rest[values.byte_offset()..];
        Ok(case.map(|case| Trace {
            invocations: case.conversation.into_iter().map(invocation).collect(),
            final_state: None,
        }))
    }
}

fn invocation(turn: Turn<'_>) -> Invocation {
    let calls = turn.intermediate_data.map(|data| data.tool_uses).unwrap_or_default();
    let calls = calls.into_iter().map(|call| ToolCall {
        name: Some(call.name.into_owned()),
        args: Some(call.args),
        ..ToolCall::default()
    });
    let response = turn
        .final_response
        .map(|content| joined(content.parts.iter().filter_map(|part| part.text.as_deref())));
    Invocation { final_response: response, tool_calls: calls.collect(), ..Invocation::default() }
}
