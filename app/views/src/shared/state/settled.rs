//! What somebody types, once they pause: asking the host at each letter would have it read whole files
//! for words that nobody meant.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use app::state::latest_request::use_latest_request;

/// How long the pause is, in milliseconds.
const PAUSE_MS: u32 = 200;

/// `typed` after each pause. An empty text counts at once.
#[must_use]
pub fn use_settled(typed: RwSignal<String>) -> ReadSignal<String> {
    let settled = RwSignal::new(typed.get_untracked());
    let latest = use_latest_request();
    Effect::new(move |before: Option<()>| {
        let text = typed.get();
        let asked = latest.ask();
        if before.is_none() || text.trim().is_empty() {
            if settled.get_untracked() != text {
                settled.set(text);
            }
            return;
        }
        spawn_local(async move {
            TimeoutFuture::new(PAUSE_MS).await;
            if asked.is_wanted() {
                settled.set(text);
            }
        });
    });
    settled.read_only()
}
