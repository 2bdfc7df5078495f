//! A running host takes up another list of agents.

use std::net::SocketAddr;

use api::{
    AgentStatus, AgentSummary, ApiError, CallProgress, EvalSetList, HostEvent, RestoreRequest,
    Restored, RestoredSession, ResultSlice, SessionEvent, SessionView,
};
use json_text::JsonText;
use rehearsal::agents::native::NativeAgent;
use rehearsal::{
    Folders, LiveSessions, Reload, Running, SimulatedAgentConfig, Simulator, examples,
};
use serde_json::json;
use session::{AgentId, Answer, ToolError, ToolResult};
use test_support::{Page, arguments};

const TRIP: &str = r#"{"query":"Lisbon","max_results":1}"#;

/// The agents `name`, a travel desk with a revision each.
fn agents(folder: &tempfile::TempDir, agents: &[(&str, u64)]) -> Vec<SimulatedAgentConfig> {
    let agent = |(name, revision): &(&str, u64)| {
        let path = folder.path().join(format!("{}.evalset.json", name.to_lowercase()));
        let agent = SimulatedAgentConfig::native(*name, examples::travel_agent(), path);
        SimulatedAgentConfig { revision: Some(*revision), ..agent }
    };
    agents.iter().map(agent).collect()
}

async fn host(begun: &[(&str, u64)]) -> (Running, SocketAddr, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let running = Simulator::new()
        .agents(agents(&folder, begun))
        .live(LiveSessions::at(folder.path().join("live.sqlite")))
        .listen(SocketAddr::from(([127, 0, 0, 1], 0)))
        .start()
        .await
        .unwrap();
    let address = running.address();
    (running, address, folder)
}

fn reload(agents: Vec<SimulatedAgentConfig>) -> Reload {
    Reload { agents: Some(agents), ..Reload::default() }
}

/// Waits for the end of the session, and for the list of agents to change.
async fn closed(page: &mut Page) {
    let (mut is_closed, mut is_listed) = (false, false);
    while !(is_closed && is_listed) {
        match page.next_event().await {
            HostEvent::Session(SessionEvent::Closed { session }) => {
                is_closed = session == *page.session.id();
            }
            HostEvent::AgentListChanged => is_listed = true,
            _ => {}
        }
    }
}

async fn listed(page: &Page) -> Vec<(String, bool)> {
    let agents: Vec<AgentSummary> = page.ask("list_agents", &json!({})).await.unwrap();
    agents.into_iter().map(|agent| (agent.id.to_string(), agent.is_removed)).collect()
}

fn restore_request(page: &Page, state: &JsonText) -> serde_json::Value {
    let request = RestoreRequest {
        session: page.session.id().clone(),
        agent: page.session.agent().unwrap().clone(),
        history: page.history(),
        initial_state: JsonText::parse("{}").unwrap(),
        state: state.clone(),
        active_agent: page.view.agent.name.clone(),
    };
    json!({ "request": request })
}

#[tokio::test]
async fn an_agent_that_is_in_both_lists_goes_on_with_its_sessions_and_calls() {
    let (running, address, folder) = host(&[("Here", 1), ("There", 2)]).await;
    let mut page = Page::rehearse(address, "there", TRIP).await;
    let call = page.start("slow_timetable", &arguments(&json!({}))).await;
    running.reload(reload(agents(&folder, &[("New", 3), ("There", 2), ("Here", 4)]))).unwrap();
    let list = [("new", false), ("there", false), ("here", false)].map(|(id, is)| (id.into(), is));
    assert_eq!(listed(&page).await, list, "in the order of the new list");
    let mut other = Page::rehearse(address, "new", TRIP).await;
    let quoted = other.call("flight_archive", &arguments(&json!({}))).await;
    assert!(matches!(quoted, Answer::Output(_)), "the new agent is loaded");
    let agents: Vec<AgentSummary> = page.ask("list_agents", &json!({})).await.unwrap();
    assert_eq!((agents[1].loads, &agents[1].status), (1, &AgentStatus::Ready));
    let answer = page.cancel(&call).await;
    assert!(
        matches!(answer, Answer::Error(error) if error.error_type == ToolError::CANCELLED),
        "it ran"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_session_of_a_replaced_agent_goes_on_with_the_one_in_its_place() {
    let (running, address, folder) = host(&[("Desk", 1)]).await;
    let mut page = Page::rehearse(address, "desk", TRIP).await;
    page.call("flight_archive", &arguments(&json!({}))).await;
    let Answer::Output(output) = page.last_answer() else { panic!("an output") };
    let call = page.start("slow_timetable", &arguments(&json!({}))).await;
    let again = NativeAgent::new("desk").instruction("Replaced, for {agency}.");
    let again = SimulatedAgentConfig::native("Desk", again, folder.path().join("desk.json"));
    running.reload(reload(vec![again])).unwrap();
    closed(&mut page).await;
    let ended = page.news(&call).await;
    assert!(matches!(ended.progress, CallProgress::Failed { .. }), "{ended:?}");

    // Until the page has opened the session again, its steps are refused.
    let begun = json!({ "session": page.session.id(), "content": TRIP });
    let refused = page.ask::<SessionView>("begin_invocation", &begun).await.unwrap_err();
    assert!(matches!(refused, ApiError::UnknownSession(_)), "{refused:?}");
    let state = JsonText::parse(r#"{"agency":"Far"}"#).unwrap();
    let request = restore_request(&page, &state);
    let restored: RestoredSession = page.ask("restore_session", &request).await.unwrap();
    assert_eq!((restored.restored, restored.was_open), (Restored::State, false));
    assert_eq!(restored.view.instruction, "Replaced, for Far.");
    // A result that only the host has is still there.
    let slice = json!({ "session": page.session.id(), "call_id": output.call_id, "offset": 0 });
    let slice: ResultSlice = page.ask("read_stored_result", &slice).await.unwrap();
    let ToolResult::Stored(held) = &output.result else { panic!("stored") };
    assert!(slice.text.starts_with(&held.head[..100]));
    page.respond("Done.");
    let receipt = page.export().await.unwrap();
    assert!(receipt.path.ends_with("desk.json"), "{receipt:?}");
    running.stop().await;
}

#[tokio::test]
async fn a_session_of_a_removed_agent_can_be_exported_and_goes_on_when_it_is_back() {
    let (running, address, folder) = host(&[("Desk", 1), ("Other", 2)]).await;
    let mut page = Page::rehearse(address, "desk", TRIP).await;
    page.call("flight_archive", &arguments(&json!({}))).await;
    running.reload(reload(agents(&folder, &[("Other", 2)]))).unwrap();
    closed(&mut page).await;
    assert_eq!(listed(&page).await, [("other".into(), false), ("desk".into(), true)]);
    let sets: EvalSetList = page.ask("list_eval_sets", &json!({})).await.unwrap();
    let of_agents = sets.sets.iter().filter_map(|set| set.agent.as_ref());
    assert_eq!(of_agents.collect::<Vec<_>>(), [&AgentId::parse("other").unwrap()]);

    // Whoever goes on gets the reason why that is not possible.
    let state = JsonText::parse(r#"{"agency":"Far"}"#).unwrap();
    let request = restore_request(&page, &state);
    let refused = page.ask::<RestoredSession>("restore_session", &request).await.unwrap_err();
    let reason = "This agent was removed from the host: ";
    assert!(matches!(refused, ApiError::AgentFaulted(fault) if fault.reason.starts_with(reason)));
    let asked = json!({ "session": page.session.id(), "content": "x" });
    let refused = page.ask::<SessionView>("end_invocation", &asked).await.unwrap_err();
    assert!(refused.to_string().starts_with(reason), "{refused}");
    let opened = json!({ "session": "s2", "agent": "desk" });
    let refused = page.ask::<SessionView>("open_session", &opened).await.unwrap_err();
    assert!(refused.to_string().starts_with(reason), "{refused}");
    let retried = json!({ "agent": "desk" });
    let refused = page.ask::<AgentSummary>("reload_agent", &retried).await.unwrap_err();
    assert!(refused.to_string().starts_with(reason), "{refused}");

    running.reload(reload(agents(&folder, &[("Desk", 1), ("Other", 2)]))).unwrap();
    let restored: RestoredSession = page.ask("restore_session", &request).await.unwrap();
    assert_eq!(restored.restored, Restored::State);
    running.reload(reload(agents(&folder, &[("Other", 2)]))).unwrap();
    page.respond(r#"{"answer":"OSLLIS-1","confidence":0.9}"#);
    let receipt = page.export().await.unwrap();
    assert!(receipt.path.ends_with("desk.evalset.json"), "{receipt:?}");
    running.stop().await;
}

#[tokio::test]
async fn folders_change_with_the_next_request() {
    let (running, address, folder) = host(&[("Desk", 1)]).await;
    let page = Page::open(address, "desk").await;
    let (sets, later) = (folder.path().join("sets"), folder.path().join("later"));
    std::fs::create_dir_all(&sets).unwrap();
    std::fs::write(sets.join("late.evalset.json"), "{}").unwrap();
    let listed = async |page: &Page| {
        let sets: EvalSetList = page.ask("list_eval_sets", &json!({})).await.unwrap();
        sets.sets.into_iter().map(|set| set.set.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&page).await, ["desk"]);
    let folders = Folders { eval_sets: vec![sets], reports: vec![later] };
    running.reload(Reload { folders, ..Reload::default() }).unwrap();
    assert_eq!(listed(&page).await, ["desk", "late"], "and the agents are as they were");
    running.reload(Reload::default()).unwrap();
    assert_eq!(listed(&page).await, ["desk"]);
    running.stop().await;
}
