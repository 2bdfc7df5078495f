//! What arranges: one file per page.

mod agents;
mod not_found;

pub use agents::AgentsPage;
pub use not_found::NotFoundPage;
