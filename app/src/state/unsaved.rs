//! [`Unsaved`]: what was entered and is not saved keeps the reader where it stands, whichever way out
//! is taken: a link, a button of the case, a command, the browser's way back.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, MouseEvent};

use crate::state::browser;

/// Who is asked.
#[derive(Clone, Copy)]
struct Holder {
    /// Which of all that were.
    number: u64,
    /// Whether the reader has to stay, and then says so where it was entered.
    holds: Callback<(), bool>,
}

/// Marks what holds buttons that lead away from what is entered in it.
pub const LEAVES: &str = "data-leaves";

/// Who is asked before the reader is led away.
#[derive(Clone, Copy)]
pub struct Unsaved {
    holder: StoredValue<Option<Holder>>,
    /// Where it was entered.
    address: StoredValue<String>,
}

/// Nobody is asked yet. The way back is heard of from the page's beginning on: the router would
/// otherwise hear of it first.
#[must_use]
pub fn use_unsaved() -> Unsaved {
    let unsaved =
        Unsaved { holder: StoredValue::new(None), address: StoredValue::new(String::new()) };
    // The host paints none of it.
    if cfg!(not(feature = "ssr")) {
        let went_back = move |event: Event| {
            if unsaved.blocks_leaving() {
                // Nobody else hears of it, and the address is what it was.
                event.stop_immediate_propagation();
                browser::set_address(&unsaved.address.get_value());
            }
        };
        let ear = StoredValue::new_local(Some(browser::hear_first("popstate", went_back)));
        on_cleanup(move || drop(ear.try_update_value(Option::take)));
    }
    unsaved
}

impl Unsaved {
    /// Whether the reader has to stay where something was entered.
    #[must_use]
    pub fn blocks_leaving(self) -> bool {
        self.holder.get_value().is_some_and(|holder| holder.holds.try_run(()).unwrap_or_default())
    }

    /// Tells that something was entered at the address where the page is.
    pub fn remember_address(self) {
        self.address.set_value(browser::address());
    }

    /// Has `holds` asked as long as the current owner lives. Presses within the element `editor`
    /// lead nowhere.
    pub fn guard(self, holds: Callback<(), bool>, editor: &'static str) {
        let number = self.holder.get_value().map_or(0, |before| before.number + 1);
        self.holder.set_value(Some(Holder { number, holds }));
        let pressed = move |event: Event| {
            if leads_away(&event, editor) && self.blocks_leaving() {
                event.prevent_default();
                event.stop_propagation();
            }
        };
        let ear = StoredValue::new_local(Some(browser::hear_first("click", pressed)));
        on_cleanup(move || {
            drop(ear.try_update_value(Option::take));
            // The next page may already have its own.
            self.holder.try_update_value(|holder| {
                if holder.as_ref().is_some_and(|holder| holder.number == number) {
                    *holder = None;
                }
            });
        });
    }
}

/// Whether a press is one on a link, or on a button that leads away.
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
