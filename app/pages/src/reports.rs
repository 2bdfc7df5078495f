//! `/reports` and `/reports/:report/:case?`: the reports, and one of them. Their views are loaded
//! on demand.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::bars::FootBar;
use crate::list_page::{draw_list_part, use_parameter};
use app::state::case_address::use_case_in_address;
use app::state::use_page;

/// The reports.
#[component]
pub fn ReportsPage() -> impl IntoView {
    view! {
        <Title text="Reports"/>
        <main class="sheet" tabindex="-1">{reports("Loading…")}</main>
        <FootBar/>
    }
    .into_any()
}

/// The report in the address, and a case of it.
#[component]
pub fn ReportPage() -> impl IntoView {
    view! {
        <Title text="Report"/>
        <main class="with-head" tabindex="-1">{reports("Loading the report…")}</main>
        <FootBar/>
    }
    .into_any()
}

fn reports(meanwhile: &'static str) -> AnyView {
    let (report, case) = (use_parameter("report"), use_case_in_address());
    draw_list_part(use_page().lazy.reports, report, case, meanwhile)
}
