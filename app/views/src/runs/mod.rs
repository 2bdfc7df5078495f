//! Stored eval runs: the list of them, one of them with its results, one result with what happened in it, and forks.

mod address;
mod case_run;
mod fork_panel;
mod fork_run;
mod fork_tools;
mod give_again;
mod head;
mod keep;
mod ledger;
mod list;
mod metrics;
mod reader;
mod rerun;
mod results;
mod sessions;
pub mod state;
mod trend;
mod verdict;

pub use give_again::{GivenAgain, use_giving_again};
pub use list::Runs;
pub use reader::{NoSuchRun, RunReader};
