//! Child processes that get lines and answer with lines.

mod call_process;
mod call_processes;
mod line_process;

pub(crate) use self::call_process::{CallProcess, StartError};
pub use self::call_processes::CallProcesses;
pub(crate) use self::line_process::{LineProcess, Request};
