//! A fake [`AgentHost`] with one agent.

use std::sync::Arc;

use api::{AgentSummary, ApiError, LogLine};
use app::host::{AgentHost, provide};
use async_trait::async_trait;
use axum::http::StatusCode;
use serde_json::json;
use session::AgentId;

use super::{call, expect_not_found};

/// Has the agent `weather`.
struct FakeAgents;

impl FakeAgents {
    fn weather() -> AgentSummary {
        AgentSummary {
            id: AgentId::from_display_name("Weather"),
            name: "Weather".to_owned(),
            source: api::SourceKind::Native,
            status: api::AgentStatus::Ready,
            description: String::new(),
            model: None,
            tools: Vec::new(),
            eval_set_path: "weather.evalset.json".to_owned(),
            runtime: None,
            loads: 1,
            is_changed: false,
            is_slow: false,
            is_removed: false,
        }
    }
}

#[async_trait]
impl AgentHost for FakeAgents {
    async fn list_agents(&self) -> Vec<AgentSummary> {
        vec![Self::weather()]
    }

    async fn reload_agent(&self, agent: AgentId) -> Result<AgentSummary, ApiError> {
        match agent.as_str() {
            "weather" => Ok(Self::weather()),
            _ => Err(ApiError::UnknownAgent { id: agent, known: Vec::new() }),
        }
    }

    async fn stop_loading(&self, agent: AgentId) -> Result<(), ApiError> {
        self.reload_agent(agent).await.map(drop)
    }

    async fn read_agent_log(&self, agent: AgentId) -> Result<Vec<LogLine>, ApiError> {
        self.reload_agent(agent).await.map(|_| Vec::new())
    }
}

#[tokio::test]
async fn agents_are_listed_and_reloaded_by_their_host() {
    let host = || provide::<dyn AgentHost>(Arc::new(FakeAgents));
    let (status, listed) = call("list_agents", &json!({}), host).await;
    assert_eq!((status, &listed[0]["name"]), (StatusCode::OK, &json!("Weather")));
    let (status, reloaded) = call("reload_agent", &json!({ "agent": "weather" }), host).await;
    assert_eq!((status, &reloaded["id"]), (StatusCode::OK, &json!("weather")));
    let stopped = call("stop_loading", &json!({ "agent": "weather" }), host).await;
    assert_eq!(stopped.0, StatusCode::OK);
    let log = call("read_agent_log", &json!({ "agent": "weather" }), host).await;
    assert_eq!(log, (StatusCode::OK, json!([])));
    let gone = json!({ "agent": "gone" });
    let error = json!({ "UnknownAgent": { "id": "gone", "known": [] } });
    let requests = ["reload_agent", "stop_loading", "read_agent_log"].map(|it| (it, gone.clone()));
    expect_not_found(requests, error, host).await;
}
