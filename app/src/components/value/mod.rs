//! A value to read: a tree of rows of which only those in sight are drawn, with its tools.

mod block;
mod row;
mod tools;
mod tree;

pub use tools::ValueTools;

use leptos::prelude::*;

use crate::components::raw_text::RawText;
use crate::state::reading::Reading;
use tools::{Finder, Footer};
use tree::ValueTree;

/// A value, as a tree or as its text.
#[component]
pub fn ValueBody(
    /// The value as its reader left it.
    reading: Reading,
    /// What it is, for those who hear the page.
    label: &'static str,
) -> impl IntoView {
    let body = move || {
        if reading.raw.get() {
            view! { <RawText text=reading.value().pretty() label/> }.into_any()
        } else {
            view! {
                <Show when=move || reading.is_searching.get()>
                    <Finder reading/>
                </Show>
                <ValueTree reading label/>
                <Show when=move || !reading.is_whole()>
                    <p class="more">"More values than a tree can hold: the rest stands in the raw text."</p>
                </Show>
                <Footer reading/>
            }
            .into_any()
        }
    };
    view! { <div class="value">{body}</div> }
}
