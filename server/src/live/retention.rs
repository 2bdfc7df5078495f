//! [`Retention`]: which live sessions the host deletes by itself.

use std::time::Duration;

use live::Timestamp;

use super::clock::now;
use super::error::LiveError;
use super::sessions::LiveSessions;

/// How often the host looks for sessions to delete.
const EVERY: Duration = Duration::from_secs(60 * 60);
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

impl LiveSessions {
    /// Deletes what is not kept, now and every hour.
    pub(crate) async fn delete_expired(self, retention: impl Fn() -> Retention) {
        loop {
            let retention = retention();
            if retention.deletes() {
                match self.delete_expired_at(retention, now()).await {
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
