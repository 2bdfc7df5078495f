//! [`rewritten`]: rewrites a server's message where the library cannot read it, or would drop part of it.
//!
//! - serde_json reads 127 levels of nesting. A tool nested deeper becomes a placeholder with the reason
//!   why it cannot be called.
//! - The library's `Tool` has no `execution`: `taskSupport` travels in the tool's `_meta`.
//! - An elicitation's schema travels as text ([`super::elicitation_schema`]), and so does structured content
//!   with numbers that the library would round ([`super::structured_content`]).
//! - The library reads a list of tools whole or not at all: invalid tools are made [`readable_members`].
//! - A lone surrogate becomes U+FFFD ([`super::lone_surrogates`]).
//! - A response that is not JSON, is nested too deep, or has a number out of range becomes a JSON-RPC
//!   error. Any other such message is skipped.

use std::borrow::Cow;

use json_text::{JsonText, JsonTextError, Node, nesting};
use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::elicitation_schema;
use super::invalid_tools::{is_readable, placeholder, readable_members, too_deep};
use super::json_object::{Members, member, object, texts_except};
use super::lone_surrogates::{REPLACED, replace_lone_surrogates};
use super::rejected_response::RejectedResponse;
use super::structured_content;

/// The levels of nesting that serde_json reads.
const READABLE: usize = 127;
/// The levels of a message around a tool.
const AROUND_A_TOOL: usize = 3;
/// The most characters of a tool's name that a note shows.
const NAME_CHARACTERS: usize = 80;

const TASK_SUPPORT: &str = "rehearsal/taskSupport";

/// A message as the library can read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rewritten {
    /// Empty if the text is not a message.
    pub(super) message: String,
    /// Notes for the log, a sentence each.
    pub(super) notes: Vec<String>,
}

/// The text of a log notification; `None` for other messages. The library handles notifications
/// concurrently, which would mix up the lines.
pub(super) fn log_line(message: &str) -> Option<String> {
    if !message.contains("notifications/message") {
        return None;
    }
    let message: Notification = serde_json::from_str(&replace_lone_surrogates(message)).ok()?;
    if message.method != "notifications/message" {
        return None;
    }
    let params = message.params;
    let logger = params.logger.map(|logger| format!(" {logger}:")).unwrap_or_default();
    let text = match &params.data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    Some(format!("{}{logger} {text}", params.level.as_deref().unwrap_or("log")))
}

/// A server's log notification.
#[derive(Deserialize)]
struct Notification {
    method: String,
    params: LogParams,
}

#[derive(Deserialize)]
struct LogParams {
    level: Option<String>,
    logger: Option<String>,
    data: Value,
}

/// The message as the library can read it; `None` if that is the same text.
pub(super) fn rewritten(message: &str) -> Option<Rewritten> {
    let whole = replace_lone_surrogates(message);
    let text = whole.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return None;
    }
    let rewritten = match serde_json::from_str::<Value>(text) {
        Ok(_) => rewritten_json(text),
        // A tool that is nested too deep must not take the others away.
        Err(error) => rewritten_json(text)
            .filter(|it| serde_json::from_str::<Value>(&it.message).is_ok())
            .or_else(|| Some(rejected(text, &JsonTextError::of(text, &error)))),
    };
    if matches!(whole, Cow::Borrowed(_)) {
        return rewritten;
    }
    let mut rewritten =
        rewritten.unwrap_or_else(|| Rewritten { message: text.to_owned(), notes: Vec::new() });
    rewritten.notes.push(REPLACED.to_owned());
    Some(rewritten)
}

/// For a response, an error with the reason for its request; for any other text, an empty message.
fn rejected(text: &str, fault: &JsonTextError) -> Rewritten {
    let reason = format!("The server's response cannot be read: {fault}.");
    match RejectedResponse::of(text.as_bytes()).answer(&reason) {
        Some(message) => Rewritten { message, notes: vec![reason] },
        None => {
            let notes = vec![format!("A message of the server is skipped: {fault}.")];
            Rewritten { message: String::new(), notes }
        }
    }
}

fn rewritten_json(message: &str) -> Option<Rewritten> {
    let is_read = !message.contains("\"tools\"")
        && !elicitation_schema::may_be_elicitation(message)
        && !structured_content::may_round(message);
    if is_read {
        return None;
    }
    let message: JsonText = JsonText::parse(message).ok()?;
    let Node::Object(members) = message.open() else { return None };
    let mut notes = Vec::new();
    if member(&members, "method").is_some() {
        let message = elicitation_schema::with_schema_in_meta(&members)?;
        return Some(Rewritten { message, notes });
    }
    let result = member(&members, "result")?;
    let result = match tools_of(result) {
        Some((tools, _)) if tools.iter().all(|raw| is_plain(raw)) => return None,
        Some((tools, mut result)) => {
            let tools: Vec<String> = tools.iter().map(|raw| tool(raw, &mut notes)).collect();
            result.push(("tools", format!("[{}]", tools.join(","))));
            object(&result)
        }
        None => structured_content::with_text_in_meta(result)?,
    };
    let mut whole = texts_except(&members, "result");
    whole.push(("result", result));
    Some(Rewritten { message: object(&whole), notes })
}

/// The tools of a result, and its `nextCursor`.
fn tools_of(result: &RawValue) -> Option<(Vec<&RawValue>, Members<'static>)> {
    let Node::Object(members) = Node::of(result) else { return None };
    let Node::Array(tools) = Node::of(member(&members, "tools")?) else { return None };
    let cursor = member(&members, "nextCursor").map(|raw| ("nextCursor", raw.get().to_owned()));
    Some((tools, cursor.into_iter().collect()))
}

/// Whether the library reads the whole tool.
fn is_plain(tool: &RawValue) -> bool {
    !tool.get().contains("\"taskSupport\"") && !is_too_deep(tool) && is_readable(tool.get())
}

fn is_too_deep(tool: &RawValue) -> bool {
    nesting(tool.get()) + AROUND_A_TOOL > READABLE
}

/// One tool. Members that the library does not know move to its `_meta`.
fn tool(raw: &RawValue, notes: &mut Vec<String>) -> String {
    let Node::Object(members) = Node::of(raw) else {
        let reason = "it is not an object";
        notes.push(format!("A tool is left out: {reason}."));
        return object(&placeholder("without a name", reason));
    };
    let deepest = members.iter().max_by_key(|(_, value)| nesting(value.get()));
    if let Some((key, value)) = deepest
        && is_too_deep(raw)
    {
        return object(&too_deep(&name_of(&members), key, nesting(value.get())));
    }
    let mut kept: Vec<(&str, String)> = Vec::new();
    let mut meta: Vec<(&str, String)> = Vec::new();
    let mut own_meta = Vec::new();
    for (key, value) in &members {
        match key.as_str() {
            "execution" => {
                if let Node::Object(execution) = Node::of(value)
                    && let Some((_, support)) =
                        execution.iter().find(|(key, _)| key == "taskSupport")
                {
                    meta.push((TASK_SUPPORT, support.get().to_owned()));
                }
            }
            "_meta" => {
                if let Node::Object(members) = Node::of(value) {
                    own_meta = members;
                }
            }
            key => kept.push((key, value.get().to_owned())),
        }
    }
    // The server's own value under this name must not be taken for ours.
    let own = own_meta.iter().filter(|(key, _)| key != TASK_SUPPORT);
    meta.extend(own.map(|(key, raw)| (key.as_str(), raw.get().to_owned())));
    if !meta.is_empty() {
        kept.push(("_meta", object(&meta)));
    }
    object(&readable_members(kept, &name_of(&members), notes))
}

fn name_of(members: &[(String, &RawValue)]) -> String {
    match member(members, "name").map(Node::of) {
        Some(Node::String(name)) => name.chars().take(NAME_CHARACTERS).collect(),
        _ => "without a name".to_owned(),
    }
}

/// Whether the tool runs as a task only.
pub(super) fn is_task_only(tool: &Tool) -> bool {
    let meta = tool.meta.as_ref();
    meta.and_then(|meta| meta.0.get(TASK_SUPPORT)).and_then(Value::as_str) == Some("required")
}

#[cfg(test)]
mod tests {
    use super::super::invalid_tools::{invalid_reason, too_deep_reason};
    use super::*;

    fn deep(levels: usize) -> String {
        format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels))
    }

    fn read(message: &str) -> Vec<Tool> {
        let value: Value = serde_json::from_str(message).expect("the library reads it");
        serde_json::from_value(value["result"]["tools"].clone()).expect("tools")
    }

    #[test]
    fn replaces_a_tool_nested_too_deep_with_a_placeholder() {
        let schema = deep(5_000);
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"nextCursor":"c","tools":[
                {{"name":"plain","inputSchema":{{"type":"object"}}}},
                {{"name":"deep","inputSchema":{schema}}}]}}}}"#
        );
        let rewritten = rewritten(&message).expect("rewritten");
        assert!(
            rewritten.message.contains(r#""id":7"#) && rewritten.message.contains("nextCursor")
        );
        let [plain, deep] = &read(&rewritten.message)[..] else { panic!("two tools") };
        assert_eq!((plain.name.as_ref(), too_deep_reason(plain)), ("plain", None));
        assert_eq!(deep.name, "deep");
        let reason = too_deep_reason(deep).expect("a reason");
        assert!(reason.contains("`inputSchema` is nested 5001 levels deep"), "{reason}");
    }

    #[test]
    fn replaces_a_response_nested_too_deep_with_an_error() {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":"x","result":{{"content":[],"structuredContent":{}}}}}"#,
            deep(500)
        );
        let rewritten = rewritten(&message).expect("rewritten").message;
        let value: Value = serde_json::from_str(&rewritten).expect("readable");
        assert_eq!(value["id"], "x");
        let notes = value["error"]["message"].as_str().expect("text");
        assert!(notes.contains("nested deeper than 127 levels"), "{notes}");
    }

    #[test]
    fn reads_a_log_line() {
        let line = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"db","data":"up"}}"#;
        assert_eq!(log_line(line).as_deref(), Some("info db: up"));
        let data = line.replace(r#""up""#, "[1]").replace(r#""logger":"db","#, "");
        assert_eq!(log_line(&data).as_deref(), Some("info [1]"));
        assert_eq!(log_line(r#"{"id":1,"result":{"text":"notifications/message"}}"#), None);
    }

    #[test]
    fn skips_requests_and_notifications_nested_too_deep() {
        for id in [r#""id":"q7","#, ""] {
            let deep = deep(200);
            let message = format!(r#"{{"jsonrpc":"2.0",{id}"method":"x","params":{deep}}}"#);
            let rewritten = rewritten(&message).expect("rewritten");
            assert_eq!(rewritten.message, "");
            let notes = &rewritten.notes;
            assert!(notes[0].contains("is skipped"), "{notes:?}");
            assert!(notes[0].contains("nested deeper than 127 levels"), "{notes:?}");
        }
    }

    #[test]
    fn replaces_invalid_tools_with_placeholders() {
        let message = r#"{"id":1,"result":{"tools":[{"name":"good","inputSchema":{}},
            {"name":"bool","inputSchema":true},{"name":"none"},7]}}"#;
        let rewritten = rewritten(message).expect("rewritten");
        let tools = read(&rewritten.message);
        let usable: Vec<_> = tools
            .iter()
            .filter(|tool| invalid_reason(tool).is_none())
            .map(|tool| tool.name.as_ref())
            .collect();
        assert_eq!(usable, ["good"]);
        assert_eq!(rewritten.notes.len(), 3, "{:?}", rewritten.notes);
        assert!(rewritten.notes[0].contains("The tool bool is left out"), "{:?}", rewritten.notes);
    }

    #[test]
    fn recognizes_tools_that_run_as_tasks_only() {
        let message = r#"{"id":1,"result":{"tools":[
            {"name":"a","inputSchema":{},"execution":{"taskSupport":"required"}},
            {"name":"b","inputSchema":{},"execution":{"taskSupport":"optional"}}]}}"#;
        let tools = read(&rewritten(message).expect("rewritten").message);
        assert_eq!(tools.iter().map(is_task_only).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn replaces_an_unreadable_response_with_an_error() {
        let deep = format!("{}NaN{}", "[".repeat(900), "]".repeat(900));
        for (result, notes) in [
            ("{\"e\":NaN}}", "NaN is not a number"),
            ("{\"e\":1e400}}", "this number is out of range"),
            ("{\"e\":1", "the text ends here, but } is missing"),
            (&format!("{deep}}}"), "NaN is not a number"),
        ] {
            let message = format!(r#"{{"jsonrpc":"2.0","id":"x","result":{result}"#);
            let rewritten = rewritten(&message).expect("rewritten");
            let value: Value = serde_json::from_str(&rewritten.message).expect("readable");
            assert_eq!(value["id"], "x", "{message}");
            assert!(value["error"]["message"].as_str().expect("text").contains(notes), "{value}");
            assert!(rewritten.notes[0].contains(notes), "{:?}", rewritten.notes);
        }
    }

    #[test]
    fn skips_text_that_is_not_a_message() {
        for invalid_line in ["{\"half\":", "Welcome", "{\"method\":\"x\",\"params\":[NaN]}"] {
            let rewritten = rewritten(invalid_line).expect("rewritten");
            assert_eq!(
                (rewritten.message.as_str(), rewritten.notes.len()),
                ("", 1),
                "{invalid_line}"
            );
        }
    }

    #[test]
    fn replaces_lone_surrogates_in_messages() {
        let message = r#"{"id":1,"result":{"content":[{"type":"text","text":"a\ud83d b"}]}}"#;
        let read = rewritten(message).expect("rewritten");
        assert_eq!(read.message, message.replace("\\ud83d", "\u{fffd}"));
        assert_eq!(read.notes, [REPLACED]);
        let line = r#"{"method":"notifications/message","params":{"data":"a\ud83d b"}}"#;
        assert_eq!(log_line(line).as_deref(), Some("log a\u{fffd} b"));
    }

    #[test]
    fn keeps_what_the_library_can_read() {
        assert_eq!(
            rewritten(r#"{"id":1,"result":{"tools":[{"name":"a","inputSchema":{}}]}}"#),
            None
        );
        assert_eq!(rewritten(r#"{"id":1,"result":{"content":"\"taskSupport\""}}"#), None);
        assert_eq!(rewritten("\"taskSupport\""), None);
        assert_eq!(rewritten("\u{feff}{\"id\":1,\"result\":{}}\r\n"), None);
    }
}
