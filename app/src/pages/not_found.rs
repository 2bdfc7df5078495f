//! Any other address.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::components::bars::FootBar;

/// Says that there is nothing here and where to go.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    view! {
        <Title text="Nothing here"/>
        <main class="sheet">
            <h1>"There is nothing at this address"</h1>
            <p><a class="link" href="/">"See the agents"</a></p>
        </main>
        <FootBar/>
    }
    .into_any()
}
