//! A JSON value: a tree of rows, of which only those in sight are drawn, with its tools.

mod block;
mod row;
mod tools;
mod tree;

pub use tools::{READ, ValueTools};

use leptos::prelude::*;
use value_tree::Missing;

use app::components::raw_text::RawValue;
use app::state::reading::Reading;
use app::state::times::grouped;
use tools::{Finder, Footer};
use tree::ValueTree;

/// A value, as a tree or as its text.
#[component]
pub fn ValueBody(
    /// The value as its reader left it.
    reading: Reading,
    /// What it is, for screen readers.
    label: &'static str,
) -> impl IntoView {
    let body = move || {
        if reading.raw.get() {
            view! { <RawValue value=reading.value() from=reading.raw_from label/> }.into_any()
        } else {
            view! {
                <Show when=move || !reading.is_whole()>
                    <p class="more partly" role="note">{move || what_is_missing(reading)}</p>
                </Show>
                <Show when=move || reading.is_cut_short.get()>
                    <p class="more partly" role="status">
                        "Expanded up to 300,000 rows. Expand the remaining levels one by one."
                    </p>
                </Show>
                <Show when=move || reading.is_searching.get()>
                    <Finder reading/>
                </Show>
                <ValueTree reading label/>
                <Footer reading/>
            }
            .into_any()
        }
    };
    view! { <div class="value">{body}</div> }
}

/// A note about the part of the value that the tree does not contain.
fn what_is_missing(reading: Reading) -> String {
    match reading.missing() {
        Some(Missing { path, held, count }) => {
            let of = if matches!(path.as_str(), "" | "$") {
                String::new()
            } else {
                format!(" of {path}")
            };
            format!(
                "The tree shows the first {} of {} entries{of}. Raw shows the rest, and the search includes it.",
                grouped(held),
                grouped(count)
            )
        }
        None => "A string in this value exceeds the tree's limit. Raw shows the rest.".to_owned(),
    }
}
