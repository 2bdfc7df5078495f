//! The types that cross between the page and the host: arguments and results of server functions,
//! events of the page's WebSocket, and [`ApiError`], the one error that reaches the browser.
//!
//! One file per resource. `host` (a feature) has the server functions, and the traits that the host implements
//! for them.

#[macro_use]
mod id;

mod agents;
mod calls;
mod error;
mod evalsets;
mod events;
mod exports;
#[cfg(feature = "host")]
pub mod host;
mod live;
mod questions;
mod reports;
mod runs;
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
pub use runs::*;
pub use sessions::*;
