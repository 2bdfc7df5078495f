//! Eval sets on disk.
//!
//! `export` appends the case that `trace-export` makes of a rehearsal or a live session, through
//! `evalset-file`. `sets` lists the files, `case_lookup` finds a case, `browse` reads them for
//! the page, `change` edits cases, and `compare` reads two cases to compare.

mod browse;
mod case_lookup;
mod change;
mod compare;
mod export;
mod sets;

pub(crate) use browse::{case, cases};
pub(crate) use change::{change, duplicate, insert, remove};
pub(crate) use compare::{ComparedCase, compare};
pub(crate) use export::{
    RehearsalExport, case_file, case_of_live, case_of_rehearsal, export, export_live, live_plan,
    preview,
};
pub(crate) use sets::{EvalSets, SetFile};
