//! [`Crew`]: threads that score tasks, and hand over what comes of them in order.
//!
//! This thread reads tasks in batches, lends a hand when enough of them wait, and takes what is
//! done. So many batches are under way at most, whatever the length of the files.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use case_trace::LazyTrace;
use scoring::config::Tools;

use crate::choice::Choice;
use crate::error::RunError;
use crate::room::{Lot, Room};
use crate::task::{Pair, Task};

/// A batch holds at least so many bytes of text, unless it is the last,
const BATCH_BYTES: usize = 128 << 10;
/// or so many cases.
const BATCH_CASES: usize = 256;
/// So many batches are under way for each thread.
const UNDER_WAY: usize = 4;

/// What is done with each task.
pub(crate) struct Work<'w, M> {
    pub(crate) choice: &'w Choice<'w>,
    pub(crate) make: &'w M,
    pub(crate) room: &'w Room,
}

/// What a thread has by itself.
#[derive(Default)]
struct Hands<'j> {
    tools: Tools<'j>,
    /// What held cases that are done.
    used: Lot,
}

impl<M> Work<'_, M> {
    fn done<P>(&self, task: Task, hands: &mut Hands<'_>) -> Option<P>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P,
    {
        let mut pair = task.read(self.choice, &mut hands.used)?;
        let made = (self.make)(&mut pair, &mut hands.tools);
        for side in [pair.expected, pair.actual] {
            if let Some(LazyTrace::Plain(case)) = side {
                hands.used.push(case);
            }
        }
        Some(made)
    }

    fn all_done<P>(&self, tasks: Vec<Task>, hands: &mut Hands<'_>) -> Vec<P>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P,
    {
        let done = tasks.into_iter().filter_map(|task| self.done(task, hands)).collect();
        self.room.give(&mut hands.used);
        done
    }
}

/// Threads that score tasks.
pub(crate) struct Crew<'w, M> {
    jobs: NonZeroUsize,
    work: Work<'w, M>,
}

/// What the threads share.
struct Bench<P> {
    state: Mutex<State<P>>,
    /// A batch waits, or there will be none any more.
    waiting: Condvar,
    /// A batch is done.
    done: Condvar,
}

struct State<P> {
    batches: VecDeque<(u64, Vec<Task>)>,
    done: BTreeMap<u64, Result<Vec<P>, String>>,
    closed: bool,
}

impl<P> Bench<P> {
    fn state(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the threads go, however the run ends.
struct Closing<'b, P>(&'b Bench<P>);

impl<P> Drop for Closing<'_, P> {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.waiting.notify_all();
    }
}

impl<'w, M> Crew<'w, M> {
    pub(crate) fn new(jobs: NonZeroUsize, work: Work<'w, M>) -> Self {
        Self { jobs, work }
    }

    /// Scores all tasks of `next` and hands over to `take` what comes of them, in order.
    pub(crate) fn run<P: Send>(
        &self,
        mut next: impl FnMut() -> Result<Option<Task>, RunError>,
        mut take: impl FnMut(P) -> Result<(), RunError>,
    ) -> Result<(), RunError>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let mut hands = Hands::default();
        if self.jobs.get() == 1 {
            while let Some(task) = next()? {
                let piece = self.work.done(task, &mut hands);
                self.work.room.give(&mut hands.used);
                if let Some(piece) = piece {
                    take(piece)?;
                }
            }
            return Ok(());
        }
        let bench = Bench {
            state: Mutex::new(State {
                batches: VecDeque::new(),
                done: BTreeMap::new(),
                closed: false,
            }),
            waiting: Condvar::new(),
            done: Condvar::new(),
        };
        std::thread::scope(|scope| {
            let _closing = Closing(&bench);
            for _ in 1..self.jobs.get() {
                scope.spawn(|| self.help(&bench));
            }
            self.lead(&bench, &mut next, &mut take, &mut hands)
        })
    }

    /// A thread of the crew.
    fn help<P: Send>(&self, bench: &Bench<P>)
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let mut hands = Hands::default();
        loop {
            let mut state = bench.state();
            let (number, tasks) = loop {
                if let Some(batch) = state.batches.pop_front() {
                    break batch;
                }
                if state.closed {
                    return;
                }
                state = bench.waiting.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            drop(state);
            self.do_batch(bench, number, tasks, &mut hands);
        }
    }

    fn do_batch<P: Send>(
        &self,
        bench: &Bench<P>,
        number: u64,
        tasks: Vec<Task>,
        hands: &mut Hands<'_>,
    ) where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let done = catch_unwind(AssertUnwindSafe(|| self.work.all_done(tasks, hands)));
        let done = done.map_err(|panic| {
            let told = panic.downcast_ref::<String>().map(String::as_str);
            let told = told.or_else(|| panic.downcast_ref::<&str>().copied());
            told.unwrap_or("no reason was given").to_owned()
        });
        bench.state().done.insert(number, done);
        bench.done.notify_one();
    }

    /// The thread that reads, and takes what is done.
    fn lead<P: Send>(
        &self,
        bench: &Bench<P>,
        next: &mut impl FnMut() -> Result<Option<Task>, RunError>,
        take: &mut impl FnMut(P) -> Result<(), RunError>,
        hands: &mut Hands<'_>,
    ) -> Result<(), RunError>
    where
        M: Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    {
        let most = (self.jobs.get() * UNDER_WAY) as u64;
        let (mut given, mut taken, mut ended) = (0, 0, false);
        loop {
            while !ended && given - taken < most {
                let tasks = batch(next, &mut ended)?;
                if tasks.is_empty() {
                    break;
                }
                bench.state().batches.push_back((given, tasks));
                bench.waiting.notify_one();
                given += 1;
                // What is first is handed over as soon as it is done, so that a report grows.
                while let Some(pieces) = first_done(bench, taken) {
                    taken += 1;
                    hand_over(pieces, take)?;
                }
            }
            while let Some(pieces) = first_done(bench, taken) {
                taken += 1;
                hand_over(pieces, take)?;
            }
            if ended && given == taken {
                return Ok(());
            }
            if !ended && given - taken < most {
                continue;
            }
            let mut state = bench.state();
            if let Some((number, tasks)) = state.batches.pop_front() {
                drop(state);
                self.do_batch(bench, number, tasks, hands);
                continue;
            }
            while !state.done.contains_key(&taken) {
                state = bench.done.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

fn first_done<P>(bench: &Bench<P>, number: u64) -> Option<Result<Vec<P>, String>> {
    bench.state().done.remove(&number)
}

fn hand_over<P>(
    pieces: Result<Vec<P>, String>,
    take: &mut impl FnMut(P) -> Result<(), RunError>,
) -> Result<(), RunError> {
    pieces.map_err(RunError::Panicked)?.into_iter().try_for_each(take)
}

/// The next tasks, as many as make a batch.
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
