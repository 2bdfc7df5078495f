//! [`Bridge`]: what user agents hear, and how their answers are passed on.

use std::sync::Arc;

use json_text::JsonText;
use serde_json::json;

use crate::ledger::{Entry, Event};
use crate::mock::Template;
use crate::yields::{YieldInfo, YieldKind};

/// What user agents hear, and how their answers are passed on.
#[derive(Clone, Default)]
pub struct Bridge {
    /// The prompt; by default the last text of the subject, or the tool and its arguments.
    pub format_prompt: Option<Format>,
    /// The answer; by default the output as it is.
    pub format_response: Option<Format>,
}

/// A text made for a yield.
#[derive(Clone)]
pub enum Format {
    /// A template over `text`, `tool`, `args`, `state` and, of a response, `output`.
    Template(Template),
    /// A function of the same names.
    Function(Arc<FormatFunction>),
}

/// Makes a text of the names, or says why it cannot.
pub type FormatFunction = dyn Fn(&serde_json::Value) -> Result<String, String> + Send + Sync;

impl Format {
    fn text(&self, names: &serde_json::Value) -> Result<String, String> {
        match self {
            Self::Template(template) => template.fill(names),
            Self::Function(function) => function(names),
        }
    }
}

impl Bridge {
    /// The prompt for a yield.
    ///
    /// # Errors
    /// The format's.
    pub(crate) fn prompt(
        &self,
        events: &[Entry],
        state: &JsonText,
        info: &YieldInfo,
    ) -> Result<String, String> {
        match &self.format_prompt {
            Some(format) => format.text(&names(events, state, info)?),
            None => Ok(match (&info.kind, &info.args) {
                (YieldKind::Loop, _) => last_text(events),
                (YieldKind::Tool { tool_name }, args) => {
                    let args = args.as_ref().map_or_else(JsonText::null, JsonText::compact);
                    format!("Tool: {tool_name}\nArgs: {args}")
                }
            }),
        }
    }

    /// The response for a yield.
    ///
    /// # Errors
    /// The format's.
    pub(crate) fn response(
        &self,
        output: JsonText,
        events: &[Entry],
        state: &JsonText,
        info: &YieldInfo,
    ) -> Result<JsonText, String> {
        let Some(format) = &self.format_response else { return Ok(output) };
        let mut names = names(events, state, info)?;
        names["output"] = output.to_value().map_err(|error| error.to_string())?;
        let text = format.text(&names)?;
        Ok(match info.kind {
            YieldKind::Loop => JsonText::string(&text),
            YieldKind::Tool { .. } => {
                JsonText::parse(&text).unwrap_or_else(|_| JsonText::string(&text))
            }
        })
    }
}

fn names(
    events: &[Entry],
    state: &JsonText,
    info: &YieldInfo,
) -> Result<serde_json::Value, String> {
    let value = |text: &JsonText| text.to_value().map_err(|error| error.to_string());
    let tool = match &info.kind {
        YieldKind::Loop => None,
        YieldKind::Tool { tool_name } => Some(tool_name.as_str()),
    };
    let args = info.args.as_ref().map(value).transpose()?;
    Ok(json!({ "text": last_text(events), "tool": tool, "args": args, "state": value(state)? }))
}

/// The last text of the subject.
fn last_text(events: &[Entry]) -> String {
    let texts = events.iter().rev().find_map(|entry| match &entry.event {
        Event::Message { text, .. } => Some(text.clone()),
        _ => None,
    });
    texts.unwrap_or_default()
}
