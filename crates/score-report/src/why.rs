//! [`why`]: in a sentence, why a criterion was not met or not scored.

use json_text::JsonText;
use scoring::adk::MatchType;
use scoring::config::{Criterion, Metric};
use scoring::gates::Bounds;
use scoring::json::{Change, Difference};
use scoring::trajectory::{Alignment, CallSeen, Measure, Row, RowKind};
use scoring::{Evidence, Outcome};

use crate::text::figure;

/// So many things are told of one criterion.
const MOST: usize = 3;

/// A value longer than this, in characters, is cut.
const LONGEST: usize = 60;

/// Why a criterion was not met, or not scored; none when it was met. No full stop.
#[must_use]
pub fn why(criterion: &Criterion, outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Unscored { reason } => Some(reason.to_string()),
        Outcome::Scored { score, .. } if score.get() >= criterion.threshold => None,
        Outcome::Scored { evidence, .. } => {
            Some(told(&reasons(evidence, extra_calls_count(&criterion.metric))))
        }
    }
}

/// Whether a call that was not expected counts against a case.
fn extra_calls_count(metric: &Metric) -> bool {
    match metric {
        Metric::AdkTrajectory { match_type, .. } => *match_type == MatchType::Exact,
        Metric::Trajectory(matching) => {
            let precise = matches!(matching.measure, Measure::Precision | Measure::F1);
            precise || matching.match_type == MatchType::Exact
        }
        _ => true,
    }
}

fn told(reasons: &[String]) -> String {
    let mut text = reasons.iter().take(MOST).cloned().collect::<Vec<_>>().join("; ");
    if reasons.len() > MOST {
        text.push_str(&format!("; and {} more", reasons.len() - MOST));
    }
    if text.is_empty() { "the score is below the threshold".to_owned() } else { text }
}

fn reasons(evidence: &Evidence, extra: bool) -> Vec<String> {
    match evidence {
        Evidence::AdkTrajectory { invocations, missed } => {
            let of = Of(invocations.len());
            let turns = missed.iter().map(|missed| (missed.turn, &missed.alignment));
            turns.flat_map(|(turn, alignment)| calls(of, turn, alignment, extra)).collect()
        }
        Evidence::Trajectory { turns } => {
            let of = Of(turns.len());
            let turns = turns.iter().enumerate().filter(|(_, turn)| turn.score != Some(1.0));
            turns.flat_map(|(place, turn)| calls(of, place, &turn.alignment, extra)).collect()
        }
        Evidence::Invocations { invocations } => {
            worst(Of(invocations.len()), invocations.iter().copied().enumerate())
        }
        Evidence::Response { turns } => {
            let scores = turns.iter().enumerate();
            let scores = scores.filter_map(|(place, turn)| Some((place, turn.score?)));
            worst(Of(turns.len()), scores)
        }
        Evidence::State { conditions } => {
            let broken = conditions.iter().filter(|condition| !condition.holds);
            let told = broken.map(|condition| {
                let asked = condition.asked.as_ref().map(shown).unwrap_or_default();
                let there: Vec<String> = condition.actual.iter().map(shown).collect();
                let there = if there.is_empty() { "nothing".to_owned() } else { there.join(", ") };
                match asked.is_empty() {
                    true => format!("{} does not hold", condition.path),
                    false => format!("{} is {there}, asked is {asked}", condition.path),
                }
            });
            told.collect()
        }
        Evidence::Gate { total, invocations, bounds, per } => match per {
            scoring::gates::Per::Case => vec![format!("{total} is {}", beyond(*bounds, *total))],
            scoring::gates::Per::Invocation => {
                let turns = invocations.iter().enumerate();
                let broken = turns.filter(|(_, value)| !bounds.hold(**value));
                let of = Of(invocations.len());
                let told = broken.map(|(place, value)| {
                    format!("{}{value} is {}", of.turn(place), beyond(*bounds, *value))
                });
                told.collect()
            }
        },
        Evidence::Judged { rubrics, .. } => {
            let mut worst: Vec<_> = rubrics.iter().filter(|rubric| rubric.score < 1.0).collect();
            worst.sort_by(|one, other| one.score.total_cmp(&other.score));
            let told = worst.into_iter().map(|rubric| {
                let said = rubric.samples.iter().find(|sample| sample.score.is_some());
                let said = said.map_or("", |sample| sample.reasoning.as_str());
                format!("{} scores {}: {}", rubric.name, figure(rubric.score), cut(said))
            });
            told.collect()
        }
    }
}

/// How many turns there are; of one alone nobody needs to be told which it is.
#[derive(Debug, Clone, Copy)]
struct Of(usize);

impl Of {
    /// `turn 2: `
    fn turn(self, place: usize) -> String {
        if self.0 > 1 { format!("turn {}: ", place + 1) } else { String::new() }
    }
}

/// The responses that score less than 1, the worst first.
fn worst(of: Of, scores: impl Iterator<Item = (usize, f64)>) -> Vec<String> {
    let mut scores: Vec<_> = scores.filter(|(_, score)| *score < 1.0).collect();
    scores.sort_by(|one, other| one.1.total_cmp(&other.1));
    let told = scores.into_iter();
    told.map(|(turn, score)| format!("{}the response scores {}", of.turn(turn), figure(score)))
        .collect()
}

fn calls(of: Of, turn: usize, alignment: &Alignment, extra: bool) -> Vec<String> {
    let told = |kind| kind != RowKind::Matched && (extra || kind != RowKind::Extra);
    let rows = alignment.rows.iter().filter(|row| told(row.kind));
    rows.map(|row| format!("{}{}", of.turn(turn), call(row))).collect()
}

fn call(row: &Row) -> String {
    let name = |call: &Option<CallSeen>| {
        let name = call.as_ref().and_then(|call| call.name.clone());
        name.unwrap_or_else(|| "a tool without a name".to_owned())
    };
    match row.kind {
        RowKind::Missing => format!("{} was not called", name(&row.expected)),
        RowKind::Extra => format!("{} was called and not expected", name(&row.actual)),
        RowKind::Matched | RowKind::Changed => {
            let changed: Vec<String> = row.differences.iter().take(MOST).map(difference).collect();
            let more = row.differences.len().saturating_sub(MOST);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{} was called with {}{more}", name(&row.actual), changed.join(", "))
        }
    }
}

fn difference(difference: &Difference) -> String {
    let Difference { path, change, expected, actual, wanted } = difference;
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { "arguments" } else { path };
    let text = |value: &Option<JsonText>| value.as_ref().map(shown).unwrap_or_default();
    match change {
        Change::Changed => format!("{path} {}, not {}", text(actual), text(expected)),
        Change::Missing => format!("no {path}"),
        Change::Extra => format!("{path} {} too many", text(actual)),
        Change::Refused => {
            let wanted = wanted.as_deref().unwrap_or("what is asked");
            format!("{path} {}, wanted {wanted}", text(actual))
        }
    }
}

fn beyond(bounds: Bounds, value: f64) -> String {
    match (bounds.min, bounds.max) {
        (Some(min), _) if value < min => format!("less than {min}"),
        (_, Some(max)) => format!("more than {max}"),
        _ => "out of bounds".to_owned(),
    }
}

fn shown(value: &JsonText) -> String {
    cut(value.compact().as_str())
}

fn cut(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
