//! google-adk's own results, bit for bit, where the shared corpora are at hand: beside the
//! workspace in `shared/corpora/vectors`. Without them these tests say so and pass.

use std::path::Path;

use json_text::JsonText;
use scoring::adk::{Average, MatchType, response_match, tool_trajectory};
use scoring::json::Document;
use scoring::rouge::Scorer;
use scoring::{Invocation, Reason, ToolCall, Trace, joined};
use serde::Deserialize;
use serde_json::Value;

fn lines(file: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/vectors");
    match std::fs::read_to_string(folder.join(file)) {
        Ok(text) => text.lines().map(str::to_owned).collect(),
        Err(_) => {
            eprintln!("NOT TESTED: the vectors {file} are not beside the workspace");
            Vec::new()
        }
    }
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    label: String,
    criterion: JsonText,
    actual_invocations: Vec<Turn>,
    expected_invocations: Option<Vec<Turn>>,
    adk_result: AdkResult,
}

#[derive(Deserialize)]
struct AdkResult {
    overall_score: Option<Number>,
    overall_status: Option<String>,
    per_invocation: Option<Vec<AdkScore>>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct AdkScore {
    score: Number,
    status: String,
}

/// Read by Rust itself: `serde_json`'s own reading may be off by the last bit.
#[derive(Clone, Copy)]
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = JsonText::deserialize(input)?;
        text.as_str().parse().map(Self).map_err(serde::de::Error::custom)
    }
}

/// As much of ADK's invocation as the vectors use.
#[derive(Deserialize)]
struct Turn {
    final_response: Option<Content>,
    #[serde(alias = "intermediateData")]
    intermediate_data: Option<Intermediate>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    function_call: Option<Call>,
}

#[derive(Deserialize, Default)]
struct Intermediate {
    #[serde(default, alias = "toolUses")]
    tool_uses: Vec<Call>,
    #[serde(default)]
    invocation_events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    content: Option<Content>,
}

#[derive(Deserialize)]
struct Call {
    name: Option<String>,
    #[serde(default, deserialize_with = "text_or_null")]
    args: Option<JsonText>,
}

fn text_or_null<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<JsonText>, D::Error> {
    let text = JsonText::deserialize(input)?;
    Ok((text != JsonText::null()).then_some(text))
}

fn trace(turns: Vec<Turn>) -> Trace {
    let invocations = turns.into_iter().map(|turn| {
        let parts = |content: Option<Content>| content.and_then(|content| content.parts);
        let final_response = parts(turn.final_response)
            .map(|parts| joined(parts.iter().filter_map(|part| part.text.as_deref())));
        let data = turn.intermediate_data.unwrap_or_default();
        let events = data.invocation_events.into_iter().flat_map(|event| {
            parts(event.content)
                .unwrap_or_default()
                .into_iter()
                .filter_map(|part| part.function_call)
        });
        let calls = data.tool_uses.into_iter().chain(events);
        let tool_calls = calls
            .map(|call| ToolCall { name: call.name, args: call.args, ..ToolCall::default() })
            .collect();
        Invocation { final_response, tool_calls, ..Invocation::default() }
    });
    Trace { invocations: invocations.collect(), final_state: None }
}

/// Runs the vectors of a file; gives how many there were.
fn check(
    file: &str,
    mut score: impl FnMut(&Vector, &Trace, &Trace) -> Result<Average, Reason>,
) -> usize {
    let lines = lines(file);
    for line in &lines {
        let mut vector: Vector = serde_json::from_str(line).expect("a vector");
        let name = format!("{} {}", vector.id, vector.label);
        let actual = trace(std::mem::take(&mut vector.actual_invocations));
        let Some(expected) = vector.expected_invocations.take() else {
            assert!(vector.adk_result.error.is_some(), "{name}: ADK needs the expected side");
            continue;
        };
        let criterion = vector.criterion.to_value().expect("flat");
        if criterion["match_type"] == Value::Null && criterion.get("match_type").is_some() {
            assert!(vector.adk_result.error.is_some(), "{name}: ADK refuses the criterion");
            continue;
        }
        let document = Document::of(&vector.criterion);
        let threshold = document.root().member("threshold").unwrap_or(document.root());
        let threshold: f64 = threshold.text().parse().expect("a threshold");
        let status = |score: f64| if score >= threshold { "PASSED" } else { "FAILED" };
        match score(&vector, &trace(expected), &actual) {
            Ok(average) => {
                assert!(vector.adk_result.error.is_none(), "{name}: ADK raises");
                let overall = vector.adk_result.overall_score.expect("a score").0;
                assert_eq!(average.overall.to_bits(), overall.to_bits(), "{name}: {average:?}");
                assert_eq!(
                    vector.adk_result.overall_status.as_deref(),
                    Some(status(overall)),
                    "{name}"
                );
                let adk = vector.adk_result.per_invocation.as_deref().unwrap_or_default();
                assert_eq!(average.invocations.len(), adk.len(), "{name}");
                for (ours, adk) in average.invocations.iter().zip(adk) {
                    assert_eq!(ours.to_bits(), adk.score.0.to_bits(), "{name}");
                    assert_eq!(status(*ours), adk.status, "{name}");
                }
            }
            Err(Reason::DifferentLengths { .. }) => {
                assert!(vector.adk_result.error.is_some(), "{name}: ADK scores this");
            }
            Err(Reason::NoInvocations) => {
                assert_eq!(
                    vector.adk_result.overall_status.as_deref(),
                    Some("NOT_EVALUATED"),
                    "{name}"
                );
                assert!(vector.adk_result.overall_score.is_none(), "{name}");
            }
            Err(reason) => panic!("{name}: {reason}"),
        }
    }
    lines.len()
}

#[test]
fn trajectories_score_as_in_adk() {
    let count = check("trajectory_vectors.jsonl", |vector, expected, actual| {
        let criterion = vector.criterion.to_value().expect("flat");
        let key = criterion.get("match_type").or(criterion.get("matchType"));
        let match_type = match key {
            Some(Value::String(name)) => MatchType::parse(name),
            Some(number) => number.as_f64().and_then(MatchType::from_number),
            None => Some(MatchType::Exact),
        };
        // pydantic reads "yes" as true.
        let ignore_args = matches!(&criterion["ignore_args"], Value::Bool(true))
            || criterion["ignore_args"] == "yes";
        tool_trajectory(expected, actual, match_type.expect("a match type"), ignore_args)
    });
    assert!(matches!(count, 0 | 423), "{count}");
}

#[test]
fn responses_score_as_in_adk() {
    // One scorer for all: what it remembers must not change a score.
    let mut scorer = Scorer::default();
    let count = check("rouge_vectors.jsonl", |_, expected, actual| {
        response_match(expected, actual, &mut scorer)
    });
    assert!(matches!(count, 0 | 323), "{count}");
}
