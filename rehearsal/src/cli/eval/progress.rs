//! Progress of a run on standard error: a line that changes on a terminal, a line for each case elsewhere.

use std::io::IsTerminal as _;
use std::time::Duration;

use eval::CaseRun;
use eval::given_model::{RealModel, real_model};
use eval::model::{Models, PERSON};
use eval::result::{EvalResult, Status};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinHandle;

use crate::cli::note_line::note_line;

/// The progress of a run.
pub(super) struct Progress {
    bar: ProgressBar,
    jobs: u64,
    failing: u64,
    tokens: u64,
    /// What the models cost, where prices are known.
    cost: Option<f64>,
    /// Says where a person is waited for.
    persons: Option<JoinHandle<()>>,
}

impl Progress {
    /// The progress of these runs, of which `jobs` run at the same time.
    pub(super) fn new(runs: &[CaseRun<'_>], jobs: usize) -> Self {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let is_watched = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let bar = match is_watched {
            true => ProgressBar::with_draw_target(
                Some(count(runs.len())),
                ProgressDrawTarget::stderr_with_hz(10),
            ),
            false => ProgressBar::hidden(),
        };
        bar.set_length(count(runs.len()));
        // The template is valid.
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos} of {len} done, {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        let persons = say_where_persons_respond(&bar, runs);
        let progress = Self { bar, jobs: count(jobs), failing: 0, tokens: 0, cost: None, persons };
        if is_watched {
            progress.bar.enable_steady_tick(Duration::from_millis(200));
        }
        progress.show();
        progress
    }

    /// A case ended.
    pub(super) fn ended(&mut self, result: &EvalResult, repeats: u32, cost: Option<f64>) {
        self.failing += u64::from(is_failure(result.status));
        self.tokens += result.token_usage.input + result.token_usage.output;
        if let Some(cost) = cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
        self.bar.inc(1);
        self.show();
        if self.bar.is_hidden() {
            note_line!("{}", line(result, repeats));
        } else if is_failure(result.status) {
            self.bar.suspend(|| note_line!("{}", line(result, repeats)));
        }
    }

    /// Ends the display.
    pub(super) fn finish(&self) {
        if let Some(task) = &self.persons {
            task.abort();
        }
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        let left = self.bar.length().unwrap_or(0).saturating_sub(self.bar.position());
        self.bar.set_message(format!(
            "{} running, {} failing{}",
            left.min(self.jobs),
            self.failing,
            usage(self.tokens, self.cost)
        ));
    }
}

/// Prints the page on which people respond, whenever somebody begins to wait for one.
fn say_where_persons_respond(bar: &ProgressBar, runs: &[CaseRun<'_>]) -> Option<JoinHandle<()>> {
    let models = Models::of_environment();
    let page = models.person_page().ok()?;
    let line = format!("waiting for a person; respond at {page}");
    // Requests of agents in Python do not pass through this process.
    let is_person =
        |run: &CaseRun<'_>| real_model(run.case.model.as_ref()) == Some(RealModel::Named(PERSON));
    if runs.iter().any(is_person) {
        bar.suspend(|| note_line!("{line}"));
    }
    let bar = bar.clone();
    let mut asked = models.persons_asked();
    Some(tokio::spawn(async move {
        while asked.wait_for(|count| *count > 0).await.is_ok() {
            bar.suspend(|| note_line!("{line}"));
            if asked.wait_for(|count| *count == 0).await.is_err() {
                return;
            }
        }
    }))
}

/// `, 1200 tokens, cost 0.0031`, as far as it is known.
fn usage(tokens: u64, cost: Option<f64>) -> String {
    let tokens = match tokens {
        0 => String::new(),
        tokens => format!(", {tokens} tokens"),
    };
    tokens + &cost.map_or_else(String::new, |cost| format!(", cost {cost:.4}"))
}

fn is_failure(status: Status) -> bool {
    matches!(status, Status::Error | Status::Terminated | Status::Failed)
}

/// `passed      greets (1 turn, 0.1 s)`
fn line(result: &EvalResult, repeats: u32) -> String {
    let turns = if result.turns == 1 { "turn" } else { "turns" };
    let seconds = Duration::from_millis(result.duration_ms).as_secs_f64();
    let run = if repeats > 1 { format!("run {}, ", result.repeat) } else { String::new() };
    let (label, name) = (result.status.label(), &result.name);
    format!("{label:<11} {name} ({run}{} {turns}, {seconds:.1} s)", result.turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_shown_where_prices_are_known() {
        assert_eq!(usage(0, None), "");
        assert_eq!(usage(1200, None), ", 1200 tokens");
        assert_eq!(usage(1200, Some(0.003_14)), ", 1200 tokens, cost 0.0031");
    }
}
