//! What the page is drawn from: of each case a line for the list, and the case itself, which the
//! page reads only when it is looked at.

use case_trace::CaseTrace;
use indexmap::IndexMap;
use json_text::JsonText;
use scoring::config::{Config, Metric};
use scoring::json::Equality;
use scoring::report::{CaseVerdict, TimelineEntry, timeline};
use scoring::trajectory::{Alignment, CallSeen, Matching, Row, RowKind, align};
use scoring::{Invocation, ToolCall};
use serde::{Deserialize, Serialize};

use crate::escape::in_script;
use crate::excerpt::cut;
use crate::scored::ScoredCase;

/// Longer texts are cut, in characters: a page is looked at and not searched for megabytes.
const LONGEST: usize = 20_000;
/// The same for what a tool answered.
const LONGEST_RESULT: usize = 2_000;
/// So many events of a run are drawn.
const MOST_EVENTS: usize = 500;

/// A line of the list. Short names, since there are thousands.
#[derive(Debug, Serialize)]
struct Line<'a> {
    /// The id.
    i: &'a str,
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<&'a str>,
    /// The run, of a case that was run repeatedly.
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<&'a str>,
    /// The verdict.
    v: &'static str,
    /// The scores, in the order of the criteria.
    s: Vec<Option<f64>>,
    /// The criteria that the case does not have, by their places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    a: Vec<usize>,
    /// The tags.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    t: &'a [String],
    /// The tools of either side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    o: Vec<&'a str>,
    /// The first user message.
    q: &'a str,
}

/// The case itself.
#[derive(Debug, Serialize)]
struct Whole<'a> {
    /// What kept it from being scored at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<String>,
    /// In the order of the criteria, why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    w: Vec<Option<&'a str>>,
    /// Which sides there are.
    h: (bool, bool),
    /// What the actual side cost: seconds and tokens.
    #[serde(skip_serializing_if = "String::is_empty")]
    c: String,
    /// ADK's informational metrics, each per turn.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    f: &'a IndexMap<String, Option<f64>>,
    /// The turns.
    t: Vec<Turn>,
    /// What the metrics of a run that passed rest on: the place of the criterion, and lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    m: Vec<(usize, Vec<String>)>,
    /// What happened in a run: seconds, the kind, who, what, where a result came from, and a text or a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    l: Vec<Happened>,
    /// Whether more happened than `l` has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    k: bool,
}

/// An entry of the timeline.
type Happened =
    (String, &'static str, String, String, Option<String>, Option<String>, Option<String>);

/// The texts of both sides, if present.
type Both = (Option<String>, Option<String>);

#[derive(Debug, Serialize)]
struct Turn {
    /// The user.
    u: Both,
    /// The calls.
    c: Vec<Pair>,
    /// Which accepted trajectory is drawn, from 1; 0 is the expected one.
    #[serde(skip_serializing_if = "is_zero")]
    x: usize,
    /// The answer.
    f: Both,
}

#[derive(Debug, Serialize)]
struct Pair {
    k: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    e: Option<Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<Call>,
    /// Pointers to what differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    d: Vec<String>,
}

/// A tool, its arguments as JSON text, and what it answered.
type Call = (Option<String>, Option<String>, Option<String>);

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The line and the case, as JSON for inside a script.
pub(crate) fn case(case: &ScoredCase, config: &Config) -> (String, String) {
    let (expected, actual) = (case.expected.as_ref(), case.actual.as_ref());
    let result = &case.result;
    let places = places(case);
    let line = Line {
        i: &result.eval_id,
        n: result.name.as_deref(),
        r: result.run.as_deref(),
        v: match result.verdict() {
            CaseVerdict::Passed => "p",
            CaseVerdict::Failed => "f",
            CaseVerdict::Unscored => "u",
            CaseVerdict::Error => "e",
            CaseVerdict::Terminated => "t",
        },
        s: places.iter().map(|at| result.criterion_results.get((*at)?)?.score).collect(),
        a: (0..).zip(&places).filter(|(_, at)| at.is_none()).map(|(column, _)| column).collect(),
        t: expected.or(actual).map_or(&[], |case| &case.tags),
        o: tools(expected, actual),
        q: result.query.as_deref().unwrap_or_default(),
    };
    let why = |at: &Option<usize>| case.whys.get((*at)?)?.as_deref();
    let run = result.eval_run.as_ref();
    let happened = run.map(|run| timeline(&run.events)).unwrap_or_default();
    let whole = Whole {
        e: case.ended_by(),
        w: if case.whys.is_empty() { Vec::new() } else { places.iter().map(why).collect() },
        h: (expected.is_some(), actual.is_some()),
        c: actual.map(cost).unwrap_or_default(),
        f: &result.informational,
        t: turns(expected, actual, &matching(config)),
        m: evidence(case, &places),
        k: happened.len() > MOST_EVENTS,
        l: happened.into_iter().take(MOST_EVENTS).map(drawn).collect(),
    };
    (json(&line), json(&whole))
}

/// The lines of metrics that passed: those of the others are the reason why they did not.
fn evidence(case: &ScoredCase, places: &[Option<usize>]) -> Vec<(usize, Vec<String>)> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Details {
        evidence: Vec<String>,
    }
    let lines = |at: &Option<usize>| {
        let result = case.result.criterion_results.get((*at)?)?;
        let details = result.details.decode::<Details>().unwrap_or_default();
        (result.passed == Some(true) && !details.evidence.is_empty()).then_some(details.evidence)
    };
    let lines = places.iter().enumerate().filter_map(|(place, at)| Some((place, lines(at)?)));
    lines.collect()
}

fn drawn(entry: TimelineEntry) -> Happened {
    let TimelineEntry { at_ms, kind, who, what, from, text, value, .. } = entry;
    let at = format!("{}.{:03}", at_ms / 1000, at_ms % 1000);
    let value = value.map(|value| cut(value.compact().as_str(), LONGEST_RESULT));
    (at, kind.name(), who, what, from, text.map(|text| cut(&text, LONGEST)), value)
}

/// For each criterion of the report, the place of the case's result.
fn places(case: &ScoredCase) -> Vec<Option<usize>> {
    let results = &case.result.criterion_results;
    match &case.columns {
        None => (0..results.len()).map(Some).collect(),
        Some(columns) => columns
            .iter()
            .map(|column| results.iter().position(|result| result.criterion == *column))
            .collect(),
    }
}

fn json(value: &impl Serialize) -> String {
    // Its maps have string keys and its numbers are finite.
    in_script(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
}

fn tools<'c>(expected: Option<&'c CaseTrace>, actual: Option<&'c CaseTrace>) -> Vec<&'c str> {
    let mut tools = Vec::new();
    let turns = expected.into_iter().chain(actual).flat_map(|case| &case.trace.invocations);
    for name in turns.flat_map(|turn| &turn.tool_calls).filter_map(|call| call.name.as_deref()) {
        if !tools.contains(&name) {
            tools.push(name);
        }
    }
    tools
}

/// `4.1 s, 1,284 tokens`, as far as it is recorded of every turn.
fn cost(actual: &CaseTrace) -> String {
    let turns = &actual.trace.invocations;
    let seconds: Option<f64> = turns.iter().map(|turn| turn.timing.total).sum();
    let tokens: Option<u64> = turns
        .iter()
        .map(|turn| {
            let calls = turn.model_calls.as_ref()?.iter();
            calls.map(|call| Some(call.input? + call.output?)).sum::<Option<u64>>()
        })
        .sum();
    let seconds = seconds.filter(|_| !turns.is_empty()).map(|seconds| format!("{seconds:.1} s"));
    let tokens =
        tokens.filter(|_| !turns.is_empty()).map(|count| format!("{} tokens", grouped(count)));
    seconds.into_iter().chain(tokens).collect::<Vec<_>>().join(", ")
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// How calls are paired: as the first criterion does that looks at trajectories.
fn matching(config: &Config) -> Matching {
    let of = |metric: &Metric| match metric {
        Metric::Trajectory(matching) => Some((**matching).clone()),
        Metric::AdkTrajectory { match_type, ignore_args } => Some(Matching {
            match_type: *match_type,
            ignore_args: *ignore_args,
            equality: Equality::Python,
            ..Matching::default()
        }),
        _ => None,
    };
    config.criteria.iter().find_map(|criterion| of(&criterion.metric)).unwrap_or_default()
}

fn turns(
    expected: Option<&CaseTrace>,
    actual: Option<&CaseTrace>,
    matching: &Matching,
) -> Vec<Turn> {
    let list = |case: Option<&CaseTrace>| case.map_or(0, |case| case.trace.invocations.len());
    let turn = |case: Option<&CaseTrace>, place: usize| -> Option<Invocation> {
        case?.trace.invocations.get(place).cloned()
    };
    let count = list(expected).max(list(actual));
    let drawn = (0..count).map(|place| {
        let (one, other) = (turn(expected, place), turn(actual, place));
        let text = |turn: &Option<Invocation>, of: fn(&Invocation) -> Option<&str>| {
            turn.as_ref().and_then(of).map(|text| cut(text, LONGEST))
        };
        let user = |turn: &Option<Invocation>| {
            turn.as_ref().map(|turn| cut(&turn.user_message(), LONGEST))
        };
        let answer = |turn: &Option<Invocation>| text(turn, |turn| turn.final_response.as_deref());
        let (u, f) = ((user(&one), user(&other)), (answer(&one), answer(&other)));
        let none = Vec::new();
        let made = other.as_ref().map_or(&none, |turn| &turn.tool_calls);
        let (x, wanted) = best(one.as_ref(), made, matching);
        let c = pairs(wanted.unwrap_or(&none), made, matching);
        Turn { u, c, x, f }
    });
    drawn.collect()
}

/// The trajectory that is met best: the expected one, or another that is accepted.
fn best<'t>(
    expected: Option<&'t Invocation>,
    made: &[ToolCall],
    matching: &Matching,
) -> (usize, Option<&'t Vec<ToolCall>>) {
    let Some(turn) = expected else { return (0, None) };
    let all = std::iter::once(&turn.tool_calls).chain(&turn.accepted).enumerate();
    let mut best = (0, &turn.tool_calls);
    if turn.accepted.is_empty() {
        return (0, Some(best.1));
    }
    let mut most = f64::NEG_INFINITY;
    for (place, calls) in all {
        let f1 = align(calls, made, matching).map_or(0.0, |alignment| alignment.f1);
        if f1 > most {
            (most, best) = (f1, (place, calls));
        }
    }
    (best.0, Some(best.1))
}

fn pairs(expected: &[ToolCall], actual: &[ToolCall], matching: &Matching) -> Vec<Pair> {
    let call = |call: &ToolCall| -> Call {
        let args = call.args.as_ref().map(|args| cut(args.compact().as_str(), LONGEST));
        let result = call.result.as_ref().map(|it| cut(it.compact().as_str(), LONGEST_RESULT));
        (call.name.clone(), args, result)
    };
    let seen = |side: &[ToolCall], seen: &Option<CallSeen>| {
        seen.as_ref().and_then(|seen| side.get(seen.place)).map(call)
    };
    match align(expected, actual, matching) {
        Ok(Alignment { rows, .. }) => rows
            .iter()
            .map(|row: &Row| Pair {
                k: match row.kind {
                    RowKind::Matched => "=",
                    RowKind::Changed => "~",
                    RowKind::Missing => "-",
                    RowKind::Extra => "+",
                },
                e: seen(expected, &row.expected),
                a: seen(actual, &row.actual),
                d: row.differences.iter().map(|difference| difference.path.clone()).collect(),
            })
            .collect(),
        // Too many to align: in their order.
        Err(_) => (0..expected.len().max(actual.len()))
            .map(|place| Pair {
                k: "?",
                e: expected.get(place).map(call),
                a: actual.get(place).map(call),
                d: Vec::new(),
            })
            .collect(),
    }
}

/// The config as the page shows it.
pub(super) fn shown_config(config: &JsonText) -> String {
    cut(config.as_str(), LONGEST)
}
