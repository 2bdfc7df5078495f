//! Lists: items that are added, removed and reordered, each known by its identity.
//!
//! Items of an enum are tags; others are rows. Alt with an arrow key moves the item that has the focus,
//! together with the focus.

use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use schema_form::{Content, Edit, FieldKind, ItemId, ListField, PathStep, State};

use web_sys::{HtmlInputElement, HtmlTextAreaElement};

use super::choice::MOST_OPTIONS;
use super::field_handle::FieldHandle;
use super::help::help;
use super::paste::PasteMany;
use super::row::{ToJson, control, faults, json_key, nested};
use super::text::{described_by, unsent_default};
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::form::input_id;

/// How many tags' faults are shown at once.
const FAULTS: usize = 3;

/// Whether the list's items are drawn as tags: values that a native list can offer.
pub(super) fn are_tags(list: &ListField) -> bool {
    list.prefix.is_empty()
        && list.rest.as_ref().is_some_and(|rest| {
            let field = rest.field();
            match &field.kind {
                FieldKind::Choice(options) => options.len() <= MOST_OPTIONS && !field.nullable,
                _ => false,
            }
        })
}

/// The ids of the list's items in order.
fn ids(place: &FieldHandle) -> Memo<Vec<ItemId>> {
    let ids = place.follow(|entered| match entered.sent() {
        Some(Content::List(items)) => items.iter().map(|item| item.id).collect(),
        _ => Vec::new(),
    });
    Memo::new(move |_| ids.get().unwrap_or_default())
}

/// Moves the item by `by` places and keeps the focus on the element with the id `focus`.
fn move_item(place: &FieldHandle, ids: Memo<Vec<ItemId>>, id: ItemId, by: isize, focus: String) {
    let position = ids.with_untracked(|ids| ids.iter().position(|each| *each == id));
    if let Some(target) = position.and_then(|at| at.checked_add_signed(by)) {
        place.edit(Edit::MoveItem(id, target));
        browser::after_drawing(move || browser::focus(&focus));
    }
}

/// Removes the item and focuses the next one, else the add button.
fn remove_item(place: &FieldHandle, ids: Memo<Vec<ItemId>>, id: ItemId, part: &'static str) {
    let position = ids.with_untracked(|ids| ids.iter().position(|each| *each == id)).unwrap_or(0);
    place.edit(Edit::RemoveItem(id));
    let beside = ids.with_untracked(|ids| {
        ids.get(position).or_else(|| ids.last()).map(|id| item_part(place, *id, part))
    });
    let focus = beside.unwrap_or_else(|| place.part_id("add"));
    browser::after_drawing(move || browser::focus(&focus));
}

fn item_part(place: &FieldHandle, id: ItemId, part: &str) -> String {
    format!("{}-{part}", input_id(place.id, &place.path.then(PathStep::Item(id))))
}

/// Moves the focus to the first input inside the element with this id.
fn focus_into(id: &str) -> bool {
    document()
        .get_element_by_id(id)
        .and_then(|element| {
            element.query_selector("input, textarea, select, button").ok().flatten()
        })
        .is_some_and(|element| browser::focus_element(&element))
}

/// How far an Alt with an arrow key moves an item.
fn moves_by(event: &ev::KeyboardEvent) -> Option<isize> {
    match (event.alt_key(), event.key().as_str()) {
        (true, "ArrowUp" | "ArrowLeft") => Some(-1),
        (true, "ArrowDown" | "ArrowRight") => Some(1),
        _ => None,
    }
}

/// Whether Enter was pressed in the item's own input, where it does not begin a line.
fn ends_item(event: &ev::KeyboardEvent, input: &str) -> bool {
    let plain = !event.shift_key() && !event.ctrl_key() && !event.meta_key() && !event.alt_key();
    if event.key() != "Enter" || !plain || event.is_composing() || browser::focused_id() != input {
        return false;
    }
    let area = event.target().and_then(|it| it.dyn_into::<HtmlTextAreaElement>().ok());
    match area {
        // A text of several lines uses Enter itself; one of a single line has handled it already.
        Some(area) => event.default_prevented() && !area.value().is_empty(),
        None => {
            let input = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
            let is_typed =
                |it: &HtmlInputElement| !matches!(it.type_().as_str(), "radio" | "range");
            input.filter(is_typed).is_some_and(|input| !input.value().is_empty())
        }
    }
}

/// Adds an item after the one with this id and focuses it, or focuses the next one if that is empty. Does
/// nothing at the end of a full list.
fn add_after(place: &FieldHandle, ids: Memo<Vec<ItemId>>, id: ItemId) {
    let position = ids.with_untracked(|ids| ids.iter().position(|each| *each == id));
    let Some(position) = position else { return };
    let next = ids.with_untracked(|ids| ids.get(position + 1).copied());
    if let Some(next) = next.map(|next| input_id(place.id, &place.path.then(PathStep::Item(next))))
        && browser::is_empty_field(&next)
    {
        browser::focus(&next);
        return;
    }
    let Some(added) = place.edit(Edit::AddItem) else { return };
    place.edit(Edit::MoveItem(added, position + 1));
    focus_on_item(place, added);
}

/// Puts the focus into an item that is about to be drawn.
fn focus_on_item(place: &FieldHandle, id: ItemId) {
    let (nest, item) = (item_part(place, id, "nest"), item_part(place, id, "row"));
    browser::after_drawing(move || focus_into(&nest) || focus_into(&item));
}

/// The controls beside the label of a list: whether it is sent, and the button that adds.
#[component]
pub(super) fn ListHead(
    /// The field.
    place: FieldHandle,
) -> impl IntoView {
    let ids = ids(&place);
    let field = place.field().clone();
    let FieldKind::List(list) = &field.kind else { return ().into_any() };
    let fixed = list.rest.is_none().then_some(list.prefix.len());
    let (pasting, typed) = (RwSignal::new(false), RwSignal::new(String::new()));
    let takes_many = list.rest.is_some();
    let is_full = Memo::new(move |_| fixed.is_some_and(|fixed| ids.with(Vec::len) >= fixed));
    let adding = place.clone();
    let add = move |_| {
        if let Some(id) = adding.edit(Edit::AddItem) {
            focus_on_item(&adding, id);
        }
    };
    view! {
        <span class="list-head">
            <Sent place=place.clone()/>
            <button
                type="button"
                class="add"
                id=place.part_id("add")
                aria-describedby=described_by(&place)
                disabled=move || is_full.get()
                on:click=add
            >
                "+ add"
            </button>
            {takes_many.then(|| view! { <PasteButton place=place.clone() pasting/> })}
        </span>
        <Show when=move || pasting.get()>
            <PasteMany place=place.clone() open=pasting typed/>
        </Show>
    }
    .into_any()
}

/// Opens and closes the area for many items.
#[component]
fn PasteButton(
    /// The list.
    place: FieldHandle,
    /// Whether it is open.
    pasting: RwSignal<bool>,
) -> impl IntoView {
    let many = place.part_id("many");
    view! {
        <button
            type="button"
            class="add many"
            title="Paste several items as lines or a JSON list"
            aria-expanded=move || pasting.get().to_string()
            on:click=move |_| {
                pasting.update(|pasting| *pasting = !*pasting);
                let many = many.clone();
                browser::after_drawing(move || browser::focus(&many));
            }
        >
            "Paste…"
        </button>
    }
}

/// Shows what is sent while there are no items, and offers the alternatives.
#[component]
fn Sent(
    /// The list.
    place: FieldHandle,
) -> impl IntoView {
    let status = place.status();
    let state = Memo::new(move |_| status.get().state);
    let ids = ids(&place);
    let optional = !place.slot.required();
    let unsent = unsent_default(&place);
    let nullable = place.field().nullable;
    let words = move || match state.get() {
        State::NotSent if optional => unsent.clone(),
        State::NotSent => "no items".to_owned(),
        State::Null => "null".to_owned(),
        State::Value => match ids.with(Vec::len) {
            0 => "empty list".to_owned(),
            1 => "1 item".to_owned(),
            count => format!("{count} items"),
        },
    };
    let press = |edit: Edit| {
        let place = place.clone();
        move |_: ev::MouseEvent| {
            place.edit(edit.clone());
            place.touch();
        }
    };
    let (empty, null, unset) = (press(Edit::SetValue), press(Edit::SetNull), press(Edit::Unset));
    view! {
        <span class="sent" class:unset=move || state.get() != State::Value>
            <span id=place.part_id("note")>{words}</span>
            <span class="framed-buttons">
                <button
                    type="button"
                    class:gone=move || state.get() == State::Value
                    title="Send the list, or an empty list"
                    on:click=empty
                >
                    "[ ]"
                </button>
                {nullable.then(|| view! {
                    <button type="button" class:gone=move || state.get() == State::Null title="Send null" on:click=null>"null"</button>
                })}
                {optional.then(|| view! {
                    <button
                        type="button"
                        class:gone=move || state.get() == State::NotSent
                        title="Do not send"
                        aria-label="Do not send"
                        on:click=unset
                    >
                        "×"
                    </button>
                })}
            </span>
        </span>
    }
}

/// The items of a list as rows.
#[component]
pub(super) fn ItemRows(
    /// The list.
    place: FieldHandle,
) -> impl IntoView {
    let ids = ids(&place);
    view! {
        <div class="items">
            <For
                each=move || ids.get()
                key=|id| *id
                children=move |id| item_row(&place, ids, id)
            />
        </div>
    }
}

fn item_row(place: &FieldHandle, ids: Memo<Vec<ItemId>>, id: ItemId) -> AnyView {
    let state = place.state;
    let at = place.path.then(PathStep::Item(id));
    let Some(slot) = state.draft.read_untracked().slot(&state.form(), &at) else {
        return ().into_any();
    };
    let inner = place.then(&slot, PathStep::Item(id));
    let position =
        Memo::new(move |_| ids.with(|ids| ids.iter().position(|each| *each == id).unwrap_or(0)));
    let heads = match &place.field().kind {
        FieldKind::List(list) => list.prefix.len(),
        _ => 0,
    };
    let list_name = StoredValue::new(visible_name(place.slot.key()));
    let title = move || {
        let number = position.get() + 1;
        list_name.with_value(|name| format!("{name} item {number}").trim_start().to_owned())
    };
    let own_input = inner.input_id();
    let to_json = json_key(&inner);
    let (lifting, lowering, keyed, removing) =
        (place.clone(), place.clone(), place.clone(), place.clone());
    let up = item_part(place, id, "up");
    let down = item_part(place, id, "down");
    let keys = move |event: ev::KeyboardEvent| {
        if let Some(by) = moves_by(&event) {
            event.prevent_default();
            event.stop_propagation();
            move_item(&keyed, ids, id, by, browser::focused_id());
        } else if ends_item(&event, &own_input) {
            event.prevent_default();
            event.stop_propagation();
            add_after(&keyed, ids, id);
        } else {
            to_json(event);
        }
    };
    let (focus_up, focus_down) = (up.clone(), down.clone());
    let is_first = move || position.get() <= heads;
    let is_last = move || position.get() < heads || position.get() + 1 >= ids.with(Vec::len);
    let label_id = inner.part_id("label");
    view! {
        <div
            class="field item"
            id=item_part(place, id, "row")
            role="group"
            aria-labelledby=label_id
            on:keydown=keys
        >
            <label class="field-label" id=label_id.clone() for=inner.input_id()>
                <span class="item-number" aria-hidden="true">{move || position.get() + 1}</span>
                <span class="unseen">{title}</span>
            </label>
            <div class="field-control with-buttons">
                {control(&inner)}
                <span class="row-buttons">
                    <ToJson place=inner.clone() named=Signal::derive(title)/>
                    <button
                        type="button"
                        id=up
                        title="Move up (Alt ↑)"
                        aria-label=move || format!("Move {} up", title())
                        aria-disabled=move || is_first().to_string()
                        on:click=move |_| if !is_first() { move_item(&lifting, ids, id, -1, focus_up.clone()) }
                    >
                        "↑"
                    </button>
                    <button
                        type="button"
                        id=down
                        title="Move down (Alt ↓)"
                        aria-label=move || format!("Move {} down", title())
                        aria-disabled=move || is_last().to_string()
                        on:click=move |_| if !is_last() { move_item(&lowering, ids, id, 1, focus_down.clone()) }
                    >
                        "↓"
                    </button>
                    <button
                        type="button"
                        id=item_part(place, id, "remove")
                        title="Remove"
                        aria-label=move || format!("Remove {}", title())
                        on:click=move |_| remove_item(&removing, ids, id, "remove")
                    >
                        "×"
                    </button>
                </span>
            </div>
            {help(&inner)}
            {faults(&inner)}
            {nested(&inner)}
        </div>
    }
    .into_any()
}

/// A list of enum values as tags, with a list of the values to add.
#[component]
pub(super) fn Tags(
    /// The list.
    place: FieldHandle,
) -> impl IntoView {
    let field = place.field().clone();
    let FieldKind::List(list) = &field.kind else { return ().into_any() };
    let Some(options) = list.rest.as_ref().and_then(|rest| match &rest.field().kind {
        FieldKind::Choice(options) => Some(options.clone()),
        _ => None,
    }) else {
        return ().into_any();
    };
    let ids = ids(&place);
    let values: Vec<_> = options.iter().map(|option| option.value.clone()).collect();
    let labels: StoredValue<Vec<String>> =
        StoredValue::new(options.iter().map(|option| visible_name(&option.label)).collect());
    let adding = place.clone();
    let add = move |event: ev::Event| {
        let value = event_target_value(&event).parse::<usize>().ok().and_then(|at| values.get(at));
        if let Some(value) = value {
            adding.edit(Edit::AddFilled(value.clone()));
        }
        let select: web_sys::HtmlSelectElement = event_target(&event);
        select.set_value("");
    };
    let leaving = place.clone();
    let drawing = place.clone();
    let invalid = place.is_faulty();
    let (pasting, sent) = (RwSignal::new(false), place.clone());
    let typed = RwSignal::new(String::new());
    // A tag has no room for its fault.
    let faulty = place.clone();
    let fault_text = Memo::new(move |_| {
        let ids = ids.get();
        let fault = |(at, id): (usize, &ItemId)| {
            let faults = faulty.state.faults_at(&faulty.path.then(PathStep::Item(*id)));
            faults.first().map(|fault| format!("Item {}: {fault}", at + 1))
        };
        visible_text(
            &ids.iter().enumerate().filter_map(fault).take(FAULTS).collect::<Vec<_>>().join(" "),
        )
    });
    view! {
        <span class="tags" class:bad=move || invalid.get() on:focusout=move |_| leaving.touch()>
            <For
                each=move || ids.get()
                key=|id| *id
                children=move |id| tag(&drawing, ids, labels, id)
            />
            <select
                class="add"
                id=place.part_id("add")
                aria-label="Add an item"
                aria-describedby=described_by(&place)
                on:change=add
            >
                <option value="">"+ add"</option>
                {options
                    .iter()
                    .enumerate()
                    .map(|(position, option)| {
                        view! { <option value=position.to_string()>{visible_name(&option.label)}</option> }
                    })
                    .collect_view()}
            </select>
            <PasteButton place=place.clone() pasting/>
            <Show when=move || ids.with(Vec::is_empty)>
                <Sent place=sent.clone()/>
            </Show>
        </span>
        <small class="field-faults" aria-live="polite">{move || fault_text.get()}</small>
        <Show when=move || pasting.get()>
            <PasteMany place=place.clone() open=pasting typed/>
        </Show>
    }
    .into_any()
}

fn tag(
    place: &FieldHandle,
    ids: Memo<Vec<ItemId>>,
    labels: StoredValue<Vec<String>>,
    id: ItemId,
) -> AnyView {
    let at = place.path.then(PathStep::Item(id));
    let label = place.state.follow(&at, move |entered| match entered.content() {
        Some(Content::Choice(position)) => {
            labels.with_value(|labels| labels.get(*position).cloned().unwrap_or_default())
        }
        // A filled-in value that is not one of the options.
        _ => entered.text().unwrap_or("?").to_owned(),
    });
    let label = move || label.get().unwrap_or_default();
    let (moving, removing) = (place.clone(), place.clone());
    let own = item_part(place, id, "tag");
    let focus = own.clone();
    let keys = move |event: ev::KeyboardEvent| {
        if let Some(by) = moves_by(&event) {
            event.prevent_default();
            event.stop_propagation();
            move_item(&moving, ids, id, by, focus.clone());
        }
    };
    let (state, path) = (place.state, at);
    let invalid = Memo::new(move |_| !state.faults_at(&path).is_empty());
    view! {
        <button
            type="button"
            class="tag"
            class:bad=move || invalid.get()
            id=own
            title="Remove. Alt+← and Alt+→ move it."
            aria-label=move || format!("{}, remove. Alt+← and Alt+→ move it.", label())
            on:keydown=keys
            on:click=move |_| remove_item(&removing, ids, id, "tag")
        >
            {label}
            <span aria-hidden="true">"×"</span>
        </button>
    }
    .into_any()
}
