//! `/evalsets`: the wait for what draws the list of eval sets.

use leptos::prelude::*;
use leptos_meta::Title;

use super::once_loaded::once_loaded;
use crate::components::bars::FootBar;

/// The list of eval sets.
#[component]
pub fn EvalSetsPage() -> impl IntoView {
    let body = once_loaded("Opening the list…", |scenes| (scenes.list_eval_sets)());
    view! {
        <Title text="Eval sets"/>
        <main class="sheet">{body}</main>
        <FootBar/>
    }
    .into_any()
}
