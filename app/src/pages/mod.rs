//! What arranges: one file per page.

mod agents;
mod not_found;
mod rehearse;
mod scene;

pub use agents::AgentsPage;
pub use not_found::NotFoundPage;
pub use rehearse::RehearsePage;
