//! Server functions: one typed request in, the host asked through [`crate::host`], a typed answer or
//! an [`ApiError`](api::ApiError) out.
//!
//! One file per resource. A server function has no logic of its own.

#![expect(missing_docs, reason = "the structs of arguments that #[server] generates")]

mod agents;
mod calls;
mod eval_sets;
mod exports;
mod live;
mod questions;
mod reports;
mod sessions;

pub use agents::*;
pub use calls::*;
pub use eval_sets::*;
pub use exports::*;
pub use live::*;
pub use questions::*;
pub use reports::*;
pub use sessions::*;
