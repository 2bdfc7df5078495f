//! The state of live sessions.

pub mod stage;
pub mod steps;
pub mod turn;
pub mod window;
