//! [`NativeSession`]: an agent of adk-rust in one case.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use adk_core::identity::{AdkIdentity, AppName, SessionId, UserId};
use adk_core::{Agent, Content, Event as AdkEvent, EventStream, RunConfig, StreamingMode};
use adk_runner::Runner;
use adk_session::{AppendEventRequest, CreateRequest, InMemorySessionService, SessionService};
use async_trait::async_trait;
use eval::RunFailure;
use eval::subject::{Input, SubjectSession, TurnEnd};
use eval::yields::YieldKind;
use futures::StreamExt as _;
use json_text::JsonText;
use serde_json::{Map, Value};

use crate::confirmation::Confirmations;
use crate::events::{Depth, note};
use crate::failed;
use crate::interceptor::Interceptor;
use crate::shared::Shared;

/// An agent in one case, with a session service of its own. Dropping it cancels its run.
pub(crate) struct NativeSession {
    runner: Runner,
    service: Arc<InMemorySessionService>,
    identity: AdkIdentity,
    shared: Arc<Shared>,
    /// The invocation under way, if a call of it waits.
    events: Option<EventStream>,
}

impl Drop for NativeSession {
    fn drop(&mut self) {
        self.shared.cancellation.cancel();
    }
}

/// The name of the app, the user and the session, of which each case has one.
const NAME: &str = "eval";

impl NativeSession {
    pub(crate) async fn open(
        agent: Arc<dyn Agent>,
        interceptor: Interceptor,
    ) -> Result<Self, RunFailure> {
        let shared = interceptor.shared;
        note_agents(&agent, &shared);
        let state = shared.gate.initial_state().decode::<HashMap<String, Value>>();
        let state = state.map_err(|error| RunFailure::Infrastructure {
            message: format!("the initial state cannot be read: {error}"),
        })?;
        let begin = async {
            let identity = AdkIdentity::new(
                AppName::try_from(NAME)?,
                UserId::try_from(NAME)?,
                SessionId::try_from(NAME)?,
            );
            let service = Arc::new(InMemorySessionService::new());
            let create = CreateRequest {
                app_name: NAME.to_owned(),
                user_id: NAME.to_owned(),
                session_id: Some(NAME.to_owned()),
                state,
            };
            service.create(create).await?;
            let config = RunConfig {
                // One event for each response; the parts of one would be of no use to a metric.
                streaming_mode: StreamingMode::None,
                tool_confirmation_handler: Some(Arc::new(Confirmations(Arc::clone(&shared)))),
                ..RunConfig::default()
            };
            let sessions: Arc<dyn SessionService> = Arc::<InMemorySessionService>::clone(&service);
            let runner = Runner::builder()
                .app_name(NAME)
                .agent(agent)
                .session_service(sessions)
                .run_config(config)
                .cancellation_token(shared.cancellation.clone())
                .build()?;
            Ok((identity, service, runner))
        };
        let (identity, service, runner) = begin.await.map_err(|error| failed(&error))?;
        Ok(Self { runner, service, identity, shared, events: None })
    }

    /// Runs until the invocation ends or only waits, and returns what it waits for.
    async fn until_waiting(
        &mut self,
        mut events: EventStream,
    ) -> Result<Vec<eval::subject::PendingCall>, RunFailure> {
        loop {
            tokio::select! {
                // The invocation is polled first, so that it gets as far as it can before anyone is asked.
                biased;
                event = events.next() => match event {
                    Some(Ok(event)) => note(&self.shared, &event, Depth::Outer)?,
                    Some(Err(error)) => return Err(failed(&error)),
                    None => return Ok(Vec::new()),
                },
                pending = self.shared.waits.only_waiting() => {
                    self.events = Some(events);
                    return Ok(pending);
                }
            }
        }
    }
}

/// Notes an agent and those below it.
fn note_agents(agent: &Arc<dyn Agent>, shared: &Shared) {
    shared.gate.note_agents([agent.name().to_owned()]);
    for agent in agent.sub_agents() {
        note_agents(agent, shared);
    }
}

async fn state(
    service: &InMemorySessionService,
    identity: &AdkIdentity,
) -> Result<JsonText, RunFailure> {
    let session = service.get_for_identity(identity).await;
    let state = session.map_err(|error| failed(&error))?.state().all();
    let sorted: BTreeMap<String, Value> = state.into_iter().collect();
    JsonText::serialize(&sorted).map_err(|error| RunFailure::Infrastructure {
        message: format!("the state cannot be written: {error}"),
    })
}

#[async_trait]
impl SubjectSession for NativeSession {
    async fn run(&mut self, input: Input) -> Result<TurnEnd, RunFailure> {
        let events = match input {
            Input::Message(message) => {
                let AdkIdentity { user_id, session_id, .. } = self.identity.clone();
                let texts = message.texts();
                let texts =
                    texts.map_err(|error| RunFailure::user_agent(YieldKind::Loop, error))?;
                let content = texts.into_iter().fold(Content::new("user"), Content::with_text);
                let events = self.runner.run(user_id, session_id, content).await;
                events.map_err(|error| failed(&error))?
            }
            Input::Responses(responses) => {
                for response in responses {
                    self.shared.waits.respond(&response.call_id, response.response);
                }
                self.events.take().ok_or_else(|| RunFailure::Infrastructure {
                    message: "a response came, and no call waits".to_owned(),
                })?
            }
        };
        let pending = self.until_waiting(events).await?;
        Ok(TurnEnd { pending, state: state(&self.service, &self.identity).await? })
    }

    async fn change_state(&mut self, changes: JsonText) -> Result<JsonText, RunFailure> {
        let changes = changes.decode::<Map<String, Value>>().map_err(|error| {
            RunFailure::Infrastructure { message: format!("the changes cannot be read: {error}") }
        })?;
        let mut event = AdkEvent::new("");
        "user".clone_into(&mut event.author);
        event.actions.state_delta = changes.clone().into_iter().collect();
        let request = AppendEventRequest { identity: self.identity.clone(), event };
        let appended = self.service.append_event_for_identity(request).await;
        appended.map_err(|error| failed(&error))?;
        if self.events.is_some() {
            // The invocation has a copy of the session.
            self.shared.waits.change(changes);
        }
        state(&self.service, &self.identity).await
    }
}
