//! Code that the commands of the project share: paths, running programs, progress and stamp files.

pub mod process;
pub mod progress;
pub mod registry;
pub mod stamp;
pub mod workspace;
