//! [`EvalCase`]: one scenario that is run.
//!
//! It is not a recorded case of an eval set (`evalset::EvalCase`), which says what happened once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use json_text::JsonText;
use scoring::Trace;
use scoring::measurements::Efficiency;
use scoring::state::Query;

use crate::allowed::AllowedEffects;
use crate::bridge::Bridge;
use crate::fork::Given;
use crate::gate::Gate;
use crate::given_model::{Continuation, ForkModel, GivenModel};
use crate::golden::Golden;
use crate::message::{Message, RecordedCalls};
use crate::metric::Metric;
use crate::mock::{ToolMock, ToolUse};
use crate::prices::Prices;
use crate::remedy::WrittenIn;
use crate::request_changes::RequestChanges;
use crate::rules::Rules;
use crate::subject::{Needs, Subject};
use crate::tool_fault::ToolFault;
use crate::under_way::CasesUnderWay;
use crate::user_agent::UserAgent;

/// One scenario: an agent, the world that its tools see, the users that it talks to, and what must come of
/// it.
#[derive(Clone)]
pub struct EvalCase {
    /// The name, unique in its suite.
    pub name: String,
    /// What the case is about.
    pub description: String,
    /// The agent under test.
    pub subject: Arc<dyn Subject>,
    /// The model of the subject at every depth; `None` for the models that the subject names.
    pub model: Option<GivenModel>,
    /// What its model is called, of a case that runs with several models. Its name ends with it, as
    /// [`name_with`] has it.
    pub one_of_models: Option<String>,
    /// What happens to the calls of each tool. A tool that is not named here is refused, unless `other_tools` answers.
    pub tools: HashMap<String, ToolUse>,
    /// What answers the calls of tools that `tools` does not name. Agents used as tools run their agents.
    pub other_tools: Option<ToolMock>,
    /// Those of `tools` that are for several cases, so that it is of no note if this one does not use them.
    pub shared_tools: BTreeSet<String>,
    /// Tools that the subject must have, where it shows which it has: a name in a suite may be mistyped.
    pub named_tools: BTreeSet<String>,
    /// What the given model responds when it is asked apart from the agent's turns, in order. Without any, a summary of
    /// events is a fixed text.
    pub responses_apart: Vec<String>,
    /// What the subject's own code may do: folders that it may write to, which end with `/`, programs that it may start, and
    /// hosts that it may reach, with a port or without; and parts that interception cannot see, such as `google_search`.
    pub allow: BTreeSet<String>,
    /// Who responds when the subject waits.
    pub user_agents: UserAgents,
    /// What user agents hear and how their answers are passed on.
    pub bridge: Bridge,
    /// The state before the first message: an object whose named scopes are objects in it.
    pub initial_state: JsonText,
    /// The user's first message; without one, the user agent of the conversation begins.
    pub first_message: Option<Message>,
    /// The calls of the recording that messages of the user respond to.
    pub recorded_calls: RecordedCalls,
    /// What happened before, of a fork.
    pub given: Option<Arc<Given>>,
    /// What ends the run before the subject completes.
    pub terminate_when: Termination,
    /// What is measured.
    pub metrics: Vec<Arc<dyn Metric>>,
    /// Whether `metrics` are google-adk's own criteria, since nobody has named any.
    pub has_default_metrics: bool,
    /// What the agent did when it was right. It decides on forks of a case without metrics.
    pub golden_path: Option<Arc<Trace>>,
    /// What is reported beside them, and never passes or fails.
    pub informational: Vec<Efficiency>,
    /// What goes wrong with tools on purpose.
    pub faults: Vec<ToolFault>,
    /// Decides which calls `faults` hit; the same seed hits the same calls. Each further repeat adds 1 to it.
    pub seed: u64,
    /// How often the case is run in a suite, at least 1.
    pub repeats: u32,
    /// Labels.
    pub tags: Vec<String>,
    /// What is changed in the requests to the models of the subject, which cannot be done with every subject.
    pub request_changes: RequestChanges,
    /// What the models cost, for the report.
    pub prices: Arc<Prices>,
    /// What the case was read from.
    pub source: CaseSource,
    /// The recorded case that this one is made from or compared with.
    pub golden: Option<Arc<Golden>>,
    /// The language in which errors say what to change.
    pub written_in: WrittenIn,
    /// Where the case is listed while it runs, so that a person can watch it and take a part of it over.
    pub under_way: Option<Arc<CasesUnderWay>>,
}

/// What a case was read from; empty for a case that is built in Rust.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseSource {
    /// The suite.
    pub suite: String,
    /// A hash of everything in the suite that concerns the case.
    pub content_hash: String,
    /// Hashes of what else the case takes, by name: files with functions, its golden trace, and the agent's folder.
    pub files: BTreeMap<String, String>,
}

impl CaseSource {
    /// All hashes, as a store keeps them with a result.
    #[must_use]
    pub fn hashes(&self) -> String {
        let files = self.files.iter().map(|(name, hash)| format!("\n{hash} {name}"));
        format!("{}{}", self.content_hash, files.collect::<String>())
    }

    /// What has changed since a result was stored with `hashes`.
    #[must_use]
    pub fn changed_since(&self, hashes: &str) -> Vec<Changed<'_>> {
        let mut lines = hashes.lines();
        let mut changed = Vec::new();
        if lines.next().unwrap_or_default() != self.content_hash {
            changed.push(Changed::Case);
        }
        let before: BTreeMap<&str, &str> = lines
            .filter_map(|line| line.split_once(' '))
            .map(|(hash, name)| (name, hash))
            .collect();
        let differs =
            |(name, hash): &(&String, &String)| before.get(name.as_str()) != Some(&hash.as_str());
        changed.extend(self.files.iter().filter(differs).map(|(name, _)| Changed::File(name)));
        changed
    }
}

/// What a result depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed<'c> {
    /// What the suite says of the case.
    Case,
    /// A file or folder.
    File(&'c str),
}

impl EvalCase {
    /// A case of `subject` with an empty state, without mocks, user agents and metrics.
    #[must_use]
    pub fn new(name: impl Into<String>, subject: Arc<dyn Subject>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            subject,
            model: None,
            one_of_models: None,
            tools: HashMap::new(),
            other_tools: None,
            shared_tools: BTreeSet::new(),
            named_tools: BTreeSet::new(),
            responses_apart: Vec::new(),
            allow: BTreeSet::new(),
            user_agents: UserAgents::default(),
            bridge: Bridge::default(),
            initial_state: JsonText::from_value(&serde_json::json!({})),
            first_message: None,
            recorded_calls: RecordedCalls::new(),
            given: None,
            terminate_when: Termination::default(),
            metrics: Vec::new(),
            has_default_metrics: false,
            golden_path: None,
            informational: Vec::new(),
            faults: Vec::new(),
            seed: 0,
            repeats: 1,
            tags: Vec::new(),
            prices: Arc::default(),
            request_changes: RequestChanges::default(),
            source: CaseSource::default(),
            golden: None,
            written_in: WrittenIn::default(),
            under_way: None,
        }
    }

    /// The gate of a new run.
    #[must_use]
    pub fn gate(&self) -> Gate {
        Gate::new(Rules {
            case_name: self.name.clone(),
            tools: self.tools.clone(),
            other_tools: self.other_tools.clone().map(ToolUse::Mock),
            answered_by_users: self.user_agents.tools.keys().cloned().collect(),
            named_tools: self.named_tools.clone(),
            metrics: self.metrics.clone(),
            allowed: self.allow.clone(),
            allowed_effects: self.allowed_effects(),
            seals_tools: self.subject.seals_tools(),
            asks_confirmations: self.subject.asks_confirmations(),
            faults: self.faults.clone(),
            seed: self.seed,
            written_in: self.written_in,
            recording: self.golden.as_ref().map(|it| it.recording()).unwrap_or_default(),
            model: self.model.clone(),
            request_changes: self.request_changes.clone(),
            given: self.given.clone(),
            responses_apart: self.responses_apart.clone(),
            initial_state: self.initial_state.clone(),
            scopes: self.subject.scopes(),
        })
    }

    /// What it needs of its subject before it runs.
    #[must_use]
    pub fn needs(&self) -> Needs<'_> {
        Needs { model: self.model.as_ref(), allowed: self.allowed_effects() }
    }

    fn allowed_effects(&self) -> AllowedEffects {
        AllowedEffects::of(&self.tools, &self.allow)
    }

    /// Sets what the case is about.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Sets the state before the first message: an object whose named scopes are objects in it.
    #[must_use]
    pub fn initial_state(mut self, state: JsonText) -> Self {
        self.initial_state = state;
        self
    }

    /// Sets what ends the run before the subject completes.
    #[must_use]
    pub fn terminate_when(mut self, termination: Termination) -> Self {
        self.terminate_when = termination;
        self
    }

    /// Sets what user agents hear and how their answers are passed on.
    #[must_use]
    pub fn bridge(mut self, bridge: Bridge) -> Self {
        self.bridge = bridge;
        self
    }

    /// Allows the subject's own code something, as [`EvalCase::allow`] has it.
    #[must_use]
    pub fn allow(mut self, name: impl Into<String>) -> Self {
        self.allow.insert(name.into());
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Sets what decides which calls `faults` hit.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Adds what happens to the calls of a tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, used: ToolUse) -> Self {
        self.tools.insert(name.into(), used);
        self
    }

    /// Sets what answers the calls of all other tools.
    #[must_use]
    pub fn other_tools(mut self, mock: ToolMock) -> Self {
        self.other_tools = Some(mock);
        self
    }

    /// Sets the user's first message.
    #[must_use]
    pub fn first_message(mut self, message: impl Into<Message>) -> Self {
        self.first_message = Some(message.into());
        self
    }

    /// Gives the subject a model.
    #[must_use]
    pub fn model(mut self, model: GivenModel) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets who answers when the subject ends its turn.
    #[must_use]
    pub fn user(mut self, user: Arc<dyn UserAgent>) -> Self {
        self.user_agents.conversation = Some(user);
        self
    }

    /// Sets who answers when a tool waits.
    #[must_use]
    pub fn user_for_tool(mut self, tool: impl Into<String>, user: Arc<dyn UserAgent>) -> Self {
        self.user_agents.tools.insert(tool.into(), user);
        self
    }

    /// Changes the requests to the models of the subject.
    #[must_use]
    pub fn request_changes(mut self, changes: RequestChanges) -> Self {
        self.request_changes = changes;
        self
    }

    /// Adds something that goes wrong with calls of a tool.
    #[must_use]
    pub fn fault(mut self, fault: ToolFault) -> Self {
        self.faults.push(fault);
        self
    }

    /// The case as a fork: what is given happens again, and the agent goes on from there. `then` responds in place of
    /// the model of the case.
    #[must_use]
    pub fn forked(mut self, given: Given, then: Option<GivenModel>) -> Self {
        let then = match then {
            Some(model) => Continuation::Other(Box::new(model)),
            None => Continuation::Case(self.model.take().map(Box::new)),
        };
        let responses = Arc::clone(&given.responses);
        self.model = Some(GivenModel::Fork(ForkModel { given: responses, then }));
        if let Some(message) = &given.first_message {
            self.first_message = Some(message.clone());
        }
        self.given = Some(Arc::new(given));
        self
    }

    /// Sets how often the case is run in a suite.
    #[must_use]
    pub fn repeats(mut self, repeats: u32) -> Self {
        self.repeats = repeats;
        self
    }

    /// Adds a metric.
    #[must_use]
    pub fn metric(mut self, metric: Arc<dyn Metric>) -> Self {
        self.metrics.push(metric);
        self
    }
}

/// The name of a case with one of several models: `greets [gemini-2.5-flash]`.
#[must_use]
pub fn name_with(name: &str, model: &str) -> String {
    format!("{name} [{model}]")
}

/// The name of a case without that of its model.
#[must_use]
pub fn name_without<'n>(name: &'n str, model: &str) -> &'n str {
    let without = name.strip_suffix(&format!(" [{model}]"));
    without.unwrap_or(name)
}

/// The model in the name of a case, if there may be one.
#[must_use]
pub fn model_in(name: &str) -> Option<&str> {
    name.strip_suffix(']')?.rsplit_once(" [").map(|(_, model)| model)
}

/// One run of a case.
#[derive(Clone, Copy)]
pub struct CaseRun<'a> {
    /// The case.
    pub case: &'a EvalCase,
    /// Which of its repeats, from 1.
    pub repeat: u32,
}

/// Who responds when the subject waits.
#[derive(Clone, Default)]
pub struct UserAgents {
    /// When it ends its turn. In files: `loop`.
    pub conversation: Option<Arc<dyn UserAgent>>,
    /// When a tool waits, by the tool's name.
    pub tools: HashMap<String, Arc<dyn UserAgent>>,
}

/// What ends a run before the subject completes.
#[derive(Debug, Clone, Default)]
pub struct Termination {
    /// How often the subject may wait for the user and be resumed.
    pub max_turns: Option<u32>,
    /// How long the run may take.
    pub max_duration: Option<Duration>,
    /// A condition on the state, looked at whenever the subject waits.
    pub state_matches: Option<Query>,
}
