//! google-adk's own results, bit for bit, where the shared corpora are at hand.

use json_text::JsonText;
use scoring::config::{Config, Reading, Tools};
use scoring::trajectory::NoSchemas;
use scoring::{Evidence, Invocation, Outcome, Reason, ToolCall, Trace, joined};
use serde::Deserialize;
use serde_json::Value;

fn lines(file: &str) -> Vec<String> {
    let Some(path) = test_needs::corpus(&format!("vectors/{file}")) else { return Vec::new() };
    let text = std::fs::read_to_string(path).expect("read");
    text.lines().map(str::to_owned).collect()
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    label: String,
    metric: String,
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

/// The vector's criterion, as a config has it.
fn criterion(vector: &Vector) -> Reading {
    let text = format!(r#"{{"criteria":{{"{}":{}}}}}"#, vector.metric, vector.criterion);
    Config::read(&JsonText::parse(&text).expect("a config"), &NoSchemas)
}

/// Runs the vectors of a file; gives how many there were, and the faults of their criteria.
fn check(file: &str) -> (usize, Vec<String>) {
    let lines = lines(file);
    // One scorer for all: what it remembers must not change a score.
    let mut tools = Tools::default();
    let mut faults = Vec::new();
    for line in &lines {
        let mut vector: Vector = serde_json::from_str(line).expect("a vector");
        let name = format!("{} {}", vector.id, vector.label);
        let actual = trace(std::mem::take(&mut vector.actual_invocations));
        let Some(expected) = vector.expected_invocations.take() else {
            assert!(vector.adk_result.error.is_some(), "{name}: ADK needs the expected side");
            continue;
        };
        let reading = criterion(&vector);
        faults.extend(reading.faults.iter().map(ToString::to_string));
        let [criterion] = reading.config.criteria.as_slice() else {
            assert!(vector.adk_result.error.is_some(), "{name}: {:?}", reading.faults);
            continue;
        };
        let outcome = criterion.score(&trace(expected), &actual, &mut tools);
        let status = |passed| if passed { "PASSED" } else { "FAILED" };
        match &outcome {
            Outcome::Scored { score, evidence } => {
                assert!(vector.adk_result.error.is_none(), "{name}: ADK raises");
                let overall = vector.adk_result.overall_score.expect("a score").0;
                assert_eq!(score.get().to_bits(), overall.to_bits(), "{name}: {outcome:?}");
                let passed = outcome.passed(criterion.threshold).map(status);
                assert_eq!(vector.adk_result.overall_status.as_deref(), passed, "{name}");
                let ours = match evidence {
                    Evidence::AdkResponse { invocations, .. }
                    | Evidence::AdkTrajectory { invocations, .. } => invocations,
                    other => panic!("{name}: {other:?}"),
                };
                let adk = vector.adk_result.per_invocation.as_deref().unwrap_or_default();
                assert_eq!(ours.len(), adk.len(), "{name}");
                for (ours, adk) in ours.iter().zip(adk) {
                    assert_eq!(ours.to_bits(), adk.score.0.to_bits(), "{name}");
                    assert_eq!(status(*ours >= criterion.threshold), adk.status, "{name}");
                }
            }
            Outcome::Unscored { reason: Reason::DifferentLengths { .. } } => {
                assert!(vector.adk_result.error.is_some(), "{name}: ADK scores this");
            }
            Outcome::Unscored { reason: Reason::NoInvocations } => {
                let status = vector.adk_result.overall_status.as_deref();
                assert_eq!(status, Some("NOT_EVALUATED"), "{name}");
                assert!(vector.adk_result.overall_score.is_none(), "{name}");
            }
            Outcome::Unscored { reason } => panic!("{name}: {reason}"),
        }
    }
    (lines.len(), faults)
}

#[test]
fn trajectories_score_as_in_adk() {
    let (count, faults) = check("trajectory_vectors.jsonl");
    assert!(matches!(count, 0 | 423), "{count}");
    // ADK refuses the first and ignores the second, a mistyped name.
    let place = "/criteria/tool_trajectory_avg_score";
    let expected = [
        format!("{place}/match_type: match_type must not be null; remove it for EXACT"),
        format!("{place}/matchtype: unknown field \"matchtype\"; did you mean match_type?"),
    ];
    if count > 0 {
        assert!(expected.iter().all(|fault| faults.contains(fault)), "{faults:?}");
        assert_eq!(faults.len(), 2, "{faults:?}");
    }
}

#[test]
fn responses_score_as_in_adk() {
    let (count, faults) = check("rouge_vectors.jsonl");
    assert!(matches!(count, 0 | 323), "{count}");
    assert_eq!(faults, [] as [String; 0]);
}
