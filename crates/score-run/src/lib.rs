//! Reads the cases of both sides, pairs them, and scores them with several threads, in order.
//!
//! Cases are streamed: only those in progress are in memory, and a few bytes with the place of each
//! actual case that is out of order. ADK's history files are read as a whole; they are short.
//!
//! Left to others: what a case is (`evalset`), how it is scored (`scoring`), reports
//! (`score-report`), and the command line.

mod actual;
mod case_filter;
mod error;
mod facts;
mod file;
mod line_index;
mod pairing;
mod pairs;
mod run;
mod set_header;
mod stream;
mod task;
mod worker_pool;

pub use case_filter::CaseFilter;
pub use error::RunError;
pub use pairing::Pairing;
pub use run::{RunSummary, ScoreRun, run, run_pairs};
pub use set_header::{SetHeader, read_set_header};
pub use task::Pair;
