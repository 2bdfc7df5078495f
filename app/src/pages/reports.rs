//! `/reports` and `/reports/:report/:case?`: the wait for what draws reports.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::once_loaded::once_loaded;
use crate::components::bars::FootBar;
use crate::state::case_address::use_case_in_address;

/// The reports.
#[component]
pub fn ReportsPage() -> impl IntoView {
    let body = once_loaded("Opening the list…", |scenes| (scenes.list_reports)());
    view! {
        <Title text="Reports"/>
        <main class="sheet">{body}</main>
        <FootBar/>
    }
    .into_any()
}

/// The report that the address names, and a case of it.
#[component]
pub fn ReportPage() -> impl IntoView {
    let params = use_params_map();
    let named = move |name: &'static str| params.with(|params| params.get(name));
    let report = Memo::new(move |_| named("report").unwrap_or_default());
    let case = use_case_in_address();
    let body = once_loaded("Opening the report…", move |scenes| {
        (scenes.show_report)(report.get(), case)
    });
    view! {
        <Title text="Report"/>
        <main class="stage">{body}</main>
        <FootBar/>
    }
    .into_any()
}
