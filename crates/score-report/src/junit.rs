//! The report as JUnit's XML: a failed case is a failure, one that could not be scored at all an
//! error, an unscored one is skipped.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use scoring::report::CaseVerdict;

use crate::details;
use crate::escape::xml;
use crate::scored::ScoredCase;
use crate::total::{Heading, Total};

pub(crate) fn case(case: &ScoredCase) -> TestCase {
    let result = &case.result;
    let reasons = |wanted: Option<bool>| {
        let criteria =
            case.failed_criteria().into_iter().filter(|failed| failed.result.passed == wanted);
        let reasons = case.ended_by().into_iter().chain(criteria.map(|failed| failed.line()));
        xml(&reasons.collect::<Vec<_>>().join("\n"))
    };
    let status = match result.verdict() {
        CaseVerdict::Passed => TestCaseStatus::success(),
        CaseVerdict::Unscored => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reasons(None));
            status
        }
        verdict @ (CaseVerdict::Terminated | CaseVerdict::Failed) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let reasons = reasons(Some(false));
            status.set_message(reasons.lines().next().unwrap_or_default().to_owned());
            status.set_type(verdict.word()).set_description(reasons);
            status
        }
        CaseVerdict::Error => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            let error = xml(result.error.as_deref().unwrap_or_default());
            let code = result.eval_run.as_ref().and_then(|run| run.code.as_deref());
            status
                .set_type(code.unwrap_or("error"))
                .set_message(error.lines().next().unwrap_or_default());
            if error.lines().nth(1).is_some() {
                status.set_description(error);
            }
            status
        }
    };
    let mut case = TestCase::new(xml(&result.label()), status);
    case.set_time(Duration::try_from_secs_f64(result.duration_seconds).unwrap_or_default());
    case
}

/// A report under way. Its head counts what follows, so the cases wait in a file.
#[derive(Debug)]
pub(crate) struct Junit {
    /// The classname of every case: the set's id.
    set: String,
    command: &'static str,
    /// The XML of the cases so far.
    cases: BufWriter<File>,
    tests: usize,
    skipped: usize,
    errors: usize,
    failures: usize,
}

impl Junit {
    /// # Errors
    /// The temporary file cannot be created.
    pub(crate) fn begin(heading: &Heading) -> io::Result<Self> {
        let cases = BufWriter::new(tempfile::tempfile().map_err(|error| in_buffer(&error))?);
        let set = xml(&heading.eval_set_id);
        let command = heading.command;
        Ok(Self { set, command, cases, tests: 0, skipped: 0, errors: 0, failures: 0 })
    }

    /// # Errors
    /// Those of the file.
    pub(crate) fn take(&mut self, mut case: TestCase) -> io::Result<()> {
        case.set_classname(self.set.as_str());
        let mut suite = TestSuite::new(self.set.as_str());
        suite.add_test_case(case);
        self.tests += suite.tests;
        self.skipped += suite.skipped;
        self.errors += suite.errors;
        self.failures += suite.failures;
        let report = report(self.command, suite, Duration::ZERO)?;
        let (_, case, _) = parted(&report)?;
        self.cases.write_all(case.as_bytes()).map_err(|error| in_buffer(&error))
    }

    pub(crate) fn finish(self, total: &Total<'_>, out: &mut impl Write) -> io::Result<()> {
        let Self { set, command, cases, tests, skipped, errors, failures } = self;
        let time = Duration::try_from_secs_f64(total.ending.duration_seconds).unwrap_or_default();
        let mut suite = TestSuite::new(set.as_str());
        suite.set_time(time);
        let details = details::text(total);
        if !details.is_empty() {
            suite.set_system_out(details);
        }
        if tests == 0 {
            return out.write_all(report(command, suite, time)?.as_bytes());
        }
        // One case marks the place of all cases.
        suite.add_test_case(TestCase::new("", TestCaseStatus::success()));
        (suite.tests, suite.skipped) = (tests, skipped);
        (suite.errors, suite.failures) = (errors, failures);
        let report = report(command, suite, time)?;
        let (head, _, tail) = parted(&report)?;
        out.write_all(head.as_bytes())?;
        let mut cases = cases.into_inner().map_err(|error| in_buffer(error.error()))?;
        cases.rewind()?;
        io::copy(&mut cases, out)?;
        out.write_all(tail.as_bytes())
    }
}

/// An error of the file in which cases wait, which is not the report's.
fn in_buffer(error: &io::Error) -> io::Error {
    let message = format!("its temporary file: {error}");
    io::Error::new(error.kind(), message)
}

/// The report that holds this suite.
fn report(command: &str, suite: TestSuite, time: Duration) -> io::Result<String> {
    let mut report = Report::new(command);
    report.set_time(time).add_test_suite(suite);
    let xml = report.to_string().map_err(io::Error::other)?;
    // `quick-junit` leaves out control characters, but not these two, which XML 1.0 (2.2) excludes.
    Ok(xml.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}

/// The report in three parts: before the lines of the cases, these lines, and after them.
fn parted(report: &str) -> io::Result<(&str, &str, &str)> {
    // Of a text or a name XML writes `&lt;`, so these are tags.
    let line = |tag: Option<usize>| {
        let before = report.get(..tag?)?;
        Some(before.rfind('\n')? + 1)
    };
    let end = report.rfind("<system-out>").or_else(|| report.rfind("</testsuite>"));
    let (from, to) = (line(report.find("<testcase")), line(end));
    let parts = from.zip(to).and_then(|(from, to)| {
        Some((report.get(..from)?, report.get(from..to)?, report.get(to..)?))
    });
    parts.ok_or_else(|| io::Error::other("the test cases of the JUnit report cannot be found"))
}
