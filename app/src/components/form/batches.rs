//! Rows in batches: a form of a thousand fields draws those in sight, and the others as they come
//! near. What is drawn stays, so that nothing is lost from under the cursor.

use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use schema_form::{Slot, Step};
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

use super::place::Place;
use super::row::member;

/// Objects with more members are drawn in batches.
pub(super) const MOST_AT_ONCE: usize = 60;

/// How many rows a batch has.
const ROWS: usize = 20;

/// How far out of sight a batch is drawn.
const AHEAD: &str = "800px";

/// What forms scroll in.
const SCROLLING: &str = ".panel-body, dialog";

/// The rows of an object with many members.
pub(super) fn batches(place: &Place, members: &[Slot]) -> AnyView {
    members
        .chunks(ROWS)
        .enumerate()
        .map(|(number, slots)| batch(place, number * ROWS, slots.to_vec()))
        .collect_view()
        .into_any()
}

fn batch(place: &Place, first: usize, slots: Vec<Slot>) -> AnyView {
    let element = NodeRef::<Div>::new();
    let near = RwSignal::new(first == 0);
    let (state, path) = (place.state, place.path.clone());
    let last = first + slots.len();
    // A place that must have the focus is drawn wherever it is.
    let wanted = Memo::new(move |_| {
        state.wanted.with(|wanted| {
            let inner = wanted.as_ref().filter(|wanted| path.contains(wanted));
            match inner.and_then(|wanted| wanted.steps().get(path.steps().len())) {
                Some(Step::Member(position)) => (first..last).contains(position),
                _ => false,
            }
        })
    });
    let is_drawn = Memo::new(move |drawn: Option<&bool>| {
        drawn.copied().unwrap_or_default() || near.get() || wanted.get()
    });
    Effect::new(move || {
        if let Some(element) = element.get().filter(|_| !near.get_untracked()) {
            watch(&element, near);
        }
    });
    let place = place.clone();
    let rows = move || {
        let rows = slots.iter().enumerate();
        rows.map(|(at, slot)| member(&place, first + at, slot)).collect_view()
    };
    view! {
        <div class="batch" class:ahead=move || !is_drawn.get() node_ref=element>
            {move || is_drawn.get().then(&rows)}
        </div>
    }
    .into_any()
}

/// Sets `near` when the element comes near what is in sight.
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
    // The margin counts from what scrolls, not from the window around it.
    if let Ok(Some(scrolling)) = element.closest(SCROLLING) {
        options.set_root(Some(&scrolling));
    }
    let observer = IntersectionObserver::new_with_options(seen.as_ref().unchecked_ref(), &options);
    let Ok(observer) = observer else {
        near.set(true);
        return;
    };
    observer.observe(element);
    let held = StoredValue::new_local((observer, seen));
    on_cleanup(move || {
        held.try_with_value(|(observer, _)| observer.disconnect());
    });
}
