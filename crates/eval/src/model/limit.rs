//! [`Limit`]: how many requests to one model are under way at the same time.
//!
//! Halved where the service says that there are too many, raised by one for each round that succeeds, as TCP does.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The limit of one model, shared by all cases.
pub(crate) struct Limit {
    most: f64,
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    under_way: u32,
    limit: f64,
    /// Nothing is sent before this time.
    not_before: Option<Instant>,
    /// When the limit was halved last.
    halved: Option<Instant>,
}

/// A request that may be sent. Dropping it lets the next one begin.
pub(crate) struct Place<'l> {
    of: &'l Limit,
    begun: Instant,
}

impl Limit {
    pub(super) fn new(most: usize) -> Self {
        let most = f64::from(u32::try_from(most.max(1)).unwrap_or(u32::MAX));
        let state = State { under_way: 0, limit: most, not_before: None, halved: None };
        Self { most, state: Mutex::new(state), changed: Notify::new() }
    }

    /// Waits until a request may be sent.
    pub(crate) async fn enter(&self) -> Place<'_> {
        loop {
            // Made before looking, so that no change is missed.
            let changed = self.changed.notified();
            let pause = {
                let state = &mut *self.lock();
                let now = Instant::now();
                let pause = state.not_before.filter(|until| *until > now);
                if pause.is_none() && f64::from(state.under_way) < state.limit.floor() {
                    state.under_way += 1;
                    return Place { of: self, begun: now };
                }
                pause
            };
            match pause {
                Some(until) => sleep_until(until).await,
                None => changed.await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// The service answered.
    pub(crate) fn succeeded(&self) {
        let state = &mut *self.of.lock();
        state.limit = (state.limit + 1.0 / state.limit).min(self.of.most);
    }

    /// The service wants fewer requests, and none for a while.
    pub(crate) fn limited(&self, wait: Duration) {
        let state = &mut *self.of.lock();
        let now = Instant::now();
        let until = now + wait;
        state.not_before = state.not_before.max(Some(until));
        // Requests that were under way together are refused together, which counts once.
        if state.halved.is_none_or(|halved| self.begun > halved) {
            state.limit = (state.limit / 2.0).max(1.0);
            state.halved = Some(now);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.of.lock().under_way -= 1;
        self.of.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    /// How many requests can begin now.
    fn free(limit: &Limit) -> usize {
        let mut places = Vec::new();
        while let Some(place) = limit.enter().now_or_never() {
            places.push(place);
        }
        places.len()
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_halves_the_limit_once_and_pauses_all() {
        let limit = Limit::new(8);
        assert_eq!(free(&limit), 8);
        let together = [limit.enter().await, limit.enter().await];
        for place in &together {
            place.limited(Duration::from_secs(7));
        }
        drop(together);
        assert_eq!(free(&limit), 0, "of the pause");
        let asked = Instant::now();
        drop(limit.enter().await);
        assert_eq!(asked.elapsed().as_secs(), 7);
        assert_eq!(free(&limit), 4);
        for _ in 0..5 {
            limit.enter().await.succeeded();
        }
        assert_eq!(free(&limit), 5);
        for _ in 0..100 {
            limit.enter().await.succeeded();
        }
        assert_eq!(free(&limit), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn one_request_is_always_allowed() {
        let limit = Limit::new(2);
        for _ in 0..9 {
            limit.enter().await.limited(Duration::from_secs(1));
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(free(&limit), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_begins_when_another_ends() {
        let limit = Limit::new(1);
        let first = limit.enter().await;
        let mut second = std::pin::pin!(limit.enter());
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert!(second.now_or_never().is_some());
    }
}
