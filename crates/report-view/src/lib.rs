//! Parses and checks JSON reports, filters and sorts their cases, and computes the distribution of
//! scores, the evidence for a score, word differences of two texts, and changes since a baseline.
//!
//! The types are those of `scoring`. Left to others: drawing and files.

mod change;
mod distribution;
mod error;
mod evidence;
mod read;
mod report;
mod rows;
mod word_diff;
mod written;

pub use change::Changes;
pub use distribution::{Bar, Distribution};
pub use error::ReadError;
pub use evidence::{Call, CallRow, Condition, Part, Rubric, evidence, reason};
pub use read::read;
pub use report::Report;
pub use rows::{Asked, Column, Row, Sorting, rows};
pub use scoring::report::{
    CaseChange, CaseVerdict, Change, CriterionResult, EvalCaseResult, EvalRun, RunStatus,
    TimelineEntry, figure, figures_apart, short_figure, timeline,
};
pub use scoring::statistics::PairedDifference;
pub use word_diff::{TextPart, marked};
