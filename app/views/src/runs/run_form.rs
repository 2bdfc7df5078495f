//! What a run would do, and the button that starts it.

use api::host::{plan_run, start_run};
use api::{ApiError, EarlierRun, RunOf, RunPlan};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_navigate;

use super::act;
use super::head::{cost_text, duration_text, tokens_text};
use super::state::run_draft::{Draft, ModelChoice};
use crate::shared::run_address::run_address;
use app::state::base_path::unresolved;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::counted;

/// The id of the form in the document. One is open at a time.
const FORM: &str = "run-form";

/// What a form of another part of the page runs: its code is in the part of a run, which its start needs next.
#[derive(Clone)]
pub struct OpenForm {
    /// What is run.
    pub of: RunOf,
    /// What the person wants; `None` closes the form.
    pub draft: RwSignal<Option<Draft>>,
    /// Why it was refused.
    pub error: RwSignal<Option<ApiError>>,
    /// The id of the button that opened it.
    pub opener: String,
}

/// The form in the context, or that for the agent in the address; `None` without either.
pub fn open_form() -> Option<AnyView> {
    let Some(OpenForm { of, draft, error, opener }) = use_context() else { return act::form() };
    Some(view! { <RunForm of draft error opener/> }.into_any())
}

/// What to run, and what it would do.
#[component]
pub(super) fn RunForm(
    /// What is run.
    of: RunOf,
    /// What the person wants; `None` closes the form.
    draft: RwSignal<Option<Draft>>,
    /// Why it was refused.
    error: RwSignal<Option<ApiError>>,
    /// The id of the button that opened it, which gets the focus back.
    opener: String,
) -> impl IntoView {
    let request = Memo::new(move |_| Some(draft.read().as_ref()?.request(of.clone())));
    let plan = LocalResource::new(move || {
        let request = request.get();
        async move {
            match request {
                Some(Ok(request)) => Some(plan_run(request).await),
                _ => None,
            }
        }
    });
    // Its code may have been loaded for it.
    Effect::new(|_| browser::after_drawing(|| browser::focus_first_in(FORM)));
    let is_sent = RwSignal::new(false);
    let go = StoredValue::new_local(use_navigate());
    let start = move || {
        let Some(Ok(request)) = request.get_untracked().filter(|_| !is_sent.get_untracked()) else {
            return;
        };
        is_sent.set(true);
        spawn_local(async move {
            let started = start_run(request).await;
            if is_sent.try_set(false).is_some() {
                return;
            }
            match started {
                Ok(run) => go.with_value(|go| go(&run_address(run), unresolved())),
                Err(refused) => error.set(Some(refused)),
            }
        });
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        start();
    };
    let opener = StoredValue::new(opener);
    let close = move || {
        let opener = opener.get_value();
        draft.set(None);
        browser::after_drawing(move || browser::focus(&opener));
    };
    let keys = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && !event.is_composing() {
            event.prevent_default();
            close();
        }
    };
    let edit = move |change: fn(&mut Draft, String)| {
        move |event: leptos::ev::Event| {
            let text = event_target_value(&event);
            draft.update(|draft| {
                if let Some(draft) = draft {
                    change(draft, text);
                }
            });
        }
    };
    let field = move |read: fn(&Draft) -> String| {
        move || draft.read().as_ref().map(read).unwrap_or_default()
    };
    let chosen = Memo::new(move |_| draft.read().as_ref().map(|draft| draft.model));
    let is_named = Memo::new(move |_| chosen.get() == Some(ModelChoice::Named));
    let choice = move |(model, label): (ModelChoice, &'static str)| {
        let choose = move |_| {
            draft.update(|draft| {
                if let Some(draft) = draft {
                    draft.model = model;
                }
            });
        };
        view! {
            <label>
                <input
                    type="radio"
                    name="run-model"
                    prop:checked=move || chosen.get() == Some(model)
                    on:change=choose
                />
                {label}
            </label>
        }
    };
    let planned = move || match (request.get(), plan.get().flatten()) {
        (Some(Err(missing)), _) => {
            view! { <p class="field-fault" role="alert">{missing.text()}</p> }.into_any()
        }
        (_, Some(Ok(plan))) => shown(&plan),
        (_, Some(Err(error))) => {
            view! { <p class="field-fault" role="alert">{visible_text(&error.to_string())}</p> }
                .into_any()
        }
        (_, None) => view! { <p class="quiet">"Reading the suites…"</p> }.into_any(),
    };
    view! {
        <form class="fork-form" id=FORM on:submit=submit on:keydown=keys>
            <label class="fork-field">
                "Repeats of each case"
                <input class="input" type="text" inputmode="numeric" placeholder="as in the suite" prop:value=field(|draft| draft.repeats.clone()) on:input=edit(|draft, text| draft.repeats = text)/>
            </label>
            <fieldset class="fork-choice">
                <legend>"Model"</legend>
                {ModelChoice::EACH.map(choice).into_iter().collect_view()}
            </fieldset>
            <Show when=move || is_named.get()>
                <label class="fork-field">
                    "Name of the model"
                    <input class="input" type="text" autocomplete="off" spellcheck="false" placeholder="gemini-2.5-pro" prop:value=field(|draft| draft.named.clone()) on:input=edit(|draft, text| draft.named = text)/>
                </label>
            </Show>
            <div role="status">{planned}</div>
            <div class="fork-actions">
                <button type="submit" class="button primary" aria-disabled=move || is_sent.get().to_string()>
                    {move || if is_sent.get() { "Starting…" } else { "Run" }}
                </button>
                <button type="button" class="button quiet" on:click=move |_| close()>"Cancel"</button>
            </div>
        </form>
    }
}

/// What a run would do, in sentences.
fn shown(plan: &RunPlan) -> AnyView {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let cases = counted(number(plan.cases), "case", "cases");
    let results = counted(number(plan.results), "run", "runs");
    let names = |names: &[String]| visible_name(&names.join(", "));
    let real = match plan.real_tools.as_slice() {
        [] => view! { <li>"No tool runs with its effects."</li> }.into_any(),
        tools => {
            view! { <li class="runs-real"><b>"Real tools: "</b> {names(tools)} "."</li> }.into_any()
        }
    };
    let sealed = (!plan.sealed_tools.is_empty())
        .then(|| view! { <li>"Sealed tools: " {names(&plan.sealed_tools)} "."</li> });
    let asked = match (plan.models.as_slice(), plan.asks_own_models) {
        ([], false) => "No model is asked: the cases give its responses.".to_owned(),
        ([], true) => "The models of the agents are asked.".to_owned(),
        (models, false) => format!("Models that are asked: {}.", names(models)),
        (models, true) => {
            format!("Models that are asked: {}, and those of the agents.", names(models))
        }
    };
    let earlier = plan.earlier.map(|EarlierRun { run, duration_ms, tokens, cost }| {
        let tokens = tokens_text(tokens).map(|tokens| format!(" and {tokens}"));
        let cost = cost_text(cost).map(|cost| format!(", at the {cost}")).unwrap_or_default();
        let (took, tokens) = (duration_text(duration_ms), tokens.unwrap_or_default());
        view! { <li>{format!("In run {run}, these cases took {took}{tokens}{cost}.")}</li> }
    });
    view! {
        <ul class="runs-plan">
            <li>{cases} ", " {results} "."</li>
            {real}
            {sealed}
            <li>{asked}</li>
            {earlier}
        </ul>
    }
    .into_any()
}
