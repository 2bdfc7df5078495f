//! What is typed on an agent's page before the field for the user message has the focus. `public/typed-ahead.js`
//! collects it, from before the page's code runs.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::state::browser;

/// The script's object. It is missing only without the script.
fn ahead() -> Option<JsValue> {
    let ahead = js_sys::Reflect::get(&window(), &"typedAhead".into()).ok()?;
    ahead.is_object().then_some(ahead)
}

fn collect(on: bool) {
    if let Some(ahead) = ahead() {
        // Fails only for what is not an object.
        let _ = js_sys::Reflect::set(&ahead, &"on".into(), &on.into());
    }
}

/// Collects what is typed while no field has the focus: a field for it is to come.
pub fn begin() {
    collect(true);
}

/// Collects no longer, and discards what was collected.
pub fn end() {
    take();
}

/// Collects no longer. Keys are shortcuts again.
pub fn pause() {
    collect(false);
}

/// The collected text, once.
fn take() -> String {
    collect(false);
    let Some(ahead) = ahead() else { return String::new() };
    let text = js_sys::Reflect::get(&ahead, &"text".into()).ok().and_then(|it| it.as_string());
    let _ = js_sys::Reflect::set(&ahead, &"text".into(), &"".into());
    text.unwrap_or_default()
}

/// Moves the focus into the form with this id, and puts the collected text into its field. False if the form is not
/// there yet.
pub fn focus_form(id: &str) -> bool {
    let has_focus = browser::focus_form(id);
    if has_focus {
        let text = take();
        if !text.is_empty() {
            browser::type_into_focused(&text);
        }
    }
    has_focus
}
