//! Stored eval runs: the list of them, one of them with its results, one result with what happened in it, and forks.

mod act;
mod case_run;
mod compare;
mod fork_panel;
mod fork_run;
mod fork_tools;
mod head;
mod keep;
mod ledger;
mod list;
mod metrics;
mod models;
mod reader;
mod rerun;
mod results;
mod run_form;
mod sessions;
pub mod state;
mod suites;
mod trend;
mod under_way;
mod verdict;

pub use list::Runs;
pub use reader::{NoSuchRun, RunReader};
pub use run_form::open_form;
