//! [`RunningForks`]: the forks that this host runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinHandle;

/// The forks that this host runs, and why earlier ones stopped early, by the number of the run with the move.
#[derive(Default)]
pub(super) struct RunningForks {
    running: Mutex<HashMap<i64, JoinHandle<()>>>,
    faults: Arc<Mutex<HashMap<i64, String>>>,
}

impl RunningForks {
    /// Runs `work`, which gives why it stopped early.
    pub(super) fn begin(
        &self,
        run: i64,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) {
        locked(&self.faults).remove(&run);
        let faults = Arc::clone(&self.faults);
        let task = tokio::spawn(async move {
            if let Err(fault) = work.await {
                tracing::warn!(run, "a fork stopped: {fault}");
                locked(&faults).insert(run, fault);
            }
        });
        let mut running = locked(&self.running);
        running.retain(|_, task| !task.is_finished());
        running.insert(run, task);
    }

    /// Stops a fork. Returns once nothing of it runs. One that does not run here is left alone.
    pub(super) async fn stop(&self, run: i64) {
        let task = locked(&self.running).remove(&run);
        if let Some(task) = task {
            task.abort();
            // It was stopped, or had ended.
            let _ = task.await;
        }
    }

    /// Why it stopped early when this host last ran it.
    pub(super) fn fault(&self, run: i64) -> Option<String> {
        locked(&self.faults).get(&run).cloned()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_stopped_fork_is_dropped_and_a_fault_is_kept_until_it_begins_again() {
        let forks = RunningForks::default();
        let (held, dropped) = oneshot::channel::<()>();
        forks.begin(1, async move {
            let _held = held;
            std::future::pending().await
        });
        forks.stop(1).await;
        assert!(dropped.await.is_err(), "it holds nothing any more");
        assert_eq!(forks.fault(1), None);

        let (done, ended) = oneshot::channel::<()>();
        forks.begin(1, async move {
            let _done = done;
            Err("the disk is full".to_owned())
        });
        // It ends with its task, after which the fault is there.
        assert!(ended.await.is_err());
        while forks.fault(1).is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(forks.fault(1).as_deref(), Some("the disk is full"));
        forks.begin(1, async { Ok(()) });
        assert_eq!(forks.fault(1), None);
    }
}
