//! Eval sets on disk: a completed session becomes a case in the agent's file.
//!
//! `trace-export` makes the case of a rehearsal or of a live session, `export` has it appended; the file
//! itself is `evalset-file`'s.
//! `sets` knows which files there are, `browse` reads them for the page, `case_view` makes one case
//! into steps to read, `change` edits cases, and `compare` reads two to be compared.

mod browse;
mod case_view;
mod change;
mod compare;
mod export;
mod sets;

pub(crate) use browse::{blocking, case, cases};
pub(crate) use change::{change, duplicate, insert, remove};
pub(crate) use compare::{Held, compare};
pub(crate) use export::{case_of_live, case_of_rehearsal, export, export_live, live_plan};
pub(crate) use sets::{SetFile, Sets};
