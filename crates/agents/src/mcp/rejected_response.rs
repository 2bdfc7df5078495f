//! [`RejectedResponse`]: the JSON-RPC error in place of a response that the library would drop silently: one
//! that is too long, or not JSON.
//!
//! Without the error the caller would wait forever. The request's `id` is read from the beginning or the
//! end of the message.

use json_text::JsonText;
use serde_json::Value;

use super::json_object::object;

/// The error for a response that is too long.
pub(super) const TOO_LONG: &str = "The server's response is longer than 16 MB, the limit. Return less from the tool, or \
     return a link to a resource.";
/// How much of the beginning and of the end is kept, in bytes.
const KEPT: usize = 1_024;
/// What may follow the id at the end of a response.
const ENDS: [&str; 2] = ["}", ",\"jsonrpc\":\"2.0\"}"];

/// The beginning and the end of a rejected message.
pub(super) struct RejectedResponse {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl RejectedResponse {
    /// Starts with the part of the message that has been read.
    pub(super) fn of(begun: &[u8]) -> Self {
        let mut skipped = Self { head: begun[..begun.len().min(KEPT)].to_vec(), tail: Vec::new() };
        skipped.take(begun);
        skipped
    }

    /// Adds a part of the message.
    pub(super) fn take(&mut self, part: &[u8]) {
        self.tail.extend_from_slice(&part[part.len().saturating_sub(KEPT)..]);
        let beyond = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..beyond);
    }

    /// A JSON-RPC error with `reason` in place of the response; `None` if the message is not a response.
    pub(super) fn answer(&self, reason: &str) -> Option<String> {
        let head = String::from_utf8_lossy(&self.head);
        let outcome = head.find("\"result\"").or_else(|| head.find("\"error\""))?;
        let before = &head[..outcome];
        if before.contains("\"method\"") {
            return None;
        }
        let in_head = || before.find("\"id\"").and_then(|at| id(&before[at..])).map(|(id, _)| id);
        let tail = String::from_utf8_lossy(&self.tail);
        let in_tail = || {
            let (id, rest) = id(&tail[tail.rfind("\"id\"")?..])?;
            let rest: String = rest.split_ascii_whitespace().collect();
            ENDS.contains(&rest.as_str()).then_some(id)
        };
        let id = in_head().or_else(in_tail)?;
        let error = object(&[
            ("code", "-32603".to_owned()),
            ("message", JsonText::string(reason).to_string()),
        ]);
        let version = "\"2.0\"".to_owned();
        Some(object(&[("jsonrpc", version), ("id", id.to_string()), ("error", error)]))
    }
}

/// The id in a text that begins with its member, and what follows.
fn id(text: &str) -> Option<(Value, &str)> {
    let value = text.strip_prefix("\"id\"")?.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
    let id = values.next()?.ok()?;
    let is_id = id.is_number() || id.is_string();
    is_id.then(|| (id, &value[values.byte_offset()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(message: &str) -> Option<Value> {
        let (begun, rest) = message.split_at(message.len() / 3);
        let mut skipped = RejectedResponse::of(begun.as_bytes());
        rest.as_bytes().chunks(700).for_each(|part| skipped.take(part));
        let answer: Value = serde_json::from_str(&skipped.answer(TOO_LONG)?).expect("JSON");
        assert!(answer["error"]["message"].as_str().expect("text").contains("longer than 16 MB"));
        Some(answer["id"].clone())
    }

    #[test]
    fn finds_the_id_at_either_end_of_a_response() {
        let long = format!(r#""{} \"id\":9,""#, "x".repeat(5_000));
        for (message, id) in [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{long}}}"#), Value::from(7)),
            (format!("{{\"result\":{long},\"jsonrpc\":\"2.0\",\"id\":\"a\"}}\n"), "a".into()),
            (format!(r#"{{"result": {long}, "id": 7, "jsonrpc": "2.0"}}"#), Value::from(7)),
            (format!(r#"{{"jsonrpc":"2.0","id":7,"error":{long}}}"#), Value::from(7)),
        ] {
            assert_eq!(answered(&message), Some(id), "{}", &message[..40]);
        }
    }

    #[test]
    fn ignores_other_messages() {
        let long = format!(r#"{{"text":"{}","result":1,"id":3}}"#, "x".repeat(5_000));
        for message in [
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{long}}}"#),
            format!(r#"{{"id":1,"method":"elicitation/create","params":{{"result":{long}}}}}"#),
            format!(r#"{{"result":{long}}}"#),
            "x".repeat(9_000),
        ] {
            assert_eq!(answered(&message), None, "{}", &message[..40]);
        }
    }
}
