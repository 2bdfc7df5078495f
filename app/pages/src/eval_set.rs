//! `/evalsets/:set/:case?`: one eval set. Its view is loaded on demand.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::bars::FootBar;
use crate::list_page::{draw_list_part, use_parameter};
use app::state::case_address::use_case_in_address;
use app::state::use_page;

/// The eval set in the address, and a case of it.
#[component]
pub fn EvalSetPage() -> impl IntoView {
    view! {
        <Title text="Eval set"/>
        <main class="with-head" tabindex="-1">{eval_sets("Loading the eval set…")}</main>
        <FootBar/>
    }
    .into_any()
}

/// The eval sets, or the one in the address.
pub(crate) fn eval_sets(meanwhile: &'static str) -> AnyView {
    let (set, case) = (use_parameter("set"), use_case_in_address());
    draw_list_part(use_page().lazy.evalsets, set, case, meanwhile)
}
