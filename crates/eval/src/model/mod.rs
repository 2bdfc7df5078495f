//! [`Model`]: a real model that the engine itself asks, for a user agent, a mock or a judge.
//!
//! The requests go through `adk-model`. What is ours is what a suite needs of many requests at once: one limit for
//! each model that follows its rate limit, retries, and a timeout. `adk-model` would retry by itself, with no
//! limit that several cases share.

mod access;
mod agent_model;
mod client;
mod failure;
mod generation_config;
mod json;
mod limit;
mod limited_client;
mod name;
mod person;
#[cfg_attr(not(feature = "services"), path = "no_services.rs")]
mod services;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use adk_core::{Content, Llm, Part};
use json_text::JsonText;
use tokio::time::Instant;

pub use access::Variables;
pub use failure::{FailureKind, ModelFailure};
pub use generation_config::GenerationConfig;
pub(crate) use json::{
    JsonFailure, UnfitAnswer, ask_for_json, beginning, correction, read_json, repeat,
};
pub use name::{ModelNameError, PERSON};
pub use person::PersonSession;
pub(crate) use person::{CANCEL_AFTER, CANCEL_AFTER_HEADER};

pub(crate) use agent_model::{AgentModel, Attempt};

use self::access::Access;
use self::limit::Limit;
use self::limited_client::LimitedClient;
use self::name::{Service, parse};
use self::person::{Asked, Persons};
use crate::given_model::{ModelCall, ModelTurn};
use crate::ledger::{Event, Ledger, Role};

/// The longest wait that a service may ask for with `Retry-After`. A longer one is a failure.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// The models that this process can reach. Clones share the limit of each model.
#[derive(Clone)]
pub struct Models {
    variables: Variables,
    settings: ModelSettings,
    limits: Arc<Mutex<Limits>>,
    persons: Persons,
    /// The judge in place of those that metrics name.
    judge: Option<Arc<str>>,
}

/// By service, address and the service's own name of the model.
type Limits = HashMap<(Option<Service>, String, String), Arc<Limit>>;

/// How models are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSettings {
    /// How long one request may take.
    pub timeout: Duration,
    /// How often a request is repeated that failed for a reason that may pass.
    pub retries: u32,
    /// The wait before the first repetition, where the service does not name one. It doubles each time, up to 30
    /// seconds.
    pub first_wait: Duration,
    /// How many requests to one model are under way at the same time, at most. The first suite that asks a model
    /// decides.
    pub most_at_once: usize,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(120),
            retries: 5,
            first_wait: Duration::from_secs(1),
            most_at_once: 16,
        }
    }
}

impl ModelSettings {
    /// The wait after the failure number `number`, from 1.
    fn wait(&self, number: u32) -> Duration {
        let factor = 2_u32.saturating_pow(number.saturating_sub(1));
        self.first_wait.saturating_mul(factor).min(Duration::from_secs(30).max(self.first_wait))
    }

    /// The wait after the failure of the attempt number `attempt`, from 1.
    fn wait_after(&self, failure: &ModelFailure, attempt: u32) -> Duration {
        failure.retry_after.unwrap_or_else(|| self.wait(attempt))
    }

    /// Whether the request is made again after that wait.
    fn repeats(&self, failure: &ModelFailure, attempt: u32, wait: Duration) -> bool {
        failure.may_pass() && attempt <= self.retries && wait <= LONGEST_WAIT
    }
}

impl Models {
    /// The models for which `variables` have keys.
    #[must_use]
    pub fn new(variables: Variables) -> Self {
        Self {
            variables,
            settings: ModelSettings::default(),
            limits: Arc::default(),
            persons: Persons::default(),
            judge: None,
        }
    }

    /// The models for which the environment of this process has keys. All callers share their limits.
    #[must_use]
    pub fn of_environment() -> Self {
        static SHARED: LazyLock<Models> = LazyLock::new(|| Models::new(Variables::environment()));
        SHARED.clone()
    }

    /// The same models; people respond at the host of this address, unless the environment names another one.
    #[must_use]
    pub fn with_host(mut self, host: &str) -> Self {
        self.variables = self.variables.with_host(host);
        self
    }

    /// The same models, asked otherwise.
    #[must_use]
    pub fn with_settings(mut self, settings: ModelSettings) -> Self {
        self.settings = settings;
        self
    }

    /// The same models, with this one as the judge in place of those that metrics name.
    #[must_use]
    pub fn with_judge(mut self, name: &str) -> Self {
        self.judge = Some(name.into());
        self
    }

    /// The judge that is named, or the one that [`Models::with_judge`] gave in its place; `None` without either.
    ///
    /// # Errors
    /// As [`Models::model`].
    pub fn judge(&self, named: Option<&str>) -> Result<Option<Model>, ModelNameError> {
        self.judge.as_deref().or(named).map(|name| self.model(name)).transpose()
    }

    /// The name of the judge where a metric names this one.
    #[must_use]
    pub fn judge_name<'n>(&'n self, named: &'n str) -> &'n str {
        self.judge.as_deref().unwrap_or(named)
    }

    /// How the models are asked.
    #[must_use]
    pub fn settings(&self) -> ModelSettings {
        self.settings
    }

    /// The model of this name, such as `gemini-2.5-flash` or `openai/gpt-5-mini`. Nothing is sent.
    ///
    /// # Errors
    /// [`ModelNameError`] if the name or the service is not known, or the key is missing.
    pub fn model(&self, name: &str) -> Result<Model, ModelNameError> {
        let (service, model) = parse(name)?;
        if service == Service::Person {
            return self.person("rehearsal eval").model("model");
        }
        let access = self.variables.access(service, name)?;
        self.open(service, &access, name, model)
    }

    fn open(
        &self,
        service: Service,
        access: &Access,
        name: &str,
        model: &str,
    ) -> Result<Model, ModelNameError> {
        let llm = services::open(service, access, model).map_err(|error| {
            ModelNameError::Client { name: name.to_owned(), error: error.message }
        })?;
        Ok(Model {
            name: name.into(),
            service,
            llm,
            limit: self.limit(Some(service), access.base_url.clone(), model),
            settings: self.settings,
            person: (service == Service::Person).then(|| self.persons.clone()),
        })
    }

    /// The requests that an agent's own client makes to the model of this name, with the limit that the engine has for
    /// it.
    pub(crate) fn of_agent(&self, name: &str) -> AgentModel {
        let limit = match parse(name) {
            Ok((service, model)) => {
                self.limit(Some(service), self.variables.base_url(service), model)
            }
            Err(_) => self.limit(None, None, name),
        };
        AgentModel { name: name.to_owned(), limit, settings: self.settings }
    }

    fn limit(&self, service: Option<Service>, base_url: Option<String>, model: &str) -> Arc<Limit> {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = limits
            .entry((service, base_url.unwrap_or_default(), model.to_owned()))
            .or_insert_with(|| Arc::new(Limit::new(self.settings.most_at_once)));
        Arc::clone(limit)
    }
}

/// A model that can be asked.
#[derive(Clone)]
pub struct Model {
    name: Arc<str>,
    service: Service,
    llm: Arc<dyn Llm>,
    limit: Arc<Limit>,
    settings: ModelSettings,
    /// Where it is noted that a person is asked.
    person: Option<Persons>,
}

/// What a model is asked.
#[derive(Debug, Clone, Default)]
pub struct ModelRequest {
    /// What the model is to do; empty where the messages say it.
    pub instruction: String,
    /// The conversation. The last message is the one to respond to.
    pub messages: Vec<ModelMessage>,
    /// What the model may call.
    pub tools: Vec<ModelTool>,
    /// How it generates its reply.
    pub config: GenerationConfig,
    /// Whether the model may end its turn without a word, because it has said something before. Otherwise such a reply is
    /// a failure, and is asked for again.
    pub may_be_empty: bool,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTool {
    /// The name.
    pub name: String,
    /// What it does, and when to call it.
    pub description: String,
    /// The JSON Schema of the arguments.
    pub parameters: JsonText,
}

/// A message of a conversation with a model.
#[derive(Debug, Clone)]
pub enum ModelMessage {
    /// To the model.
    ToModel(String),
    /// An earlier response of the model.
    FromModel(String),
    /// An earlier response of the model that calls tools, and a result for each call, in their order.
    Called(CallingReply, Vec<JsonText>),
}

/// A response that calls tools, as the service wants it back.
#[derive(Debug, Clone)]
pub struct CallingReply(Content);

impl CallingReply {
    /// A response that the service did not give itself, whose calls are numbered from `first`.
    pub(crate) fn given(text: &str, calls: &[ReplyCall], first: usize) -> Self {
        let mut content = Content::new("model");
        if !text.is_empty() {
            content = content.with_text(text);
        }
        content.parts.extend(calls.iter().enumerate().map(|(at, call)| Part::FunctionCall {
            name: call.name.clone(),
            args: call.args.to_value().unwrap_or_default(),
            id: Some(format!("call-{}", first + at)),
            thought_signature: None,
        }));
        Self(content)
    }
}

/// A call in a model's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyCall {
    /// The tool.
    pub name: String,
    /// The arguments.
    pub args: JsonText,
}

/// What a model responded.
#[derive(Debug, Clone)]
pub struct ModelReply {
    /// The response, to give back with the results of its calls.
    pub(crate) content: CallingReply,
    /// Its text, without its thoughts.
    pub text: String,
    /// What it calls.
    pub calls: Vec<ReplyCall>,
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the response, thoughts included.
    pub output: u64,
}

impl ModelReply {
    /// The response as a given model has it, whose calls have no ids.
    pub(crate) fn into_turn(self) -> ModelTurn {
        let call = |ReplyCall { name, args }| ModelCall::new(name, args);
        ModelTurn { text: self.text, calls: self.calls.into_iter().map(call).collect() }
    }
}

/// Where the tokens of a request are noted, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct UsageNote<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) role: Role,
    /// The user agent, the tool or the metric that asks.
    pub(crate) agent: &'a str,
}

impl Model {
    /// The name, as suites write it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How often a request is repeated that failed for a reason that may pass.
    pub(crate) fn retries(&self) -> u32 {
        self.settings.retries
    }

    /// The model as agents of adk-rust use it, with the limit, the retries and the timeout of [`Model::ask`]. So all
    /// cases share its rate limit. It gives a response as a whole, also where a stream is asked for.
    #[must_use]
    pub fn client(&self) -> Arc<dyn Llm> {
        Arc::new(LimitedClient::new(self.clone()))
    }

    /// Asks the model and notes the tokens.
    pub(crate) async fn ask_noting(
        &self,
        request: &ModelRequest,
        note: UsageNote<'_>,
    ) -> Result<ModelReply, ModelFailure> {
        let reply = self.ask(request).await?;
        note.ledger.add(Event::ModelUsage {
            role: note.role,
            agent: note.agent.to_owned(),
            model: self.name.to_string(),
            input: reply.input,
            output: reply.output,
        });
        Ok(reply)
    }

    /// Asks the model, and asks again where that can help.
    ///
    /// # Errors
    /// [`ModelFailure`] of the last attempt.
    pub async fn ask(&self, request: &ModelRequest) -> Result<ModelReply, ModelFailure> {
        self.repeated(|| client::ask(&*self.llm, self.service, &self.name, request)).await
    }

    /// Makes a request within the limit and the timeout, and repeats it where that can help.
    async fn repeated<T, F>(&self, ask: impl Fn() -> F) -> Result<T, ModelFailure>
    where
        F: Future<Output = Result<T, ModelFailure>>,
    {
        let _asked: Option<Asked> = self.person.as_ref().map(Persons::ask);
        let mut attempts = 1;
        loop {
            let place = self.limit.enter().await;
            let begin = Instant::now();
            let failure = match tokio::time::timeout(self.settings.timeout, ask()).await {
                Ok(Ok(reply)) => {
                    place.succeeded();
                    return Ok(reply);
                }
                Ok(Err(failure)) => failure,
                Err(_) => ModelFailure::timeout(&self.name, self.settings.timeout),
            };
            let wait = self.settings.wait_after(&failure, attempts);
            if failure.kind == FailureKind::RateLimited {
                place.limited(wait.min(LONGEST_WAIT));
            }
            drop(place);
            let failure = match self.person {
                Some(_) => person::explained(failure, attempts, begin.elapsed()),
                None => failure,
            };
            if !self.settings.repeats(&failure, attempts, wait) {
                return Err(ModelFailure { attempts, ..failure });
            }
            tracing::debug!("{failure}; it is asked again in {} ms", wait.as_millis());
            tokio::time::sleep(wait).await;
            attempts += 1;
        }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Model").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_ask_one_model_share_its_limit() {
        let models = Models::new(Variables::given([("GEMINI_API_KEY", "k")]));
        let model = |name| models.clone().model(name).expect("a model");
        let (first, second) = (model("gemini-2.5-flash"), model("gemini/gemini-2.5-flash"));
        assert!(Arc::ptr_eq(&first.limit, &second.limit));
        assert!(!Arc::ptr_eq(&first.limit, &model("gemini-2.5-pro").limit));
    }

    #[test]
    fn waits_double_up_to_half_a_minute() {
        let settings = ModelSettings::default();
        let seconds = |number| settings.wait(number).as_secs();
        assert_eq!([1, 2, 3, 6, 40].map(seconds), [1, 2, 4, 30, 30]);
    }
}
