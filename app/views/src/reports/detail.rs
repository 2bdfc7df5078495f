//! One case of a report: why it failed, and the details of each score.

use api::{CallSide, ComparedCall, ComparedText, MatchStatus};
use json_text::JsonText;
use leptos::prelude::*;
use report_view::{
    Call, CallRow, CriterionResult, EvalCaseResult, Part, Report, Row, Rubric, evidence, figure,
    figures_apart, marked, reason, short_figure,
};

use super::distribution::signed;
use super::run_timeline::RunTimeline;
use super::table::{broken, id_beside_title, label, verdict};
use crate::reports::state::report_state::{ReportState, Shared};
use crate::shared::comparison::{compared_call, compared_text};
use crate::shared::tokens::Tokens;
use crate::shared::value::{ValueBody, ValueTools};
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::state::excerpt::visible_name;
use app::state::preview::preview;
use app::state::reading::use_reading;

/// The case that the address names.
#[component]
pub(super) fn CaseDetail(
    /// The report.
    report_state: ReportState,
    /// Read.
    report: Shared<Report>,
    /// The rows beside it.
    rows: Memo<Vec<Row>>,
    /// The id of the case, with its run if it was run repeatedly.
    case: String,
) -> impl IntoView {
    let since = report_state.since.get();
    let now = report.find(&case);
    let before = since.as_ref().and_then(|since| {
        // Of repeated runs, the one that it was compared with.
        let place = match now {
            Some(now) => since.changes.cases.get(now)?.before?,
            None => since.baseline.find(&case)?,
        };
        Some((since.baseline.clone(), place))
    });
    let found = match (now, &before) {
        (Some(place), _) => Some((report.clone(), place)),
        (None, Some(before)) => Some(before.clone()),
        (None, None) => None,
    };
    let Some((found_in, place)) = found else {
        return view! {
            <div class="empty centred" role="alert">
                <p>"The report has no case " <code>{visible_name(&case)}</code> "."</p>
                <p><a class="link" href=report_state.address(None)>"View cases"</a></p>
            </div>
        }
        .into_any();
    };
    let Some(result) = found_in.cases.get(place) else { return ().into_any() };
    let (class, word) = verdict(result.verdict());
    let copied = result.eval_id.clone();
    let title = label(result);
    let shown_id = id_beside_title(result);
    // The reason of a criterion is shown at its score.
    let has_reason_at_score = result.error.is_none() && !result.criterion_results.is_empty();
    let why = found_in.why(place).filter(|_| !has_reason_at_score);
    let gone = now.is_none();
    let lead = match class {
        "error" => "Not scored because of an error: ",
        _ => "Reason: ",
    };
    let was = |criterion: &str| {
        let (baseline, place) = before.as_ref().filter(|_| !gone)?;
        let results = &baseline.cases.get(*place)?.criterion_results;
        results.iter().find(|result| result.criterion == criterion)?.score
    };
    let results = scores(&result.criterion_results, was);
    let informational = informational(result);
    let run = result.eval_run.clone().map(|run| view! { <RunTimeline run/> });
    let beside = {
        let gone_place = before.as_ref().map(|(_, place)| Row::Gone(*place));
        let row = now.map(Row::Case).or(gone_place);
        let baseline = since.map(|since| since.baseline.clone());
        move |by: isize| {
            let rows = rows.read();
            let here = rows.iter().position(|it| Some(*it) == row)?;
            let there = match *rows.get(here.checked_add_signed(by)?)? {
                Row::Case(place) => report.cases.get(place),
                Row::Gone(place) => baseline.as_ref()?.cases.get(place),
            };
            Some(report_state.address(Some(&there?.label())))
        }
    };
    let step = move |by: isize, label: &'static str, glyph: Glyph, class: &'static str| {
        let beside = beside.clone();
        move || {
            beside(by).map(|href| {
                view! { <a class=format!("button quiet square {class}") href=href aria-label=label title=label><Icon glyph/></a> }
            })
        }
    };
    view! {
        <header class="toolbar">
            <span class=format!("report-verdict {class}")>{word}</span>
            <h2 class="case-id" title=visible_name(&case)>{title}</h2>
            {shown_id.map(|id| view! { <span class="quiet cut">{id}</span> })}
            <CopyButton what="the ID" text=Callback::new(move |()| copied.clone())/>
            <span class="grow"></span>
            {step.clone()(-1, "Previous case", Glyph::Down, "report-up")}
            {step(1, "Next case", Glyph::Down, "")}
            <a class="button quiet square" href=move || report_state.address(None) aria-label="Close case" title="Close case (Esc)" id="report-close">
                <Icon glyph=Glyph::Close/>
            </a>
        </header>
        <div class="report-detail">
            {gone.then(|| view! { <p class="note">"Only the baseline has this case. These are its scores there."</p> })}
            {why.map(|why| view! { <p class="why report-line"><b>{lead}</b> {sentence(&why)}</p> })}
            {results}
            {informational}
            {run}
        </div>
    }
    .into_any()
}

/// The scores, those of failed criteria first, and the details of each. `was` is the score of a criterion
/// in the baseline.
fn scores(results: &[CriterionResult], was: impl Fn(&str) -> Option<f64>) -> AnyView {
    let mut ordered: Vec<&CriterionResult> = results.iter().collect();
    ordered.sort_by_key(|it| match it.passed {
        Some(false) => 0,
        Some(true) => 1,
        None => 2,
    });
    let (unscored, scored): (Vec<_>, Vec<_>) =
        ordered.iter().copied().partition(|it| it.score.is_none());
    let scored = scored.into_iter().map(|it| score_line(it, was(&it.criterion)));
    let unscored = by_reason(&unscored).into_iter().map(unscored_line);
    view! {
        <ul class="report-scores" aria-label="Scores">{scored.chain(unscored).collect_view()}</ul>
        {ordered.into_iter().filter_map(|it| section(it.clone())).collect_view()}
    }
    .into_any()
}

/// ADK's informational metrics; nothing if the config names none.
fn informational(result: &EvalCaseResult) -> Option<AnyView> {
    let figures = &result.informational;
    let shown = |(name, value): (&String, &Option<f64>)| {
        let value = value.map_or_else(|| "not recorded".to_owned(), figure);
        view! { <span><code>{broken(name)}</code> " " {value}</span> }
    };
    let drawn = || {
        view! {
            <p class="report-turns" aria-label="Informational metrics">
                <span class="quiet">"Per turn, informational:"</span>
                {figures.iter().map(shown).collect_view()}
            </p>
        }
        .into_any()
    };
    (!figures.is_empty()).then(drawn)
}

/// The text as a sentence: with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut characters = text.chars();
    // A name is not capitalized.
    let is_name = text.split([' ', ':']).next().is_some_and(|word| word.contains('_'));
    match characters.next() {
        Some(first) if !is_name => format!("{}{}.", first.to_uppercase(), characters.as_str()),
        _ => format!("{text}."),
    }
}

/// A score with its criterion and threshold, and why it is too low.
fn score_line(result: &CriterionResult, was: Option<f64>) -> AnyView {
    let score = result.score.unwrap_or_default();
    let (shown, threshold) = figures_apart(score, result.threshold);
    let shown = if shown.len() < 5 { figure(score) } else { shown };
    let is_good = result.passed == Some(true);
    let moved = was.map(|was| score - was).and_then(|by| {
        let class = if by < 0.0 { "report-worse" } else { "report-better" };
        let by = signed(by)?;
        Some(view! { " · " <span class=class>{by}</span> " since baseline" })
    });
    let why = reason(result).map(|why| view! { <p class="why">{sentence(&why)}</p> });
    view! {
        <li class="report-score" class:good=is_good class:bad=!is_good>
            <b>{shown}</b>
            <p>
                <code>{broken(&result.criterion)}</code>
                <span class="quiet">"threshold " {threshold} {moved}</span>
            </p>
            {why}
        </li>
    }
    .into_any()
}

/// The criteria without a score, grouped by their note.
fn by_reason(unscored: &[&CriterionResult]) -> Vec<(Option<String>, Vec<String>)> {
    let mut groups: Vec<(Option<String>, Vec<String>)> = Vec::new();
    for result in unscored {
        let why = reason(result);
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(result.criterion.clone()),
            None => groups.push((why, vec![result.criterion.clone()])),
        }
    }
    groups
}

fn unscored_line((why, names): (Option<String>, Vec<String>)) -> AnyView {
    let why = why.unwrap_or_else(|| "no reason in the report".to_owned());
    let names = names.iter().map(|name| view! { <code>{broken(name)}</code> }).collect_view();
    view! {
        <li class="report-score">
            <b>"unscored"</b>
            <p>{names}</p>
            <p class="why">{sentence(&why)}</p>
        </li>
    }
    .into_any()
}

/// The details of a criterion's score; nothing where its line among the scores is complete.
fn section(result: CriterionResult) -> Option<AnyView> {
    let mut parts = evidence(&result.details);
    // Of a metric that failed, they are the reason beside its score.
    parts.retain(|part| !matches!(part, Part::Lines(_)) || reason(&result).is_none());
    if parts.is_empty() && result.score.is_none() {
        return None;
    }
    let parts = parts.into_iter().map(part).collect_view();
    let shows_json = RwSignal::new(false);
    let details = StoredValue::new(result.details);
    let json = move || {
        shows_json.get().then(|| {
            let reading = details.with_value(use_reading);
            view! {
                <div class="report-json">
                    <ValueTools reading/>
                    <ValueBody reading label="Details as JSON"/>
                </div>
            }
        })
    };
    let section = view! {
        <section class="report-evidence">
            <header>
                <h3>{visible_name(&result.criterion)}</h3>
                <button
                    type="button"
                    class="link"
                    aria-expanded=move || shows_json.get().to_string()
                    on:click=move |_| shows_json.update(|shows| *shows = !*shows)
                >
                    {move || if shows_json.get() { "Hide JSON" } else { "Show JSON" }}
                </button>
            </header>
            {parts}
            {json}
        </section>
    };
    Some(section.into_any())
}

fn part(part: Part) -> AnyView {
    match part {
        Part::Calls { turn, trajectory, rows } => {
            let only = RwSignal::new(false);
            let has_calls = !rows.is_empty();
            let rows = rows.into_iter().map(|row| compared_call(compared(row), only));
            let rows = rows.collect_view();
            let accepted = (trajectory > 0).then(|| format!(" · accepted trajectory {trajectory}"));
            view! {
                <h4 class="turn">"Turn " {turn + 1} ", calls" {accepted}</h4>
                {if has_calls {
                    view! { <div class="pair report-sides"><span>"Expected"</span><span></span><span>"Actual"</span></div> }.into_any()
                } else {
                    view! { <p class="report-line quiet">"no calls expected or made"</p> }.into_any()
                }}
                {rows}
            }
            .into_any()
        }
        Part::Response { turn, score, expected, actual, note } => {
            let only = RwSignal::new(false);
            let has_texts = expected.is_some() || actual.is_some();
            let parts = match (&expected, &actual) {
                (Some(expected), Some(actual)) => marked(expected, actual),
                _ => Vec::new(),
            };
            let is_same = expected.is_some() && expected == actual;
            let text = ComparedText { expected, actual, is_same, parts };
            let shown = has_texts.then(|| compared_text(text, "Final response", only));
            let score = score.map_or_else(|| "not expected".to_owned(), figure);
            view! {
                <h4 class="turn">"Turn " {turn + 1} ", response: " {score}</h4>
                {note.map(|note| view! { <p class="report-line">{note}</p> })}
                {shown}
            }
            .into_any()
        }
        Part::Turns(scores) => {
            let scores = scores.into_iter().enumerate().map(|(turn, score)| {
                view! { <li><span class="quiet">"Turn " {turn + 1}</span> " " {figure(score)}</li> }
            });
            view! { <ul class="report-turns" aria-label="By turn">{scores.collect_view()}</ul> }
                .into_any()
        }
        Part::Conditions(conditions) => {
            let rows = conditions.into_iter().map(|condition| {
                let (class, word) =
                    if condition.holds { ("passed", "met") } else { ("failed", "not met") };
                let there = condition.actual.iter().map(value).collect_view();
                view! {
                    <tr>
                        <td><span class=format!("report-verdict {class}")>{word}</span></td>
                        <th scope="row"><code>{condition.path}</code></th>
                        <td>{condition.asked.as_ref().map(value)}</td>
                        <td>{there}</td>
                    </tr>
                }
            });
            view! {
                <table class="report-conditions">
                    <thead><tr><th scope="col">"Result"</th><th scope="col">"Path"</th><th scope="col">"Expected"</th><th scope="col">"Actual"</th></tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            }
            .into_any()
        }
        Part::Rubrics(rubrics) => rubrics.into_iter().map(rubric).collect_view().into_any(),
        Part::Lines(lines) => {
            let lines = lines.into_iter().map(|line| view! { <li dir="auto">{line}</li> });
            view! { <ul class="report-samples">{lines.collect_view()}</ul> }.into_any()
        }
    }
}

fn rubric(rubric: Rubric) -> AnyView {
    let samples = rubric.samples.into_iter().map(|sample| {
        let score = sample.score.map_or_else(|| "no verdict".to_owned(), short_figure);
        view! { <li><b>{score}</b> " " <span dir="auto">{sample.reasoning}</span></li> }
    });
    view! {
        <h4 class="turn">{rubric.name} ": " {figure(rubric.score)}</h4>
        <ul class="report-samples">{samples.collect_view()}</ul>
    }
    .into_any()
}

fn value(value: &JsonText) -> AnyView {
    view! { <code><Tokens tokens=preview(value, 80)/></code> " " }.into_any()
}

fn compared(row: CallRow) -> ComparedCall {
    let CallRow { expected, actual, is_same, differing } = row;
    let status = match (&expected, &actual) {
        _ if is_same => MatchStatus::Same,
        (Some(_), None) => MatchStatus::Missing,
        (None, _) => MatchStatus::Extra,
        (Some(_), Some(_)) => MatchStatus::Changed,
    };
    let side = |call: Call| CallSide {
        tool: call.name.unwrap_or_else(|| "a tool without a name".to_owned()),
        arguments: call.args,
    };
    let (expected, actual) = (expected.map(side), actual.map(side));
    // A report has no results.
    ComparedCall { status, expected, actual, differing, has_other_result: false }
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn a_reason_reads_as_a_sentence() {
        assert_eq!(sentence("the actual side has no case"), "The actual side has no case.");
        assert_eq!(sentence("m_score: close was not called"), "m_score: close was not called.");
        assert_eq!(sentence("Done."), "Done.");
    }
}
