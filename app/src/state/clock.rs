//! The time as a signal, for ages and elapsed times.

use jiff::Timestamp;
use leptos::prelude::*;

use crate::state::browser;

/// The time, updated each second; `None` on the host.
#[derive(Clone, Copy)]
pub struct Clock {
    /// The time.
    pub now: RwSignal<Option<Timestamp>>,
    /// Whether the history shows times as ages.
    pub shows_ages: RwSignal<bool>,
}

/// Starts the clock in the browser.
#[must_use]
pub fn use_clock() -> Clock {
    let now = RwSignal::new(None);
    Effect::new(move |_| {
        now.set(Some(browser::now()));
        every(std::time::Duration::from_secs(1), move || now.set(Some(browser::now())));
    });
    Clock { now, shows_ages: RwSignal::new(false) }
}

impl Clock {
    /// Milliseconds since `then`. Tracked.
    #[must_use]
    pub fn since(self, then: Timestamp) -> i64 {
        self.now.get().map_or(0, |now| now.as_millisecond() - then.as_millisecond())
    }
}

/// Runs `then` after each `period`, until the current owner is cleaned up. For effects.
pub fn every(period: std::time::Duration, then: impl Fn() + 'static) {
    if let Ok(handle) = set_interval_with_handle(then, period) {
        on_cleanup(move || handle.clear());
    }
}
