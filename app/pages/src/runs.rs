//! `/runs` and `/runs/:run/:case?`: the stored eval runs, and one of them. Their views are loaded on demand.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use crate::NotFoundPage;
use crate::bars::FootBar;
use app::components::loading::LazyView;
use app::state::case_address::use_case_in_address;
use app::state::excerpt::visible_name;
use app::state::use_page;

/// The stored runs.
#[component]
pub fn RunsPage() -> impl IntoView {
    let part = use_page().lazy.runs;
    view! {
        <Title text="Runs"/>
        <main class="sheet" tabindex="-1">
            <LazyView part meanwhile="Loading…" draw=|views| (views.list)()/>
        </main>
        <FootBar/>
    }
    .into_any()
}

/// The run in the address, and a case of it.
#[component]
pub fn RunPage() -> impl IntoView {
    let params = use_params_map();
    let run = Memo::new(move |_| params.with(|params| params.get("run")?.parse::<i64>().ok()));
    let case = use_case_in_address();
    let part = use_page().lazy.runs;
    let title = move || {
        let run = run.get().map_or_else(|| "Run".to_owned(), |run| format!("Run {run}"));
        case.get().map_or(run.clone(), |case| format!("{} · {run}", visible_name(&case)))
    };
    move || {
        match run.get() {
        None => view! { <NotFoundPage/> }.into_any(),
        Some(run) => view! {
            <Title text=title/>
            <main class="with-head" tabindex="-1">
                <LazyView part meanwhile="Loading the run…" draw=move |views| (views.run)(run, case)/>
            </main>
            <FootBar/>
        }
        .into_any(),
    }
    }
}
