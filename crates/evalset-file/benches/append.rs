//! `cargo bench -p evalset-file`: what an append costs on a 1 GB file, beside `cat` in the same run.
//!
//! Bounds: to a known file under 50 ms and 64 MB; to an unknown one within twice the time that `cat`
//! takes for the same file. A file seen for the first time is on the disk, so that is where both
//! find it: its pages are dropped from memory before each. With the file in memory `cat` copies and
//! looks at nothing; that ratio is printed beside it, without a bound.
//!
//! The measured process is this program started again, so that its peak memory is its own.
//! `REHEARSAL_BENCH_FOLDER` puts the file elsewhere than in the temporary folder;
//! `REHEARSAL_BENCH_BYTES` makes it smaller.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod common;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{LAYOUTS, SET, cat, folder_and_bytes, forget_pages, generate, median, peak_memory};
use evalset::adk::{Content, EvalCase, EvalSetHeader, Invocation};
use evalset_file::{Appended, EvalSetFiles};

const ROUNDS: usize = 5;
const KNOWN_WITHIN: Duration = Duration::from_millis(50);
const MEMORY_WITHIN: u64 = 64_000_000;
const CAT_WITHIN: f64 = 2.0;

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
        met &= measure(name, &file, &folder.path().join("cache"))?;
        std::fs::remove_file(&file)?;
    }
    if met { Ok(()) } else { Err(io::Error::other("a bound was missed")) }
}

fn measure(name: &str, file: &Path, cache: &Path) -> io::Result<bool> {
    let mut warm = Reads::default();
    let mut cold = Reads::default();
    let (mut known, mut peak_unknown, mut peak_known) = (Vec::new(), 0, 0);
    for round in 0..=ROUNDS {
        for (kind, reads) in [("cold", &mut cold), ("warm", &mut warm)] {
            let place = || if kind == "cold" { forget_pages(file) } else { Ok(()) };
            place()?;
            let cat = cat(file)?;
            let _ = std::fs::remove_dir_all(cache);
            place()?;
            let (time, peak) = append(file, cache, &format!("unknown-{kind}-{round}"))?;
            // The first round warms the page cache for what comes after.
            if round > 0 {
                reads.cat.push(cat);
                reads.append.push(time);
                peak_unknown = peak_unknown.max(peak);
            }
        }
        let (time, peak) = append(file, cache, &format!("known-{round}"))?;
        if round > 0 {
            known.push(time);
            peak_known = peak_known.max(peak);
        }
    }
    let known = median(known);
    println!("{name}, {} bytes, median of {ROUNDS}:", std::fs::metadata(file)?.len());
    println!(
        "  known             {known:>10.1?}  (bound {KNOWN_WITHIN:?})  peak {peak_known} bytes (bound {MEMORY_WITHIN})"
    );
    let from_disk = cold.print_result("unknown, on disk", &format!("bound {CAT_WITHIN}"));
    warm.print_result("unknown, in memory", "no bound");
    println!("  unknown           peak {peak_unknown} bytes (bound {MEMORY_WITHIN})");
    Ok(known < KNOWN_WITHIN
        && peak_known < MEMORY_WITHIN
        && peak_unknown < MEMORY_WITHIN
        && from_disk <= CAT_WITHIN)
}

/// The same file read by `cat` and by the first append, in turn.
#[derive(Default)]
struct Reads {
    cat: Vec<Duration>,
    append: Vec<Duration>,
}

impl Reads {
    /// Prints both medians; the ratio.
    fn print_result(self, name: &str, bound: &str) -> f64 {
        let (cat, append) = (median(self.cat), median(self.append));
        let ratio = append.as_secs_f64() / cat.as_secs_f64();
        println!("  {name:<18}{append:>9.1?}  cat {cat:>9.1?}  {ratio:.2} x cat ({bound})");
        ratio
    }
}

/// Appends in a process of its own: how long that took inside it, and its peak memory.
fn append(file: &Path, cache: &Path, session: &str) -> io::Result<(Duration, u64)> {
    let output = Command::new(std::env::current_exe()?)
        .arg("append")
        .args([file, cache])
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
    let [file, cache, session] = arguments else { return Err(io::ErrorKind::InvalidInput.into()) };
    let turn = Invocation::new(format!("{session}_inv_0"), Content::user("hi"));
    let case = EvalCase::new("bench", vec![turn]);
    let header = EvalSetHeader {
        eval_set_id: "bench_evals".to_owned(),
        name: "bench".to_owned(),
        creation_timestamp: 1_766_500_200.into(),
    };
    let files = EvalSetFiles::anywhere().with_cache(PathBuf::from(cache));
    let start = Instant::now();
    let appended = files.append(Path::new(file), case, &header).map_err(io::Error::other)?;
    let time = start.elapsed();
    if !matches!(appended, Appended::Added { new_file: false, .. }) {
        return Err(io::Error::other("nothing was added to the file"));
    }
    println!("{} {}", time.as_nanos(), peak_memory()?);
    Ok(())
}
