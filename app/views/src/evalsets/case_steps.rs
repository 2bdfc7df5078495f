//! A case as a timeline: the user message, each call in a row that opens, and the response.

use api::{CaseChange, CaseStep, CaseTurn, CaseView, ExpectedCall};
use json_text::JsonText;
use leptos::prelude::*;

use super::call_editor::CallEditor;
use super::case_editor::{JsonEditor, TextEditor};
use crate::evalsets::state::case_edits::{CaseEdits, Editing, call_button};
use crate::shared::steps::{Called, CalledStep, TextStep, text_step};
use crate::shared::value_pane::ValuePane;
use app::components::icon::Glyph;
use app::state::excerpt::visible_text;
use app::state::reading::use_reading;

/// The turns of a case; with `edits` each step can be changed.
#[component]
pub(super) fn CaseSteps(
    /// The case.
    case: CaseView,
    /// The edits; `None` for a read-only case.
    edits: Option<CaseEdits>,
) -> impl IntoView {
    let several = case.turns.len() > 1;
    let mut number = 0;
    let rows = case.turns.into_iter().enumerate().map(|(turn, it)| {
        let CaseTurn { query, attachments, steps, response, accepted, rubrics } = it;
        let is_scenario = steps.iter().any(|step| matches!(step, CaseStep::Plan(_)));
        // The messages of a simulated user are not known, so that no calls or responses are expected.
        let adds = edits.filter(|_| !is_scenario);
        let mut next = || {
            number += 1;
            number
        };
        let asked = TextStep {
            number: next(),
            class: "row asked",
            glyph: Glyph::User,
            who: "User".to_owned(),
            text: query,
        };
        let asked = match edits {
            Some(edits) => editable_text(edits, Editing::Query(turn), asked),
            None => read_only_text(asked),
        };
        let attachments =
            attachments.into_iter().map(|part| expectation("With", &part)).collect_view();
        let count = steps.iter().filter(|step| matches!(step, CaseStep::Call { .. })).count();
        let mut call = 0;
        let steps = steps.into_iter().map(|step| {
            let place = StepPosition { number: next(), turn, call, calls: count };
            call += usize::from(matches!(step, CaseStep::Call { .. }));
            step_row(place, step, edits)
        });
        let steps = steps.collect_view();
        let accepted = accepted.into_iter().map(|calls| expectation("Also accepted", &calls));
        let accepted = accepted.collect_view();
        let more = adds.map(|edits| new_call(edits, turn, count));
        let answered = response.map(|text| TextStep {
            number: next(),
            class: "row answered",
            glyph: Glyph::Answer,
            who: "Expected response".to_owned(),
            text,
        });
        let answered = match (answered, edits) {
            (Some(answered), Some(edits)) => {
                editable_text(edits, Editing::Response(turn), answered)
            }
            (Some(answered), None) => read_only_text(answered),
            (None, Some(_)) => adds.map(|edits| no_response(edits, turn)).into_any(),
            (None, None) => ().into_any(),
        };
        let rubrics = rubrics.into_iter().map(|asked| expectation("Rubric", &asked)).collect_view();
        view! {
            {several.then(|| view! { <li class="turn">"Turn " {turn + 1}</li> })}
            {asked}
            {attachments}
            {steps}
            {accepted}
            {more}
            {answered}
            {rubrics}
        }
    });
    let rows = rows.collect_view();
    let rubrics =
        case.rubrics.into_iter().map(|asked| expectation("Rubric for every turn", &asked));
    view! {
        <ol class="timeline case-steps">
            <StateRow what=State::Initial state=case.state edits/>
            {rows}
            {rubrics.collect_view()}
            <StateRow what=State::Final state=case.final_state edits/>
        </ol>
    }
}

/// A further expectation of a metric, which can be edited as JSON.
fn expectation(what: &'static str, text: &str) -> AnyView {
    view! { <li class="case-more asked-besides"><span class="quiet">{what} ": "</span> {visible_text(text)}</li> }
        .into_any()
}

/// Which state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The initial one.
    Initial,
    /// The one that is expected at the end.
    Final,
}

/// A state of the session.
#[component]
fn StateRow(
    /// Where in the trace it belongs.
    what: State,
    /// The state, if the case has one.
    state: Option<JsonText>,
    /// What changes it.
    edits: Option<CaseEdits>,
) -> impl IntoView {
    let state = state.filter(|state| state.compact().as_str() != "{}");
    let (title, named, add, editing) = match what {
        State::Initial => ("Initial state", "the initial state", "+ initial state", Editing::State),
        State::Final => {
            ("Expected final state", "the expected state", "+ expected state", Editing::FinalState)
        }
    };
    let is_open = edits.map(|edits| is_open(edits, editing));
    if state.is_none() && edits.is_none() {
        return ().into_any();
    }
    let begin = state.clone().unwrap_or_else(|| JsonText::from_value(&serde_json::json!({})));
    let editor = move || {
        let edits = edits.filter(|_| is_open.is_some_and(|is_open| is_open.get()))?;
        let value = begin.clone();
        let (change, done) = match what {
            State::Initial => (Callback::new(CaseChange::State), "State changed."),
            // ADK treats an empty state as none.
            State::Final => (
                Callback::new(|state: JsonText| {
                    CaseChange::FinalState(Some(state).filter(|it| it.compact().as_str() != "{}"))
                }),
                "Expected state changed.",
            ),
        };
        Some(view! { <JsonEditor edits label=title value change done/> })
    };
    let edit = edits.map(|edits| {
        let (word, label) = match state.is_some() {
            true => ("Edit", format!("Edit: {title}")),
            false => (add, add.to_owned()),
        };
        view! { <button type="button" class="link" data-leaves="" id=editing.opener() aria-label=label on:click=move |_| edits.edit(Some(editing))>{word}</button> }
    });
    view! {
        <li class="case-state">
            {state.map(|state| view! {
                <details open=what == State::Final>
                    <summary>{title}</summary>
                    <ValuePane title=title what=named reading=use_reading(&state)/>
                </details>
            })}
            {edit}
            {editor}
        </li>
    }
    .into_any()
}

/// The position of a step.
#[derive(Debug, Clone, Copy)]
struct StepPosition {
    /// Among the rows, from 1.
    number: usize,
    /// The turn, from 0.
    turn: usize,
    /// Among the calls of the turn, from 0.
    call: usize,
    /// How many calls the turn has.
    calls: usize,
}

/// Whether `what` is being edited. A memo, so that a row is not rebuilt when another one is edited.
fn is_open(edits: CaseEdits, what: Editing) -> Memo<bool> {
    Memo::new(move |_| edits.open.get() == Some(what))
}

/// A text that an edit can replace.
fn editable_text(edits: CaseEdits, what: Editing, row: TextStep) -> AnyView {
    let TextStep { number, class, glyph, who, text } = row;
    let is_answer = matches!(what, Editing::Response(_));
    let (label, done) = match what {
        Editing::Response(_) => ("Expected response", "Response changed."),
        Editing::Plan => ("Simulated user's plan", "Plan changed."),
        _ => ("User message", "User message changed."),
    };
    let actions = move || {
        let none = Callback::new(move |()| {
            if let Editing::Response(turn) = what {
                let change = CaseChange::Response { turn, text: None };
                edits.change(change, "Expected response removed.");
            }
        });
        view! {
            <RowActions edits opens=what name=label>
                {is_answer.then(|| view! {
                    <button type="button" data-leaves="" title="Remove expected response" aria-label="Remove expected response" on:click=move |_| none.run(())>"×"</button>
                })}
            </RowActions>
        }
    };
    let shown = StoredValue::new(text);
    let is_open = is_open(edits, what);
    let row = move || {
        if is_open.get() {
            let change = Callback::new(move |text: String| match what {
                Editing::Response(turn) => CaseChange::Response { turn, text: Some(text) },
                Editing::Query(turn) => CaseChange::Query { turn, text },
                Editing::Plan => CaseChange::Plan(text),
                _ => CaseChange::EvalId(text),
            });
            return view! {
                <li class=class>
                    <TextEditor edits label text=shown.get_value() rows=4 change done/>
                </li>
            }
            .into_any();
        }
        let row = TextStep { number, class, glyph, who: who.clone(), text: shown.get_value() };
        text_step(row, actions().into_any())
    };
    row.into_any()
}

/// Adds an expected response to a turn that has none.
fn no_response(edits: CaseEdits, turn: usize) -> AnyView {
    let what = Editing::Response(turn);
    let is_open = is_open(edits, what);
    let row = move || {
        if is_open.get() {
            let change = Callback::new(move |text| CaseChange::Response { turn, text: Some(text) });
            return view! { <TextEditor edits label="Expected response" text=String::new() rows=4 change done="Expected response added."/> }.into_any();
        }
        view! { <button type="button" class="link" data-leaves="" id=what.opener() on:click=move |_| edits.edit(Some(what))>"+ expected response"</button> }.into_any()
    };
    view! { <li class="case-more">{row}</li> }.into_any()
}

/// Adds an expected call after those of a turn.
fn new_call(edits: CaseEdits, turn: usize, at: usize) -> AnyView {
    let what = Editing::NewCall { turn, at };
    let is_open = is_open(edits, what);
    let row = move || {
        if is_open.get() {
            let change = Callback::new(move |expected| CaseChange::AddCall { turn, at, expected });
            let arguments = JsonText::from_value(&serde_json::json!({}));
            let call = ExpectedCall { tool: String::new(), arguments, response: None };
            return view! { <CallEditor edits call change done="Expected call added."/> }
                .into_any();
        }
        view! { <button type="button" class="link" data-leaves="" id=what.opener() on:click=move |_| edits.edit(Some(what))>"+ expected call"</button> }.into_any()
    };
    view! { <li class="case-more">{row}</li> }.into_any()
}

/// The buttons of a row, visible while the pointer or the focus is in it.
#[component]
fn RowActions(
    /// The edits.
    edits: CaseEdits,
    /// What its first button opens.
    opens: Editing,
    /// What the row is, for screen readers.
    name: &'static str,
    /// Further buttons.
    children: Children,
) -> impl IntoView {
    view! {
        // A click on a button does not open the row.
        <span class="row-buttons case-actions" data-leaves="" on:click=|event| event.stop_propagation()>
            <button type="button" id=opens.opener() title="Edit" aria-label=format!("Edit: {name}") on:click=move |_| edits.edit(Some(opens))>"Edit"</button>
            {children()}
        </span>
    }
}

fn step_row(place: StepPosition, step: CaseStep, edits: Option<CaseEdits>) -> AnyView {
    match step {
        CaseStep::Message { author, text } => {
            let who = if author.is_empty() { "Agent".to_owned() } else { author };
            read_only_text(TextStep {
                number: place.number,
                class: "row",
                glyph: Glyph::Answer,
                who,
                text,
            })
        }
        CaseStep::Plan(text) => {
            let row = TextStep {
                number: place.number,
                class: "row",
                glyph: Glyph::User,
                who: "Simulated user's plan".to_owned(),
                text,
            };
            match edits {
                Some(edits) => editable_text(edits, Editing::Plan, row),
                None => read_only_text(row),
            }
        }
        CaseStep::Call { author, tool, arguments, result, .. } => {
            let StepPosition { turn, call, .. } = place;
            let what = Editing::Call { turn, call };
            let is_open = edits.map(|edits| is_open(edits, what));
            let row = StoredValue::new(Called { author, tool, arguments, response: result });
            (move || {
                let called = row.get_value();
                match edits.filter(|_| is_open.is_some_and(|is_open| is_open.get())) {
                    Some(edits) => {
                        let change = Callback::new(move |expected| CaseChange::Call {
                            turn,
                            call,
                            expected,
                        });
                        let Called { tool, arguments, response, .. } = called;
                        let call = ExpectedCall { tool, arguments, response };
                        view! {
                            <li class="row returned">
                                <CallEditor edits call change done="Call changed."/>
                            </li>
                        }
                        .into_any()
                    }
                    None => {
                        let actions =
                            move || edits.map(|edits| view! { <CallActions place edits/> });
                        let none = "No response recorded";
                        view! { <CalledStep number=place.number call=called none actions/> }
                            .into_any()
                    }
                }
            })
            .into_any()
        }
    }
}

fn read_only_text(row: TextStep) -> AnyView {
    text_step(row, ().into_any())
}

/// The buttons of a call: edit, move and remove.
#[component]
fn CallActions(
    /// Its position.
    place: StepPosition,
    /// What changes it.
    edits: CaseEdits,
) -> impl IntoView {
    let StepPosition { turn, call, calls, .. } = place;
    // Not disabled at the ends, so that an arrow keeps the focus.
    let (is_first, is_last) = (call == 0, call + 1 >= calls);
    let step = move |to: usize| {
        edits.change(CaseChange::MoveCall { turn, from: call, to }, "Call moved.");
    };
    let remove = move |_| {
        edits.change(CaseChange::RemoveCall { turn, call }, "Call removed.");
    };
    view! {
        <RowActions edits opens=Editing::Call { turn, call } name="the call">
            <button
                type="button"
                id=call_button("earlier", turn, call)
                title="Move up"
                aria-label="Move the call up"
                aria-disabled=is_first.to_string()
                on:click=move |_| if !is_first { step(call.saturating_sub(1)) }
            >
                "↑"
            </button>
            <button
                type="button"
                id=call_button("later", turn, call)
                title="Move down"
                aria-label="Move the call down"
                aria-disabled=is_last.to_string()
                on:click=move |_| if !is_last { step(call + 1) }
            >
                "↓"
            </button>
            <button type="button" id=call_button("remove", turn, call) title="Remove" aria-label="Remove call" on:click=remove>"×"</button>
        </RowActions>
    }
}
