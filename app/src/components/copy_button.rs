//! A button that copies, and confirms it for a moment.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::icon::{Glyph, Icon};
use crate::state::browser;

/// Copies the result of `text` when it is pressed.
#[component]
pub fn CopyButton(
    /// What it copies, for its label: `the result`.
    what: &'static str,
    /// Its label instead of `Copy`, if the copied text is not shown beside it.
    #[prop(default = "Copy")]
    shown: &'static str,
    /// Returns the text.
    text: Callback<(), String>,
) -> impl IntoView {
    let outcome = RwSignal::new(None::<bool>);
    let copy = move |event: leptos::ev::MouseEvent| {
        event.stop_propagation();
        let text = text.run(());
        spawn_local(async move {
            let copied = browser::copy(&text).await;
            outcome.try_set(Some(copied));
            let fade = move || {
                outcome.try_set(None);
            };
            set_timeout(fade, Duration::from_millis(1500));
        });
    };
    let label = move || match outcome.get() {
        None => shown,
        Some(true) => "Copied",
        Some(false) => "Copy failed",
    };
    let title = move || match outcome.get() {
        None => format!("Copy {what}"),
        Some(true) => format!("Copied {what}"),
        Some(false) => format!("The browser blocked copying {what}. Select the text and copy it."),
    };
    let glyph = move || match outcome.get() {
        Some(true) => view! { <Icon glyph=Glyph::Check/> },
        _ => view! { <Icon glyph=Glyph::Copy/> },
    };
    view! {
        <button type="button" class="copy" title=title aria-label=title on:click=copy>
            {glyph}
            <span class="copy-word" class:copied=move || outcome.read().is_some()>{label}</span>
        </button>
    }
}
