//! [`ToolFault`]: what goes wrong with calls on purpose, on top of any mock or real tool.

use std::time::Duration;

use json_text::JsonText;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

use crate::args_match::ArgsMatch;

/// Something that goes wrong with some calls of a tool, to see how the subject copes.
#[derive(Debug, Clone)]
pub struct ToolFault {
    /// The tool.
    pub tool: String,
    /// The calls that may be hit, by their arguments.
    pub args: ArgsMatch,
    /// How many of them are hit: 0 for none, 1 for all.
    pub probability: f64,
    /// What happens to a call that is hit.
    pub effect: FaultEffect,
}

/// What happens to a call that is hit by a [`ToolFault`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultEffect {
    /// It raises an error with this message. The tool or its mock does not run.
    Raises(String),
    /// It returns this, such as an error that the model is to read. The tool or its mock does not run.
    Returns(JsonText),
    /// It takes longer.
    #[serde(rename = "latency_ms", with = "milliseconds")]
    Latency(Duration),
    /// Its result ends after this many characters: a text as it is, other results as JSON text.
    Truncates(usize),
}

/// A duration as a number of milliseconds.
mod milliseconds {
    use super::{Deserialize, Deserializer, Duration, Serializer};

    pub(super) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

/// What all calls of one run have in common. The same values hit the same calls, however cases are scheduled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed<'a> {
    /// Of the suite.
    pub(crate) seed: u64,
    /// The case's name.
    pub(crate) case: &'a str,
}

impl Seed<'_> {
    /// Whether fault number `at` of the case hits this call, which was made `earlier` times before with these
    /// arguments.
    pub(crate) fn hits(
        self,
        fault: &ToolFault,
        at: usize,
        tool: &str,
        args: &JsonText,
        earlier: usize,
    ) -> bool {
        if fault.tool != tool || !fault.args.is_met(args) {
            return false;
        }
        let key =
            format!("{}\0{}\0{at}\0{tool}\0{}\0{earlier}", self.seed, self.case, args.compact());
        uniform(xxh3_64(key.as_bytes())) < fault.probability
    }
}

/// A number from 0 to below 1. The upper 53 bits of the hash are all that a double can hold.
fn uniform(hash: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let upper = (hash >> 11) as f64;
    upper / 9_007_199_254_740_992.0
}

/// The first `characters` of a result: of a text as it is, of anything else as JSON text.
#[must_use]
pub fn truncated(result: &JsonText, characters: usize) -> JsonText {
    let text = result.decode::<String>().unwrap_or_else(|_| result.compact().as_str().to_owned());
    match text.char_indices().nth(characters) {
        Some((end, _)) => JsonText::string(&text[..end]),
        None => result.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    fn fault(probability: f64) -> ToolFault {
        ToolFault {
            tool: "search".to_owned(),
            args: ArgsMatch::default(),
            probability,
            effect: FaultEffect::Raises("503".to_owned()),
        }
    }

    fn hits(seed: u64, probability: f64) -> Vec<bool> {
        let seed = Seed { seed, case: "chest-pain" };
        let fault = fault(probability);
        (0..1000).map(|call| seed.hits(&fault, 0, "search", &json("{}"), call)).collect()
    }

    #[test]
    fn the_same_seed_hits_the_same_calls() {
        assert_eq!(hits(1, 0.3), hits(1, 0.3));
        assert_ne!(hits(1, 0.3), hits(2, 0.3));
    }

    #[test]
    fn the_probability_is_the_share_of_calls_that_are_hit() {
        let share = |probability| hits(7, probability).iter().filter(|hit| **hit).count();
        assert_eq!((share(0.0), share(1.0)), (0, 1000));
        assert!((250..350).contains(&share(0.3)), "{}", share(0.3));
    }

    #[test]
    fn only_calls_that_match_are_hit() {
        let seed = Seed { seed: 1, case: "c" };
        let mut fault = fault(1.0);
        assert!(!seed.hits(&fault, 0, "read", &json("{}"), 0));
        fault.args.equal.push(("page".to_owned(), json("2")));
        assert!(!seed.hits(&fault, 0, "search", &json(r#"{"page":1}"#), 0));
        assert!(seed.hits(&fault, 0, "search", &json(r#"{"page":2.0}"#), 0));
    }

    #[test]
    fn a_result_is_cut_between_characters() {
        assert_eq!(truncated(&json(r#""Ärger""#), 2), json(r#""Är""#));
        assert_eq!(truncated(&json(r#"{ "a": [1, 2] }"#), 6), json(r#""{\"a\":[""#));
        assert_eq!(truncated(&json(r#"{"a":1}"#), 7), json(r#"{"a":1}"#));
    }
}
