//! Text inputs, and the frame of every typed input, which shows when nothing or null is sent.

use json_text::JsonText;
use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use schema_form::{Edit, FieldKind, Format, PathStep, State};
use web_sys::HtmlTextAreaElement;

use super::field_handle::FieldHandle;
use super::formats::FormatInput;
use app::state::excerpt::{visible_name, visible_text};
use app::state::line_ends::keep_line_ends;

/// The input of a string. A format has an input of its own as long as the text is one line.
#[component]
pub(super) fn TextInput(
    /// The field.
    place: FieldHandle,
) -> impl IntoView {
    let FieldKind::Text(text) = &place.field().kind else { return ().into_any() };
    match text.widget() {
        None => view! { <AreaInput place/> }.into_any(),
        Some(Format::Multiline) => view! { <AreaInput place lines=true/> }.into_any(),
        Some(format) => {
            // A one-line input removes line breaks: such a text needs a text area.
            let has_lines = place
                .follow(|entered| entered.text().is_some_and(|text| text.contains(['\n', '\r'])));
            let has_lines = Memo::new(move |_| has_lines.get().unwrap_or_default());
            (move || {
                let place = place.clone();
                if has_lines.get() {
                    view! { <AreaInput place/> }.into_any()
                } else {
                    view! { <FormatInput place format/> }.into_any()
                }
            })
            .into_any()
        }
    }
}

#[component]
fn AreaInput(
    /// The field.
    place: FieldHandle,
    /// Whether many lines are expected, so that Enter begins one.
    #[prop(optional)]
    lines: bool,
) -> impl IntoView {
    let typed = typed(&place);
    let invalid = place.is_faulty();
    let (typing, leaving) = (place.clone(), place.clone());
    let unit = place.field().unit();
    let is_item = matches!(place.path.steps().last(), Some(PathStep::Item(_)));
    view! {
        <Frame place=place.clone()>
            <textarea
                id=place.input_id()
                rows=if lines { "4" } else { "1" }
                autocomplete="off"
                placeholder=placeholder(&place)
                aria-describedby=described_by(&place)
                aria-invalid=move || invalid.get().to_string()
                prop:value=move || typed.get()
                on:input=move |event| {
                    let text = event_target_value(&event);
                    let text = typed.with_untracked(|before| keep_line_ends(before, &text));
                    typing.edit(Edit::SetText(text));
                }
                on:blur=move |_| leaving.touch()
                on:keydown=move |event| if !lines { press_enter(&event, is_item) }
            ></textarea>
            {unit.map(|unit| view! { <span class="unit">{unit}</span> })}
        </Frame>
    }
}

/// The frame of an input: what is sent instead of a text, and the buttons that choose it.
#[component]
pub(super) fn Frame(
    /// The field.
    place: FieldHandle,
    /// The input.
    children: Children,
) -> impl IntoView {
    let status = place.status();
    let state = Memo::new(move |_| status.get().state);
    let field = place.field();
    let (nullable, optional) = (field.nullable, !place.slot.required());
    let is_text = matches!(field.kind, FieldKind::Text(_));
    let unsent = unsent_default(&place);
    let is_empty = place.follow(|entered| entered.text() == Some(""));
    let press = |edit: Edit| {
        let place = place.clone();
        move |_: ev::MouseEvent| {
            place.edit(edit.clone());
            app::state::browser::focus(&place.input_id());
        }
    };
    let note = move || match state.get() {
        State::Null => "null".to_owned(),
        State::Value if is_text && is_empty.get() == Some(true) => "empty string".to_owned(),
        State::NotSent if optional => unsent.clone(),
        _ => String::new(),
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
                            title="Send an empty string"
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
                    title="Do not send"
                    aria-label="Do not send"
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

/// The text of the input; empty unless it is sent.
pub(super) fn typed(place: &FieldHandle) -> Memo<String> {
    let typed = place.follow(|entered| entered.text().map(str::to_owned));
    Memo::new(move |_| typed.get().flatten().unwrap_or_default())
}

/// The default, if there is one, else the first example of a field that must be filled.
pub(super) fn placeholder(place: &FieldHandle) -> String {
    let field = place.field();
    let shown = field.default.as_ref().filter(|default| default.as_str() != "null");
    shown.map_or_else(String::new, |value| match value.decode::<String>() {
        Ok(content) => visible_text(&content),
        Err(_) => visible_text(value.as_str()),
    })
}

/// The note beside an optional field that is not sent, with its default where the field cannot show it,
/// such as `null`, an empty string or a list.
pub(super) fn unsent_default(place: &FieldHandle) -> String {
    /// The longest default that is written out.
    const LONGEST: usize = 40;
    let field = place.field();
    let Some(default) = field.default.as_ref().map(JsonText::compact) else {
        return "not sent".to_owned();
    };
    // Shown by the placeholder, or below a list.
    let is_list = matches!(field.kind, FieldKind::List(_));
    match default.as_str() {
        "\"\"" => "empty string (default)".to_owned(),
        "[]" => "empty list (default)".to_owned(),
        "null" => "null (default)".to_owned(),
        _ if is_list || !placeholder(place).is_empty() => "default".to_owned(),
        default if default.len() <= LONGEST => format!("{} (default)", visible_name(default)),
        _ => "default".to_owned(),
    }
}

/// Help, what is sent instead, and the fault.
pub(super) fn described_by(place: &FieldHandle) -> String {
    ["help", "note", "fault"].map(|part| place.part_id(part)).join(" ")
}

/// In a text of one line, Enter submits the form as in every input, except in an item of a list, where
/// it would end the item. Shift+Enter begins a line.
fn press_enter(event: &ev::KeyboardEvent, is_item: bool) {
    let plain = !event.shift_key() && !event.ctrl_key() && !event.meta_key() && !event.alt_key();
    if event.key() != "Enter" || !plain || event.is_composing() {
        return;
    }
    let area = event.target().and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok());
    if let Some(area) = area.filter(|area| !area.value().contains('\n')) {
        event.prevent_default();
        if let Some(form) = area.form().filter(|_| !is_item) {
            // Fails only without a form around it.
            let _ = form.request_submit();
        }
    }
}
