//! Any text as a file of declarations: every line gets a report, and no value is lost by the form.

use tool_lint::{Rule, declarations_in, lint_list};

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    let found = declarations_in(text);
    let reports = lint_list(&found);
    assert_eq!(reports.len(), found.len());
    for report in reports {
        for finding in report.findings {
            assert!(finding.rule != Rule::ValueLost, "{finding:?}");
        }
    }
}
