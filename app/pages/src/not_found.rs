//! The page for an unknown address.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::bars::FootBar;
use app::state::base_path::address;

/// Reports that the address is unknown, with a link to the agents.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    view! {
        <Title text="Not found"/>
        <main class="sheet" tabindex="-1">
            <h1>"Page not found"</h1>
            <p><a class="link" href=address("/")>"View agents"</a></p>
        </main>
        <FootBar/>
    }
    .into_any()
}
