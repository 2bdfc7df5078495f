//! A conversation as steps to read: messages, and each call together with its response.

use api::{LiveContent, LivePart, LiveRole, LiveValue};
use json_text::{JsonText, Node};

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A message.
    Said(LiveRole, String),
    /// A message whose role has a vendor's own name, such as `developer`.
    SaidAs(String, String),
    /// The model thought something.
    Thought(String),
    /// A tool was asked for, and perhaps answered.
    Call {
        /// The tool.
        name: String,
        /// The arguments.
        args: JsonText,
        /// The answer, once it is there.
        answer: Option<JsonText>,
    },
    /// A piece that is shown as it is: bytes, a file by reference, an answer that nobody asked for.
    Piece(LiveRole, LivePart),
}

/// The steps of a conversation. An answer goes to the call with its id; where there is none, or the
/// answer has no id, to the first call of that name that has no answer yet and, of the two, no id.
#[must_use]
pub fn steps(contents: &[LiveContent]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    // The calls without an answer: id, name, place.
    let mut open: Vec<(Option<&str>, &str, usize)> = Vec::new();
    for LiveContent { role, parts } in contents {
        for part in parts {
            match part {
                LivePart::Text(text) => steps.push(Step::Said(*role, text.clone())),
                LivePart::Thought(text) => steps.push(Step::Thought(text.clone())),
                LivePart::Call { id, name, args } => {
                    open.push((id.as_deref(), name, steps.len()));
                    let args = args.as_ref().map_or_else(empty, whole);
                    steps.push(Step::Call { name: name.clone(), args, answer: None });
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
                        Some(Step::Call { answer, .. }) => {
                            *answer = Some(response.as_ref().map_or_else(JsonText::null, whole));
                        }
                        _ => steps.push(Step::Piece(*role, part.clone())),
                    }
                }
                LivePart::Data { .. } | LivePart::Other { .. } => steps.push(match said_as(part) {
                    Some((who, text)) => Step::SaidAs(who.to_owned(), text),
                    None => Step::Piece(*role, part.clone()),
                }),
            }
        }
    }
    steps
}

/// Whom the vendor has say a text, and the text: a part of the vendor's own that is a JSON string, such
/// as what a developer says within the conversation. `None` for every other part.
#[must_use]
pub fn said_as(part: &LivePart) -> Option<(&str, String)> {
    let LivePart::Other { kind, value: LiveValue::Whole(value) } = part else { return None };
    match value.open() {
        Node::String(text) => Some((kind, text.to_string())),
        _ => None,
    }
}

/// No arguments at all, as people read it.
fn empty() -> JsonText {
    JsonText::parse("{}").unwrap_or_else(|_| JsonText::null())
}

/// The value; the beginning of a long one as a text.
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
            Step::Call { args, answer, .. } => {
                (args.as_str().to_owned(), answer.map(|it| it.as_str().to_owned()))
            }
            other => (format!("{other:?}").chars().take(5).collect(), None),
        });
        actual.collect()
    }

    #[test]
    fn what_a_developer_says_is_text_and_other_values_stay_pieces() {
        let other = |kind: &str, text: &str| LivePart::Other {
            kind: kind.to_owned(),
            value: LiveValue::Whole(value(text)),
        };
        let file = other("image_url", r#"{"url": "https://example.com/x.png"}"#);
        let parts = vec![other("developer", r#""Say \"so\".\nTwice.""#), file.clone()];
        let actual = steps(&[LiveContent { role: LiveRole::User, parts }]);
        let expected = Step::SaidAs("developer".to_owned(), "Say \"so\".\nTwice.".to_owned());
        assert_eq!(actual, [expected, Step::Piece(LiveRole::User, file)]);
    }

    #[test]
    fn answers_go_to_their_calls_by_id_and_by_name() {
        let by_id = answers([
            vec![call(Some("1"), "f", "1"), call(Some("2"), "f", "2")],
            vec![response(Some("2"), "f", "20"), response(Some("1"), "f", "10")],
        ]);
        assert_eq!(by_id, [("1".into(), Some("10".into())), ("2".into(), Some("20".into()))]);
        let mixed = answers([
            vec![call(None, "f", "1"), call(Some("2"), "f", "2")],
            vec![response(Some("2"), "f", "20"), response(Some("made"), "f", "10")],
        ]);
        assert_eq!(mixed, by_id, "an id goes before a name");
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
