//! A choice of options: a list to choose from.

use leptos::html;
use leptos::prelude::*;
use schema_form::{ChoiceOption, Content, Edit, FieldKind, State};

use super::field_handle::FieldHandle;
use super::long_choice::LongChoice;
use super::text::described_by;
use app::state::excerpt::{visible_name, visible_text};

/// With more options than this, typed text filters them: a native list of thousands takes seconds to
/// build, and is hard to choose from.
pub(super) const MOST_OPTIONS: usize = 200;

/// The input of a choice.
#[component]
pub(super) fn Choice(
    /// The field.
    place: FieldHandle,
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
        let title = title.as_deref().map(visible_text);
        view! { <option value=value title=title>{visible_name(&label)}</option> }
    };
    // Selects in the document once the options are drawn. A binding at each option would run all of
    // thousands for one choice.
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

/// The only option, as in the tag of a union's branch: it can be chosen only while nothing is sent.
fn only_one(place: &FieldHandle, only: &ChoiceOption, chosen: Memo<String>) -> AnyView {
    let place = place.clone();
    let label = visible_name(&only.label);
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
