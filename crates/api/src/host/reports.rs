//! [`ReportHost`]: JSON reports in the configured folders.

use crate::ReportList;

super::host_functions! {
    /// JSON reports in the configured folders.
    trait ReportHost;

    /// The reports in the configured folders.
    "list_reports": fn list_reports() -> ReportList;
}
