//! [`shown`]: the suites that a search shows, with [`last_run`] of each; [`place_after`] moves between them and the runs
//! below.

use api::{RunSummary, SuiteSummary};

use super::row_keys::row_after;

/// A row of the page: of a suite or of a run, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The suite of this place.
    Suite(usize),
    /// The run of this place.
    Run(usize),
}

impl Place {
    /// The id of what is focused in the row.
    #[must_use]
    pub fn id(self) -> String {
        match self {
            Self::Suite(at) => format!("suite-row-{at}"),
            Self::Run(at) => format!("run-row-{at}"),
        }
    }

    /// The same, within these numbers of rows; the first row if there are no runs.
    #[must_use]
    pub fn within(self, suites: usize, runs: usize) -> Self {
        match self {
            Self::Suite(at) if suites > 0 => Self::Suite(at.min(suites - 1)),
            Self::Run(at) if runs > 0 => Self::Run(at.min(runs - 1)),
            Self::Suite(_) => Self::Run(0),
            Self::Run(_) => Self::Suite(0),
        }
    }
}

/// The row that `key` moves to from `here`, where the suites are above the runs; none for other keys.
#[must_use]
pub fn place_after(key: &str, here: Place, suites: usize, runs: usize) -> Option<Place> {
    let at = match here.within(suites, runs) {
        Place::Suite(at) => at,
        Place::Run(at) => suites + at,
    };
    let to = row_after(key, at, suites + runs)?;
    Some(if to < suites { Place::Suite(to) } else { Place::Run(to - suites) })
}

/// The suites with this in their names.
#[must_use]
pub fn shown(suites: &[SuiteSummary], searched: &str) -> Vec<SuiteSummary> {
    let searched = searched.trim().to_lowercase();
    suites.iter().filter(|suite| suite.name.to_lowercase().contains(&searched)).cloned().collect()
}

/// The last run of a suite, of runs of which the newest is first. A fork is of one of its cases only.
#[must_use]
pub fn last_run<'r>(suite: &str, runs: &'r [RunSummary]) -> Option<&'r RunSummary> {
    runs.iter().find(|run| run.is_of_suites() && run.suites.iter().any(|name| name == suite))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(number: i64, suites: &[&str], is_fork: bool) -> RunSummary {
        let fork = json!({"of": {"run": 1, "suite": "a", "case": "one", "repeat": 1}, "step": 4});
        let run = json!({
            "run": number,
            "suites": suites,
            "began": 0,
            "counts": {"passed": 1, "failed": 0, "terminated": 0, "errors": 0, "unscored": 0},
            "duration_ms": 0,
            "tokens": 0,
            "fork_of": is_fork.then_some(fork),
            "is_running": false,
        });
        serde_json::from_value(run).expect("a run")
    }

    #[test]
    fn the_last_run_of_a_suite_is_not_a_fork() {
        let runs = [run(4, &["a"], true), run(3, &["b", "a"], false), run(1, &["a"], false)];
        assert_eq!(last_run("a", &runs).map(|run| run.run), Some(3));
        assert_eq!(last_run("c", &runs), None);
    }

    #[test]
    fn keys_move_from_suites_to_runs() {
        use Place::{Run, Suite};
        for (key, here, to) in [
            ("j", Suite(0), Suite(1)),
            ("j", Suite(1), Run(0)),
            ("k", Run(0), Suite(1)),
            ("Home", Run(2), Suite(0)),
            ("End", Suite(0), Run(2)),
            ("j", Suite(9), Run(0)),
        ] {
            assert_eq!(place_after(key, here, 2, 3), Some(to), "{key} from {here:?}");
        }
        assert_eq!(place_after("j", Run(0), 2, 0), Some(Suite(1)), "without runs");
        assert_eq!(place_after("j", Suite(0), 0, 2), Some(Run(1)), "without suites");
        assert_eq!(place_after("x", Suite(0), 2, 3), None);
        assert_eq!(place_after("j", Run(0), 0, 0), None);
    }
}
