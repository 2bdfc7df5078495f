//! `cargo bench -p score-run`: both ADK metrics on 100,000 cases, beside google-adk's own evaluators
//! called in process on the same cases in the same run.
//!
//! Both sides read the cases from the disk cache, parse them, pair them, score every case and keep
//! the scores. The cost of the evidence for the report of `rehearsal score`, which google-adk does not have,
//! is printed separately. Processor time is compared, because the machine may be
//! shared. Every score is compared, bit for bit. Goal: 100 times as many
//! cases a second as google-adk, on one thread; the bench fails when a score differs, and when the
//! goal is missed.
//!
//! Ours are in one file on each side, google-adk's in files of 500: it holds a whole file in memory.
//!
//! The Python comes from `REHEARSAL_TEST_PYTHON`, as in the acceptance tests; without it the peer is
//! left out, with a message. `REHEARSAL_BENCH_CASES` makes the set smaller.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod cases;

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use score_run::{CaseFilter, Pair, Pairing, ScoreRun, run, run_pairs};
use scoring::adk::{MatchType, response_match, tool_trajectory};
use scoring::config::{Config, Tools};

/// Cases of one pair of files: what is in memory at a time, as in a reader that streams.
const PER_FILE: usize = 500;
const TIMES: f64 = 100.0;

/// The two scores of a case.
type Scores = (f64, f64);

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("write") => return write(&arguments[2..]),
        // `cargo test --benches` starts this too; then there is nothing to measure.
        Some("--bench") => {}
        _ => return Ok(()),
    }
    let wanted = std::env::var("REHEARSAL_BENCH_CASES").ok().and_then(|text| text.parse().ok());
    let cases: usize = wanted.unwrap_or(100_000);
    let folder = tempfile::tempdir()?;
    // In a process of its own: the memory that made the cases is not that which scores them.
    let program = Command::new(std::env::current_exe()?)
        .args(["write", &cases.to_string()])
        .arg(folder.path())
        .status()?;
    if !program.success() {
        return Err(io::Error::other("the cases were not written"));
    }
    let files = cases::files(folder.path(), cases, PER_FILE);
    let mut bytes = 0;
    for (expected, actual) in &files {
        bytes += std::fs::metadata(expected)?.len() + std::fs::metadata(actual)?.len();
    }
    println!("{cases} cases in {} pairs of files, {bytes} bytes", files.len());

    let (expected, actual) = cases::joined(folder.path(), &files)?;
    let (expected, actual) = ([expected], [actual]);

    let rounds = std::env::var("REHEARSAL_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds: usize = rounds.unwrap_or(3);
    let mut ours = Vec::new();
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let before = processor_time();
        ours = score_all(&expected, &actual, 1)?;
        best = best.min(processor_time().saturating_sub(before));
    }
    report("one thread", cases, best, bytes);
    let before = processor_time();
    with_evidence(&expected, &actual)?;
    let took = processor_time().saturating_sub(before);
    report("the same with evidence", cases, took, bytes);
    let wall = |threads: usize| -> io::Result<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..rounds {
            let before = Instant::now();
            let same = score_all(&expected, &actual, threads)?;
            best = best.min(before.elapsed());
            if same != ours {
                return Err(io::Error::other("threads change scores"));
            }
        }
        Ok(best)
    };
    let one = wall(1)?;
    report("one thread, by the wall clock", cases, one, bytes);
    let threads = std::thread::available_parallelism()?.get();
    for threads in (2..=threads).filter(|threads| threads.is_power_of_two() || *threads % 8 == 0) {
        let took = wall(threads)?;
        report(&format!("{threads} threads, by the wall clock"), cases, took, bytes);
        println!("{:.2} times one thread", one.as_secs_f64() / took.as_secs_f64());
    }

    let Some(python) = std::env::var_os("REHEARSAL_TEST_PYTHON") else {
        println!("NOT COMPARED: REHEARSAL_TEST_PYTHON is not set; cargo xtask bench sets it");
        return Ok(());
    };
    let (theirs, took, their_scoring) = google_adk(Path::new(&python), folder.path(), &files)?;
    report("google-adk in process", cases, took, bytes);
    report("of that, scoring alone", cases, their_scoring, bytes);
    let same = ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|(one, other)| {
            one.0.to_bits() == other.0.to_bits() && one.1.to_bits() == other.1.to_bits()
        });
    if !same {
        return Err(io::Error::other("the scores are not google-adk's"));
    }
    let whole = |scores: &[Scores]| scores.iter().filter(|score| score.0 >= 1.0).count();
    let words: f64 = ours.iter().map(|score| score.1).sum();
    #[expect(clippy::cast_precision_loss, reason = "a figure to read")]
    let mean = words / ours.len() as f64;
    println!(
        "all {} scores are equal bit for bit; {} trajectories of 1.0, mean response score {mean:.3}",
        2 * ours.len(),
        whole(&ours)
    );
    let times = took.as_secs_f64() / best.as_secs_f64();
    println!("{times:.0} times google-adk on one thread; the goal is {TIMES:.0}");
    if times < TIMES {
        return Err(io::Error::other("the goal is missed"));
    }
    Ok(())
}

fn write(arguments: &[String]) -> io::Result<()> {
    match arguments {
        [cases, folder] => {
            let cases = cases.parse().map_err(io::Error::other)?;
            cases::write(Path::new(folder), cases, PER_FILE)
        }
        _ => Err(io::Error::other("write takes a number of cases and a folder")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures to read")]
fn report(what: &str, cases: usize, took: Duration, bytes: u64) {
    let seconds = took.as_secs_f64();
    println!(
        "{what:<32} {seconds:>9.3} s {:>10.0} cases/s {:>8.1} MB/s",
        cases as f64 / seconds,
        bytes as f64 / seconds / 1e6
    );
}

/// What this process used of all processors.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// Scores all cases: both scores of each.
fn score_all(expected: &[PathBuf], actual: &[PathBuf], threads: usize) -> io::Result<Vec<Scores>> {
    let config = Config::adk_default();
    let jobs = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let filter = CaseFilter::default();
    let order = ScoreRun {
        expected,
        actual,
        config: &config,
        filter: &filter,
        pairing: Pairing::Id,
        format: None,
        jobs,
    };
    let mut all = Vec::new();
    let scores = |pair: &mut Pair, tools: &mut Tools<'_>| -> Option<Scores> {
        let (expected, actual) = (&pair.expected.as_ref()?.trace, &pair.actual.as_ref()?.trace);
        let calls = tool_trajectory(expected, actual, MatchType::Exact, false).ok()?;
        let words = response_match(expected, actual, &mut tools.rouge).ok()?;
        pair.fault.is_none().then_some((calls.overall, words.overall))
    };
    let take = |scores: Option<Scores>| {
        all.push(scores.ok_or_else(|| io::Error::other("a case has no scores"))?);
        Ok(())
    };
    run_pairs(&order, scores, take, &mut |_| {}, |_| {}).map_err(io::Error::other)?;
    Ok(all)
}

/// Scores all cases with what each score rests on.
fn with_evidence(expected: &[PathBuf], actual: &[PathBuf]) -> io::Result<()> {
    let config = Config::adk_default();
    let filter = CaseFilter::default();
    let jobs = NonZeroUsize::MIN;
    let order = ScoreRun {
        expected,
        actual,
        config: &config,
        filter: &filter,
        pairing: Pairing::Id,
        format: None,
        jobs,
    };
    let take = |case| {
        std::hint::black_box(&case);
        Ok(())
    };
    run(&order, |case| case, take, &mut |_| {}, |_| {}).map_err(io::Error::other)?;
    Ok(())
}

/// Scores the same files with google-adk's evaluators, and the processor time that it took.
const PEER: &str = "
import logging, struct, sys, time, warnings
warnings.simplefilter('ignore')
logging.disable(logging.CRITICAL)
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.final_response_match_v1 import RougeEvaluator
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
calls = TrajectoryEvaluator(eval_metric=EvalMetric(
    metric_name='tool_trajectory_avg_score', criterion=ToolTrajectoryCriterion(threshold=1.0)))
words = RougeEvaluator(EvalMetric(
    metric_name='response_match_score', threshold=0.8, criterion=BaseCriterion(threshold=0.8)))
def read(path):
    with open(path, encoding='utf-8') as file:
        return EvalSet.model_validate_json(file.read()).eval_cases
scores = []
parsing = 0.0
began = time.process_time()
for expected, actual in zip(sys.argv[2::2], sys.argv[3::2]):
    since = time.process_time()
    expected, actual = read(expected), read(actual)
    parsing += time.process_time() - since
    for one, other in zip(expected, actual, strict=True):
        scores.append(calls.evaluate_invocations(other.conversation, one.conversation).overall_score)
        scores.append(words.evaluate_invocations(other.conversation, one.conversation).overall_score)
took = time.process_time() - began
with open(sys.argv[1], 'wb') as file:
    file.write(struct.pack(f'<{len(scores)}d', *scores))
print(took, took - parsing)
";

fn google_adk(
    python: &Path,
    folder: &Path,
    files: &[(PathBuf, PathBuf)],
) -> io::Result<(Vec<Scores>, Duration, Duration)> {
    let scores = folder.join("scores");
    let mut command = Command::new(python);
    command.args(["-c", PEER]).arg(&scores);
    for (expected, actual) in files {
        command.args([expected, actual]);
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let printed: Vec<f64> =
        printed.split_whitespace().filter_map(|text| text.parse().ok()).collect();
    let [took, alone] = printed[..] else {
        return Err(io::Error::other("google-adk printed no time"));
    };
    let bytes = std::fs::read(scores)?;
    let (numbers, _) = bytes.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let (pairs, _) = numbers.as_chunks::<2>();
    let scores = pairs.iter().map(|[one, other]| (*one, *other)).collect();
    Ok((scores, Duration::from_secs_f64(took), Duration::from_secs_f64(alone)))
}
