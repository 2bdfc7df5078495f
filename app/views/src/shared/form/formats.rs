//! Strings with a `format`: a text input with an aid to write it, such as a picker.
//!
//! The text is what is sent. A text that does not match the format gets advice and is still sent.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use schema_form::{Edit, Format};

use super::field_handle::FieldHandle;
use super::text::{Frame, described_by, placeholder, typed};
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::file_bytes;
use app::state::latest_request::use_latest_request;
use app::state::times::size;

/// The input of a string with a format.
#[component]
pub(super) fn FormatInput(
    /// The field.
    place: FieldHandle,
    /// The format.
    format: Format,
) -> impl IntoView {
    let typed = typed(&place);
    let invalid = place.is_faulty();
    let (typing, leaving) = (place.clone(), place.clone());
    let (kind, mode, example) = match format {
        Format::Date => ("text", "text", "2026-11-21"),
        Format::Time => ("text", "text", "09:30:00Z"),
        Format::DateTime => ("text", "text", "2026-11-21T09:30:00Z"),
        Format::Email => ("text", "email", "ada@example.com"),
        Format::Uri => ("text", "url", "https://example.com"),
        Format::Uuid => ("text", "text", "00000000-0000-4000-8000-000000000000"),
        // The button beside it leaves little room for an example, and the help names the encoding.
        Format::Byte => ("text", "text", ""),
        Format::Password => ("password", "text", ""),
        Format::Multiline => ("text", "text", ""),
    };
    let revealed = RwSignal::new(false);
    // Why a chosen file cannot be loaded.
    let refused = RwSignal::new(None::<String>);
    // An input with so much base64 would make the page slow.
    let is_long = Memo::new(move |_| {
        format == Format::Byte && typed.with(|text| text.len() > file_bytes::TYPED_BASE64)
    });
    let shown = match placeholder(&place) {
        default if default.is_empty() => example.to_owned(),
        default => default,
    };
    let advice = Memo::new(move |_| {
        typed.with(|text| if text.is_empty() { None } else { format.mismatch(text) })
    });
    let text = move || match (refused.get(), advice.get()) {
        (Some(reason), _) => Some(reason),
        (None, lacks) => lacks.map(|lacks| format!("This is {lacks}. It is sent unchanged.")),
    };
    let value = move || {
        typed.with(|text| match is_long.get() {
            true => size(file_bytes::bytes_of(text) as u64),
            false => text.clone(),
        })
    };
    let aid = match format {
        Format::Byte => file(&place, typed, is_long, refused),
        _ => aid(&place, format, typed, revealed),
    };
    let inner = place.clone();
    let advice_id = place.part_id("advice");
    view! {
        <Frame place>
            <input
                id=inner.input_id()
                type=move || if revealed.get() { "text" } else { kind }
                inputmode=mode
                class:mono=!matches!(format, Format::Email | Format::Uri | Format::Password)
                autocomplete=if format == Format::Password { "new-password" } else { "off" }
                spellcheck="false"
                placeholder=shown
                aria-describedby=format!("{} {}", described_by(&inner), inner.part_id("advice"))
                aria-invalid=move || invalid.get().to_string()
                readonly=move || is_long.get()
                prop:value=value
                on:input=move |event| {
                    typing.edit(Edit::SetText(event_target_value(&event)));
                }
                on:blur=move |_| leaving.touch()
            />
            {aid}
        </Frame>
        <small class="field-advice" id=advice_id aria-live="polite">{text}</small>
    }
}

/// The button that helps to write the format.
fn aid(
    place: &FieldHandle,
    format: Format,
    typed: Memo<String>,
    revealed: RwSignal<bool>,
) -> AnyView {
    match format {
        Format::Date => picker(place, format, typed, "date"),
        Format::Time => picker(place, format, typed, "time"),
        Format::DateTime => picker(place, format, typed, "datetime-local"),
        Format::Uuid => {
            let place = place.clone();
            let label = format!("Generate {}", place.name());
            view! {
                <button
                    type="button"
                    class="aid"
                    title="Generate a new one"
                    aria-label=label
                    on:click=move |_| {
                        place.edit(Edit::SetText(browser::new_uuid()));
                    }
                >
                    "Generate"
                </button>
            }
            .into_any()
        }
        Format::Password => view! {
            <button
                type="button"
                class="aid"
                aria-pressed=move || revealed.get().to_string()
                on:click=move |_| revealed.update(|revealed| *revealed = !*revealed)
            >
                {move || if revealed.get() { "Hide" } else { "Show" }}
            </button>
        }
        .into_any(),
        Format::Email | Format::Uri | Format::Multiline | Format::Byte => ().into_any(),
    }
}

/// The browser's own picker, opened by a button. Its input is out of sight, because it shows nothing
/// for text that is not in its format.
fn picker(place: &FieldHandle, format: Format, typed: Memo<String>, kind: &'static str) -> AnyView {
    let native = NodeRef::<Input>::new();
    let picked = Memo::new(move |_| typed.with(|text| format.picker_value(text).to_owned()));
    let writing = place.clone();
    let write = move |event| {
        let picked = event_target_value(&event);
        let text = typed.with_untracked(|before| format.from_picker(&picked, before));
        writing.edit(Edit::SetText(text));
        browser::focus(&writing.input_id());
    };
    let open = move |_| {
        if let Some(input) = native.get_untracked() {
            // Fails only without a click.
            let _ = input.show_picker();
        }
    };
    let step = (kind != "date").then_some("1");
    view! {
        <span class="picker">
            <input
                type=kind
                node_ref=native
                tabindex="-1"
                aria-hidden="true"
                step=step
                prop:value=move || picked.get()
                on:change=write
            />
            <button
                type="button"
                class="aid"
                title="Pick"
                aria-label=format!("Pick {}", place.name())
                on:click=open
            >
                <Icon glyph=if kind == "time" { Glyph::Clock } else { Glyph::Calendar }/>
            </button>
        </span>
    }
    .into_any()
}

/// Chooses a file whose bytes are entered as base64. `refused` gets the reason when it cannot be read.
///
/// Reading is asynchronous: only the last chosen file is entered, and none after other input.
fn file(
    place: &FieldHandle,
    typed: Memo<String>,
    is_long: Memo<bool>,
    refused: RwSignal<Option<String>>,
) -> AnyView {
    let native = NodeRef::<Input>::new();
    let (place, clearing) = (place.clone(), place.clone());
    let label = format!("Load file for {}", place.name());
    let readings = use_latest_request();
    let status = place.status();
    // Cancels a pending read after other input.
    Effect::new(move |before: Option<()>| {
        typed.with(|_| ());
        status.track();
        // The first run is not an edit.
        if before.is_some() {
            readings.give_up();
            refused.set(None);
        }
    });
    let read = move |_| {
        let Some(input) = native.get_untracked() else { return };
        let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
        // So that the same file can be chosen again.
        input.set_value("");
        let asked = readings.ask();
        let reason = file_bytes::refusal(&file.name(), file.size());
        let is_refused = reason.is_some();
        refused.set(reason);
        let Ok(reader) = web_sys::FileReader::new() else { return };
        if is_refused {
            return;
        }
        // Now, because the person may be elsewhere when the file is read.
        browser::focus(&place.input_id());
        let (writing, done, name) = (place.clone(), reader.clone(), file.name());
        // Called once, after success or failure.
        let ended = Closure::once_into_js(move || {
            // The form may be gone, too.
            if !asked.is_wanted() {
                return;
            }
            let url = done.result().ok().and_then(|result| result.as_string());
            match url.as_deref().and_then(file_bytes::base64_in) {
                Some(base64) => drop(writing.edit(Edit::SetText(base64.to_owned()))),
                None => refused.set(Some(file_bytes::unreadable(&name))),
            }
        });
        reader.set_onloadend(Some(ended.unchecked_ref()));
        // Fails only while it is already reading.
        let _ = reader.read_as_data_url(&file);
    };
    let open = move |_| {
        if let Some(input) = native.get_untracked() {
            input.click();
        }
    };
    // An optional field has a button for that already.
    let is_required = clearing.slot.required();
    let clear = StoredValue::new(move || {
        clearing.edit(Edit::SetText(String::new()));
        browser::focus(&clearing.input_id());
    });
    view! {
        <span class="picker">
            <input type="file" node_ref=native tabindex="-1" aria-hidden="true" on:change=read/>
            <Show when=move || is_required && is_long.get()>
                <button type="button" class="aid" on:click=move |_| clear.with_value(|clear| clear())>
                    "Clear"
                </button>
            </Show>
            <button
                type="button"
                class="aid"
                title=format!("Choose a file of up to {}", size(file_bytes::MOST as u64))
                aria-label=label
                on:click=open
            >
                "Load file"
            </button>
        </span>
    }
    .into_any()
}
