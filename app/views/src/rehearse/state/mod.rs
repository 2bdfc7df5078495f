//! The state of a rehearsal in its workspace.

pub mod replay;
pub mod workspace;
