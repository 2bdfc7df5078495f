//! The state of a rehearsal in its workspace.

pub mod export_preview;
pub mod replay;
pub mod workspace;
