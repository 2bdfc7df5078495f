//! `/reports` and `/reports/:report/:case?`: the reports, and one of them. Their views are loaded
//! on demand.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use crate::bars::FootBar;
use app::components::loading::LazyView;
use app::state::case_address::use_case_in_address;
use app::state::use_page;

/// The reports.
#[component]
pub fn ReportsPage() -> impl IntoView {
    let part = use_page().lazy.reports;
    view! {
        <Title text="Reports"/>
        <main class="sheet" tabindex="-1">
            <LazyView part meanwhile="Loading…" draw=|views| (views.list)()/>
        </main>
        <FootBar/>
    }
    .into_any()
}

/// The report in the address, and a case of it.
#[component]
pub fn ReportPage() -> impl IntoView {
    let params = use_params_map();
    let named = move |name: &'static str| params.with(|params| params.get(name));
    let report = Memo::new(move |_| named("report").unwrap_or_default());
    let case = use_case_in_address();
    let part = use_page().lazy.reports;
    view! {
        <Title text="Report"/>
        <main class="with-head" tabindex="-1">
            <LazyView part meanwhile="Loading the report…" draw=move |views| (views.report)(report.get(), case)/>
        </main>
        <FootBar/>
    }
    .into_any()
}
