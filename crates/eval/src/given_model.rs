//! [`GivenModel`]: the model that a case gives the subject, most of them for work without a key.

use std::collections::BTreeMap;
use std::sync::Arc;

use json_text::JsonText;
use serde::Serialize;

/// A model in place of those that the subject names.
#[derive(Debug, Clone)]
pub enum GivenModel {
    /// These responses in order, whichever agent asks.
    Scripted(Arc<Vec<ModelTurn>>),
    /// For each agent its own responses in order, by its name.
    ScriptedByAgent(Arc<BTreeMap<String, Vec<ModelTurn>>>),
    /// The responses of a recorded trace: for each turn of the user its own, in order.
    Replay(Arc<Vec<Vec<ModelTurn>>>),
    /// The responses of a recorded trace: for each turn of the user, those of each agent by its name, in order.
    ReplayByAgent(Arc<Vec<BTreeMap<String, Vec<ModelTurn>>>>),
    /// The real model of this name, in place of every model that the subject names.
    Named(String),
    /// The responses of a run up to a step, and then another model.
    Fork(ForkModel),
}

/// The responses of a run up to a step, and then another model.
#[derive(Debug, Clone)]
pub struct ForkModel {
    /// What was responded before the step, for each agent in order.
    pub given: Arc<BTreeMap<String, Vec<ModelTurn>>>,
    /// Who responds from there on.
    pub then: Continuation,
}

/// Who responds when the responses of a fork have been given.
#[derive(Debug, Clone)]
pub enum Continuation {
    /// The model of the case, at the place that it would have reached; without one, the subject's own models.
    Case(Option<Box<GivenModel>>),
    /// Another model, from its beginning.
    Other(Box<GivenModel>),
}

/// A model that is asked itself, and not in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RealModel<'m> {
    /// Those that the subject names.
    Own,
    /// The one of this name.
    Named(&'m str),
}

/// The model that is asked itself if a case gives `model`, at least from some step on; `None` if the engine gives all
/// responses.
#[must_use]
pub fn real_model(model: Option<&GivenModel>) -> Option<RealModel<'_>> {
    match model {
        None => Some(RealModel::Own),
        Some(GivenModel::Named(name)) => Some(RealModel::Named(name)),
        Some(GivenModel::Fork(fork)) => real_model(fork.then.model()),
        Some(
            GivenModel::Scripted(_)
            | GivenModel::ScriptedByAgent(_)
            | GivenModel::Replay(_)
            | GivenModel::ReplayByAgent(_),
        ) => None,
    }
}

impl Continuation {
    /// The model; `None` for the subject's own models.
    #[must_use]
    pub fn model(&self) -> Option<&GivenModel> {
        match self {
            Self::Case(model) => model.as_deref(),
            Self::Other(model) => Some(model),
        }
    }
}

/// One response of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelTurn {
    /// Its text; empty for none.
    pub text: String,
    /// Its calls.
    pub calls: Vec<ModelCall>,
}

/// A call in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelCall {
    /// The id that it had in the run from which it is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// The arguments: an object.
    pub args: JsonText,
}

/// Which request it is, counted from 0.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RequestNumber {
    /// Of the run.
    pub(crate) in_run: usize,
    /// Of the agent that makes it.
    pub(crate) of_agent: usize,
    /// The turn: how many messages of the user there were before its last one.
    pub(crate) turn: usize,
    /// Of the turn.
    pub(crate) in_turn: usize,
    /// Of the agent in the turn.
    pub(crate) of_agent_in_turn: usize,
}

impl ModelTurn {
    /// A response that is a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new() }
    }

    /// A response that calls one tool.
    #[must_use]
    pub fn call(tool: impl Into<String>, args: JsonText) -> Self {
        Self { text: String::new(), calls: vec![ModelCall::new(tool, args)] }
    }
}

impl ModelCall {
    /// A call without an id, which the framework gives it.
    #[must_use]
    pub fn new(tool: impl Into<String>, args: JsonText) -> Self {
        Self { id: None, tool: tool.into(), args }
    }
}

impl GivenModel {
    /// A model with these responses.
    #[must_use]
    pub fn scripted(turns: Vec<ModelTurn>) -> Self {
        Self::Scripted(Arc::new(turns))
    }

    /// The name under which traces record it.
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Scripted(_) | Self::ScriptedByAgent(_) => "scripted",
            Self::Replay(_) | Self::ReplayByAgent(_) => "replay",
            Self::Named(name) => name,
            Self::Fork(_) => "fork",
        }
    }

    /// Whether the engine gives responses, at least up to some step.
    #[must_use]
    pub fn is_of_engine(&self) -> bool {
        !matches!(self, Self::Named(_))
    }

    /// The response to a request of `agent`; `None` if [`real_model`] is to be asked.
    ///
    /// # Errors
    /// That there is none, with the remedy.
    pub(crate) fn respond(
        &self,
        number: RequestNumber,
        agent: &str,
    ) -> Result<Option<ModelTurn>, String> {
        let given = match self {
            Self::Named(_) => return Ok(None),
            Self::Fork(fork) => return fork.respond(number, agent),
            Self::ScriptedByAgent(scripts) => {
                let turns = scripts.get(agent).ok_or_else(|| {
                    let known: Vec<&str> = scripts.keys().map(String::as_str).collect();
                    format!(
                        "the model has scripts for {}, and {agent} asks for a response. Add a script for it",
                        known.join(", ")
                    )
                })?;
                turns.get(number.of_agent).cloned().ok_or_else(|| {
                    format!(
                        "the script of {agent} has {}, and it asks for response {}. Add a response, or check why the \
                         model is asked again",
                        counted(turns.len()),
                        number.of_agent + 1
                    )
                })
            }
            Self::Scripted(turns) => turns.get(number.in_run).cloned().ok_or_else(|| {
                format!(
                    "the scripted model has {}, and {agent} asks for response {}. Add a \
                     response, or check why the model is asked again",
                    counted(turns.len()),
                    number.in_run + 1
                )
            }),
            Self::ReplayByAgent(turns) => {
                let responses = turns.get(number.turn).and_then(|turn| turn.get(agent));
                let responses = responses.map_or(&[][..], Vec::as_slice);
                responses.get(number.of_agent_in_turn).cloned().ok_or_else(|| {
                    format!(
                        "the recording has {} of {agent} in turn {}, and it asks for response {}. The agent goes another \
                         way than the recording",
                        counted(responses.len()),
                        number.turn + 1,
                        number.of_agent_in_turn + 1
                    )
                })
            }
            Self::Replay(turns) => {
                let responses = turns.get(number.turn).map_or(&[][..], Vec::as_slice);
                responses.get(number.in_turn).cloned().ok_or_else(|| {
                    format!(
                        "the recorded trace has {} in turn {}, and {agent} asks for response \
                         {}. The agent goes another way than the recording",
                        counted(responses.len()),
                        number.turn + 1,
                        number.in_turn + 1
                    )
                })
            }
        };
        given.map(Some)
    }
}

impl ForkModel {
    fn respond(&self, number: RequestNumber, agent: &str) -> Result<Option<ModelTurn>, String> {
        let of_agent = self.given.get(agent).map_or(&[][..], Vec::as_slice);
        if let Some(given) = of_agent.get(number.of_agent) {
            return Ok(Some(given.clone()));
        }
        let Some(then) = self.then.model() else { return Ok(None) };
        let number = match &self.then {
            Continuation::Case(_) => number,
            Continuation::Other(_) => RequestNumber {
                in_run: number.in_run.saturating_sub(self.given.values().map(Vec::len).sum()),
                of_agent: number.of_agent.saturating_sub(of_agent.len()),
                ..number
            },
        };
        then.respond(number, agent)
    }
}

/// What a summary of events is that a given model gives, where the case has none.
pub(crate) const SUMMARY: &str = "A summary that rehearsal gives in place of a model.";

/// The module of google-adk that asks a model for a summary of the events.
const SUMMARIZER: &str = "google.adk.apps.llm_event_summarizer";

/// The response to request `number`, counted from 0, that `asked_by` makes apart from the turns of `agent`.
///
/// # Errors
/// That the case has none, with the remedy.
pub(crate) fn apart(
    responses: &[String],
    number: usize,
    agent: &str,
    asked_by: &str,
) -> Result<String, String> {
    match responses.get(number) {
        Some(response) => Ok(response.clone()),
        None if asked_by == SUMMARIZER && responses.is_empty() => Ok(SUMMARY.to_owned()),
        None => Err(format!(
            "{asked_by} asks the model of {agent} apart from the agent's turns, and the case has {} for that. Add what \
             it is to get to `responses_apart`, a list of texts",
            counted(responses.len())
        )),
    }
}

fn counted(responses: usize) -> String {
    match responses {
        0 => "no response".to_owned(),
        1 => "1 response".to_owned(),
        _ => format!("{responses} responses"),
    }
}
