//! A value with a title: as a tree or as its text, and to copy.

use json_text::{JsonText, Kind};
use leptos::prelude::*;
use session::{CallId, HeldResult, SessionId};

use crate::components::copy_button::CopyButton;
use crate::components::json_tree::JsonTree;
use crate::components::raw_text::{HeldText, RawText};
use crate::state::times::size;

/// Values up to this length in bytes need no word about their size.
const UNREMARKABLE: usize = 4_000;

/// A value that is here.
#[component]
pub fn ValuePane(
    /// `Arguments` or `Result`.
    title: &'static str,
    /// What is copied, for the button's label.
    what: &'static str,
    /// The value.
    value: JsonText,
) -> impl IntoView {
    let raw = RwSignal::new(false);
    let bytes = value.byte_len();
    let branches = matches!(value.kind(), Kind::Object | Kind::Array)
        && !matches!(value.compact().as_str(), "{}" | "[]");
    let value = StoredValue::new(value);
    let body = move || {
        value.with_value(|value| {
            if raw.get() {
                view! { <RawText text=value.pretty() label=title/> }.into_any()
            } else {
                view! { <JsonTree value=value.clone()/> }.into_any()
            }
        })
    };
    view! {
        <div class="pane" role="group" aria-label=title>
            <header>
                <h3>{title}</h3>
                {(bytes > UNREMARKABLE).then(|| view! { <span class="quiet">{size(bytes as u64)}</span> })}
                <span class="grow"></span>
                {branches.then(|| view! { <Switch on=raw off_label="Tree" on_label="Raw" label="How the value is shown"/> })}
                <CopyButton what text=Callback::new(move |()| value.with_value(JsonText::pretty))/>
            </header>
            {body}
        </div>
    }
}

/// A result that the host holds.
#[component]
pub fn HeldPane(
    /// The session it belongs to.
    session: SessionId,
    /// The call that returned it.
    call_id: CallId,
    /// What the page knows of it.
    held: HeldResult,
) -> impl IntoView {
    let text = RwSignal::new(held.head.clone());
    view! {
        <div class="pane" role="group" aria-label="Result">
            <header>
                <h3>"Result"</h3>
                <span class="quiet">{size(held.bytes)}</span>
                <span class="grow"></span>
                <CopyButton what="the part that is shown" text=Callback::new(move |()| text.get_untracked())/>
            </header>
            <HeldText session call_id held text/>
        </div>
    }
}

/// Two ways of showing one thing.
#[component]
pub fn Switch(
    /// Whether the second way is on.
    on: RwSignal<bool>,
    /// The first way.
    off_label: &'static str,
    /// The second way.
    on_label: &'static str,
    /// What is switched, for those who hear the page.
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
