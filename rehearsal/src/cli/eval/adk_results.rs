//! Results in the format of `adk eval`'s history, `*.evalset_result.json`, which `adk web` shows.

use std::io::{self, Write as _};
use std::path::Path;

use eval::EvalCase;
use eval::result::{EvalResult, Status};
use json_text::JsonText;
use scoring::{Invocation, ToolCall};
use serde::{Deserialize, Serialize};

use super::runs::Runs;
use super::{EvalError, private_file};

/// A run of a set.
#[derive(Serialize)]
struct SetResult {
    eval_set_result_id: String,
    eval_set_result_name: String,
    eval_set_id: String,
    eval_case_results: Vec<CaseResult>,
    /// Seconds since 1970.
    creation_timestamp: f64,
}

#[derive(Serialize)]
struct CaseResult {
    eval_set_id: String,
    eval_id: String,
    final_eval_status: u8,
    overall_eval_metric_results: Vec<Metric>,
    eval_metric_result_per_invocation: Vec<Turn>,
    session_id: String,
    user_id: &'static str,
    /// Of a case that was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_details: Option<Session>,
}

#[derive(Serialize)]
struct Metric {
    metric_name: String,
    threshold: f64,
    score: Option<f64>,
    eval_status: u8,
}

#[derive(Serialize)]
struct Turn {
    actual_invocation: Actual,
    /// Those of criteria that score each turn. Other metrics of suites measure the whole run.
    eval_metric_results: Vec<Metric>,
}

#[derive(Serialize)]
struct Actual {
    invocation_id: String,
    user_content: Content,
    final_response: Option<Content>,
    intermediate_data: Intermediate,
}

#[derive(Serialize)]
struct Intermediate {
    invocation_events: Vec<Event>,
}

#[derive(Serialize)]
struct Event {
    author: String,
    content: Content,
}

#[derive(Serialize)]
struct Content {
    role: &'static str,
    parts: Vec<Part>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    Text(String),
    FunctionCall {
        id: Option<String>,
        name: Option<String>,
        args: Option<JsonText>,
    },
    FunctionResponse {
        id: Option<String>,
        name: Option<String>,
        response: JsonText,
    },
    /// Of a message of the user.
    #[serde(untagged)]
    AsSent(JsonText),
}

#[derive(Serialize)]
struct Session {
    id: String,
    app_name: String,
    user_id: &'static str,
    state: Option<JsonText>,
}

/// The user of ADK's own eval runs.
const USER: &str = "test_user_id";

/// Writes the results of each suite into a file of its own in `folder`. `run` is the number of the run.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(folder: &Path, runs: &Runs<'_>, run: i64) -> Result<(), EvalError> {
    let unwritable = |cause| EvalError::AdkResults { path: folder.to_owned(), cause };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let mut sets: Vec<SetResult> = Vec::new();
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a date are far below 2^53")]
    let now = jiff::Timestamp::now().as_millisecond() as f64 / 1000.0;
    for (case, result) in runs.all.iter().zip(&runs.results) {
        let suite = Path::new(&case.case.source.suite);
        let name = suite.file_name().unwrap_or_default().to_string_lossy();
        let eval_set_id = name.split('.').next().unwrap_or_default().to_owned();
        let app = suite.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let id = format!("{app}_{eval_set_id}_{now}");
        let threshold = |metric: &str| {
            let metric = case.case.metrics.iter().find(|it| it.name() == metric);
            metric.and_then(|metric| metric.threshold()).unwrap_or(1.0)
        };
        let session_id = format!("rehearsal-{run}-{}-{}", case.case.name, case.repeat);
        let case = match result {
            Some(result) => case_result(&eval_set_id, &app, session_id, result, threshold),
            None => skipped_case(&eval_set_id, session_id, case.case),
        };
        match sets.iter_mut().find(|set| set.eval_set_id == eval_set_id) {
            Some(set) => set.eval_case_results.push(case),
            None => sets.push(SetResult {
                eval_set_result_name: id.clone(),
                eval_set_result_id: id,
                eval_set_id,
                eval_case_results: vec![case],
                creation_timestamp: now,
            }),
        }
    }
    for set in sets {
        let file = folder.join(format!("{}.evalset_result.json", set.eval_set_result_name));
        let text = serde_json::to_vec_pretty(&set).map_err(io::Error::from).map_err(unwritable)?;
        let new = private_file().create_new(true).open(&file);
        new.and_then(|mut new| new.write_all(&text))
            .map_err(|cause| EvalError::AdkResults { path: file.clone(), cause })?;
    }
    Ok(())
}

fn case_result(
    set: &str,
    app: &str,
    session_id: String,
    result: &EvalResult,
    threshold: impl Fn(&str) -> f64,
) -> CaseResult {
    let trace = eval::trace::trace(&result.events);
    let metrics = result.metrics.iter().map(|(name, metric)| Metric {
        metric_name: name.clone(),
        threshold: threshold(name),
        score: metric.passed.map(|passed| metric.score.unwrap_or(f64::from(u8::from(passed)))),
        eval_status: match metric.passed {
            Some(true) => PASSED,
            Some(false) => FAILED,
            None => NOT_EVALUATED,
        },
    });
    let by_turn: Vec<(&String, Vec<Option<f64>>)> = result
        .metrics
        .iter()
        .filter_map(|(name, metric)| Some((name, turn_scores(metric.value.as_ref()?)?)))
        .collect();
    let of_turn = |place: usize| {
        let scored =
            by_turn.iter().filter_map(|(name, scores)| Some((name, (*scores.get(place)?)?)));
        let metric = |(name, score): (&&String, f64)| Metric {
            metric_name: (**name).clone(),
            threshold: threshold(name),
            score: Some(score),
            eval_status: if score >= threshold(name) { PASSED } else { FAILED },
        };
        scored.map(metric).collect()
    };
    let turns = trace.invocations.into_iter().enumerate().map(|(place, turn)| Turn {
        actual_invocation: actual(turn),
        eval_metric_results: of_turn(place),
    });
    CaseResult {
        eval_set_id: set.to_owned(),
        eval_id: result.name.clone(),
        final_eval_status: match result.status {
            Status::Passed => PASSED,
            Status::Error | Status::Terminated | Status::Failed => FAILED,
            Status::Unscored => NOT_EVALUATED,
        },
        overall_eval_metric_results: metrics.collect(),
        eval_metric_result_per_invocation: turns.collect(),
        session_id: session_id.clone(),
        user_id: USER,
        session_details: Some(Session {
            id: session_id,
            app_name: app.to_owned(),
            user_id: USER,
            state: trace.final_state,
        }),
    }
}

/// A case that was not run. The format has no place for the reason.
fn skipped_case(set: &str, session_id: String, case: &EvalCase) -> CaseResult {
    let metrics = case.metrics.iter().map(|metric| Metric {
        metric_name: metric.name().to_owned(),
        threshold: metric.threshold().unwrap_or(1.0),
        score: None,
        eval_status: NOT_EVALUATED,
    });
    CaseResult {
        eval_set_id: set.to_owned(),
        eval_id: case.name.clone(),
        final_eval_status: NOT_EVALUATED,
        overall_eval_metric_results: metrics.collect(),
        eval_metric_result_per_invocation: Vec::new(),
        session_id,
        user_id: USER,
        session_details: None,
    }
}

/// The score of each turn, from the evidence of a criterion; `None` if it is of another kind.
fn turn_scores(evidence: &JsonText) -> Option<Vec<Option<f64>>> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Evidence {
        /// Of ADK's own metrics.
        invocations: Vec<f64>,
        turns: Vec<ScoredTurn>,
    }
    #[derive(Deserialize)]
    struct ScoredTurn {
        score: Option<f64>,
    }
    let Evidence { invocations, turns } = evidence.decode().ok()?;
    let scores = invocations.into_iter().map(Some).chain(turns.into_iter().map(|turn| turn.score));
    Some(scores.collect())
}

/// ADK's `EvalStatus`.
const PASSED: u8 = 1;
const FAILED: u8 = 2;
const NOT_EVALUATED: u8 = 3;

fn actual(turn: Invocation) -> Actual {
    let text = |role, text| Content { role, parts: vec![Part::Text(text)] };
    let said = turn.intermediate_responses.into_iter().map(|response| Event {
        author: response.author.unwrap_or_default(),
        content: text("model", response.text),
    });
    let events = said.chain(turn.tool_calls.into_iter().flat_map(call));
    Actual {
        invocation_id: turn.id,
        user_content: match turn.user_parts {
            None => text("user", turn.user_text),
            Some(parts) => {
                Content { role: "user", parts: parts.into_iter().map(Part::AsSent).collect() }
            }
        },
        intermediate_data: Intermediate { invocation_events: events.collect() },
        final_response: turn.final_response.map(|response| text("model", response)),
    }
}

/// A call, and its result if there is one.
fn call(call: ToolCall) -> impl Iterator<Item = Event> {
    let ToolCall { name, args, id, author, result } = call;
    let author = author.unwrap_or_default();
    let event = move |role, part| Event {
        author: author.clone(),
        content: Content { role, parts: vec![part] },
    };
    let response = result.map(|response| Part::FunctionResponse {
        id: id.clone(),
        name: name.clone(),
        response: as_object(response),
    });
    let called = event("model", Part::FunctionCall { id, name, args });
    std::iter::once(called).chain(response.map(|response| event("user", response)))
}

/// A response as ADK has it, where anything but an object is in `result`.
fn as_object(response: JsonText) -> JsonText {
    if response.kind() == json_text::Kind::Object {
        return response;
    }
    let wrapped = std::collections::BTreeMap::from([("result", &response)]);
    JsonText::serialize(&wrapped).unwrap_or_else(|_| JsonText::null())
}
