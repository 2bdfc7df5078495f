//! [`Rules`]: what a case says of the calls of its subject, and of what the subject can.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use json_text::JsonText;

use crate::allowed::AllowedEffects;
use crate::fork::Given;
use crate::given_model::GivenModel;
use crate::metric::Metric;
use crate::mock::ToolUse;
use crate::recorded::Recording;
use crate::remedy::WrittenIn;
use crate::request_changes::RequestChanges;
use crate::scopes::Scopes;
use crate::tool_fault::ToolFault;

/// What decides the calls of a run, and the responses of a given model.
pub(crate) struct Rules {
    /// The name of the case.
    pub(crate) case_name: String,
    /// What happens to the calls of each tool.
    pub(crate) tools: HashMap<String, ToolUse>,
    /// What happens to the calls of others.
    pub(crate) other_tools: Option<ToolUse>,
    /// The tools that have a user agent.
    pub(crate) answered_by_users: HashSet<String>,
    /// Tools that the subject must have.
    pub(crate) named_tools: BTreeSet<String>,
    /// What is measured, which looks for names of the subject.
    pub(crate) metrics: Vec<Arc<dyn Metric>>,
    /// What the case allows, by name.
    pub(crate) allowed: BTreeSet<String>,
    /// The same as effects.
    pub(crate) allowed_effects: AllowedEffects,
    /// Whether the subject can run tools without effects.
    pub(crate) seals_tools: bool,
    /// Whether the subject calls a tool again that has asked for a confirmation.
    pub(crate) asks_confirmations: bool,
    /// What goes wrong with tools on purpose.
    pub(crate) faults: Vec<ToolFault>,
    /// Decides which calls `faults` hit.
    pub(crate) seed: u64,
    /// The language in which errors say what to change.
    pub(crate) written_in: WrittenIn,
    /// What the tools of the recorded case did; empty without one.
    pub(crate) recording: Recording,
    /// The model that the case gives.
    pub(crate) model: Option<GivenModel>,
    /// What is changed in requests to models.
    pub(crate) request_changes: RequestChanges,
    /// What happened in the run that this one is a fork of.
    pub(crate) given: Option<Arc<Given>>,
    /// What it responds apart from the agent's turns.
    pub(crate) responses_apart: Vec<String>,
    /// The state before the first message.
    pub(crate) initial_state: JsonText,
    /// Where the scopes are in the state.
    pub(crate) scopes: Scopes,
}
