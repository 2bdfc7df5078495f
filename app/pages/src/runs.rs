//! `/runs` and `/runs/:run/:case?`: the stored eval runs, or one of them. Their views are loaded on demand.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::bars::FootBar;
use crate::list_page::{draw_list_part, use_parameter};
use app::state::case_address::use_case_in_address;
use app::state::use_page;

/// The stored runs, or the one in the address and a case of it.
#[component]
pub fn RunsPage() -> impl IntoView {
    let run = use_parameter("run");
    let case = use_case_in_address();
    let lazy = use_page().lazy;
    let is_list = Memo::new(move |_| run.read().is_none());
    let title = move || run.get().map_or_else(|| "Runs".to_owned(), |run| format!("Run {run}"));
    let body = move || match is_list.get() {
        true => draw_list_part(lazy.runs, run, case, "Loading…"),
        false => draw_list_part(lazy.run, run, case, "Loading the run…"),
    };
    view! {
        <Title text=title/>
        <main class=move || if is_list.get() { "sheet" } else { "with-head" } tabindex="-1">{body}</main>
        <FootBar/>
    }
    .into_any()
}
