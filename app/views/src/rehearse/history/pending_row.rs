//! The pending call: a stopwatch and Cancel, and the confirmation or the result that the tool asks for.

use std::time::Duration;

use json_text::JsonText;
use leptos::ev;
use leptos::prelude::*;
use session::{CallId, Event, PendingPhase};

use crate::rehearse::state::workspace::use_this_workspace;
use crate::rehearse::workspace_keys::esc_cancels;
use crate::shared::form::SchemaForm;
use crate::shared::keys::{focus_now, once_shown, send_by_key};
use crate::shared::tokens::Tokens;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::clock::every;
use app::state::excerpt::{visible_name, visible_text};
use app::state::preview::{arguments, preview};
use app::state::rehearsal::name_of_call;
use app::state::rows::RowId;
use app::state::times;
use app::state::value_form::use_any_form;

/// The id of the tool's request in the document.
pub const WANTED: &str = "wanted";

/// The kinds of result that a person supplies.
const TEXT: &str = "text";
const JSON: &str = "json";

/// A part of ADK's default hint for a tool that asks for confirmation.
const ADK_HINT: &str = "by responding with a FunctionResponse";

/// How many characters of the arguments the line shows.
const BUDGET: usize = 120;

/// A pending call.
#[component]
pub(super) fn PendingRow(
    /// The row.
    row: RowId,
    /// How many pending calls it is within.
    depth: usize,
    /// The row that the arrow keys are at.
    current: RwSignal<usize>,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let call = rehearsal
        .session
        .with_untracked(|session| session.all_pending().get(depth).map(|it| it.call.clone()))?;
    let phase = Memo::new(move |_| {
        rehearsal
            .session
            .with(|session| session.all_pending().get(depth).map(|it| it.phase.clone()))
    });
    // Calls within it end first.
    let is_innermost =
        Memo::new(move |_| rehearsal.session.read().all_pending().len() == depth + 1);
    let started = call.timestamp.as_millisecond();
    let run_for = RwSignal::new(0_i64);
    // A timer, which runs in the browser only.
    Effect::new(move |_| {
        every(Duration::from_millis(100), move || {
            run_for.set(browser::now().as_millisecond() - started);
        });
    });
    let is_cancelling = move || phase.get() == Some(PendingPhase::Cancelling);
    let has_key = move || is_innermost.get() && esc_cancels(rehearsal);
    let cancel = move |_| {
        if is_innermost.get_untracked() {
            rehearsal.returns_focus.set(true);
            rehearsal.cancel();
        }
    };
    let call_id = call.call_id.clone();
    let tools = use_this_workspace().tools;
    let called = call.tool_name.clone();
    // Whether the tool is an agent, and whether the person can play it.
    let agent = Memo::new(move |_| {
        let tools = tools.read();
        let tool = tools.iter().find(|tool| tool.name == called);
        tool.map(|tool| (tool.agent_model.is_some(), tool.can_be_played)).unwrap_or_default()
    });
    let name = visible_name(call.tool_name.as_str());
    let wanted = move || match phase.get() {
        Some(PendingPhase::AwaitingConfirmation { hint, payload }) => {
            let (is_agent, can_be_played) = agent.get_untracked();
            view! { <Confirmation call_id=call_id.clone() hint payload is_agent can_be_played/> }
                .into_any()
        }
        Some(PendingPhase::AwaitingResult { first }) => {
            let (is_agent, _) = agent.get_untracked();
            view! { <Supply call_id=call_id.clone() first is_agent/> }.into_any()
        }
        Some(PendingPhase::Acting) => acting(&name),
        _ => ().into_any(),
    };
    Some(view! {
        <li class=nested_class("row pending", depth)>
            <div class="running">
                <span class="pulse" aria-hidden="true"></span>
                <span class="signature">
                    <span class="unseen">"Running tool call: "</span>
                    <b>{visible_name(call.tool_name.as_str())}</b>
                    "("
                    <Tokens tokens=arguments(&call.arguments, BUDGET)/>
                    ")"
                </span>
                <span class="clock" role="timer" aria-label="Running for">
                    {move || times::stopwatch(run_for.get())}
                </span>
                <button
                    type="button"
                    class="button"
                    id=row.element_id()
                    on:focus=move |_| current.set(row.position)
                    aria-disabled=move || (is_cancelling() || !is_innermost.get()).to_string()
                    on:click=cancel
                >
                    {move || if is_cancelling() { "Canceling…" } else { "Cancel" }}
                    {move || has_key().then(|| view! { <kbd>"Esc"</kbd> })}
                </button>
            </div>
            <Progress/>
            {wanted}
        </li>
    })
}

/// The class of a row that is `depth` calls within the history's own.
pub(super) fn nested_class(class: &str, depth: usize) -> String {
    match depth {
        0 => class.to_owned(),
        1 => format!("{class} nested"),
        _ => format!("{class} nested deeper"),
    }
}

/// What the person does as the agent that was called.
fn acting(name: &str) -> AnyView {
    view! {
        <div class="wanted" role="note">
            <p class="question">
                <Icon glyph=Glyph::Play/>
                {format!("You act as {name}. Call its tools, then send its final response. It becomes the result of this call.")}
            </p>
        </div>
    }
    .into_any()
}

/// The progress of the tool, if it reports any.
#[component]
fn Progress() -> impl IntoView {
    let progress = use_this_workspace().rehearsal.progress;
    move || {
        progress.get().map(|progress| {
            // Without a total there is no share.
            let total = progress.total.filter(|total| *total > 0.0);
            let share = progress.done.zip(total).map(|(done, total)| (done / total).clamp(0.0, 1.0));
            let share_text = progress.done.map(|done| match total.zip(share) {
                Some((total, share)) => {
                    let (done, total) = (times::amount(done), times::amount(total));
                    format!("{done} of {total} ({:.0}%)", share * 100.0)
                }
                None => times::amount(done),
            });
            view! {
                <div class="progress">
                    <progress aria-label="Progress of the call" max="1" value=share.map(|it| it.to_string())></progress>
                    {share_text.map(|share_text| view! { <span class="clock">{share_text}</span> })}
                    {progress.message.map(|message| view! { <span class="quiet">{visible_text(&message)}</span> })}
                </div>
            }
        })
    }
}

/// The tool asks for confirmation.
#[component]
fn Confirmation(
    /// The call.
    call_id: CallId,
    /// What the tool is about to do.
    hint: String,
    /// What it suggests to confirm with.
    payload: Option<JsonText>,
    /// Whether the tool is an agent: it runs its model, or the person supplies its result.
    is_agent: bool,
    /// Whether the person can act as the agent.
    can_be_played: bool,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let form = payload.map(|payload| use_any_form(&payload));
    if let Some(form) = form {
        rehearsal.forms.keep(name_of_call(&call_id, "payload"), form);
    }
    let call_id = StoredValue::new(call_id);
    // Focuses the group and not a button: a key that is pressed meanwhile must not confirm.
    Effect::new(|_| browser::after_drawing(|| browser::focus(WANTED)));
    let answer = move |confirmed: bool| {
        let payload = match form {
            Some(form) if confirmed => match form.read() {
                Some(payload) => Some(payload.compact()),
                None => return,
            },
            _ => None,
        };
        rehearsal.returns_focus.set(true);
        rehearsal.send(Event::Confirm { call_id: call_id.get_value(), confirmed, payload });
    };
    let hint = visible_text(hint.trim());
    // ADK's default hint addresses the model.
    let (question, aside) = if hint.is_empty() || hint.contains(ADK_HINT) {
        ("The tool requires confirmation.".to_owned(), hint)
    } else {
        (hint, String::new())
    };
    let play = move || {
        rehearsal.send(Event::ActAsAgent { call_id: call_id.get_value() });
    };
    let on_key = move |event: ev::KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || browser::is_typing() {
            return;
        }
        match event.key().as_str() {
            "p" | "P" if can_be_played => play(),
            "y" | "Y" => answer(true),
            "n" | "N" => answer(false),
            _ => return,
        }
        event.prevent_default();
    };
    let (deny, confirm) = match is_agent {
        true => ("Supply the result", "Run its model"),
        false => ("Deny", "Confirm"),
    };
    view! {
        <div class="wanted" id=WANTED tabindex="-1" role="group" aria-label="Confirmation" on:keydown=on_key>
            <p class="question"><Icon glyph=Glyph::Question/> {question}</p>
            {(!aside.is_empty()).then(|| view! { <p class="quiet hint-said">{aside}</p> })}
            {form.map(|form| view! { <SchemaForm state=form id="payload" label="Confirmation payload (JSON)"/> })}
            <div class="choices">
                {can_be_played.then(|| view! {
                    <button type="button" class="button primary" on:click=move |_| play()>"Act as the agent " <kbd>"P"</kbd></button>
                })}
                <button type="button" class="button" on:click=move |_| answer(false)>{deny} " " <kbd>"N"</kbd></button>
                <button type="button" class="button" class:primary=!can_be_played on:click=move |_| answer(true)>{confirm} " " <kbd>"Y"</kbd></button>
            </div>
        </div>
    }
}

/// The person supplies the result of a long-running tool.
#[component]
fn Supply(
    /// The call.
    call_id: CallId,
    /// What the tool returned at first.
    first: Option<JsonText>,
    /// Whether the tool is an agent.
    is_agent: bool,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    // The tool that returned text at first, and an agent without an output schema, return text.
    let first_text = first.as_ref().and_then(|first| first.decode::<String>().ok());
    let (as_text, as_json) = (name_of_call(&call_id, "text"), name_of_call(&call_id, "json"));
    let forms = rehearsal.forms;
    let is_draft = forms.has_kept(&as_text) || forms.has_kept(&as_json);
    // What is shown: text or JSON.
    let kind = RwSignal::new(if is_agent || first_text.is_some() { TEXT } else { JSON }.to_owned());
    forms.keep_text(name_of_call(&call_id, "kind"), kind);
    let is_text = Memo::new(move |_| *kind.read() == TEXT);
    let switch = move |_| {
        kind.set(if is_text.get_untracked() { JSON } else { TEXT }.to_owned());
        focus_now(|| browser::focus_form(WANTED));
    };
    let text = RwSignal::new(first_text.filter(|_| !is_agent).unwrap_or_default());
    let form = use_any_form(first.as_ref().filter(|_| !is_agent).unwrap_or(&JsonText::null()));
    forms.keep_text(as_text, text);
    forms.keep(as_json, form);
    // Focuses and selects the initial result, which the typed one replaces. A draft from before a reload stays.
    Effect::new(move |_| {
        browser::after_drawing(move || {
            browser::focus_form(WANTED) && (is_draft || browser::select_focused())
        });
        once_shown(move || {
            browser::focus_past_kind(WANTED) && (is_draft || browser::select_focused())
        });
    });
    let call_id = StoredValue::new(call_id);
    let supply = move || {
        let result = match is_text.get_untracked() {
            true => Some(JsonText::string(&text.read_untracked())),
            false => form.read().map(|result| result.compact()),
        };
        if let Some(result) = result {
            rehearsal.returns_focus.set(true);
            rehearsal.send(Event::SupplyResult { call_id: call_id.get_value(), result });
        }
    };
    let on_submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        supply();
    };
    view! {
        <form class="wanted" id=WANTED tabindex="-1" aria-label=if is_agent { "Result of the agent" } else { "Result of the long-running tool" } on:submit=on_submit on:keydown=send_by_key(supply)>
            <p class="question">
                <Icon glyph=Glyph::Clock/>
                {match is_agent {
                    true => "This tool is an agent. You supply its result.",
                    false => "This tool is long-running. You supply its result.",
                }}
            </p>
            {first.filter(|_| !is_agent).map(|first| view! {
                <p class="first-result">"Initial result: " <Tokens tokens=preview(&first, BUDGET)/></p>
            })}
            {move || match is_text.get() {
                true => view! {
                    <textarea
                        id="supplied"
                        class="input prose"
                        rows="4"
                        aria-label="Result as text"
                        prop:value=move || text.get()
                        on:input=move |event| text.set(event_target_value(&event))
                    ></textarea>
                }
                .into_any(),
                false => view! { <SchemaForm state=form id="supplied" label="Result (JSON)"/> }.into_any(),
            }}
            <div class="choices">
                <button type="button" class="link" on:click=switch>
                    {move || if is_text.get() { "Enter JSON" } else { "Enter text" }}
                </button>
                <button type="submit" class="button primary">"Send result" <kbd>"Ctrl ↵"</kbd></button>
            </div>
        </form>
    }
}
