//! `cargo bench -p evalset-file --bench list`: what going through the cases of a large file costs,
//! beside `cat` in the same run.
//!
//! Beside sets in three layouts there is one of ADK's older lists.
//! Listing writes each case's id and number of turns; the file is on the disk, so that is where
//! both find it: its pages are dropped from memory before each. Goal: three times the time of `cat`, which
//! a disk of more than about 1 GB/s does not allow. Bound: 64 MB of memory, which also holds for telling
//! all that is wrong in the file. How long that takes,
//! and reading every case into its model, is printed beside it, without a bound.
//!
//! The measured process is this program started again, so that its peak memory is its own.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod common;

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{
    LAYOUTS, SET, WriteCase, cat, folder_and_bytes, forget_pages, generate, median, peak_memory,
};
use evalset::{Origin, read_case};
use evalset_file::{Cases, Checked, CheckedCases};

const ROUNDS: usize = 5;
const CAT_GOAL: f64 = 3.0;
const MEMORY_WITHIN: u64 = 64_000_000;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("list") => return list(Path::new(&arguments[2])),
        Some("read") => return read(Path::new(&arguments[2])),
        Some("check") => return check(Path::new(&arguments[2])),
        // `cargo test --benches` starts this too; then there is nothing to measure.
        Some("--bench") => {}
        _ => return Ok(()),
    }
    let (folder, bytes) = folder_and_bytes()?;
    let mut met = true;
    let older: (&str, [&str; 2], WriteCase) = ("ADK's older list", ["[\n", "\n]\n"], session);
    for (name, around, write) in
        LAYOUTS.map(|(name, write)| (name, SET, write)).iter().chain([&older])
    {
        let file = folder.path().join("set.evalset.json");
        generate(&file, bytes, *around, *write)?;
        met &= measure(name, &file)?;
        std::fs::remove_file(&file)?;
    }
    if met { Ok(()) } else { Err(io::Error::other("a bound was missed")) }
}

fn measure(name: &str, file: &Path) -> io::Result<bool> {
    let (mut cats, mut lists, mut warm, mut peak) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for round in 0..=ROUNDS {
        forget_pages(file)?;
        let cat = cat(file)?;
        forget_pages(file)?;
        let (time, memory) = started("list", file)?;
        let (in_memory, _) = started("list", file)?;
        // The first round finds the programs themselves on the disk.
        if round > 0 {
            cats.push(cat);
            lists.push(time);
            warm.push(in_memory);
            peak = peak.max(memory);
        }
    }
    let (read, read_peak) = started("read", file)?;
    let (check, check_peak) = started("check", file)?;
    let (cat, list) = (median(cats), median(lists));
    let ratio = list.as_secs_f64() / cat.as_secs_f64();
    println!("{name}, {} bytes, median of {ROUNDS}:", std::fs::metadata(file)?.len());
    println!(
        "  list, on disk     {list:>9.1?}  cat {cat:>9.1?}  {ratio:.2} x cat (goal {CAT_GOAL})"
    );
    println!("  list, in memory   {:>9.1?}", median(warm));
    println!("  list              peak {peak} bytes (bound {MEMORY_WITHIN})");
    println!("  read every case   {read:>9.1?}  peak {read_peak} bytes, in memory, no bound");
    println!(
        "  check every case  {check:>9.1?}  peak {check_peak} bytes (bound {MEMORY_WITHIN}), in memory"
    );
    Ok(peak < MEMORY_WITHIN && check_peak < MEMORY_WITHIN)
}

/// Goes through the file in a process of its own: how long that took, and its peak memory.
fn started(what: &str, file: &Path) -> io::Result<(Duration, u64)> {
    let start = Instant::now();
    let output = Command::new(std::env::current_exe()?)
        .arg(what)
        .arg(file)
        .stderr(Stdio::inherit())
        .output()?;
    let time = start.elapsed();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.trim().parse::<u64>() {
        Ok(peak) => Ok((time, peak)),
        Err(_) => Err(io::Error::other(format!("{what} failed: {text}"))),
    }
}

fn list(file: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create("/dev/null")?);
    for case in Cases::open(file).map_err(io::Error::other)? {
        let case = case.map_err(io::Error::other)?;
        let eval_id = case.eval_id.as_deref().unwrap_or_default();
        writeln!(out, "{} {eval_id} {}", case.index, case.turns)?;
    }
    println!("{}", peak_memory()?);
    Ok(())
}

fn read(file: &Path) -> io::Result<()> {
    let format = Cases::declared_format(file).map_err(io::Error::other)?;
    let mut cases = Cases::open(file).map_err(io::Error::other)?;
    while let Some(case) = cases.next() {
        let case = case.map_err(io::Error::other)?;
        let text = cases.text(&case).map_err(io::Error::other)?;
        let (read, faults) = read_case(&text, format, Origin::default());
        if read.is_none() || !faults.is_empty() {
            return Err(io::Error::other(format!("{faults:?}")));
        }
    }
    println!("{}", peak_memory()?);
    Ok(())
}

/// Reads every case with what is wrong in it, as `rehearsal evalset lint` does.
fn check(file: &Path) -> io::Result<()> {
    let Checked::Cases(mut cases) = CheckedCases::open(file).map_err(io::Error::other)? else {
        return Err(io::Error::other("the file is not a set of cases"));
    };
    let mut faults = cases.faults_before().len() + cases.faults_after().len();
    for case in &mut *cases {
        faults += case.map_err(io::Error::other)?.faults.len();
    }
    if faults > 0 {
        return Err(io::Error::other(format!("{faults} faults")));
    }
    println!("{}", peak_memory()?);
    Ok(())
}

/// A session as ADK's older files have it.
fn session(out: &mut dyn io::Write, number: usize) -> io::Result<()> {
    write!(
        out,
        r#"  {{
    "name": "case_{number}",
    "data": [
      {{
        "query": "Turn off device_2 in the Bedroom, and tell me what else is still on.",
        "expected_tool_use": [
          {{
            "tool_name": "set_device_info",
            "tool_input": {{
              "location": "Bedroom",
              "device_id": "device_2",
              "status": "OFF"
            }}
          }}
        ],
        "expected_intermediate_agent_responses": [],
        "reference": "I have set the device_2 status to off. The lamp in the hall is still on."
      }}
    ],
    "initial_session": {{
      "state": {{}},
      "app_name": "home_automation_agent",
      "user_id": "user"
    }}
  }}"#
    )
}
