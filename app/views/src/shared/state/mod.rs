//! The state of what several areas draw.

pub mod catalog;
pub mod debounced;
pub mod markdown;
pub mod placeholders;
