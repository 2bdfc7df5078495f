//! [`Asked`]: which runs the list shows; [`rows`] puts forks below their runs, and [`trends`] has the pass rates of a
//! suite over its runs.

use std::collections::HashMap;

use api::RunSummary;

/// Runs in a trend, at most: the latest.
const IN_TREND: usize = 40;

/// Which runs are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Show {
    /// All.
    #[default]
    All,
    /// Those with a result that did not pass.
    Failing,
    /// Those of which every result passed.
    Passed,
    /// Those that a program runs now.
    Running,
    /// Forks only.
    Forks,
}

impl Show {
    /// In order.
    pub const EACH: [Self; 5] =
        [Self::All, Self::Failing, Self::Passed, Self::Running, Self::Forks];

    /// The filter with this name in the address.
    #[must_use]
    pub fn of_name(name: Option<&str>) -> Self {
        Self::EACH.into_iter().find(|show| show.name() == name).unwrap_or_default()
    }

    /// Its name in the address.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::All => None,
            Self::Failing => Some("failing"),
            Self::Passed => Some("passed"),
            Self::Running => Some("running"),
            Self::Forks => Some("forks"),
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Failing => "With failures",
            Self::Passed => "Passed",
            Self::Running => "Running",
            Self::Forks => "Forks",
        }
    }

    fn fits(self, run: &RunSummary) -> bool {
        let counts = run.counts;
        match self {
            Self::All => true,
            Self::Failing => counts.failed + counts.terminated + counts.errors > 0,
            Self::Passed => {
                let is_run = !run.is_running && run.recorded.is_none();
                is_run && counts.all() > 0 && counts.passed == counts.all()
            }
            Self::Running => run.is_running,
            Self::Forks => run.fork_of.is_some(),
        }
    }
}

/// What the reader asks of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The runs.
    pub show: Show,
    /// Without forks.
    pub hides_forks: bool,
    /// A part of the name of a suite.
    pub searched: String,
}

impl Asked {
    fn fits(&self, run: &RunSummary) -> bool {
        let searched = self.searched.trim().to_lowercase();
        let has_name = || run.suites.iter().any(|suite| suite.to_lowercase().contains(&searched));
        let is_hidden = self.hides_forks && self.show != Show::Forks && run.fork_of.is_some();
        !is_hidden && (searched.is_empty() || has_name())
    }

    /// How many runs another filter would show.
    #[must_use]
    pub fn count(&self, show: Show, runs: &[RunSummary]) -> usize {
        let asked = Self { show, ..self.clone() };
        runs.iter().filter(|run| asked.fits(run) && show.fits(run)).count()
    }
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The run.
    pub run: RunSummary,
    /// Whether it is a fork below the run that was forked.
    pub is_below: bool,
}

/// The rows to show, in the order of `runs`, forks below their runs.
#[must_use]
pub fn rows(runs: &[RunSummary], asked: &Asked) -> Vec<Row> {
    let shown: Vec<&RunSummary> =
        runs.iter().filter(|run| asked.fits(run) && asked.show.fits(run)).collect();
    let shown_by_number: HashMap<i64, &RunSummary> =
        shown.iter().map(|run| (run.run, *run)).collect();
    let forked = |run: &RunSummary| {
        let of = run.fork_of.as_ref()?.of.run;
        shown_by_number.get(&of).copied().filter(|it| it.run != run.run)
    };
    // A fork of a fork stands below the run that it comes from in the end.
    let top = |run: &RunSummary| {
        let above = std::iter::successors(forked(run), |run| forked(run));
        above.take(shown.len()).last().map(|run| run.run)
    };
    let mut below: HashMap<i64, Vec<&RunSummary>> = HashMap::new();
    let mut tops = Vec::with_capacity(shown.len());
    for run in &shown {
        match top(run) {
            Some(top) => below.entry(top).or_default().push(run),
            None => tops.push(*run),
        }
    }
    let row = |run: &RunSummary, is_below| Row { run: run.clone(), is_below };
    let with_forks = |run: &RunSummary| {
        let forks = below.get(&run.run).into_iter().flatten().map(|fork| row(fork, true));
        std::iter::once(row(run, false)).chain(forks).collect::<Vec<_>>()
    };
    tops.into_iter().flat_map(with_forks).collect()
}

/// The runs of the same suites, without forks.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// The suites.
    pub suites: Vec<String>,
    /// Their runs, the oldest first.
    pub runs: Vec<RunSummary>,
}

impl Trend {
    /// Its bars in words, the oldest first.
    #[must_use]
    pub fn label(&self) -> String {
        let bar = |run: &RunSummary| format!("run {}: {}", run.run, share_text(run));
        let bars: Vec<String> = self.runs.iter().map(bar).collect();
        format!("Passed, oldest run first. {}", bars.join(", "))
    }
}

/// The trends of suites with several runs that are shown by the search, the latest run first.
#[must_use]
pub fn trends(runs: &[RunSummary], searched: &str) -> Vec<Trend> {
    let asked = Asked { hides_forks: true, searched: searched.to_owned(), show: Show::All };
    let has_ended =
        |run: &RunSummary| !run.is_running && run.counts.all() > 0 && run.is_of_suites();
    let mut trends: Vec<Trend> = Vec::new();
    for run in runs.iter().filter(|run| asked.fits(run) && has_ended(run)) {
        match trends.iter_mut().find(|trend| trend.suites == run.suites) {
            Some(trend) if trend.runs.len() < IN_TREND => trend.runs.push(run.clone()),
            Some(_) => {}
            None => trends.push(Trend { suites: run.suites.clone(), runs: vec![run.clone()] }),
        }
    }
    trends.retain(|trend| trend.runs.len() > 1);
    for trend in &mut trends {
        trend.runs.reverse();
    }
    trends
}

/// `3 of 4`.
#[must_use]
pub fn share_text(run: &RunSummary) -> String {
    format!("{} of {}", run.counts.passed, run.counts.all())
}

/// The folder of a file with its last slash, and its name.
#[must_use]
pub fn folder_and_name(path: &str) -> (&str, &str) {
    let at = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
    path.split_at(at)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(number: i64, passed: u64, failed: u64, of: Option<i64>) -> RunSummary {
        let fork = |run| json!({"of": {"run": run, "suite": "a.eval.yaml", "case": "one", "repeat": 1}, "step": 4});
        let run = json!({
            "run": number,
            "suites": ["suites/a.eval.yaml"],
            "began": 0,
            "counts": {"passed": passed, "failed": failed, "terminated": 0, "errors": 0, "unscored": 0},
            "duration_ms": 0,
            "tokens": 0,
            "fork_of": of.map(fork),
            "is_running": false,
        });
        serde_json::from_value(run).expect("a run")
    }

    fn numbers(rows: &[Row]) -> Vec<(i64, bool)> {
        rows.iter().map(|row| (row.run.run, row.is_below)).collect()
    }

    #[test]
    fn forks_stand_below_their_runs() {
        let runs = [
            run(6, 1, 0, Some(5)),
            run(5, 1, 0, Some(2)),
            run(4, 1, 0, Some(9)),
            run(3, 0, 1, None),
            run(2, 1, 0, None),
        ];
        let asked = Asked::default();
        let all = [(4, false), (3, false), (2, false), (6, true), (5, true)];
        assert_eq!(numbers(&rows(&runs, &asked)), all);
        let asked = Asked { hides_forks: true, ..Asked::default() };
        assert_eq!(numbers(&rows(&runs, &asked)), [(3, false), (2, false)]);
        let asked = Asked { show: Show::Forks, ..asked };
        assert_eq!(numbers(&rows(&runs, &asked)), [(5, false), (6, true), (4, false)]);
    }

    #[test]
    fn filters_fit_results_and_suites() {
        let runs = [run(2, 1, 1, None), run(1, 2, 0, None)];
        let asked = |show, searched: &str| Asked {
            show,
            searched: searched.to_owned(),
            ..Asked::default()
        };
        assert_eq!(numbers(&rows(&runs, &asked(Show::Failing, ""))), [(2, false)]);
        assert_eq!(numbers(&rows(&runs, &asked(Show::Passed, " A.Eval"))), [(1, false)]);
        assert_eq!(numbers(&rows(&runs, &asked(Show::All, "b.eval"))), []);
        assert_eq!(Asked::default().count(Show::Failing, &runs), 1);
        for show in Show::EACH {
            assert_eq!(Show::of_name(show.name()), show);
        }
    }

    #[test]
    fn a_trend_has_the_runs_of_a_suite_without_forks() {
        let mut other = run(7, 1, 0, None);
        other.suites = vec!["b.eval.yaml".to_owned()];
        let runs = [other, run(3, 1, 1, None), run(2, 1, 0, Some(1)), run(1, 2, 0, None)];
        let trends = trends(&runs, "");
        assert_eq!(trends.len(), 1);
        let label = "Passed, oldest run first. run 1: 2 of 2, run 3: 1 of 2";
        assert_eq!(trends[0].label(), label);
    }

    #[test]
    fn a_path_has_a_folder_and_a_name() {
        assert_eq!(folder_and_name("a/b/c.yaml"), ("a/b/", "c.yaml"));
        assert_eq!(folder_and_name("c.yaml"), ("", "c.yaml"));
        assert_eq!(folder_and_name("x\\c.yaml"), ("x\\", "c.yaml"));
    }
}
