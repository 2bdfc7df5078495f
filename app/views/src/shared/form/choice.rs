//! One of given values: a list to choose from.

use leptos::html;
use leptos::prelude::*;
use schema_form::{ChoiceOption, Content, Edit, FieldKind, State};

use super::long_choice::LongChoice;
use super::place::Place;
use super::text::described_by;

/// Of more options than this a person types which is meant: a native list of thousands takes
/// seconds to make, and is no help to choose from.
pub(super) const MOST_OPTIONS: usize = 200;

/// The input of a choice.
#[component]
pub(super) fn Choice(
    /// The place it belongs to.
    place: Place,
) -> impl IntoView {
    let field = place.field().clone();
    let FieldKind::Choice(options) = &field.kind else { return ().into_any() };
    let chosen = place.follow(|entered| match (entered.state(), entered.content()) {
        (State::Null, _) => "null".to_owned(),
        (State::Value, Some(Content::Choice(position))) => position.to_string(),
        _ => String::new(),
    });
    let chosen = Memo::new(move |_| chosen.get().unwrap_or_default());
    let invalid = place.is_faulty();
    if let ([only], true, false) = (options.as_slice(), place.slot.required(), field.nullable) {
        return only_one(&place, only, chosen);
    }
    if options.len() > MOST_OPTIONS {
        return view! { <LongChoice place/> }.into_any();
    }
    let default = field.default.as_ref().map(|default| {
        let label = options.iter().find(|option| option.value == *default);
        label.map_or(default.as_str(), |option| option.label.as_str())
    });
    let nothing = match (default, place.slot.required()) {
        (Some(default), true) => format!("choose… (default {default})"),
        (None, true) => "choose…".to_owned(),
        (Some(default), false) => format!("{default} (default)"),
        (None, false) => "not sent".to_owned(),
    };
    let option = |value: String, label: String, title: Option<String>| {
        view! { <option value=value title=title>{label}</option> }
    };
    // Once the options are there. Were each to follow what is chosen, one choice of many thousands
    // would wake them all.
    let select = NodeRef::<html::Select>::new();
    Effect::new(move |_| {
        if let Some(select) = select.get() {
            chosen.with(|chosen| select.set_value(chosen));
        }
    });
    let (choosing, leaving) = (place.clone(), place.clone());
    let choose = move |event| {
        let value = event_target_value(&event);
        choosing.edit(match value.as_str() {
            "" => Edit::Unset,
            "null" => Edit::SetNull,
            position => match position.parse() {
                Ok(position) => Edit::Choose(position),
                Err(_) => return,
            },
        });
    };
    view! {
        <span
            class="framed chosen"
            class:unset=move || chosen.with(|chosen| chosen.is_empty() || chosen == "null")
            class:bad=move || invalid.get()
        >
            <select
                node_ref=select
                id=place.input_id()
                aria-describedby=described_by(&place)
                aria-invalid=move || invalid.get().to_string()
                on:change=choose
                on:blur=move |_| leaving.touch()
            >
                {option(String::new(), nothing, None)}
                {field.nullable.then(|| option("null".into(), "null".into(), None))}
                {options
                    .iter()
                    .enumerate()
                    .map(|(position, each)| {
                        option(position.to_string(), each.label.clone(), each.description.clone())
                    })
                    .collect_view()}
            </select>
        </span>
    }
    .into_any()
}

/// The only value there is, as the tag of a union's branch: there is nothing to choose, unless
/// nothing is sent at the moment.
fn only_one(place: &Place, only: &ChoiceOption, chosen: Memo<String>) -> AnyView {
    let place = place.clone();
    let label = only.label.clone();
    (move || {
        let label = label.clone();
        if chosen.with(String::is_empty) {
            let place = place.clone();
            let choose = move |_| {
                place.edit(Edit::Choose(0));
            };
            view! { <button type="button" class="add" on:click=choose>{label}</button> }.into_any()
        } else {
            view! { <span class="only mono">{label}</span> }.into_any()
        }
    })
    .into_any()
}
