//! [`Unsaved`]: keeps the reader on a page with unsaved input, whichever way they try to leave it:
//! by a link, a button, a command or the browser's Back.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, MouseEvent};

use crate::state::browser;
use crate::state::lazy_pages::Loaders;

/// Decides whether the reader may leave.
#[derive(Clone, Copy)]
struct Guard {
    /// Distinguishes it from the guards before and after it.
    number: u64,
    /// Returns whether the reader has to stay, and then shows why.
    blocks: Callback<(), bool>,
}

/// The attribute of an element with buttons that leave the input in it.
pub const LEAVES: &str = "data-leaves";

/// The page's unsaved input.
#[derive(Clone, Copy)]
pub struct Unsaved {
    guard: StoredValue<Option<Guard>>,
    /// The address of the page with the input.
    address: StoredValue<String>,
}

/// No unsaved input. In the browser, Back is blocked while a guard demands it.
#[must_use]
pub fn use_unsaved() -> Unsaved {
    let unsaved =
        Unsaved { guard: StoredValue::new(None), address: StoredValue::new(String::new()) };
    let went_back = move |event: Event| {
        if unsaved.blocks_leaving() {
            // The router does not see the event, and the address is restored.
            event.stop_immediate_propagation();
            browser::set_address(&unsaved.address.get_value());
        }
    };
    // Only the program in the browser has loaders; the host has no window. Registered at once, because
    // the window's listeners run in the order of registration and the router's has to come later.
    if use_context::<Loaders>().is_some() {
        browser::listen_in_capture("popstate", went_back);
    }
    unsaved
}

impl Unsaved {
    /// Whether the reader has to stay on the page with unsaved input.
    #[must_use]
    pub fn blocks_leaving(self) -> bool {
        self.guard.get_value().is_some_and(|guard| guard.blocks.try_run(()).unwrap_or_default())
    }

    /// Records the page's address as that of the unsaved input.
    pub fn remember_address(self) {
        self.address.set_value(browser::page_address());
    }

    /// Asks `blocks` before the reader leaves, until the current owner is cleaned up. Presses
    /// within the element with the id `editor` do not leave.
    pub fn guard(self, blocks: Callback<(), bool>, editor: &'static str) {
        let number = self.guard.get_value().map_or(0, |before| before.number + 1);
        self.guard.set_value(Some(Guard { number, blocks }));
        browser::listen_in_capture("click", move |event: Event| {
            if leads_away(&event, editor) && self.blocks_leaving() {
                event.prevent_default();
                event.stop_propagation();
            }
        });
        on_cleanup(move || {
            // The next page may have set its own.
            self.guard.try_update_value(|guard| {
                if guard.as_ref().is_some_and(|guard| guard.number == number) {
                    *guard = None;
                }
            });
        });
    }
}

/// Whether a press is on a link, or on a button that leaves the page.
fn leads_away(event: &Event, editor: &str) -> bool {
    let Some(mouse) = event.dyn_ref::<MouseEvent>() else { return false };
    if mouse.ctrl_key() || mouse.meta_key() || mouse.shift_key() {
        return false;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let within = |element: &Element, selector: &str| element.closest(selector).ok().flatten();
    let Some(pressed) =
        target.and_then(|it| within(&it, "a[href]:not([target]), button:not(.copy)"))
    else {
        return false;
    };
    let leaves = pressed.tag_name() == "A" || within(&pressed, &format!("[{LEAVES}]")).is_some();
    leaves && within(&pressed, &format!("#{editor}")).is_none()
}
