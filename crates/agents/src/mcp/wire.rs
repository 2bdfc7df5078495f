//! [`lifted`]: what the library cannot read in a server's message, or would drop, put where it
//! reaches us.
//!
//! Its parser stops at 128 levels and skips the whole message without a word: one deep schema would
//! take every tool of its server away, and a deep result would never arrive.
//! It also knows nothing of a tool's `execution`.
//! Both travel in the tool's `_meta`, the schema as text.
//! A deep request of the server goes on without its parameters, so that it is answered.
//! A question's schema goes along as it was written ([`super::asked_schema`]), and so does structured
//! content with numbers that would be rounded ([`super::digits`]).
//! A list with a tool that it cannot read is made [`readable`].
//! Half a character reads as U+FFFD ([`super::halves`]).
//! An answer that is no JSON, or holds a number beyond reading, becomes an error with the reason.

use std::borrow::Cow;

use json_text::{JsonText, JsonTextError, Node, nesting};
use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::asked_schema;
use super::digits;
use super::halves::{REPLACED, whole};
use super::misasked::UNASKED;
use super::skipped::Skipped;
use super::unreadable::{is_readable, placeholder, readable};

/// How deep a message may be nested: serde_json opens 127 levels, less a few for the library's own.
pub(super) const READABLE: usize = 120;
/// The levels of a message around a tool's schema.
const AROUND_A_SCHEMA: usize = 4;
/// How much of a tool's name is told.
const NAME_CHARACTERS: usize = 80;

const INPUT_SCHEMA: &str = "rehearsal/inputSchema";
const OUTPUT_SCHEMA: &str = "rehearsal/outputSchema";
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
    if !message.contains("notifications/message") || nesting(message) > READABLE {
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
            return Some(too_deep(method, member("id"), levels));
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

/// A request or a notification of the server that is nested too deep. Somebody waits for the answer
/// to a request: it goes on without its parameters, and whoever answers it finds the reason there.
fn too_deep(method: &RawValue, id: Option<&RawValue>, levels: usize) -> Lifted {
    let reason =
        format!("it is nested {levels} levels deep, and more than {READABLE} cannot be read");
    let mut message = vec![("jsonrpc", r#""2.0""#.to_owned()), ("method", method.get().to_owned())];
    let Some(id) = id else {
        let told = vec![format!("A notification of the server is skipped: {reason}.")];
        return Lifted { message: object(&message), told };
    };
    let params = object(&[(UNASKED, JsonText::string(&reason).to_string())]);
    message.extend([("id", id.get().to_owned()), ("params", params)]);
    Lifted { message: object(&message), told: Vec::new() }
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
    let mut kept: Vec<(&str, String)> = Vec::new();
    let mut meta: Vec<(&str, String)> = Vec::new();
    let mut own_meta = Vec::new();
    for (key, value) in &members {
        let levels = nesting(value.get());
        let is_deep = levels + AROUND_A_SCHEMA > READABLE;
        let as_text = || JsonText::string(value.get()).to_string();
        match key.as_str() {
            "inputSchema" if is_deep => {
                meta.push((INPUT_SCHEMA, as_text()));
                kept.push(("inputSchema", r#"{"type":"object"}"#.to_owned()));
            }
            "outputSchema" if is_deep => meta.push((OUTPUT_SCHEMA, as_text())),
            _ if is_deep => {
                let name = name_of(&members);
                told.push(format!(
                    "The `{key}` of the tool {name} is left out: it is nested {levels} levels deep."
                ));
            }
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
    // What the server says under our names is not ours.
    let is_ours = |key: &str| [INPUT_SCHEMA, OUTPUT_SCHEMA, TASK_SUPPORT].contains(&key);
    let own = own_meta.iter().filter(|(key, _)| !is_ours(key));
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

/// What the tool takes, however deep it is.
pub(super) fn input_schema(tool: &Tool) -> JsonText {
    carried(tool, INPUT_SCHEMA)
        .unwrap_or_else(|| JsonText::from_value(&Value::Object(tool.input_schema.as_ref().clone())))
}

/// What the tool's structured content looks like, however deep that is.
pub(super) fn output_schema(tool: &Tool) -> Option<JsonText> {
    carried(tool, OUTPUT_SCHEMA).or_else(|| {
        let schema = tool.output_schema.as_ref()?;
        Some(JsonText::from_value(&Value::Object(schema.as_ref().clone())))
    })
}

/// Whether the tool says that it runs as a task only.
pub(super) fn is_task_only(tool: &Tool) -> bool {
    told_in_meta(tool, TASK_SUPPORT) == Some("required")
}

fn carried(tool: &Tool, name: &str) -> Option<JsonText> {
    JsonText::parse(told_in_meta(tool, name)?).ok()
}

fn told_in_meta<'t>(tool: &'t Tool, name: &str) -> Option<&'t str> {
    tool.meta.as_ref()?.0.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(levels: usize) -> String {
        format!("{}{{}}{}", r#"{"items":"#.repeat(levels), "}".repeat(levels))
    }

    fn read(message: &str) -> Vec<Tool> {
        let value: Value = serde_json::from_str(message).expect("the library reads it");
        serde_json::from_value(value["result"]["tools"].clone()).expect("tools")
    }

    #[test]
    fn a_deep_schema_leaves_the_other_tools_where_they_are() {
        let schema = deep(5_000);
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"nextCursor":"c","tools":[
                {{"name":"plain","inputSchema":{{"type":"object","properties":{{"n":{{"const":9007199254740993}}}}}}}},
                {{"name":"deep","_meta":{{"own":1,"rehearsal/inputSchema":"{{}}"}},"inputSchema":{schema},
                  "outputSchema":{schema},"annotations":{schema}}}]}}}}"#
        );
        let lifted = lifted(&message).expect("lifted");
        assert!(nesting(&lifted.message) < 20);
        assert!(lifted.message.contains(r#""id":7"#) && lifted.message.contains("nextCursor"));
        let [plain, deep] = &read(&lifted.message)[..] else { panic!("two tools") };
        assert!(input_schema(plain).as_str().contains("9007199254740993"));
        assert_eq!(input_schema(deep).as_str(), schema);
        assert_eq!(output_schema(deep).expect("there").as_str(), schema);
        assert_eq!(deep.meta.as_ref().expect("there").0.get("own"), Some(&Value::from(1)));
        assert_eq!(lifted.told.len(), 1, "{:?}", lifted.told);
        assert!(lifted.told[0].contains("`annotations` of the tool deep"), "{:?}", lifted.told);
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
    fn a_deep_request_reaches_whoever_answers_it() {
        let request = |id: &str| {
            let deep = deep(200);
            let method = "elicitation/create";
            let request = format!(
                r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{{"requestedSchema":{deep}}}}}"#
            );
            lifted(&request).expect("lifted")
        };
        let asked: Value = serde_json::from_str(&request(r#""id":"q7","#).message).expect("read");
        assert_eq!((&asked["id"], &asked["method"]), (&"q7".into(), &"elicitation/create".into()));
        let reason = asked["params"][UNASKED].as_str().expect("a reason");
        assert!(reason.contains("nested 203 levels deep"), "{reason}");
        assert!(request("").told[0].contains("is skipped"), "nobody waits for this one");
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
        // The deepest that is left alone.
        let schema = deep(READABLE - 6);
        let tool = format!(r#"{{"name":"a","inputSchema":{schema}}}"#);
        let message = format!(r#"{{"id":1,"result":{{"tools":[{tool}]}}}}"#);
        assert_eq!(lifted(&message), None);
        assert_eq!(read(&message).len(), 1);
    }
}
