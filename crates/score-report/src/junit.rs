//! The report as JUnit's XML: a failed case is a failure, one that could not be scored at all an
//! error, an unscored one is skipped.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use scoring::report::CaseVerdict;

use crate::report::Total;
use crate::scored::ScoredCase;

pub(crate) fn case(case: &ScoredCase) -> TestCase {
    let result = &case.result;
    let reasons = |wanted: Option<bool>| {
        let misses = case.misses().into_iter().filter(|miss| miss.result.passed == wanted);
        misses.map(|miss| miss.line()).collect::<Vec<_>>().join("\n")
    };
    let status = match result.verdict() {
        CaseVerdict::Passed => TestCaseStatus::success(),
        CaseVerdict::Unscored => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reasons(None));
            status
        }
        CaseVerdict::Failed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let told = reasons(Some(false));
            status.set_message(told.lines().next().unwrap_or_default().to_owned());
            status.set_type("failed").set_description(told);
            status
        }
        CaseVerdict::Error => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type("error").set_message(result.error.clone().unwrap_or_default());
            status
        }
    };
    let mut case = TestCase::new(result.eval_id.clone(), status);
    case.set_time(Duration::try_from_secs_f64(result.duration_seconds).unwrap_or_default());
    case
}

#[derive(Debug, Default)]
pub(crate) struct Junit {
    cases: Vec<TestCase>,
}

impl Junit {
    pub(crate) fn take(&mut self, case: TestCase) {
        self.cases.push(case);
    }

    pub(crate) fn finish(mut self, total: &Total<'_>, out: &mut impl Write) -> io::Result<()> {
        let set = &total.heading.eval_set_id;
        for case in &mut self.cases {
            case.set_classname(set.as_str());
        }
        let time = Duration::try_from_secs_f64(total.ending.duration_seconds).unwrap_or_default();
        let mut suite = TestSuite::new(set.as_str());
        suite.set_time(time).add_test_cases(self.cases);
        let mut report = Report::new("rehearsal score");
        report.set_time(time).add_test_suite(suite);
        report.serialize(out).map_err(io::Error::other)
    }
}
