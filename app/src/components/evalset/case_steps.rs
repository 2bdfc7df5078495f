//! A case as the timeline of a rehearsal: what the user asks, each call in a row that opens, what
//! the agent answers.

use json_text::JsonText;
use leptos::prelude::*;

use super::case_editor::{CallEditor, JsonEditor, TextEditor};
use crate::api::{CaseChange, CaseStep, CaseTurn, CaseView, ExpectedCall};
use crate::components::icon::{Glyph, Icon};
use crate::components::tokens::Tokens;
use crate::components::value::ValueBody;
use crate::components::value_pane::ValuePane;
use crate::state::case_edits::{CaseEdits, Editing};
use crate::state::preview::{arguments, preview};
use crate::state::reading::{Reading, use_reading};

/// How many characters of arguments and of result stand in the line.
const BUDGET: usize = 160;

/// The turns of a case; with `edits` each step can be changed.
#[component]
pub(super) fn CaseSteps(
    /// The case.
    case: CaseView,
    /// What changes it; `None` for a case that is only read.
    edits: Option<CaseEdits>,
) -> impl IntoView {
    let several = case.turns.len() > 1;
    let mut number = 0;
    let rows = case.turns.into_iter().enumerate().map(|(turn, it)| {
        let CaseTurn { query, steps, response } = it;
        let mut next = || {
            number += 1;
            number
        };
        let asked = Said {
            number: next(),
            class: "row asked",
            glyph: Glyph::User,
            who: "User".to_owned(),
            text: query,
        };
        let asked = match edits {
            Some(edits) => editable_text(edits, Editing::Query(turn), asked),
            None => said(asked),
        };
        let count = steps.iter().filter(|step| matches!(step, CaseStep::Call { .. })).count();
        let mut call = 0;
        let steps = steps.into_iter().map(|step| {
            let place = Place { number: next(), turn, call, calls: count };
            call += usize::from(matches!(step, CaseStep::Call { .. }));
            step_row(place, step, edits)
        });
        let steps = steps.collect_view();
        let more = edits.map(|edits| new_call(edits, turn, count));
        let answered = response.map(|text| Said {
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
            (Some(answered), None) => said(answered),
            (None, Some(edits)) => no_response(edits, turn),
            (None, None) => ().into_any(),
        };
        view! {
            {several.then(|| view! { <li class="turn">"Turn " {turn + 1}</li> })}
            {asked}
            {steps}
            {more}
            {answered}
        }
    });
    let rows = rows.collect_view();
    view! {
        <ol class="timeline case-steps">
            <InitialState state=case.state edits/>
            {rows}
        </ol>
    }
}

/// What the session starts with.
#[component]
fn InitialState(
    /// The state, where the case tells.
    state: Option<JsonText>,
    /// What changes it.
    edits: Option<CaseEdits>,
) -> impl IntoView {
    let state = state.filter(|state| state.compact().as_str() != "{}");
    let is_open = edits.map(|edits| is_open(edits, Editing::State));
    if state.is_none() && edits.is_none() {
        return ().into_any();
    }
    let begin = state.clone().unwrap_or_else(|| JsonText::from_value(&serde_json::json!({})));
    let editor = move || {
        let edits = edits.filter(|_| is_open.is_some_and(|is_open| is_open.get()))?;
        let change = Callback::new(CaseChange::State);
        let value = begin.clone();
        Some(
            view! { <JsonEditor edits label="Initial state" value change said="The state was changed."/> },
        )
    };
    let edit = edits.map(|edits| {
        let word = if state.is_some() { "Edit" } else { "+ initial state" };
        view! { <button type="button" class="link" on:click=move |_| edits.edit(Some(Editing::State))>{word}</button> }
    });
    view! {
        <li class="case-state">
            {state.map(|state| view! {
                <details>
                    <summary>"Initial state"</summary>
                    <ValuePane title="Initial state" what="the initial state" reading=use_reading(&state)/>
                </details>
            })}
            {edit}
            {editor}
        </li>
    }
    .into_any()
}

/// Where a step stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Among the rows, from 1.
    number: usize,
    /// The turn, from 0.
    turn: usize,
    /// Among the calls of the turn, from 0.
    call: usize,
    /// How many calls the turn has.
    calls: usize,
}

/// Something said, as a row.
struct Said {
    number: usize,
    class: &'static str,
    glyph: Glyph,
    who: String,
    text: String,
}

/// Whether `what` is being edited: a row must not be made anew when another is.
fn is_open(edits: CaseEdits, what: Editing) -> Memo<bool> {
    Memo::new(move |_| edits.open.get() == Some(what))
}

/// A text that an edit can replace.
fn editable_text(edits: CaseEdits, what: Editing, row: Said) -> AnyView {
    let Said { number, class, glyph, who, text } = row;
    let is_answer = matches!(what, Editing::Response(_));
    let (label, done) = match what {
        Editing::Response(_) => ("The expected response", "The response was changed."),
        _ => ("What the user says", "The query was changed."),
    };
    let actions = move || {
        let none = Callback::new(move |()| {
            if let Editing::Response(turn) = what {
                let change = CaseChange::Response { turn, text: None };
                edits.change(change, "The response is expected no more.");
            }
        });
        view! {
            <RowActions edit=Callback::new(move |()| edits.edit(Some(what))) name=label>
                {is_answer.then(|| view! {
                    <button type="button" title="Expect no response" aria-label="Expect no response" on:click=move |_| none.run(())>"×"</button>
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
                _ => CaseChange::EvalId(text),
            });
            return view! {
                <li class=class>
                    <TextEditor edits label text=shown.get_value() rows=4 change said=done/>
                </li>
            }
            .into_any();
        }
        let row = Said { number, class, glyph, who: who.clone(), text: shown.get_value() };
        said_with(row, actions().into_any())
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
            return view! { <TextEditor edits label="The expected response" text=String::new() rows=4 change said="A response was added."/> }.into_any();
        }
        view! { <button type="button" class="link" on:click=move |_| edits.edit(Some(what))>"+ expected response"</button> }.into_any()
    };
    view! { <li class="case-more">{row}</li> }.into_any()
}

/// Adds an expected call behind those of a turn.
fn new_call(edits: CaseEdits, turn: usize, at: usize) -> AnyView {
    let what = Editing::NewCall { turn, at };
    let is_open = is_open(edits, what);
    let row = move || {
        if is_open.get() {
            let change = Callback::new(move |expected| CaseChange::AddCall { turn, at, expected });
            let arguments = JsonText::from_value(&serde_json::json!({}));
            let call = ExpectedCall { tool: String::new(), arguments, response: None };
            return view! { <CallEditor edits call change said="A call was added."/> }.into_any();
        }
        view! { <button type="button" class="link" on:click=move |_| edits.edit(Some(what))>"+ expected call"</button> }.into_any()
    };
    view! { <li class="case-more">{row}</li> }.into_any()
}

/// What can be done with a row: seen when the pointer or the focus is in it.
#[component]
fn RowActions(
    /// Opens its editor.
    edit: Callback<()>,
    /// What the row is, for those who hear the page.
    name: &'static str,
    /// Further buttons.
    children: Children,
) -> impl IntoView {
    view! {
        // A press on a button does not open the row.
        <span class="row-buttons case-actions" on:click=|event| event.stop_propagation()>
            <button type="button" title="Edit" aria-label=format!("Edit: {name}") on:click=move |_| edit.run(())>"Edit"</button>
            {children()}
        </span>
    }
}

fn step_row(place: Place, step: CaseStep, edits: Option<CaseEdits>) -> AnyView {
    match step {
        CaseStep::Said { author, text } => {
            let who = if author.is_empty() { "Agent".to_owned() } else { author };
            said(Said { number: place.number, class: "row", glyph: Glyph::Answer, who, text })
        }
        CaseStep::Call { author, tool, arguments, result } => {
            let Place { turn, call, .. } = place;
            let what = Editing::Call { turn, call };
            let is_open = edits.map(|edits| is_open(edits, what));
            let row = StoredValue::new((author, tool, arguments, result));
            (move || {
                let (author, tool, given, result) = row.get_value();
                match edits.filter(|_| is_open.is_some_and(|is_open| is_open.get())) {
                    Some(edits) => {
                        let change = Callback::new(move |expected| CaseChange::Call {
                            turn,
                            call,
                            expected,
                        });
                        let call = ExpectedCall { tool, arguments: given, response: result };
                        view! {
                            <li class="row returned">
                                <CallEditor edits call change said="The call was changed."/>
                            </li>
                        }
                        .into_any()
                    }
                    None => view! { <CallRow place author tool given result edits/> }.into_any(),
                }
            })
            .into_any()
        }
    }
}

fn said(row: Said) -> AnyView {
    said_with(row, ().into_any())
}

fn said_with(row: Said, actions: AnyView) -> AnyView {
    let Said { number, class, glyph, who, text } = row;
    let body = if value_tree::is_more_than_text(&text) {
        let reading = use_reading(&JsonText::string(&text));
        view! { <ValueBody reading label="Value"/> }.into_any()
    } else {
        view! { <p dir="auto">{text}</p> }.into_any()
    };
    view! {
        <li class=class>
            <div class="line">
                <span class="number" aria-hidden="true">{number}</span>
                <Icon glyph/>
                <div class="said"><span class="speaker">{who}</span>{body}</div>
                {actions}
            </div>
        </li>
    }
    .into_any()
}

/// Edit, earlier, later, out: what can be done with a call.
#[component]
fn CallActions(
    /// Where it stands.
    place: Place,
    /// What changes it.
    edits: CaseEdits,
) -> impl IntoView {
    let Place { turn, call, calls, .. } = place;
    let is_last = call + 1 >= calls;
    let step = move |to: usize| {
        edits.change(CaseChange::MoveCall { turn, from: call, to }, "The call was moved.");
    };
    let remove = move |_| {
        edits.change(CaseChange::RemoveCall { turn, call }, "The call was removed.");
    };
    let edit = Callback::new(move |()| edits.edit(Some(Editing::Call { turn, call })));
    view! {
        <RowActions edit name="the call">
            <button
                type="button"
                title="Earlier"
                aria-label="Move the call earlier"
                disabled=call == 0
                on:click=move |_| step(call.saturating_sub(1))
            >
                "↑"
            </button>
            <button
                type="button"
                title="Later"
                aria-label="Move the call later"
                disabled=is_last
                on:click=move |_| step(call + 1)
            >
                "↓"
            </button>
            <button type="button" title="Remove" aria-label="Remove the call" on:click=remove>"×"</button>
        </RowActions>
    }
}

/// One call, which opens into its arguments and its result.
#[component]
fn CallRow(
    /// Where it stands.
    place: Place,
    /// The agent that calls, where the case tells.
    author: String,
    /// The tool.
    tool: String,
    /// The arguments.
    given: JsonText,
    /// What it answers, where the case tells.
    result: Option<JsonText>,
    /// What changes it.
    edits: Option<CaseEdits>,
) -> impl IntoView {
    let number = place.number;
    let open = RwSignal::new(false);
    let shown = arguments(&given, BUDGET);
    let answer = result.as_ref().map(|result| preview(result, BUDGET));
    let detail_id = format!("step-{number}-detail");
    let controlled = detail_id.clone();
    let parts = StoredValue::new((given, result));
    // Read as it was left when the row is opened again.
    let readings = StoredValue::new(None::<(Reading, Option<Reading>)>);
    let owner = StoredValue::new(Owner::current());
    let begun = move || {
        readings.get_value().unwrap_or_else(|| {
            let make = || {
                parts.with_value(|(given, result)| {
                    (use_reading(given), result.as_ref().map(use_reading))
                })
            };
            let made = match owner.get_value() {
                Some(owner) => owner.with(make),
                None => make(),
            };
            readings.set_value(Some(made));
            made
        })
    };
    view! {
        <li class="row returned" class:open=move || open.get()>
            <div class="line" on:click=move |_| open.update(|open| *open = !*open)>
                <span class="number" aria-hidden="true">{number}</span>
                <Icon glyph=Glyph::Tool/>
                <button
                    type="button"
                    class="signature"
                    aria-expanded=move || open.get().to_string()
                    aria-controls=move || open.get().then(|| controlled.clone())
                >
                    {(!author.is_empty()).then(|| view! { <span class="author">{author}</span> " " })}
                    <b>{tool}</b>
                    "("
                    <Tokens tokens=shown/>
                    ")"
                    {answer.map(|tokens| view! { <span class="arrow">" → "</span> <Tokens tokens/> })}
                </button>
                {edits.map(|edits| view! { <CallActions place edits/> })}
            </div>
            <Show when=move || open.get()>
                <div class="detail" id=detail_id.clone()>
                    {
                        let (arguments, result) = begun();
                        view! {
                            <ValuePane title="Arguments" what="the arguments" reading=arguments/>
                            {match result {
                                Some(reading) => view! { <ValuePane title="Response" what="the response" reading/> }.into_any(),
                                None => view! {
                                    <div class="pane"><p class="quiet">"The case records no response."</p></div>
                                }
                                .into_any(),
                            }}
                        }
                    }
                </div>
            </Show>
        </li>
    }
}
