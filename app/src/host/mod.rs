//! The traits that the host implements for the server functions, one for each resource.
//!
//! For each request the host [`provide`]s its implementations in Leptos' context, where the server
//! functions find them. A test provides a fake of the one trait that it needs.

mod agents;
mod calls;
mod eval_sets;
mod live;
mod live_turns;
mod rehearsals;
mod reports;

use std::sync::Arc;

use api::ApiError;
use leptos::prelude::{provide_context, use_context};

pub use agents::AgentHost;
pub use calls::CallHost;
pub use eval_sets::EvalSetHost;
pub use live::LiveHost;
pub use live_turns::LiveTurnHost;
pub use rehearsals::RehearsalHost;
pub use reports::ReportHost;

/// Provides `host` to the server functions of this request. `Host` is one of the traits of this
/// module, such as `dyn AgentHost`.
pub fn provide<Host: ?Sized + Send + Sync + 'static>(host: Arc<Host>) {
    provide_context(host);
}

fn provided<Host: ?Sized + Send + Sync + 'static>(what: &str) -> Result<Arc<Host>, ApiError> {
    // Missing only if a route does not provide it.
    use_context::<Arc<Host>>().ok_or_else(|| ApiError::Internal(format!("find its {what}")))
}

/// The agents behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were [`provide`]d.
pub fn agents() -> Result<Arc<dyn AgentHost>, ApiError> {
    provided("agents")
}

/// The rehearsals behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were [`provide`]d.
pub fn rehearsals() -> Result<Arc<dyn RehearsalHost>, ApiError> {
    provided("rehearsals")
}

/// The eval sets behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were [`provide`]d.
pub fn eval_sets() -> Result<Arc<dyn EvalSetHost>, ApiError> {
    provided("eval sets")
}

/// The reports behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were [`provide`]d.
pub fn reports() -> Result<Arc<dyn ReportHost>, ApiError> {
    provided("reports")
}

/// The live sessions behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were [`provide`]d.
pub fn live_sessions() -> Result<Arc<dyn LiveHost>, ApiError> {
    provided("live sessions")
}

/// The tool calls behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were [`provide`]d.
pub fn calls() -> Result<Arc<dyn CallHost>, ApiError> {
    provided("calls")
}

/// The turns of live sessions behind this request.
///
/// # Errors
/// [`ApiError::Internal`] when none were [`provide`]d.
pub fn live_turns() -> Result<Arc<dyn LiveTurnHost>, ApiError> {
    provided("live turns")
}
