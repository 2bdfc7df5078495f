//! [`why`]: in a sentence, why a criterion was not met or not scored.

use crate::adk::MatchType;
use crate::bounds::{Bounds, Per};
use crate::criterion::{Criterion, Metric};
use crate::evidence::{Alignment, CallSeen, Row, RowKind};
use crate::figure::figure;
use crate::json::{Change, Difference};
use crate::measurements::{DurationPart, EventKind, TokenPart};
use crate::rouge::{DifferingWords, differing_words};
use crate::trajectory::Measure;
use crate::{Evidence, Outcome};
use json_text::JsonText;

/// The most reasons for one criterion.
const MOST: usize = 3;

/// A value longer than this, in characters, is cut.
const LONGEST: usize = 60;

/// The most missing words, and the most extra words, of a response.
const MOST_WORDS: usize = 6;

/// A word longer than this, in characters, is cut.
const LONGEST_WORD: usize = 24;

/// A sentence about a response is cut beyond this, in characters.
const LONGEST_SENTENCE: usize = 200;

/// Why a criterion was not met, or not scored; none when it was met. No full stop.
#[must_use]
pub fn why(criterion: &Criterion, outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Unscored { reason } => Some(reason.to_string()),
        Outcome::Scored { score, .. } if score.get() >= criterion.threshold => None,
        Outcome::Scored { evidence, .. } => Some(joined(&reasons(evidence, &criterion.metric))),
    }
}

/// The differences between the calls of turn `turn` of `turns`, from 0.
#[must_use]
pub fn why_calls(alignment: &Alignment, turn: usize, turns: usize) -> Vec<String> {
    calls(Of(turns), turn, alignment, true)
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

/// The reasons as sentences, the last one as it is.
#[must_use]
pub fn sentences(reasons: &[String]) -> String {
    let mut text = String::new();
    for reason in reasons {
        if !text.is_empty() {
            text.truncate(text.trim_end_matches('.').len());
            text.push_str(". ");
        }
        text.push_str(reason);
    }
    text
}

fn joined(reasons: &[String]) -> String {
    let mut text = sentences(reasons.get(..MOST).unwrap_or(reasons));
    if reasons.len() > MOST {
        text.truncate(text.trim_end_matches('.').len());
        text.push_str(&format!(", and {} more", reasons.len() - MOST));
    }
    if text.is_empty() { "the score is below the threshold".to_owned() } else { text }
}

fn reasons(evidence: &Evidence, metric: &Metric) -> Vec<String> {
    let extra = extra_calls_count(metric);
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
        Evidence::AdkResponse { invocations, missed } => {
            let turns = invocations.iter().enumerate().map(|(place, score)| {
                let texts = missed.iter().find(|missed| missed.turn == place);
                let sentence = texts.map(|it| words(*score, &it.expected, &it.actual));
                (place, *score, sentence)
            });
            worst(Of(invocations.len()), turns)
        }
        Evidence::Response { turns } => {
            let seen = turns.iter().enumerate().filter_map(|(place, turn)| {
                let differs = || {
                    Some(format!(
                        "in the response: {}",
                        difference(turn.differences.first()?, "the value")
                    ))
                };
                let score = turn.score?;
                let shared = || {
                    turn.precision?;
                    Some(words(score, turn.expected.as_ref()?, turn.actual.as_ref()?))
                };
                Some((place, score, turn.note.clone().or_else(differs).or_else(shared)))
            });
            worst(Of(turns.len()), seen)
        }
        Evidence::State { conditions } => {
            let broken = conditions.iter().filter(|condition| !condition.holds);
            let reasons = broken.map(|condition| {
                let asked = condition.asked.as_ref().map(shown).unwrap_or_default();
                let there: Vec<String> = condition.actual.iter().map(shown).collect();
                let there = if there.is_empty() { "missing".to_owned() } else { there.join(", ") };
                match asked.is_empty() {
                    true => format!("{} is not met", condition.path),
                    false => format!("{} is {there}, expected {asked}", condition.path),
                }
            });
            reasons.collect()
        }
        Evidence::Measurement { total, invocations, bounds, per } => match per {
            Per::Case => {
                vec![format!("{}, {}", measured(metric, *total), beyond(*bounds, *total))]
            }
            Per::Invocation => {
                let turns = invocations.iter().enumerate();
                let broken = turns.filter(|(_, value)| !bounds.hold(**value));
                let of = Of(invocations.len());
                let reasons = broken.map(|(place, value)| {
                    let measured = measured(metric, *value);
                    format!("{}{measured}, {}", of.turn(place), beyond(*bounds, *value))
                });
                reasons.collect()
            }
        },
        Evidence::Judged { rubrics, .. } => {
            let mut worst: Vec<_> = rubrics.iter().filter(|rubric| rubric.score < 1.0).collect();
            worst.sort_by(|one, other| one.score.total_cmp(&other.score));
            let reasons = worst.into_iter().map(|rubric| {
                let scored = rubric.samples.iter().find(|sample| sample.score.is_some());
                let reasoning = scored.map_or("", |sample| sample.reasoning.as_str());
                format!(
                    "{} scores {}: {}",
                    rubric.name,
                    figure(rubric.score),
                    cut(reasoning, LONGEST)
                )
            });
            reasons.collect()
        }
    }
}

/// The number of turns; the only turn of a case is not named.
#[derive(Debug, Clone, Copy)]
struct Of(usize);

impl Of {
    /// `turn 2: `
    fn turn(self, place: usize) -> String {
        if self.0 > 1 { format!("turn {}: ", place + 1) } else { String::new() }
    }
}

/// The responses that score less than 1, the worst first: a sentence about each, or else its score.
fn worst(of: Of, seen: impl Iterator<Item = (usize, f64, Option<String>)>) -> Vec<String> {
    let mut seen: Vec<_> = seen.filter(|(_, score, _)| *score < 1.0).collect();
    seen.sort_by(|one, other| one.1.total_cmp(&other.1));
    let reasons = seen.into_iter().map(|(turn, score, sentence)| {
        let sentence = sentence.unwrap_or_else(|| format!("the response scores {}", figure(score)));
        format!("{}{}", of.turn(turn), cut(&sentence, LONGEST_SENTENCE))
    });
    reasons.collect()
}

/// The words that a response lacks and adds.
fn words(score: f64, expected: &str, actual: &str) -> String {
    let DifferingWords { missing, extra } = differing_words(actual, expected);
    let list = |what: &str, words: &[String]| {
        let shown: Vec<String> =
            words.iter().take(MOST_WORDS).map(|word| cut(word, LONGEST_WORD)).collect();
        let more = words.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{what} {}{more}", shown.join(", "))
    };
    let lists = [("lacks", missing), ("adds", extra)];
    let lists = lists.iter().filter(|(_, words)| !words.is_empty());
    let lists: Vec<String> = lists.map(|(what, words)| list(what, words)).collect();
    match lists.is_empty() {
        // Two empty ones score 0, as in ADK.
        true => format!("the response scores {}", figure(score)),
        false => format!("the response scores {}: it {}", figure(score), lists.join(", and ")),
    }
}

/// `4 calls to ask`, `170 tokens`, `3.5 seconds in model calls`: the number with what it counts.
fn measured(metric: &Metric, value: f64) -> String {
    let noun = |one: &str| if value == 1.0 { one.to_owned() } else { format!("{one}s") };
    let what = match metric {
        Metric::Count { countable, .. } => {
            let noun = noun(match countable.kind {
                EventKind::Invocation => "turn",
                EventKind::ToolCall => "call",
                EventKind::IntermediateResponse => "intermediate response",
                EventKind::FinalResponse => "final response",
                EventKind::ModelCall => "model call",
            });
            let to = countable.name.as_ref().map_or(String::new(), |name| format!(" to {name}"));
            let by = countable.author.as_ref().map_or(String::new(), |name| format!(" by {name}"));
            format!("{noun}{to}{by}")
        }
        Metric::Duration { part, .. } => {
            let place = match part {
                DurationPart::Total => "",
                DurationPart::Model => " in model calls",
                DurationPart::Tool => " in tool calls",
            };
            format!("{}{place}", noun("second"))
        }
        Metric::Tokens { part, .. } => {
            let kind = match part {
                TokenPart::Total => "",
                TokenPart::Input => "input ",
                TokenPart::Cached => "cached ",
                TokenPart::Output => "output ",
                TokenPart::Reasoning => "reasoning ",
            };
            format!("{kind}{}", noun("token"))
        }
        _ => return value.to_string(),
    };
    format!("{value} {what}")
}

fn calls(of: Of, turn: usize, alignment: &Alignment, extra: bool) -> Vec<String> {
    let counts = |kind| kind != RowKind::Matched && (extra || kind != RowKind::Extra);
    // A call that is missing at one place and extra at another was made in another order.
    let mut elsewhere: Vec<&Row> =
        alignment.rows.iter().filter(|row| row.kind == RowKind::Extra).collect();
    let mut moved: Vec<&Row> = Vec::new();
    for missing in alignment.rows.iter().filter(|row| row.kind == RowKind::Missing) {
        if let Some(place) = elsewhere.iter().position(|row| is_same_call(missing, row)) {
            moved.extend([missing, elsewhere.remove(place)]);
        }
    }
    let is_moved = |row: &Row| moved.iter().any(|it| std::ptr::eq(*it, row));
    let mut reasons = Vec::new();
    for row in alignment.rows.iter() {
        let reason = match row.kind {
            RowKind::Missing if is_moved(row) => {
                format!("{} was called in a different order", name(&row.expected))
            }
            kind if !counts(kind) || is_moved(row) => continue,
            _ => call(row),
        };
        reasons.push(format!("{}{reason}", of.turn(turn)));
    }
    reasons
}

/// Whether the extra call is the missing one.
fn is_same_call(missing: &Row, extra: &Row) -> bool {
    let (Some(wanted), Some(made)) = (&missing.expected, &extra.actual) else { return false };
    let spelled = |call: &CallSeen| call.args.as_ref().map(JsonText::compact);
    wanted.name == made.name && spelled(wanted) == spelled(made)
}

fn name(call: &Option<CallSeen>) -> String {
    let name = call.as_ref().and_then(|call| call.name.clone());
    name.unwrap_or_else(|| "a tool without a name".to_owned())
}

fn call(row: &Row) -> String {
    match row.kind {
        RowKind::Missing => format!("{} was not called", name(&row.expected)),
        RowKind::Extra => format!("{} was called but not expected", name(&row.actual)),
        RowKind::Matched | RowKind::Changed => {
            let changed: Vec<String> = {
                let first = row.differences.iter().take(MOST);
                first.map(|it| difference(it, "arguments")).collect()
            };
            let more = match row.differences.len().saturating_sub(MOST) {
                0 => String::new(),
                1 => ", and 1 more difference".to_owned(),
                more => format!(", and {more} more differences"),
            };
            format!("{} was called with {}{more}", name(&row.actual), changed.join(", "))
        }
    }
}

/// What differs, where; `root` is the whole.
fn difference(difference: &Difference, root: &str) -> String {
    let Difference { path, change, expected, actual, wanted } = difference;
    let path = path.trim_start_matches('/');
    let path = if path.is_empty() { root } else { path };
    let text = |value: &Option<JsonText>| value.as_ref().map(shown).unwrap_or_default();
    match change {
        Change::Changed => format!("{path} {}, not {}", text(actual), text(expected)),
        Change::Missing => format!("no {path}"),
        Change::Extra => format!("unexpected {path} {}", text(actual)),
        Change::Refused => {
            let wanted = wanted.as_deref().unwrap_or("another value");
            format!("{path} {}, expected {}", text(actual), cut(wanted, LONGEST_SENTENCE))
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
    cut(value.compact().as_str(), LONGEST)
}

fn cut(text: &str, longest: usize) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
