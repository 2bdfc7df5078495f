//! The widths of the columns, which separators change by pointer and by keys. A width is a percentage of
//! the window's width, so that it fits every window, and this browser keeps it.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, PointerEvent};

use app::state::browser;

/// A column that a separator resizes.
#[derive(Clone, Copy)]
struct Column {
    /// The id of its separator.
    separator: &'static str,
    /// Finds the column.
    selector: &'static str,
    /// The custom property in the stylesheet, and the key in the browser's storage.
    property: &'static str,
    key: &'static str,
    is_left: bool,
    narrowest: f64,
    widest: f64,
}

/// The history keeps the remaining 20 percent.
const COLUMNS: [Column; 2] = [
    Column {
        separator: "left-separator",
        selector: ".columns > .left",
        property: "--left",
        key: "rehearsal.left",
        is_left: true,
        narrowest: 14.0,
        widest: 30.0,
    },
    Column {
        separator: "right-separator",
        selector: ".columns > .right",
        property: "--right",
        key: "rehearsal.right",
        is_left: false,
        narrowest: 24.0,
        widest: 50.0,
    },
];

/// The separator after the left column.
pub fn left_separator() -> AnyView {
    separator(&COLUMNS[0], "Width of the left column")
}

/// The separator before the right column.
pub fn right_separator() -> AnyView {
    separator(&COLUMNS[1], "Width of the right column")
}

fn separator(column: &Column, label: &'static str) -> AnyView {
    view! {
        <div
            id=column.separator
            class="separator"
            role="separator"
            tabindex="0"
            aria-label=label
            aria-orientation="vertical"
            aria-valuemin=column.narrowest.to_string()
            aria-valuemax=column.widest.to_string()
            title="Drag, or press the arrow keys. Double-click to reset."
        ></div>
    }
    .into_any()
}

/// Restores the widths, and listens to the separators until the current owner is cleaned up.
pub fn resize_columns() {
    browser::after_drawing(|| {
        for column in COLUMNS {
            let kept = browser::stored(column.key).and_then(|kept| kept.parse().ok());
            show(column, kept);
        }
    });
    for event in ["pointerdown", "pointermove", "dblclick", "keydown"] {
        browser::listen_in_capture(event, resize);
    }
}

/// Resizes the column whose separator the event is at.
fn resize(event: Event) {
    let Some(at) = event.target().and_then(|at| at.dyn_into::<Element>().ok()) else { return };
    let Some(column) = COLUMNS.into_iter().find(|column| column.separator == at.id()) else {
        return;
    };
    if event.type_() == "dblclick" {
        set(column, None);
    } else if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
        let by = if column.is_left { 1.0 } else { -1.0 };
        let percent = match event.key().as_str() {
            "ArrowRight" => width(column).round() + by,
            "ArrowLeft" => width(column).round() - by,
            "Home" => column.narrowest,
            "End" => column.widest,
            _ => return,
        };
        event.prevent_default();
        set(column, Some(percent));
    } else if let Some(event) = event.dyn_ref::<PointerEvent>() {
        if event.type_() == "pointerdown" {
            // No text is selected meanwhile. Fails only for a pointer that is gone.
            event.prevent_default();
            let _ = at.set_pointer_capture(event.pointer_id());
        } else if at.has_pointer_capture(event.pointer_id()) {
            let percent = f64::from(event.client_x()) / window_width() * 100.0;
            set(column, Some(if column.is_left { percent } else { 100.0 - percent }));
        }
    }
}

/// Shows and keeps a width; `None` is the width that the stylesheet gives.
fn set(column: Column, percent: Option<f64>) {
    let percent = percent.map(|percent| percent.clamp(column.narrowest, column.widest));
    browser::store(column.key, percent.map(|percent| format!("{percent:.2}")).as_deref());
    show(column, percent);
}

fn show(column: Column, percent: Option<f64>) {
    let Some(columns) = find(".columns").and_then(|it| it.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    // Neither fails for a custom property.
    let _ = match percent {
        Some(percent) => columns.style().set_property(column.property, &format!("{percent:.2}vw")),
        None => columns.style().remove_property(column.property).map(drop),
    };
    if let Some(separator) = document().get_element_by_id(column.separator) {
        let now = width(column).clamp(column.narrowest, column.widest);
        let _ = separator.set_attribute("aria-valuenow", &format!("{now:.0}"));
    }
}

/// The width as it is shown, in percent of the window's width.
fn width(column: Column) -> f64 {
    let shown = find(column.selector).map(|it| it.get_bounding_client_rect().width());
    shown.unwrap_or_default() / window_width() * 100.0
}

fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

fn window_width() -> f64 {
    window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(1.0)
}
