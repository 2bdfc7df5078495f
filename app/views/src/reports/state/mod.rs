//! The state of reports.

pub mod report_state;
