//! The panel that forks a result at a step.

use std::collections::HashMap;

use api::{ApiError, CaseRunId, ForkRequest, ForkView, StepView, StepViewKind};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_navigate;

use super::fork_tools::ToolModes;
use super::state::draft::{Draft, MOST_TIMES};
use crate::shared::keys::send_by_key;
use crate::shared::run_address::run_address;
use api::host::start_fork;
use app::components::icon::{Glyph, Icon};
use app::state::base_path::unresolved;
use app::state::excerpt::visible_name;

/// The id of the panel in the document.
pub(super) const PANEL: &str = "fork-fields";

/// What is entered for each step of a result, so that a closed panel opens as it was left.
pub(super) type Drafts = StoredValue<HashMap<usize, ArcRwSignal<Draft>>>;

/// The panel at a step.
#[component]
pub(super) fn ForkPanel(
    /// The result.
    id: CaseRunId,
    /// The step, from 1.
    step: usize,
    /// What happened at the step.
    view: StepView,
    /// What is entered.
    drafts: Drafts,
    /// The tools of the agent.
    tools: Vec<String>,
    /// Whether a person says which continuations pass, unless something else is chosen.
    by_person: bool,
    /// The address without the panel.
    close: String,
) -> impl IntoView {
    let known = drafts.with_value(|drafts| drafts.get(&step).cloned());
    let draft = RwSignal::from(known.unwrap_or_else(|| {
        let draft = ArcRwSignal::new(Draft::of(&view, by_person));
        drafts.update_value(|drafts| {
            drafts.insert(step, draft.clone());
        });
        draft
    }));
    let error = RwSignal::new(None::<String>);
    let is_starting = RwSignal::new(false);
    let go = StoredValue::new_local(use_navigate());
    let run = move || {
        if is_starting.get_untracked() {
            return;
        }
        match draft.with_untracked(|draft| draft.request(id.clone(), step)) {
            Ok(request) => {
                is_starting.set(true);
                error.set(None);
                spawn_local(start(request, move |started: Result<ForkView, ApiError>| {
                    if is_starting.try_set(false).is_some() {
                        return;
                    }
                    match started {
                        Ok(fork) => {
                            let path = run_address(fork.with.run);
                            go.with_value(|go| go(&path, unresolved()));
                        }
                        Err(refused) => error.set(Some(refused.to_string())),
                    }
                }));
            }
            Err(reason) => error.set(Some(reason.to_string())),
        }
    };
    let run = Callback::new(move |()| run());
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        run.run(());
    };
    let given = match step {
        1 => "The case runs from its start. No step is given.".to_owned(),
        2 => "Step 1 is given as it happened.".to_owned(),
        _ => format!("Steps 1 to {} are given as they happened.", step - 1),
    };
    let who = visible_name(&view.who);
    let what = match view.kind {
        StepViewKind::Message => format!("a message of {who}"),
        StepViewKind::Answer => format!("an answer of {who}"),
        StepViewKind::Response => format!("a response of the model of {who}"),
        StepViewKind::Result => format!("a result of {who}"),
    };
    let agent = match view.kind {
        StepViewKind::Response => view.who,
        _ => "AGENT".to_owned(),
    };
    let judged = move |by_person: bool, label: &'static str| {
        view! {
            <label>
                <input
                    type="radio"
                    name="fork-judged"
                    prop:checked=move || draft.read().by_person == by_person
                    on:change=move |_| draft.update(|it| it.by_person = by_person)
                />
                {label}
            </label>
        }
    };
    view! {
        <section class="fork-panel" aria-label="Fork">
            <header class="toolbar">
                <h2>"Fork at step " {step}</h2>
                <span class="grow"></span>
                <a class="button quiet square" href=close aria-label="Close fork panel" title="Close fork panel (Esc)" id="fork-close">
                    <Icon glyph=Glyph::Close/>
                </a>
            </header>
            <form class="fork-form" id=PANEL on:submit=submit on:keydown=send_by_key(move || run.run(()))>
                <div class="fork-body">
                    <p>{given} " Step " {step} " is " {what} "."</p>
                    <Choice draft/>
                    <Change draft/>
                    <Requests draft agent=agent/>
                    <ToolModes draft tools/>
                    <label class="fork-field">
                        <span>"Model that goes on"</span>
                        <input
                            class="input"
                            type="text"
                            autocomplete="off"
                            spellcheck="false"
                            placeholder="the model of the case"
                            prop:value=move || draft.read().then.clone()
                            on:input=move |event| draft.update(|it| it.then = event_target_value(&event))
                        />
                    </label>
                    <label class="fork-field">
                        <span>"Continuations"</span>
                        <input
                            class="input"
                            type="number"
                            min="1"
                            max=MOST_TIMES.to_string()
                            prop:value=move || draft.read().times.clone()
                            on:input=move |event| draft.update(|it| it.times = event_target_value(&event))
                        />
                    </label>
                    <fieldset class="fork-choice">
                        <legend>"A continuation passes"</legend>
                        {judged(false, "as the metrics of the case say, or else its golden path")}
                        {judged(true, "if I say so, once it has ended")}
                    </fieldset>
                    <p class="quiet">{move || cost(&draft.read())}</p>
                </div>
                <footer class="panel-foot">
                    <span class="field-fault" role="alert">{move || error.get()}</span>
                    <span class="grow"></span>
                    <button type="submit" class="button primary" aria-disabled=move || is_starting.get().to_string()>
                        {move || if is_starting.get() { "Starting…" } else { "Run" }}
                        <kbd>"Ctrl ↵"</kbd>
                    </button>
                </footer>
            </form>
        </section>
    }
}

async fn start(request: ForkRequest, then: impl FnOnce(Result<ForkView, ApiError>)) {
    then(start_fork(request).await);
}

/// How many continuations there are in all.
fn cost(draft: &Draft) -> String {
    let times = draft.times.trim();
    match draft.compares() {
        true => {
            format!("{times} continuations with the change, and {times} without it to compare.")
        }
        false => "The step is done again in each continuation.".to_owned(),
    }
}

/// Whether the step is done again or changed.
#[component]
fn Choice(
    /// What is entered.
    draft: RwSignal<Draft>,
) -> impl IntoView {
    let choice = move |changes: bool, label: &'static str| {
        view! {
            <label>
                <input
                    type="radio"
                    name="fork-move"
                    prop:checked=move || draft.read().changes == changes
                    on:change=move |_| draft.update(|it| it.changes = changes)
                />
                {label}
            </label>
        }
    };
    view! {
        <fieldset class="fork-choice">
            <legend class="unseen">"At the step"</legend>
            {choice(false, "Do this step again")}
            {choice(true, "Change this step")}
        </fieldset>
    }
}

/// The editor of what is changed in every request to a model.
#[component]
fn Requests(
    /// What is entered.
    draft: RwSignal<Draft>,
    /// An agent that has a model, for the example.
    agent: String,
) -> impl IntoView {
    let is_open = draft.with_untracked(|draft| !draft.requests.is_empty());
    let example = format!(
        "{{\"instructions\": {{\"{agent}\": \"…\"}},\n \"tools\": {{\"TOOL\": {{\"description\": \"…\"}}}},\n \"temperature\": 0.2}}"
    );
    view! {
        <details class="fork-requests" open=is_open>
            <summary>"Change the instruction, a tool or the temperature"</summary>
            <label class="fork-field">
                <span>"Changes of requests as JSON"</span>
                <textarea
                    class="input mono"
                    rows="5"
                    spellcheck="false"
                    placeholder=example
                    prop:value=move || draft.read().requests.clone()
                    on:input=move |event| draft.update(|it| it.requests = event_target_value(&event))
                ></textarea>
            </label>
        </details>
    }
}

/// The editor of the change.
#[component]
fn Change(
    /// What is entered.
    draft: RwSignal<Draft>,
) -> impl IntoView {
    let changes = Memo::new(move |_| draft.read().changes);
    let is_json = Memo::new(move |_| draft.read().is_json);
    let member = Memo::new(move |_| draft.read().member);
    let side = move |this: bool, text: &'static str| {
        view! {
            <button
                type="button"
                aria-pressed=move || (is_json.get() == this).to_string()
                on:click=move |_| draft.update(|it| it.switch(this))
            >
                {text}
            </button>
        }
    };
    let label = move || match member.get() {
        _ if is_json.get() => "Change as JSON",
        Some("message") => "Message",
        Some("answer") => "Answer",
        Some("response") => "Response",
        _ => "Result",
    };
    let editor = move || match is_json.get() {
        true => view! {
            <textarea
                class="input mono"
                id="fork-change"
                rows="12"
                spellcheck="false"
                prop:value=move || draft.read().json.clone()
                on:input=move |event| draft.update(|it| it.json = event_target_value(&event))
            ></textarea>
        }
        .into_any(),
        false => view! {
            <textarea
                class="input prose"
                id="fork-change"
                rows="5"
                prop:value=move || draft.read().text.clone()
                on:input=move |event| draft.update(|it| it.text = event_target_value(&event))
            ></textarea>
        }
        .into_any(),
    };
    view! {
        <Show when=move || changes.get()>
            <div class="fork-change">
                <div class="fork-change-head">
                    <label for="fork-change">{label}</label>
                    <span class="grow"></span>
                    <Show when=move || member.get().is_some()>
                        <span class="switch" role="group" aria-label="Form">
                            {side(false, "Text")} {side(true, "JSON")}
                        </span>
                    </Show>
                </div>
                {editor}
            </div>
        </Show>
    }
}
