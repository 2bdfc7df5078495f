//! A value with a title: to read and to copy.

use leptos::prelude::*;

use crate::shared::value::{ValueBody, ValueTools};
use app::components::copy_button::CopyButton;
use app::state::reading::Reading;
use app::state::times::size;

/// Longer values show their size, in bytes.
const UNREMARKABLE: usize = 4_000;

/// A value with its title and tools.
#[component]
pub fn ValuePane(
    /// `Arguments` or `Result`.
    title: &'static str,
    /// What is copied, for the button's label.
    what: &'static str,
    /// The value as its reader left it.
    reading: Reading,
) -> impl IntoView {
    let bytes = reading.value().byte_len();
    view! {
        <div class="pane" role="group" aria-label=title>
            <header>
                <h3>{title}</h3>
                {(bytes > UNREMARKABLE).then(|| view! { <span class="quiet">{size(bytes as u64)}</span> })}
                <span class="grow"></span>
                <ValueTools reading/>
                <CopyButton what text=Callback::new(move |()| reading.value().pretty())/>
            </header>
            <ValueBody reading label=title/>
        </div>
    }
}

/// A switch between two views.
#[component]
pub fn Switch(
    /// Whether the second way is on.
    on: RwSignal<bool>,
    /// The first way.
    off_label: &'static str,
    /// The second way.
    on_label: &'static str,
    /// What is switched, for screen readers.
    label: &'static str,
) -> impl IntoView {
    let side = move |this: bool, text: &'static str| {
        view! {
            <button
                type="button"
                aria-pressed=move || (on.get() == this).to_string()
                on:click=move |_| on.set(this)
            >
                {text}
            </button>
        }
    };
    view! {
        <span class="switch" role="group" aria-label=label>
            {side(false, off_label)} {side(true, on_label)}
        </span>
    }
}
