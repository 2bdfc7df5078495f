//! A box to filter a list with: what is typed, Escape to clear it, and how many are left.

use leptos::ev;
use leptos::prelude::*;

use app::components::icon::{Glyph, Icon};

/// A search field above a list.
#[component]
pub fn FilterBox(
    /// What is typed.
    searched: RwSignal<String>,
    /// What it looks for; stands in the empty field.
    placeholder: &'static str,
    /// Its name for those who hear the page, where `placeholder` says more than that.
    #[prop(optional)]
    label: Option<&'static str>,
    /// How many are left.
    #[prop(optional, into)]
    count: Option<Signal<String>>,
) -> impl IntoView {
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" && !searched.read_untracked().is_empty() {
            event.stop_propagation();
            searched.set(String::new());
        }
    };
    view! {
        <div class="find">
            <Icon glyph=Glyph::Search/>
            <input
                type="search"
                autocomplete="off"
                spellcheck="false"
                placeholder=placeholder
                aria-label=label.unwrap_or(placeholder)
                prop:value=move || searched.get()
                on:input=move |event| searched.set(event_target_value(&event))
                on:keydown=on_key
            />
            {count.map(|count| view! { <span class="found-count" role="status">{count}</span> })}
        </div>
    }
}
