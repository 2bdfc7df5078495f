//! [`ToolMock`]: what answers a call in place of the tool's body.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use json_text::JsonText;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use crate::args_match::ArgsMatch;
use crate::change_templates::ChangeTemplates;
use crate::confirmation::{Confirmation, ConfirmationRequest, rejected};
use crate::mock_state::MockState;
use crate::process::CallProcesses;
use crate::recorded::{RecordedCall, Recording, Replayed};
pub use crate::template::{Template, TemplateError};
use crate::world::World;

/// What happens to the calls of one tool.
#[derive(Clone, Debug)]
pub enum ToolUse {
    /// The tool itself runs, with all its effects.
    Real,
    /// The tool itself runs and can change its session, and nothing else.
    Sealed,
    /// A mock answers in place of its body.
    Mock(ToolMock),
}

/// What answers a call in place of the tool's body.
#[derive(Clone)]
pub enum ToolMock {
    /// This value.
    Returns(JsonText),
    /// The text of a template over the arguments: JSON if the text is JSON, else a string.
    Template(Template),
    /// One of these for each call, in order. A call after the last one is a failure.
    Sequence(Vec<ToolMock>),
    /// That of the first row whose conditions the arguments meet.
    Table {
        /// The rows.
        rows: Vec<Row>,
        /// For arguments that meet none; without it, they are a failure.
        otherwise: Option<Box<ToolMock>>,
    },
    /// An error with this message, as if the tool had raised it.
    Raises(String),
    /// The answer of another mock, after a while.
    Delayed(Duration, Box<ToolMock>),
    /// What a recorded call with equal arguments returned.
    Recorded {
        /// The recording.
        recording: Arc<Recording>,
        /// For arguments that it does not have; without it, they are a failure.
        otherwise: Option<Box<ToolMock>>,
    },
    /// The answer of another mock, with changes of the session's state.
    Changing(ChangeTemplates, Box<ToolMock>),
    /// The answer of another mock, with the action `skip_summarization`: the model is not asked again, and the agent's
    /// turn ends. Not for agents over MCP.
    SkipsSummarization(Box<ToolMock>),
    /// That of another mock, once the user has confirmed the call. Only agents of google-adk call a tool again then. A
    /// tool with `require_confirmation` asks by itself, before its mock is called.
    Confirmed {
        /// What the first call asks.
        request: ConfirmationRequest,
        /// What the first call returns.
        meanwhile: JsonText,
        /// The answer to the confirmed call.
        mock: Box<ToolMock>,
        /// The answer to a denied one; without it, that of google-adk's own tools.
        denied: Option<Box<ToolMock>>,
    },
    /// What a function returns.
    Function(Arc<dyn MockFunction>),
}

/// A mock that is a function.
#[async_trait]
pub trait MockFunction: Send + Sync {
    /// Answers a call. `args` are what the tool's code would get.
    ///
    /// # Errors
    /// [`MockFailure::Raises`] is the tool's error, which the subject sees; [`MockFailure::Broken`] ends the
    /// run as the mock's fault.
    async fn answer(&self, args: &JsonText, context: &MockContext)
    -> Result<JsonText, MockFailure>;

    /// Whether the answer depends on the tool's declaration, which the subject is then asked for.
    fn wants_declaration(&self) -> bool {
        false
    }

    /// Whether it reads or changes the state of the session. Calls of such mocks that the model makes together are
    /// answered one after the other.
    fn wants_state(&self) -> bool {
        true
    }

    /// Whether it reads or changes the state of the session, where that can be found out before a call. `processes` are
    /// those of the run.
    async fn uses_state(&self, _processes: &CallProcesses) -> bool {
        self.wants_state()
    }
}

/// What a mock may know of the call.
#[derive(Debug, Clone)]
pub struct MockContext {
    /// The id of the call.
    pub call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The invocation of the framework.
    pub invocation_id: String,
    /// The state of the session. What the mock changes in it, the session has with the result of the call.
    pub state: Arc<MockState>,
    /// What the user answered, if the tool has asked for a confirmation.
    pub confirmation: Option<Confirmation>,
    /// What the mock asks.
    pub(crate) request: Arc<Mutex<Option<ConfirmationRequest>>>,
    /// Whether the agent's turn ends with the answer.
    pub(crate) skips_summarization: Arc<AtomicBool>,
    /// Milliseconds since the run began.
    pub now_ms: u64,
    /// The JSON Schema of the result, if the tool declares one.
    pub output_schema: Option<JsonText>,
    /// The arguments as the tool's code would get them.
    pub(crate) received: Received,
    /// The arguments as the model gave them, if a callback has changed them since.
    pub(crate) made: Option<JsonText>,
    /// The id of the run, unlike that of any other.
    pub(crate) run_id: Arc<str>,
    /// How often this tool was called with these arguments before.
    pub(crate) repeated: usize,
    /// The processes of the run.
    pub(crate) processes: Arc<CallProcesses>,
    /// The tool as the model sees it, where the subject says.
    pub(crate) declaration: Option<JsonText>,
    /// What simulated tools know in common.
    pub(crate) world: Arc<World>,
}

impl MockContext {
    /// Milliseconds since the run began. Use it instead of a clock, so that a run can be repeated.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now_ms
    }

    /// Asks the user for a confirmation. The answer of the mock is what the agent gets meanwhile. When the user has
    /// answered, the mock is called again, with a [`MockContext::confirmation`].
    pub fn request_confirmation(&self, request: ConfirmationRequest) {
        *self.request.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
    }

    /// What the mock has asked.
    pub(crate) fn requested(&self) -> Option<ConfirmationRequest> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The arguments of a call as the tool's code gets them: google-adk leaves out those that the tool does not declare.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Received {
    /// Those that were given.
    pub args: JsonText,
    /// The tool's own values for the others, as far as they are JSON.
    pub defaults: JsonText,
}

impl Received {
    /// All arguments, by the tool's names for them.
    fn complete(&self) -> JsonText {
        let members = |text: &JsonText| text.decode::<Map<String, Value>>();
        match (members(&self.defaults), members(&self.args)) {
            (Ok(mut all), Ok(given)) if !all.is_empty() => {
                all.extend(given);
                JsonText::from_value(&Value::Object(all))
            }
            _ => self.args.clone(),
        }
    }
}

/// Why a mock gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MockFailure {
    /// The error that the subject sees, as if the tool had raised it.
    #[error("{0}")]
    Raises(String),
    /// The recording has no call with these arguments.
    #[error("it has no answer")]
    NotRecorded,
    /// The mock itself does not work.
    #[error("{0}")]
    Broken(String),
}

impl MockFailure {
    /// A mock that does not work, because of this error.
    pub(crate) fn broken(error: impl fmt::Display) -> Self {
        Self::Broken(error.to_string())
    }
}

/// A row of a table.
#[derive(Debug, Clone)]
pub struct Row {
    /// The arguments that it answers.
    pub args: ArgsMatch,
    /// The answer.
    pub mock: ToolMock,
}

impl fmt::Debug for ToolMock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returns(value) => formatter.debug_tuple("Returns").field(value).finish(),
            Self::Template(template) => formatter.debug_tuple("Template").field(template).finish(),
            Self::Sequence(mocks) => formatter.debug_tuple("Sequence").field(mocks).finish(),
            Self::Table { rows, otherwise } => formatter
                .debug_struct("Table")
                .field("rows", rows)
                .field("otherwise", otherwise)
                .finish(),
            Self::Raises(message) => formatter.debug_tuple("Raises").field(message).finish(),
            Self::Delayed(delay, mock) => {
                formatter.debug_tuple("Delayed").field(delay).field(mock).finish()
            }
            Self::Recorded { otherwise, .. } => {
                formatter.debug_struct("Recorded").field("otherwise", otherwise).finish()
            }
            Self::Confirmed { request, meanwhile, mock, denied } => formatter
                .debug_struct("Confirmed")
                .field("request", request)
                .field("meanwhile", meanwhile)
                .field("mock", mock)
                .field("denied", denied)
                .finish(),
            Self::Changing(changes, mock) => {
                formatter.debug_tuple("Changing").field(changes).field(mock).finish()
            }
            Self::SkipsSummarization(mock) => {
                formatter.debug_tuple("SkipsSummarization").field(mock).finish()
            }
            Self::Function(_) => formatter.write_str("Function"),
        }
    }
}

impl ToolMock {
    /// Whether an answer can depend on the tool's declaration.
    pub(crate) fn wants_declaration(&self) -> bool {
        self.any(&|mock| matches!(mock, Self::Function(it) if it.wants_declaration()))
    }

    /// Whether an answer can depend on the state of the session, or change it.
    pub(crate) fn wants_state(&self) -> bool {
        self.any(&|mock| match mock {
            Self::Function(function) => function.wants_state(),
            mock => mock.changes_state(),
        })
    }

    /// Whether an answer can depend on the state of the session, or change it, as far as functions say.
    pub(crate) async fn uses_state(&self, processes: &CallProcesses) -> bool {
        let called = RefCell::new(Vec::new());
        let changes_state = self.any(&|mock| {
            if let Self::Function(function) = mock {
                called.borrow_mut().push(Arc::clone(function));
            }
            mock.changes_state()
        });
        if changes_state {
            return true;
        }
        for function in called.into_inner() {
            if function.uses_state(processes).await {
                return true;
            }
        }
        false
    }

    /// Whether this mock itself changes the state of the session.
    fn changes_state(&self) -> bool {
        match self {
            Self::Changing(..) => true,
            Self::Recorded { recording, .. } => recording.changes_state(),
            _ => false,
        }
    }

    /// Whether it may ask the user for a confirmation, as far as its form says.
    pub(crate) fn asks_confirmation(&self) -> bool {
        self.any(&|mock| matches!(mock, Self::Confirmed { .. }))
    }

    /// Whether it is, or can answer as, a mock of some kind.
    fn any(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self)
            || match self {
                Self::Sequence(mocks) => mocks.iter().any(|mock| mock.any(is)),
                Self::Table { rows, otherwise } => rows
                    .iter()
                    .map(|row| &row.mock)
                    .chain(otherwise.as_deref())
                    .any(|mock| mock.any(is)),
                Self::Delayed(_, mock)
                | Self::Changing(_, mock)
                | Self::SkipsSummarization(mock) => mock.any(is),
                Self::Confirmed { mock, denied, .. } => {
                    std::iter::once(mock).chain(denied).any(|mock| mock.any(is))
                }
                Self::Recorded { otherwise, .. } => {
                    otherwise.as_deref().is_some_and(|mock| mock.any(is))
                }
                Self::Returns(_) | Self::Template(_) | Self::Raises(_) | Self::Function(_) => false,
            }
    }

    /// Answers the call; `number` counts the earlier calls of the tool in this case. The answer may depend on `args`,
    /// the arguments of the call; templates and functions get what the tool's code would get. Changes of the session's
    /// state are in the context.
    ///
    /// # Errors
    /// See [`MockFailure`].
    pub async fn answer(
        &self,
        number: usize,
        args: &JsonText,
        context: &MockContext,
    ) -> Result<JsonText, MockFailure> {
        match self {
            Self::Returns(value) => Ok(value.clone()),
            Self::Template(template) => filled(template, &context.received.complete()),
            Self::Raises(message) => Err(MockFailure::Raises(message.clone())),
            Self::Function(function) => {
                function.answer(&context.received.complete(), context).await
            }
            Self::Changing(changes, mock) => {
                let changes = changes.fill(&context.received.complete());
                let changes = changes.map_err(MockFailure::broken)?;
                context.state.change(changes).map_err(MockFailure::broken)?;
                Box::pin(mock.answer(number, args, context)).await
            }
            Self::SkipsSummarization(mock) => {
                let result = Box::pin(mock.answer(number, args, context)).await?;
                context.skips_summarization.store(true, Ordering::Relaxed);
                Ok(result)
            }
            Self::Confirmed { request, meanwhile, mock, denied } => {
                let answering = match &context.confirmation {
                    None => {
                        context.request_confirmation(request.clone());
                        return Ok(meanwhile.clone());
                    }
                    Some(Confirmation { confirmed: true, .. }) => Some(mock),
                    Some(_) => denied.as_ref(),
                };
                match answering {
                    Some(mock) => Box::pin(mock.answer(number, args, context)).await,
                    None => Ok(rejected()),
                }
            }
            Self::Recorded { recording, otherwise } => {
                let recorded = std::iter::once(args)
                    .chain(&context.made)
                    .find_map(|args| recording.call(&context.tool_name, args, context.repeated));
                match (recorded.and_then(|call| replayed(call, context)), otherwise) {
                    (Some(result), _) => Ok(result),
                    (None, Some(mock)) => Box::pin(mock.answer(number, args, context)).await,
                    (None, None) => Err(MockFailure::NotRecorded),
                }
            }
            Self::Delayed(delay, mock) => {
                tokio::time::sleep(*delay).await;
                Box::pin(mock.answer(number, args, context)).await
            }
            Self::Sequence(mocks) => match mocks.get(number) {
                Some(mock) => Box::pin(mock.answer(number, args, context)).await,
                None => Err(MockFailure::Broken(format!(
                    "its sequence has {} and this is call {}. Add an answer, or check why the subject calls the tool again",
                    match mocks.len() {
                        1 => "1 answer".to_owned(),
                        count => format!("{count} answers"),
                    },
                    number + 1
                ))),
            },
            Self::Table { rows, otherwise } => {
                let is_met = |row: &&Row| {
                    std::iter::once(args).chain(&context.made).any(|args| row.args.is_met(args))
                };
                let row = rows.iter().find(is_met);
                match row.map(|row| &row.mock).or(otherwise.as_deref()) {
                    Some(mock) => Box::pin(mock.answer(number, args, context)).await,
                    None => Err(MockFailure::Broken(format!(
                        "no row of its table matches the arguments {args}. Add a row, or `otherwise`"
                    ))),
                }
            }
        }
    }
}

/// What a recorded call returns, if the recording tells.
fn replayed(call: &RecordedCall, context: &MockContext) -> Option<JsonText> {
    let Replayed { result, request, ends_turn, changes } =
        call.replayed(context.confirmation.as_ref());
    context.state.replace(changes);
    if let Some(request) = request {
        context.request_confirmation(request);
    }
    if let Some(ends_turn) = ends_turn {
        context.skips_summarization.store(ends_turn, Ordering::Relaxed);
    }
    result
}

fn filled(template: &Template, args: &JsonText) -> Result<JsonText, MockFailure> {
    let names = args.to_value().map(|args| serde_json::json!({ "args": args }));
    let names = names.map_err(MockFailure::broken)?;
    let text = template.fill(&names).map_err(MockFailure::broken)?;
    Ok(JsonText::parse(&text).unwrap_or_else(|_| JsonText::string(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    async fn answer(mock: &ToolMock, number: usize, args: &str) -> Result<JsonText, MockFailure> {
        let context = MockContext {
            call_id: "1".to_owned(),
            tool_name: "read".to_owned(),
            invocation_id: "i".to_owned(),
            run_id: "".into(),
            state: Arc::default(),
            confirmation: None,
            request: Arc::default(),
            skips_summarization: Arc::default(),
            made: None,
            received: Received { args: json(args), defaults: json(r#"{"country":"PT"}"#) },
            now_ms: 0,
            output_schema: None,
            repeated: 0,
            processes: Arc::default(),
            declaration: None,
            world: Arc::new(World::new(Arc::new(crate::ledger::Ledger::begin()))),
        };
        mock.answer(number, &json(args), &context).await
    }

    #[tokio::test]
    async fn a_table_answers_by_arguments() {
        let row = |name: &str, value: &str, mock| Row {
            args: ArgsMatch { equal: vec![(name.to_owned(), json(value))], ..ArgsMatch::default() },
            mock,
        };
        let table = ToolMock::Table {
            rows: vec![
                row("id", "1", ToolMock::Returns(json("\"one\""))),
                row("id", "\"x\"", ToolMock::Raises("no x".to_owned())),
            ],
            otherwise: None,
        };
        assert_eq!(answer(&table, 0, r#"{"id":1.0,"more":2}"#).await, Ok(json("\"one\"")));
        let raised = Err(MockFailure::Raises("no x".to_owned()));
        assert_eq!(answer(&table, 0, r#"{"id":"x"}"#).await, raised);
        let missed = answer(&table, 0, r#"{"id":2}"#).await;
        let reason =
            "no row of its table matches the arguments {\"id\":2}. Add a row, or `otherwise`";
        assert_eq!(missed, Err(MockFailure::Broken(reason.to_owned())));
    }

    #[tokio::test]
    async fn a_sequence_ends() {
        let mock = ToolMock::Sequence(vec![ToolMock::Returns(json("1"))]);
        assert_eq!(answer(&mock, 0, "{}").await, Ok(json("1")));
        let Err(MockFailure::Broken(reason)) = answer(&mock, 1, "{}").await else {
            panic!("no answer is left")
        };
        assert!(reason.starts_with("its sequence has 1 answer and this is call 2."), "{reason}");
    }

    #[tokio::test]
    async fn a_template_gives_json_or_text_and_refuses_unknown_names() {
        let template = |text: &str| ToolMock::Template(Template::parse(text).expect("a template"));
        let mock = template(r#"{"city": {{ args.city|tojson }}, "degrees": 20}"#);
        let given = answer(&mock, 0, r#"{"city":"São \"P\""}"#).await.expect("filled");
        assert_eq!(given, json(r#"{"city": "São \"P\"", "degrees": 20}"#));
        let default = answer(&template("{{ args.country }}"), 0, "{}").await;
        assert_eq!(default, Ok(json("\"PT\"")), "the tool's code gets its own default");
        let text = answer(&template("Hi {{ args.name }}"), 0, r#"{"name":"Bo"}"#).await;
        assert_eq!(text, Ok(json("\"Hi Bo\"")));
        let Err(MockFailure::Broken(reason)) = answer(&template("{{ args.nam }}"), 0, "{}").await
        else {
            panic!("the name is not given")
        };
        assert!(reason.contains("undefined"), "{reason}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_delay_passes_before_the_answer() {
        let begin = tokio::time::Instant::now();
        let mock =
            ToolMock::Delayed(Duration::from_secs(5), Box::new(ToolMock::Returns(json("1"))));
        assert_eq!(answer(&mock, 0, "{}").await, Ok(json("1")));
        assert_eq!(begin.elapsed(), Duration::from_secs(5));
    }
}
