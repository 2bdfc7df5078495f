//! [`WorkerPool`]: threads that score tasks and deliver the results in order.
//!
//! The calling thread reads tasks in batches, scores one itself when enough are waiting, and delivers
//! results. The number of batches in progress is bounded, regardless of the length of the files.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use case_trace::LazyTrace;
use scoring::config::Tools;

use crate::buffer_pool::{BufferPool, Buffers};
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
    pub(crate) buffers: &'w BufferPool,
}

/// Reusable state of one thread.
#[derive(Default)]
struct Scratch<'j> {
    tools: Tools<'j>,
    /// The buffers of scored cases.
    used: Buffers,
}

impl<M> Work<'_, M> {
    fn done<P>(&self, task: Task, scratch: &mut Scratch<'_>) -> Option<P>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P,
    {
        let mut pair = task.read(self.filter, &mut scratch.used)?;
        let made = (self.make)(&mut pair, &mut scratch.tools);
        for side in [pair.expected, pair.actual] {
            if let Some(LazyTrace::Plain(case)) = side {
                scratch.used.push(case);
            }
        }
        Some(made)
    }

    fn process_all<P>(&self, tasks: Vec<Task>, scratch: &mut Scratch<'_>) -> Vec<P>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P,
    {
        let done = tasks.into_iter().filter_map(|task| self.done(task, scratch)).collect();
        self.buffers.give_back(&mut scratch.used);
        done
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
        let mut scratch = Scratch::default();
        if self.jobs.get() == 1 {
            while let Some(task) = next()? {
                let piece = self.work.done(task, &mut scratch);
                self.work.buffers.give_back(&mut scratch.used);
                if let Some(piece) = piece {
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
            self.coordinate(&queue, &mut next, &mut take, &mut scratch)
        })
    }

    /// The loop of a worker thread.
    fn work<P: Send>(&self, queue: &WorkQueue<P>)
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let mut scratch = Scratch::default();
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
            self.process_batch(queue, number, tasks, &mut scratch);
        }
    }

    fn process_batch<P: Send>(
        &self,
        queue: &WorkQueue<P>,
        number: u64,
        tasks: Vec<Task>,
        scratch: &mut Scratch<'_>,
    ) where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let done = catch_unwind(AssertUnwindSafe(|| self.work.process_all(tasks, scratch)));
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
        scratch: &mut Scratch<'_>,
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
                self.process_batch(queue, number, tasks, scratch);
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
