//! Converts rehearsals and live sessions to eval cases, and compares traces.
//!
//! [`eval_case`] makes a case of a completed rehearsal, [`run_case`] of a result of an eval run, [`live_case`] of the
//! chosen turns of a live session, and [`compare`] aligns the turns and calls of two traces. Everything is a pure function:
//! nothing here reads a file or a clock.

mod adk_response;
mod call_ids;
mod comparison;
mod given;
mod live_case;
mod python_json;
mod rehearsal_case;
mod run_case;
mod serialized;

pub use call_ids::call_ids;
pub use comparison::{Comparison, compare};
pub use given::{InvalidId, given_id, tags};
pub use live_case::{Openings, live_case, root, runs};
pub use rehearsal_case::{CaseOptions, LostResults, eval_case};
pub use run_case::{KeptRun, run_case};
pub use serialized::object;
