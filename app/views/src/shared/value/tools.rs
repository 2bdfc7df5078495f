//! The tools of a value as a whole, and of its current row.

use leptos::ev;
use leptos::html::Input;
use leptos::prelude::*;

use crate::shared::value_pane::Switch;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::reading::Reading;
use app::state::times::grouped;

/// Values with more entries can be searched.
const SEARCHED: usize = 8;
/// Longer values can be searched, too, in bytes.
pub const READ: usize = 2_000;

/// Search, depth, and the switch between tree and text.
#[component]
pub fn ValueTools(
    /// The value.
    reading: Reading,
) -> impl IntoView {
    let is_tree = move || !reading.raw.get();
    let can_search = move || is_tree() && (reading.count() > SEARCHED || reading.byte_len() > READ);
    let can_deepen = move || is_tree() && reading.has_depth();
    let search = move |_| {
        if reading.is_searching.get_untracked() {
            stop_searching(reading);
        } else {
            reading.is_searching.set(true);
        }
    };
    view! {
        <span class="value-tools">
            <Show when=can_search>
                <button
                    type="button"
                    class="tool-button"
                    title="Find in value (/)"
                    aria-label="Find in value"
                    aria-pressed=move || reading.is_searching.get().to_string()
                    on:click=search
                >
                    <Icon glyph=Glyph::Search/>
                </button>
            </Show>
            <Show when=can_deepen>
                <Depth reading/>
            </Show>
            <Show when=move || reading.has_structure()>
                <Switch on=reading.raw off_label="Tree" on_label="Raw" label="Value view"/>
            </Show>
        </span>
    }
}

/// How many levels are open.
#[component]
fn Depth(
    /// The value.
    reading: Reading,
) -> impl IntoView {
    let step = move |levels: usize, text: &'static str, label: &'static str| {
        view! {
            <button type="button" title=label aria-label=label on:click=move |_| reading.expand(levels)>
                {text}
            </button>
        }
    };
    view! {
        <span class="switch depth" role="group" aria-label="Depth">
            {step(0, "−", "Collapse all")}
            {step(1, "1", "Expand 1 level")}
            {step(2, "2", "Expand 2 levels")}
            {step(3, "3", "Expand 3 levels")}
            {step(usize::MAX, "all", "Expand all")}
        </span>
    }
}

fn stop_searching(reading: Reading) {
    reading.is_searching.set(false);
    reading.search(String::new());
    browser::after_drawing(move || browser::focus(&reading.tree_id()));
}

/// The search field of a value.
#[component]
pub(super) fn Finder(
    /// The value.
    reading: Reading,
) -> impl IntoView {
    let field = NodeRef::<Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            // The reader has just opened the search.
            let _ = field.focus();
        }
    });
    let on_key = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Enter" if !event.ctrl_key() && !event.meta_key() => {
            event.prevent_default();
            reading.go_to_next(if event.shift_key() { -1 } else { 1 });
        }
        "Escape" => {
            event.prevent_default();
            event.stop_propagation();
            stop_searching(reading);
        }
        _ => {}
    };
    let is_searching = move || !reading.searched.read().trim().is_empty();
    let place = move || {
        let found = reading.found.get();
        let more = if found.is_done { "" } else { "…" };
        match found.count {
            0 if found.is_done && reading.missing().is_some() => "none in the tree".to_owned(),
            0 if found.is_done => "none".to_owned(),
            0 => "searching…".to_owned(),
            count => format!("{} of {count}{more}", found.at + 1),
        }
    };
    // Matches in the raw text only, where the tree does not contain all of it.
    let beyond = move || {
        let found = reading.found.get();
        match found.beyond.count {
            0 => None,
            count => Some(format!(
                "{}{} in Raw only",
                grouped(count),
                if found.is_done { "" } else { "…" }
            )),
        }
    };
    view! {
        <div class="find small">
            <Icon glyph=Glyph::Search/>
            <input
                node_ref=field
                type="search"
                autocomplete="off"
                spellcheck="false"
                placeholder="Find names and values"
                aria-label="Find in value"
                prop:value=move || reading.searched.get()
                on:input=move |event| reading.search(event_target_value(&event))
                on:keydown=on_key
            />
            <Show when=is_searching>
                <span class="found-count" role="status">{place}</span>
                {move || beyond().map(|label| view! {
                    <button
                        type="button"
                        class="link"
                        title="Show the first match in the raw text"
                        on:click=move |_| reading.go_beyond()
                    >
                        {label}
                    </button>
                })}
                <button type="button" class="step up" aria-label="Previous" on:click=move |_| reading.go_to_next(-1)>
                    <Icon glyph=Glyph::Down/>
                </button>
                <button type="button" class="step" aria-label="Next" on:click=move |_| reading.go_to_next(1)>
                    <Icon glyph=Glyph::Down/>
                </button>
            </Show>
            <button type="button" class="step" aria-label="Close search" on:click=move |_| stop_searching(reading)>
                <Icon glyph=Glyph::Close/>
            </button>
        </div>
    }
}

/// The path of the current row, with buttons to copy it and its value.
#[component]
pub(super) fn Footer(
    /// The value.
    reading: Reading,
) -> impl IntoView {
    let path = Memo::new(move |_| reading.current.get().map(|row| reading.path(row.node)));
    let path_text = move |()| path.get_untracked().unwrap_or_default();
    let value_text = move |()| {
        reading.current.get_untracked().map(|row| reading.copied(row.node)).unwrap_or_default()
    };
    view! {
        <Show when=move || path.read().is_some()>
            <footer class="value-foot">
                <code class="path" title="JSONPath of the current row">
                    <bdi>{move || path.get()}</bdi>
                </code>
                <CopyButton what="the path" shown="path" text=Callback::new(path_text)/>
                <CopyButton what="the value" shown="value" text=Callback::new(value_text)/>
            </footer>
        </Show>
    }
}
