//! The visible rows of a value, between two spacers with the height of the others.

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use value_tree::RowKind;

use super::row::{ValueRow, header};
use app::state::browser;
use app::state::reading::{LINE, Reading};

/// The assumed height of the view until it is measured, in pixels.
const VIEW: f64 = 600.0;

/// The rows of a value.
#[component]
pub(super) fn ValueTree(
    /// The value.
    reading: Reading,
    /// What it is, for screen readers.
    label: &'static str,
) -> impl IntoView {
    let element = NodeRef::<Div>::new();
    let scrolled = RwSignal::new(0.0_f64);
    let height = RwSignal::new(VIEW);
    let window = Memo::new(move |_| reading.window(scrolled.get(), height.get()));
    // A table's header stays in sight while its rows scroll.
    let kept = Memo::new(move |_| reading.header_above(scrolled.get(), height.get()));
    let rows = move || window.with(|window| reading.drawn(window));
    let look = move || {
        // The list may be removed before it is drawn, while the reading lives on.
        if let Some(element) = element.try_get_untracked().flatten() {
            scrolled.try_set(f64::from(element.scroll_top()));
            // A list that has not been laid out yet has no height.
            let seen = f64::from(element.client_height());
            height.try_set(if seen > 0.0 { seen.max(LINE * 4.0) } else { VIEW });
        }
    };
    // Scrolls to where the reader was: a row that is closed and opened again is another element.
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            browser::after_drawing(move || {
                if let Some(place) = reading.place() {
                    element.set_scroll_top(whole(place));
                    look();
                }
            });
        }
    });
    // Scrolls to the row that the search or a command reveals.
    Effect::new(move |seen: Option<u32>| {
        let revealed = reading.revealed.get();
        if seen.is_some_and(|seen| seen != revealed) {
            browser::after_drawing(move || {
                if reading.place().is_some() {
                    bring_into_sight(reading, element, look);
                }
            });
        }
        revealed
    });
    let on_key = move |event: ev::KeyboardEvent| {
        let page = whole((height.get_untracked() / LINE).max(2.0)) as isize - 1;
        if press(reading, &event, page) {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    let active = move || reading.current.get().map(|row| reading.element_id(row));
    let on_scroll = move |_| {
        look();
        reading.keep_place(scrolled.get_untracked());
    };
    view! {
        <div
            class="value-rows"
            id=reading.tree_id()
            node_ref=element
            role="tree"
            tabindex="0"
            dir="ltr"
            aria-label=label
            aria-activedescendant=active
            on:scroll=on_scroll
            on:keydown=on_key
            on:focus=move |_| {
                if reading.current.read_untracked().is_none() {
                    reading.set_current_first();
                }
            }
        >
            <div class="columns-kept" aria-hidden="true">
                {move || kept.get().and_then(|row| reading.view_of(row)).map(header)}
            </div>
            <div role="none" style:height=move || pixels(window.read().above)></div>
            <For each=rows key=|(_, generation, state)| (*generation, *state) let((at, _, state))>
                <ValueRow reading at state/>
            </For>
            <div role="none" style:height=move || pixels(window.read().below)></div>
        </div>
    }
}

fn pixels(height: f64) -> String {
    format!("{height}px")
}

/// Places on a screen are far from the ends of an `i32`.
#[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
fn whole(pixels: f64) -> i32 {
    pixels as i32
}

/// Scrolls the list to the current row, then the elements around the list.
fn bring_into_sight(reading: Reading, element: NodeRef<Div>, look: impl Fn() + 'static) {
    let Some(element) = element.try_get_untracked().flatten() else { return };
    let Some(at) = reading.current_row() else { return };
    let layout = untrack(|| reading.layout());
    let view = f64::from(element.client_height());
    let seen = layout.place_at(f64::from(element.scroll_top()), view);
    let (top, bottom) = (layout.top(at), layout.top(at + 1).min(layout.top(at) + view));
    let place = if top < seen {
        Some(top)
    } else if bottom > seen + view {
        Some(bottom - view)
    } else {
        None
    };
    if let Some(place) = place {
        element.set_scroll_top(whole(layout.scroll_for(place, view).ceil()));
        look();
    }
    if let Some(row) = reading.current.get_untracked() {
        browser::after_drawing(move || {
            let id = reading.element_id(row);
            browser::reveal(&id);
            // The match may be further down in the block below its line.
            browser::reveal_mark(&id);
        });
    }
}

/// Runs the key's action in the tree; false when it has none.
fn press(reading: Reading, event: &ev::KeyboardEvent, page: isize) -> bool {
    // Buttons and texts in a row handle keys themselves.
    let is_own = event.target() == event.current_target();
    let with_control = event.ctrl_key() || event.meta_key();
    if with_control && event.key() == "c" && is_own && !browser::has_selection() {
        let row = reading.current.get_untracked();
        if let Some(row) = row {
            let text = reading.copied(row.node);
            leptos::task::spawn_local(async move {
                browser::copy(&text).await;
            });
        }
        return row.is_some();
    }
    if with_control || event.alt_key() || !is_own {
        return false;
    }
    match event.key().as_str() {
        "ArrowDown" => reading.go_by(1),
        "ArrowUp" => reading.go_by(-1),
        "PageDown" => reading.go_by(page),
        "PageUp" => reading.go_by(-page),
        "Home" => reading.go_to_row(0),
        "End" => reading.go_to_row(usize::MAX),
        "ArrowRight" => reading.go_in(),
        "ArrowLeft" => reading.go_out(),
        "Enter"
            if reading
                .current
                .get_untracked()
                .is_some_and(|row| browser::follow_link(&reading.element_id(row))) => {}
        "Enter" | " " => {
            if let Some(row) =
                reading.current.get_untracked().filter(|it| it.kind != RowKind::Block)
            {
                reading.toggle(row.node);
            }
        }
        "r" | "R" => {
            if let Some(row) = reading.current.get_untracked() {
                reading.switch_raw(row.node);
            }
        }
        "/" => reading.is_searching.set(true),
        _ => return false,
    }
    true
}
