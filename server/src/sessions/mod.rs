//! The host's share of each session: the tool context's owner, the call under way, large results.
//!
//! The page owns the history. The host holds only what must not cross to the browser and back, for
//! as long as the page shows signs of life and ten minutes longer.

mod calls;
mod held;
mod open;

pub(crate) use calls::Calls;
pub(crate) use open::{HostSession, Sessions};
