//! Scored cases, and reports of many of them in every form.
//!
//! A case becomes a [`ReportPart`] of a report on whichever thread has scored it; a [`Report`] puts the
//! pieces together in their order and holds no more of them than its form needs: nothing for text
//! and JSON, what it lists for Markdown, a line of each case for JUnit and HTML.
//!
//! Left to others: reading files, pairing cases, clocks, the place that a report is written to.

mod baseline;
mod details;
mod escape;
mod excerpt;
mod form;
mod html;
mod json;
mod junit;
mod markdown;
mod report;
mod report_part;
mod scored;
mod text;
mod total;

pub use baseline::Baseline;
pub use form::Form;
pub use report::Report;
pub use report_part::ReportPart;
pub use scored::{FailedCriterion, ScoredCase};
pub use total::{Ending, Heading};
