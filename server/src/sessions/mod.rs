//! The host's part of each session: its agent session, the running call, and large results.
//!
//! The page owns the history. The host keeps only what must not reach the browser, until ten
//! minutes after the page's last keep-alive, and large results longer.

mod calls;
mod open;
mod opened_resources;
mod stored_results;

pub(crate) use calls::Calls;
pub(crate) use open::{HostSession, Sessions, Start};
pub(crate) use opened_resources::RESOURCES_ROUTE;
pub(crate) use stored_results::StoredResults;
