//! `rehearsal eval runs`: the stored runs, or the results of one of them.

use std::collections::HashSet;
use std::io::{self, Write};

use api::{CaseRunSummary, RunCounts, RunDetail, RunFork, RunSummary};
use eval::store::{RunStore, StoreError};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use json_text::written_out::visible_name;
use serde::Serialize;

use super::EvalError;
use super::arguments::{ForkFormat, ListRunsArguments, RunChoice};
use crate::run_views::{run_detail, run_summaries};

/// Prints the runs of a store, or the results of one.
///
/// # Errors
/// [`EvalError`] if the store cannot be read or has no such run, or nothing can be written.
pub(super) async fn list_runs(
    arguments: &ListRunsArguments,
    out: &mut impl Write,
) -> Result<(), EvalError> {
    let store = match RunStore::open_existing(&arguments.store).await {
        Ok(store) => Some(store),
        Err(StoreError::Missing { .. }) if arguments.run.is_none() => None,
        Err(error) => return Err(error.into()),
    };
    let runs = match &store {
        Some(store) => run_summaries(store).await?,
        None => Vec::new(),
    };
    let is_json = arguments.format == ForkFormat::Json;
    let run = match arguments.run {
        None if is_json => return json(&runs, out),
        None => {
            if runs.is_empty() {
                let store = arguments.store.display();
                writeln!(out, "{store} has no runs; `rehearsal eval SUITE` stores one")?;
            }
            return write_runs(&runs, out).map_err(EvalError::from);
        }
        Some(RunChoice::Number(run)) => run,
        Some(RunChoice::Last) => runs.first().map(|run| run.run).unwrap_or_default(),
    };
    let Some(store) = store else { return Ok(()) };
    let detail = run_detail(&store, run).await?;
    if is_json {
        return json(&detail, out);
    }
    write_run(&detail, out).map_err(EvalError::from)
}

fn json(value: &impl Serialize, out: &mut impl Write) -> Result<(), EvalError> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// A line for each run, the newest first.
fn write_runs(runs: &[RunSummary], out: &mut impl Write) -> io::Result<()> {
    let figures: Vec<String> = runs.iter().map(|run| passed(&run.counts)).collect();
    let width = figures.iter().map(String::len).max().unwrap_or(0);
    for (run, figures) in runs.iter().zip(figures) {
        let RunSummary { run: number, began, duration_ms, suites, fork_of, is_running, .. } = run;
        let seconds = std::time::Duration::from_millis(*duration_ms).as_secs_f64();
        let state = if *is_running { ", running" } else { "" };
        let of = match fork_of {
            Some(of) => fork(of),
            None => visible_name(&suites.join(", ")),
        };
        writeln!(
            out,
            "{number:>5}  {}  {figures:<width$}  {seconds:>8.1} s  {of}{state}",
            time(*began)
        )?;
    }
    Ok(())
}

/// A run and a line for each of its results.
fn write_run(detail: &RunDetail, out: &mut impl Write) -> io::Result<()> {
    let RunDetail { summary, cases, under_way: _, forks, compared_with: _ } = detail;
    let suites = visible_name(&summary.suites.join(", "));
    writeln!(
        out,
        "Run {} of {suites}, {}: {}",
        summary.run,
        time(summary.began),
        passed(&summary.counts)
    )?;
    if let Some(of) = &summary.fork_of {
        writeln!(out, "It is a {}.", fork(of))?;
    }
    let repeated = cases.iter().filter(|case| case.id.repeat > 1);
    let repeated: HashSet<&str> = repeated.map(|case| case.id.case.as_str()).collect();
    for CaseRunSummary { id, status, why, .. } in cases {
        let repeat = match repeated.contains(id.case.as_str()) {
            true => format!(", repeat {}", id.repeat),
            false => String::new(),
        };
        let why = why.as_deref().map(|why| format!(": {}", why.lines().next().unwrap_or_default()));
        let line = format!("{}{repeat}{}", id.case, why.unwrap_or_default());
        writeln!(out, "{:<10} {}", status.label(), visible_name(&line))?;
    }
    for run in forks {
        if let Some(of) = &run.fork_of {
            writeln!(out, "run {} is a {}: {}", run.run, fork(of), passed(&run.counts))?;
        }
    }
    Ok(())
}

fn passed(counts: &RunCounts) -> String {
    format!("{} of {} passed", counts.passed, counts.all())
}

fn fork(of: &RunFork) -> String {
    let edit = if of.edit.is_some() { " with an edit" } else { "" };
    let (case, repeat) = (visible_name(&of.of.case), of.of.repeat);
    format!("fork of run {}, {case}, repeat {repeat}, at step {}{edit}", of.of.run, of.step)
}

/// The time where the program runs.
fn time(began: i64) -> String {
    let time = Timestamp::from_millisecond(began).unwrap_or_default();
    time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}
