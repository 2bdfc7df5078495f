//! Prints the steps of a command, such as `[2/5] Python packages`, and how long each took.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A count of steps, printed to standard error as they begin and end.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    begun: usize,
    since: Instant,
}

/// What a step did.
#[derive(Debug, PartialEq, Eq)]
pub enum Done {
    /// Nothing: everything was present.
    Present,
    /// It installed or built something.
    Made,
}

impl Progress {
    /// A count of `total` steps.
    pub fn new(total: usize) -> Self {
        Self { total, begun: 0, since: Instant::now() }
    }

    /// Runs one step.
    ///
    /// `step` calls its argument with a sentence as soon as it finds something to do. A step with nothing to
    /// do prints one line.
    pub fn step(
        &mut self,
        name: &str,
        step: impl FnOnce(&dyn Fn(&str)) -> Result<Done>,
    ) -> Result<()> {
        self.begun += 1;
        let label = format!("[{}/{}] {name}", self.begun, self.total);
        let since = Instant::now();
        let announce = |what: &str| eprintln!("{label}: {what}");
        let done = step(&announce).with_context(|| format!("{name} failed"))?;
        match done {
            Done::Present => eprintln!("{label}: present"),
            Done::Made => eprintln!("{label}: done in {}", elapsed(since.elapsed())),
        }
        Ok(())
    }

    /// How long ago the count began.
    pub fn since(&self) -> Duration {
        self.since.elapsed()
    }
}

/// A duration as text: `0.4 s`, `75 s`, `12 min 5 s`.
pub fn elapsed(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else {
        let whole = duration.as_secs();
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_durations() {
        let read = |milliseconds| elapsed(Duration::from_millis(milliseconds));
        assert_eq!(read(430), "0.4 s");
        assert_eq!(read(75_200), "75 s");
        assert_eq!(read(725_000), "12 min 5 s");
    }
}
