//! `/evalsets`: the list of eval sets. Its view is loaded on demand.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::bars::FootBar;
use app::components::loading::LazyView;
use app::state::use_page;

/// The list of eval sets.
#[component]
pub fn EvalSetsPage() -> impl IntoView {
    let part = use_page().lazy.evalsets;
    view! {
        <Title text="Eval sets"/>
        <main class="sheet" tabindex="-1">
            <LazyView part meanwhile="Loading…" draw=|views| (views.list)()/>
        </main>
        <FootBar/>
    }
    .into_any()
}
