//! [`Retention`]: which live sessions the host deletes by itself.

use std::time::{Duration, Instant};

use live::Timestamp;

use super::clock::now;
use super::error::LiveError;
use super::sessions::LiveSessions;

/// How often the host looks for sessions to delete.
const EVERY: Duration = Duration::from_secs(60 * 60);
/// How far the clock may be ahead of the last use before the host started.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How many sessions are looked up at once.
const AT_ONCE: u32 = 100;

/// Which live sessions the host keeps. It deletes others within an hour, the longest unused first, but none in which
/// an agent waits. By default it keeps all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// How long a session is kept after its last event.
    pub keep_for: Option<Duration>,
    /// The most bytes that the stored sessions take, without free space in the file.
    pub keep_bytes: Option<u64>,
}

impl Retention {
    fn deletes(self) -> bool {
        self.keep_for.is_some() || self.keep_bytes.is_some()
    }
}

/// The time of day, as far as the database has seen it: at most a day later than the last use before the start, and
/// from then on as much later as the host runs.
#[derive(Debug, Clone, Copy)]
struct SeenClock {
    at_start: Option<Timestamp>,
    started: Instant,
}

impl SeenClock {
    fn of(last_used: Option<Timestamp>) -> Self {
        Self { at_start: last_used, started: Instant::now() }
    }

    fn now(self) -> Timestamp {
        self.after(self.started.elapsed(), now())
    }

    /// The time after the host has run so long, where the clock says `now`.
    fn after(self, running: Duration, now: Timestamp) -> Timestamp {
        let milliseconds = |it: Duration| i64::try_from(it.as_millis()).unwrap_or(i64::MAX);
        let Some(at_start) = self.at_start else { return now };
        Timestamp(now.0.min(at_start.0.saturating_add(milliseconds(DAY.saturating_add(running)))))
    }
}

impl LiveSessions {
    /// Deletes what is not kept, now and every hour. The time counts from what the database has seen, so that a clock
    /// that is far ahead when the host starts deletes nothing.
    pub(crate) async fn delete_expired(self, retention: impl Fn() -> Retention) {
        let mut clock = None;
        loop {
            let retention = retention();
            if retention.deletes() {
                let deleted = async {
                    let seen = match clock {
                        Some(seen) => seen,
                        None => {
                            *clock.insert(SeenClock::of(self.store().await?.last_used().await?))
                        }
                    };
                    self.delete_expired_at(retention, seen.now()).await
                };
                match deleted.await {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(
                        "deleted {count} live sessions: see [live] in rehearsal.toml"
                    ),
                    Err(error) => tracing::warn!("old live sessions are not deleted: {error}"),
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    pub(super) async fn delete_expired_at(
        &self,
        retention: Retention,
        now: Timestamp,
    ) -> Result<usize, LiveError> {
        let mut deleted = 0;
        if let Some(keep_for) = retention.keep_for {
            let keep_ms = i64::try_from(keep_for.as_millis()).unwrap_or(i64::MAX);
            let before = Timestamp(now.0.saturating_sub(keep_ms));
            deleted += self.delete_unused(before, None).await?;
        }
        if let Some(most) = retention.keep_bytes {
            deleted += self.delete_unused(Timestamp(i64::MAX), Some(most)).await?;
        }
        Ok(deleted)
    }

    /// Deletes sessions whose last event is older than `before`, the longest unused first, until at most `keep_bytes`
    /// are stored.
    async fn delete_unused(
        &self,
        before: Timestamp,
        keep_bytes: Option<u64>,
    ) -> Result<usize, LiveError> {
        let mut deleted = 0;
        loop {
            let unused = self.store().await?.unused(before, AT_ONCE).await?;
            let found = deleted;
            for session_id in unused {
                if let Some(most) = keep_bytes
                    && self.store().await?.bytes().await? <= most
                {
                    return Ok(deleted);
                }
                match self.delete(session_id, None).await {
                    Ok(()) => deleted += 1,
                    // An agent has sent a request since.
                    Err(LiveError::StillWaiting { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            if deleted == found {
                return Ok(deleted);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_far_ahead_is_not_believed() {
        let day = 24 * 60 * 60 * 1000;
        let hour = Duration::from_secs(60 * 60);
        let last = Timestamp(1_800_000_000_000);
        let clock = SeenClock::of(Some(last));
        let after = |days: i64| Timestamp(last.0 + days * day);
        assert_eq!(clock.after(Duration::ZERO, after(400)), after(1));
        assert_eq!(clock.after(hour * 24, after(400)), after(2));
        // The usual case: the host was off for less than a day.
        assert_eq!(clock.after(hour, Timestamp(last.0 + day / 2)), Timestamp(last.0 + day / 2));
        assert_eq!(SeenClock::of(None).after(hour, after(400)), after(400));
    }
}
