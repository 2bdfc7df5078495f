//! Opens a local file: a button, and an area to drop it on. The file is read in the page and not
//! uploaded.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;

use app::components::icon::{Glyph, Icon};

/// A file's name and its text, or why it cannot be read.
pub(super) type Opened = Result<(String, String), NotRead>;

/// The browser could not read the file as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} cannot be read. It may have moved, be a folder, or be protected. Choose it again.")]
pub(super) struct NotRead {
    /// The file's name.
    name: String,
}

/// A button that opens a JSON file.
#[component]
pub(super) fn OpenFile(
    /// The label.
    label: &'static str,
    /// Whether it is the primary button of the page.
    #[prop(optional)]
    is_primary: bool,
    /// Called with the opened file.
    on_open: Callback<Opened>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    let press = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let chosen = move |_| {
        let Some(input) = input.get_untracked() else { return };
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            read(file, on_open);
        }
        // So that the same file can be chosen again after a fix.
        input.set_value("");
    };
    view! {
        <button type="button" class="button" class:primary=is_primary on:click=press>
            <Icon glyph=Glyph::Export/>
            {label}
        </button>
        <input
            node_ref=input
            type="file"
            hidden
            accept=".json,application/json"
            on:change=chosen
        />
    }
}

/// An area on which a file can be dropped.
#[component]
pub(super) fn DropPlace(
    /// A class for its shape.
    class: &'static str,
    /// Called with the dropped file.
    on_open: Callback<Opened>,
    /// The content.
    children: Children,
) -> impl IntoView {
    let is_over = RwSignal::new(false);
    let over = move |event: ev::DragEvent| {
        // Without this the browser would navigate to the file.
        event.prevent_default();
        is_over.set(true);
    };
    let dropped = move |event: ev::DragEvent| {
        event.prevent_default();
        is_over.set(false);
        let files = event.data_transfer().and_then(|it| it.files());
        if let Some(file) = files.and_then(|files| files.get(0)) {
            read(file, on_open);
        }
    };
    view! {
        <div
            class=class
            class:report-over=move || is_over.get()
            on:dragover=over
            on:dragleave=move |_| is_over.set(false)
            on:drop=dropped
        >
            {children()}
        </div>
    }
}

fn read(file: web_sys::File, on_open: Callback<Opened>) {
    spawn_local(async move {
        let name = file.name();
        let blob: &web_sys::Blob = file.unchecked_ref();
        let text = JsFuture::from(blob.text()).await;
        on_open.try_run(match text.ok().and_then(|text| text.as_string()) {
            Some(text) => Ok((name, text)),
            None => Err(NotRead { name }),
        });
    });
}
