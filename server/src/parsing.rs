//! [`parse`] and [`handle`]: large messages are read and checked on blocking threads, a few at a time, so
//! that they keep no other request waiting.

use agents::schemas;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::access::within_request;

/// The shortest message that leaves the runtime's threads, in bytes. A shorter one takes about a
/// millisecond.
const LARGE: usize = 256 * 1024;
/// How many large messages are read at once. Each takes a multiple of its length in memory.
const AT_ONCE: usize = 2;

static PARSED: Semaphore = Semaphore::const_new(AT_ONCE);
/// Apart from the other, for which what is handled may wait.
static HANDLED: Semaphore = Semaphore::const_new(AT_ONCE);

/// Runs `work`, which reads or checks a message of this many bytes.
///
/// `work` must not wait for another call of this function.
pub(crate) async fn parse<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes < LARGE {
        return work();
    }
    // The semaphore is never closed.
    let permit = PARSED.acquire().await.ok();
    schemas::run_blocking(move || {
        // Held until the work ends, even if nobody waits for it any more.
        let _permit = permit;
        work()
    })
    .await
}

/// Handles a request of this many bytes, by `work` that reads it itself.
pub(crate) async fn handle<T: Send + 'static>(
    bytes: usize,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    if bytes < LARGE {
        return work.await;
    }
    let permit = HANDLED.acquire().await.ok();
    let (runtime, work) = (Handle::current(), within_request(work));
    schemas::run_blocking(move || {
        let _permit = permit;
        runtime.block_on(work)
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn only_large_messages_leave_the_thread() {
        let here = thread::current().id();
        assert_eq!(parse(LARGE - 1, || thread::current().id()).await, here);
        assert_ne!(parse(LARGE, || thread::current().id()).await, here);
        assert_eq!(handle(LARGE - 1, async { thread::current().id() }).await, here);
        assert_ne!(handle(LARGE, async { thread::current().id() }).await, here);
    }

    #[tokio::test]
    async fn what_is_handled_can_wait_and_parse() {
        let work = || async {
            tokio::task::yield_now().await;
            parse(LARGE, || 1).await
        };
        let all = futures::future::join_all((0..10).map(|_| handle(LARGE, work()))).await;
        assert_eq!(all.iter().sum::<i32>(), 10);
    }

    #[tokio::test]
    async fn few_large_messages_are_read_at_once() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        let work = || {
            let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
            thread::yield_now();
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            running
        };
        let all = futures::future::join_all((0..50).map(|_| parse(LARGE, work))).await;
        assert!(all.iter().all(|running| *running <= AT_ONCE), "{all:?}");
    }
}
