//! Two cases side by side, step by step, with their scores and differences.

use api::{
    Actual, CallSide, CaseComparison, CaseName, ComparedCall, ComparedScore, ComparedText,
    ComparedTurn, MatchStatus,
};
use leptos::prelude::*;
use report_view::TextPart;

use crate::shared::tokens::Tokens;
use api::host::compare_cases;
use app::components::icon::{Glyph, Icon};
use app::components::loading::Loading;
use app::state::case_address::case_address;
use app::state::excerpt::{visible_name, visible_text};
use app::state::preview::preview;

/// The id of the heading in the document.
pub const COMPARISON_ID: &str = "comparison";
/// How many characters of each argument a call shows.
const BUDGET: usize = 400;

/// Compares the case `expected` with `actual`.
#[component]
pub fn Comparison(
    /// The expected case.
    expected: CaseName,
    /// The actual case or session.
    actual: Actual,
    /// Counts the changes of the case; each one repeats the comparison.
    revision: RwSignal<u64>,
    /// Closes the comparison.
    close: Callback<()>,
    /// The label of the button that closes it.
    #[prop(default = "Back to the case")]
    back: &'static str,
) -> impl IntoView {
    let names = StoredValue::new((expected, actual));
    let compared = LocalResource::new(move || {
        revision.track();
        let (expected, actual) = names.get_value();
        compare_cases(expected, actual)
    });
    let only_differences = RwSignal::new(false);
    let draw = move |comparison| view! { <Compared comparison only_differences/> }.into_any();
    let (one, other) = names.get_value();
    view! {
        <header class="toolbar">
            <h2 class="case-id" id=COMPARISON_ID tabindex="-1">{case_label(&one.eval_id, one.at)}</h2>
            <span class="quiet">"compared with"</span>
            {match other {
                Actual::Case(other) => {
                    let name = case_label(&other.eval_id, other.at);
                    let set = (other.set != one.set).then(|| {
                        view! { <span class="quiet">"of " {visible_name(other.set.as_str())}</span> }
                    });
                    view! { <a class="link case-id" href=address(&other)>{name}</a> {set} }.into_any()
                }
                Actual::Rehearsal(_) => view! { <span class="case-id">"this rehearsal"</span> }.into_any(),
                Actual::Live { .. } => view! { <span class="case-id">"this session"</span> }.into_any(),
            }}
            <span class="grow"></span>
            <button
                type="button"
                class="button quiet"
                aria-pressed=move || only_differences.get().to_string()
                on:click=move |_| only_differences.update(|only| *only = !*only)
            >
                "Show differences only"
            </button>
            <button type="button" class="button" on:click=move |_| close.run(())>
                <Icon glyph=Glyph::Close/> {back}
            </button>
        </header>
        <Loading arrived=move || compared.get() meanwhile="Comparing…" draw/>
    }
}

/// A case by its id and, where other cases share it, its position in the file, in the notation of the
/// command line: `id #3`.
pub fn case_label(eval_id: &str, at: Option<u64>) -> String {
    let eval_id = visible_name(eval_id);
    match at {
        Some(at) => format!("{eval_id} #{at}"),
        None => eval_id,
    }
}

fn address(case: &CaseName) -> String {
    case_address(case.set.as_str(), &case.eval_id, case.at)
}

#[component]
fn Compared(
    /// Both cases.
    comparison: CaseComparison,
    /// Whether equal steps are hidden.
    only_differences: RwSignal<bool>,
) -> impl IntoView {
    let CaseComparison { scores, why, left_out, turns, state, .. } = comparison;
    let asks_state = state.is_some();
    let state = state.map(|state| {
        view! {
            <h3 class="turn">"Final state"</h3>
            {compared_text(state, "Final state", only_differences)}
        }
    });
    let several = turns.len() > 1;
    let results = other_results(&turns).map(|tools| {
        view! {
            <p class="why"><b>"Different results: "</b> {tools} ". Scores ignore results."</p>
        }
    });
    let verdict = if why.is_empty() {
        let in_what = match asks_state {
            true => " in calls, arguments, responses and final state.",
            false => " in calls, arguments and responses.",
        };
        view! { <p class="why"><b>"No differences"</b> {in_what}</p> }.into_any()
    } else {
        let text = visible_text(&why.join(". "));
        // Not capitalized: it may begin with the name of a tool.
        view! { <p class="why"><b>"Differences: "</b> {text} "."</p> }.into_any()
    };
    let (scored, unscored): (Vec<_>, Vec<_>) =
        scores.into_iter().partition(|it| it.score.is_some());
    // A note of several scores is shown once.
    let mut notes: Vec<(String, Vec<String>)> = Vec::new();
    for ComparedScore { name, note, .. } in unscored {
        match notes.iter_mut().find(|(known, _)| *known == note) {
            Some((_, names)) => names.push(name),
            None => notes.push((note, vec![name])),
        }
    }
    let unscored = notes
        .into_iter()
        .map(|(note, names)| visible_text(&format!("{}: {note}", names.join(", "))));
    let turns = turns.into_iter().enumerate().map(|(number, turn)| {
        let ComparedTurn { query, calls, note, response } = turn;
        let steps = calls.into_iter().map(|call| compared_call(call, only_differences));
        view! {
            {several.then(|| view! { <h3 class="turn">"Turn " {number + 1}</h3> })}
            {compared_text(query, "User message", only_differences)}
            {steps.collect_view()}
            {note.map(|note| view! { <p class="field-fault">{visible_text(&note)}</p> })}
            {compared_text(response, "Final response", only_differences)}
        }
    });
    view! {
        <div class="scores">
            {scored.into_iter().map(score).collect_view()}
            {unscored.map(|unscored| view! {
                <div class="score unscored">
                    <b>"unscored"</b>
                    <span>{unscored}</span>
                </div>
            }).collect_view()}
            {verdict}
            {results}
            {left_out.map(|left_out| view! { <p class="quiet left-out">{visible_text(&left_out)}</p> })}
        </div>
        <section class="compared" aria-label="Both cases, side by side">
            <div class="pair head">
                <b>"Expected"</b>
                <span></span>
                <b>"Actual"</b>
            </div>
            {turns.collect_view()}
            {state}
        </section>
    }
}

/// The tools that returned something else than recorded; `None` if there are none.
fn other_results(turns: &[ComparedTurn]) -> Option<String> {
    let calls = turns.iter().flat_map(|turn| &turn.calls).filter(|call| call.has_other_result);
    let mut tools: Vec<&str> =
        calls.filter_map(|call| call.actual.as_ref()).map(|side| side.tool.as_str()).collect();
    tools.sort_unstable();
    tools.dedup();
    (!tools.is_empty()).then(|| visible_name(&tools.join(", ")))
}

/// One score. A score below 1 is not marked as bad: no threshold is known here.
fn score(score: ComparedScore) -> AnyView {
    let ComparedScore { name, score, .. } = score;
    let score = score.unwrap_or_default();
    view! {
        <div class="score" class:good={score >= 1.0}>
            <b>{report_view::figure(score)}</b>
            <span>{visible_name(&name)}</span>
        </div>
    }
    .into_any()
}

pub fn compared_call(call: ComparedCall, only_differences: RwSignal<bool>) -> AnyView {
    let ComparedCall { status, expected, actual, differing, has_other_result } = call;
    let (class, sign, label) = match status {
        MatchStatus::Same if has_other_result => ("pair", "=", "equal, with a different result"),
        MatchStatus::Same => ("pair", "=", "equal"),
        MatchStatus::Changed => ("pair differs", "≠", "different arguments"),
        MatchStatus::Missing => ("pair lacks", "−", "not called"),
        MatchStatus::Extra => ("pair lacks", "+", "not expected"),
    };
    let side =
        |side: Option<CallSide>, nothing: &'static str, note: Option<&'static str>| match side {
            Some(side) => call_side(side, &differing, note),
            None => view! { <div class="gap">{nothing}</div> }.into_any(),
        };
    let (one, other) = (
        side(expected, "not expected", None),
        side(actual, "not called", has_other_result.then_some("different result")),
    );
    view! {
        <div
            class=class
            class:gone=move || {
                only_differences.get() && status == MatchStatus::Same && !has_other_result
            }
        >
            {one}
            <span class="sign"><span aria-hidden="true">{sign}</span><span class="unseen">{label}</span></span>
            {other}
        </div>
    }
    .into_any()
}

fn call_side(side: CallSide, differing: &[String], note: Option<&'static str>) -> AnyView {
    let CallSide { tool, arguments: given } = side;
    let members = given.map(|given| match given.open() {
        json_text::Node::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, json_text::JsonText::from(value)))
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    });
    let members = members.unwrap_or_default().into_iter().enumerate().map(|(at, (name, value))| {
        let is_other = differing.contains(&name);
        let tokens = preview(&value, BUDGET);
        let shown = view! { {visible_name(&name)} ": " <Tokens tokens/> };
        view! {
            {(at > 0).then_some(", ")}
            {if is_other { view! { <mark>{shown}</mark> }.into_any() } else { shown.into_any() }}
        }
    });
    view! {
        <div class="call">
            <b>{visible_name(&tool)}</b> "(" {members.collect_view()} ")"
            {note.map(|note| view! { " " <span class="chip warn">{note}</span> })}
        </div>
    }
    .into_any()
}

pub fn compared_text(
    text: ComparedText,
    what: &'static str,
    only_differences: RwSignal<bool>,
) -> AnyView {
    let ComparedText { expected, actual, is_same, parts } = text;
    if expected.is_none() && actual.is_none() {
        return ().into_any();
    }
    let (class, sign, label) = match (&expected, &actual) {
        _ if is_same => ("pair", "=", "equal"),
        (Some(_), None) => ("pair lacks", "−", "missing"),
        (None, Some(_)) => ("pair", "", "not expected"),
        _ => ("pair differs", "≈", "different text"),
    };
    let side = |whole: Option<String>, is_expected: bool| {
        let Some(whole) = whole else {
            let label = if is_expected { ": not expected" } else { " is missing" };
            return view! { <div class="gap">{what} {label}</div> }.into_any();
        };
        if parts.is_empty() {
            return view! { <div class="text" dir="auto">{visible_text(&whole)}</div> }.into_any();
        }
        let words = parts.iter().filter_map(|part| match (part, is_expected) {
            (TextPart::Both(text), _) => Some(visible_text(text).into_any()),
            (TextPart::Expected(text), true) => {
                Some(view! { <del>{visible_text(text)}</del> }.into_any())
            }
            (TextPart::Actual(text), false) => {
                Some(view! { <ins>{visible_text(text)}</ins> }.into_any())
            }
            _ => None,
        });
        view! { <div class="text" dir="auto">{words.collect_view()}</div> }.into_any()
    };
    let (one, other) = (side(expected, true), side(actual, false));
    view! {
        <div
            class=class
            class:gone=move || only_differences.get() && is_same
        >
            {one}
            <span class="sign"><span aria-hidden="true">{sign}</span><span class="unseen">{what} ": " {label}</span></span>
            {other}
        </div>
    }
    .into_any()
}
