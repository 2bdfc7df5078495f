//! The members of an object that its schema does not name: pairs of a name and a value.

use leptos::ev;
use leptos::prelude::*;
use schema_form::{
    Content, Edit, FieldKind, ItemId, ObjectField, Path, PathStep, quoted_if_unclear,
};

use super::field_handle::FieldHandle;
use super::help::help;
use super::row::{ToJson, control, faults, json_key};
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::form::input_id;

/// The entries of an object and, where the schema asks for them, the button that adds one.
#[component]
pub(super) fn Entries(
    /// The object.
    place: FieldHandle,
    /// Whether the schema asks for entries.
    offered: bool,
) -> impl IntoView {
    let ids = place.follow(|entered| match entered.content() {
        Some(Content::Object { entries, .. }) => entries.iter().map(|entry| entry.id).collect(),
        _ => Vec::new(),
    });
    let (drawing, adding) = (place.clone(), place.clone());
    let add = move |_| {
        if let Some(id) = adding.edit(Edit::AddEntry) {
            let name = name_id(&adding, id);
            browser::after_drawing(move || browser::focus(&name));
        }
    };
    // A form that needs no input can be sent at once: the focus skips this button.
    let is_aside = place.path == Path::root() && place.state.form().needs_no_input();
    view! {
        <For
            each=move || ids.get().unwrap_or_default()
            key=|id| *id
            children=move |id| entry(&drawing, id)
        />
        {offered
            .then(|| view! {
                <button
                    type="button"
                    class="add"
                    class:aside=is_aside
                    id=place.part_id("add")
                    on:click=add
                >
                    "+ add property"
                </button>
            })}
    }
}

fn name_id(place: &FieldHandle, id: ItemId) -> String {
    format!("{}-name", input_id(place.id, &place.path.then(PathStep::Entry(id))))
}

fn entry(place: &FieldHandle, id: ItemId) -> AnyView {
    let FieldKind::Object(object) = &place.field().kind else { return ().into_any() };
    let (state, at) = (place.state, place.path.then(PathStep::Entry(id)));
    let step = PathStep::Entry(id);
    let waits_for_name = !object.patterns.is_empty();
    let name = place.follow(move |entered| match entered.content() {
        Some(Content::Object { entries, .. }) => {
            entries.iter().find(|entry| entry.id == id).and_then(|entry| entry.name.clone())
        }
        _ => None,
    });
    let name = Memo::new(move |_| name.get().flatten());
    // The name determines the schema, and another schema needs another input.
    let (form, finding) = (state.form(), at.clone());
    let slot = Memo::new(move |_| {
        name.with(|_| ());
        state.draft.read_untracked().slot(&form, &finding)
    });
    let inner = move |place: &FieldHandle| {
        slot.get()
            .filter(|_| !waits_for_name || name.with(Option::is_some))
            .map(|slot| place.then(&slot, step))
    };
    let inner_of = {
        let place = place.clone();
        move || inner(&place)
    };
    let (helping, nesting, turning) = (inner_of.clone(), inner_of.clone(), inner_of.clone());
    let keyed = inner_of.clone();
    let value = move || inner_of().map(|inner| control(&inner));
    let help = move || helping().map(|inner| help(&inner));
    let nest = move || nesting().map(|inner| super::row::nested(&inner));
    let turn = move || {
        turning().map(|inner| view! { <ToJson place=inner named="the property".to_owned()/> })
    };
    let keys = move |event: ev::KeyboardEvent| {
        if let Some(inner) = untrack(&keyed) {
            json_key(&inner)(event);
        }
    };
    let value_field = FieldHandle { path: at, ..place.clone() };
    let (naming, removing, leaving) = (place.clone(), place.clone(), value_field.clone());
    let known = names(object).map(|names| {
        let id = value_field.part_id("names");
        let options = names.into_iter().map(|name| view! { <option value=name></option> });
        (id.clone(), view! { <datalist id=id>{options.collect_view()}</datalist> })
    });
    let list = known.as_ref().map(|(id, _)| id.clone());
    let hint = match object.patterns.as_slice() {
        [] => "name".to_owned(),
        patterns => visible_name(&patterns.join(" or ")),
    };
    view! {
        <div class="field entry" on:keydown=keys>
            <input
                class="entry-name mono"
                id=name_id(place, id)
                placeholder=hint
                list=list
                aria-label="Name of the property"
                aria-describedby=value_field.part_id("fault")
                autocomplete="off"
                spellcheck="false"
                prop:value=move || name.get().unwrap_or_default()
                on:input=move |event| {
                    naming.edit(Edit::RenameEntry(id, event_target_value(&event)));
                }
                on:blur=move |_| leaving.touch()
            />
            {known.map(|(_, list)| list)}
            {move || name.with(|name| name.as_deref().and_then(quoted_if_unclear)).map(|quoted| {
                view! { <small class="entry-quoted mono">{quoted}</small> }
            })}
            <div class="field-control with-buttons">
                <label class="unseen" id=value_field.part_id("label") for=value_field.input_id()>"Value of the property"</label>
                {value}
                <span class="row-buttons">
                    {turn}
                    <button
                        type="button"
                        title="Remove"
                        aria-label="Remove the property"
                        on:click=move |_| {
                            removing.edit(Edit::RemoveEntry(id));
                            let add = removing.part_id("add");
                            browser::after_drawing(move || browser::focus(&add));
                        }
                    >
                        "×"
                    </button>
                </span>
            </div>
            {help}
            {faults(&value_field)}
            {nest}
        </div>
    }
    .into_any()
}

/// The names that `propertyNames` lists, to choose from.
fn names(object: &ObjectField) -> Option<Vec<String>> {
    match &object.names.as_ref()?.field().kind {
        FieldKind::Choice(options) => {
            Some(options.iter().map(|option| option.label.clone()).collect())
        }
        _ => None,
    }
}
