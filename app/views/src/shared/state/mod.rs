//! The state of what several areas draw.

pub mod catalogue;
pub mod markdown;
pub mod placeholders;
pub mod settled;
