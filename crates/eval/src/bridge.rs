//! [`Bridge`]: what user agents hear, and how their answers are passed on.

use std::sync::Arc;

use json_text::JsonText;
use serde_json::json;

use crate::ledger::{Entry, Event};
use crate::mock::Template;
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
}

/// Makes a text of the names, or says why it cannot.
pub type FormatFunction = dyn Fn(&serde_json::Value) -> Result<String, String> + Send + Sync;

impl Format {
    /// The text, or why `member` of the bridge gives none.
    fn text(&self, member: &str, names: &serde_json::Value) -> Result<String, String> {
        match self {
            Self::Template(template) => template.fill(names).map_err(|error| {
                let known = names.as_object().into_iter().flat_map(serde_json::Map::keys);
                let known = known.map(String::as_str).collect::<Vec<_>>().join(", ");
                format!(
                    "the template bridge.{member} cannot be filled: {error}. It can use {known}"
                )
            }),
            Self::Function(function) => {
                function(names).map_err(|error| format!("bridge.{member} failed: {error}"))
            }
        }
    }
}

impl Bridge {
    /// The prompt for a yield.
    ///
    /// # Errors
    /// The format's.
    pub(crate) fn prompt(&self, at: &AtYield<'_>) -> Result<String, String> {
        match &self.format_prompt {
            Some(format) => format.text("format_prompt", &at.names()?),
            None => Ok(match (&at.info.kind, &at.info.args) {
                (YieldKind::Loop, _) => last_text(at.events),
                (YieldKind::Tool { tool_name }, args) => {
                    let args = args.as_ref().map_or_else(JsonText::null, JsonText::compact);
                    let interim = at.info.interim.as_ref().map(JsonText::compact);
                    let interim = interim.map(|it| format!("\nReturned: {it}"));
                    format!("Tool: {tool_name}\nArgs: {args}{}", interim.unwrap_or_default())
                }
            }),
        }
    }

    /// The response for a yield.
    ///
    /// # Errors
    /// The format's.
    pub(crate) fn response(&self, output: JsonText, at: &AtYield<'_>) -> Result<JsonText, String> {
        let Some(format) = &self.format_response else { return Ok(output) };
        let mut names = at.names()?;
        names["output"] = output.to_value().map_err(|error| error.to_string())?;
        let text = format.text("format_response", &names)?;
        Ok(match at.info.kind {
            YieldKind::Loop => JsonText::string(&text),
            YieldKind::Tool { .. } => {
                JsonText::parse(&text).unwrap_or_else(|_| JsonText::string(&text))
            }
        })
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
    fn names(&self) -> Result<serde_json::Value, String> {
        let value = |text: &JsonText| text.to_value().map_err(|error| error.to_string());
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
            "args": self.info.args.as_ref().map(value).transpose()?,
            "interim": self.info.interim.as_ref().map(value).transpose()?,
            "call_id": self.info.call_id,
            "invocation_id": self.info.invocation_id,
            "state": value(self.state)?,
            "events": events.map_err(|error| error.to_string())?,
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
        bridge.prompt(&at(&[message("Hello"), message("Any pain?")], &json(r#"{"age": 55}"#), info))
    }

    fn response(source: &str, output: &str, info: &YieldInfo) -> Result<JsonText, String> {
        let bridge = Bridge { format_prompt: None, format_response: template(source) };
        bridge.response(json(output), &at(&[message("Any pain?")], &json(r#"{"age": 55}"#), info))
    }

    #[test]
    fn by_default_a_user_hears_the_last_text_or_the_call_and_answers_as_it_does() {
        let (bridge, state) = (Bridge::default(), json("{}"));
        let events = [message("Hello"), message("Any pain?")];
        let prompt =
            |info: &YieldInfo| bridge.prompt(&at(&events, &state, info)).expect("a prompt");
        assert_eq!(prompt(&of_loop()), "Any pain?");
        assert_eq!(prompt(&of_tool()), "Tool: ask\nArgs: {\"question\":\"Where?\"}");
        let nothing = bridge.prompt(&at(&[], &state, &of_loop()));
        assert_eq!(nothing.as_deref(), Ok(""), "nothing was said");
        let output = json(r#"{"answer": 1.10}"#);
        let response = bridge.response(output.clone(), &at(&events, &state, &of_tool()));
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
        let failing: Arc<FormatFunction> = Arc::new(|_| Err("no text".to_owned()));
        let bridge = Bridge { format_prompt: Some(Format::Function(failing)), ..Bridge::default() };
        let error = bridge.prompt(&at(&[], &json("{}"), &of_loop()));
        assert_eq!(error, Err("bridge.format_prompt failed: no text".to_owned()));
    }
}
