//! [`run`]: runs a scoring job.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use evalset::Format;
use score_report::ScoredCase;
use scoring::config::{Config, Tools};

use crate::case_filter::CaseFilter;
use crate::error::RunError;
use crate::pairing::Pairing;
use crate::pairs::{Pairs, PairsOptions};
use crate::task::Pair;
use crate::worker_pool::{Work, WorkerPool};

/// What to score.
pub struct ScoreRun<'o> {
    /// Eval sets, in this order.
    pub expected: &'o [PathBuf],
    /// Eval sets, or files of ADK's history.
    pub actual: &'o [PathBuf],
    /// The criteria.
    pub config: &'o Config,
    /// Which cases.
    pub filter: &'o CaseFilter<'o>,
    /// How cases are paired.
    pub pairing: Pairing,
    /// The format of the eval sets on both sides [default: detected for each file]. Lists of ADK's older
    /// format and files of its history are recognized in any case.
    pub format: Option<Format>,
    /// The number of scoring threads, including the calling one. With more than one, one reading
    /// thread per side is added.
    pub jobs: NonZeroUsize,
}

/// The totals of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunSummary {
    /// The number of delivered cases.
    pub cases: u64,
    /// The bytes of both sides' files.
    pub bytes: u64,
    /// The number of expected cases without a partner.
    pub expected_alone: u64,
    /// The number of actual cases without a partner.
    pub actual_alone: u64,
}

/// Scores the cases: those of the expected side in their order, then those only on the actual side.
///
/// `make` turns each into what is kept of it, on the thread that has scored it; `take` gets them one
/// after the other, on this thread. `skipped` gets the ids that the filter excludes, `progress` the
/// number of bytes read.
///
/// # Errors
/// A file that cannot be read to its end, or an error of `take`. A case that cannot be read is not an
/// error of the run: it is scored as an error.
pub fn run<P: Send>(
    order: &ScoreRun<'_>,
    make: impl Fn(ScoredCase) -> P + Sync,
    take: impl FnMut(P) -> std::io::Result<()>,
    skipped: &mut dyn FnMut(&str),
    progress: impl FnMut(u64),
) -> Result<RunSummary, RunError> {
    let scored = |pair: &mut Pair, tools: &mut Tools<'_>| make(pair.scored(order.config, tools));
    run_pairs(order, scored, take, skipped, progress)
}

/// Like [`run`], with the unscored pairs; `make` also gets the scorer's caches, and may take values
/// out of the pair.
///
/// # Errors
/// As for [`run`].
pub fn run_pairs<P: Send>(
    order: &ScoreRun<'_>,
    make: impl Fn(&mut Pair, &mut Tools<'_>) -> P + Sync,
    mut take: impl FnMut(P) -> std::io::Result<()>,
    skipped: &mut dyn FnMut(&str),
    mut progress: impl FnMut(u64),
) -> Result<RunSummary, RunError> {
    let ScoreRun { expected, actual, filter, pairing, format, jobs, .. } = *order;
    let options = PairsOptions { expected, actual, filter, pairing, format, ahead: jobs.get() > 1 };
    let mut pairs = Pairs::open(options, skipped)?;
    let mut ran = RunSummary::default();
    WorkerPool::new(jobs, Work { filter, make: &make }).run(
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
