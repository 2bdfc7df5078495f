//! Parses a judge's reply.

use json_text::{JsonIndex, JsonText, JsonValue, Kind};
use serde::Serialize;

use crate::rubrics::Scale;

/// A judge's reply, parsed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reply {
    /// The score, 0 to 1.
    pub score: f64,
    /// The judge's reasoning; empty when it gave none.
    pub reasoning: String,
}

/// Why a reply has no score.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplyError {
    /// No JSON object in the reply has a `score` or a `verdict`.
    #[error("the reply contains no JSON object with a score")]
    NoScore,
    /// The scale requires yes or no; the value as the judge wrote it.
    #[error("the verdict must be yes or no, not {0}")]
    NotYesNo(String),
    /// The scale requires a number; the value as the judge wrote it.
    #[error("the score must be a number, not {0}")]
    NotANumber(String),
    /// The number is outside the scale.
    #[error("the score {0} is outside the scale")]
    OffScale(f64),
}

/// Parses a reply: the JSON object in it with `score` or `verdict` and `reasoning`. Of several such
/// objects the last counts, since models correct themselves.
///
/// # Errors
/// [`ReplyError`] of the object that counts, or that there is none.
pub fn read_reply(text: &str, scale: Scale) -> Result<Reply, ReplyError> {
    let mut fault = ReplyError::NoScore;
    for object in objects_in(text).into_iter().rev() {
        let document = JsonIndex::of(&object);
        let root = document.root();
        let Some(given) = root.member("score").or(root.member("verdict")) else { continue };
        match worth(given, scale) {
            Ok(score) => {
                let reasoning = ["reasoning", "rationale", "reason", "explanation"]
                    .into_iter()
                    .find_map(|name| root.member(name)?.string())
                    .unwrap_or_default();
                return Ok(Reply { score, reasoning: reasoning.into_owned() });
            }
            Err(reason) => fault = reason,
        }
    }
    Err(fault)
}

fn worth(given: JsonValue<'_>, scale: Scale) -> Result<f64, ReplyError> {
    let written = || given.text().to_owned();
    let text = given.string().unwrap_or(given.text().into());
    let points = match (scale, text.trim().to_lowercase().as_str()) {
        (Scale::YesNo, "yes" | "true" | "1") => 1.0,
        (Scale::YesNo, "no" | "false" | "0") => 0.0,
        (Scale::YesNo, _) => return Err(ReplyError::NotYesNo(written())),
        (Scale::Points { .. }, text) if matches!(given.kind(), Kind::Number | Kind::String) => {
            text.parse().map_err(|_| ReplyError::NotANumber(written()))?
        }
        _ => return Err(ReplyError::NotANumber(written())),
    };
    scale.worth(points).ok_or(ReplyError::OffScale(points))
}

/// At most so many places are tried as the beginning of an object.
const MOST_TRIED: usize = 1000;

/// The outermost JSON objects in a text, in order.
fn objects_in(text: &str) -> Vec<JsonText> {
    let mut objects = Vec::new();
    let mut rest = text;
    for _ in 0..MOST_TRIED {
        let Some(at) = rest.find('{') else { break };
        rest = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<JsonText>();
        match values.next() {
            Some(Ok(object)) => {
                rest = &rest[values.byte_offset()..];
                objects.push(object);
            }
            _ => rest = &rest[1..],
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judge_answers_are_read_in_any_wrapping() {
        let points = Scale::Points { from: 1.0, to: 5.0 };
        let read =
            |text: &str, scale| read_reply(text, scale).map(|reply| (reply.score, reply.reasoning));
        let good = Ok((0.75, "clear".to_owned()));
        assert_eq!(read(r#"{"reasoning":"clear","score":4}"#, points), good);
        assert_eq!(
            read("Sure!\n```json\n{\"score\": \"4\", \"rationale\": \"clear\"}\n```", points),
            good
        );
        let corrected = r#"{"score": 1} wait, {"score": 4, "reasoning": "clear"}"#;
        assert_eq!(read(corrected, points), good);
        assert_eq!(read(r#"{"verdict":"Yes"}"#, Scale::YesNo), Ok((1.0, String::new())));
        assert_eq!(read(r#"{"verdict":false}"#, Scale::YesNo), Ok((0.0, String::new())));
        let fault =
            |text: &str, scale| read_reply(text, scale).expect_err("no verdict").to_string();
        assert_eq!(fault("4", points), "the reply contains no JSON object with a score");
        assert_eq!(fault(r#"{"score": 9}"#, points), "the score 9 is outside the scale");
        assert_eq!(
            fault(r#"{"score": "high"}"#, points),
            "the score must be a number, not \"high\""
        );
        assert_eq!(fault(r#"{"score": "NaN"}"#, points), "the score NaN is outside the scale");
        assert_eq!(
            fault(r#"{"verdict": "maybe"}"#, Scale::YesNo),
            "the verdict must be yes or no, not \"maybe\""
        );
        assert!(read_reply(&"{".repeat(100_000), points).is_err());
    }
}
