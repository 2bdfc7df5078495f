//! Restores a session of an earlier host from what the page has of it.

use agents::registry::RegisteredAgent;
use agents::{SessionPast, SessionSeed, SessionView};
use api::{ApiError, FieldMessage, RestoreRequest, Restored, RestoredSession};
use session::{RecordedTurn, SessionId};

use super::{Host, faulted, members, refusal, seed};
use crate::page_dto;
use crate::sessions::Start;

/// Opens the session of a request as it was. If the agent's source cannot restore it, opens it in its initial
/// state with the user's last message.
pub(super) async fn restore(
    host: &Host,
    request: RestoreRequest,
) -> Result<RestoredSession, ApiError> {
    let RestoreRequest { session, agent, history, initial_state, state, active_agent } = request;
    let _change = host.sessions.change(&session).await;
    let agent = host.agent(&agent)?;
    let seed = seed(&agent, Some(initial_state.clone()))?;
    let past =
        SessionPast { turns: turns(history)?, state: members(&state, "state")?, active_agent };
    match host.sessions.open_on(&session, &agent)? {
        Some(open) if open.has_begun() => {
            let view = agent.source.open_session(&session, &seed).await;
            let view = view.map_err(|error| refusal(&agent, error))?;
            open.record_keep_alive();
            let view = page_dto::session_view(view);
            let (restored, calls) = (open.restored, open.reported_calls());
            return Ok(RestoredSession { view, restored, was_open: true, calls });
        }
        Some(_) => {
            host.sessions.remove(&session);
            agent.source.close_session(&session).await;
        }
        None => agent.ready().await.map_err(faulted)?,
    }
    let (view, restored) = match restored(&agent, &session, &seed, &past).await? {
        Some(view) => (view, Restored::State),
        None => (opened_again(&agent, &session, &seed, &past).await?, Restored::Nothing),
    };
    let start = Start { seed, initial_state, restored };
    let entered = host.sessions.enter_with(&session, &agent, start, view.clone());
    entered.begin(view.clone());
    entered.record_keep_alive();
    let view = page_dto::session_view(view);
    Ok(RestoredSession { view, restored, was_open: false, calls: Vec::new() })
}

fn turns(history: Vec<session::HistoryEntry>) -> Result<Vec<RecordedTurn>, ApiError> {
    let invalid = |text: String| {
        ApiError::Invalid(vec![FieldMessage { pointer: "/history".to_owned(), text }])
    };
    let turns = RecordedTurn::from_history(history);
    let turns =
        turns.map_err(|fault| invalid(format!("The session cannot be restored: {fault}.")))?;
    match turns.is_empty() {
        true => Err(invalid("The history is empty. Open the session instead.".to_owned())),
        false => Ok(turns),
    }
}

/// The view of the restored session. A fault is of what the page sent as likely as of the agent, which stays
/// usable.
async fn restored(
    agent: &RegisteredAgent,
    session: &SessionId,
    seed: &SessionSeed,
    past: &SessionPast,
) -> Result<Option<SessionView>, ApiError> {
    agent.source.restore_session(session, seed, past).await.map_err(|error| match error {
        agents::SourceError::UnknownSession(id) => ApiError::UnknownSession(id),
        agents::SourceError::Faulted(fault) => faulted(fault),
    })
}

async fn opened_again(
    agent: &RegisteredAgent,
    session: &SessionId,
    seed: &SessionSeed,
    past: &SessionPast,
) -> Result<SessionView, ApiError> {
    let opened = agent.source.open_session(session, seed).await;
    let view = opened.map_err(|error| refusal(agent, error))?;
    let unanswered = past.turns.last().filter(|turn| turn.final_response.is_none());
    let Some(turn) = unanswered else { return Ok(view) };
    match agent.source.begin_invocation(session, &turn.query.content).await {
        Ok(view) => Ok(view),
        Err(error) => {
            agent.source.close_session(session).await;
            Err(refusal(agent, error))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::host::RehearsalHost;
    use agents::SimulatedAgentConfig;
    use agents::native::NativeAgent;
    use json_text::JsonText;
    use serde_json::{Value, json};
    use std::sync::Arc;

    use super::*;
    use crate::folders::Folders;
    use crate::no_runs::NoRuns;
    use crate::sessions::StoredResults;

    async fn host() -> Arc<Host> {
        let agent = NativeAgent::new("desk").instruction("Of {agency}, with {found}.");
        let agent = SimulatedAgentConfig::native("Desk", agent, "desk.evalset.json");
        let host = Host::new(
            vec![agent],
            Folders::default(),
            false,
            StoredResults::new("results"),
            Arc::new(NoRuns),
        );
        host.load_agents().await;
        host
    }

    fn entry(kind: &str, members: &Value) -> Value {
        let mut entry = json!({ "type": kind, "timestamp": "2025-12-23T14:30:00Z" });
        let members = members.as_object().expect("an object").clone();
        entry.as_object_mut().expect("an object").extend(members);
        entry
    }

    fn request(changed: &Value) -> RestoreRequest {
        let mut request = json!({
            "session": "s",
            "agent": "desk",
            "history": [
                entry("user_query", &json!({ "content": "Where?" })),
                entry("tool_call", &json!({ "tool_name": "find", "arguments": {}, "call_id": "c1" })),
                entry("tool_output", &json!({ "call_id": "c1", "result": 1, "duration_ms": 1 })),
            ],
            "initial_state": { "agency": "Far" },
            "state": { "agency": "Far", "found": 3 },
            "active_agent": "desk",
        });
        let changed = changed.as_object().expect("an object").clone();
        request.as_object_mut().expect("an object").extend(changed);
        let request = JsonText::from_value(&request);
        request.decode().expect("a request")
    }

    #[tokio::test]
    async fn a_session_of_an_earlier_host_goes_on_in_its_state() {
        let host = host().await;
        let restored = restore(&host, request(&json!({}))).await.expect("restores");
        assert_eq!(restored.restored, Restored::State);
        assert!(!restored.was_open, "a call that ran has ended with the earlier host");
        assert_eq!(restored.view.instruction, "Of Far, with 3.");
        let session = SessionId::parse("s").expect("valid");
        let open = host.sessions.find(&session).expect("open");
        assert_eq!(open.initial_state.as_str(), r#"{"agency":"Far"}"#, "for the export");
        // Another request of the page finds it as it is.
        let again = restore(&host, request(&json!({ "state": {} }))).await.expect("is open");
        assert_eq!((again.view, again.restored), (restored.view, Restored::State));
        assert!(again.was_open);
    }

    #[tokio::test]
    async fn a_session_that_the_host_has_is_not_replaced() {
        let host = host().await;
        let (session, agent) = (
            SessionId::parse("s").expect("valid"),
            session::AgentId::parse("desk").expect("valid"),
        );
        let state = JsonText::parse(r#"{"agency":"Near"}"#).expect("valid");
        host.open_session(session.clone(), agent, Some(state)).await.expect("opens");
        host.begin_invocation(session, "Where?".to_owned()).await.expect("begins");
        let open = restore(&host, request(&json!({}))).await.expect("is open");
        assert_eq!(open.restored, Restored::Open);
        assert_eq!(open.view.state.as_str(), r#"{"agency":"Near"}"#);
    }

    #[tokio::test]
    async fn what_the_page_sends_is_checked() {
        let host = host().await;
        let out_of_place = [entry("final_response", &json!({ "content": "There." }))];
        for (changed, part) in [
            (json!({ "history": out_of_place }), "entry 0 must be a user_query"),
            (json!({ "history": [] }), "The history is empty"),
            (json!({ "state": [1] }), "The state must be a JSON object. Found an array."),
            (json!({ "initial_state": 1 }), "The initial state must be a JSON object"),
            (json!({ "agent": "nobody" }), "Agent nobody was not found"),
        ] {
            let refused = restore(&host, request(&changed)).await.expect_err(part);
            assert!(refused.to_string().contains(part), "{refused}");
        }
        assert!(host.sessions.find(&SessionId::parse("s").expect("valid")).is_none());
    }

    #[tokio::test]
    async fn an_export_does_not_leave_a_session_in_its_initial_state() {
        let host = host().await;
        let history = [
            entry("user_query", &json!({ "content": "Where?" })),
            entry("final_response", &json!({ "content": "There." })),
        ];
        let exported = json!({ "session": "s", "agent": "desk", "history": history });
        let exported = JsonText::from_value(&exported).decode().expect("a request");
        host.exportable(exported).await.expect("can be exported");
        assert!(host.sessions.find(&SessionId::parse("s").expect("valid")).is_none());
    }
}
