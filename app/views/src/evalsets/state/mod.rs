//! The state of an eval set.

pub mod case_edits;
pub mod case_list;
