//! [`ComparisonHost`]: comparisons of cases, sessions and live sessions with an expected case.

use crate::{Actual, CaseComparison, CaseName};

super::host_functions! {
    /// Comparisons of cases, sessions and live sessions with an expected case.
    trait ComparisonHost;

    /// Compares `actual` with the case `expected`.
    "compare_cases": fn compare_cases(expected: CaseName, actual: Actual) -> CaseComparison;
}
