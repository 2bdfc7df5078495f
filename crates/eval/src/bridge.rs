//! [`Bridge`]: what user agents hear, and how their answers are passed on.

use std::sync::Arc;

use async_trait::async_trait;
use json_text::{JsonText, JsonTextError};
use serde_json::json;

use crate::function_error::FunctionError;
use crate::ledger::{Entry, Event};
use crate::process::CallProcesses;
use crate::template::{Template, TemplateError};
use crate::user_agent::ConversationMessage;
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
    /// A template over `text` (the last text of the subject), `tool`, `args`, `interim`, `call_id`, `invocation_id`, `state`,
    /// `events` (the ledger so far), `conversation` (the session of the user agents: `role` and `text`) and, of a
    /// response, `output`.
    Template(Template),
    /// A function of the same names.
    Function(Arc<FormatFunction>),
    /// A function of the same names that takes a while, such as one in Python.
    Called(Arc<dyn CalledFormat>),
}

/// Makes a text of the names, or says why it cannot.
pub type FormatFunction = dyn Fn(&serde_json::Value) -> Result<String, FunctionError> + Send + Sync;

/// A format that another process makes.
#[async_trait]
pub trait CalledFormat: Send + Sync {
    /// What it makes of the names: a text, or for a tool any value. `processes` are those of the run.
    ///
    /// # Errors
    /// Why it cannot.
    async fn format(
        &self,
        processes: &CallProcesses,
        names: &serde_json::Value,
    ) -> Result<JsonText, FunctionError>;
}

/// Why a bridge gives no text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BridgeError {
    /// A template cannot be filled.
    #[error("the template bridge.{member} cannot be filled: {error}. It can use {known}")]
    Template { member: &'static str, error: TemplateError, known: String },
    /// A function failed.
    #[error("bridge.{member} failed: {error}")]
    Function { member: &'static str, error: FunctionError },
    /// A function that is called gives nothing at once.
    #[error("bridge.{member} gives nothing")]
    Nothing { member: &'static str },
    /// A prompt is a text.
    #[error("bridge.format_prompt returned {made}, which is not a text; return the prompt as one")]
    NotText { made: JsonText },
    /// A value of the run cannot be read.
    #[error(transparent)]
    Value(#[from] JsonTextError),
    /// The events of the run cannot be written.
    #[error(transparent)]
    Events(#[from] serde_json::Error),
}

impl Format {
    /// The text, or why `member` of the bridge gives none; `None` for one that is called.
    fn text(
        &self,
        member: &'static str,
        names: &serde_json::Value,
    ) -> Option<Result<String, BridgeError>> {
        match self {
            Self::Template(template) => Some(template.fill(names).map_err(|error| {
                let known = names.as_object().into_iter().flat_map(serde_json::Map::keys);
                let known = known.map(String::as_str).collect::<Vec<_>>().join(", ");
                BridgeError::Template { member, error, known }
            })),
            Self::Function(function) => {
                Some(function(names).map_err(|error| BridgeError::Function { member, error }))
            }
            Self::Called(_) => None,
        }
    }

    /// What it makes, or why `member` of the bridge gives nothing. A template and a function in Rust make a text.
    async fn made(
        &self,
        member: &'static str,
        names: &serde_json::Value,
        processes: &CallProcesses,
    ) -> Result<JsonText, BridgeError> {
        match (self, self.text(member, names)) {
            (Self::Called(function), _) => {
                let made = function.format(processes, names).await;
                made.map_err(|error| BridgeError::Function { member, error })
            }
            (_, Some(text)) => text.map(|text| JsonText::string(&text)),
            (_, None) => Err(BridgeError::Nothing { member }),
        }
    }
}

impl Bridge {
    /// The prompt for a yield.
    ///
    /// # Errors
    /// The format's.
    pub(crate) async fn prompt(
        &self,
        at: &AtYield<'_>,
        processes: &CallProcesses,
    ) -> Result<String, BridgeError> {
        let Some(format) = &self.format_prompt else {
            return Ok(match (&at.info.kind, &at.info.args) {
                (YieldKind::Loop, _) => last_text(at.events),
                (YieldKind::Tool { tool_name }, args) => {
                    let args = args.as_ref().map_or_else(JsonText::null, JsonText::compact);
                    let interim = at.info.interim.as_ref().map(JsonText::compact);
                    let interim = interim.map(|it| format!("\nReturned: {it}"));
                    format!("Tool: {tool_name}\nArgs: {args}{}", interim.unwrap_or_default())
                }
            });
        };
        let made = format.made("format_prompt", &at.names()?, processes).await?;
        made.decode::<String>().map_err(|_| BridgeError::NotText { made: made.clone() })
    }

    /// The response for a yield.
    ///
    /// # Errors
    /// The format's.
    pub(crate) async fn response(
        &self,
        output: JsonText,
        at: &AtYield<'_>,
        processes: &CallProcesses,
    ) -> Result<JsonText, BridgeError> {
        let Some(format) = &self.format_response else { return Ok(output) };
        let names = at.names_with(&output)?;
        let made = format.made("format_response", &names, processes).await?;
        Ok(match format {
            Format::Called(_) => made,
            Format::Template(_) | Format::Function(_) => at.read(made),
        })
    }

    /// The response for a yield where it can be known at once: `None` if another process makes it.
    ///
    /// # Errors
    /// The format's.
    pub(crate) fn response_at_once(
        &self,
        output: &JsonText,
        at: &AtYield<'_>,
    ) -> Result<Option<JsonText>, BridgeError> {
        let Some(format) = &self.format_response else { return Ok(Some(output.clone())) };
        let text = format.text("format_response", &at.names_with(output)?);
        text.map(|text| text.map(|text| at.read(JsonText::string(&text)))).transpose()
    }
}

/// What formats are made of.
pub(crate) struct AtYield<'a> {
    /// The events of the main session.
    pub(crate) events: &'a [Entry],
    /// The session of the user agents.
    pub(crate) heard: &'a [ConversationMessage],
    /// The state of the main session.
    pub(crate) state: &'a JsonText,
    pub(crate) info: &'a YieldInfo,
}

impl AtYield<'_> {
    /// A text as the response: for a tool, what it is as JSON.
    fn read(&self, text: JsonText) -> JsonText {
        let json = || JsonText::parse(&text.decode::<String>().ok()?).ok();
        match self.info.kind {
            YieldKind::Loop => text,
            YieldKind::Tool { .. } => json().unwrap_or(text),
        }
    }

    fn names_with(&self, output: &JsonText) -> Result<serde_json::Value, BridgeError> {
        let mut names = self.names()?;
        names["output"] = output.to_value()?;
        Ok(names)
    }

    fn names(&self) -> Result<serde_json::Value, BridgeError> {
        let tool = match &self.info.kind {
            YieldKind::Loop => None,
            YieldKind::Tool { tool_name } => Some(tool_name.as_str()),
        };
        let conversation = self.heard.iter().map(|message| match message {
            ConversationMessage::Prompt(text) => json!({ "role": "agent", "text": text }),
            ConversationMessage::Own(text) => json!({ "role": "user", "text": text }),
        });
        let events = self.events.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
        Ok(json!({
            "text": last_text(self.events),
            "tool": tool,
            "args": self.info.args.as_ref().map(JsonText::to_value).transpose()?,
            "interim": self.info.interim.as_ref().map(JsonText::to_value).transpose()?,
            "call_id": self.info.call_id,
            "invocation_id": self.info.invocation_id,
            "state": self.state.to_value()?,
            "events": events?,
            "conversation": conversation.collect::<Vec<_>>(),
        }))
    }
}

/// The last text of the subject.
fn last_text(events: &[Entry]) -> String {
    let texts = events.iter().rev().find_map(|entry| match &entry.event {
        Event::Message { text, .. } => Some(text.clone()),
        _ => None,
    });
    texts.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn message(text: &str) -> Entry {
        let event = Event::Message {
            agent: "triage".to_owned(),
            text: text.to_owned(),
            is_intermediate: false,
            is_inner: false,
        };
        Entry { at_ms: 0, event }
    }

    fn waits(kind: YieldKind, args: Option<&str>) -> YieldInfo {
        YieldInfo {
            kind,
            invocation_id: "i".to_owned(),
            awaiting_input: true,
            call_id: None,
            args: args.map(json),
            interim: None,
        }
    }

    fn at<'a>(events: &'a [Entry], state: &'a JsonText, info: &'a YieldInfo) -> AtYield<'a> {
        AtYield { events, heard: HEARD.as_slice(), state, info }
    }

    static HEARD: std::sync::LazyLock<[ConversationMessage; 1]> =
        std::sync::LazyLock::new(|| [ConversationMessage::Own("Hi".to_owned())]);

    fn of_loop() -> YieldInfo {
        waits(YieldKind::Loop, None)
    }

    fn of_tool() -> YieldInfo {
        waits(YieldKind::Tool { tool_name: "ask".to_owned() }, Some(r#"{ "question": "Where?" }"#))
    }

    fn template(source: &str) -> Option<Format> {
        Some(Format::Template(Template::parse(source).expect("valid")))
    }

    fn prompt(source: &str, info: &YieldInfo) -> Result<String, String> {
        let bridge = Bridge { format_prompt: template(source), format_response: None };
        prompted(&bridge, &[message("Hello"), message("Any pain?")], &json(r#"{"age": 55}"#), info)
    }

    fn prompted(
        bridge: &Bridge,
        events: &[Entry],
        state: &JsonText,
        info: &YieldInfo,
    ) -> Result<String, String> {
        let processes = CallProcesses::default();
        let prompt =
            futures::executor::block_on(bridge.prompt(&at(events, state, info), &processes));
        prompt.map_err(|error| error.to_string())
    }

    fn responded(bridge: &Bridge, output: &JsonText, at: &AtYield<'_>) -> Result<JsonText, String> {
        let processes = CallProcesses::default();
        let response = futures::executor::block_on(bridge.response(output.clone(), at, &processes));
        let response = response.map_err(|error| error.to_string());
        let at_once = bridge.response_at_once(output, at).map_err(|error| error.to_string());
        assert_eq!(at_once, response.clone().map(Some));
        response
    }

    fn response(source: &str, output: &str, info: &YieldInfo) -> Result<JsonText, String> {
        let bridge = Bridge { format_prompt: None, format_response: template(source) };
        let (events, state) = ([message("Any pain?")], json(r#"{"age": 55}"#));
        responded(&bridge, &json(output), &at(&events, &state, info))
    }

    #[test]
    fn by_default_a_user_hears_the_last_text_or_the_call_and_answers_as_it_does() {
        let (bridge, state) = (Bridge::default(), json("{}"));
        let events = [message("Hello"), message("Any pain?")];
        let prompt = |info: &YieldInfo| prompted(&bridge, &events, &state, info).expect("a prompt");
        assert_eq!(prompt(&of_loop()), "Any pain?");
        assert_eq!(prompt(&of_tool()), "Tool: ask\nArgs: {\"question\":\"Where?\"}");
        let nothing = prompted(&bridge, &[], &state, &of_loop());
        assert_eq!(nothing.as_deref(), Ok(""), "nothing was said");
        let output = json(r#"{"answer": 1.10}"#);
        let response = responded(&bridge, &output, &at(&events, &state, &of_tool()));
        assert_eq!(response, Ok(output));
    }

    #[test]
    fn a_prompt_can_use_every_name() {
        let all = "{{ text }}|{{ tool }}|{{ args.question }}|{{ state.age }}|{{ invocation_id }}|\
                   {{ events[0].type }}|{{ conversation[0].role }}: {{ conversation[0].text }}";
        let filled = "Any pain?|ask|Where?|55|i|message|user: Hi";
        assert_eq!(prompt(all, &of_tool()).as_deref(), Ok(filled));
        let of_loop = prompt("{{ text }}|{{ tool }}|{{ args }}", &of_loop());
        assert_eq!(of_loop.as_deref(), Ok("Any pain?|None|None"));
    }

    #[test]
    fn a_response_can_use_the_output_too_and_is_json_for_a_tool() {
        let all = "{{ output.a }}|{{ text }}|{{ tool }}|{{ args.question }}|{{ state.age }}";
        let of_tool_text = response(all, r#"{"a": 1}"#, &of_tool());
        assert_eq!(of_tool_text, Ok(JsonText::string("1|Any pain?|ask|Where?|55")));
        let source = r#"{ "answer": "{{ output }}" }"#;
        let of_tool = response(source, r#""Here""#, &of_tool());
        assert_eq!(of_tool, Ok(json(r#"{ "answer": "Here" }"#)));
        let of_loop = response(source, r#""Here""#, &of_loop());
        assert_eq!(of_loop, Ok(JsonText::string(r#"{ "answer": "Here" }"#)));
    }

    #[test]
    fn an_error_names_the_template_its_line_and_what_it_can_use() {
        let error = prompt("Hi\n{{ txt }}", &of_loop()).expect_err("a wrong name");
        assert!(
            error.starts_with("the template bridge.format_prompt cannot be filled: "),
            "{error}"
        );
        assert!(error.contains("(in template:2). It can use "), "{error}");
        for name in ["text", "tool", "args", "state"] {
            assert!(error.contains(name), "{name} is not in {error}");
        }
        let error = response("{{ outptu }}", "1", &of_loop()).expect_err("a wrong name");
        assert!(error.starts_with("the template bridge.format_response cannot"), "{error}");
        assert!(error.contains("output"), "{error}");
    }

    #[test]
    fn a_function_that_fails_is_named() {
        let failing: Arc<FormatFunction> = Arc::new(|_| Err("no text".into()));
        let bridge = Bridge { format_prompt: Some(Format::Function(failing)), ..Bridge::default() };
        let error = prompted(&bridge, &[], &json("{}"), &of_loop());
        assert_eq!(error, Err("bridge.format_prompt failed: no text".to_owned()));
    }
}
