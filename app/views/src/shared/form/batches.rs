//! Rows in batches: a form of a thousand fields draws those in sight, and the others when they come near.
//! A drawn row stays, with its cursor and its focus.

use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use schema_form::{FieldKind, PathStep, Slot};
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::field_handle::FieldHandle;
use super::row::member;

/// Objects with more members are drawn in batches.
pub(super) const MOST_AT_ONCE: usize = 60;

/// How many rows a batch has.
const ROWS: usize = 20;

/// How far out of sight a batch is drawn.
const AHEAD: &str = "800px";

/// The elements that forms scroll in.
const SCROLLING: &str = ".panel-body, dialog";

/// The rows of an object with many members.
pub(super) fn batches(place: &FieldHandle, members: &[Slot]) -> AnyView {
    let batches = members.chunks(ROWS).enumerate().map(|(number, slots)| {
        let (first, slots, within) = (number * ROWS, slots.to_vec(), place.clone());
        batch(place, first, Signal::stored(true), move || {
            let rows = slots.iter().enumerate();
            rows.map(|(at, slot)| member(&within, first + at, slot)).collect_view().into_any()
        })
    });
    batches.collect_view().into_any()
}

/// The rows of an object whose members depend on what is entered, which `shape` follows. A row whose
/// schema stays the same keeps its element, and with it the cursor and the focus.
pub(super) fn changing_batches(place: &FieldHandle, shape: Memo<Option<Slot>>) -> AnyView {
    let count = Memo::new(move |_| shape.with(|shape| members_of(shape).len().div_ceil(ROWS)));
    let are_many =
        Memo::new(move |_| shape.with(|shape| members_of(shape).len() > MOST_AT_ONCE)).into();
    let place = place.clone();
    let changing = move |number: usize| {
        let (first, within) = (number * ROWS, place.clone());
        batch(&place, first, are_many, move || {
            let within = within.clone();
            let each = move || -> Vec<(usize, Slot)> {
                shape.with(|shape| {
                    let members = members_of(shape).iter().cloned().enumerate();
                    members.skip(first).take(ROWS).collect()
                })
            };
            view! {
                <For
                    each
                    key=|(position, slot)| (*position, slot.fingerprint())
                    children=move |(position, slot): (usize, Slot)| member(&within, position, &slot)
                />
            }
            .into_any()
        })
    };
    view! { <For each=move || 0..count.get() key=|number| *number children=changing/> }.into_any()
}

fn members_of(shape: &Option<Slot>) -> &[Slot] {
    match shape.as_ref().map(|shape| &shape.field().kind) {
        Some(FieldKind::Object(object)) => &object.members,
        _ => &[],
    }
}

/// The rows from the member at `first`, drawn by `rows` when they come near, or at once in an object with
/// few members.
fn batch(
    place: &FieldHandle,
    first: usize,
    are_many: Signal<bool>,
    rows: impl Fn() -> AnyView + Send + 'static,
) -> AnyView {
    let element = NodeRef::<Div>::new();
    let near = RwSignal::new(first == 0);
    let (state, path) = (place.state, place.path.clone());
    // A field that must get the focus is drawn wherever it is.
    let wanted = Memo::new(move |_| {
        state.wanted.with(|wanted| {
            let inner = wanted.as_ref().filter(|wanted| path.contains(wanted));
            match inner.and_then(|wanted| wanted.steps().get(path.steps().len())) {
                Some(PathStep::Member(position)) => (first..first + ROWS).contains(position),
                _ => false,
            }
        })
    });
    let is_drawn = Memo::new(move |drawn: Option<&bool>| {
        drawn.copied().unwrap_or_default() || near.get() || wanted.get() || !are_many.get()
    });
    Effect::new(move || {
        if let Some(element) = element.get().filter(|_| !near.get_untracked()) {
            watch(&element, near);
        }
    });
    view! {
        <div class:batch=are_many class:ahead=move || !is_drawn.get() node_ref=element>
            {move || is_drawn.get().then(&rows)}
        </div>
    }
    .into_any()
}

/// Sets `near` when the element comes near the visible part.
fn watch(element: &web_sys::Element, near: RwSignal<bool>) {
    let seen = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        let is_near = entries
            .iter()
            .any(|entry| entry.unchecked_into::<IntersectionObserverEntry>().is_intersecting());
        if is_near {
            near.try_set(true);
        }
    });
    let options = IntersectionObserverInit::new();
    options.set_root_margin(AHEAD);
    // The margin is relative to the scrolling element, not to the window.
    if let Ok(Some(scrolling)) = element.closest(SCROLLING) {
        options.set_root(Some(&scrolling));
    }
    let observer = IntersectionObserver::new_with_options(seen.as_ref().unchecked_ref(), &options);
    let Ok(observer) = observer else {
        near.set(true);
        return;
    };
    observer.observe(element);
    let observing = StoredValue::new_local((observer, seen));
    on_cleanup(move || {
        observing.try_with_value(|(observer, _)| observer.disconnect());
    });
}
