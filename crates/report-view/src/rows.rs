//! [`rows`]: the filtered and sorted cases of a report.

use std::cmp::Ordering;

use scoring::report::{CaseVerdict, Change};

use crate::change::Changes;
use crate::report::Report;

/// A query for the list of cases.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// Only cases that came to one of these; all where there is none.
    pub verdicts: Vec<CaseVerdict>,
    /// Only cases that became this since the baseline.
    pub change: Option<Change>,
    /// Only cases whose id or title contains this, ignoring case.
    pub searched: String,
    /// The order; that of the report where there is none, or of the changes with a baseline.
    pub sorting: Option<Sorting>,
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorting {
    /// What is looked at.
    pub column: Column,
    /// From the last to the first.
    pub is_down: bool,
}

/// What an order looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// The order of the report.
    Place,
    /// What the case came to: errors first, then failed, unscored, passed.
    Verdict,
    /// Its name, or its id where it has none.
    Name,
    /// The score of a criterion, by its index; the lowest first. A case without a score is last,
    /// whichever way.
    Score(usize),
    /// How long it took.
    Seconds,
    /// The change since the baseline: the largest regression first.
    Change,
}

impl Sorting {
    /// The form in a URL: `name`, `-name`, and a criterion by its name as `score.NAME`.
    #[must_use]
    pub fn to_text(self, report: &Report) -> String {
        let column = match self.column {
            Column::Place => "place".to_owned(),
            Column::Verdict => "verdict".to_owned(),
            Column::Name => "name".to_owned(),
            Column::Seconds => "seconds".to_owned(),
            Column::Change => "change".to_owned(),
            Column::Score(place) => {
                format!("score.{}", report.criteria.get(place).map_or("", String::as_str))
            }
        };
        format!("{}{column}", if self.is_down { "-" } else { "" })
    }

    /// Parses the form in a URL; `None` if the report has no such column.
    #[must_use]
    pub fn parse(text: &str, report: &Report) -> Option<Self> {
        let (is_down, column) = match text.strip_prefix('-') {
            Some(column) => (true, column),
            None => (false, text),
        };
        let column = match column {
            "place" => Column::Place,
            "verdict" => Column::Verdict,
            "name" => Column::Name,
            "seconds" => Column::Seconds,
            "change" => Column::Change,
            other => {
                let name = other.strip_prefix("score.")?;
                Column::Score(report.criteria.iter().position(|criterion| criterion == name)?)
            }
        };
        Some(Self { column, is_down })
    }
}

/// A case of the report, or one that only its baseline has; by its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Row {
    /// Of the report.
    Case(usize),
    /// Of the baseline.
    Gone(usize),
}

/// The cases that match the query. `since` is a baseline and the changes since.
#[must_use]
pub fn rows(report: &Report, since: Option<(&Report, &Changes)>, asked: &Asked) -> Vec<Row> {
    let look = Look { report, since };
    let wanted = asked.searched.trim().to_lowercase();
    let gone = since.map_or(&[][..], |(_, changes)| &changes.compared.gone);
    let all = (0..report.cases.len()).map(Row::Case).chain(gone.iter().copied().map(Row::Gone));
    let mut rows: Vec<Row> = all
        .filter(|row| {
            let case = look.case(*row);
            let fits = asked.verdicts.is_empty()
                || !matches!(row, Row::Gone(_)) && asked.verdicts.contains(&case.verdict());
            let has_changed = asked.change.is_none_or(|change| look.change(*row).0 == change);
            fits && has_changed
                && (wanted.is_empty()
                    || case.eval_id.to_lowercase().contains(&wanted)
                    || case.title().to_lowercase().contains(&wanted))
        })
        .collect();
    let default = if since.is_some() { Column::Change } else { Column::Place };
    let sorting = asked.sorting.unwrap_or(Sorting { column: default, is_down: false });
    // Equal ones keep the order of the report.
    rows.sort_by(|one, other| look.order(*one, *other, sorting));
    rows
}

struct Look<'r> {
    report: &'r Report,
    since: Option<(&'r Report, &'r Changes)>,
}

impl<'r> Look<'r> {
    fn case(&self, row: Row) -> &'r scoring::report::EvalCaseResult {
        match (row, self.since) {
            (Row::Gone(place), Some((baseline, _))) => &baseline.cases[place],
            (Row::Case(place) | Row::Gone(place), _) => &self.report.cases[place],
        }
    }

    /// What became of it; whether it kept its verdict, and else which it has; and by how much.
    fn change(&self, row: Row) -> (Change, (bool, Option<CaseVerdict>), f64) {
        match (row, self.since) {
            (Row::Gone(_), _) => (Change::Gone, (true, None), 0.0),
            (Row::Case(place), Some((_, changes))) => {
                let case = &changes.cases[place];
                let verdict = case.is_other_verdict.then(|| self.case(row).verdict());
                (case.change, (verdict.is_none(), verdict), -case.by.abs())
            }
            (Row::Case(_), None) => (Change::Same, (true, None), 0.0),
        }
    }

    fn score(&self, row: Row, criterion: usize) -> Option<f64> {
        match row {
            Row::Case(place) => self.report.result(place, criterion)?.score,
            Row::Gone(_) => None,
        }
    }

    fn order(&self, one: Row, other: Row, Sorting { column, is_down }: Sorting) -> Ordering {
        let turned = |order: Ordering| if is_down { order.reverse() } else { order };
        let (case, beside) = (self.case(one), self.case(other));
        match column {
            Column::Place => turned(place(one).cmp(&place(other))),
            Column::Verdict => turned(case.verdict().cmp(&beside.verdict())),
            Column::Name => turned(name(case).cmp(&name(beside))),
            Column::Seconds => turned(case.duration_seconds.total_cmp(&beside.duration_seconds)),
            Column::Score(criterion) => {
                match (self.score(one, criterion), self.score(other, criterion)) {
                    (Some(one), Some(other)) => turned(one.total_cmp(&other)),
                    (Some(_), None) => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (None, None) => Ordering::Equal,
                }
            }
            Column::Change => {
                let (one, other) = (self.change(one), self.change(other));
                let order = one.0.cmp(&other.0).then(one.1.cmp(&other.1));
                turned(order.then(one.2.total_cmp(&other.2)))
            }
        }
    }
}

fn place(row: Row) -> (bool, usize) {
    match row {
        Row::Case(place) => (false, place),
        Row::Gone(place) => (true, place),
    }
}

fn name(case: &scoring::report::EvalCaseResult) -> String {
    case.title().to_lowercase()
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
    use proptest::prelude::*;
    use scoring::report::{CriterionResult, EvalCaseResult};

    use super::*;
    use crate::read;
    use crate::read::tests::{report, written};

    fn ids(report: &Report, rows: &[Row]) -> Vec<String> {
        rows.iter()
            .map(|row| match row {
                Row::Case(place) => report.cases[*place].eval_id.clone(),
                Row::Gone(place) => format!("gone {place}"),
            })
            .collect()
    }

    #[test]
    fn unscored_sorts_last_in_both_directions() {
        let report = report(&[
            ("b", &[("m", None, 0.5)]),
            ("a", &[("m", Some(0.2), 0.5)]),
            ("c", &[("m", Some(0.9), 0.5)]),
        ]);
        let by = |text: &str| {
            let sorting = Sorting::parse(text, &report);
            assert_eq!(sorting.map(|it| it.to_text(&report)).as_deref(), Some(text));
            ids(&report, &rows(&report, None, &Asked { sorting, ..Asked::default() }))
        };
        assert_eq!(by("score.m"), ["a", "c", "b"]);
        assert_eq!(by("-score.m"), ["c", "a", "b"]);
        assert_eq!(by("-name"), ["c", "b", "a"]);
        assert_eq!(by("verdict"), ["a", "b", "c"]);
        assert_eq!(by("place"), ["b", "a", "c"]);
        assert_eq!(Sorting::parse("score.nobody", &report), None);
        let asked = Asked { verdicts: vec![CaseVerdict::Unscored], ..Asked::default() };
        assert_eq!(ids(&report, &rows(&report, None, &asked)), ["b"]);
        let asked = Asked { searched: " C ".to_owned(), ..Asked::default() };
        assert_eq!(ids(&report, &rows(&report, None, &asked)), ["c"]);
    }

    #[test]
    fn a_case_is_found_by_its_message_and_its_id() {
        let mut one = EvalCaseResult::error("2026-11-29", None, "no such case");
        one.query = Some("Close up for the night".to_owned());
        let other = EvalCaseResult::error("b", None, "no such case");
        let report = read(&written(&[other, one])).expect("a report");
        let found = |searched: &str| {
            let asked = Asked { searched: searched.to_owned(), ..Asked::default() };
            ids(&report, &rows(&report, None, &asked))
        };
        assert_eq!(found("the NIGHT"), ["2026-11-29"]);
        assert_eq!(found("11-29"), ["2026-11-29"]);
    }

    #[test]
    fn errors_sort_before_lower_scores() {
        let case = |eval_id: &str, score: f64| {
            let (passed, details) = (Some(score >= 0.8), JsonText::parse("{}").expect("JSON"));
            let (criterion, score) = ("m".to_owned(), Some(score));
            let result = CriterionResult { criterion, score, passed, threshold: 0.8, details };
            EvalCaseResult::scored(eval_id, None, vec![result], 0.0)
        };
        let before = [case("none", 0.9), case("lost", 1.0), case("less", 1.0), case("gone", 0.9)];
        let before = read(&written(&before)).expect("a report");
        let error = |eval_id| EvalCaseResult::error(eval_id, None, "the actual side has no case");
        let now = [case("less", 0.9), case("lost", 0.0), error("none"), error("gone")];
        let now = read(&written(&now)).expect("a report");
        let changes = Changes::of(&before, &now);
        let rows = rows(&now, Some((&before, &changes)), &Asked::default());
        assert_eq!(ids(&now, &rows), ["none", "gone", "lost", "less"]);
    }

    #[test]
    fn largest_regression_comes_first() {
        let baseline = report(&[
            ("gone", &[("m", Some(1.0), 0.8)]),
            ("a little", &[("m", Some(0.5), 0.8)]),
            ("better", &[("m", Some(0.5), 0.8)]),
            ("much", &[("m", Some(0.7), 0.8)]),
            ("fails now", &[("m", Some(0.81), 0.8)]),
            ("same", &[("m", Some(0.81), 0.8)]),
        ]);
        let now = report(&[
            ("same", &[("m", Some(0.81), 0.8)]),
            ("new", &[("m", Some(0.5), 0.8)]),
            ("better", &[("m", Some(0.6), 0.8)]),
            ("a little", &[("m", Some(0.4), 0.8)]),
            ("much", &[("m", Some(0.0), 0.8)]),
            ("fails now", &[("m", Some(0.79), 0.8)]),
        ]);
        let changes = Changes::of(&baseline, &now);
        let since = Some((&baseline, &changes));
        assert_eq!(
            ids(&now, &rows(&now, since, &Asked::default())),
            ["fails now", "much", "a little", "better", "new", "gone 0", "same"]
        );
        let asked = Asked { change: Some(Change::Regressed), ..Asked::default() };
        assert_eq!(rows(&now, since, &asked).len(), 3);
        let asked = Asked { verdicts: vec![CaseVerdict::Passed], ..Asked::default() };
        assert_eq!(ids(&now, &rows(&now, since, &asked)), ["same"], "what is gone came to nothing");
    }

    proptest! {
        /// For any query, no case appears twice and no matching case is missing.
        #[test]
        fn sorting_keeps_every_row(scores in prop::collection::vec(prop::option::of(0.0..1.0_f64), 0..30), down: bool) {
            let scored: Vec<[(&str, Option<f64>, f64); 1]> = scores.iter().map(|score| [("m", *score, 0.5)]).collect();
            let ids: Vec<String> = (0..scored.len()).map(|place| format!("c{place}")).collect();
            let cases: Vec<_> = ids.iter().map(String::as_str).zip(scored.iter().map(|it| &it[..])).collect();
            let report = report(&cases);
            for column in [Column::Place, Column::Verdict, Column::Name, Column::Score(0), Column::Seconds, Column::Change] {
                let asked = Asked { sorting: Some(Sorting { column, is_down: down }), ..Asked::default() };
                let mut all = rows(&report, None, &asked);
                all.sort_by_key(|row| place(*row));
                prop_assert_eq!(all, (0..scores.len()).map(Row::Case).collect::<Vec<_>>());
            }
        }
    }
}
