//! [`Shared`]: what the wrapped parts of one case have in common.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use eval::gate::Gate;
use eval::model::{Models, PersonSession};
use tokio_util::sync::CancellationToken;

use crate::waits::Waits;

/// What the wrappers of one case share.
pub(crate) struct Shared {
    pub(crate) gate: Arc<Gate>,
    /// With which a model is reached that the case names.
    pub(crate) models: Models,
    pub(crate) waits: Arc<Waits>,
    /// Ends the run of the framework from within a call.
    pub(crate) cancellation: CancellationToken,
    calls: Mutex<Calls>,
}

struct Calls {
    /// Random, so that ids cannot be guessed.
    prefix: u64,
    /// The ids that wrapped models gave.
    ids: HashSet<String>,
    /// The names of the models, by agent.
    models: HashMap<String, String>,
    /// The names of the tools that were wrapped.
    tools: BTreeSet<String>,
    /// Whether there are toolsets, which list their tools later.
    has_toolsets: bool,
}

impl Shared {
    pub(crate) fn new(gate: &Arc<Gate>, models: &Models) -> Self {
        Self {
            gate: Arc::clone(gate),
            models: models.clone(),
            waits: Arc::default(),
            cancellation: CancellationToken::new(),
            calls: Mutex::new(Calls {
                prefix: RandomState::new().build_hasher().finish(),
                ids: HashSet::new(),
                models: HashMap::new(),
                tools: BTreeSet::new(),
                has_toolsets: false,
            }),
        }
    }

    /// The live session of this run.
    pub(crate) fn person(&self) -> PersonSession {
        self.models.person(self.gate.case_name()).in_run(self.gate.run_id())
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id for a call that a wrapped model makes. The model's own may be missing or repeat, and a model that was not
    /// wrapped must not give an id that was given here, by chance or by counting.
    pub(crate) fn call_id(&self) -> String {
        let calls = &mut *self.calls();
        let id = format!("call-{:016x}-{}", calls.prefix, calls.ids.len() + 1);
        calls.ids.insert(id.clone());
        id
    }

    /// The id that a call had in the run that this one is a fork of.
    pub(crate) fn given_id(&self, id: String) -> String {
        self.calls().ids.insert(id.clone());
        id
    }

    /// Whether a wrapped model made this call.
    pub(crate) fn is_ours(&self, call_id: &str) -> bool {
        self.calls().ids.contains(call_id)
    }

    /// Notes a tool.
    pub(crate) fn note_tool(&self, name: &str) {
        self.calls().tools.insert(name.to_owned());
        self.gate.note_tools([name.to_owned()]);
    }

    /// Notes that there is a toolset.
    pub(crate) fn note_toolset(&self) {
        self.calls().has_toolsets = true;
    }

    /// That the case changes a tool that the factory did not wrap; `None` if it may have been.
    pub(crate) fn unknown_tool(&self) -> Option<String> {
        let calls = self.calls();
        let known: Vec<&str> = calls.tools.iter().map(String::as_str).collect();
        let unknown = self.gate.request_changes().unknown_tool(&known);
        unknown.filter(|_| !calls.has_toolsets)
    }

    /// Notes the model of an agent.
    pub(crate) fn note_model(&self, agent: &str, model: &str) {
        self.calls().models.insert(agent.to_owned(), model.to_owned());
    }

    /// The name of an agent's model; empty if the factory wrapped none under the agent's name.
    pub(crate) fn model_of(&self, agent: &str) -> String {
        self.calls().models.get(agent).cloned().unwrap_or_default()
    }

    /// Ends the run of the framework and never returns to the caller, which would go on with the agent.
    pub(crate) async fn end_run<T>(&self) -> T {
        self.cancellation.cancel();
        std::future::pending().await
    }
}
