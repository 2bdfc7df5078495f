//! The state of the pages of runs: pure values, and what is read from the host.

pub mod compare;
pub mod draft;
pub mod fetched;
pub mod ledger;
pub mod list;
pub mod models;
pub mod results;
pub mod row_keys;
pub mod run_draft;
pub mod suites;
