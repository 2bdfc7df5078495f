//! [`Page`]: one rehearsal, driven from a test.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use crate::http_client;
use api::{
    ApiError, CallProgress, CallUpdate, EVENTS_PATH, ExportChoices, ExportPreview, ExportReceipt,
    ExportRequest, HostEvent, LiveWatch, PageMessage, SessionEvent, SessionView, ToolRequest,
};
use futures::{SinkExt, StreamExt};
use jiff::Timestamp;
use json_text::JsonText;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use session::{
    AgentId, Answer, CallId, Event, HistoryEntry, Outcome, Session, SessionId, ToolName,
    ToolResult, step,
};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Nothing in a test takes longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// One page: a session, a connection, and the history that it has built.
pub struct Page {
    address: SocketAddr,
    http: reqwest::Client,
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    unread: VecDeque<HostEvent>,
    /// The session as the page holds it.
    pub session: Session,
    /// What the model would see now.
    pub view: SessionView,
}

/// JSON arguments from a literal.
#[must_use]
pub fn arguments(value: &serde_json::Value) -> JsonText {
    JsonText::from_value(value)
}

fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

impl Page {
    /// Opens the page of `agent` and submits `query`.
    pub async fn rehearse(address: SocketAddr, agent: &str, query: &str) -> Self {
        let mut page = Self::open(address, agent).await;
        let event = Event::SubmitQuery { content: query.to_owned(), at: Timestamp::now() };
        page.apply(event);
        let id = page.session.id().clone();
        page.view = page
            .ask("begin_invocation", &json!({ "session": id, "content": query }))
            .await
            .expect("the query is taken");
        page
    }

    /// Opens the page of `agent`.
    pub async fn open(address: SocketAddr, agent: &str) -> Self {
        let http = http_client();
        let id = SessionId::parse(&new_id()).unwrap();
        let agent = AgentId::parse(agent).unwrap();
        let (mut socket, _) =
            connect_async(format!("ws://{address}{EVENTS_PATH}")).await.expect("connects");
        let view: Result<SessionView, ApiError> = ask(
            &http,
            address,
            "open_session",
            &json!({ "session": id.as_str(), "agent": agent.as_str() }),
        )
        .await;
        let watch = PageMessage::Watch { sessions: vec![id.clone()], live: LiveWatch::default() };
        socket.send(Message::text(serde_json::to_string(&watch).unwrap())).await.unwrap();
        let session = step(&Session::new(id), Event::SelectAgent { agent }).unwrap().0;
        let view = view.expect("the agent opens");
        Self { address, http, socket, unread: VecDeque::new(), session, view }
    }

    fn apply(&mut self, event: Event) {
        self.session = step(&self.session, event).expect("the session takes the event").0;
    }

    /// Sends the next requests to another host.
    pub fn move_to(&mut self, address: SocketAddr) {
        self.address = address;
    }

    /// Calls a server function.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        function: &str,
        request: &impl Serialize,
    ) -> Result<T, ApiError> {
        ask(&self.http, self.address, function, request).await
    }

    /// The next message of the host.
    pub async fn next_event(&mut self) -> HostEvent {
        if let Some(event) = self.unread.pop_front() {
            return event;
        }
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next())
                .await
                .expect("the host sends a message in time")
                .expect("the connection is open")
                .expect("the connection is sound");
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).expect("the host speaks the protocol");
            }
        }
    }

    /// Starts a call and returns its id at once.
    pub async fn start(&mut self, tool: &str, arguments: &JsonText) -> CallId {
        let call_id = CallId::parse(&new_id()).unwrap();
        let tool = ToolName::parse(tool).unwrap();
        self.apply(Event::CallTool {
            call_id: call_id.clone(),
            tool_name: tool.clone(),
            arguments: arguments.clone(),
            is_agent: false,
            at: Timestamp::now(),
        });
        let request = ToolRequest {
            session: self.session.id().clone(),
            call_id: call_id.clone(),
            tool,
            arguments: arguments.clone(),
        };
        self.ask::<()>("start_call", &json!({ "request": request })).await.expect("it starts");
        call_id
    }

    /// Waits for the next news of a call and enters them in the session.
    pub async fn news(&mut self, call_id: &CallId) -> CallUpdate {
        loop {
            let HostEvent::Session(SessionEvent::Call(news)) = self.next_event().await else {
                continue;
            };
            if news.call_id != *call_id {
                continue;
            }
            let call_id = news.call_id.clone();
            match news.progress.clone() {
                CallProgress::Returned { result, recording, duration_ms } => {
                    let result = ToolResult::Whole(result);
                    self.settle(call_id, Outcome::Output { result, recording }, duration_ms);
                }
                CallProgress::ReturnedStored { stored, recording, duration_ms } => {
                    let result = ToolResult::Stored(stored);
                    self.settle(call_id, Outcome::Output { result, recording }, duration_ms);
                }
                CallProgress::Failed { error_type, message, traceback, duration_ms } => {
                    let outcome = Outcome::Error { error_type, error_message: message, traceback };
                    self.settle(call_id, outcome, duration_ms);
                }
                CallProgress::AsksConfirmation { hint, payload } => {
                    self.apply(Event::AskConfirmation { call_id, hint, payload });
                }
                CallProgress::AwaitsResult { first } => {
                    self.apply(Event::AwaitResult { call_id, first });
                }
                CallProgress::Acting { .. } => self.apply(Event::BeginActing { call_id }),
            }
            if let Some(view) = &news.view {
                self.view = view.clone();
            } else if let Some(state) = &news.state {
                self.view.state = state.clone();
            }
            return *news;
        }
    }

    fn settle(&mut self, call_id: CallId, outcome: Outcome, duration_ms: f64) {
        self.apply(Event::Settle { call_id, outcome, duration_ms, at: Timestamp::now() });
    }

    /// Runs a tool to its end and gives its answer.
    pub async fn call(&mut self, tool: &str, arguments: &JsonText) -> Answer {
        let call_id = self.start(tool, arguments).await;
        self.news(&call_id).await;
        self.last_answer()
    }

    /// The answer to the last call that ended.
    #[must_use]
    pub fn last_answer(&self) -> Answer {
        self.session.calls().last().expect("a call has ended").answer.clone()
    }

    /// Cancels a call and gives how it ended.
    pub async fn cancel(&mut self, call_id: &CallId) -> Answer {
        self.apply(Event::CancelCall { call_id: call_id.clone() });
        let request = json!({ "session": self.session.id(), "call_id": call_id });
        self.ask::<()>("cancel_call", &request).await.expect("it is cancelled");
        self.news(call_id).await;
        self.last_answer()
    }

    /// Confirms or denies a call that asked, and waits for its end.
    pub async fn confirm(&mut self, call_id: &CallId, confirmed: bool) -> Answer {
        self.apply(Event::Confirm { call_id: call_id.clone(), confirmed, payload: None });
        let id = self.session.id();
        let request =
            json!({ "session": id, "call_id": call_id, "confirmed": confirmed, "payload": null });
        self.ask::<()>("confirm_call", &request).await.expect("it is confirmed");
        self.news(call_id).await;
        self.last_answer()
    }

    /// Supplies a long-running call's result, and waits for its end.
    pub async fn supply(&mut self, call_id: &CallId, result: &JsonText) -> Answer {
        self.apply(Event::SupplyResult { call_id: call_id.clone(), result: result.clone() });
        let request = json!({ "session": self.session.id(), "call_id": call_id, "result": result });
        self.ask::<()>("supply_result", &request).await.expect("it is supplied");
        self.news(call_id).await;
        self.last_answer()
    }

    /// Plays the agent that was called.
    pub async fn play(&mut self, call_id: &CallId) -> CallUpdate {
        self.apply(Event::ActAsAgent { call_id: call_id.clone() });
        let request = json!({ "session": self.session.id(), "call_id": call_id });
        self.ask::<()>("act_as_agent", &request).await.expect("it is played");
        self.news(call_id).await
    }

    /// Ends the agent that is played with its final response.
    pub async fn respond_as_agent(&mut self, call_id: &CallId, content: &str) -> CallUpdate {
        self.apply(Event::Respond { content: content.to_owned(), at: Timestamp::now() });
        let request =
            json!({ "session": self.session.id(), "call_id": call_id, "content": content });
        self.ask::<()>("respond_as_agent", &request).await.expect("it ends");
        self.news(call_id).await
    }

    /// Sends the final response.
    pub fn respond(&mut self, content: &str) {
        self.apply(Event::Respond { content: content.to_owned(), at: Timestamp::now() });
    }

    /// Ends the turn on the host, and continues with the user's next message.
    pub async fn continue_with(&mut self, query: &str) {
        let id = self.session.id().clone();
        let said = self.session.final_response().expect("a response was sent").content.clone();
        let ended = json!({ "session": id, "content": said });
        self.ask::<SessionView>("end_invocation", &ended).await.expect("the turn ends");
        self.apply(Event::Continue);
        self.apply(Event::SubmitQuery { content: query.to_owned(), at: Timestamp::now() });
        let begun = json!({ "session": id, "content": query });
        self.view = self.ask("begin_invocation", &begun).await.expect("the query is taken");
    }

    /// The history as it would be exported.
    #[must_use]
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.session.history()
    }

    /// Exports the session.
    pub async fn export(&self) -> Result<ExportReceipt, ApiError> {
        self.send_history("export_session", ExportChoices::default()).await
    }

    /// Exports the session with these choices.
    pub async fn export_with(&self, choices: ExportChoices) -> Result<ExportReceipt, ApiError> {
        self.send_history("export_session", choices).await
    }

    /// The case as it would be exported.
    pub async fn preview(&self, choices: ExportChoices) -> Result<ExportPreview, ApiError> {
        self.send_history("preview_export", choices).await
    }

    async fn send_history<T: DeserializeOwned>(
        &self,
        function: &str,
        choices: ExportChoices,
    ) -> Result<T, ApiError> {
        let request = ExportRequest {
            session: self.session.id().clone(),
            agent: self.session.agent().expect("an agent is chosen").clone(),
            history: self.history(),
            state: None,
            choices,
        };
        // Not through `json!`: the history's texts must keep their digits.
        #[derive(Serialize)]
        struct Body {
            request: ExportRequest,
        }
        self.ask(function, &Body { request }).await
    }
}

async fn ask<T: DeserializeOwned>(
    http: &reqwest::Client,
    address: SocketAddr,
    function: &str,
    request: &impl Serialize,
) -> Result<T, ApiError> {
    let body = serde_json::to_string(request).unwrap();
    let response = http
        .post(format!("http://{address}/api/{function}"))
        .header("content-type", "application/json")
        .body(body)
        .send()
        .await
        .expect("the host answers");
    let status = response.status();
    let text = response.text().await.expect("the answer is text");
    if status.is_success() {
        Ok(serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{function}: {error}: {text}")))
    } else {
        Err(serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{function}: {status}: {error}: {text}")))
    }
}
