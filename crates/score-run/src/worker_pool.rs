//! [`WorkerPool`]: threads that score tasks and deliver the results in order.
//!
//! The calling thread reads tasks in batches, scores one itself when enough are waiting, and delivers
//! results. The number of batches in progress is bounded, regardless of the length of the files.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use scoring::config::Tools;

use crate::case_filter::CaseFilter;
use crate::error::RunError;
use crate::task::{Pair, Task};

/// A batch ends at this many bytes of text,
const BATCH_BYTES: usize = 128 << 10;
/// or at this many cases.
const BATCH_CASES: usize = 256;
/// The most batches in progress per thread.
const BATCHES_PER_THREAD: usize = 4;

/// How a task is processed.
pub(crate) struct Work<'w, M> {
    pub(crate) filter: &'w CaseFilter<'w>,
    pub(crate) make: &'w M,
}

impl<M> Work<'_, M> {
    fn done<P>(&self, task: Task, tools: &mut Tools<'_>) -> Option<P>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P,
    {
        let mut pair = task.read(self.filter)?;
        Some((self.make)(&mut pair, tools))
    }

    fn process_all<P>(&self, tasks: Vec<Task>, tools: &mut Tools<'_>) -> Vec<P>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P,
    {
        tasks.into_iter().filter_map(|task| self.done(task, tools)).collect()
    }
}

/// Threads that score tasks.
pub(crate) struct WorkerPool<'w, M> {
    jobs: NonZeroUsize,
    work: Work<'w, M>,
}

/// The batches and results that the threads share.
struct WorkQueue<P> {
    state: Mutex<State<P>>,
    /// Signals a new batch, or the end.
    waiting: Condvar,
    /// Signals a finished batch.
    done: Condvar,
}

struct State<P> {
    batches: VecDeque<(u64, Vec<Task>)>,
    done: BTreeMap<u64, Result<Vec<P>, String>>,
    closed: bool,
}

impl<P> WorkQueue<P> {
    fn state(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the threads when the run ends, also early.
struct Closing<'b, P>(&'b WorkQueue<P>);

impl<P> Drop for Closing<'_, P> {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.waiting.notify_all();
    }
}

impl<'w, M> WorkerPool<'w, M> {
    pub(crate) fn new(jobs: NonZeroUsize, work: Work<'w, M>) -> Self {
        Self { jobs, work }
    }

    /// Processes all tasks from `next` and passes the results to `take`, in order.
    pub(crate) fn run<P: Send>(
        &self,
        mut next: impl FnMut() -> Result<Option<Task>, RunError>,
        mut take: impl FnMut(P) -> Result<(), RunError>,
    ) -> Result<(), RunError>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let mut tools = Tools::default();
        if self.jobs.get() == 1 {
            while let Some(task) = next()? {
                if let Some(piece) = self.work.done(task, &mut tools) {
                    take(piece)?;
                }
            }
            return Ok(());
        }
        let queue = WorkQueue {
            state: Mutex::new(State {
                batches: VecDeque::new(),
                done: BTreeMap::new(),
                closed: false,
            }),
            waiting: Condvar::new(),
            done: Condvar::new(),
        };
        std::thread::scope(|scope| {
            let _closing = Closing(&queue);
            for _ in 1..self.jobs.get() {
                scope.spawn(|| self.work(&queue));
            }
            self.coordinate(&queue, &mut next, &mut take, &mut tools)
        })
    }

    /// The loop of a worker thread.
    fn work<P: Send>(&self, queue: &WorkQueue<P>)
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let mut tools = Tools::default();
        loop {
            let mut state = queue.state();
            let (number, tasks) = loop {
                if let Some(batch) = state.batches.pop_front() {
                    break batch;
                }
                if state.closed {
                    return;
                }
                state = queue.waiting.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            self.process_batch(queue, number, tasks, &mut tools);
        }
    }

    fn process_batch<P: Send>(
        &self,
        queue: &WorkQueue<P>,
        number: u64,
        tasks: Vec<Task>,
        tools: &mut Tools<'_>,
    ) where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let done = catch_unwind(AssertUnwindSafe(|| self.work.process_all(tasks, tools)));
        let done = done.map_err(|panic| {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            message.unwrap_or("no reason was given").to_owned()
        });
        queue.state().done.insert(number, done);
        queue.done.notify_one();
    }

    /// The loop of the calling thread: reads tasks and delivers results.
    fn coordinate<P: Send>(
        &self,
        queue: &WorkQueue<P>,
        next: &mut impl FnMut() -> Result<Option<Task>, RunError>,
        take: &mut impl FnMut(P) -> Result<(), RunError>,
        tools: &mut Tools<'_>,
    ) -> Result<(), RunError>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let most = (self.jobs.get() * BATCHES_PER_THREAD) as u64;
        let (mut given, mut taken, mut ended) = (0, 0, false);
        loop {
            while !ended && given - taken < most {
                let tasks = batch(next, &mut ended)?;
                if tasks.is_empty() {
                    break;
                }
                queue.state().batches.push_back((given, tasks));
                queue.waiting.notify_one();
                given += 1;
                // Results are delivered as soon as they are next in order, so that a report grows.
                while let Some(pieces) = first_done(queue, taken) {
                    taken += 1;
                    deliver(pieces, take)?;
                }
            }
            while let Some(pieces) = first_done(queue, taken) {
                taken += 1;
                deliver(pieces, take)?;
            }
            if ended && given == taken {
                return Ok(());
            }
            if !ended && given - taken < most {
                continue;
            }
            let mut state = queue.state();
            if let Some((number, tasks)) = state.batches.pop_front() {
                drop(state);
                self.process_batch(queue, number, tasks, tools);
                continue;
            }
            while !state.done.contains_key(&taken) {
                state = queue.done.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

fn first_done<P>(queue: &WorkQueue<P>, number: u64) -> Option<Result<Vec<P>, String>> {
    queue.state().done.remove(&number)
}

fn deliver<P>(
    pieces: Result<Vec<P>, String>,
    take: &mut impl FnMut(P) -> Result<(), RunError>,
) -> Result<(), RunError> {
    pieces.map_err(RunError::Panicked)?.into_iter().try_for_each(take)
}

/// Reads the next batch of tasks.
fn batch(
    next: &mut impl FnMut() -> Result<Option<Task>, RunError>,
    ended: &mut bool,
) -> Result<Vec<Task>, RunError> {
    let (mut tasks, mut bytes) = (Vec::new(), 0);
    while bytes < BATCH_BYTES && tasks.len() < BATCH_CASES {
        match next()? {
            Some(task) => {
                bytes += task.expected.size() + task.actual.size();
                tasks.push(task);
            }
            None => {
                *ended = true;
                break;
            }
        }
    }
    Ok(tasks)
}
