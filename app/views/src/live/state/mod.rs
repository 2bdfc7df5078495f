//! The state of live sessions.

pub mod heights;
pub mod list;
pub mod steps;
pub mod turn;
pub mod window;
pub mod workspace;
