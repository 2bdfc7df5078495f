//! `/evalsets`: the list of eval sets. Its view is loaded on demand.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::bars::FootBar;
use crate::eval_set::eval_sets;

/// The list of eval sets.
#[component]
pub fn EvalSetsPage() -> impl IntoView {
    view! {
        <Title text="Eval sets"/>
        <main class="sheet" tabindex="-1">{eval_sets("Loading…")}</main>
        <FootBar/>
    }
    .into_any()
}
