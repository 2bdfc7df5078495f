//! The pages, one file for each.

mod agents;
mod eval_set;
mod eval_sets;
mod live;
mod not_found;
mod rehearse;
mod reports;

pub use agents::AgentsPage;
pub use eval_set::EvalSetPage;
pub use eval_sets::EvalSetsPage;
pub use live::{LivePage, LiveSessionPage};
pub use not_found::NotFoundPage;
pub use rehearse::RehearsePage;
pub use reports::{ReportPage, ReportsPage};
