//! `cargo bench -p scoring`: both ADK metrics on 100,000 cases, beside google-adk's own evaluators
//! called in process on the same files in the same run.
//!
//! Both sides read the files from the disk cache, parse them, score every case and keep the scores;
//! what is compared is processor time, since the machine may be shared. Every score is compared,
//! bit for bit. Goal: 300 times as many cases a second as google-adk, on one thread; the
//! bench fails when a score differs, and says whether the goal is reached.
//!
//! Our parsing is a stand-in until the eval-set model feeds the metrics, and takes most of the time:
//! so what the scoring takes by itself stands beside it, on both sides.
//!
//! The Python comes from `REHEARSAL_TEST_PYTHON`, as in the acceptance tests; without it the peer is
//! left out, said loudly. `REHEARSAL_BENCH_CASES` makes the set smaller.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod cases;
mod read;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use scoring::Trace;
use scoring::adk::{MatchType, response_match, tool_trajectory};
use scoring::rouge::Scorer;

/// Cases of one pair of files: what is in memory at a time, as in a reader that streams.
const PER_FILE: usize = 500;
const ROUNDS: usize = 3;
const TIMES: f64 = 300.0;

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

    let mut ours = Vec::new();
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let before = processor_time();
        ours = score_all(&files, 1)?;
        best = best.min(processor_time().saturating_sub(before));
    }
    report("one thread", cases, best, bytes);
    let alone = scoring_alone(&files)?;
    report("of that, scoring alone", cases, alone, bytes);
    let threads = std::thread::available_parallelism()?.get();
    for threads in (2..=threads).filter(|threads| threads.is_power_of_two() || *threads % 8 == 0) {
        let before = Instant::now();
        let same = score_all(&files, threads)?;
        let wall = before.elapsed();
        if same != ours {
            return Err(io::Error::other("threads change scores"));
        }
        report(&format!("{threads} threads, by the wall clock"), cases, wall, bytes);
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
    let times = their_scoring.as_secs_f64() / alone.as_secs_f64();
    println!("{times:.0} times google-adk once all is parsed");
    let times = took.as_secs_f64() / best.as_secs_f64();
    let reached = if times < TIMES { "not reached" } else { "reached" };
    println!("{times:.0} times google-adk on one thread; the goal of {TIMES:.0} is {reached}");
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

/// Reads and scores all files, each thread a share of them.
fn score_all(files: &[(PathBuf, PathBuf)], threads: usize) -> io::Result<Vec<Scores>> {
    if threads == 1 {
        return score_files(files);
    }
    std::thread::scope(|scope| {
        let shares = files.chunks(files.len().div_ceil(threads));
        let running: Vec<_> = shares.map(|share| scope.spawn(move || score_files(share))).collect();
        let mut all = Vec::new();
        for share in running {
            all.extend(share.join().map_err(|_| io::Error::other("a thread ended"))??);
        }
        Ok(all)
    })
}

/// What the scoring takes once all is parsed, a pair of files at a time.
fn scoring_alone(files: &[(PathBuf, PathBuf)]) -> io::Result<Duration> {
    let mut scorer = Scorer::default();
    let mut took = Duration::ZERO;
    for (expected, actual) in files {
        let (one, other) = (std::fs::read_to_string(expected)?, std::fs::read_to_string(actual)?);
        let (mut expected, mut actual) = (read::Cases::of(&one)?, read::Cases::of(&other)?);
        let mut pairs = Vec::new();
        while let Some(pair) = expected.next()?.zip(actual.next()?) {
            pairs.push(pair);
        }
        let before = processor_time();
        for (expected, actual) in &pairs {
            std::hint::black_box(scores(expected, actual, &mut scorer)?);
        }
        took += processor_time().saturating_sub(before);
    }
    Ok(took)
}

fn scores(expected: &Trace, actual: &Trace, scorer: &mut Scorer) -> io::Result<Scores> {
    let calls = tool_trajectory(expected, actual, MatchType::Exact, false);
    let words = response_match(expected, actual, scorer);
    match (calls, words) {
        (Ok(calls), Ok(words)) => Ok((calls.overall, words.overall)),
        (Err(reason), _) | (_, Err(reason)) => Err(io::Error::other(reason.to_string())),
    }
}

fn score_files(files: &[(PathBuf, PathBuf)]) -> io::Result<Vec<Scores>> {
    let mut scorer = Scorer::default();
    let mut all = Vec::new();
    let (mut one, mut other) = (String::new(), String::new());
    for (expected, actual) in files {
        one.clear();
        other.clear();
        File::open(expected)?.read_to_string(&mut one)?;
        File::open(actual)?.read_to_string(&mut other)?;
        let (mut expected, mut actual) = (read::Cases::of(&one)?, read::Cases::of(&other)?);
        loop {
            let (expected, actual) = match (expected.next()?, actual.next()?) {
                (Some(expected), Some(actual)) => (expected, actual),
                (None, None) => break,
                _ => return Err(io::Error::other("the files have different cases")),
            };
            all.push(scores(&expected, &actual, &mut scorer)?);
        }
    }
    Ok(all)
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
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let told: Vec<f64> = told.split_whitespace().filter_map(|text| text.parse().ok()).collect();
    let [took, alone] = told[..] else {
        return Err(io::Error::other("google-adk told no time"));
    };
    let bytes = std::fs::read(scores)?;
    let (numbers, _) = bytes.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let (pairs, _) = numbers.as_chunks::<2>();
    let scores = pairs.iter().map(|[one, other]| (*one, *other)).collect();
    Ok((scores, Duration::from_secs_f64(took), Duration::from_secs_f64(alone)))
}
