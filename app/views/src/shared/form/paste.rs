//! Pasting: arguments copied from anywhere onto the form, and many items into a list.

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use schema_form::{Edit, FieldKind, PasteError};
use web_sys::ClipboardEvent;

use super::field_handle::FieldHandle;
use app::state::browser;
use app::state::form::FormState;

fn sentence(error: &PasteError) -> String {
    let error = error.to_string();
    let mut letters = error.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

/// A text area for pasted arguments, which takes them as soon as they are complete.
#[component]
pub(super) fn PasteBox(
    /// The form.
    state: FormState,
    /// Its id in the document.
    id: String,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What is typed, which is kept while it is closed.
    typed: RwSignal<String>,
) -> impl IntoView {
    let refused = RwSignal::new(String::new());
    let close = {
        let button = format!("{id}-button");
        move || {
            open.set(false);
            refused.set(String::new());
            let button = button.clone();
            browser::after_drawing(move || browser::focus(&button));
        }
    };
    let closing = close.clone();
    let take = move |event: ev::Event| {
        let text = event_target_value(&event);
        match state.paste(&text) {
            Ok(()) => {
                typed.set(String::new());
                close();
            }
            Err(error) => {
                refused.set(sentence(&error));
                typed.set(text);
            }
        }
    };
    let fault = format!("{id}-fault");
    view! {
        <div class="paste-box">
            <textarea
                id=id
                class="mono"
                rows="3"
                spellcheck="false"
                autocomplete="off"
                aria-label="Arguments to paste"
                aria-describedby=fault.clone()
                placeholder="Paste arguments as a JSON object, or a tool call"
                prop:value=typed
                on:input=take
                on:keydown=move |event| {
                    if event.key() == "Escape" {
                        event.prevent_default();
                        event.stop_propagation();
                        closing();
                    }
                }
            ></textarea>
            <small class="field-faults" id=fault aria-live="polite">{move || refused.get()}</small>
        </div>
    }
}

/// Takes arguments that are pasted while no field has the focus.
pub(super) fn take_pastes(state: FormState) {
    if !matches!(state.form().root().field().kind, FieldKind::Object(_)) {
        return;
    }
    Effect::new(move || {
        let handle = window_event_listener(ev::paste, move |event| {
            let event: ClipboardEvent = event.unchecked_into();
            if browser::is_typing() || browser::has_dialog() || event.default_prevented() {
                return;
            }
            let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok());
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                event.prevent_default();
                if let Err(error) = state.paste(&text) {
                    state.notice.set(sentence(&error));
                }
            }
        });
        on_cleanup(move || handle.remove());
    });
}

/// A text area for many pasted items: one per line, or a JSON list.
#[component]
pub(super) fn PasteMany(
    /// The list.
    place: FieldHandle,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What is typed, which is kept while it is closed.
    typed: RwSignal<String>,
) -> impl IntoView {
    let counting = place.clone();
    let items = move |text: &str| match &counting.field().kind {
        FieldKind::List(list) => list.pasted(text),
        _ => Vec::new(),
    };
    let reading = items.clone();
    let count = Memo::new(move |_| typed.with(|text| reading(text).len()));
    let focus = place.part_id("add");
    let close = move || {
        open.set(false);
        let focus = focus.clone();
        browser::after_drawing(move || browser::focus(&focus));
    };
    let closing = close.clone();
    let refused = RwSignal::new(false);
    let (adding, path) = (place.clone(), place.path.clone());
    let add = move |_| {
        let before = adding.state.count_items(&path);
        adding.edit(Edit::AddMany(typed.with_untracked(|text| items(text))));
        if adding.state.count_items(&path) > before {
            typed.set(String::new());
            close();
        } else {
            refused.set(true);
        }
    };
    let words = move || match count.get() {
        0 => "Add".to_owned(),
        1 => "Add 1 item".to_owned(),
        count => format!("Add {count} items"),
    };
    view! {
        <div class="paste-box">
            <textarea
                id=place.part_id("many")
                class="mono"
                rows="3"
                spellcheck="false"
                autocomplete="off"
                aria-label=format!("Items to add to {}", place.name())
                placeholder="One item per line, or a JSON list"
                prop:value=typed
                on:input=move |event| {
                    refused.set(false);
                    typed.set(event_target_value(&event));
                }
                on:keydown=move |event| {
                    if event.key() == "Escape" {
                        event.prevent_default();
                        event.stop_propagation();
                        closing();
                    }
                }
            ></textarea>
            <button type="button" class="button small" disabled=move || count.get() == 0 on:click=add>
                {words}
            </button>
            <small class="field-faults" aria-live="polite">
                {move || refused.get().then_some("Too many items for this list.")}
            </small>
        </div>
    }
}
