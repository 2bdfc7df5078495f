//! The state of live sessions.

pub mod steps;
pub mod turn;
pub mod window;
pub mod workspace;
