//! Two sides' files read case by case, paired, and scored by several threads in order.
//!
//! Cases are streamed: in memory are those under way, and of each case on the actual side that
//! stands elsewhere than its partner a few bytes that say where. ADK's history is read as a whole; it
//! is short.
//!
//! Left to others: what a case is (`evalset`), how it is scored (`scoring`), what is written of it
//! (`score-report`), and from what was typed to paths.

mod actual;
mod choice;
mod crew;
mod error;
mod file;
mod heading;
mod lines;
mod order;
mod pairing;
mod pairs;
mod plain;
mod room;
mod stream;
mod task;

pub use choice::Choice;
pub use error::RunError;
pub use heading::{SetHeading, heading};
pub use order::{Order, Ran, run, run_pairs};
pub use pairing::Pairing;
pub use task::Pair;
