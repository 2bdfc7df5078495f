//! What the project's own commands share: where things lie, running programs aloud, knowing that
//! nothing changed.

pub mod process;
pub mod progress;
pub mod stamp;
pub mod workspace;
