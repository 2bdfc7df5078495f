//! [`LiveGrpc`]: the methods of `rehearsal.v1.LiveService`. Each decodes a message, calls
//! [`LiveSessions`], and encodes the result.
//!
//! The acting person is the request's [`Caller`]; when authentication is off, the one that the
//! message names. Which sessions a token may act on is in `access::RULES`, and checked in
//! [`LiveSessions`].

use futures::stream::BoxStream;
use json_text::JsonText;
use live::{
    Content, DisplayName, EventId, HumanResponse, Invalid, LeaseId, LiveSessionId, Note, Part,
    Sequence, TurnId,
};
use prost::Message as _;
use rpc::wire;
use rpc::wire::live_service_server::{LiveService, LiveServiceServer};
use rpc::wire::session_event::Payload;
use tokio_util::sync::CancellationToken;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::commands::AgentRequest;
use super::error::LiveError;
use super::sessions::LiveSessions;
use super::{proto, streams, tool_choice};
use crate::access::{Caller, How, LoginLifetime, while_logged_in};
use crate::parsing::parse;

/// The largest message. A request may carry images.
const MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// The service.
pub(crate) struct LiveGrpc {
    sessions: LiveSessions,
    stop: CancellationToken,
}

impl LiveGrpc {
    /// The tonic service; `stop` ends its streams.
    pub(crate) fn server(
        sessions: LiveSessions,
        stop: CancellationToken,
    ) -> LiveServiceServer<Self> {
        LiveServiceServer::new(Self { sessions, stop })
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(usize::MAX)
    }
}

impl LiveGrpc {
    /// Rejects a response that the request's tool choice does not allow. Whether the turn can have a response
    /// at all is left to the ledger.
    async fn check_tool_choice(
        &self,
        session_id: LiveSessionId,
        turn_id: TurnId,
        response: &HumanResponse,
    ) -> Result<(), LiveError> {
        let Ok((requested, None)) = self.sessions.places_of(session_id, turn_id).await else {
            return Ok(());
        };
        let event = self.sessions.event(session_id, requested).await?;
        let Some(Payload::Request(request)) = event.payload else { return Ok(()) };
        let Some(config) = request.generation_config else { return Ok(()) };
        let called: Vec<Vec<String>> = response.candidates.iter().map(called).collect();
        let refused = parse(config.len(), move || {
            let config = JsonText::parse(&config).ok()?;
            called.iter().find_map(|called| tool_choice::refusal(&config, called))
        });
        match refused.await {
            Some(reason) => Err(Invalid::new("response", reason).into()),
            None => Ok(()),
        }
    }
}

/// The names of the tools that a candidate calls.
fn called(candidate: &Content) -> Vec<String> {
    let name = |part: &Part| match part {
        Part::FunctionCall(call) => Some(call.name.clone()),
        _ => None,
    };
    candidate.parts.iter().filter_map(name).collect()
}

type Answer<T> = Result<Response<T>, Status>;

/// Rejects a plugin of another minor version, with what to do. Other clients name none.
fn fits(metadata: &MetadataMap) -> Result<(), Status> {
    let minor = |version: &str| version.rsplit_once('.').map(|(minor, _)| minor.to_owned());
    let own = plugin_wheel::version();
    match metadata.get("x-rehearsal-plugin").and_then(|version| version.to_str().ok()) {
        Some(version) if minor(version) != minor(own) => Err(Status::failed_precondition(format!(
            "the plugin has version {version}, and the host {own}. Install the host's where the \
             agent runs: pip install /python/{}",
            plugin_wheel::plugin_wheel().name
        ))),
        _ => Ok(()),
    }
}

#[tonic::async_trait]
impl LiveService for LiveGrpc {
    async fn create_session(
        &self,
        request: Request<wire::CreateSessionRequest>,
    ) -> Answer<wire::CreateSessionResponse> {
        fits(request.metadata())?;
        let asked = request.into_inner();
        let id = asked.session_id.as_deref().map(LiveSessionId::parse).transpose();
        let id = id.map_err(LiveError::from)?;
        let description = rpc::description(asked.description.as_deref());
        let session = self.sessions.create(id, description).await?;
        let session = Some(proto::session(&session));
        Ok(Response::new(wire::CreateSessionResponse { session }))
    }

    async fn get_session(
        &self,
        request: Request<wire::GetSessionRequest>,
    ) -> Answer<wire::GetSessionResponse> {
        let summary = self.sessions.session(session_id(&request.get_ref().session_id)?).await?;
        let summary = Some(proto::summary(&summary));
        Ok(Response::new(wire::GetSessionResponse { summary }))
    }

    async fn list_sessions(
        &self,
        request: Request<wire::ListSessionsRequest>,
    ) -> Answer<wire::ListSessionsResponse> {
        let asked = request.get_ref();
        let count = rpc::page_size(asked.page_size).map_err(LiveError::from)?;
        let cursor = rpc::cursor(&asked.cursor).map_err(LiveError::from)?;
        let listed = self.sessions.list(cursor, &asked.search, count).await?;
        Ok(Response::new(wire::ListSessionsResponse {
            sessions: listed.sessions.iter().map(proto::summary).collect(),
            next_cursor: listed.next.map(rpc::cursor_to_wire).unwrap_or_default(),
        }))
    }

    async fn complete_session(
        &self,
        request: Request<wire::CompleteSessionRequest>,
    ) -> Answer<wire::CompleteSessionResponse> {
        let caller = Caller::of(&request);
        let asked = request.into_inner();
        let id = session_id(&asked.session_id)?;
        let by = optional_actor(caller, asked.by)?;
        let session = self.sessions.complete(id, asked.cancel_pending, by).await?;
        let session = Some(proto::session(&session));
        Ok(Response::new(wire::CompleteSessionResponse { session }))
    }

    type SubscribeStream = BoxStream<'static, Result<wire::SubscribeResponse, Status>>;

    async fn subscribe(
        &self,
        request: Request<wire::SubscribeRequest>,
    ) -> Answer<Self::SubscribeStream> {
        let lifetime = LoginLifetime::of(&request);
        let asked = request.get_ref();
        let watch = self.sessions.watch(session_id(&asked.session_id)?).await?;
        let (after, stop) = (Sequence(asked.after_sequence), self.stop.clone());
        let stream = streams::watch(watch, after, self.sessions.keep_alive(), stop)?;
        Ok(Response::new(while_logged_in(lifetime, stream)))
    }

    async fn submit_request(
        &self,
        request: Request<wire::SubmitRequestRequest>,
    ) -> Answer<wire::SubmitRequestResponse> {
        let asked = request.into_inner();
        let (id, turn_id) = place(&asked.session_id, &asked.turn_id)?;
        let (agent_name, run) = agent(&asked.agent_name, &asked.invocation_id)?;
        let request = asked.request.ok_or_else(|| invalid("request", "must be given"))?;
        let read = parse(request.encoded_len(), || rpc::llm_request(request)).await;
        let request = read.map_err(|fault| LiveError::from(fault.within("request")))?;
        let request = AgentRequest::new(agent_name, run, request).await?;
        let sequence = self.sessions.submit(id, turn_id, request).await?;
        Ok(Response::new(wire::SubmitRequestResponse { sequence: sequence.0 }))
    }

    type AwaitDecisionStream = BoxStream<'static, Result<wire::AwaitDecisionResponse, Status>>;

    async fn await_decision(
        &self,
        request: Request<wire::AwaitDecisionRequest>,
    ) -> Answer<Self::AwaitDecisionStream> {
        let lifetime = LoginLifetime::of(&request);
        let (id, turn_id) = place(&request.get_ref().session_id, &request.get_ref().turn_id)?;
        let waited = self.sessions.wait(id, turn_id).await?;
        let stream = streams::wait(self.sessions.clone(), id, turn_id, waited, self.stop.clone());
        Ok(Response::new(while_logged_in(lifetime, stream)))
    }

    async fn record_event(
        &self,
        request: Request<wire::RecordEventRequest>,
    ) -> Answer<wire::RecordEventResponse> {
        let asked = request.into_inner();
        let (id, turn_id) = place(&asked.session_id, &asked.turn_id)?;
        let (agent_name, run) = agent(&asked.agent_name, &asked.invocation_id)?;
        let event_id = EventId::parse(&asked.event_id).map_err(LiveError::from)?;
        let length = asked.payload.as_ref().map_or(0, |payload| payload.encoded_len());
        let payload = parse(length, || rpc::recorded(asked.payload)).await;
        let payload = payload.map_err(LiveError::from)?;
        let recorded = self.sessions.record(id, event_id, turn_id, agent_name, run, payload);
        Ok(Response::new(wire::RecordEventResponse { sequence: recorded.await?.0 }))
    }

    async fn submit_decision(
        &self,
        request: Request<wire::SubmitDecisionRequest>,
    ) -> Answer<wire::SubmitDecisionResponse> {
        let caller = Caller::of(&request);
        let asked = request.into_inner();
        let (id, turn_id) = place(&asked.session_id, &asked.turn_id)?;
        let lease_id = asked.lease_id.as_deref().map(LeaseId::parse).transpose();
        let lease_id = lease_id.map_err(LiveError::from)?;
        let by = required_actor(caller, asked.by)?;
        let response = asked.response.ok_or_else(|| invalid("response", "must be given"))?;
        let read = parse(response.encoded_len(), || rpc::decision(response)).await;
        let response = read.map_err(|fault| LiveError::from(fault.within("response")))?;
        self.check_tool_choice(id, turn_id, &response).await?;
        let sequence = self.sessions.respond(id, turn_id, response, by, lease_id).await?;
        Ok(Response::new(wire::SubmitDecisionResponse { sequence: sequence.0 }))
    }

    async fn cancel_turn(
        &self,
        request: Request<wire::CancelTurnRequest>,
    ) -> Answer<wire::CancelTurnResponse> {
        let caller = Caller::of(&request);
        let asked = request.into_inner();
        let (id, turn_id) = place(&asked.session_id, &asked.turn_id)?;
        let by = optional_actor(caller, asked.by)?;
        let sequence = self.sessions.cancel(id, turn_id, Note::cut(&asked.reason), by).await?;
        Ok(Response::new(wire::CancelTurnResponse { sequence: sequence.0 }))
    }

    async fn hold_turn(
        &self,
        request: Request<wire::HoldTurnRequest>,
    ) -> Answer<wire::HoldTurnResponse> {
        let caller = Caller::of(&request);
        let asked = request.into_inner();
        let (id, turn_id) = place(&asked.session_id, &asked.turn_id)?;
        let lease_id = LeaseId::parse(&asked.lease_id).map_err(LiveError::from)?;
        let by = required_actor(caller, asked.by)?;
        let lease = self.sessions.take_lease(id, turn_id, lease_id, by).await?;
        let lease = lease.map(|lease| proto::lease(&lease, true));
        Ok(Response::new(wire::HoldTurnResponse { lease }))
    }

    async fn hand_over_turn(
        &self,
        request: Request<wire::HandOverTurnRequest>,
    ) -> Answer<wire::HandOverTurnResponse> {
        let asked = request.into_inner();
        let (id, turn_id) = place(&asked.session_id, &asked.turn_id)?;
        let lease_id = LeaseId::parse(&asked.lease_id).map_err(LiveError::from)?;
        let to = rpc::required_person("to", asked.to).map_err(LiveError::from)?;
        let lease = self.sessions.hand_over_lease(id, turn_id, lease_id, to).await?;
        let lease = lease.map(|lease| proto::lease(&lease, false));
        Ok(Response::new(wire::HandOverTurnResponse { lease }))
    }

    async fn release_turn(
        &self,
        request: Request<wire::ReleaseTurnRequest>,
    ) -> Answer<wire::ReleaseTurnResponse> {
        let asked = request.into_inner();
        let (id, turn_id) = place(&asked.session_id, &asked.turn_id)?;
        let lease_id = LeaseId::parse(&asked.lease_id).map_err(LiveError::from)?;
        self.sessions.release_lease(id, turn_id, lease_id).await?;
        Ok(Response::new(wire::ReleaseTurnResponse {}))
    }
}

/// The person who responds or holds a lease: the logged-in one, whatever the message names.
fn required_actor(
    caller: Option<Caller>,
    named: Option<wire::Person>,
) -> Result<DisplayName, LiveError> {
    match caller {
        Some(caller) => Ok(caller.name),
        None => Ok(rpc::required_person("by", named)?),
    }
}

/// The person who cancels or completes; `None` when an agent gives up.
fn optional_actor(
    caller: Option<Caller>,
    named: Option<wire::Person>,
) -> Result<Option<DisplayName>, LiveError> {
    match caller {
        Some(caller) if named.is_some() || caller.how == How::Password => Ok(Some(caller.name)),
        Some(_) => Ok(None),
        None => Ok(rpc::person(named)?),
    }
}

fn session_id(text: &str) -> Result<LiveSessionId, LiveError> {
    Ok(LiveSessionId::parse(text)?)
}

fn turn_id(text: &str) -> Result<TurnId, LiveError> {
    Ok(TurnId::parse(text)?)
}

fn place(session: &str, turn: &str) -> Result<(LiveSessionId, TurnId), LiveError> {
    Ok((session_id(session)?, turn_id(turn)?))
}

fn agent(
    name: &str,
    invocation_id: &str,
) -> Result<(live::AgentName, live::InvocationId), LiveError> {
    Ok((rpc::agent_name(name)?, rpc::invocation_id(invocation_id)?))
}

fn invalid(field: &str, rule: impl Into<String>) -> Status {
    LiveError::from(Invalid::new(field, rule)).into()
}
