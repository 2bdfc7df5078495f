//! Numbers: the text is what is sent, with a slider beside it where both limits are known.

use leptos::ev;
use leptos::prelude::*;
use schema_form::{Bounds, Edit, FieldKind, SliderRange, begins_number, whole_number};

use super::field_handle::FieldHandle;
use super::text::{Frame, described_by, placeholder, typed};

/// The input of a number: a text input, because a partly typed number is not a number.
#[component]
pub(super) fn NumberInput(
    /// The field.
    place: FieldHandle,
) -> impl IntoView {
    let (bounds, is_whole) = match &place.field().kind {
        FieldKind::Integer(bounds) => (bounds.clone(), true),
        FieldKind::Number(bounds) => (bounds.clone(), false),
        _ => return ().into_any(),
    };
    let typed = typed(&place);
    let invalid = place.is_faulty();
    let (typing, leaving) = (place.clone(), place.clone());
    let leave = move |event: ev::FocusEvent| {
        leaving.touch();
        // Shows the digits that are sent: 1000 for `1e3`.
        let text = event_target_value(&event);
        let digits = whole_number(&text).filter(|digits| is_whole && *digits != text);
        // A field that is removed while it has the focus loses it after the form is gone.
        if let Some(digits) = digits
            && leaving.state.is_there()
        {
            leaving.edit(Edit::SetText(digits));
        }
    };
    let range = bounds.range(is_whole);
    let has_slider = range.is_some();
    let unit = place.field().unit();
    let inner = place.clone();
    let input = view! {
        <Frame place=place.clone()>
            <input
                id=inner.input_id()
                type="text"
                inputmode=if is_whole { "numeric" } else { "decimal" }
                class="mono"
                autocomplete="off"
                spellcheck="false"
                placeholder=placeholder(&inner)
                aria-describedby=described_by(&inner)
                aria-invalid=move || invalid.get().to_string()
                prop:value=move || typed.get()
                on:input=move |event| {
                    let text = event_target_value(&event);
                    if begins_number(&text) {
                        typing.state.untouch(&typing.path);
                    }
                    typing.edit(Edit::SetText(text));
                }
                on:keydown=step_key(&inner, bounds, is_whole)
                on:blur=leave
            />
            {unit.map(|unit| view! { <span class="unit">{unit}</span> })}
        </Frame>
    };
    if !has_slider {
        return input.into_any();
    }
    view! {
        <span class="ranged">
            {input}
            {range.map(|range| slider(&place, range, typed))}
        </span>
    }
    .into_any()
}

/// The slider, at the number in the text, else at the default, else at the lower end.
fn slider(place: &FieldHandle, range: SliderRange, typed: Memo<String>) -> AnyView {
    let default =
        place.field().default.as_ref().and_then(|value| range.position_of(value.as_str()));
    let (following, range) = (range.clone(), StoredValue::new(range));
    let position =
        Memo::new(move |_| typed.with(|text| following.position_of(text)).or(default).unwrap_or(0));
    let is_set = move || typed.with(|text| !text.is_empty());
    let number = move |position| range.with_value(|range| range.number_at(position));
    let (sliding, leaving) = (place.clone(), place.clone());
    let last = range.with_value(|range| range.last);
    view! {
        <input
            type="range"
            class="slider"
            class:unset=move || !is_set()
            min="0"
            max=last
            step="1"
            aria-label=format!("{} slider", place.name())
            aria-valuetext=move || if is_set() { number(position.get()) } else { "not sent".to_owned() }
            prop:value=move || position.get().to_string()
            on:input=move |event| {
                if let Ok(position) = event_target_value(&event).parse() {
                    sliding.edit(Edit::SetText(number(position)));
                }
            }
            on:blur=move |_| leaving.touch()
        />
    }
    .into_any()
}

/// The arrow keys step by `multipleOf`, else by 1; with Shift by ten steps.
fn step_key(
    place: &FieldHandle,
    bounds: Bounds,
    is_whole: bool,
) -> impl Fn(ev::KeyboardEvent) + use<> {
    let place = place.clone();
    let default = place.field().default.as_ref().map(|value| value.as_str().to_owned());
    // Steps from 2.5 never reach a whole number.
    let default = default.filter(|number| !is_whole || whole_number(number).is_some());
    move |event| {
        let by = match event.key().as_str() {
            "ArrowUp" => 1,
            "ArrowDown" => -1,
            _ => return,
        };
        if event.alt_key() || event.ctrl_key() || event.meta_key() {
            return;
        }
        event.prevent_default();
        let by = if event.shift_key() { by * 10 } else { by };
        if let Some(number) = bounds.stepped(&event_target_value(&event), default.as_deref(), by) {
            place.edit(Edit::SetText(number));
        }
    }
}
