//! [`use_debounced`]: typed text, once the person pauses, so that the host does not search whole files for
//! each letter.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use app::state::latest_request::use_latest_request;

/// The length of a pause, in milliseconds.
const PAUSE_MS: u32 = 200;

/// `typed` after each pause. An empty text counts at once.
#[must_use]
pub fn use_debounced(typed: RwSignal<String>) -> ReadSignal<String> {
    let debounced = RwSignal::new(typed.get_untracked());
    let latest = use_latest_request();
    // A timer per keystroke.
    Effect::new(move |before: Option<()>| {
        let text = typed.get();
        let asked = latest.ask();
        if before.is_none() || text.trim().is_empty() {
            if debounced.get_untracked() != text {
                debounced.set(text);
            }
            return;
        }
        spawn_local(async move {
            TimeoutFuture::new(PAUSE_MS).await;
            if asked.is_wanted() {
                debounced.set(text);
            }
        });
    });
    debounced.read_only()
}
