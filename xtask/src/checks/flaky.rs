//! Runs tests, those that fail once more, and notes those that pass only then. They do not fail the run; the
//! summary lists them with what they printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use quick_junit::{Report, TestCase, TestCaseStatus, XmlString};
use xtask::process;

use super::Context;
use crate::build::HOST_SIDE;

/// How many lines of what a failed try printed are shown in the summary: its end, where the reason is.
const LINES: usize = 30;

/// Runs the tests that `filter` selects, in nextest's language.
pub(super) fn nextest(
    context: &Context<'_>,
    filter: &str,
    set: impl FnOnce(&mut Command),
) -> Result<()> {
    let report = context.workspace.target().join("nextest").join("checks").join("junit.xml");
    let mut nextest = context.cargo();
    // The profile in .config/nextest.toml has the second try and the report.
    nextest.args(["nextest", "run", "--profile", "checks", "--no-fail-fast"]).args(HOST_SIDE);
    set(nextest.args(["-E", filter]));
    with_report(context, &report, || process::print_and_run(&mut nextest))
}

/// Runs the browser stories with `command`.
pub(super) fn playwright(context: &Context<'_>, command: &mut Command) -> Result<()> {
    let report = context.workspace.target().join("stories.xml");
    command.env("PLAYWRIGHT_JUNIT_OUTPUT_FILE", &report);
    with_report(context, &report, || process::print_and_run(command))
}

/// Runs tests of `tests/python`, which `select` selects. Those that fail run again.
pub(super) fn pytest(context: &Context<'_>, select: impl Fn(&mut Command)) -> Result<()> {
    let workspace = context.workspace;
    let report = workspace.target().join("pytest.xml");
    // The cache has the names of tests that failed. It is outside of the checkout.
    let cache = format!("cache_dir={}", workspace.target().join("pytest").display());
    let run = |again: &[&str]| {
        let mut pytest = Command::new(workspace.python());
        pytest.args(["-m", "pytest", "-q", "-o", &cache, "tests/python"]).args(again);
        select(&mut pytest);
        process::print_and_run(pytest.current_dir(workspace.root()))
    };
    let file = format!("--junitxml={}", report.display());
    remove(&report)?;
    let Err(failure) = run(&[&file]) else { return Ok(()) };
    // Without a report, pytest itself failed.
    if !report.exists() {
        return Err(failure);
    }
    let failed = failures_in(&report);
    eprintln!("-- Those that failed, once more");
    run(&["--last-failed", "--last-failed-no-failures", "none"])?;
    context.flaky.borrow_mut().extend(failed);
    Ok(())
}

/// The tests that failed, or why they are not known.
fn failures_in(report: &Path) -> Vec<String> {
    match read(report) {
        Ok(report) => report.iter().flat_map(failed_cases).collect(),
        Err(error) => vec![format!("tests in Python, see above ({error:#})")],
    }
}

/// Runs tests that write `report`, and notes the flaky ones.
fn with_report(
    context: &Context<'_>,
    report: &Path,
    run: impl FnOnce() -> Result<()>,
) -> Result<()> {
    remove(report)?;
    let outcome = run();
    match read(report) {
        Ok(report) => context.flaky.borrow_mut().extend(report.iter().flat_map(flaky_cases)),
        // It says nothing of whether the tests passed.
        Err(error) => {
            context.not_tested.borrow_mut().push(format!("which tests are flaky: {error:#}"));
        }
    }
    outcome
}

fn remove(report: &Path) -> Result<()> {
    match report.exists() {
        true => fs::remove_file(report)
            .with_context(|| format!("{} cannot be removed", report.display())),
        false => Ok(()),
    }
}

/// The report, or `None` if there is none.
fn read(report: &Path) -> Result<Option<Report>> {
    if !report.exists() {
        return Ok(None);
    }
    let cannot = |path: &PathBuf| format!("{} cannot be read", path.display());
    let path = report.to_path_buf();
    let text = fs::read_to_string(&path).with_context(|| cannot(&path))?;
    Report::deserialize_from_str(&text).map(Some).with_context(|| cannot(&path))
}

/// The tests that passed at a later try.
fn flaky_cases(report: &Report) -> Vec<String> {
    let flaky = cases(report).filter_map(|case| match &case.status {
        TestCaseStatus::Success { flaky_runs } => {
            let run = flaky_runs.first()?;
            let texts = [&run.message, &run.description, &run.stack_trace];
            let printed = [&run.system_out, &run.system_err];
            Some(described(case, texts.into_iter().chain(printed)))
        }
        _ => None,
    });
    flaky.collect()
}

/// The tests that failed.
fn failed_cases(report: &Report) -> Vec<String> {
    let failed = cases(report).filter_map(|case| match &case.status {
        TestCaseStatus::NonSuccess { message, description, .. } => {
            Some(described(case, [message, description].into_iter()))
        }
        _ => None,
    });
    failed.collect()
}

fn cases(report: &Report) -> impl Iterator<Item = &TestCase> {
    report.test_suites.iter().flat_map(|suite| &suite.test_cases)
}

/// The test's name, and the end of the texts below it.
fn described<'t>(case: &TestCase, texts: impl Iterator<Item = &'t Option<XmlString>>) -> String {
    let place = case.classname.as_ref().map_or("", XmlString::as_str);
    let texts: Vec<&str> = texts.flatten().map(XmlString::as_str).collect();
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.trim_end().lines()).collect();
    let end = &lines[lines.len().saturating_sub(LINES)..];
    let trace: String = end.iter().map(|line| format!("\n    {line}")).collect();
    format!("{place} {} passed only at its second try. The first:{trace}", case.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_that_passed_at_its_second_try_is_listed_with_its_trace() -> Result<()> {
        let report = r#"<testsuites><testsuite name="live" tests="2" failures="0">
            <testcase name="sends" classname="live" time="0.1"/>
            <testcase name="waits" classname="live" time="0.1">
                <flakyFailure message="panicked" type="failure">
                    <system-err>left: 1
right: 2</system-err>
                </flakyFailure>
            </testcase>
        </testsuite></testsuites>"#;
        let report = Report::deserialize_from_str(report)?;
        let flaky = flaky_cases(&report);
        assert_eq!(flaky.len(), 1);
        assert!(flaky[0].starts_with("live waits passed only at its second try"), "{flaky:?}");
        assert!(flaky[0].contains("\n    panicked"), "{flaky:?}");
        assert!(flaky[0].ends_with("\n    left: 1\n    right: 2"), "{flaky:?}");
        assert!(failed_cases(&report).is_empty());
        Ok(())
    }

    #[test]
    fn tests_that_failed_are_listed_for_their_second_try() -> Result<()> {
        let report = r#"<testsuites name="pytest tests"><testsuite name="pytest" errors="0"
            failures="1" skipped="0" tests="2" time="1.0" timestamp="2026-11-28T14:00:00.000000+00:00">
            <testcase classname="tests.python.test_calls" name="test_a" time="0.1"/>
            <testcase classname="tests.python.test_calls" name="test_b" time="0.1">
                <failure message="assert 1 == 2">def test_b():</failure>
            </testcase>
        </testsuite></testsuites>"#;
        let failed = failed_cases(&Report::deserialize_from_str(report)?);
        assert_eq!(failed.len(), 1);
        assert!(failed[0].starts_with("tests.python.test_calls test_b"), "{failed:?}");
        Ok(())
    }
}
