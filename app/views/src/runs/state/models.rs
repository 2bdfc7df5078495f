//! [`model_table`]: the results of a run whose cases run with several models, case by case and model by model.

use api::{CaseRunId, CaseRunSummary, RunCounts};
use report_view::RunStatus;

/// Cases and models with what passed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTable {
    /// The models, in the order in which they first come.
    pub models: Vec<String>,
    /// The cases, in the order of the run.
    pub rows: Vec<ModelRow>,
    /// The results of each model together.
    pub totals: Vec<RunCounts>,
}

/// A case with each model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRow {
    /// The file of its suite.
    pub suite: String,
    /// The name of the case, without a model.
    pub case: String,
    /// The results of each model; `None` for a model that the case does not run with.
    pub cells: Vec<Option<ModelCell>>,
}

/// The results of a case with a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCell {
    /// How many have each verdict.
    pub counts: RunCounts,
    /// The result to read: the first that did not pass, or else the first.
    pub id: CaseRunId,
    has_passed: bool,
}

/// The table of these results; `None` if no case runs with several models.
#[must_use]
pub fn model_table(cases: &[CaseRunSummary]) -> Option<ModelTable> {
    let mut table = ModelTable { models: Vec::new(), rows: Vec::new(), totals: Vec::new() };
    for result in cases {
        let Some(model) = &result.model else { continue };
        let column = table.models.iter().position(|known| known == model).unwrap_or_else(|| {
            table.models.push(model.clone());
            table.totals.push(RunCounts::default());
            table.models.len() - 1
        });
        let (suite, case) = (&result.id.suite, case_name(&result.id.case, model));
        let is_row = |row: &ModelRow| row.suite == *suite && row.case == case;
        let row = table.rows.iter().rposition(is_row).unwrap_or_else(|| {
            let (suite, case) = (suite.clone(), case.to_owned());
            table.rows.push(ModelRow { suite, case, cells: Vec::new() });
            table.rows.len() - 1
        });
        let cells = &mut table.rows[row].cells;
        if cells.len() <= column {
            cells.resize(column + 1, None);
        }
        let has_passed = result.status == RunStatus::Passed;
        let cell = cells[column].get_or_insert_with(|| ModelCell {
            counts: RunCounts::default(),
            id: result.id.clone(),
            has_passed,
        });
        if cell.has_passed && !has_passed {
            cell.id = result.id.clone();
            cell.has_passed = false;
        }
        cell.counts.add(result.status, 1);
        table.totals[column].add(result.status, 1);
    }
    let models = table.models.len();
    for row in &mut table.rows {
        row.cells.resize(models, None);
    }
    (models > 0).then_some(table)
}

/// The name of a case without that of its model.
fn case_name<'n>(name: &'n str, model: &str) -> &'n str {
    let without = name.strip_suffix(']').and_then(|name| name.strip_suffix(model));
    without.and_then(|name| name.strip_suffix(" [")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(case: &str, model: Option<&str>, repeat: u32, status: RunStatus) -> CaseRunSummary {
        let name = model.map_or_else(|| case.to_owned(), |model| format!("{case} [{model}]"));
        CaseRunSummary {
            id: CaseRunId { run: 1, suite: "a".to_owned(), case: name, repeat },
            model: model.map(str::to_owned),
            tags: Vec::new(),
            code: None,
            status,
            why: None,
            metrics: Vec::new(),
            turns: 0,
            duration_ms: 0,
            tokens: 0,
            said: String::new(),
            waits_for_verdict: false,
            cost: None,
        }
    }

    #[test]
    fn each_case_has_the_results_of_each_model() {
        use RunStatus::{Failed, Passed};
        let results = [
            result("greets", Some("m"), 1, Passed),
            result("greets", Some("m"), 2, Failed),
            result("greets", Some("n"), 1, Passed),
            result("greets [m]", Some("n"), 1, Passed),
            result("plain", None, 1, Failed),
        ];
        let table = model_table(&results).expect("a table");
        assert_eq!(table.models, ["m", "n"]);
        let cases: Vec<&str> = table.rows.iter().map(|row| &*row.case).collect();
        assert_eq!(cases, ["greets", "greets [m]"]);
        let passed = |row: usize, model: usize| {
            let cell = table.rows[row].cells[model].as_ref();
            cell.map(|cell| (cell.counts.passed, cell.counts.all(), cell.id.repeat))
        };
        assert_eq!(passed(0, 0), Some((1, 2, 2)), "what did not pass is read first");
        assert_eq!(passed(0, 1), Some((1, 1, 1)));
        assert_eq!((passed(1, 0), passed(1, 1)), (None, Some((1, 1, 1))));
        let totals: Vec<_> = table.totals.iter().map(|it| (it.passed, it.all())).collect();
        assert_eq!(totals, [(1, 2), (2, 2)]);
        assert_eq!(model_table(&results[4..]), None);
    }
}
