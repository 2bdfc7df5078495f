//! The types that cross between the page and the host: arguments and results of server functions,
//! events of the page's WebSocket, and [`ApiError`], the one error that reaches the browser.
//!
//! One file per resource. The server functions that carry these types are in `app`; the host converts
//! its own types to these.

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
