//! A search field above a list: Escape clears it, Arrow Down can move to the list, Enter can open an entry, and a count
//! shows how many entries match.

use leptos::ev;
use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};

/// A search field above a list.
#[component]
pub fn FilterBox(
    /// The typed text.
    searched: RwSignal<String>,
    /// The placeholder.
    placeholder: &'static str,
    /// Its name for screen readers. Default: the placeholder.
    #[prop(optional)]
    label: Option<&'static str>,
    /// How many entries match.
    #[prop(optional, into)]
    count: Option<Signal<String>>,
    /// Moves the focus to the list, by Arrow Down. Default: Arrow Down does nothing.
    #[prop(optional)]
    to_list: Option<Callback<()>>,
    /// Opens the first entry, by Enter. Default: Enter does nothing.
    #[prop(optional)]
    open_first: Option<Callback<()>>,
    /// Whether a dialog opens with the focus in it. Default: no.
    #[prop(optional)]
    autofocus: bool,
) -> impl IntoView {
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" && !searched.read_untracked().is_empty() {
            event.stop_propagation();
            searched.set(String::new());
        }
        if let Some(to_list) = to_list.filter(|_| event.key() == "ArrowDown") {
            event.prevent_default();
            to_list.run(());
        }
        // Enter also ends the input of a composed character.
        let is_enter = event.key() == "Enter" && !event.is_composing();
        if let Some(open_first) = open_first.filter(|_| is_enter) {
            event.prevent_default();
            open_first.run(());
        }
    };
    view! {
        <div class="find">
            <Icon glyph=Glyph::Search/>
            <input
                type="search"
                autofocus=autofocus
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
