//! Doorways: one typed request in, the host's port asked, a typed answer or an [`ApiError`] out.
//!
//! One file per resource. A server function has no logic of its own.

#![expect(missing_docs, reason = "the structs of arguments that #[server] generates")]

#[macro_use]
mod id;

mod agents;
mod calls;
mod error;
mod evalsets;
mod events;
mod exports;
mod live;
mod questions;
mod reports;
mod sessions;

pub use agents::*;
pub use calls::*;
pub use error::*;
pub use evalsets::*;
pub use events::*;
pub use exports::*;
pub use live::*;
pub use questions::*;
pub use reports::*;
pub use sessions::*;
