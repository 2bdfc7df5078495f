//! The state of an eval set.

pub mod case_edits;
