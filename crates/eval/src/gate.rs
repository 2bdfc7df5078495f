//! [`Gate`]: decides every tool call of a run, and collects what happens.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use json_text::{JsonIndex, JsonText};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::allowed::AllowedEffects;
use crate::confirmation::{Confirmation, ConfirmationRequest, rejected};
use crate::fork::{GivenAnswer, GivenOutcome};
use crate::given_model::{self, GivenModel, ModelTurn, RequestNumber};
use crate::ledger::{Event, Ledger, Origin, Role};
use crate::message::Message;
use crate::mock::{MockContext, MockFailure, Received, ToolMock, ToolUse};
use crate::mock_state::MockState;
use crate::name_check::check_names;
use crate::names::Names;
use crate::output_schema::mismatch;
use crate::place::Place;
use crate::process::CallProcesses;
use crate::recorded::{Recording, Repeats};
use crate::request_changes::RequestChanges;
use crate::rules::Rules;
use crate::run_failure::RunFailure;
use crate::take_over::{StandIns, TakeOver};
use crate::tool_fault::{FaultEffect, Seed, ToolFault, truncated};
use crate::user_agent::UserAgent;
use crate::world::World;
use crate::yields::YieldKind;

/// Decides every tool call of one run. Subjects ask it from wherever their tools are called.
pub struct Gate {
    rules: Rules,
    /// The id of this run, unlike that of any other.
    run_id: Arc<str>,
    is_repeated: bool,
    processes: Arc<CallProcesses>,
    /// The events so far.
    pub ledger: Arc<Ledger>,
    world: Arc<World>,
    seen: Mutex<Seen>,
    stopped: CancellationToken,
    /// What a person does here, where the run can be taken over.
    take_over: Option<TakeOver>,
}

/// What the gate remembers.
struct Seen {
    /// The number of mocked calls of each tool.
    mocked: HashMap<String, usize>,
    /// The calls whose mocks have asked for a confirmation, after which they are called again.
    asking: HashMap<String, CallNumber>,
    /// Where the results of calls under way come from.
    origins: HashMap<String, Origin>,
    /// The changes of the state that mocks made, by call, until the subject shows them.
    mock_changes: HashMap<String, Map<String, Value>>,
    /// The calls that a fault of the case answered in place of the tool or its mock.
    replaced: HashSet<String>,
    /// The places of the faults that met a call.
    met_faults: BTreeSet<usize>,
    /// The output schemas of long-running calls.
    awaited_schemas: HashMap<String, JsonText>,
    /// The requests to the given model, in all and since the user's last message.
    model_requests: usize,
    model_requests_in_turn: usize,
    /// Of each agent.
    model_requests_in_turn_of: HashMap<String, usize>,
    /// Requests that are no turn of the agent.
    requests_apart: usize,
    /// How many results of each call of a fork were given.
    given: HashMap<String, usize>,
    /// The number of requests to it by each agent.
    model_requests_of: HashMap<String, usize>,
    /// The number of the user's messages.
    user_messages: usize,
    repeats: Repeats,
    /// The tools as the model sees them, for simulated mocks.
    declarations: HashMap<String, JsonText>,
    /// The names that the subject has shown.
    names: Names,
    invocation_id: String,
    /// The state of the session when the subject was last seen, and what has changed in it since.
    state: JsonText,
    changed: Map<String, Value>,
    failure: Option<RunFailure>,
    /// The last tool that raised an error because the case says so, and the error's message.
    raised: Option<(String, String)>,
}

/// What a run used of its case.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// The tools whose mocks answered.
    pub(crate) mocks: BTreeSet<String>,
    /// The places of the faults that met a call, whether they hit it or not.
    pub(crate) faults: BTreeSet<usize>,
    /// What user agents were asked for.
    pub(crate) asked: Vec<YieldKind>,
}

/// Which call of its tool a call is.
#[derive(Clone, Copy)]
struct CallNumber {
    /// How many of the mocked calls of the tool were made before.
    number: usize,
    /// How many of these have the same arguments.
    repeated: usize,
}

/// A tool call that has not run yet.
#[derive(Debug, Clone)]
pub struct GateCall {
    /// The id of the call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub args: JsonText,
    /// The arguments as the tool's code would get them, if that differs.
    pub received: Option<Received>,
    /// The state of the session at the call, if [`Gate::wants_state`] of the tool.
    pub state: Option<JsonText>,
    /// The invocation of the framework.
    pub invocation_id: String,
    /// What the user answered, if the framework has called the tool before and the tool has asked for a confirmation.
    pub confirmation: Option<Confirmation>,
    /// Whether the tool may return nothing and be responded to later.
    pub is_long_running: bool,
    /// The JSON Schema of the tool's result, if the tool declares one.
    pub output_schema: Option<JsonText>,
}

/// What a tool that runs may do beside its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    /// Anything.
    Any,
    /// Nothing.
    None,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The tool returns this.
    Mock {
        /// What it returns.
        result: JsonText,
        /// The keys of the session's state that it sets before.
        changes: Map<String, Value>,
        /// Whether the model is not asked again, as with the action of that name in frameworks.
        skip_summarization: bool,
    },
    /// The tool asks the user for a confirmation and returns this meanwhile. Only where [`Subject::asks_confirmations`].
    ///
    /// [`Subject::asks_confirmations`]: crate::subject::Subject::asks_confirmations
    AskConfirmation {
        /// What it asks.
        request: ConfirmationRequest,
        /// What it returns.
        result: JsonText,
        /// The keys of the session's state that it sets before.
        changes: Map<String, Value>,
    },
    /// The tool raises an error.
    Raise {
        /// The error's message.
        message: String,
        /// The keys of the session's state that it sets before.
        changes: Map<String, Value>,
        /// Whether the model is not asked again.
        skip_summarization: bool,
    },
    /// The tool runs.
    Run(Effects),
    /// The tool runs, and its result ends after this many characters, as [`truncated`] cuts it.
    RunTruncated(Effects, usize),
    /// The tool returns nothing, and a user agent responds later.
    Wait,
    /// The run ends. The caller cancels the framework's task, since an exception could be swallowed.
    Stop,
}

impl Gate {
    /// What is changed in requests to models.
    #[must_use]
    pub fn request_changes(&self) -> &RequestChanges {
        &self.rules.request_changes
    }

    /// The gate of a run of a case with these rules.
    #[must_use]
    pub(crate) fn new(rules: Rules) -> Self {
        let state = rules.initial_state.clone();
        let ledger = Arc::new(Ledger::begin());
        Self {
            rules,
            run_id: uuid::Uuid::new_v4().to_string().into(),
            is_repeated: false,
            processes: Arc::default(),
            world: Arc::new(World::new(Arc::clone(&ledger))),
            ledger,
            seen: Mutex::new(Seen {
                mocked: HashMap::new(),
                asking: HashMap::new(),
                origins: HashMap::new(),
                mock_changes: HashMap::new(),
                replaced: HashSet::new(),
                met_faults: BTreeSet::new(),
                awaited_schemas: HashMap::new(),
                model_requests: 0,
                model_requests_in_turn: 0,
                model_requests_in_turn_of: HashMap::new(),
                requests_apart: 0,
                given: HashMap::new(),
                model_requests_of: HashMap::new(),
                user_messages: 0,
                repeats: Repeats::default(),
                declarations: HashMap::new(),
                names: Names::default(),
                invocation_id: String::new(),
                state,
                changed: Map::new(),
                failure: None,
                raised: None,
            }),
            stopped: CancellationToken::new(),
            take_over: None,
        }
    }

    /// The gate of one of the stored run of this number, of which these people can take over parts.
    #[must_use]
    pub(crate) fn open_to(self, run: i64, people: &dyn StandIns) -> Self {
        let take_over = Some(TakeOver::new(&self.rules.case_name, people));
        Self { take_over, run_id: format!("{run}.{}", self.run_id).into(), ..self }
    }

    /// The places that can be taken over, and whether they are.
    pub(crate) fn places(&self) -> Vec<(Place, bool)> {
        let Some(take_over) = &self.take_over else { return Vec::new() };
        let taken = take_over.taken().borrow().clone();
        let mut tools: BTreeSet<String> = self.rules.tools.keys().cloned().collect();
        {
            let names = &self.lock().names;
            tools.extend(names.tools.iter().flatten().chain(&names.shown_tools).cloned());
            tools.retain(|tool| !names.framework_tools.contains(tool));
        }
        let places =
            [Place::Agent, Place::User].into_iter().chain(tools.into_iter().map(Place::Tool));
        places.map(|place| (place.clone(), taken.contains(&place))).collect()
    }

    /// Takes a place, or hands it back.
    pub(crate) fn set_taken(&self, place: &Place, is_taken: bool) {
        if self.take_over.as_ref().is_some_and(|it| it.set(place, is_taken)) {
            let place = place.clone();
            self.ledger.add(match is_taken {
                true => Event::TakenOver { place },
                false => Event::HandedBack { place },
            });
        }
    }

    /// The places that are taken over, with their changes; `None` where nothing can be.
    pub(crate) fn taken(&self) -> Option<tokio::sync::watch::Receiver<BTreeSet<Place>>> {
        self.take_over.as_ref().map(TakeOver::taken)
    }

    /// Whether a person has this place.
    pub(crate) fn is_taken(&self, place: &Place) -> bool {
        self.taken().is_some_and(|taken| taken.borrow().contains(place))
    }

    /// Whether a person gives the next response of an agent's model. What happened before the step of a fork is given
    /// first.
    #[must_use]
    pub fn is_agent_taken(&self, agent: &str) -> bool {
        let is_given = || {
            let given = self.rules.given.as_ref()?.responses.get(agent)?;
            let asked = self.lock().model_requests_of.get(agent).copied().unwrap_or_default();
            Some(asked < given.len())
        };
        self.is_taken(&Place::Agent) && is_given() != Some(true)
    }

    /// Does `work` in this place; `None` if nobody has it, or if it is handed back before the work is done.
    pub async fn instead<T>(&self, place: &Place, work: impl Future<Output = T>) -> Option<T> {
        self.take_over.as_ref()?.instead(place, work).await
    }

    /// The person in place of a user, whether or not the place is taken.
    pub(crate) fn person_as_user(&self) -> Option<&dyn UserAgent> {
        self.take_over.as_ref().map(|it| &*it.user)
    }

    /// The gate of a run that repeats one whose process was lost.
    #[must_use]
    pub(crate) fn repeated(self) -> Self {
        Self { is_repeated: true, ..self }
    }

    /// Whether the run repeats one whose process was lost.
    pub(crate) fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// The name of the case.
    #[must_use]
    pub fn case_name(&self) -> &str {
        &self.rules.case_name
    }

    /// The id of this run, unlike that of any other.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// The state before the first message.
    #[must_use]
    pub fn initial_state(&self) -> &JsonText {
        &self.rules.initial_state
    }

    /// The tools of which the case says what happens to their calls.
    pub fn known_tools(&self) -> impl Iterator<Item = &str> {
        self.rules.tools.keys().chain(&self.rules.answered_by_users).map(String::as_str)
    }

    /// Checks that a subject with these names has the tools that the case names, and what its metrics look for.
    ///
    /// # Errors
    /// [`RunFailure::UnknownTool`], [`RunFailure::GivenModel`] or [`RunFailure::BlindMetric`] for the first that it does
    /// not have.
    pub fn check_names(&self, names: &Names) -> Result<(), RunFailure> {
        self.lock().names.take_in(names);
        check_names(names, &self.rules.named_tools, self.rules.model.as_ref(), &self.rules.metrics)
    }

    /// The tools that run at every call, with all their effects, whatever its arguments are.
    pub fn real_tools(&self) -> impl Iterator<Item = &str> {
        self.running_tools(|used| matches!(used, ToolUse::Real))
    }

    /// The tools that run at every call without effects, whatever its arguments are.
    pub fn sealed_tools(&self) -> impl Iterator<Item = &str> {
        self.running_tools(|used| matches!(used, ToolUse::Sealed))
    }

    fn running_tools(&self, of_kind: fn(&ToolUse) -> bool) -> impl Iterator<Item = &str> {
        let has_fault = |name: &String| self.rules.faults.iter().any(|fault| fault.tool == *name);
        // In a fork, each call may have a result already.
        let is_fork = self.rules.given.is_some();
        let runs =
            move |(name, used): &(&String, &ToolUse)| of_kind(used) && !is_fork && !has_fault(name);
        self.rules.tools.iter().filter(runs).map(|(name, _)| name.as_str())
    }

    /// Whether the case answers the calls of tools that it does not name.
    #[must_use]
    pub fn answers_other_tools(&self) -> bool {
        self.rules.other_tools.is_some()
    }

    /// Whether the mock of a tool wants to know its declaration. The subject then notes it with
    /// [`Gate::note_declaration`], before the call.
    #[must_use]
    pub fn wants_declaration(&self, tool: &str) -> bool {
        self.use_of(tool).is_some_and(wants_declaration)
    }

    /// The tools of the case for which [`Gate::wants_declaration`].
    pub fn declared_tools(&self) -> impl Iterator<Item = &str> {
        self.rules
            .tools
            .iter()
            .filter(|(_, used)| wants_declaration(used))
            .map(|(name, _)| name.as_str())
    }

    /// Whether the mock of a tool reads or changes the state of the session. The subject then gives it with the call.
    #[must_use]
    pub fn wants_state(&self, tool: &str) -> bool {
        self.use_of(tool).is_some_and(wants_state)
    }

    /// The tools of the case for which [`Gate::wants_state`], as far as their functions say.
    pub(crate) async fn stateful_tools(&self) -> Vec<&str> {
        let mut stateful = Vec::new();
        for (name, used) in &self.rules.tools {
            if let ToolUse::Mock(mock) = used
                && mock.uses_state(&self.processes).await
            {
                stateful.push(name.as_str());
            }
        }
        stateful
    }

    /// Whether [`Gate::wants_state`] of the tools that the case does not name.
    pub(crate) fn others_are_stateful(&self) -> bool {
        self.rules.other_tools.as_ref().is_some_and(wants_state)
    }

    /// What happens to the calls of a tool that no user agent responds to.
    fn use_of(&self, tool: &str) -> Option<&ToolUse> {
        self.rules.tools.get(tool).or(self.rules.other_tools.as_ref())
    }

    /// Whether the case allows a part of the subject that interception cannot see.
    #[must_use]
    pub fn allows(&self, name: &str) -> bool {
        self.rules.allowed.contains(name)
    }

    /// Everything that the case allows by name.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        self.rules.allowed.iter().map(String::as_str)
    }

    /// What the subject's own code may do.
    pub(crate) fn allowed_effects(&self) -> &AllowedEffects {
        &self.rules.allowed_effects
    }

    /// The model that the case gives.
    #[must_use]
    pub fn model(&self) -> Option<&GivenModel> {
        self.rules.model.as_ref()
    }

    /// The processes of the run beside the subject's.
    pub(crate) fn processes(&self) -> &CallProcesses {
        &self.processes
    }

    /// Decides a call.
    pub async fn decide(&self, call: &GateCall) -> Decision {
        match self.by_person(call).await {
            Some(decision) if self.failure().is_none() => decision,
            _ => self.decide_by_case(call).await,
        }
    }

    /// The answer of the person who has the place of the tool.
    async fn by_person(&self, call: &GateCall) -> Option<Decision> {
        let take_over = self.take_over.as_ref()?;
        let place = Place::Tool(call.tool.clone());
        let given = self.rules.given.as_ref().and_then(|given| given.results.get(&call.call_id));
        if given.is_some() {
            return None;
        }
        let answer = self.mocked(&take_over.tool, call, CallNumber { number: 0, repeated: 0 });
        let decision = take_over.instead(&place, answer).await?;
        let decision = decision.unwrap_or_else(|failure| self.stop(failure));
        let seen = &mut *self.lock();
        seen.repeats.count(&call.tool, &call.args);
        seen.origins.insert(call.call_id.clone(), Origin::Mock);
        if let Decision::Raise { message, .. } = &decision {
            seen.raised = Some((call.tool.clone(), message.clone()));
        }
        Some(decision)
    }

    /// Decides a call as the case says, of a tool that nobody has taken over, or that runs already.
    pub(crate) async fn decide_by_case(&self, call: &GateCall) -> Decision {
        if self.failure().is_some() {
            return Decision::Stop;
        }
        if let (true, Some(schema)) = (call.is_long_running, &call.output_schema) {
            self.lock().awaited_schemas.insert(call.call_id.clone(), schema.clone());
        }
        // A call that is made again after it was confirmed is still the same.
        let begun =
            call.confirmation.as_ref().and_then(|_| self.lock().asking.remove(&call.call_id));
        let repeated = match begun {
            Some(place) => place.repeated,
            None => self.lock().repeats.count(&call.tool, &call.args),
        };
        if let Some(decision) = self.given(call) {
            return decision;
        }
        let hit = self.faults_of(call, repeated);
        let waits = call.is_long_running && self.rules.answered_by_users.contains(&call.tool);
        let used = match waits {
            true => self.rules.tools.get(&call.tool),
            false => self.use_of(&call.tool),
        };
        let (decision, origin) = match used {
            Some(used) => {
                for latency in hit.latencies() {
                    tokio::time::sleep(latency).await;
                }
                match (hit.instead(), used) {
                    (Some(decision), _) => (decision, Origin::Fault),
                    (None, ToolUse::Real) => (Decision::Run(Effects::Any), Origin::Real),
                    (None, ToolUse::Sealed) if !self.rules.seals_tools => {
                        return self.stop(RunFailure::Unsealable { tool: call.tool.clone() });
                    }
                    (None, ToolUse::Sealed) => (Decision::Run(Effects::None), Origin::Sealed),
                    (None, ToolUse::Mock(mock)) => {
                        let number = begun.map(|place| place.number);
                        let number = number.unwrap_or_else(|| self.number_of_mocked(&call.tool));
                        match self.mocked(mock, call, CallNumber { number, repeated }).await {
                            Ok(decision) => (decision, Origin::Mock),
                            Err(failure) => return self.stop(failure),
                        }
                    }
                }
            }
            None if waits => (Decision::Wait, Origin::UserAgent),
            None => {
                return self.stop(RunFailure::UnmockedTool {
                    written_in: self.rules.written_in,
                    tool: call.tool.clone(),
                    args: call.args.clone(),
                    is_long_running: call.is_long_running,
                    can_be_sealed: self.rules.seals_tools,
                });
            }
        };
        {
            let seen = &mut *self.lock();
            seen.origins.insert(call.call_id.clone(), origin);
            if origin == Origin::Fault {
                seen.replaced.insert(call.call_id.clone());
            }
            if let Decision::Raise { message, .. } = &decision {
                seen.raised = Some((call.tool.clone(), message.clone()));
            }
            if let Decision::Mock { changes, .. }
            | Decision::AskConfirmation { changes, .. }
            | Decision::Raise { changes, .. } = &decision
                && !changes.is_empty()
            {
                seen.mock_changes.insert(call.call_id.clone(), changes.clone());
            }
        }
        match (decision, hit.characters()) {
            (Decision::Mock { result, changes, skip_summarization }, Some(most)) => {
                Decision::Mock { result: truncated(&result, most), changes, skip_summarization }
            }
            (Decision::AskConfirmation { request, result, changes }, Some(most)) => {
                Decision::AskConfirmation { request, result: truncated(&result, most), changes }
            }
            (Decision::Run(effects), Some(most)) => Decision::RunTruncated(effects, most),
            (decision, _) => decision,
        }
    }

    /// What a call returns in a fork that has a result for it.
    fn given(&self, call: &GateCall) -> Option<Decision> {
        let given = self.rules.given.as_ref()?.results.get(&call.call_id)?;
        let seen = &mut *self.lock();
        let number = seen.given.entry(call.call_id.clone()).or_default();
        let given = given.get(*number)?;
        *number += 1;
        // The mock goes on where it was.
        if matches!(
            self.rules.tools.get(&call.tool).or(self.rules.other_tools.as_ref()),
            Some(ToolUse::Mock(_))
        ) {
            *seen.mocked.entry(call.tool.clone()).or_default() += usize::from(*number == 1);
        }
        let changes = given.changes.clone();
        if !changes.is_empty() {
            seen.mock_changes.insert(call.call_id.clone(), changes.clone());
        }
        seen.origins.insert(call.call_id.clone(), Origin::Given);
        let skip_summarization = given.skip_summarization;
        Some(match given.outcome.clone() {
            GivenOutcome::Recorded(result) | GivenOutcome::Returns(result) => {
                Decision::Mock { result, changes, skip_summarization }
            }
            GivenOutcome::Asked(request, result) => {
                Decision::AskConfirmation { request, result, changes }
            }
            GivenOutcome::Raises(message) => {
                seen.raised = Some((call.tool.clone(), message.clone()));
                Decision::Raise { message, changes, skip_summarization }
            }
        })
    }

    /// Ends a fork if the model gets another result than in the run that it forks from.
    fn check_given(&self, call_id: &str, tool: &str, result: &JsonText) {
        let given = self.rules.given.as_ref().and_then(|given| given.results.get(call_id));
        let number = self.lock().given.get(call_id).copied().unwrap_or_default();
        let given = given.and_then(|given| given.get(number.checked_sub(1)?));
        if let Some(given) = given.filter(|given| given.outcome.differs(result)) {
            let message = format!(
                "at step {}, {tool} returned another value, which is now {}",
                given.step,
                excerpt(result)
            );
            self.stop(RunFailure::Diverged { message });
        }
    }

    /// What the user answered to this wait in the run that is forked; `number` counts those of its kind from 0.
    pub(crate) fn given_answer(&self, kind: &YieldKind, number: usize) -> Option<GivenAnswer> {
        self.rules.given.as_ref()?.answers.get(kind)?.get(number).cloned()
    }

    /// The first response of a model that a fork has and that was not asked for.
    pub(crate) fn unused_response(&self) -> Option<RunFailure> {
        let given = self.rules.given.as_ref()?;
        let asked = &self.lock().model_requests_of;
        let is_left = |(agent, responses): &(&String, &Vec<ModelTurn>)| {
            asked.get(*agent).copied().unwrap_or_default() < responses.len()
        };
        let (agent, responses) = given.responses.iter().find(is_left)?;
        let asked = asked.get(agent).copied().unwrap_or_default();
        let message = format!(
            "the model of {agent} responded {} before the step, and is asked {} now",
            times(responses.len()),
            times(asked)
        );
        Some(RunFailure::Diverged { message })
    }

    /// Checks that the agents of a fork ask their models in the order that they had.
    fn check_order(&self, agent: &str, number: usize) -> Result<(), RunFailure> {
        let order = self.rules.given.as_ref().and_then(|given| given.order.as_ref());
        match order.and_then(|order| order.get(number)) {
            Some((expected, step)) if expected != agent => Err(RunFailure::Diverged {
                message: format!(
                    "step {step} is a response of the model of {expected}, and that of {agent} is asked instead"
                ),
            }),
            _ => Ok(()),
        }
    }

    /// What the mock of a tool gives.
    async fn mocked(
        &self,
        mock: &ToolMock,
        call: &GateCall,
        place: CallNumber,
    ) -> Result<Decision, RunFailure> {
        let context = self.context_of_mock(mock, call, place.repeated)?;
        let answer = mock.answer(place.number, &call.args, &context).await;
        let changes = context.state.changes();
        let request = context.requested();
        let skip_summarization = context.skips_summarization.load(Ordering::Relaxed);
        if request.is_some() && !self.rules.asks_confirmations {
            return Err(RunFailure::Unconfirmable { tool: call.tool.clone() });
        }
        match (answer, request) {
            // The tool's schema is that of its result.
            (Ok(result), Some(request)) => {
                self.lock().asking.insert(call.call_id.clone(), place);
                Ok(Decision::AskConfirmation { request, result, changes })
            }
            (Ok(result), None) => {
                // A recording holds what the framework and callbacks made of a result, or of an error, which may be
                // another shape.
                let is_of = |recording: &Recording| recording.has_result(&call.tool, &result);
                let is_recorded = is_of(&self.rules.recording)
                    || matches!(mock, ToolMock::Recorded { recording, .. } if is_of(recording));
                // google-adk's tools return it whatever they declare.
                let is_free = is_recorded || result == rejected();
                let schema = call.output_schema.as_ref().filter(|_| !is_free);
                match schema.and_then(|schema| mismatch(schema, &result)) {
                    None => Ok(Decision::Mock { result, changes, skip_summarization }),
                    Some(message) => Err(RunFailure::Mock {
                        tool: call.tool.clone(),
                        message: format!("its answer is {result}, and {message}"),
                    }),
                }
            }
            (Err(MockFailure::Raises(message)), _) => {
                Ok(Decision::Raise { message, changes, skip_summarization })
            }
            (Err(MockFailure::NotRecorded), _) => {
                let (tool, args) = (call.tool.clone(), call.args.clone());
                Err(RunFailure::NotRecorded {
                    written_in: self.rules.written_in,
                    tool,
                    args,
                    can_be_sealed: self.rules.seals_tools,
                })
            }
            (Err(MockFailure::Broken(message)), _) => {
                Err(RunFailure::Mock { tool: call.tool.clone(), message })
            }
        }
    }

    /// The faults that hit a call, noted as events.
    fn faults_of(&self, call: &GateCall, repeated: usize) -> Hit<'_> {
        let seed = Seed { seed: self.rules.seed, case: &self.rules.case_name };
        let meets = |(at, fault): (usize, &ToolFault)| {
            let is_met = fault.tool == call.tool && fault.args.is_met(&call.args);
            is_met.then_some(at)
        };
        self.lock().met_faults.extend(self.rules.faults.iter().enumerate().filter_map(meets));
        let hit = Hit(self
            .rules
            .faults
            .iter()
            .enumerate()
            .filter(|(at, fault)| seed.hits(fault, *at, &call.tool, &call.args, repeated))
            .map(|(_, fault)| &fault.effect)
            .collect());
        for effect in &hit.0 {
            self.ledger.add(Event::ToolFault {
                call_id: call.call_id.clone(),
                name: call.tool.clone(),
                effect: (*effect).clone(),
            });
        }
        hit
    }

    /// Ends the run with a failure. The first one counts.
    pub fn stop(&self, failure: RunFailure) -> Decision {
        self.lock().failure.get_or_insert(failure);
        self.stopped.cancel();
        Decision::Stop
    }

    /// Waits until a failure has ended the run.
    pub(crate) async fn stopped(&self) {
        self.stopped.cancelled().await;
    }

    /// The failure that ended the run.
    #[must_use]
    pub fn failure(&self) -> Option<RunFailure> {
        self.lock().failure.clone()
    }

    /// The error that the case raised last in a tool, where nothing of the subject handled it.
    pub(crate) fn unhandled(&self) -> Option<RunFailure> {
        let (tool, message) = self.lock().raised.clone()?;
        Some(RunFailure::Unhandled { tool, message })
    }

    /// The given model's response to the next request; `None` if the model is to be asked that follows it in a fork, which
    /// then notes the request.
    ///
    /// # Errors
    /// There is none. The run ends.
    pub fn respond(&self, agent: &str) -> Result<Option<ModelTurn>, RunFailure> {
        let number = self.count_response(agent);
        let response = match &self.rules.model {
            Some(model) => model.respond(number, agent),
            // A person has just handed the place back to the subject's own model.
            None if self.take_over.is_some() => Ok(None),
            None => Err("the case gives no model".to_owned()),
        };
        let response = response.map_err(|message| RunFailure::GivenModel { message });
        let response = response.and_then(|it| self.check_order(agent, number.in_run).map(|()| it));
        if let Err(failure) = &response {
            self.stop(failure.clone());
        }
        if let Ok(Some(_)) = &response {
            self.note_model_request(agent);
        }
        response
    }

    /// Counts a response of an agent's model, and returns which one it is.
    fn count_response(&self, agent: &str) -> RequestNumber {
        let seen = &mut *self.lock();
        let of_agent = seen.model_requests_of.entry(agent.to_owned()).or_default();
        let in_turn_of = seen.model_requests_in_turn_of.entry(agent.to_owned()).or_default();
        let number = RequestNumber {
            in_run: seen.model_requests,
            of_agent: *of_agent,
            turn: seen.user_messages.saturating_sub(1),
            in_turn: seen.model_requests_in_turn,
            of_agent_in_turn: *in_turn_of,
        };
        *of_agent += 1;
        *in_turn_of += 1;
        seen.model_requests += 1;
        seen.model_requests_in_turn += 1;
        number
    }

    /// Notes that a person responds in place of the agent's model, whose next response is the one after that.
    pub fn note_person_response(&self, agent: &str) {
        self.count_response(agent);
        self.note_model_request(agent);
    }

    /// Notes that the model of an agent is asked for its next response.
    pub fn note_model_request(&self, agent: &str) {
        self.ledger.add(Event::ModelRequest { agent: agent.to_owned() });
    }

    /// The response of the given model to a request apart from the agent's turns; `None` as for [`Gate::respond`].
    ///
    /// # Errors
    /// A failure if the case has none, which ends the run.
    pub fn respond_apart(
        &self,
        agent: &str,
        asked_by: &str,
    ) -> Result<Option<ModelTurn>, RunFailure> {
        let number = {
            let seen = &mut *self.lock();
            seen.requests_apart += 1;
            seen.requests_apart - 1
        };
        let of_fork = self.rules.given.as_ref().map_or(&[][..], |given| &given.apart);
        let response = match of_fork.get(number) {
            Some(response) => Ok(response.clone()),
            None if !of_fork.is_empty() && given_model::real_model(self.model()).is_some() => {
                return Ok(None);
            }
            // The case's own responses are those of the whole run.
            None => given_model::apart(&self.rules.responses_apart, number, agent, asked_by),
        };
        let response = response.map_err(|message| {
            let failure = RunFailure::GivenModel { message };
            self.stop(failure.clone());
            failure
        })?;
        self.ledger.add(Event::RequestApart {
            agent: agent.to_owned(),
            asked_by: asked_by.to_owned(),
            response: response.clone(),
        });
        Ok(Some(ModelTurn::text(response)))
    }

    /// Notes a message of the user.
    pub(crate) fn note_user_message(&self, message: &Message) {
        {
            let seen = &mut *self.lock();
            seen.user_messages += 1;
            seen.model_requests_in_turn = 0;
            seen.model_requests_in_turn_of.clear();
        }
        let (text, parts) = (message.text(), message.parts());
        self.ledger.add(Event::UserMessage { text, parts });
    }

    /// Notes the result of a call as an event.
    pub fn note_result(&self, call_id: String, name: String, result: JsonText) {
        let from = self.lock().origins.remove(&call_id).unwrap_or(Origin::Framework);
        if from == Origin::Given {
            self.check_given(&call_id, &name, &result);
        }
        self.ledger.add(Event::ToolResult { call_id, name, result, from });
    }

    /// The output schema of the tool of a long-running call, if it declares one.
    pub(crate) fn awaited_schema(&self, call_id: &str) -> Option<JsonText> {
        self.lock().awaited_schemas.get(call_id).cloned()
    }

    /// Notes changes of the session's state as events: those that mocks made, apart from the others. They came with the
    /// results of the calls `answered`.
    pub fn note_changes(&self, changes: JsonText, answered: &[&str]) {
        let (of_mocks, others) = self.by_mocks(changes, answered);
        for (changes, by) in [(of_mocks, Role::Mock), (others, Role::Subject)] {
            if !JsonIndex::of(&changes).root().is_empty() {
                self.ledger.add(Event::StateChange { changes, by });
            }
        }
    }

    /// The changes that mocks made, and the others.
    fn by_mocks(&self, changes: JsonText, answered: &[&str]) -> (JsonText, JsonText) {
        let nothing = || JsonText::from_value(&Value::Object(Map::new()));
        let made = &mut self.lock().mock_changes;
        if made.is_empty() {
            return (nothing(), changes);
        }
        let Ok(all) = changes.decode::<Map<String, Value>>() else { return (nothing(), changes) };
        let is_made = |key: &str, value: &Value| made.values().any(|it| it.get(key) == Some(value));
        let (of_mocks, others): (Map<String, Value>, Map<String, Value>) =
            all.into_iter().partition(|(key, value)| is_made(key, value));
        // What is left of an answered call was replaced, by another call or by a callback.
        made.retain(|call_id, changes| {
            changes.retain(|key, value| of_mocks.get(key) != Some(value));
            !answered.contains(&call_id.as_str()) && !changes.is_empty()
        });
        let text = |changes| JsonText::from_value(&Value::Object(changes));
        (text(of_mocks), text(others))
    }

    /// Whether a fault of the case answered a call in place of the tool or its mock.
    pub(crate) fn is_replaced(&self, call_id: &str) -> bool {
        self.lock().replaced.contains(call_id)
    }

    /// What of the case was used, but for the user agents, which were asked for `asked`.
    pub(crate) fn used(&self, asked: Vec<YieldKind>) -> Used {
        let seen = self.lock();
        Used {
            mocks: seen.mocked.keys().cloned().collect(),
            faults: seen.met_faults.clone(),
            asked,
        }
    }

    /// How a user's answer to a long-running call differs from the tool's output schema.
    pub(crate) fn mismatch(&self, call_id: &str, answer: &JsonText) -> Option<String> {
        mismatch(&self.awaited_schema(call_id)?, answer)
    }

    /// Notes a tool as the model sees it: its name, description and parameters.
    pub fn note_declaration(&self, tool: &str, declaration: JsonText) {
        self.lock().declarations.insert(tool.to_owned(), declaration);
    }

    /// Notes tools that the subject has, for a subject that does not show all before it runs.
    pub fn note_tools(&self, names: impl IntoIterator<Item = String>) {
        self.lock().names.shown_tools.extend(names);
    }

    /// Notes agents that the subject has, for a subject that does not show all before it runs.
    pub fn note_agents(&self, names: impl IntoIterator<Item = String>) {
        self.lock().names.shown_agents.extend(names);
    }

    /// The names that the subject has shown.
    pub(crate) fn names(&self) -> Names {
        self.lock().names.clone()
    }

    /// Notes the framework's invocation.
    pub fn note_invocation(&self, id: String) {
        self.lock().invocation_id = id;
    }

    /// The framework's last invocation.
    pub(crate) fn invocation_id(&self) -> String {
        self.lock().invocation_id.clone()
    }

    /// Notes the state of the session.
    pub fn note_state(&self, state: JsonText) {
        let seen = &mut *self.lock();
        seen.state = state;
        seen.changed.clear();
    }

    /// Notes changes of the state of the session within a turn, which a failure may end before the whole state is known.
    pub fn note_changed_state(&self, changes: &JsonText) {
        // A session does not keep what is for an invocation only.
        let kept = |(key, _): &(String, Value)| !key.starts_with("temp:");
        let changes = changes.decode::<Map<String, Value>>().unwrap_or_default();
        self.lock().changed.extend(changes.into_iter().filter(kept));
    }

    /// The state of the session when the subject was last seen.
    #[must_use]
    pub fn state(&self) -> JsonText {
        let seen = self.lock();
        if seen.changed.is_empty() {
            return seen.state.clone();
        }
        let mut state = seen.state.decode::<Map<String, Value>>().unwrap_or_default();
        state.extend(seen.changed.clone());
        JsonText::from_value(&Value::Object(state))
    }

    /// How many calls of the tool were mocked before this one.
    fn number_of_mocked(&self, tool: &str) -> usize {
        let seen = &mut *self.lock();
        let count = seen.mocked.entry(tool.to_owned()).or_default();
        *count += 1;
        *count - 1
    }

    fn context_of_mock(
        &self,
        mock: &ToolMock,
        call: &GateCall,
        repeated: usize,
    ) -> Result<MockContext, RunFailure> {
        let now_ms = self.ledger.now_ms();
        let state = match mock.wants_state() {
            false => MockState::default(),
            true => {
                let state = call.state.clone().unwrap_or_else(|| self.state());
                MockState::new(&state, self.rules.scopes).map_err(|error| {
                    RunFailure::Infrastructure {
                        message: format!("the state cannot be read: {error}"),
                    }
                })?
            }
        };
        let made = self.ledger.look(|events| {
            events.iter().rev().find_map(|entry| match &entry.event {
                Event::ToolCall { call_id, args, .. } if *call_id == call.call_id => {
                    Some(args.clone())
                }
                _ => None,
            })
        });
        let received = call.received.clone().unwrap_or_else(|| Received {
            args: call.args.clone(),
            defaults: JsonText::from_value(&Value::Object(Map::new())),
        });
        Ok(MockContext {
            call_id: call.call_id.clone(),
            tool_name: call.tool.clone(),
            invocation_id: call.invocation_id.clone(),
            run_id: Arc::clone(&self.run_id),
            state: Arc::new(state),
            confirmation: call.confirmation.clone(),
            request: Arc::default(),
            skips_summarization: Arc::default(),
            made: made.filter(|made| *made != call.args),
            received,
            now_ms,
            repeated,
            processes: Arc::clone(&self.processes),
            output_schema: call.output_schema.clone(),
            declaration: self.lock().declarations.get(&call.tool).cloned(),
            world: Arc::clone(&self.world),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn times(number: usize) -> String {
    match number {
        0 => "not at all".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{number} times"),
    }
}

/// A value in a sentence.
fn excerpt(value: &JsonText) -> String {
    const MOST: usize = 200;
    let text = value.compact();
    match text.as_str().char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.as_str().get(..end).unwrap_or_default()),
        None => text.as_str().to_owned(),
    }
}

fn wants_declaration(used: &ToolUse) -> bool {
    matches!(used, ToolUse::Mock(mock) if mock.wants_declaration())
}

fn wants_state(used: &ToolUse) -> bool {
    matches!(used, ToolUse::Mock(mock) if mock.wants_state())
}

/// The effects of the faults that hit a call.
struct Hit<'a>(Vec<&'a FaultEffect>);

impl Hit<'_> {
    /// The first error or result that takes the place of the tool or its mock.
    fn instead(&self) -> Option<Decision> {
        self.0.iter().find_map(|effect| match effect {
            FaultEffect::Raises(message) => Some(Decision::Raise {
                message: message.clone(),
                changes: Map::new(),
                skip_summarization: false,
            }),
            FaultEffect::Returns(result) => Some(Decision::Mock {
                result: result.clone(),
                changes: Map::new(),
                skip_summarization: false,
            }),
            FaultEffect::Latency(_) | FaultEffect::Truncates(_) => None,
        })
    }

    fn latencies(&self) -> impl Iterator<Item = Duration> {
        self.0.iter().filter_map(|effect| match effect {
            FaultEffect::Latency(latency) => Some(*latency),
            _ => None,
        })
    }

    /// The shortest result.
    fn characters(&self) -> Option<usize> {
        let lengths = self.0.iter().filter_map(|effect| match effect {
            FaultEffect::Truncates(characters) => Some(*characters),
            _ => None,
        });
        lengths.min()
    }
}
