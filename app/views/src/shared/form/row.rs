//! A row: label, input, help, faults, and nested fields.

use leptos::ev;
use leptos::prelude::*;
use schema_form::{Content, Edit, Extras, FieldKind, PathStep, Slot, State};

use super::batches::{MOST_AT_ONCE, batches, changing_batches};
use super::choice::Choice;
use super::entries::Entries;
use super::field_handle::FieldHandle;
use super::help::help_beside;
use super::json_area::JsonArea;
use super::list::{ItemRows, ListHead, Tags, are_tags};
use super::number::NumberInput;
use super::pills::{BooleanPills, BranchPills, OpenPills};
use super::text::TextInput;
use app::components::code_text::with_code;
use app::state::browser;
use app::state::excerpt::visible_name;

/// The rows of an object's members, its entries, and their button.
pub(super) fn members(place: &FieldHandle) -> AnyView {
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

pub(super) fn member(place: &FieldHandle, position: usize, slot: &Slot) -> AnyView {
    // The name may be empty.
    let named = if slot.key().is_empty() { "\"\"" } else { slot.key() };
    row(&place.then(slot, PathStep::Member(position)), &visible_name(named))
}

/// One row of the form.
pub(super) fn row(place: &FieldHandle, named: &str) -> AnyView {
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

/// The button that turns a field into JSON text, hidden while it is text.
#[component]
pub(super) fn ToJson(
    /// The field.
    place: FieldHandle,
    /// The name of the field.
    #[prop(into)]
    named: Signal<String>,
) -> impl IntoView {
    if matches!(place.field().kind, FieldKind::Json(_)) {
        return ().into_any();
    }
    let status = place.status();
    let is_json = Memo::new(move |_| status.get().is_json);
    view! {
        <button
            type="button"
            class="to-json"
            class:gone=move || is_json.get()
            // Alt+J does the same, so that Tab goes from field to field.
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

fn to_json(place: &FieldHandle) {
    place.edit(Edit::AsJson);
    let input = place.input_id();
    browser::after_drawing(move || browser::focus(&input));
}

/// Alt+J: from the widget to text and back.
pub(super) fn json_key(place: &FieldHandle) -> impl Fn(ev::KeyboardEvent) + use<> {
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

/// The input beside the label.
pub(super) fn control(place: &FieldHandle) -> AnyView {
    let status = place.status();
    let always_json = matches!(place.field().kind, FieldKind::Json(_));
    let is_json = Memo::new(move |_| status.get().is_json || always_json);
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

fn widget(place: &FieldHandle) -> AnyView {
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

/// Undoes the last switch of this union; shown only right after it.
#[component]
fn UndoSwitch(
    /// The union.
    place: FieldHandle,
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

/// The nested fields, below the row.
pub(super) fn nested(place: &FieldHandle) -> AnyView {
    if !place.is_group() {
        return ().into_any();
    }
    let status = place.status();
    let is_open = Memo::new(move |_| status.get().state == State::Value && !status.get().is_json);
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
fn branch(place: &FieldHandle) -> AnyView {
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
            _ => view! { <div class="nest">{row(&inner, &visible_name(&branch.label))}</div> }
                .into_any(),
        }
    })
    .into_any()
}

/// The faults of the field, announced to screen readers.
pub(super) fn faults(place: &FieldHandle) -> AnyView {
    let (state, path) = (place.state, place.path.clone());
    let texts = Memo::new(move |_| state.faults_at(&path));
    view! {
        <small class="field-faults" id=place.part_id("fault") aria-live="polite">
            {move || with_code(&texts.get().join(" "))}
        </small>
    }
    .into_any()
}
