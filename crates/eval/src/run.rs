//! [`run_eval`]: one case, from its initial state to its metrics.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use evalset::adk::FunctionResponse;
use futures::future::{join_all, try_join_all};
use indexmap::IndexMap;
use json_text::{JsonIndex, JsonText};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout, timeout_at};

use crate::bridge::AtYield;
use crate::case::EvalCase;
use crate::fork::GivenAnswer;
use crate::gate::Gate;
use crate::ledger::{Entry, Event, Ledger, Origin, Role, TerminationReason};
use crate::message::{Message, output_for_people};
use crate::metric::MetricResult;
use crate::name_check;
use crate::names::{Names, UnknownName};
use crate::names_after_run::names_after_run;
use crate::notes;
use crate::place::Place;
use crate::remedy::WrittenIn;
use crate::result::{EvalResult, RunError, Status, TokenUsage, status};
use crate::run_failure::{AtFault, RunFailure};
use crate::scope_change::{changed_keys, check_scopes};
use crate::scopes::{SESSION, Scopes};
use crate::state_change::ChangeError;
use crate::state_conflict::merge_noting;
use crate::subject::{Input, PendingCall, SubjectSession, ToolResponse};
use crate::user_agent::{ConversationMessage, UserAgent, UserAnswer, UserContext, Wanted};
use crate::yields::{YieldInfo, YieldKind};

/// How long loading the agent may take, which does not count as time of the case.
const LOAD: Duration = Duration::from_secs(120);

/// How often a case is begun whose process is lost, and not because of the case.
const ATTEMPTS: usize = 3;

/// Runs one case. Where its process is lost, and not because of the case, it runs again, which the result notes.
pub async fn run_eval(case: &EvalCase) -> EvalResult {
    run_repeat(case, 1).await
}

/// As [`run_eval`], for this repeat of the case.
pub(crate) async fn run_repeat(case: &EvalCase, repeat: u32) -> EvalResult {
    let mut notes = Vec::new();
    loop {
        let gate = if notes.is_empty() { case.gate() } else { case.gate().repeated() };
        match run_once(case, repeat, gate).await {
            Err(lost) if notes.len() + 1 < ATTEMPTS => {
                let reason = lost.error.map(|error| error.message).unwrap_or_default();
                let reason = reason.lines().next().unwrap_or_default();
                notes.push(format!("the case ran again, its real tools too: {reason}"));
            }
            Ok(mut result) | Err(mut result) => {
                result.notes.extend(notes);
                return result;
            }
        }
    }
}

/// Runs one case; an error if its process was lost, and not because of the case.
async fn run_once(case: &EvalCase, repeat: u32, gate: Gate) -> Result<EvalResult, EvalResult> {
    let under_way = case.under_way.as_ref();
    let gate = match under_way {
        Some(cases) => cases.open(gate),
        None => gate,
    };
    let loaded = timeout(LOAD, case.subject.prepare(&case.needs())).await.unwrap_or_else(|_| {
        let message =
            format!("the agent was not loaded after {} s; does its import wait?", LOAD.as_secs());
        Err(RunFailure::Subject { message, traceback: String::new() })
    });
    let begin = Instant::now();
    let gate = Arc::new(gate);
    let listed = under_way.map(|it| it.enter((&case.source.suite, &case.name, repeat), &gate));
    gate.ledger.add(Event::InitialState { state: case.initial_state.clone() });
    let mut run = Run {
        case,
        gate: &gate,
        heard: Mutex::default(),
        answers: Mutex::default(),
        waiting: Vec::new(),
        open: Vec::new(),
        user_has_left: false,
        turns: 0,
    };
    let deadline = case.terminate_when.max_duration.map(|most| begin + most);
    let ended = if let Err(failure) = loaded {
        Err(failure)
    } else {
        let conversation = run.whole_conversation();
        match deadline {
            None => conversation.await,
            Some(deadline) => timeout_at(deadline, conversation)
                .await
                .unwrap_or(Ok(Some(TerminationReason::MaxDuration))),
        }
    };
    // What metrics take is theirs.
    let duration_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
    let turns = run.turns;
    let used = gate.used(run.answers.into_inner().into_keys().collect());
    let reason = ended.as_ref().ok().copied().flatten();
    if let Err(failure) = &ended {
        gate.ledger.add(Event::from(failure));
    }
    gate.ledger.add(Event::Termination { reason, state: gate.state() });
    drop(listed);
    let events = gate.ledger.look(<[_]>::to_vec);
    let names = ended.is_ok().then(|| gate.names());
    let (metrics, failed) = match &ended {
        Ok(_) => measured(case, names.clone(), &events, &gate.ledger).await,
        Err(_) => (IndexMap::new(), None),
    };
    if let Some(failure) = &failed {
        gate.ledger.add(Event::from(failure));
    }
    // With what judges took.
    let events = gate.ledger.look(<[_]>::to_vec);
    let error = ended.as_ref().err().or(failed.as_ref()).map(RunError::from);
    let status = match &error {
        None => status(reason, &metrics),
        Some(_) => Status::Error,
    };
    let mut notes = if ended.is_ok() { notes::of(case, &used) } else { Vec::new() };
    notes.extend(notes::of_names(case, &metrics, &events));
    notes.extend(notes::of_refusals(&events));
    notes.extend(notes::of_people(&events));
    let result = EvalResult {
        name: case.name.clone(),
        repeat,
        model: case.one_of_models.clone(),
        tags: case.tags.clone(),
        status,
        metrics,
        token_usage: TokenUsage::of(Role::Subject, &events),
        notes,
        events,
        names,
        duration_ms,
        turns,
        error,
        termination_reason: reason,
    };
    match ended {
        Err(RunFailure::ProcessLost { .. }) => Err(result),
        _ => Ok(result),
    }
}

/// Checks that metrics, perhaps of a changed case, look for what the subject of an earlier run has.
///
/// # Errors
/// [`RunFailure::BlindMetric`] for the first that looks for something else.
pub fn check_metrics(case: &EvalCase, earlier: &EvalResult) -> Result<(), RunFailure> {
    earlier.names.as_ref().map_or(Ok(()), |names| name_check::check_metrics(names, &case.metrics))
}

/// Evaluates the metrics of `case` on the ledger of an earlier run, without running anything. They must look for what the
/// subject of that run has.
pub async fn rescore(case: &EvalCase, mut earlier: EvalResult) -> EvalResult {
    earlier.tags.clone_from(&case.tags);
    // Behind it is only what judges of the earlier metrics used.
    let end = earlier.events.iter().position(|it| matches!(it.event, Event::Termination { .. }));
    earlier.events.truncate(end.map_or(usize::MAX, |at| at + 1));
    // A metric can also be at fault for a run that did not begin.
    let has_run = !earlier.events.iter().any(|it| matches!(it.event, Event::Failure { .. }));
    if has_run && earlier.error.as_ref().is_none_or(|error| error.at_fault == AtFault::Metric) {
        let judges = Ledger::begin();
        let names = earlier.names.clone();
        let (metrics, failed) = measured(case, names, &earlier.events, &judges).await;
        earlier.notes = notes::again(case, &earlier.notes);
        earlier.notes.extend(notes::of_unchecked(case, earlier.names.as_ref()));
        earlier.notes.extend(notes::of_names(case, &metrics, &earlier.events));
        earlier.metrics = metrics;
        earlier.events.extend(judges.end());
        earlier.error = failed.as_ref().map(RunError::from);
        earlier.status = match failed {
            None => status(earlier.termination_reason, &earlier.metrics),
            Some(_) => Status::Error,
        };
    }
    earlier
}

/// What the metrics give, and the failure of the first that failed. A metric that passed must look for what there is, as
/// far as the subject has shown `names`.
async fn measured(
    case: &EvalCase,
    names: Option<Names>,
    events: &[Entry],
    ledger: &Ledger,
) -> (IndexMap<String, MetricResult>, Option<RunFailure>) {
    let results = case.metrics.iter().map(|metric| async {
        (metric.name().to_owned(), metric.evaluate_noting(events, ledger).await)
    });
    let results = join_all(results).await;
    let names = names.map(|names| names_after_run(names, case, events));
    let mut failed = None;
    let results = results.into_iter().zip(&case.metrics).map(|((name, result), metric)| {
        let unfound = |UnknownName { wanted, is_tool, hint }| RunFailure::UnfoundName {
            metric: name.clone(),
            wanted,
            is_tool,
            hint,
        };
        let passed = result.as_ref().is_ok_and(|result| result.passed == Some(true));
        let names = names.as_ref().filter(|_| passed);
        let failure = |message| RunFailure::Metric { metric: name.clone(), message };
        let result = result.map_err(|error| failure(error.to_string()));
        let result = result.and_then(|result| {
            names.map_or(Ok(()), |names| metric.check_names(names)).map_err(unfound)?;
            Ok(result)
        });
        let result = result.unwrap_or_else(|failure| {
            let reason = match &failure {
                RunFailure::Metric { message, .. } => MetricResult::unscored(message),
                failure => MetricResult::unscored(failure.to_string()),
            };
            failed.get_or_insert(failure);
            reason
        });
        (name, result)
    });
    let results = results.collect();
    (results, failed)
}

/// One run under way.
struct Run<'a> {
    case: &'a EvalCase,
    gate: &'a Arc<Gate>,
    /// The session that all user agents share.
    heard: Mutex<Vec<ConversationMessage>>,
    /// How often each user agent has answered.
    answers: Mutex<HashMap<YieldKind, usize>>,
    /// The calls that the last turn left for a response of the user.
    waiting: Vec<PendingCall>,
    /// All calls that the user may still respond to.
    open: Vec<PendingCall>,
    /// Whether the user's last message was the end of the conversation.
    user_has_left: bool,
    turns: u32,
}

/// What a user agent gave back.
struct Answered {
    /// `None` if the user ends the conversation without a message.
    response: Option<JsonText>,
    changes: Map<String, Value>,
    is_end: bool,
}

type Ended = Result<Option<TerminationReason>, RunFailure>;

impl Run<'_> {
    /// Runs the conversation to its end, at which every user agent of a tool that was called must have been asked.
    async fn whole_conversation(&mut self) -> Ended {
        let reason = self.conversation().await?;
        if let Some(failure) = self.gate.unused_response() {
            return Err(failure);
        }
        if reason == Some(TerminationReason::MaxTurns) {
            return Ok(reason);
        }
        match self.never_asked().await {
            None => Ok(reason),
            Some(tool) => Err(RunFailure::NeverAsked { tool }),
        }
    }

    /// A tool that has a user agent and was called, and did not ask.
    async fn never_asked(&self) -> Option<String> {
        let answers = self.answers.lock().await;
        let is_asked = |tool: &String| {
            let kind = YieldKind::Tool { tool_name: tool.clone() };
            answers.contains_key(&kind) || self.waiting.iter().any(|call| call.tool == *tool)
        };
        let called = self.gate.ledger.look(|events| {
            let called = events.iter().filter_map(|entry| match &entry.event {
                Event::ToolCall { call_id, name, .. } => Some((call_id, name)),
                _ => None,
            });
            let called = called.filter(|(call_id, _)| !self.gate.is_replaced(call_id));
            called.map(|(_, name)| name.clone()).collect::<BTreeSet<_>>()
        });
        let users = &self.case.user_agents.tools;
        called.into_iter().find(|tool| users.contains_key(tool) && !is_asked(tool))
    }

    /// Runs the subject and the user agents in turn until one of them, or a condition, ends it.
    async fn conversation(&mut self) -> Ended {
        let mut session = self.until_stopped(self.case.subject.open(self.gate)).await?;
        let (mut next, mut changes) = match &self.case.first_message {
            Some(message) => {
                self.heard.lock().await.push(ConversationMessage::Own(message.for_people()));
                (Some(Input::Message(self.sendable(message.clone())?)), Map::new())
            }
            None => self.loop_yield().await?,
        };
        loop {
            if !changes.is_empty() {
                self.change_state(&mut *session, changes).await?;
                if self.state_matches() {
                    return Ok(Some(TerminationReason::StateMatches));
                }
            }
            let Some(input) = next else { return Ok(None) };
            if let Input::Message(message) = &input {
                self.gate.note_user_message(message);
                self.note_responses(message);
            }
            let end = self.until_stopped(session.run(input)).await?;
            self.gate.note_state(end.state);
            self.waiting = end.pending;
            self.open.retain(|call| self.waiting.iter().all(|it| it.call_id != call.call_id));
            self.open.extend(self.waiting.iter().cloned());
            if let Some(reason) = self.condition_met() {
                return Ok(Some(reason));
            }
            (next, changes) = self.responses().await?;
            self.turns += u32::from(next.is_some());
        }
    }

    /// Waits for what the subject does, or for the failure that ends the run.
    async fn until_stopped<T>(
        &self,
        work: impl Future<Output = Result<T, RunFailure>>,
    ) -> Result<T, RunFailure> {
        let done = tokio::select! {
            done = work => done,
            () = self.gate.stopped() => Err(RunFailure::Infrastructure { message: String::new() }),
        };
        // A failure at the gate explains how the subject's run ended.
        match self.gate.failure() {
            Some(failure) => Err(failure),
            None => done,
        }
    }

    /// The condition that ends the run where the subject waits.
    fn condition_met(&self) -> Option<TerminationReason> {
        if self.state_matches() {
            return Some(TerminationReason::StateMatches);
        }
        let is_last = self.case.terminate_when.max_turns.is_some_and(|most| self.turns >= most);
        is_last.then_some(TerminationReason::MaxTurns)
    }

    fn state_matches(&self) -> bool {
        let query = self.case.terminate_when.state_matches.as_ref();
        query.is_some_and(|query| query.holds(&self.gate.state()))
    }

    /// What the users give back, and what they change; no input if the conversation is over.
    async fn responses(&mut self) -> Result<(Option<Input>, Map<String, Value>), RunFailure> {
        let loops = self.answers.lock().await.get(&YieldKind::Loop).copied().unwrap_or_default();
        let conversation = self.case.user_agents.conversation.as_ref();
        let is_in_message = conversation.is_some_and(|user| user.responds_to_calls(loops));
        // All are asked at the same time, and the run goes on when all have answered.
        let this = &*self;
        let asked = this.waiting.iter().filter(|call| this.is_for_user(call, is_in_message));
        let answers = try_join_all(asked.map(|call| this.tool_yield(call))).await?;
        let mut changes = Map::new();
        let mut responses = Vec::new();
        for (response, changed) in answers {
            merge_noting(&self.gate.ledger, &mut changes, changed);
            responses.extend(response);
        }
        self.open.retain(|call| responses.iter().all(|it| it.call_id != call.call_id));
        if responses.is_empty() {
            let (message, changed) = self.loop_yield().await?;
            merge_noting(&self.gate.ledger, &mut changes, changed);
            return Ok((message, changes));
        }
        Ok((Some(Input::Responses(responses)), changes))
    }

    /// Whether the user agent of a tool is to respond to a call. With an interim result, the agent can go on without a
    /// response, and the user's next message may have it.
    fn is_for_user(&self, call: &PendingCall, is_in_message: bool) -> bool {
        match self.case.user_agents.tools.contains_key(&call.tool) {
            true => !self.gate.is_replaced(&call.call_id),
            false => call.interim.is_none() && !is_in_message,
        }
    }

    /// The user's next message, and what the user changes.
    async fn loop_yield(&mut self) -> Result<(Option<Input>, Map<String, Value>), RunFailure> {
        let case = self.case;
        let user = case.user_agents.conversation.as_ref().filter(|_| !self.user_has_left);
        if user.is_none() && (self.user_has_left || !self.gate.is_taken(&Place::User)) {
            return Ok((None, Map::new()));
        }
        let info = YieldInfo {
            kind: YieldKind::Loop,
            invocation_id: self.gate.invocation_id(),
            awaiting_input: true,
            call_id: None,
            args: None,
            interim: None,
        };
        let Answered { response, changes, is_end } =
            self.asked(user.map(|user| &**user), &info, Wanted::ANYTHING).await?;
        self.user_has_left = is_end || response.is_none();
        let Some(response) = response else { return Ok((None, changes)) };
        let message = Message::of_output(&response)
            .map_err(|error| RunFailure::user_agent(YieldKind::Loop, error))?;
        Ok((Some(Input::Message(self.sendable(message)?)), changes))
    }

    /// A message of the user as the subject can get it: each response in it goes to a call that waits.
    fn sendable(&self, message: Message) -> Result<Message, RunFailure> {
        let failed = |message| RunFailure::UserAgent { of: YieldKind::Loop, message };
        if let Some(reason) = self.case.subject.refusal(&message) {
            return Err(failed(reason));
        }
        let mut open: Vec<&PendingCall> = self.open.iter().collect();
        message.addressed(|response| {
            let at = self.call_of(response, &open).ok_or_else(|| {
                let named = response.name.as_deref().or(response.id.as_deref());
                let waiting: Vec<_> = open.iter().map(|call| call.name.as_str()).collect();
                failed(format!(
                    "its message responds to a call of {}, and {}",
                    named.unwrap_or_default(),
                    match waiting.is_empty() {
                        true => "no call waits for a response".to_owned(),
                        false => format!("the calls that wait are those of {}", waiting.join(", ")),
                    }
                ))
            })?;
            let call = open.remove(at);
            Ok((call.call_id.clone(), call.name.clone()))
        })
    }

    /// The place in `open` of the call that a response of the user is for: the one with its id, or else of its name. Of
    /// several with its name, it is the one at the place that the call has in the recording, or the first.
    fn call_of(&self, response: &FunctionResponse, open: &[&PendingCall]) -> Option<usize> {
        let with_id = |id: &str| open.iter().position(|call| call.call_id == id);
        let recorded = response.id.as_ref().and_then(|id| self.case.recorded_calls.get(id));
        let in_run = |(name, place): &(String, usize)| {
            self.gate.ledger.look(|events| {
                let mut calls = events.iter().filter_map(|entry| match &entry.event {
                    Event::ToolCall { call_id, name: tool, is_inner: false, .. } => {
                        (tool == name).then_some(call_id)
                    }
                    _ => None,
                });
                calls.nth(*place).cloned()
            })
        };
        let of_name = || {
            let name = response.name.as_ref().or(recorded.map(|(name, _)| name))?;
            open.iter().position(|call| call.name == *name)
        };
        if let Some(at) = response.id.as_deref().and_then(with_id) {
            return Some(at);
        }
        match recorded.and_then(in_run) {
            Some(id) => with_id(&id),
            None => of_name(),
        }
    }

    /// Notes the results that a message of the user has, as those of the tools that waited.
    fn note_responses(&mut self, message: &Message) {
        for response in message.responses() {
            let Some(at) =
                self.open.iter().position(|it| Some(&it.call_id) == response.id.as_ref())
            else {
                continue;
            };
            let call = self.open.remove(at);
            if call.is_for_result() {
                self.gate.ledger.add(Event::ToolResult {
                    call_id: call.call_id,
                    name: call.tool,
                    result: response.response.clone().unwrap_or_else(JsonText::null),
                    from: Origin::UserAgent,
                });
            }
        }
    }

    /// The response of a tool that waits, and what the user changes; no response if a call with an interim result gets no
    /// other.
    async fn tool_yield(
        &self,
        call: &PendingCall,
    ) -> Result<(Option<ToolResponse>, Map<String, Value>), RunFailure> {
        let user = self.case.user_agents.tools.get(&call.tool);
        if user.is_none() && !self.gate.is_taken(&Place::User) {
            return Err(self.no_user_agent(call));
        }
        let info = YieldInfo {
            kind: YieldKind::Tool { tool_name: call.tool.clone() },
            invocation_id: self.gate.invocation_id(),
            awaiting_input: false,
            call_id: Some(call.call_id.clone()),
            args: Some(call.args.clone()),
            interim: call.interim.clone(),
        };
        // The output schema is that of the interim result, where there is one.
        let has_schema = call.interim.is_none();
        let refusal = |response: &JsonText| {
            let mismatch = || self.gate.mismatch(&call.call_id, response).filter(|_| has_schema);
            call.refusal(response).map(str::to_owned).or_else(mismatch)
        };
        let schema = self.gate.awaited_schema(&call.call_id).filter(|_| has_schema);
        let wanted = Wanted { schema, refusal: &refusal };
        let answered = self.asked(user.map(|user| &**user), &info, wanted).await?;
        if user.is_none() && answered.response.is_none() {
            return Err(self.no_user_agent(call));
        }
        let Answered { response, changes, is_end } = answered;
        let has_no_answer = response.is_none() && !is_end;
        let Some(response) = response.filter(|_| !is_end) else {
            if call.interim.is_some() || has_no_answer {
                return Ok((None, changes));
            }
            let message = "it ended the conversation while the tool waits for its answer";
            return Err(RunFailure::UserAgent { of: info.kind, message: message.to_owned() });
        };
        if let Some(message) = refusal(&response) {
            let message = format!("its answer is {response}, and {message}");
            return Err(RunFailure::UserAgent { of: info.kind, message });
        }
        if call.is_for_result() {
            self.gate.ledger.add(Event::ToolResult {
                call_id: call.call_id.clone(),
                name: call.tool.clone(),
                result: response.clone(),
                from: Origin::UserAgent,
            });
        }
        let response =
            ToolResponse { call_id: call.call_id.clone(), name: call.name.clone(), response };
        Ok((Some(response), changes))
    }

    fn no_user_agent(&self, call: &PendingCall) -> RunFailure {
        RunFailure::NoUserAgent {
            written_in: self.case.written_in,
            tool: call.tool.clone(),
            args: call.args.clone(),
        }
    }

    /// Asks a user agent, or the person who has the user's place. Without either, the user says nothing.
    async fn asked(
        &self,
        user: Option<&dyn UserAgent>,
        info: &YieldInfo,
        wanted: Wanted<'_>,
    ) -> Result<Answered, RunFailure> {
        let failed = |error: &dyn Display| RunFailure::user_agent(info.kind.clone(), error);
        self.gate.ledger.add(Event::Yield(info.clone()));
        let state = self.gate.state();
        // Each sees the session as it is at its yield, and its own prompt.
        let mut heard = self.heard.lock().await.clone();
        let events = self.gate.ledger.look(<[_]>::to_vec);
        let (bridge, processes) = (&self.case.bridge, self.gate.processes());
        let at = AtYield { events: &events, heard: &heard, state: &state, info };
        let prompt = bridge.prompt(&at, processes).await.map_err(|error| failed(&error))?;
        self.gate.ledger.add(Event::UserAgentPrompt { text: prompt.clone() });
        heard.push(ConversationMessage::Prompt(prompt.clone()));
        let number = {
            let answers = &mut *self.answers.lock().await;
            let count = answers.entry(info.kind.clone()).or_default();
            *count += 1;
            *count - 1
        };
        if let Some(given) = self.gate.given_answer(&info.kind, number) {
            return Ok(self.again(given, prompt, info).await);
        }
        // What a user agent gives is what the bridge makes of it.
        let refusal = |output: &JsonText| {
            let response = self.gate.ledger.look(|events| {
                let at = AtYield { events, heard: &heard, state: &state, info };
                bridge.response_at_once(output, &at)
            });
            match response {
                Ok(response) => response.as_ref().and_then(wanted.refusal),
                Err(error) => Some(error.to_string()),
            }
        };
        let is_bridged = bridge.format_response.is_some();
        let schema = wanted.schema.as_ref().filter(|_| !is_bridged).cloned();
        let context = UserContext {
            ledger: &self.gate.ledger,
            state: &state,
            scopes: self.scopes(),
            run_id: self.gate.run_id(),
            processes,
            wanted: Wanted { schema, refusal: &refusal },
        };
        let by_person = match self.gate.person_as_user() {
            Some(person) => {
                let answer = person.answer_in_run(number, &heard, info, &context);
                self.gate.instead(&Place::User, answer).await
            }
            None => None,
        };
        let answer = match (by_person, user) {
            (Some(answer), _) => answer,
            (None, Some(user)) => user.answer_in_run(number, &heard, info, &context).await,
            (None, None) => Ok(UserAnswer::NoAnswer),
        };
        let (output, changes, is_end) = match answer.map_err(|error| failed(&error))? {
            UserAnswer::Says { output, changes } => (Some(output), changes, false),
            UserAnswer::Ends { message, changes } => (message, changes, true),
            UserAnswer::NoAnswer => (None, JsonText::from_value(&Value::Object(Map::new())), false),
        };
        let response = match output {
            Some(output) => {
                let events = self.gate.ledger.look(<[_]>::to_vec);
                let at = AtYield { events: &events, heard: &heard, state: &state, info };
                let response = bridge.response(output, &at, processes).await;
                Some(response.map_err(|error| failed(&error))?)
            }
            None => None,
        };
        if let Some(response) = &response {
            self.note_answer(response, prompt, info).await;
        }
        let changes = changes.decode::<Map<String, Value>>().map_err(|error| failed(&error))?;
        self.check_scopes(&changes, &state).map_err(|error| failed(&error))?;
        Ok(Answered { response, changes, is_end })
    }

    /// What the user answered here in the run that is forked. What a format of the bridge made of it is in it.
    async fn again(&self, given: GivenAnswer, prompt: String, info: &YieldInfo) -> Answered {
        let GivenAnswer { response, changes, is_end } = given;
        if let Some(response) = &response {
            self.note_answer(response, prompt, info).await;
        }
        // As changes of the session, keys keep their prefixes.
        let changes = match changes.is_empty() {
            true => Map::new(),
            false => Map::from_iter([(SESSION.to_owned(), Value::Object(changes))]),
        };
        Answered { response, changes, is_end }
    }

    /// Notes what a user agent gave back, and what all of them have heard.
    async fn note_answer(&self, response: &JsonText, prompt: String, info: &YieldInfo) {
        let said = match (&info.kind, response.decode::<String>()) {
            (_, Ok(text)) => text,
            (YieldKind::Loop, Err(_)) => output_for_people(response).into_owned(),
            (YieldKind::Tool { .. }, Err(_)) => response.as_str().to_owned(),
        };
        self.heard
            .lock()
            .await
            .extend([ConversationMessage::Prompt(prompt), ConversationMessage::Own(said)]);
        self.gate.ledger.add(Event::UserAgentResponse {
            response: response.clone(),
            call_id: info.call_id.clone(),
        });
    }

    /// Checks that changes are those of scopes. Suites name their scopes in `initial_state`.
    fn check_scopes(
        &self,
        changes: &Map<String, Value>,
        state: &JsonText,
    ) -> Result<(), ChangeError> {
        let names_scopes = matches!(self.case.written_in, WrittenIn::Suite | WrittenIn::Python);
        let state = JsonIndex::of(state);
        if let Some(scope) = changes.keys().find(|scope| self.scopes().is_temporary(scope)) {
            return Err(ChangeError::TemporaryScope { scope: scope.clone() });
        }
        let has = |scope: &str| !names_scopes || state.root().member(scope).is_some();
        check_scopes(changes, self.scopes(), has)
    }

    fn scopes(&self) -> Scopes {
        self.case.subject.scopes()
    }

    /// Changes the state of the main session, deep within objects.
    async fn change_state(
        &self,
        session: &mut dyn SubjectSession,
        changes: Map<String, Value>,
    ) -> Result<(), RunFailure> {
        let unreadable = |error: json_text::JsonTextError| RunFailure::Infrastructure {
            message: format!("the state cannot be read: {error}"),
        };
        let before = self.gate.state().decode::<Map<String, Value>>().map_err(unreadable)?;
        let changed = changed_keys(&before, changes, self.scopes());
        let changed = changed.map_err(|error| RunFailure::user_agent(YieldKind::Loop, error))?;
        let changes = JsonText::from_value(&Value::Object(changed));
        self.gate.ledger.add(Event::StateChange { changes: changes.clone(), by: Role::UserAgent });
        let state = self.until_stopped(session.change_state(changes)).await?;
        self.gate.note_state(state);
        Ok(())
    }
}
