//! [`HostedRuns`]: the runs and forks that this host runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eval::take_over::StandIns;
use eval::under_way::{CaseUnderWay, CasesUnderWay};
use tokio::task::JoinHandle;

/// What this host runs, and why earlier ones stopped early, by the number of the run; of a fork, of that with the move.
#[derive(Default)]
pub(super) struct HostedRuns {
    running: Mutex<HashMap<i64, Hosted>>,
    /// The cases that run, by the number of the run. Both sides of a fork are runs.
    under_way: Mutex<HashMap<i64, Arc<CasesUnderWay>>>,
    faults: Arc<Mutex<HashMap<i64, String>>>,
}

struct Hosted {
    /// How many results it has in the end.
    planned: u64,
    task: JoinHandle<()>,
}

impl HostedRuns {
    /// Runs `work`, which gives `planned` results in the end, and why it stopped early.
    pub(super) fn begin(
        &self,
        run: i64,
        planned: u64,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) {
        locked(&self.faults).remove(&run);
        let faults = Arc::clone(&self.faults);
        let task = tokio::spawn(async move {
            if let Err(fault) = work.await {
                tracing::warn!(run, "a run stopped early: {fault}");
                locked(&faults).insert(run, fault);
            }
        });
        let mut running = locked(&self.running);
        running.retain(|_, hosted| !hosted.task.is_finished());
        running.insert(run, Hosted { planned, task });
    }

    /// Where the cases of a run are listed while they run.
    pub(super) fn under_way(
        &self,
        run: i64,
        people: impl StandIns + 'static,
    ) -> Arc<CasesUnderWay> {
        let cases = CasesUnderWay::new(run, people);
        let mut under_way = locked(&self.under_way);
        // The cases of a run hold its list.
        under_way.retain(|_, cases| Arc::strong_count(cases) > 1);
        under_way.insert(run, Arc::clone(&cases));
        cases
    }

    /// The cases of a run that run here now.
    pub(super) fn cases(&self, run: i64) -> Vec<Arc<CaseUnderWay>> {
        locked(&self.under_way).get(&run).map(|cases| cases.list()).unwrap_or_default()
    }

    /// Stops a run. Returns once nothing of it runs. One that does not run here is left alone.
    pub(super) async fn stop(&self, run: i64) {
        let hosted = locked(&self.running).remove(&run);
        if let Some(Hosted { task, .. }) = hosted {
            task.abort();
            // It was stopped, or had ended.
            let _ = task.await;
        }
    }

    /// How many results a run has in the end that runs here.
    pub(super) fn planned(&self, run: i64) -> Option<u64> {
        let running = locked(&self.running);
        running.get(&run).filter(|hosted| !hosted.task.is_finished()).map(|hosted| hosted.planned)
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
    async fn a_stopped_run_is_dropped_and_a_fault_is_kept_until_it_begins_again() {
        let runs = HostedRuns::default();
        let (held, dropped) = oneshot::channel::<()>();
        runs.begin(1, 1, async move {
            let _held = held;
            std::future::pending().await
        });
        runs.stop(1).await;
        assert!(dropped.await.is_err(), "it holds nothing any more");
        assert_eq!(runs.fault(1), None);

        let (done, ended) = oneshot::channel::<()>();
        runs.begin(1, 1, async move {
            let _done = done;
            Err("the disk is full".to_owned())
        });
        // It ends with its task, after which the fault is there.
        assert!(ended.await.is_err());
        while runs.fault(1).is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(runs.fault(1).as_deref(), Some("the disk is full"));
        runs.begin(1, 1, async { Ok(()) });
        assert_eq!(runs.fault(1), None);
    }
}
