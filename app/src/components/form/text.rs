//! Typed text: strings and numbers, with what says that nothing or null is sent.

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use schema_form::{Edit, FieldKind, State, Step};
use web_sys::HtmlTextAreaElement;

use super::place::Place;

/// The input of a string.
#[component]
pub(super) fn TextInput(
    /// The place it belongs to.
    place: Place,
) -> impl IntoView {
    let FieldKind::Text(text) = &place.field().kind else { return ().into_any() };
    let kind = match text.format.as_deref() {
        Some("email") => Some("email"),
        Some("uri" | "url" | "uri-reference" | "iri") => Some("url"),
        Some("password") => Some("password"),
        Some(
            "date" | "time" | "date-time" | "uuid" | "duration" | "hostname" | "ipv4" | "ipv6",
        ) => Some("text"),
        _ => None,
    };
    match kind {
        Some(kind) => view! { <LineInput place kind/> }.into_any(),
        None => view! { <AreaInput place/> }.into_any(),
    }
}

/// The input of a number: text, because a number is one only when it is finished.
#[component]
pub(super) fn NumberInput(
    /// The place it belongs to.
    place: Place,
) -> impl IntoView {
    view! { <LineInput place kind="text" numeric=true/> }
}

#[component]
fn LineInput(
    /// The place it belongs to.
    place: Place,
    /// The input's type.
    kind: &'static str,
    /// Whether digits are typed.
    #[prop(optional)]
    numeric: bool,
) -> impl IntoView {
    let typed = typed(&place);
    let invalid = place.is_faulty();
    let (typing, leaving) = (place.clone(), place.clone());
    let mode = match (&place.field().kind, numeric) {
        (FieldKind::Integer(_), true) => "numeric",
        (_, true) => "decimal",
        _ => "text",
    };
    view! {
        <Frame place=place.clone()>
            <input
                id=place.input_id()
                type=kind
                inputmode=mode
                class:mono=numeric
                autocomplete="off"
                spellcheck="false"
                placeholder=placeholder(&place)
                aria-describedby=described_by(&place)
                aria-invalid=move || invalid.get().to_string()
                prop:value=move || typed.get()
                on:input=move |event| {
                    typing.edit(Edit::SetText(event_target_value(&event)));
                }
                on:blur=move |_| leaving.touch()
            />
        </Frame>
    }
}

#[component]
fn AreaInput(
    /// The place it belongs to.
    place: Place,
) -> impl IntoView {
    let typed = typed(&place);
    let invalid = place.is_faulty();
    let (typing, leaving) = (place.clone(), place.clone());
    let is_item = matches!(place.path.steps().last(), Some(Step::Item(_)));
    view! {
        <Frame place=place.clone()>
            <textarea
                id=place.input_id()
                rows="1"
                autocomplete="off"
                placeholder=placeholder(&place)
                aria-describedby=described_by(&place)
                aria-invalid=move || invalid.get().to_string()
                prop:value=move || typed.get()
                on:input=move |event| {
                    typing.edit(Edit::SetText(event_target_value(&event)));
                }
                on:blur=move |_| leaving.touch()
                on:keydown=move |event| press_enter(&event, is_item)
            ></textarea>
        </Frame>
    }
}

/// What surrounds an input: what is sent instead of a text, and the buttons that choose that.
#[component]
fn Frame(
    /// The place it belongs to.
    place: Place,
    /// The input.
    children: Children,
) -> impl IntoView {
    let standing = place.standing();
    let state = Memo::new(move |_| standing.get().state);
    let field = place.field();
    let (nullable, optional) = (field.nullable, !place.slot.required());
    let is_text = matches!(field.kind, FieldKind::Text(_));
    let has_default = field.default.is_some();
    let is_empty = place.follow(|entered| entered.text() == Some(""));
    let press = |edit: Edit| {
        let place = place.clone();
        move |_: ev::MouseEvent| {
            place.edit(edit.clone());
            crate::state::browser::focus(&place.input_id());
        }
    };
    let note = move || match state.get() {
        State::Null => "null",
        State::Value if is_text && is_empty.get() == Some(true) => "empty text",
        State::NotSent if optional && has_default => "default, not sent",
        State::NotSent if optional => "not sent",
        _ => "",
    };
    let (to_null, from_null) = (press(Edit::SetNull), press(Edit::Unset));
    let toggle_null = move |event| match state.get_untracked() {
        State::Null => from_null(event),
        State::NotSent | State::Value => to_null(event),
    };
    let null = nullable.then(|| {
        view! {
            <button
                type="button"
                aria-pressed=move || (state.get() == State::Null).to_string()
                on:click=toggle_null
            >
                "null"
            </button>
        }
    });
    let (empty, unset) = (press(Edit::SetValue), press(Edit::Unset));
    let clear_text = press(Edit::SetText(String::new()));
    let buttons = (nullable || optional).then(|| {
        view! {
            <span class="framed-buttons">
                {null}
                {(is_text && optional)
                    .then(|| view! {
                        <button
                            type="button"
                            class:gone=move || state.get() == State::Value
                            title="Send an empty text"
                            on:click=move |event| {
                                clear_text(event.clone());
                                empty(event);
                            }
                        >
                            "\"\""
                        </button>
                    })}
                <button
                    type="button"
                    class:gone=move || state.get() == State::NotSent
                    title="Send nothing"
                    aria-label="Send nothing"
                    on:click=unset
                >
                    "×"
                </button>
            </span>
        }
    });
    let invalid = place.is_faulty();
    view! {
        <span
            class="framed"
            class:unset=move || state.get() != State::Value
            class:bad=move || invalid.get()
        >
            {children()}
            <span class="framed-note" id=place.part_id("note")>{note}</span>
            {buttons}
        </span>
    }
}

/// What the input shows; nothing unless it is sent.
fn typed(place: &Place) -> Memo<String> {
    let typed = place.follow(|entered| entered.text().map(str::to_owned));
    Memo::new(move |_| typed.get().flatten().unwrap_or_default())
}

/// The default, if there is one, else the first example of a field that must be filled.
fn placeholder(place: &Place) -> String {
    let field = place.field();
    let shown = field.default.as_ref().filter(|default| default.as_str() != "null");
    shown.map_or_else(String::new, |value| match value.decode::<String>() {
        Ok(content) => content,
        Err(_) => value.as_str().to_owned(),
    })
}

/// Help, what is sent instead, and the fault.
pub(super) fn described_by(place: &Place) -> String {
    ["help", "note", "fault"].map(|part| place.part_id(part)).join(" ")
}

/// In a text of one line, Enter does what it does in every such input, and nothing in a list's item,
/// where it is rather meant to end the item; Shift+Enter begins a line.
fn press_enter(event: &ev::KeyboardEvent, is_item: bool) {
    let plain = !event.shift_key() && !event.ctrl_key() && !event.meta_key() && !event.alt_key();
    if event.key() != "Enter" || !plain || event.is_composing() {
        return;
    }
    let area = event.target().and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok());
    if let Some(area) = area.filter(|area| !area.value().contains('\n')) {
        event.prevent_default();
        if let Some(form) = area.form().filter(|_| !is_item) {
            // Refused only where there is nothing to submit to.
            let _ = form.request_submit();
        }
    }
}
