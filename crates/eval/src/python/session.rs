//! [`PythonSession`]: a Python agent in one case.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use json_text::{JsonIndex, JsonText};
use serde::Serialize;

use super::connection::{Connection, RequestError};
use super::messages::{Ended, Waiting};
use super::processes::CaseProcess;
use super::server::Server;
use crate::gate::Gate;
use crate::given_model::{RealModel, real_model};
use crate::model::{CANCEL_AFTER, CANCEL_AFTER_HEADER, Models, PERSON};
use crate::request_changes::RequestChanges;
use crate::run_failure::RunFailure;
use crate::subject::{Input, PendingCall, SubjectSession, TurnEnd};

/// What may be behind an error of the system in a process that is sealed.
const REFUSED: &str = ". The kernel refuses effects in this case. To let the code have them, name the folder, program or host \
                       in the case, as in `allow: [./logs/, git, \"localhost:4318\"]`, or let the tool that it belongs to be `real`";

/// A Python agent in one case. Dropping it ends its process.
pub(super) struct PythonSession {
    gate: Arc<Gate>,
    connection: Connection,
    server: Arc<Server>,
    process: CaseProcess,
    /// Whether the process waits for a request, and nothing of the case goes on in it.
    is_idle: bool,
}

impl Drop for PythonSession {
    fn drop(&mut self) {
        if self.is_idle && self.server.reuses_processes() {
            self.connection.release();
            self.server.keep(&self.process);
        } else {
            self.server.end(&self.process);
        }
    }
}

/// The model that replaces those of the agent.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Model<'a> {
    /// The engine responds.
    Given(&'a str),
    /// The engine responds, and then another model, or those of the agent.
    Fork(Option<Box<Model<'a>>>),
    /// The model of this name.
    Named(&'a str),
    /// A person, in a live session.
    Person {
        /// The address of the session.
        url: String,
        /// The key for it.
        key: String,
        /// What requests to it say in addition.
        headers: BTreeMap<&'static str, String>,
    },
}

impl<'a> Model<'a> {
    fn of(gate: &'a Gate, models: &Models) -> Result<Option<Self>, RunFailure> {
        Ok(match gate.model() {
            None => None,
            Some(model) => match (model.is_of_engine(), real_model(Some(model))) {
                (true, None) => Some(Self::Given(model.label())),
                (true, Some(real)) => {
                    Some(Self::Fork(Self::of_real(real, gate, models)?.map(Box::new)))
                }
                (false, real) => real.map_or(Ok(None), |it| Self::of_real(it, gate, models))?,
            },
        })
    }

    /// The model; `None` for those of the agent.
    fn of_real(
        real: RealModel<'a>,
        gate: &Gate,
        models: &Models,
    ) -> Result<Option<Self>, RunFailure> {
        Ok(match real {
            RealModel::Own => None,
            RealModel::Named(PERSON) => {
                let session = models.person(gate.case_name()).in_run(gate.run_id());
                let address = session.address();
                let (url, key) = address
                    .map_err(|error| RunFailure::GivenModel { message: error.to_string() })?;
                let headers = [(CANCEL_AFTER_HEADER, CANCEL_AFTER.to_string())].into();
                Some(Self::Person { url, key, headers })
            }
            RealModel::Named(name) => Some(Self::Named(name)),
        })
    }
}

#[derive(Serialize)]
struct Open<'a> {
    state: &'a JsonText,
    tools: Vec<&'a str>,
    real: Vec<&'a str>,
    sealed: Vec<&'a str>,
    declared: Vec<&'a str>,
    stateful: Vec<&'a str>,
    others_stateful: bool,
    answers_others: bool,
    model: Option<Model<'a>>,
    /// What is changed in requests to models.
    #[serde(skip_serializing_if = "RequestChanges::is_empty")]
    changes: &'a RequestChanges,
    model_timeout_ms: u64,
    check_models: bool,
    allow: Vec<&'a str>,
}

#[derive(Serialize)]
struct Response<'a> {
    call_id: &'a str,
    name: &'a str,
    response: &'a JsonText,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Run<'a> {
    Message { text: String },
    Parts { parts: Vec<JsonText> },
    Responses { responses: Vec<Response<'a>> },
}

impl PythonSession {
    pub(super) async fn open(
        server: Arc<Server>,
        gate: &Arc<Gate>,
        models: Models,
        check_models: bool,
    ) -> Result<Self, RunFailure> {
        let model = Model::of(gate, &models)?;
        let (process, stream) = server.begin(gate.is_repeated())?;
        let model_timeout = models.settings().timeout;
        let connection = Connection::new(stream, gate, models);
        let mut session =
            Self { gate: Arc::clone(gate), connection, server, process, is_idle: false };
        let open = Open {
            state: gate.initial_state(),
            tools: gate.known_tools().collect(),
            real: gate.real_tools().collect(),
            sealed: gate.sealed_tools().collect(),
            declared: gate.declared_tools().collect(),
            stateful: gate.stateful_tools().await,
            others_stateful: gate.others_are_stateful(),
            answers_others: gate.answers_other_tools(),
            model,
            changes: gate.request_changes(),
            model_timeout_ms: u64::try_from(model_timeout.as_millis()).unwrap_or(u64::MAX),
            check_models,
            allow: gate.allowed().collect(),
        };
        let opened = session.request("open", &open).await?;
        session.is_idle = true;
        let opened = JsonIndex::of(&opened);
        let refused = |member| {
            let message = opened.root().member(member)?;
            Some(message.string().unwrap_or_default().into_owned())
        };
        if let Some(message) = refused("unusable_model") {
            return Err(RunFailure::GivenModel { message });
        }
        if let Some(message) = refused("unusable_own_model") {
            return Err(RunFailure::OwnModel { message });
        }
        if let Some(reason) = refused("unchangeable") {
            return Err(RunFailure::Unchangeable { reason });
        }
        if let Some(state) = opened.root().member("state") {
            gate.note_state(state.to_json());
        }
        Ok(session)
    }

    async fn request(&self, method: &str, params: &impl Serialize) -> Result<JsonText, RunFailure> {
        let unreadable = |error: serde_json::Error| RunFailure::Infrastructure {
            message: format!("the request {method} cannot be written: {error}"),
        };
        let params = JsonText::serialize(params).map_err(unreadable)?;
        match self.connection.request(method, &params).await {
            Ok(result) => Ok(result),
            Err(RequestError::Raised(exception)) => {
                let unhandled = self.gate.unhandled().filter(|_| exception.is_of_mock);
                if let Some(unhandled) = unhandled {
                    return Err(unhandled);
                }
                let is_refused = self.server.is_sealed() && exception.r#type == "PermissionError";
                let hint = if is_refused { REFUSED } else { "" };
                let message = format!("{}{hint}", exception.message);
                Err(RunFailure::Subject { message, traceback: exception.traceback })
            }
            Err(RequestError::Closed) => Err(self.server.explain(&self.process).await),
        }
    }
}

#[async_trait]
impl SubjectSession for PythonSession {
    async fn run(&mut self, input: Input) -> Result<TurnEnd, RunFailure> {
        let params = match &input {
            Input::Message(message) => match message.parts() {
                None => Run::Message { text: message.text() },
                Some(parts) => Run::Parts { parts },
            },
            Input::Responses(responses) => Run::Responses {
                responses: responses
                    .iter()
                    .map(|one| Response {
                        call_id: &one.call_id,
                        name: &one.name,
                        response: &one.response,
                    })
                    .collect(),
            },
        };
        self.is_idle = false;
        let result = self.request("run", &params).await?;
        let unreadable = |error: json_text::JsonTextError| RunFailure::Infrastructure {
            message: format!("the end of the turn cannot be read: {error}"),
        };
        let ended = result.decode::<Ended>().map_err(unreadable)?;
        if let Some(message) = ended.unanswered {
            return Err(RunFailure::Subject { message, traceback: String::new() });
        }
        let state = ended.state.ok_or_else(|| RunFailure::Infrastructure {
            message: "the end of the turn has no state".to_owned(),
        })?;
        self.is_idle = true;
        Ok(TurnEnd { pending: ended.pending.into_iter().map(Waiting::into).collect(), state })
    }

    async fn change_state(&mut self, changes: JsonText) -> Result<JsonText, RunFailure> {
        #[derive(Serialize)]
        struct Params {
            changes: JsonText,
        }
        let result = self.request("change_state", &Params { changes }).await?;
        let state = JsonIndex::of(&result).root().member("state").map(|state| state.to_json());
        state.ok_or_else(|| RunFailure::Infrastructure {
            message: "the state is missing".to_owned(),
        })
    }
}

impl From<Waiting> for PendingCall {
    fn from(Waiting { call_id, name, tool, args, interim }: Waiting) -> Self {
        Self { call_id, name, tool, args, interim }
    }
}
