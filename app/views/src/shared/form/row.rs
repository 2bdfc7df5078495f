//! A row: label, input, help, faults, and what is nested in it.

use leptos::ev;
use leptos::prelude::*;
use schema_form::{Content, Edit, Extras, FieldKind, PathStep, Slot, State};

use super::batches::{MOST_AT_ONCE, batches, changing_batches};
use super::choice::Choice;
use super::entries::Entries;
use super::help::help_beside;
use super::json_area::JsonArea;
use super::list::{ItemRows, ListHead, Tags, are_tags};
use super::number::NumberInput;
use super::pills::{BooleanPills, BranchPills, OpenPills};
use super::place::Place;
use super::text::TextInput;
use app::components::code_text::with_code;
use app::state::browser;

/// The rows of an object's members, its entries, and their button.
pub(super) fn members(place: &Place) -> AnyView {
    let FieldKind::Object(object) = &place.field().kind else { return ().into_any() };
    let offered = matches!(object.extras, Extras::Offered(_));
    let rows = if object.is_conditional() {
        changing_batches(place, place.state.shape(&place.path))
    } else if object.members.len() > MOST_AT_ONCE {
        batches(place, &object.members)
    } else {
        let rows = object.members.iter().enumerate();
        rows.map(|(position, slot)| member(place, position, slot)).collect_view().into_any()
    };
    view! {
        {rows}
        <Entries place=place.clone() offered/>
    }
    .into_any()
}

pub(super) fn member(place: &Place, position: usize, slot: &Slot) -> AnyView {
    // An empty name is one, too.
    let named = if slot.key().is_empty() { "\"\"" } else { slot.key() };
    row(&place.then(slot, PathStep::Member(position)), named)
}

/// One row of the form.
pub(super) fn row(place: &Place, named: &str) -> AnyView {
    let field = place.field();
    let star = place.slot.required() && !place.slot.key().is_empty();
    let name = view! {
        {named.to_owned()}
        {star.then(|| view! { <span class="star" aria-hidden="true"></span><span class="unseen">" (required)"</span> })}
    };
    let is_radio = matches!(field.kind, FieldKind::Boolean) || place.is_group();
    let label_id = place.part_id("label");
    let label = if is_radio {
        view! { <span class="field-label" id=label_id.clone()>{name}</span> }.into_any()
    } else {
        view! { <label class="field-label" id=label_id.clone() for=place.input_id()>{name}</label> }
            .into_any()
    };
    let group = place.is_group();
    view! {
        <div
            class="field"
            class:deprecated=field.deprecated
            on:keydown=json_key(place)
            role=group.then_some("group")
            aria-labelledby=group.then_some(label_id)
        >
            {label}
            <div class="field-control with-json">
                {control(place)}
                <ToJson place=place.clone() named=named.to_owned()/>
            </div>
            {help_beside(place, named)}
            {faults(place)}
            {nested(place)}
        </div>
    }
    .into_any()
}

/// The button that goes over to JSON text at a place, and is gone while it is text.
#[component]
pub(super) fn ToJson(
    /// The place it belongs to.
    place: Place,
    /// What the place is called.
    #[prop(into)]
    named: Signal<String>,
) -> impl IntoView {
    if matches!(place.field().kind, FieldKind::Json(_)) {
        return ().into_any();
    }
    let standing = place.standing();
    let is_json = Memo::new(move |_| standing.get().is_json);
    view! {
        <button
            type="button"
            class="to-json"
            class:gone=move || is_json.get()
            // In reach of Alt+J from its field, so that Tab goes from field to field.
            tabindex=(!place.is_group()).then_some("-1")
            title="Edit as JSON (Alt J)"
            aria-label=move || format!("Edit {} as JSON", named.get())
            on:click=move |_| to_json(&place)
        >
            "{ }"
        </button>
    }
    .into_any()
}

fn to_json(place: &Place) {
    place.edit(Edit::AsJson);
    let input = place.input_id();
    browser::after_drawing(move || browser::focus(&input));
}

/// Alt+J: from the widget to text and back.
pub(super) fn json_key(place: &Place) -> impl Fn(ev::KeyboardEvent) + use<> {
    let place = place.clone();
    move |event| {
        if !event.alt_key() || event.code() != "KeyJ" {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        let draft = place.state.draft.read_untracked();
        let is_json = matches!(
            draft.at(&place.path).and_then(|entered| entered.content()),
            Some(Content::Json { .. })
        );
        drop(draft);
        if is_json {
            place.edit(Edit::AsWidgets);
            let input = place.input_id();
            browser::after_drawing(move || browser::focus(&input));
        } else {
            to_json(&place);
        }
    }
}

/// The input that stands beside the label.
pub(super) fn control(place: &Place) -> AnyView {
    let standing = place.standing();
    let always_json = matches!(place.field().kind, FieldKind::Json(_));
    let is_json = Memo::new(move |_| standing.get().is_json || always_json);
    let place = place.clone();
    (move || {
        if is_json.get() {
            view! { <JsonArea place=place.clone() rows=2/> }.into_any()
        } else {
            widget(&place)
        }
    })
    .into_any()
}

fn widget(place: &Place) -> AnyView {
    let place = place.clone();
    match &place.field().kind {
        FieldKind::Text(_) => view! { <TextInput place/> }.into_any(),
        FieldKind::Integer(_) | FieldKind::Number(_) => view! { <NumberInput place/> }.into_any(),
        FieldKind::Boolean => view! { <BooleanPills place/> }.into_any(),
        FieldKind::Choice(_) => view! { <Choice place/> }.into_any(),
        FieldKind::Object(_) => view! { <OpenPills place/> }.into_any(),
        FieldKind::List(list) if are_tags(list) => view! { <Tags place/> }.into_any(),
        FieldKind::List(_) => view! { <ListHead place/> }.into_any(),
        FieldKind::Union(_) => {
            view! { <BranchPills place=place.clone()/> <UndoSwitch place/> }.into_any()
        }
        FieldKind::Json(_) => view! { <JsonArea place rows=2/> }.into_any(),
    }
}

/// Takes the last switch of this union back; there only right after it.
#[component]
fn UndoSwitch(
    /// The place of the union.
    place: Place,
) -> impl IntoView {
    let (state, path) = (place.state, place.path.clone());
    let switched = Memo::new(move |_| state.switched(&path));
    let undo = move |_| {
        state.undo();
        let input = place.input_id();
        browser::after_drawing(move || browser::focus(&input));
    };
    let undo = StoredValue::new(undo);
    view! {
        <Show when=move || switched.get()>
            <button type="button" class="link undo-switch" on:click=move |event| undo.with_value(|undo| undo(event))>
                "Undo type change"
            </button>
        </Show>
    }
}

/// What is nested in the place, under the row.
pub(super) fn nested(place: &Place) -> AnyView {
    if !place.is_group() {
        return ().into_any();
    }
    let standing = place.standing();
    let is_open =
        Memo::new(move |_| standing.get().state == State::Value && !standing.get().is_json);
    let place = place.clone();
    let inside = move || match &place.field().kind {
        FieldKind::Object(_) => {
            let place = place.clone();
            view! { <div class="nest" id=place.part_id("nest")>{members(&place)}</div> }.into_any()
        }
        FieldKind::List(list) if !are_tags(list) => {
            view! { <ItemRows place=place.clone()/> }.into_any()
        }
        FieldKind::Union(_) => branch(&place),
        _ => ().into_any(),
    };
    view! { <Show when=move || is_open.get()>{inside.clone()}</Show> }.into_any()
}

/// The chosen branch of a union.
fn branch(place: &Place) -> AnyView {
    let chosen = place.follow(|entered| match entered.content() {
        Some(Content::Union { branch, .. }) => Some(*branch),
        _ => None,
    });
    let place = place.clone();
    (move || {
        let FieldKind::Union(branches) = &place.field().kind else { return ().into_any() };
        let Some((position, branch)) =
            chosen.get().flatten().and_then(|at| Some((at, branches.get(at)?)))
        else {
            return ().into_any();
        };
        let inner = place.then(&branch.slot, PathStep::Branch(position));
        match &inner.field().kind {
            FieldKind::Object(_) => view! {
                <div class="nest">
                    {help_beside(&inner, &branch.label)}
                    {members(&inner)}
                    {faults(&inner)}
                </div>
            }
            .into_any(),
            _ => view! { <div class="nest">{row(&inner, &branch.label)}</div> }.into_any(),
        }
    })
    .into_any()
}

/// The faults at the place, heard when they come.
pub(super) fn faults(place: &Place) -> AnyView {
    let (state, path) = (place.state, place.path.clone());
    let texts = Memo::new(move |_| state.faults_at(&path));
    view! {
        <small class="field-faults" id=place.part_id("fault") aria-live="polite">
            {move || with_code(&texts.get().join(" "))}
        </small>
    }
    .into_any()
}
