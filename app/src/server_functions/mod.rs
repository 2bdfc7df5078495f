//! Server functions, one file for each resource. Each passes a typed request to the host through
//! [`crate::host`], and returns a typed response or an [`ApiError`](api::ApiError). They contain no
//! logic.

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
