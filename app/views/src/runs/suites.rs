//! The suites of the list of runs: each with its last run, and the form that runs it.

use std::sync::Arc;

use api::{ApiError, RunOf, RunSummary, SuiteList, SuiteSummary};
use leptos::prelude::*;

use super::head::{Began, Suites, number, passed_text, running, share};
use super::run_form::OpenForm;
use super::state::fetched::Fetched;
use super::state::run_draft::Draft;
use super::state::suites::{Place, last_run, shown};
use crate::shared::run_address::run_address;
use app::components::loading::LazyView;
use app::state::excerpt::{visible_name, visible_text};
use app::state::lazy_pages::ListViews;
use app::state::use_page;

/// So many suites are drawn until the others are asked for.
const FEW: usize = 6;

/// The suites that are found, as small as its handles.
#[derive(Clone, Copy)]
pub(super) struct FoundSuites {
    list: Fetched<SuiteList>,
    runs: Memo<Arc<[RunSummary]>>,
    /// The row that the arrow keys are at.
    current: RwSignal<Place>,
    is_whole: RwSignal<bool>,
    fitting: Memo<Vec<SuiteSummary>>,
    /// The suite that the form is open for, and what is entered.
    chosen: RwSignal<Option<String>>,
    draft: RwSignal<Option<Draft>>,
    error: RwSignal<Option<ApiError>>,
}

impl FoundSuites {
    /// Those of `list` with `searched` in their names, above `runs`.
    pub(super) fn new(
        list: Fetched<SuiteList>,
        runs: Memo<Arc<[RunSummary]>>,
        searched: Signal<String>,
        current: RwSignal<Place>,
    ) -> Self {
        let fitting = Memo::new(move |_| {
            list.get().map(|list| shown(&list.suites, &searched.read())).unwrap_or_default()
        });
        let (chosen, draft, error) =
            (RwSignal::new(None), RwSignal::new(None), RwSignal::new(None));
        Self { list, runs, current, is_whole: RwSignal::new(false), fitting, chosen, draft, error }
    }

    /// How many rows are drawn. Tracked.
    pub(super) fn count(self) -> usize {
        let all = self.fitting.read().len();
        if self.is_whole.get() { all } else { all.min(FEW) }
    }

    fn open(self, suite: String) {
        self.error.set(None);
        self.chosen.set(Some(suite));
        self.draft.set(Some(Draft::default()));
    }
}

/// The suites as a table; nothing if there are none.
#[component]
pub(super) fn SuiteTable(
    /// The suites.
    suites: FoundSuites,
) -> impl IntoView {
    let drawn = move || {
        let count = suites.count();
        let fitting = suites.fitting.read();
        fitting.iter().take(count).cloned().enumerate().collect::<Vec<_>>()
    };
    let is_empty = Memo::new(move |_| suites.fitting.read().is_empty());
    let table = move || {
        view! {
            <table class="sets runs-list runs-suite-list" aria-label="Suites">
                <thead>
                    <tr>
                        <th scope="col">"Suite"</th>
                        <th scope="col" class="figure">"Cases"</th>
                        <th scope="col">"Last run"</th>
                        <th scope="col" class="figure">"Passed"</th>
                        <th scope="col" class="figure">"Began"</th>
                        <th scope="col" class="figure"><span class="unseen">"Run"</span></th>
                    </tr>
                </thead>
                <tbody>
                    <For each=drawn key=|(at, suite)| (*at, suite.clone()) let((at, suite))>
                        <SuiteRow at suite suites/>
                    </For>
                </tbody>
            </table>
        }
    };
    let more = Memo::new(move |_| suites.fitting.read().len() > suites.count());
    let notes = move || {
        let notes = suites.list.get().map(|list| list.notes.clone()).unwrap_or_default();
        let fault = suites.list.arrived().and_then(Result::err).map(|error| {
            view! { <p class="field-fault" role="alert">{visible_text(&error.to_string())}</p> }
        });
        let note = |note: String| view! { <p class="report-line quiet">{visible_text(&note)}</p> };
        view! { {fault} {notes.into_iter().map(note).collect_view()} }
    };
    view! {
        <section class="runs-found">
            <Show when=move || !is_empty.get()>{table}</Show>
            <Show when=move || more.get()>
                <p class="report-line">
                    <button type="button" class="link" on:click=move |_| suites.is_whole.set(true)>
                        {move || format!("Show all {} suites", suites.fitting.read().len())}
                    </button>
                </p>
            </Show>
            {notes}
        </section>
    }
}

#[component]
fn SuiteRow(
    /// Its place, from 0.
    at: usize,
    /// The suite.
    suite: SuiteSummary,
    /// All of them.
    suites: FoundSuites,
) -> impl IntoView {
    let SuiteSummary { name, is_eval_set, cases } = suite;
    let place = Place::Suite(at);
    let name = StoredValue::new(name);
    let last =
        Memo::new(move |_| name.with_value(|name| last_run(name, &suites.runs.read()).cloned()));
    let is_open = Memo::new(move |_| {
        let is_chosen = name.with_value(|name| suites.chosen.read().as_ref() == Some(name));
        is_chosen && suites.draft.read().is_some()
    });
    let (fault, count) = match cases {
        Ok(cases) => (None, Some(number(cases))),
        Err(reason) => (Some(reason), None),
    };
    let label = format!("Run {}", visible_name(&name.get_value()));
    let button = match fault {
        None => view! {
            <button
                type="button"
                class="button"
                id=place.id()
                aria-label=label.clone()
                aria-expanded=move || is_open.get().to_string()
                on:focus=move |_| suites.current.set(place)
                on:click=move |_| suites.open(name.get_value())
            >
                "Run…"
            </button>
        }
        .into_any(),
        Some(_) => view! {
            <button
                type="button"
                class="button quiet"
                id=place.id()
                on:focus=move |_| suites.current.set(place)
                on:click=move |_| suites.list.again()
            >
                "Read again"
            </button>
        }
        .into_any(),
    };
    let fault = fault
        .map(|reason| view! { <p class="field-fault runs-unreadable">{visible_text(&reason)}</p> });
    let cells = move || match last.get() {
        None => view! { <td class="quiet">"not run yet"</td> <td></td> <td></td> }.into_any(),
        Some(RunSummary { run, counts, began, is_running, .. }) => view! {
            <td>
                <a class="link" href=run_address(run)>"Run " {run}</a>
                {is_running.then(running)}
            </td>
            <td class="figure">{passed_text(counts)} {share(counts)}</td>
            <td class="figure"><Began began/></td>
        }
        .into_any(),
    };
    let form = move || {
        let form = move || {
            let of = RunOf::Suite(name.get_value());
            let (draft, error) = (suites.draft, suites.error);
            provide_context(OpenForm { of, draft, error, opener: place.id() });
            let draw = |views: ListViews| (views.page)(None, Memo::new(|_| None));
            view! { <LazyView part=use_page().lazy.run meanwhile="Loading the form…" draw/> }
        };
        let error = move || {
            suites.error.get().map(|error| {
                view! { <p class="field-fault" role="alert">{visible_text(&error.to_string())}</p> }
            })
        };
        is_open.get().then(|| {
            view! {
                <tr class="runs-form-row">
                    <td colspan="6">
                        <section class="runs-rerun" aria-label=label.clone()>{form()} {error}</section>
                    </td>
                </tr>
            }
        })
    };
    view! {
        <tr>
            <th scope="row">
                <Suites suites=vec![name.get_value()]/>
                {is_eval_set.then(|| view! { <span class="chip">"eval set"</span> })}
                {fault}
            </th>
            <td class="figure">{count}</td>
            {cells}
            <td class="figure">{button}</td>
        </tr>
        {form}
    }
}
