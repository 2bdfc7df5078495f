//! Runs the cases of a run again: what it would do, and the button that starts it.

use api::host::{plan_run, start_run, stop_run};
use api::{ApiError, RunCases, RunDetail, RunPlan, RunRequest};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_navigate;

use super::address::run_address;
use super::head::{duration_text, tokens_text};
use super::state::fetched::Fetched;
use app::state::base_path::unresolved;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::counted;

/// The id of the form in the document.
const FORM: &str = "rerun";
/// The id of the button that opens it.
const OPENS: &str = "run-again";
/// The most repeats that can be asked for.
const MOST_REPEATS: u32 = 100;

/// What the person wants to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Draft {
    only_not_passed: bool,
    repeats: String,
    model: String,
}

impl Draft {
    /// The run; `None` if the repeats are not a number.
    fn request(&self, of: i64) -> Option<RunRequest> {
        let repeats = match self.repeats.trim() {
            "" => None,
            text => Some(text.parse().ok().filter(|repeats| (1..=MOST_REPEATS).contains(repeats))?),
        };
        let model = self.model.trim();
        Some(RunRequest {
            of,
            cases: if self.only_not_passed { RunCases::NotPassed } else { RunCases::All },
            repeats,
            model: (!model.is_empty()).then(|| model.to_owned()),
        })
    }
}

/// The buttons of a run: run again, run what did not pass again, stop.
#[component]
pub(super) fn Rerun(
    /// The run.
    detail: Fetched<RunDetail>,
) -> impl IntoView {
    let summary = Memo::new(move |_| detail.get().map(|detail| detail.summary.clone()));
    let draft = RwSignal::new(None::<Draft>);
    let error = RwSignal::new(None::<ApiError>);
    let open = move |only_not_passed| {
        error.set(None);
        draft.set(Some(Draft { only_not_passed, ..Draft::default() }));
        browser::after_drawing(|| browser::focus_first_in(FORM));
    };
    let has_not_passed = Memo::new(move |_| {
        summary.read().as_ref().is_some_and(|it| it.counts.all() > it.counts.passed)
    });
    let run = move || summary.read_untracked().as_ref().map(|it| it.run);
    let stop = move |_| {
        let Some(run) = run() else { return };
        spawn_local(async move {
            let stopped = stop_run(run).await;
            error.try_set(stopped.err());
            detail.again();
        });
    };
    let buttons = move || {
        let summary = summary.get()?;
        let progress =
            summary.planned.map(|planned| format!("{} of {planned}", summary.counts.all()));
        Some(match summary.is_running {
            true => {
                // Another program may run it, and is not stopped from here.
                let stop = summary.planned.is_some().then(|| {
                    view! { <button type="button" class="button" on:click=stop>"Stop"</button> }
                });
                view! { <span class="quiet" role="status">{progress}</span> {stop} }.into_any()
            }
            false => view! {
                <button type="button" class="button" id=OPENS on:click=move |_| open(false)>"Run again…"</button>
                {move || has_not_passed.get().then(|| view! {
                    <button type="button" class="button" on:click=move |_| open(true)>"Run what did not pass…"</button>
                })}
            }
            .into_any(),
        })
    };
    let is_open = Memo::new(move |_| draft.read().is_some());
    let form = move || {
        let run = is_open.get().then(run)??;
        Some(view! { <RerunForm run draft error/> })
    };
    view! {
        <section class="runs-rerun" aria-label="Run again">
            <div class="fork-actions">{buttons}</div>
            {form}
            {move || error.get().map(|error| view! { <p class="field-fault" role="alert">{visible_text(&error.to_string())}</p> })}
        </section>
    }
}

/// What to run, and what it would do.
#[component]
fn RerunForm(
    /// The number of the earlier run.
    run: i64,
    /// What the person wants.
    draft: RwSignal<Option<Draft>>,
    /// Why it was refused.
    error: RwSignal<Option<ApiError>>,
) -> impl IntoView {
    let request = Memo::new(move |_| draft.read().as_ref()?.request(run));
    let plan = LocalResource::new(move || {
        let request = request.get();
        async move {
            match request {
                Some(request) => Some(plan_run(request).await),
                None => None,
            }
        }
    });
    let is_sent = RwSignal::new(false);
    let go = StoredValue::new_local(use_navigate());
    let start = move || {
        let Some(request) = request.get_untracked().filter(|_| !is_sent.get_untracked()) else {
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
    let close = move || {
        draft.set(None);
        browser::after_drawing(|| browser::focus(OPENS));
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
    let planned = move || match (request.get(), plan.get().flatten()) {
        (None, _) => {
            let text = format!("Give a number of repeats from 1 to {MOST_REPEATS}.");
            view! { <p class="field-fault" role="alert">{text}</p> }.into_any()
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
            <label class="fork-field">
                "Model"
                <input class="input" type="text" placeholder="the models of the cases" prop:value=field(|draft| draft.model.clone()) on:input=edit(|draft, text| draft.model = text)/>
            </label>
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
    let tokens = tokens_text(plan.earlier_tokens).map(|tokens| format!(" and {tokens}"));
    let earlier = format!(
        "In the earlier run, these cases took {}{}.",
        duration_text(plan.earlier_ms),
        tokens.unwrap_or_default()
    );
    view! {
        <ul class="runs-plan">
            <li>{cases} ", " {results} "."</li>
            {real}
            {sealed}
            <li>{asked}</li>
            <li>{earlier}</li>
        </ul>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_a_number_or_nothing() {
        let of = |repeats: &str| {
            let draft = Draft { repeats: repeats.to_owned(), ..Draft::default() };
            draft.request(1).map(|request| request.repeats)
        };
        assert_eq!(of(" "), Some(None));
        assert_eq!(of(" 3 "), Some(Some(3)));
        for refused in ["0", "101", "-1", "many", "1.5"] {
            assert_eq!(of(refused), None, "{refused}");
        }
    }
}
