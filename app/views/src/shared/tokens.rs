//! A line of colored tokens.

use leptos::prelude::*;

use app::state::preview::{Token, TokenColor};

/// Draws `tokens` one after another.
#[component]
pub fn Tokens(
    /// What to draw.
    tokens: Vec<Token>,
) -> impl IntoView {
    tokens
        .into_iter()
        .map(|Token { ink, text }| match ink {
            TokenColor::Plain => text.into_any(),
            _ => view! { <span class=ink.class()>{text}</span> }.into_any(),
        })
        .collect_view()
}
