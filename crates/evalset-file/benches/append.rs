//! `cargo bench -p evalset-file`: what an append costs on a large file, beside `cat` in the same run.
//!
//! Bounds: 250 ms for 100 MB in memory, and 64 MB of memory. `cat` of the same file, from disk and from
//! memory, is printed beside it; it copies the bytes and looks at none.
//!
//! The measured process is this program started again, so that its peak memory is its own.
//! `REHEARSAL_BENCH_FOLDER` puts the file elsewhere than in the temporary folder;
//! `REHEARSAL_BENCH_BYTES` changes its length.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod common;

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{LAYOUTS, SET, cat, folder_and_bytes, forget_pages, generate, median, peak_memory};
use evalset::adk::{Content, EvalCase, EvalSetHeader, Invocation};
use evalset_file::{Appended, EvalSetFiles};

const ROUNDS: usize = 5;
/// For 100 MB.
const APPEND_WITHIN: Duration = Duration::from_millis(250);
const MEMORY_WITHIN: u64 = 64_000_000;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("append") => return append_once(&arguments[2..]),
        // `cargo test --benches` starts this too; then there is nothing to measure.
        Some("--bench") => {}
        _ => return Ok(()),
    }
    let (folder, bytes) = folder_and_bytes()?;
    let mut met = true;
    for (name, write) in LAYOUTS {
        let file = folder.path().join("set.evalset.json");
        generate(&file, bytes, SET, write)?;
        met &= measure(name, &file)?;
        std::fs::remove_file(&file)?;
    }
    if met { Ok(()) } else { Err(io::Error::other("a bound was missed")) }
}

fn measure(name: &str, file: &Path) -> io::Result<bool> {
    let mut warm = Reads::default();
    let mut cold = Reads::default();
    let mut peak = 0;
    for round in 0..=ROUNDS {
        for (kind, reads) in [("cold", &mut cold), ("warm", &mut warm)] {
            let place = || if kind == "cold" { forget_pages(file) } else { Ok(()) };
            place()?;
            let cat = cat(file)?;
            place()?;
            let (time, memory) = append(file, &format!("{kind}-{round}"))?;
            // The first round warms the page cache for what comes after.
            if round > 0 {
                reads.cat.push(cat);
                reads.append.push(time);
                peak = peak.max(memory);
            }
        }
    }
    let bytes = std::fs::metadata(file)?.len();
    println!("{name}, {bytes} bytes, median of {ROUNDS}:");
    cold.print_result("on disk");
    let time = warm.print_result("in memory");
    let of_100_mb = time.mul_f64(1e8 / bytes as f64);
    println!("  100 MB in memory  {of_100_mb:>9.1?}  (bound {APPEND_WITHIN:?})");
    println!("  peak {peak} bytes (bound {MEMORY_WITHIN})");
    Ok(of_100_mb < APPEND_WITHIN && peak < MEMORY_WITHIN)
}

/// The same file read by `cat` and by an append, in turn.
#[derive(Default)]
struct Reads {
    cat: Vec<Duration>,
    append: Vec<Duration>,
}

impl Reads {
    /// Prints both medians; the time of the append.
    fn print_result(self, name: &str) -> Duration {
        let (cat, append) = (median(self.cat), median(self.append));
        let ratio = append.as_secs_f64() / cat.as_secs_f64();
        println!("  {name:<18}{append:>9.1?}  cat {cat:>9.1?}  {ratio:.2} x cat");
        append
    }
}

/// Appends in a process of its own: how long that took inside it, and its peak memory.
fn append(file: &Path, session: &str) -> io::Result<(Duration, u64)> {
    let output = Command::new(std::env::current_exe()?)
        .arg("append")
        .arg(file)
        .arg(session)
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace().filter_map(|number| number.parse::<u64>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(nanoseconds), Some(peak)) => Ok((Duration::from_nanos(nanoseconds), peak)),
        _ => Err(io::Error::other(format!("the append failed: {text}"))),
    }
}

fn append_once(arguments: &[String]) -> io::Result<()> {
    let [file, session] = arguments else { return Err(io::ErrorKind::InvalidInput.into()) };
    let turn = Invocation::new(format!("{session}_inv_0"), Content::user("hi"));
    let case = EvalCase::new("bench", vec![turn]);
    let header = EvalSetHeader {
        eval_set_id: "bench_evals".to_owned(),
        name: "bench".to_owned(),
        creation_timestamp: 1_766_500_200.into(),
    };
    let files = EvalSetFiles::anywhere();
    let start = Instant::now();
    let appended = files.append(Path::new(file), case, &header).map_err(io::Error::other)?;
    let time = start.elapsed();
    if !matches!(appended, Appended::Added { new_file: false, .. }) {
        return Err(io::Error::other("nothing was added to the file"));
    }
    println!("{} {}", time.as_nanos(), peak_memory()?);
    Ok(())
}
