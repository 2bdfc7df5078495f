//! JSON reports: the list of them, and one to read.

mod detail;
mod distribution;
mod list;
mod open_file;
mod reader;
mod run_timeline;
pub mod state;
mod table;

pub use list::Reports;
pub use reader::ReportReader;
