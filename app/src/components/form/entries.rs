//! The members of an object that its schema does not name: a name and a value each.

use leptos::prelude::*;
use schema_form::{Content, Edit, FieldKind, ItemId, Step};

use super::place::{Place, input_id};
use super::row::{control, faults};
use crate::state::browser;

/// The entries of an object and, where the schema asks for them, the button that adds one.
#[component]
pub(super) fn Entries(
    /// The object's place.
    place: Place,
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
    view! {
        <For
            each=move || ids.get().unwrap_or_default()
            key=|id| *id
            children=move |id| entry(&drawing, id)
        />
        {offered
            .then(|| view! {
                <button type="button" class="add" id=place.part_id("add") on:click=add>"+ add entry"</button>
            })}
    }
}

fn name_id(place: &Place, id: ItemId) -> String {
    format!("{}-name", input_id(place.id, &place.path.then(Step::Entry(id))))
}

fn entry(place: &Place, id: ItemId) -> AnyView {
    let FieldKind::Object(object) = &place.field().kind else { return ().into_any() };
    let (state, at) = (place.state, place.path.then(Step::Entry(id)));
    let slot = match object.extras.slot() {
        Some(slot) => Some(slot.clone()),
        None => state.draft.read_untracked().slot(&state.form(), &at),
    };
    let Some(slot) = slot else { return ().into_any() };
    let inner = place.then(&slot, Step::Entry(id));
    let name = place.follow(move |entered| match entered.content() {
        Some(Content::Object { entries, .. }) => {
            entries.iter().find(|entry| entry.id == id).and_then(|entry| entry.name.clone())
        }
        _ => None,
    });
    let (naming, removing, leaving) = (place.clone(), place.clone(), inner.clone());
    view! {
        <div class="field entry">
            <input
                class="entry-name mono"
                id=name_id(place, id)
                placeholder="name"
                aria-label="Name of the entry"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || name.get().flatten().unwrap_or_default()
                on:input=move |event| {
                    naming.edit(Edit::RenameEntry(id, event_target_value(&event)));
                }
                on:blur=move |_| leaving.touch()
            />
            <div class="field-control with-buttons">
                <span class="unseen" id=inner.part_id("label")>"Value of the entry"</span>
                {control(&inner)}
                <span class="row-buttons">
                    <button
                        type="button"
                        title="Remove"
                        aria-label="Remove the entry"
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
            {faults(&inner)}
            {super::row::nested(&inner)}
        </div>
    }
    .into_any()
}
