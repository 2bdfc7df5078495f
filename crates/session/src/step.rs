//! [`step`]: the one way a session moves.

use jiff::Timestamp;
use json_text::{JsonText, Kind};

use crate::error::Refusal;
use crate::history::{
    FinalResponse, Recording, ToolCall, ToolError, ToolOutput, ToolResult, UserQuery, WaitedFor,
};
use crate::state::{Answer, Call, PastTurn, Pending, PendingPhase, Phase, Run, Session};
use crate::{AgentId, CallId, SessionState, ToolName};

/// What can happen to a session. Times are parameters; one before the last entry counts
/// as that entry's time, so that a clock set back does not disorder the history.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The person chose an agent.
    SelectAgent {
        /// The chosen agent.
        agent: AgentId,
    },
    /// The person submitted the user's first or next query.
    SubmitQuery {
        /// Text, or JSON for an agent with an input schema.
        content: String,
        /// The time of the event.
        at: Timestamp,
    },
    /// The person called a tool.
    CallTool {
        /// A new id.
        call_id: CallId,
        /// Which tool.
        tool_name: ToolName,
        /// A JSON object.
        arguments: JsonText,
        /// Whether the tool is an agent: then what the person gives stands for its model's response.
        is_agent: bool,
        /// The time of the event.
        at: Timestamp,
    },
    /// The tool asks the person to confirm.
    AskConfirmation {
        /// The pending call.
        call_id: CallId,
        /// What the tool is about to do.
        hint: String,
        /// What the tool suggests to confirm with.
        payload: Option<JsonText>,
    },
    /// The person confirmed or denied.
    Confirm {
        /// The pending call.
        call_id: CallId,
        /// Yes or no.
        confirmed: bool,
        /// Sent along with the answer.
        payload: Option<JsonText>,
    },
    /// The person acts as the agent that was called, instead of confirming that its model runs.
    ActAsAgent {
        /// The pending call.
        call_id: CallId,
    },
    /// The agent has begun, or its final response was rejected: the person acts as it.
    BeginActing {
        /// The pending call.
        call_id: CallId,
    },
    /// A long-running tool has begun and waits for its result from outside.
    AwaitResult {
        /// The pending call.
        call_id: CallId,
        /// What it returned at first.
        first: Option<JsonText>,
    },
    /// The person supplied a long-running tool's result.
    SupplyResult {
        /// The pending call.
        call_id: CallId,
        /// The result.
        result: JsonText,
    },
    /// The person cancelled the pending call.
    CancelCall {
        /// The pending call.
        call_id: CallId,
    },
    /// The call came to its end.
    Settle {
        /// The pending call.
        call_id: CallId,
        /// How.
        outcome: Outcome,
        /// How long the tool ran, in milliseconds.
        duration_ms: f64,
        /// The time of the event.
        at: Timestamp,
    },
    /// The person sent the final response: to the user, or as the agent that the person acts as to its caller.
    Respond {
        /// Text, or JSON for an agent with an output schema.
        content: String,
        /// The time of the event.
        at: Timestamp,
    },
    /// The person continues the completed session with the user's next query.
    Continue,
    /// The person does not continue after all: the session is completed again.
    CancelContinue,
}

/// How a call ended, before it is entered in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The tool returned.
    Output {
        /// What it returned.
        result: ToolResult,
        /// How google-adk records it.
        recording: Recording,
    },
    /// The tool or the call failed.
    Error {
        /// Exception class name or a constant of [`ToolError`].
        error_type: String,
        /// What went wrong.
        error_message: String,
        /// The whole traceback.
        traceback: Option<String>,
    },
}

impl Outcome {
    /// The tool returned a value that google-adk records by its JSON alone.
    #[must_use]
    pub fn returned(result: ToolResult) -> Self {
        Self::Output { result, recording: Recording::default() }
    }
}

/// What the world has to do after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Send the user's message to the host.
    BeginInvocation {
        /// The query's content.
        content: String,
    },
    /// Run this tool.
    RunTool {
        /// The call.
        call_id: CallId,
        /// The tool.
        tool_name: ToolName,
        /// The arguments.
        arguments: JsonText,
    },
    /// Stop this call.
    CancelTool {
        /// The call.
        call_id: CallId,
    },
    /// Confirms a call that requested it.
    ConfirmTool {
        /// The call.
        call_id: CallId,
        /// Yes or no.
        confirmed: bool,
        /// Sent along.
        payload: Option<JsonText>,
    },
    /// Have the person play the agent that was called.
    ActAsAgent {
        /// The call.
        call_id: CallId,
    },
    /// End the agent that the person acts as with its final response, which becomes the result of its call.
    RespondAsAgent {
        /// The call.
        call_id: CallId,
        /// The final response's content.
        content: String,
    },
    /// Hand a long-running tool's result over.
    SupplyResult {
        /// The call.
        call_id: CallId,
        /// The result.
        result: JsonText,
    },
    /// Send the final response to the host.
    EndInvocation {
        /// The final response's content.
        content: String,
    },
}

/// Applies `event` to `session`.
///
/// # Errors
/// [`Refusal`] when the event does not fit; nothing has changed then.
pub fn step(session: &Session, event: Event) -> Result<(Session, Vec<Effect>), Refusal> {
    let mut next = session.clone();
    let effects = apply(&mut next, event)?;
    Ok((next, effects))
}

fn apply(session: &mut Session, event: Event) -> Result<Vec<Effect>, Refusal> {
    match event {
        Event::SelectAgent { agent } => {
            let Phase::SelectingAgent = session.phase else {
                return Err(wrong(session, "choose an agent", "Start a new session"));
            };
            session.phase = Phase::AwaitingQuery { agent };
            Ok(Vec::new())
        }
        Event::SubmitQuery { content, at } => {
            let Phase::AwaitingQuery { agent } = &session.phase else {
                let remedy = match session.state() {
                    SessionState::SelectingAgent => "Choose an agent first",
                    SessionState::Completed => "Continue the session first",
                    _ => "Send the final response first",
                };
                return Err(wrong(session, "send a user message", remedy));
            };
            if content.trim().is_empty() {
                return Err(Refusal::EmptyQuery);
            }
            let agent = agent.clone();
            let effects = vec![Effect::BeginInvocation { content: content.clone() }];
            let query = UserQuery { content, timestamp: session.not_before_last(at) };
            session.phase = Phase::Active(Run { agent, query, pending: Vec::new() });
            Ok(effects)
        }
        Event::CallTool { call_id, tool_name, arguments, is_agent, at } => {
            let timestamp = session.not_before_last(at);
            let ended = session.calls.iter().map(|made| &made.call);
            let mut made = ended.chain(session.all_pending().iter().map(|pending| &pending.call));
            let is_repeated = made.any(|made| made.call_id == call_id);
            let run = idle(session, "call a tool")?;
            if is_repeated {
                return Err(Refusal::RepeatedCallId { call_id });
            }
            if arguments.kind() != Kind::Object {
                let kind = arguments.kind().name();
                return Err(Refusal::ArgumentsNotObject { tool: tool_name.to_string(), kind });
            }
            let within = run.pending.last().map(|outer| outer.call.call_id.clone());
            let call = ToolCall { tool_name, arguments, call_id, timestamp, waited: None, within };
            let effect = Effect::RunTool {
                call_id: call.call_id.clone(),
                tool_name: call.tool_name.clone(),
                arguments: call.arguments.clone(),
            };
            run.pending.push(Pending { call, is_agent, phase: PendingPhase::Running });
            Ok(vec![effect])
        }
        Event::AskConfirmation { call_id, hint, payload } => {
            let pending = pending(session, &call_id)?;
            match pending.phase {
                PendingPhase::Running => {
                    pending.phase = PendingPhase::AwaitingConfirmation { hint, payload };
                    Ok(Vec::new())
                }
                _ => Err(Refusal::NotAskedFor { call_id, what: "a question" }),
            }
        }
        Event::Confirm { call_id, confirmed, payload } => {
            let pending = pending(session, &call_id)?;
            match pending.phase {
                PendingPhase::AwaitingConfirmation { .. } => {
                    pending.phase = PendingPhase::Running;
                    pending.wait_for(WaitedFor::Confirmation);
                    Ok(vec![Effect::ConfirmTool { call_id, confirmed, payload }])
                }
                _ => Err(Refusal::NotAskedFor { call_id, what: "a confirmation" }),
            }
        }
        Event::ActAsAgent { call_id } => {
            let pending = pending(session, &call_id)?;
            match pending.phase {
                PendingPhase::AwaitingConfirmation { .. } => {
                    pending.phase = PendingPhase::Running;
                    Ok(vec![Effect::ActAsAgent { call_id }])
                }
                _ => Err(Refusal::NotAskedFor { call_id, what: "a person who acts as the agent" }),
            }
        }
        Event::BeginActing { call_id } => {
            let pending = pending(session, &call_id)?;
            match pending.phase {
                PendingPhase::Running | PendingPhase::Responding => {
                    pending.phase = PendingPhase::Acting;
                    Ok(Vec::new())
                }
                _ => Err(Refusal::NotAskedFor { call_id, what: "the start of its agent" }),
            }
        }
        Event::AwaitResult { call_id, first } => {
            let pending = pending(session, &call_id)?;
            match pending.phase {
                PendingPhase::Running => {
                    pending.phase = PendingPhase::AwaitingResult { first };
                    Ok(Vec::new())
                }
                _ => Err(Refusal::NotAskedFor { call_id, what: "a first result" }),
            }
        }
        Event::SupplyResult { call_id, result } => {
            let pending = pending(session, &call_id)?;
            match &pending.phase {
                PendingPhase::AwaitingResult { first } => {
                    if first.as_ref().is_none_or(|first| first.kind() == Kind::Null) {
                        pending.wait_for(WaitedFor::Result);
                    }
                    pending.phase = PendingPhase::Running;
                    Ok(vec![Effect::SupplyResult { call_id, result }])
                }
                _ => Err(Refusal::NotAskedFor { call_id, what: "a result" }),
            }
        }
        Event::CancelCall { call_id } => {
            let pending = pending(session, &call_id)?;
            if pending.phase == PendingPhase::Cancelling {
                return Ok(Vec::new());
            }
            pending.phase = PendingPhase::Cancelling;
            Ok(vec![Effect::CancelTool { call_id }])
        }
        Event::Settle { call_id, outcome, duration_ms, at } => {
            pending(session, &call_id)?;
            let timestamp = session.not_before_last(at);
            let place = session.place_of(&call_id);
            let run = active(session, "end a call")?;
            if let Some(Pending { call, .. }) = run.pending.pop() {
                let answer = entry(call_id, outcome, duration_ms, timestamp);
                session.calls.insert(place, Call { call, answer });
            }
            Ok(Vec::new())
        }
        Event::Respond { content, at } => {
            let timestamp = session.not_before_last(at);
            let run = idle(session, "send the final response")?;
            if content.trim().is_empty() {
                return Err(Refusal::EmptyResponse);
            }
            if let Some(played) = run.pending.last_mut() {
                played.phase = PendingPhase::Responding;
                let call_id = played.call.call_id.clone();
                return Ok(vec![Effect::RespondAsAgent { call_id, content }]);
            }
            let effects = vec![Effect::EndInvocation { content: content.clone() }];
            let final_response = FinalResponse { content, timestamp };
            session.phase = Phase::Completed { run: run.clone(), final_response };
            Ok(effects)
        }
        Event::Continue => {
            let Phase::Completed { run, final_response } = session.phase.clone() else {
                return Err(wrong(
                    session,
                    "add another user message",
                    "Send the final response first",
                ));
            };
            let Run { agent, query, .. } = run;
            let calls_to = session.calls.len();
            session.past.push(PastTurn { query, calls_to, final_response });
            session.phase = Phase::AwaitingQuery { agent };
            Ok(Vec::new())
        }
        Event::CancelContinue => {
            let (Phase::AwaitingQuery { agent }, Some(last)) =
                (&session.phase, session.past.last())
            else {
                return Err(wrong(
                    session,
                    "undo a continuation",
                    "Continue a completed session first",
                ));
            };
            let run = Run { agent: agent.clone(), query: last.query.clone(), pending: Vec::new() };
            let final_response = last.final_response.clone();
            session.phase = Phase::Completed { run, final_response };
            session.past.pop();
            Ok(Vec::new())
        }
    }
}

fn entry(call_id: CallId, outcome: Outcome, duration_ms: f64, timestamp: Timestamp) -> Answer {
    let duration_ms = if duration_ms.is_finite() { duration_ms.max(0.0) } else { 0.0 };
    match outcome {
        Outcome::Output { result, recording } => {
            Answer::Output(ToolOutput { call_id, result, recording, duration_ms, timestamp })
        }
        Outcome::Error { error_type, error_message, traceback } => Answer::Error(ToolError {
            call_id,
            error_type,
            error_message,
            traceback,
            duration_ms,
            timestamp,
        }),
    }
}

impl Session {
    fn not_before_last(&self, at: Timestamp) -> Timestamp {
        let pending = self.pending().map(|pending| pending.call.timestamp);
        // An agent's call ends after the calls that the person made as this agent.
        let ended = self.calls_of_turn().iter().map(|it| it.answer.timestamp()).max();
        let last = pending.max(ended);
        let last = last.or_else(|| self.query().map(|query| query.timestamp));
        let last = last.or_else(|| self.past.last().map(|turn| turn.final_response.timestamp));
        last.map_or(at, |last| at.max(last))
    }
}

fn wrong(session: &Session, event: &'static str, remedy: &'static str) -> Refusal {
    Refusal::WrongState { event, state: session.state(), remedy }
}

fn active<'a>(session: &'a mut Session, event: &'static str) -> Result<&'a mut Run, Refusal> {
    let state = session.state();
    match &mut session.phase {
        Phase::Active(run) => Ok(run),
        Phase::Completed { .. } => Err(Refusal::WrongState {
            event,
            state,
            remedy: "Continue it with another user message, or start a new one",
        }),
        Phase::SelectingAgent => {
            Err(Refusal::WrongState { event, state, remedy: "Choose an agent first" })
        }
        Phase::AwaitingQuery { .. } => {
            Err(Refusal::WrongState { event, state, remedy: "Write the user message first" })
        }
    }
}

/// The run, when no call prevents the next step.
fn idle<'a>(session: &'a mut Session, event: &'static str) -> Result<&'a mut Run, Refusal> {
    let busy_with = session.busy_with().map(|pending| pending.call.tool_name.to_string());
    let run = active(session, event)?;
    match busy_with {
        Some(running) => Err(Refusal::CallRunning { running }),
        None => Ok(run),
    }
}

fn pending<'a>(session: &'a mut Session, call_id: &CallId) -> Result<&'a mut Pending, Refusal> {
    let run = active(session, "answer a call")?;
    match run.pending.last_mut() {
        Some(pending) if pending.call.call_id == *call_id => Ok(pending),
        _ => Err(Refusal::NotPending { call_id: call_id.clone() }),
    }
}
