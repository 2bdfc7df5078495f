//! Eval sets on disk: a completed session becomes a case in the agent's file.
//!
//! `golden_trace` makes the case of a rehearsal, `live_case` that of a live session, `export` has it
//! appended; the file itself is `evalset-file`'s.
//! `sets` knows which files there are, `browse` reads them for the page, `case_view` makes one case
//! into steps to read, `change` edits cases, and `compare` holds one against another.

mod browse;
mod case_view;
mod change;
mod compare;
mod export;
mod golden_trace;
mod live_case;
mod sets;

pub(crate) use browse::{blocking, case, cases};
pub(crate) use change::{change, duplicate, insert, remove};
pub(crate) use compare::{Held, compare};
pub(crate) use export::{case_of_live, case_of_rehearsal, export, export_live, live_plan};
pub(crate) use live_case::Openings;
pub(crate) use sets::{SetFile, Sets};
