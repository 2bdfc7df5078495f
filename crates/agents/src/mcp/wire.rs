//! [`lifted`]: rewrites a server's message where the library cannot read it, or would drop part of it.
//!
//! - serde_json reads 127 levels of nesting. A response nested deeper becomes a JSON-RPC error, a
//!   request loses its parameters, a tool becomes a placeholder that says why it cannot be called.
//! - The library's `Tool` has no `execution`: `taskSupport` travels in the tool's `_meta`.
//! - An elicitation's schema travels as text ([`super::asked_schema`]), and so does structured content
//!   with numbers that the library would round ([`super::digits`]).
//! - The library reads a list of tools whole or not at all: invalid tools are made [`readable`].
//! - A lone surrogate becomes U+FFFD ([`super::halves`]).
//! - A response that is not JSON, or has a number out of range, becomes a JSON-RPC error.

use std::borrow::Cow;

use json_text::{JsonText, JsonTextError, Node, nesting};
use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::asked_schema;
use super::digits;
use super::halves::{REPLACED, whole};
use super::skipped::Skipped;
use super::unreadable::{is_readable, placeholder, readable, too_deep};

/// How deep a message may be nested: serde_json opens 127 levels, less a few for the library's own.
pub(super) const READABLE: usize = 120;
/// The levels of a message around a tool.
const AROUND_A_TOOL: usize = 3;
/// How much of a tool's name is told.
const NAME_CHARACTERS: usize = 80;

const TASK_SUPPORT: &str = "rehearsal/taskSupport";

/// A message as the library can read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lifted {
    /// Empty where it is no message.
    pub(super) message: String,
    /// What a person should know about it, a sentence each.
    pub(super) told: Vec<String>,
}

/// The message as a line for the log, where it is one that the library reads. The library handles
/// notifications side by side, which would mix up the lines of a busy server.
pub(super) fn log_line(message: &str) -> Option<String> {
    if !message.contains("notifications/message") {
        return None;
    }
    let message: Notification = serde_json::from_str(&whole(message)).ok()?;
    if message.method != "notifications/message" {
        return None;
    }
    let told = message.params;
    let logger = told.logger.map(|logger| format!(" {logger}:")).unwrap_or_default();
    let text = match &told.data {
        Value::String(text) => text.clone(),
        data => data.to_string(),
    };
    Some(format!("{}{logger} {text}", told.level.as_deref().unwrap_or("log")))
}

/// A server's notification of a line for the log.
#[derive(Deserialize)]
struct Notification {
    method: String,
    params: Told,
}

#[derive(Deserialize)]
struct Told {
    level: Option<String>,
    logger: Option<String>,
    data: Value,
}

/// The message with what is too deep, or unknown to the library, put elsewhere; `None` when the
/// library reads it as it is.
pub(super) fn lifted(message: &str) -> Option<Lifted> {
    let whole = whole(message);
    let text = whole.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return None;
    }
    let lifted = match unread(text) {
        Some(fault) => Some(refused(text, &fault)),
        None => lifted_json(text),
    };
    if matches!(whole, Cow::Borrowed(_)) {
        return lifted;
    }
    let mut lifted =
        lifted.unwrap_or_else(|| Lifted { message: text.to_owned(), told: Vec::new() });
    lifted.told.push(REPLACED.to_owned());
    Some(lifted)
}

/// Why the library's parser refuses the text, for another reason than its depth.
fn unread(text: &str) -> Option<JsonTextError> {
    if nesting(text) > READABLE {
        return JsonText::parse(text).err();
    }
    serde_json::from_str::<Value>(text).err().map(|error| JsonTextError::of(text, &error))
}

/// Where the text answers a request, an error with the reason for whoever waits.
fn refused(text: &str, fault: &JsonTextError) -> Lifted {
    let reason = format!("The server's answer cannot be read: {fault}.");
    match Skipped::of(text.as_bytes()).answer(&reason) {
        Some(message) => Lifted { message, told: vec![reason] },
        None => {
            let told = vec![format!("A message of the server is skipped: {fault}.")];
            Lifted { message: String::new(), told }
        }
    }
}

fn lifted_json(message: &str) -> Option<Lifted> {
    let levels = nesting(message);
    let is_deep = levels > READABLE;
    let is_read = !message.contains("\"tools\"")
        && !asked_schema::may_ask(message)
        && !digits::may_round(message);
    if !is_deep && is_read {
        return None;
    }
    let message: JsonText = JsonText::parse(message).ok()?;
    let Node::Object(members) = message.open() else { return None };
    let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw);
    if let Some(method) = member("method") {
        if is_deep {
            return Some(without_params(method, member("id"), levels));
        }
        let asked = asked_schema::carrying(&members);
        return asked.map(|message| Lifted { message, told: Vec::new() });
    }
    let result = member("result")?;
    let mut told = Vec::new();
    let with_result = |result: String| {
        let others = members.iter().filter(|(key, _)| key != "result");
        let mut whole: Vec<(&str, String)> =
            others.map(|(key, raw)| (key.as_str(), raw.get().to_owned())).collect();
        whole.push(("result", result));
        object(&whole)
    };
    let lifted = match tools_of(result) {
        Some((tools, _)) if !is_deep && tools.iter().all(|raw| is_plain(raw)) => return None,
        Some((tools, rest)) => {
            let tools: Vec<String> = tools.iter().map(|raw| tool(raw, &mut told)).collect();
            let mut result: Members<'_> = rest;
            result.push(("tools", format!("[{}]", tools.join(","))));
            with_result(object(&result))
        }
        None if is_deep => {
            let reason = format!(
                "The server's answer is nested {levels} levels deep, and more than {READABLE} cannot \
                 be read. Let the tool answer with a flatter value, or with its JSON as text."
            );
            let error =
                format!(r#"{{"code":-32603,"message":{}}}"#, JsonText::string(&reason).as_str());
            let id = member("id").map_or("null", RawValue::get);
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
        }
        None => with_result(digits::carrying(result)?),
    };
    Some(Lifted { message: lifted, told })
}

/// A request of the server without its parameters, so that the server gets an error; an empty message
/// in place of a notification.
fn without_params(method: &RawValue, id: Option<&RawValue>, levels: usize) -> Lifted {
    let what = if id.is_some() { "request" } else { "notification" };
    let told = vec![format!(
        "A {what} of the server is skipped: it is nested {levels} levels deep, and more than {READABLE} \
         cannot be read."
    )];
    let message = id.map_or_else(String::new, |id| {
        object(&[
            ("jsonrpc", r#""2.0""#.to_owned()),
            ("method", method.get().to_owned()),
            ("id", id.get().to_owned()),
        ])
    });
    Lifted { message, told }
}

/// Members of an object with their texts.
type Members<'a> = Vec<(&'a str, String)>;

/// The tools that a result lists, and where its list goes on.
fn tools_of(result: &RawValue) -> Option<(Vec<&RawValue>, Members<'static>)> {
    let Node::Object(members) = Node::of(result) else { return None };
    let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw);
    let Node::Array(tools) = Node::of(member("tools")?) else { return None };
    let cursor = member("nextCursor").map(|raw| ("nextCursor", raw.get().to_owned()));
    Some((tools, cursor.into_iter().collect()))
}

/// Whether the library reads the tool and drops nothing of it that counts.
fn is_plain(tool: &RawValue) -> bool {
    !tool.get().contains("\"taskSupport\"") && is_readable(tool.get())
}

/// One tool, with what the library cannot take as its `_meta`.
fn tool(raw: &RawValue, told: &mut Vec<String>) -> String {
    let Node::Object(members) = Node::of(raw) else {
        let reason = "it is no object";
        told.push(format!("A tool is left out: {reason}."));
        return object(&placeholder("without a name", reason));
    };
    let deepest = members.iter().max_by_key(|(_, value)| nesting(value.get()));
    if let Some((key, value)) = deepest
        && nesting(raw.get()) + AROUND_A_TOOL > READABLE
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
    // The server's own value under this name would be taken for ours.
    let own = own_meta.iter().filter(|(key, _)| key != TASK_SUPPORT);
    meta.extend(own.map(|(key, raw)| (key.as_str(), raw.get().to_owned())));
    if !meta.is_empty() {
        kept.push(("_meta", object(&meta)));
    }
    object(&readable(kept, &name_of(&members), told))
}

fn name_of(members: &[(String, &RawValue)]) -> String {
    let name = members.iter().find(|(key, _)| key == "name").map(|(_, raw)| Node::of(raw));
    match name {
        Some(Node::String(name)) => name.chars().take(NAME_CHARACTERS).collect(),
        _ => "without a name".to_owned(),
    }
}

pub(super) fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{value}", JsonText::string(key))).collect();
    format!("{{{}}}", members.join(","))
}

/// Whether the tool says that it runs as a task only.
pub(super) fn is_task_only(tool: &Tool) -> bool {
    let meta = tool.meta.as_ref();
    meta.and_then(|meta| meta.0.get(TASK_SUPPORT)).and_then(Value::as_str) == Some("required")
}

#[cfg(test)]
mod tests {
    use super::super::unreadable::too_deep_reason;
    use super::*;

    fn deep(levels: usize) -> String {
        format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels))
    }

    fn read(message: &str) -> Vec<Tool> {
        let value: Value = serde_json::from_str(message).expect("the library reads it");
        serde_json::from_value(value["result"]["tools"].clone()).expect("tools")
    }

    #[test]
    fn a_deep_tool_becomes_a_placeholder_and_the_others_stay() {
        let schema = deep(5_000);
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"nextCursor":"c","tools":[
                {{"name":"plain","inputSchema":{{"type":"object"}}}},
                {{"name":"deep","inputSchema":{schema}}}]}}}}"#
        );
        let lifted = lifted(&message).expect("lifted");
        assert!(lifted.message.contains(r#""id":7"#) && lifted.message.contains("nextCursor"));
        let [plain, deep] = &read(&lifted.message)[..] else { panic!("two tools") };
        assert_eq!((plain.name.as_ref(), too_deep_reason(plain)), ("plain", None));
        assert_eq!(deep.name, "deep");
        let reason = too_deep_reason(deep).expect("a reason");
        assert!(reason.contains("`inputSchema` is nested 5001 levels deep"), "{reason}");
    }

    #[test]
    fn a_deep_answer_becomes_an_error_with_the_reason() {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":"x","result":{{"content":[],"structuredContent":{}}}}}"#,
            deep(500)
        );
        let lifted = lifted(&message).expect("lifted").message;
        let value: Value = serde_json::from_str(&lifted).expect("readable");
        assert_eq!(value["id"], "x");
        let told = value["error"]["message"].as_str().expect("text");
        assert!(told.contains("nested 503 levels deep"), "{told}");
    }

    #[test]
    fn a_line_for_the_log_is_read() {
        let line = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"db","data":"up"}}"#;
        assert_eq!(log_line(line).as_deref(), Some("info db: up"));
        let data = line.replace(r#""up""#, "[1]").replace(r#""logger":"db","#, "");
        assert_eq!(log_line(&data).as_deref(), Some("info [1]"));
        assert_eq!(log_line(r#"{"id":1,"result":{"text":"notifications/message"}}"#), None);
    }

    #[test]
    fn a_deep_request_loses_its_parameters_and_a_deep_notification_is_skipped() {
        let request = |id: &str| {
            let deep = deep(200);
            let request = format!(r#"{{"jsonrpc":"2.0",{id}"method":"x","params":{deep}}}"#);
            lifted(&request).expect("lifted")
        };
        let asked = request(r#""id":"q7","#);
        let message: Value = serde_json::from_str(&asked.message).expect("read");
        assert_eq!(message, serde_json::json!({"jsonrpc": "2.0", "id": "q7", "method": "x"}));
        assert!(asked.told[0].contains("nested 202 levels deep"), "{:?}", asked.told);
        let notification = request("");
        assert_eq!(notification.message, "");
        assert!(notification.told[0].contains("is skipped"), "{:?}", notification.told);
    }

    #[test]
    fn a_tool_that_cannot_be_read_leaves_the_others_where_they_are() {
        let message = r#"{"id":1,"result":{"tools":[{"name":"good","inputSchema":{}},
            {"name":"bool","inputSchema":true},{"name":"none"},7]}}"#;
        let lifted = lifted(message).expect("lifted");
        let tools = read(&lifted.message);
        let usable: Vec<_> = tools
            .iter()
            .filter(|tool| super::super::unreadable::reason(tool).is_none())
            .map(|tool| tool.name.as_ref())
            .collect();
        assert_eq!(usable, ["good"]);
        assert_eq!(lifted.told.len(), 3, "{:?}", lifted.told);
        assert!(lifted.told[0].contains("The tool bool is left out"), "{:?}", lifted.told);
    }

    #[test]
    fn a_tool_says_that_it_runs_as_a_task() {
        let message = r#"{"id":1,"result":{"tools":[
            {"name":"a","inputSchema":{},"execution":{"taskSupport":"required"}},
            {"name":"b","inputSchema":{},"execution":{"taskSupport":"optional"}}]}}"#;
        let tools = read(&lifted(message).expect("lifted").message);
        assert_eq!(tools.iter().map(is_task_only).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn an_answer_beyond_reading_becomes_an_error_with_the_reason() {
        let deep = format!("{}NaN{}", "[".repeat(900), "]".repeat(900));
        for (result, told) in [
            ("{\"e\":NaN}}", "NaN is not a number"),
            ("{\"e\":1e400}}", "this number is out of range"),
            ("{\"e\":1", "the text ends here, but } is missing"),
            (&format!("{deep}}}"), "NaN is not a number"),
        ] {
            let message = format!(r#"{{"jsonrpc":"2.0","id":"x","result":{result}"#);
            let lifted = lifted(&message).expect("lifted");
            let value: Value = serde_json::from_str(&lifted.message).expect("readable");
            assert_eq!(value["id"], "x", "{message}");
            assert!(value["error"]["message"].as_str().expect("text").contains(told), "{value}");
            assert!(lifted.told[0].contains(told), "{:?}", lifted.told);
        }
    }

    #[test]
    fn what_is_no_message_is_told_and_goes_no_further() {
        for nonsense in ["{\"half\":", "Welcome", "{\"method\":\"x\",\"params\":[NaN]}"] {
            let lifted = lifted(nonsense).expect("lifted");
            assert_eq!((lifted.message.as_str(), lifted.told.len()), ("", 1), "{nonsense}");
        }
    }

    #[test]
    fn half_a_character_takes_no_message_away() {
        let message = r#"{"id":1,"result":{"content":[{"type":"text","text":"a\ud83d b"}]}}"#;
        let read = lifted(message).expect("lifted");
        assert_eq!(read.message, message.replace("\\ud83d", "\u{fffd}"));
        assert_eq!(read.told, [REPLACED]);
        let line = r#"{"method":"notifications/message","params":{"data":"a\ud83d b"}}"#;
        assert_eq!(log_line(line).as_deref(), Some("log a\u{fffd} b"));
    }

    #[test]
    fn what_the_library_reads_stays_as_it_is() {
        assert_eq!(lifted(r#"{"id":1,"result":{"tools":[{"name":"a","inputSchema":{}}]}}"#), None);
        assert_eq!(lifted(r#"{"id":1,"result":{"content":"\"taskSupport\""}}"#), None);
        assert_eq!(lifted("\"taskSupport\""), None);
        assert_eq!(lifted("\u{feff}{\"id\":1,\"result\":{}}\r\n"), None);
    }
}
