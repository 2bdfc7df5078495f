//! A conversation as steps to read: messages, and each call together with its response.

use api::{LiveContent, LivePart, LiveRole, LiveValue};
use json_text::{JsonText, Node};

/// One step of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationStep {
    /// A message.
    Message(LiveRole, String),
    /// A message whose role has a vendor's own name, such as `developer`.
    VendorMessage(String, String),
    /// A thought of the model.
    Thought(String),
    /// A tool call.
    Call {
        /// The tool.
        name: String,
        /// The arguments.
        args: JsonText,
        /// The response, once there is one.
        response: Option<JsonText>,
    },
    /// A part of another kind: bytes, a file by reference, a response without a call.
    Piece(LiveRole, LivePart),
}

/// The steps of a conversation. A response belongs to the call with its id. Where there is none, or the
/// response has no id, it belongs to the first call with the same name that has no response yet, if the
/// call or the response has no id.
#[must_use]
pub fn steps(contents: &[LiveContent]) -> Vec<ConversationStep> {
    let mut steps: Vec<ConversationStep> = Vec::new();
    // The calls without a response: id, name, index in `steps`.
    let mut open: Vec<(Option<&str>, &str, usize)> = Vec::new();
    for LiveContent { role, parts } in contents {
        for part in parts {
            match part {
                LivePart::Text(text) => steps.push(ConversationStep::Message(*role, text.clone())),
                LivePart::Thought(text) => steps.push(ConversationStep::Thought(text.clone())),
                LivePart::Call { id, name, args } => {
                    open.push((id.as_deref(), name, steps.len()));
                    let args = args.as_ref().map_or_else(empty, whole);
                    steps.push(ConversationStep::Call { name: name.clone(), args, response: None });
                }
                LivePart::Response { id, name, response } => {
                    let by_id =
                        |(of, ..): &(Option<&str>, _, _)| of.is_some() && *of == id.as_deref();
                    let by_name = |(of, called, _): &(Option<&str>, &str, _)| {
                        called == name && (of.is_none() || id.is_none())
                    };
                    let asked = open.iter().position(by_id);
                    let asked = asked.or_else(|| open.iter().position(by_name));
                    let place = asked.map(|at| open.remove(at).2);
                    match place.and_then(|place| steps.get_mut(place)) {
                        Some(ConversationStep::Call { response: answer, .. }) => {
                            *answer = Some(response.as_ref().map_or_else(JsonText::null, whole));
                        }
                        _ => steps.push(ConversationStep::Piece(*role, part.clone())),
                    }
                }
                LivePart::Data { .. } | LivePart::Other { .. } => {
                    steps.push(match plain_text_of(part) {
                        Some((who, text)) => ConversationStep::VendorMessage(who.to_owned(), text),
                        None => ConversationStep::Piece(*role, part.clone()),
                    });
                }
            }
        }
    }
    steps
}

/// The kind and the text of a vendor-specific part that is a JSON string, such as a `developer` message
/// within the conversation. `None` for every other part.
#[must_use]
pub fn plain_text_of(part: &LivePart) -> Option<(&str, String)> {
    let LivePart::Other { kind, value: LiveValue::Whole(value) } = part else { return None };
    match value.open() {
        Node::String(text) => Some((kind, text.to_string())),
        _ => None,
    }
}

/// The arguments of a call without any.
fn empty() -> JsonText {
    JsonText::parse("{}").unwrap_or_else(|_| JsonText::null())
}

/// The value; of a shortened one the beginning, as a string.
#[must_use]
pub fn whole(value: &LiveValue) -> JsonText {
    match value {
        LiveValue::Whole(value) => value.clone(),
        LiveValue::Head { text, .. } => JsonText::string(&format!("{text}…")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn call(id: Option<&str>, name: &str, args: &str) -> LivePart {
        let args = Some(LiveValue::Whole(value(args)));
        LivePart::Call { id: id.map(str::to_owned), name: name.to_owned(), args }
    }

    fn response(id: Option<&str>, name: &str, text: &str) -> LivePart {
        let response = Some(LiveValue::Whole(value(text)));
        LivePart::Response { id: id.map(str::to_owned), name: name.to_owned(), response }
    }

    fn answers(parts: [Vec<LivePart>; 2]) -> Vec<(String, Option<String>)> {
        let [called, answered] = parts;
        let contents = [
            LiveContent { role: LiveRole::Model, parts: called },
            LiveContent { role: LiveRole::Function, parts: answered },
        ];
        let actual = steps(&contents).into_iter().map(|step| match step {
            ConversationStep::Call { args, response, .. } => {
                (args.as_str().to_owned(), response.map(|it| it.as_str().to_owned()))
            }
            other => (format!("{other:?}").chars().take(5).collect(), None),
        });
        actual.collect()
    }

    #[test]
    fn a_developer_message_becomes_a_message_and_other_values_stay_pieces() {
        let other = |kind: &str, text: &str| LivePart::Other {
            kind: kind.to_owned(),
            value: LiveValue::Whole(value(text)),
        };
        let file = other("image_url", r#"{"url": "https://example.com/x.png"}"#);
        let parts = vec![other("developer", r#""Say \"so\".\nTwice.""#), file.clone()];
        let actual = steps(&[LiveContent { role: LiveRole::User, parts }]);
        let expected = ConversationStep::VendorMessage(
            "developer".to_owned(),
            "Say \"so\".\nTwice.".to_owned(),
        );
        assert_eq!(actual, [expected, ConversationStep::Piece(LiveRole::User, file)]);
    }

    #[test]
    fn responses_are_matched_to_calls_by_id_then_by_name() {
        let by_id = answers([
            vec![call(Some("1"), "f", "1"), call(Some("2"), "f", "2")],
            vec![response(Some("2"), "f", "20"), response(Some("1"), "f", "10")],
        ]);
        assert_eq!(by_id, [("1".into(), Some("10".into())), ("2".into(), Some("20".into()))]);
        let mixed = answers([
            vec![call(None, "f", "1"), call(Some("2"), "f", "2")],
            vec![response(Some("2"), "f", "20"), response(Some("made"), "f", "10")],
        ]);
        assert_eq!(mixed, by_id, "an id takes precedence over a name");
        let by_name = answers([
            vec![call(None, "f", "1"), call(None, "g", "2"), call(None, "f", "3")],
            vec![response(None, "f", "10"), response(None, "f", "30"), response(None, "x", "0")],
        ]);
        assert_eq!(
            by_name,
            [
                ("1".into(), Some("10".into())),
                ("2".into(), None),
                ("3".into(), Some("30".into())),
                ("Piece".into(), None),
            ]
        );
    }
}
