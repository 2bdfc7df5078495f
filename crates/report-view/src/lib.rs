//! A JSON report to read: checked with the place of every fault, its cases filtered and sorted, the
//! spread of each criterion's scores, what a score rests on, the words in which two texts differ, and
//! what changed since a baseline.
//!
//! The shapes are `scoring`'s; drawing and files are left to others.

mod change;
mod error;
mod evidence;
mod marks;
mod read;
mod report;
mod rows;
mod spread;

pub use change::{CaseChange, Change, Changes};
pub use error::ReadError;
pub use evidence::{Call, CallRow, Condition, Part, Rubric, evidence, reason};
pub use marks::{TextPart, marked};
pub use read::read;
pub use report::Report;
pub use rows::{Asked, Column, Row, Sorting, rows};
pub use scoring::report::{CaseVerdict, CriterionResult, EvalCaseResult, figure, short_figure};
pub use spread::{Bar, Spread};
