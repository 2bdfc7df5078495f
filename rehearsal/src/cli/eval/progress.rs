//! Progress of a run on standard error: a line that changes on a terminal, a line for each case elsewhere.

use std::io::IsTerminal as _;
use std::time::Duration;

use eval::result::{EvalResult, Status};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The progress of a run.
pub(super) struct Progress {
    bar: ProgressBar,
    jobs: u64,
    failing: u64,
    tokens: u64,
}

impl Progress {
    /// The progress of `runs` runs, of which `jobs` run at the same time.
    pub(super) fn new(runs: usize, jobs: usize) -> Self {
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let is_watched = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let bar = match is_watched {
            true => ProgressBar::with_draw_target(
                Some(count(runs)),
                ProgressDrawTarget::stderr_with_hz(10),
            ),
            false => ProgressBar::hidden(),
        };
        bar.set_length(count(runs));
        // The template is valid.
        if let Ok(style) =
            ProgressStyle::with_template("{wide_bar} {pos} of {len} done, {msg}, {eta} left")
        {
            bar.set_style(style);
        }
        let progress = Self { bar, jobs: count(jobs), failing: 0, tokens: 0 };
        if is_watched {
            progress.bar.enable_steady_tick(Duration::from_millis(200));
        }
        progress.show();
        progress
    }

    /// A case ended.
    pub(super) fn ended(&mut self, result: &EvalResult, repeats: u32) {
        self.failing += u64::from(is_failure(result.status));
        self.tokens += result.token_usage.input + result.token_usage.output;
        self.bar.inc(1);
        self.show();
        if self.bar.is_hidden() {
            eprintln!("{}", line(result, repeats));
        } else if is_failure(result.status) {
            self.bar.suspend(|| eprintln!("{}", line(result, repeats)));
        }
    }

    /// Ends the display.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        let left = self.bar.length().unwrap_or(0).saturating_sub(self.bar.position());
        let tokens = match self.tokens {
            0 => String::new(),
            tokens => format!(", {tokens} tokens"),
        };
        self.bar.set_message(format!(
            "{} running, {} failing{tokens}",
            left.min(self.jobs),
            self.failing
        ));
    }
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
