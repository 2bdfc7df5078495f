//! Runs the cases of a run again, or stops it.

use api::host::stop_run;
use api::{ApiError, RunDetail, RunOf};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::run_form::RunForm;
use super::state::fetched::Fetched;
use super::state::run_draft::Draft;
use app::state::excerpt::visible_text;

/// The id of the button that opens it.
const OPENS: &str = "run-again";
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
        Some(view! { <RunForm of=RunOf::Run(run) draft error opener=OPENS.to_owned()/> })
    };
    view! {
        <section class="runs-rerun" aria-label="Run again">
            <div class="fork-actions">{buttons}</div>
            {form}
            {move || error.get().map(|error| view! { <p class="field-fault" role="alert">{visible_text(&error.to_string())}</p> })}
        </section>
    }
}
