//! [`run`]: an order carried out.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use score_report::ScoredCase;
use scoring::config::{Config, Tools};

use crate::choice::Choice;
use crate::crew::{Crew, Work};
use crate::error::RunError;
use crate::pairing::Pairing;
use crate::pairs::Pairs;
use crate::room::Room;
use crate::task::Pair;

/// What is to be scored.
pub struct Order<'o> {
    /// Eval sets, in this order.
    pub expected: &'o [PathBuf],
    /// Eval sets, or files of ADK's history.
    pub actual: &'o [PathBuf],
    /// The criteria.
    pub config: &'o Config,
    /// Which cases.
    pub choice: &'o Choice<'o>,
    /// By what they are paired.
    pub pairing: Pairing,
    /// How many threads score, this one included. With several, those that read the files come to
    /// that: one for each side.
    pub jobs: NonZeroUsize,
}

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ran {
    /// How many cases were handed over.
    pub cases: u64,
    /// How many bytes both sides' files have.
    pub bytes: u64,
    /// How many of the expected cases had no partner.
    pub expected_alone: u64,
    /// How many of the actual cases had no partner.
    pub actual_alone: u64,
}

/// Scores the cases: those of the expected side in their order, then what only the actual side has.
///
/// `make` turns each into what is kept of it, on the thread that has scored it; `take` gets them one
/// after the other, on this thread; `passed_by` is told ids that were not chosen, `progress` how
/// many bytes have been read.
///
/// # Errors
/// A file that cannot be read to its end, or what `take` says. A case that cannot be read is no such
/// error: it is scored as one.
pub fn run<P: Send>(
    order: &Order<'_>,
    make: impl Fn(ScoredCase) -> P + Sync,
    take: impl FnMut(P) -> std::io::Result<()>,
    passed_by: &mut dyn FnMut(&str),
    progress: impl FnMut(u64),
) -> Result<Ran, RunError> {
    let scored = |pair: &mut Pair, tools: &mut Tools<'_>| make(pair.scored(order.config, tools));
    run_pairs(order, scored, take, passed_by, progress)
}

/// The same for whoever does something else with the pairs; `make` is also given what scoring uses
/// from case to case, and may take of the pair what it keeps.
///
/// # Errors
/// As for [`run`].
pub fn run_pairs<P: Send>(
    order: &Order<'_>,
    make: impl Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    mut take: impl FnMut(P) -> std::io::Result<()>,
    passed_by: &mut dyn FnMut(&str),
    mut progress: impl FnMut(u64),
) -> Result<Ran, RunError> {
    let Order { expected, actual, choice, pairing, jobs, .. } = *order;
    let room = Arc::new(Room::default());
    let ahead = jobs.get() > 1;
    let mut pairs = Pairs::open(expected, actual, choice, passed_by, &room, ahead, pairing)?;
    let mut ran = Ran::default();
    Crew::new(jobs, Work { choice, make: &make, room: &room }).run(
        || {
            let task = pairs.next()?;
            progress(pairs.read());
            ran.bytes = pairs.read();
            Ok(task)
        },
        |piece| {
            ran.cases += 1;
            take(piece).map_err(RunError::from)
        },
    )?;
    (ran.expected_alone, ran.actual_alone) = (pairs.alone.expected, pairs.alone.actual);
    Ok(ran)
}
