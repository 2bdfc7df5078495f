//! The host's two clocks: the time of day, and one that does not jump when that is corrected.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use live::{Moment, Ticks, Timestamp};

/// The zero of the ticks.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The time of day.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The current moment on both clocks.
pub(super) fn moment() -> Moment {
    let ticks = i64::try_from(START.elapsed().as_millis()).unwrap_or(i64::MAX);
    Moment { at: now(), ticks: Ticks(ticks) }
}
