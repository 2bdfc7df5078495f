//! The members of a suite file, as serde reads them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use granit_parser::ScalarStyle;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::error::SuiteFault;
pub(super) use super::mock_format::Mock;
pub(super) use super::models_format::{ListedModel, ModelSettings};
use super::models_format::{SuiteModels, suite_models};
use super::yaml_error::explained;
use super::yaml_numbers;

/// A suite: cases, and what they have in common.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    /// What the suite is about.
    #[serde(default)]
    #[expect(dead_code, reason = "for people who read the file")]
    pub(super) description: String,
    /// The agent of the cases that name none.
    pub(super) subject: Option<Subject>,
    /// The model of the cases that name none.
    pub(super) model: Option<Model>,
    /// What happens to the calls of tools, in every case that does not say otherwise.
    #[serde(default)]
    pub(super) tools: BTreeMap<String, Mock>,
    /// Decides which calls `faults` hit; the same seed hits the same calls.
    #[serde(default)]
    pub(super) seed: u64,
    /// The models that every case runs with that names none, each for itself, and how models are asked.
    #[serde(default, deserialize_with = "suite_models")]
    #[schemars(with = "SuiteModels")]
    pub(super) models: ModelSettings,
    /// What models cost, by their names, so that reports have the cost of the run.
    #[serde(default)]
    pub(super) prices: BTreeMap<String, Price>,
    /// The cases.
    pub(super) cases: Vec<Case>,
}

/// What a million tokens of a model cost, in any currency.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Price {
    /// Of requests.
    #[schemars(range(min = 0.0))]
    pub(super) input: f64,
    /// Of responses.
    #[schemars(range(min = 0.0))]
    pub(super) output: f64,
}

/// One scenario.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The name, unique in the suite.
    pub(super) name: String,
    /// What the case is about.
    #[serde(default)]
    pub(super) description: String,
    /// The agent under test.
    pub(super) subject: Option<Subject>,
    /// The model of the agent at every depth; without it, the models that the agent names.
    pub(super) model: Option<Model>,
    /// Several models, in place of `model`: the case runs with each.
    pub(super) models: Option<Vec<ListedModel>>,
    /// What happens to the calls of each tool. A call of a tool that is not named is an error.
    #[serde(default)]
    pub(super) tools: BTreeMap<String, Mock>,
    /// What the agent's own code may do: folders that it may write to, such as `./logs/`, programs that it may start, such
    /// as `git`, and hosts that it may reach, such as `localhost:4318`; and parts of the agent that cannot be intercepted,
    /// such as `google_search`.
    #[serde(default)]
    pub(super) allow: Vec<String>,
    /// Who responds when the agent waits for the user.
    #[serde(default)]
    pub(super) user_agents: UserAgents,
    /// What user agents hear and how their answers are passed on.
    #[serde(default)]
    pub(super) bridge: Bridge,
    /// The state before the first message, by scope: `session` is the state itself, `app` and `user` of an agent of
    /// google-adk are its keys with that prefix, and any other name is an object in it.
    #[serde(default)]
    pub(super) initial_state: Map<String, Value>,
    /// The recorded case that `recorded` mocks, the model `replay` and `criteria` use.
    pub(super) golden: Option<Golden>,
    /// What the given model responds when it is asked apart from the agent's turns, such as for a summary of the events.
    #[serde(default)]
    pub(super) responses_apart: Vec<String>,
    /// The user's first message.
    pub(super) first_message: Option<FirstMessage>,
    /// What ends the run before the agent completes.
    #[serde(default)]
    pub(super) terminate_when: Termination,
    /// What is measured.
    #[serde(default)]
    pub(super) metrics: Vec<Metric>,
    /// What goes wrong with tools on purpose.
    #[serde(default)]
    pub(super) faults: Vec<ToolFault>,
    /// How often the case is run.
    #[serde(default = "once")]
    #[schemars(range(min = 1))]
    pub(super) repeats: u32,
    /// Labels.
    #[serde(default)]
    pub(super) tags: Vec<String>,
}

fn once() -> u32 {
    1
}

/// Something that goes wrong with some calls of a tool, mocked or real. Exactly one of `raises`, `returns`,
/// `latency_ms` and `truncate` is given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolFault {
    /// The tool.
    pub(super) tool: String,
    /// Arguments, by name or by a path such as `order.total`, with the values that they must be equal to, or with
    /// conditions such as `{ $gte: 2 }` in the query language of the criterion `state`.
    #[serde(default)]
    pub(super) args: Map<String, Value>,
    /// Arguments that must match, with the matchers of the criterion `tool_trajectory`.
    #[serde(default)]
    pub(super) matchers: Map<String, Value>,
    /// How many of these calls are hit: 0 for none, 1 for all.
    #[serde(default = "always")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(super) probability: f64,
    /// They raise an error with this message.
    pub(super) raises: Option<String>,
    /// They return this, such as an error that the model is to read.
    pub(super) returns: Option<Value>,
    /// They take longer by this many milliseconds.
    pub(super) latency_ms: Option<u64>,
    /// Their result ends after this many characters.
    pub(super) truncate: Option<usize>,
}

fn always() -> f64 {
    1.0
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Subject {
    /// An agent of google-adk.
    Adk(super::adk::Adk),
    /// An agent with a model and the tools of MCP servers.
    Mcp(super::mcp::Members),
}

/// A recorded case of an eval set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Golden {
    /// The eval set, relative to the suite's folder.
    pub(super) eval_set: PathBuf,
    /// The id of the case; the only one if it is not given.
    pub(super) case: Option<String>,
}

/// The model of an agent.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Model {
    /// Its responses, in order, or an object with those of each agent.
    Scripted(Script),
    /// The responses of the golden trace.
    Replay,
    /// A person responds, through a live session of the host that `REHEARSAL_SERVER_URL` names.
    Person,
    /// The real model of this name, such as `gemini-2.5-flash`, in place of those that the agent names.
    Named(String),
}

/// The responses of a scripted model.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub(super) enum Script {
    /// In order, whichever agent asks.
    Turns(Vec<ModelTurn>),
    /// For each agent its own, by its name.
    ByAgent(BTreeMap<String, Vec<ModelTurn>>),
}

impl<'de> Deserialize<'de> for Script {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TurnsOrAgents;
        impl<'de> Visitor<'de> for TurnsOrAgents {
            type Value = Script;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter
                    .write_str("a list of responses, or an object with such a list for each agent")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, turns: A) -> Result<Script, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(turns)).map(Script::Turns)
            }

            fn visit_map<A: MapAccess<'de>>(self, agents: A) -> Result<Script, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(agents)).map(Script::ByAgent)
            }
        }
        deserializer.deserialize_any(TurnsOrAgents)
    }
}

/// A response of a scripted model.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ModelTurn {
    /// A text.
    Text(String),
    /// Calls, and a text beside them.
    Calls(ModelCalls),
}

/// The calls of a response.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelCalls {
    /// The text beside the calls.
    #[serde(default)]
    pub(super) text: String,
    /// The calls.
    pub(super) calls: Vec<ModelCall>,
}

/// A call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelCall {
    /// The tool.
    pub(super) tool: String,
    /// The arguments.
    #[serde(default)]
    pub(super) args: Map<String, Value>,
}

/// What a tool gives, before [`Mock`] adds changes of the state.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The tool runs.
    Real,
    /// The tool runs and can change the session's state, and has no other effect.
    Sealed,
    /// It returns this value.
    Returns(Value),
    /// It returns what the template gives: JSON, or else a text. The arguments are `args`.
    Template(String),
    /// One answer for each call, in order.
    Sequence(Vec<Mock>),
    /// The answer of the first row that the arguments match.
    Table(Table),
    /// It raises an error with this message.
    Raises(String),
    /// It returns what a function in Python returns: `FILE.py:NAME`, relative to the suite's folder.
    Function(String),
    /// It answers after a while.
    Delayed(Delayed),
    /// It returns what a call with equal arguments returned in the golden trace.
    Recorded(Recorded),
    /// A model plays it. All simulated tools of a case share one world, which their calls change.
    Simulated(Simulated),
    /// A person answers through a live session of the host that `REHEARSAL_SERVER_URL` names.
    Person(PersonTool),
}

/// How a tool's own code asks for a confirmation before it acts, beside the answer of its mock.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AsksConfirmation {
    /// What it says to the user.
    #[serde(default)]
    pub(super) hint: String,
    /// The form of the payload that it expects with the user's answer.
    #[serde(default)]
    pub(super) payload: Value,
    /// What it returns meanwhile.
    #[serde(default)]
    pub(super) returns: Value,
    /// Whether the agent waits before its model sees what the tool returned meanwhile, as with the action of google-adk.
    #[serde(default)]
    pub(super) skip_summarization: bool,
    /// The answer to a call that the user denied; without it, that of google-adk's own tools.
    pub(super) if_denied: Option<Box<Mock>>,
}

/// A tool that a person answers for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PersonTool {
    /// What the person is to do.
    #[serde(default)]
    pub(super) instructions: String,
}

/// A tool that a model plays.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Simulated {
    /// The model, such as `gemini-2.5-flash`.
    pub(super) model: String,
    /// The data that the tool works on.
    pub(super) data: Option<Value>,
    /// What the tool does, beyond its declaration.
    pub(super) instructions: Option<String>,
}

/// Answers by arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// The rows.
    pub(super) rows: Vec<Row>,
    /// The answer to arguments that match no row; without it they are an error.
    pub(super) otherwise: Option<Box<Mock>>,
}

/// A row of a table.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// Arguments, by name or by a path such as `order.total`, with the values that they must be equal to, or with
    /// conditions such as `{ $gte: 2 }` in the query language of the criterion `state`.
    #[serde(default)]
    pub(super) args: Map<String, Value>,
    /// Arguments that must match, with the matchers of the criterion `tool_trajectory`.
    #[serde(default)]
    pub(super) matchers: Map<String, Value>,
    /// The answer.
    pub(super) mock: Mock,
}

/// The answers of the golden trace.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Recorded {
    /// The answer to arguments that it does not have; without it they are an error.
    pub(super) otherwise: Option<Box<Mock>>,
}

/// An answer after a while.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Delayed {
    /// Milliseconds.
    pub(super) ms: u64,
    /// The answer.
    pub(super) mock: Box<Mock>,
}

/// A message of the user.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(super) enum FirstMessage {
    /// A text.
    Text(String),
    /// Parts as google-adk has them, such as `{ inline_data: { mime_type: image/png, data: BASE64 } }`.
    Parts(MessageParts),
}

/// The parts of a message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageParts {
    /// The parts, as google-adk has them.
    pub(super) parts: Vec<Map<String, Value>>,
}

impl<'de> Deserialize<'de> for FirstMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrParts;
        impl<'de> Visitor<'de> for TextOrParts {
            type Value = FirstMessage;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text, or `parts`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<FirstMessage, E> {
                Ok(FirstMessage::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FirstMessage, A::Error> {
                let parts = MessageParts::deserialize(MapAccessDeserializer::new(map));
                parts.map(FirstMessage::Parts)
            }
        }
        deserializer.deserialize_any(TextOrParts)
    }
}

/// Who responds when the agent waits.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UserAgents {
    /// When it ends its turn.
    pub(super) r#loop: Option<UserAgent>,
    /// When a tool waits, by the tool's name.
    #[serde(default)]
    pub(super) tools: BTreeMap<String, UserAgent>,
}

/// A user agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "UserAgentMembers")]
pub(super) enum UserAgent {
    /// Its answers, in order.
    Script(Vec<ScriptEntry>),
    /// A model plays it.
    Persona(Persona),
    /// A person who plays this user; empty if nothing is said about the user.
    Person(String),
    /// A function in Python.
    Function(String),
    /// An agent of google-adk.
    Adk(AdkUser),
}

/// A user agent that is an agent of google-adk.
#[derive(Debug, JsonSchema)]
pub(super) struct AdkUser {
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Its model at every depth.
    pub(super) model: Option<String>,
}

/// A user agent that a model plays.
#[derive(Debug, JsonSchema)]
pub(super) struct Persona {
    /// The user.
    pub(super) text: String,
    /// The model.
    pub(super) model: String,
    /// What the user can do besides talking.
    pub(super) tools: BTreeMap<String, PersonaTool>,
}

/// Something that a user can do besides talking.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PersonaTool {
    /// What it is, and when the user does it.
    pub(super) description: String,
    /// The JSON Schema of its arguments.
    #[serde(default = "no_arguments")]
    pub(super) parameters: Map<String, Value>,
    /// Changes of the agent's state by scope. Texts are templates over `args`.
    #[serde(default)]
    pub(super) changes: Map<String, Value>,
    /// The function in Python that it calls, instead of `changes`: `FILE.py:NAME`, relative to the suite's folder.
    pub(super) function: Option<String>,
}

fn no_arguments() -> Map<String, Value> {
    let schema = [("type", "object".into()), ("properties", Map::new().into())];
    schema.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

/// A user agent: one of `script`, `function`, `person`, `adk`, or `persona` and `model`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UserAgentMembers {
    /// Its answers, in order. After the last one it ends the conversation.
    script: Option<Vec<ScriptEntry>>,
    /// A function in Python that answers: `FILE.py:NAME`, relative to the suite's folder.
    function: Option<String>,
    /// A person answers, through a live session of the host that `REHEARSAL_SERVER_URL` names. The text describes the
    /// user for that person, and may be empty.
    person: Option<String>,
    /// The agent of google-adk that answers: a folder that `adk web` loads, relative to the suite's folder. It runs apart
    /// from the agent under test, with its own tools.
    adk: Option<PathBuf>,
    /// The user that a model plays: who they are, what they want, what they know and how they talk.
    persona: Option<String>,
    /// The model, such as `gemini-2.5-flash`. With `adk`, that of the agent at every depth, in place of the models that
    /// it names.
    model: Option<String>,
    /// What the persona can do besides talking.
    #[serde(default)]
    tools: BTreeMap<String, PersonaTool>,
}

impl TryFrom<UserAgentMembers> for UserAgent {
    type Error = &'static str;

    fn try_from(members: UserAgentMembers) -> Result<Self, Self::Error> {
        const ONE: &str = "a user agent has one of `script`, `function`, `person`, `adk`, or `persona` and `model`";
        let UserAgentMembers { script, function, person, adk, persona, model, tools } = members;
        let agent = match (script, function, person, adk, persona, model) {
            (Some(script), None, None, None, None, None) => Self::Script(script),
            (None, Some(function), None, None, None, None) => Self::Function(function),
            (None, None, Some(role), None, None, None) => Self::Person(role),
            (None, None, None, Some(folder), None, model) => Self::Adk(AdkUser { folder, model }),
            (None, None, None, None, Some(text), Some(model)) => {
                return Ok(Self::Persona(Persona { text, model, tools }));
            }
            _ => return Err(ONE),
        };
        if tools.is_empty() {
            Ok(agent)
        } else {
            Err("`tools` are for a user agent with `persona`")
        }
    }
}

/// A prepared answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ScriptEntry {
    /// A message.
    Text(String),
    /// Any response, and changes of the agent's state.
    Says(Says),
    /// The call goes on waiting.
    NoAnswer(NoAnswer),
}

/// No answer to a tool that waits, so that the conversation goes on without one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoAnswer {
    #[expect(dead_code, reason = "it has one value")]
    no_answer: True,
}

/// The value `true`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(try_from = "bool")]
#[schemars(with = "bool")]
struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        if value { Ok(Self) } else { Err("`no_answer` is `true`, or left out") }
    }
}

/// A response with changes of the agent's state.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Says {
    /// The response.
    pub(super) says: Value,
    /// Changes by scope. Objects are merged, `{ $append: [VALUE] }` adds to a list, everything else is replaced.
    #[serde(default)]
    pub(super) changes: Map<String, Value>,
}

/// What user agents hear and how their answers are passed on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Bridge {
    /// What a user agent gets as its prompt.
    pub(super) format_prompt: Option<BridgeFormat>,
    /// What the agent gets.
    pub(super) format_response: Option<BridgeFormat>,
}

/// A template over `text` (the agent's last text), `tool`, `args`, `state` and, of a response, `output`; or a function
/// in Python, with these names in its context.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum BridgeFormat {
    /// A template.
    Template(String),
    /// A function.
    Function(NamedFunction),
}

/// A function in Python.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedFunction {
    /// `FILE.py:NAME`, relative to the suite's folder.
    pub(super) function: String,
}

/// What ends a run before the agent completes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Termination {
    /// How often the agent may wait for the user and be resumed.
    pub(super) max_turns: Option<u32>,
    /// How long the run may take, in milliseconds.
    pub(super) max_duration_ms: Option<u64>,
    /// Conditions on the state by scope, in the query language of the criterion `state`.
    pub(super) state_matches: Option<Map<String, Value>>,
}

/// A metric.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Metric {
    /// A value of the final state.
    State(StateMetric),
    /// The number of events.
    EventCount(EventCountMetric),
    /// Criteria as in ADK's `test_config.json`, against the golden trace: by name a threshold or an object. Each is a
    /// metric.
    Criteria(Map<String, Value>),
    /// The judgment of a model.
    LlmJudge(JudgeMetric),
    /// What a function in Python gives, as `FILE.py:NAME`. It gets `events`, the ledger, and returns whether the run
    /// passed, or an object with `passed` and, as it likes, `score`, `value` and `evidence`.
    Function(String),
}

/// The judgment of a model on the run. Exactly one of `prompt` and `rubrics` is given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JudgeMetric {
    /// The metric's name.
    pub(super) name: String,
    /// What the run must fulfill.
    pub(super) prompt: Option<String>,
    /// Statements that must hold of the run, each judged by itself. The score is the share of those that hold.
    pub(super) rubrics: Option<Vec<String>>,
    /// The judge, such as `gemini-2.5-flash`. `--judge` takes its place.
    pub(super) model: Option<String>,
    /// How often the judge is asked; the majority decides. An odd number.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub(super) samples: usize,
}

fn one() -> usize {
    1
}

/// A value of the final state.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StateMetric {
    /// The metric's name.
    pub(super) name: String,
    /// The scope: `session`, `app` or `user`, or the name of an object in the state.
    #[serde(default = "session")]
    pub(super) scope: String,
    /// The key in the scope, or a path such as `escalation.reason`.
    pub(super) key: String,
    /// Conditions: an object of operators, or a value to be equal to.
    pub(super) is: Value,
}

fn session() -> String {
    crate::scopes::SESSION.to_owned()
}

/// The number of events.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EventCountMetric {
    /// The metric's name.
    pub(super) name: String,
    /// The type of the events, such as `tool_call`.
    pub(super) event: String,
    /// Conditions on the event, such as `{ name: ask }`.
    pub(super) filter: Option<Map<String, Value>>,
    /// Conditions on the number.
    pub(super) is: Value,
}

/// The JSON Schema of a suite file.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(Suite).to_value()
}

/// Reads the members of a file.
pub(super) fn parse(text: &str) -> Result<Suite, SuiteFault> {
    let fault = |message| SuiteFault { place: String::new(), message };
    let mut path = String::new();
    let suite = from_yaml_at(text, &mut path).map_err(|error| {
        let mut message = explained(&error);
        let line = error.location().and_then(|it| usize::try_from(it.line()).ok());
        if let Some(number) = line.and_then(|line| yaml_numbers::in_line(text, line)) {
            message.push_str(&format!(
                "\n{number} is a text in YAML 1.2; write a number with decimal digits only"
            ));
        }
        SuiteFault { place: shown(&path), message }
    })?;
    match rounded_number(text) {
        None => Ok(suite),
        Some((number, line)) => Err(fault(format!(
            "line {line}: the number {number} would be rounded, because suites hold whole numbers up to 64 bits; write it as text, in quotes"
        ))),
    }
}

/// The first whole number that does not fit into 64 bits, and its line.
fn rounded_number(text: &str) -> Option<(String, usize)> {
    let events = granit_parser::Parser::new_from_str(text).map_while(Result::ok);
    let numbers = events.filter_map(|(event, span)| match event.scalar() {
        Some((value, ScalarStyle::Plain)) => Some((value.to_owned(), span.start.line())),
        _ => None,
    });
    let is_rounded = |(value, _): &(String, usize)| {
        let digits = value.trim_start_matches(['-', '+']);
        !digits.is_empty()
            && !digits.starts_with('0')
            && digits.bytes().all(|it| it.is_ascii_digit())
            && value.parse::<i64>().is_err()
            && value.parse::<u64>().is_err()
    };
    numbers.into_iter().find(is_rounded)
}

/// Reads YAML 1.2, in which `no`, `off` and `y` are text, and so are `010`, `1_000` and `0b11`.
pub(super) fn from_yaml<T: DeserializeOwned>(text: &str) -> Result<T, serde_saphyr::Error> {
    from_yaml_at(text, &mut String::new())
}

/// As [`from_yaml`]. `path` becomes the path to what cannot be read.
fn from_yaml_at<T: DeserializeOwned>(
    text: &str,
    path: &mut String,
) -> Result<T, serde_saphyr::Error> {
    // Where a number is expected, a marked text is an error.
    if let Some(marked) = yaml_numbers::marked(text) {
        read_at::<T>(&marked, path)?;
    }
    let quoted = yaml_numbers::quoted(text);
    read_at(quoted.as_deref().unwrap_or(text), path)
}

fn read_at<T: DeserializeOwned>(text: &str, path: &mut String) -> Result<T, serde_saphyr::Error> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
    };
    serde_saphyr::with_deserializer_from_str_with_options(text, options, |yaml| {
        serde_path_to_error::deserialize(yaml).map_err(|error| {
            *path = error.path().to_string();
            error.into_inner()
        })
    })
}

/// A path as faults show it.
fn shown(path: &str) -> String {
    let path = path.trim_end_matches(".?");
    if path == "." { String::new() } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_would_be_rounded_is_refused() {
        let suite =
            "cases:\n- name: a\n  tools:\n    read: { returns: { id: 123456789012345678901 } }\n";
        let fault = parse(suite).expect_err("a rounded number");
        assert!(fault.message.starts_with("line 4: the number 123456789012345678901 "), "{fault}");
        for kept in ["18446744073709551615", "-9223372036854775808", "\"123456789012345678901\""] {
            parse(&suite.replace("123456789012345678901", kept)).expect(kept);
        }
    }

    #[test]
    fn words_that_were_booleans_and_numbers_that_were_octal_are_text() {
        let text =
            "[y, n, yes, No, on, OFF, 010, 1_000, -0b11, 0b1_1, 1_0.5, true, 10, 1.5, 0x10, 0o10]";
        let read: Value = from_yaml(text).expect("valid");
        let texts = ["y", "n", "yes", "No", "on", "OFF", "010", "1_000", "-0b11", "0b1_1", "1_0.5"];
        let numbers = serde_json::json!([true, 10, 1.5, 16, 8]);
        let wanted = texts.iter().map(|it| (*it).into());
        let wanted: Vec<Value> =
            wanted.chain(numbers.as_array().expect("a list").clone()).collect();
        assert_eq!(read, Value::Array(wanted));
    }

    #[test]
    fn numbers_of_other_versions_of_yaml_are_texts_where_the_suite_wants_numbers_too() {
        let suite = |members: &str| {
            format!(
                "# ⏳\ncases:\n- name: a_1\n  {members}\n  tools: {{ read: {{ returns: 0b11 }} }}\n"
            )
        };
        for (members, place, number) in [
            ("faults: [{ tool: read, latency_ms: 1_000 }]", "cases[0].faults[0]", "1_000"),
            ("repeats: 0b11", "cases[0].repeats", "0b11"),
            ("terminate_when: { max_turns: 1_0 }", "cases[0].terminate_when.max_turns", "1_0"),
            (
                "faults: [{ tool: read, probability: 0.5_0, raises: a }]",
                "cases[0].faults[0]",
                "0.5_0",
            ),
        ] {
            let fault = parse(&suite(members)).expect_err(members);
            assert!(fault.place.starts_with(place), "{fault}");
            let hint =
                format!("{number} is a text in YAML 1.2; write a number with decimal digits only");
            assert!(fault.message.ends_with(&hint), "{fault}");
            assert!(!fault.message.contains('\u{e000}'), "{fault}");
        }
        parse(&suite("repeats: 3")).expect("valid");
    }
}
