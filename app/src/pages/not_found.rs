//! Any other address.

use leptos::prelude::*;

/// Says that there is nothing here and where to go.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    view! {
        <h1>"There is nothing at this address"</h1>
        <p><a href="/">"See the agents"</a></p>
    }
    .into_any()
}
