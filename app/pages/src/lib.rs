//! The document, the routes and the pages behind them, compiled twice: for the browser, and for the host's first
//! paint. What a page draws beyond its first paint is in `views`, which the browser loads on demand.

#![recursion_limit = "256"]
#![allow(unreachable_pub, reason = "#[component] makes its function pub; parts of pages are not")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "a component's props are values, whether it consumes them or only looks"
)]

mod agent_card;
mod agents;
mod bars;
mod command_palette;
mod eval_set;
mod eval_sets;
mod list_page;
mod live;
mod not_found;
mod rehearse;
mod reports;
mod runs;
mod shell;

use agents::AgentsPage;
use eval_set::EvalSetPage;
use eval_sets::EvalSetsPage;
use live::{LivePage, LiveSessionPage};
use not_found::NotFoundPage;
use rehearse::RehearsePage;
use reports::{ReportPage, ReportsPage};
use runs::RunsPage;
pub use shell::{App, MARKUP, shell};

use app::state::base_path::provide_base_path;
use app::state::document_login::provide_login_name;

/// Provides to the document that the host draws the path below which it is served, and the name of the login.
pub fn provide(base_path: &str, login: Option<String>) {
    provide_base_path(base_path);
    if let Some(name) = login {
        provide_login_name(name);
    }
}
