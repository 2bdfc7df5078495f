//! Eval runs that the host's store has, and their forks.

use json_text::JsonText;
use report_view::{Change, RunStatus};
use serde::{Deserialize, Serialize};
use session::AgentId;

/// The stored runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunList {
    /// The runs, the newest first.
    pub runs: Vec<RunSummary>,
    /// The file that stores them, for people.
    pub store: String,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Its number in the store, from 1.
    pub run: i64,
    /// The files of its suites.
    pub suites: Vec<String>,
    /// When it began, in milliseconds since 1970.
    pub began: i64,
    /// Its results.
    pub counts: RunCounts,
    /// The durations of all its cases together, in milliseconds.
    pub duration_ms: u64,
    /// Tokens that the models of its agents used.
    pub tokens: u64,
    /// What all its models cost, in the currency of the suites' prices; `None` without prices.
    pub cost: Option<f64>,
    /// What it is a fork of.
    pub fork_of: Option<RunFork>,
    /// The recorded case that it gives again, so that it can be forked.
    pub recorded: Option<RecordedKind>,
    /// Whether a program runs its cases now.
    pub is_running: bool,
    /// How many results it has in the end; `None` if another program runs it, or it has ended.
    pub planned: Option<u64>,
}

impl RunSummary {
    /// Whether it has run its suites: it is neither a fork, nor a recorded case that is given again.
    #[must_use]
    pub fn is_of_suites(&self) -> bool {
        self.fork_of.is_none() && self.recorded.is_none()
    }
}

/// What recorded a case that a run gives again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RecordedKind {
    /// A case of an eval set.
    Case,
    /// A session of `adk web`.
    AdkSession,
    /// A rehearsal.
    Rehearsal,
}

/// How many results of a run have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCounts {
    /// Every metric passed.
    pub passed: u64,
    /// A metric failed.
    pub failed: u64,
    /// A limit ended it.
    pub terminated: u64,
    /// It could not be run to its end.
    pub errors: u64,
    /// No metric failed, and some have no result.
    pub unscored: u64,
}

impl RunCounts {
    /// All results.
    #[must_use]
    pub fn all(&self) -> u64 {
        let Self { passed, failed, terminated, errors, unscored } = self;
        passed + failed + terminated + errors + unscored
    }

    /// Counts `results` with this verdict.
    pub fn add(&mut self, status: RunStatus, results: u64) {
        *match status {
            RunStatus::Passed => &mut self.passed,
            RunStatus::Failed => &mut self.failed,
            RunStatus::Terminated => &mut self.terminated,
            RunStatus::Error => &mut self.errors,
            RunStatus::Unscored => &mut self.unscored,
        } += results;
    }
}

/// What a run is a fork of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFork {
    /// The result that was forked.
    pub of: CaseRunId,
    /// The step, from 1.
    pub step: usize,
    /// What happens at the step in place of what happened there, as `rehearsal fork --edit` reads it; `None` for the
    /// continuations without an edit.
    pub edit: Option<JsonText>,
    /// What is changed in every request to a model, as `rehearsal fork --change` reads it; `None` for nothing.
    pub changes: Option<JsonText>,
    /// Who goes on; `None` for the model of the case.
    pub then: Option<String>,
    /// What tools do from the step on, by name, as `rehearsal fork --tool` reads it; the others do what the case says.
    #[serde(default)]
    pub tools: Vec<(String, String)>,
    /// Of continuations with an edit, the run of those without it.
    pub without: Option<i64>,
}

/// Names a result.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CaseRunId {
    /// The run.
    pub run: i64,
    /// The file of the suite.
    pub suite: String,
    /// The name of the case.
    pub case: String,
    /// The repeat, from 1.
    pub repeat: u32,
}

/// A run with its results, without their ledgers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDetail {
    /// The run.
    pub summary: RunSummary,
    /// Its results, in the order of suites, names and repeats.
    pub cases: Vec<CaseRunSummary>,
    /// The cases that are running, if this host runs them, in the order in which they began.
    pub under_way: Vec<CaseUnderWay>,
    /// The forks of its results, the newest first.
    pub forks: Vec<RunSummary>,
    /// The run of its suites that it is compared with unless another one is chosen: the one before it, or else the one
    /// after it.
    pub compared_with: Option<i64>,
}

/// A case that this host is running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseUnderWay {
    /// Its name.
    pub id: CaseRunId,
    /// Milliseconds since it began.
    pub lasted_ms: u64,
    /// How many events it has so far.
    pub events: u64,
    /// The live session in which people are asked for it, by its name. It is there once one has been asked.
    pub session: String,
    /// What a person can take over.
    pub places: Vec<PlaceUnderWay>,
}

/// A part of a case that is running.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlaceUnderWay {
    /// `agent`, `user` or `tool NAME`.
    pub place: String,
    /// Whether a person has taken it over.
    pub is_taken: bool,
}

/// A run beside another one of its suites. Only results of suites that both have are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunComparison {
    /// The run.
    pub run: i64,
    /// The run that it is compared with.
    pub with: i64,
    /// The runs that it can be compared with, the newest first.
    pub others: Vec<RunSummary>,
    /// The results of both: by case and repeat, in the order in which a reader should see them, regressions first.
    pub results: Vec<ComparedResult>,
    /// The difference of the pass rates over the cases in both, with its 95 % interval, in a sentence without a full
    /// stop; `None` if no case has a verdict in both.
    pub difference: Option<String>,
    /// Whether a program runs cases of either now.
    pub is_running: bool,
}

/// A result beside that of the other run. At least one of both is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedResult {
    /// What has changed.
    pub change: Change,
    /// The score now less the score then, in the mean of the metrics that both have.
    pub by: f64,
    /// The result in the other run.
    pub before: Option<CaseRunSummary>,
    /// The result in the run.
    pub after: Option<CaseRunSummary>,
}

/// A result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRunSummary {
    /// Its name.
    pub id: CaseRunId,
    /// What its model is called, of a case that runs with several models. The name of the case ends with it:
    /// `greets [gemini-2.5-flash]`.
    pub model: Option<String>,
    /// The labels of its case.
    pub tags: Vec<String>,
    /// Of an error, what went wrong, such as `unmocked_tool`.
    pub code: Option<String>,
    /// The verdict.
    pub status: RunStatus,
    /// Why it did not pass, in a sentence without a full stop.
    pub why: Option<String>,
    /// Its metrics.
    pub metrics: Vec<MetricSummary>,
    /// How often the agent waited for the user and was resumed.
    pub turns: u32,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Tokens that the models of the agent used.
    pub tokens: u64,
    /// What all its models cost, in the currency of the suite's prices; `None` without prices.
    pub cost: Option<f64>,
    /// The beginning of what the agent said last; empty if it said nothing.
    pub said: String,
    /// Whether a person is to say whether it passes.
    pub waits_for_verdict: bool,
}

/// A metric of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSummary {
    /// Its name.
    pub name: String,
    /// The verdict; `None` if it has no result.
    pub passed: Option<bool>,
    /// The score, where it has one.
    pub score: Option<f64>,
    /// Why.
    pub evidence: Vec<String>,
}

/// A result with everything that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRun {
    /// The result.
    pub summary: CaseRunSummary,
    /// What of the case had no effect, such as a mock that was never used.
    pub notes: Vec<String>,
    /// The condition that ended the run before the agent completed, such as `max_turns`.
    pub termination_reason: Option<String>,
    /// The ledger: a list of everything that happened.
    pub events: JsonText,
    /// The places at which it can fork, in order.
    pub steps: Vec<StepView>,
    /// The tools that the agent showed, in order of their names.
    pub tools: Vec<String>,
    /// The recorded case that it gives again, or of which it is a fork.
    pub recorded: Option<RecordedKind>,
    /// Whether it is a continuation of a fork.
    pub is_fork: bool,
    /// The repeats of the case in this run, from 1.
    pub repeats: Vec<u32>,
    /// The forks of this result, the newest first.
    pub forks: Vec<RunSummary>,
    /// Set while the case is running: then the events are those so far, without a verdict.
    pub under_way: Option<CaseUnderWay>,
}

/// A place at which a run can fork. The first one is step 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// The place of its first event in the ledger, from 0.
    pub event: usize,
    /// What was done.
    pub kind: StepViewKind,
    /// Who did it: `user`, the agent, the tool.
    pub who: String,
    /// What happened, as an edit that changes nothing.
    pub edit: JsonText,
}

/// What was done at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StepViewKind {
    /// The user sent a message.
    Message,
    /// The user answered a call that waited.
    Answer,
    /// The model of an agent responded.
    Response,
    /// A tool returned.
    Result,
}

/// A fork to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkRequest {
    /// The result that forks.
    pub of: CaseRunId,
    /// The step, from 1.
    pub step: usize,
    /// What happens at the step; `None` to do it again.
    pub edit: Option<JsonText>,
    /// What is changed in every request to a model; `None` for nothing.
    pub changes: Option<JsonText>,
    /// The model that goes on; `None` for the model of the case.
    pub then: Option<String>,
    /// How often the agent goes on, on each side.
    pub times: u32,
    /// What tools do from the step on, by name, as `rehearsal fork --tool` reads it; the others do what the case says.
    pub tools: Vec<(String, String)>,
    /// Whether a person says which continuations pass, in place of the metrics of the case, or of its golden path if it has
    /// none.
    pub by_person: bool,
}

/// A fork, and what its continuations show so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkView {
    /// What was forked.
    pub fork: RunFork,
    /// The continuations with the edit; without an edit, all of them.
    pub with: ForkSide,
    /// The continuations without the edit.
    pub without: Option<ForkSide>,
    /// What they show; `None` while none has ended.
    pub sentence: Option<String>,
    /// Whether continuations are running.
    pub is_running: bool,
    /// Why the last attempt to run them stopped early.
    pub fault: Option<String>,
}

/// One side of a fork.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForkSide {
    /// The run that stores it.
    pub run: i64,
    /// How many continuations it has in the end.
    pub times: u32,
    /// How many passed.
    pub passed: u64,
    /// How many count.
    pub counted: u64,
    /// Those that have ended.
    pub results: Vec<CaseRunSummary>,
}

/// A recorded case to give again, so that it can be forked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordedRequest {
    /// A session of `adk web` with an agent.
    Session {
        /// The agent.
        agent: AgentId,
        /// The id of the session.
        session: String,
    },
    /// A case of an agent: of an eval set, or of a rehearsal that has ended a turn.
    Case {
        /// The agent.
        agent: AgentId,
        /// What recorded it.
        kind: RecordedKind,
        /// The case as google-adk writes it, or an eval set with it as its only case.
        text: JsonText,
    },
}

/// A run in which a person acts as the model of every agent, through the agent's own runner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActRequest {
    /// The agent.
    pub agent: AgentId,
    /// The user's first message.
    pub message: String,
    /// The initial state, a JSON object; `None` for an empty one.
    pub state: Option<JsonText>,
    /// What every tool does.
    pub tools: ActedTools,
}

/// What the tools of an agent do while a person acts through its runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ActedTools {
    /// They run, with all their effects.
    Real,
    /// They run and can change their session, and nothing else.
    Sealed,
    /// A person says what they return.
    Person,
}

/// A session of `adk web` with an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdkSession {
    /// The agent.
    pub agent: AgentId,
    /// The name of the agent.
    pub agent_name: String,
    /// The id of the session.
    pub session: String,
    /// When something happened in it last, in milliseconds since 1970.
    pub updated: i64,
    /// The number of its events.
    pub events: u64,
    /// The beginning of the user's first message.
    pub message: String,
}

/// The sessions of `adk web` with the agents of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdkSessionList {
    /// The sessions, those with the latest events first.
    pub sessions: Vec<AdkSession>,
    /// Why sessions of an agent cannot be listed, each with its file.
    pub faults: Vec<String>,
}

/// A result that is kept as an eval case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptResult {
    /// The eval-set file.
    pub path: String,
    /// The id of the case in it.
    pub eval_id: String,
    /// Whether it was appended; otherwise the file had it already.
    pub is_new: bool,
}

/// The suites that the host found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteList {
    /// The suites, by their names.
    pub suites: Vec<SuiteSummary>,
    /// What was not searched, and why: sentences.
    pub notes: Vec<String>,
}

/// A suite or eval set that can be run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SuiteSummary {
    /// Its file, as runs name it.
    pub name: String,
    /// Whether it is an eval set, which has recorded conversations in place of a user and mocks.
    pub is_eval_set: bool,
    /// The number of its cases; otherwise why it cannot be read, a line for each error with its place.
    pub cases: Result<u64, String>,
}

/// A run to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRequest {
    /// What to run.
    pub of: RunOf,
    /// Which of its cases.
    pub cases: RunCases,
    /// How often each runs; `None` for as often as its suite says.
    pub repeats: Option<u32>,
    /// The model of every case; `None` for those of the cases.
    pub model: Option<String>,
}

/// What a run is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunOf {
    /// The suites of an earlier run.
    Run(i64),
    /// A suite that the host found, by its name.
    Suite(String),
}

/// Which cases of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunCases {
    /// All that its suites have now.
    All,
    /// Those of which a result of the earlier run did not pass.
    NotPassed,
    /// The one of this name.
    Case(String),
}

/// What a run would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunPlan {
    /// The number of cases.
    pub cases: u64,
    /// The number of results: cases by repeats.
    pub results: u64,
    /// Tools that run with all their effects, by name.
    pub real_tools: Vec<String>,
    /// Tools that run and can change their session only, by name.
    pub sealed_tools: Vec<String>,
    /// Models that are asked over the network, by name: those that cases name. Agents may have others of their own.
    pub models: Vec<String>,
    /// Whether agents are asked their own models.
    pub asks_own_models: bool,
    /// What they took before; `None` for a suite without a stored run.
    pub earlier: Option<EarlierRun>,
}

/// What cases took in an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EarlierRun {
    /// Its number.
    pub run: i64,
    /// How long they took, all together, in milliseconds.
    pub duration_ms: u64,
    /// The tokens that the models of their agents used.
    pub tokens: u64,
    /// What all their models cost, in the currency of the suites' prices; `None` without prices.
    pub cost: Option<f64>,
}
