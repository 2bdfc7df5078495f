//! Eval sets of google-adk and AgentFlow, and recorded sessions of google-adk, as cases: their conversations with the
//! agent, their recorded results as mocks, and the criteria of a config.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use case_trace::CaseTrace;
use evalset::{Case, Layout};
use json_text::JsonText;
use scoring::adk::MatchType;
use scoring::config::{Config, Criterion, Metric as Computed};
use serde_json::{Map, Value, json};

use super::error::{SuiteError, SuiteFault};
use super::{content_hash, scenario};
use crate::adk_judge::AdkJudge;
use crate::case::{CaseSource, EvalCase, UserAgents};
use crate::criterion::CriterionMetric;
use crate::given_model::GivenModel;
use crate::golden::{initial_state, remove_requests};
use crate::message::{Message, recorded_calls};
use crate::metric::Metric;
use crate::mock::{ToolMock, ToolUse};
use crate::model::{Model, Models};
use crate::recorded::Recording;
use crate::recorded_file::{self, RecordedFileError, RecordedFormat};
use crate::recorded_session::{RecordedAnswer, RecordedCase, RecordedMessage, RecordedSession};
use crate::remedy::WrittenIn;
use crate::scopes::SESSION;
use crate::simulated::SimulatedTool;
use crate::subject::Subject;
use crate::user_agent::{ScriptedUser, UserAgent, UserAnswer};

/// Why a turn cannot be run whose message is lost.
const LOST: &str = "google-adk has recorded the answer to a call in place of what the user said; make a suite with \
                    `rehearsal eval init`, and write the message in it";

/// How the cases of an eval set are run.
pub struct EvalSetOptions {
    /// The agent under test.
    pub subject: Arc<dyn Subject>,
    /// The model of the agent; [`ModelChoice::Own`] for those that it names.
    pub model: ModelChoice,
    /// What is measured; `None` for google-adk's default criteria, of a recorded session those that can be met.
    pub config: Option<Config>,
    /// Tools that run, with all their effects. Every other call is answered by the recording or by `simulated_by`, or ends
    /// the run.
    pub real_tools: Vec<String>,
    /// Tools that run, without effects outside of the session.
    pub sealed_tools: Vec<String>,
    /// The model that plays every tool that does not run, where the recording has no answer.
    pub simulated_by: Option<Model>,
    /// The id of the only case that is wanted. A session of a database that cannot be read does no harm to others.
    pub only: Option<String>,
}

/// The model of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelChoice {
    /// The models that the agent names.
    Own,
    /// The recorded trace itself.
    Replay,
    /// This one, at every depth.
    Named(String),
}

/// The cases of an eval set.
///
/// # Errors
/// [`SuiteError`] if the file cannot be read, or with every fault for which google-adk refuses it.
pub fn read_eval_set(path: &Path, options: &EvalSetOptions) -> Result<Vec<EvalCase>, SuiteError> {
    read_eval_set_with_models(path, options, &Models::of_environment())
}

/// As [`read_eval_set`], with these models for the users of scenarios.
///
/// # Errors
/// As [`read_eval_set`], and if a scenario's user cannot be played.
pub fn read_eval_set_with_models(
    path: &Path,
    options: &EvalSetOptions,
    models: &Models,
) -> Result<Vec<EvalCase>, SuiteError> {
    let invalid = |faults| SuiteError::Invalid { path: path.to_path_buf(), faults };
    let fault = |place: &str, message: String| SuiteFault { place: place.to_owned(), message };
    let recorded =
        recorded_file::read(path, options.only.as_deref()).map_err(|error| match error {
            RecordedFileError::Read(source) => {
                SuiteError::Read { path: path.to_path_buf(), source }
            }
            RecordedFileError::Invalid(_, faults) => {
                invalid(faults.into_iter().map(|message| fault("", message)).collect())
            }
        })?;
    let is_golden = RecordedFormat::of_file(path).is_none_or(RecordedFormat::is_golden);
    let (mut cases, mut faults) = (Vec::new(), Vec::new());
    for recorded in &recorded {
        match case_of(recorded, is_golden, options, models) {
            Ok(case) => cases.push(case),
            Err((place, message)) => faults.push(fault(&place, message)),
        }
    }
    if faults.is_empty() { Ok(cases) } else { Err(invalid(faults)) }
}

fn case_of(
    recorded: &RecordedCase,
    is_golden: bool,
    options: &EvalSetOptions,
    models: &Models,
) -> Result<EvalCase, (String, String)> {
    let case = &recorded.case;
    let found = CaseTrace::of_expected(case).map_err(|error| (String::new(), error.to_string()))?;
    let name = found.eval_id.clone();
    let (mut expected, rubrics) = (found.trace, found.rubrics);
    let scenario = match case {
        Case::Adk(case) => case.conversation_scenario.as_ref(),
        Case::AdkLegacy(_) | Case::AgentFlow(_) => None,
    };
    if let Some(facts) = &recorded.session {
        facts.complete(&mut expected);
    }
    let session = RecordedSession::of(case, &expected, recorded.session.clone());
    let config = match &options.config {
        Some(config) => config.clone(),
        None if !is_golden => Config { criteria: Vec::new(), ..Config::adk_default() },
        None if recorded.session.is_some() => criteria_of(&session),
        None => Config::adk_default(),
    };
    let mut named_tools: BTreeSet<String> =
        options.real_tools.iter().chain(&options.sealed_tools).cloned().collect();
    let (first_message, user): (_, Arc<dyn UserAgent>) = match (scenario, &expected.invocations[..])
    {
        (Some(_), _) if options.model == ModelChoice::Replay => {
            let message =
                "a scenario has no recorded trace that a model could replay; take another --model";
            return Err((name, message.to_owned()));
        }
        (Some(scenario), _) => {
            let user = scenario::user(scenario, &config, models, &options.subject);
            let user = user.map_err(|message| (name.clone(), message))?;
            (Message::from(scenario.starting_prompt.as_str()), Arc::new(user))
        }
        (None, [_, ..]) => {
            let messages = session.messages.iter().enumerate().map(|(at, message)| {
                let is_first = at == 0;
                let message = match message {
                    RecordedMessage::Kept(message) => {
                        let as_first = || is_first.then(|| message.refusal_as_first()).flatten();
                        let refusal = options.subject.refusal(message).or_else(as_first);
                        refusal.map_or(Ok(message.clone()), Err)
                    }
                    RecordedMessage::Lost => Err(LOST.to_owned()),
                    RecordedMessage::Unsendable(reason) => Err(reason.clone()),
                };
                message.map_err(|error| (name.clone(), format!("turn {}: {error}", at + 1)))
            });
            let messages = messages.collect::<Result<Vec<_>, _>>()?;
            let tools = messages.iter().flat_map(Message::tools);
            named_tools.extend(tools.map(str::to_owned));
            let mut messages = messages.into_iter();
            let first = messages.next().unwrap_or_else(|| Message::from(""));
            let facts = session.facts.as_ref();
            let mut changes = facts.into_iter().flat_map(|facts| &facts.changes).skip(1);
            let later = messages.map(|message| UserAnswer::Says {
                output: message.output(),
                changes: in_session(changes.next()),
            });
            (first, Arc::new(ScriptedUser::new(later.collect())))
        }
        (None, []) => {
            let message = "the case has neither a recorded conversation nor a scenario; add one";
            return Err((name, message.to_owned()));
        }
    };
    let recording = Arc::new(Recording::of_session(&expected, &session));
    let recorded_calls = recorded_calls(&expected);
    if recorded.session.is_some() {
        remove_requests(&mut expected);
    }
    let simulated = options.simulated_by.clone().map(SimulatedTool::new);
    let other_tools = simulated.map(|tool| ToolMock::Function(Arc::new(tool)));
    let mut tools: HashMap<String, ToolUse> = HashMap::new();
    for tool in recording.tools() {
        let (recording, otherwise) = (Arc::clone(&recording), other_tools.clone().map(Box::new));
        let mock = ToolMock::Recorded { recording, otherwise };
        tools.insert(tool.to_owned(), ToolUse::Mock(mock));
    }
    for tool in &options.real_tools {
        tools.insert(tool.clone(), ToolUse::Real);
    }
    for tool in &options.sealed_tools {
        tools.insert(tool.clone(), ToolUse::Sealed);
    }
    named_tools.extend(session.answers.keys().cloned());
    let users = session.answers.iter().map(|(tool, answers)| {
        let answers = answers.iter().map(|answer| match answer {
            RecordedAnswer::Given(answer) => UserAnswer::says(answer.clone()),
            // The messages of such a case are not complete, so it is refused above.
            RecordedAnswer::Lost | RecordedAnswer::None => UserAnswer::NoAnswer,
        });
        let user: Arc<dyn UserAgent> = Arc::new(ScriptedUser::new(answers.collect()));
        (tool.clone(), user)
    });
    let users = users.collect();
    let metrics = config.criteria.iter().map(|criterion| {
        let metric: Arc<dyn Metric> =
            Arc::new(CriterionMetric::new(criterion.clone(), expected.clone()).judged_by(
                models.clone(),
                AdkJudge::of(&criterion.name, &config, &rubrics, Some(case)),
            ));
        metric
    });
    let is_path = is_golden && !expected.invocations.is_empty();
    let model = match &options.model {
        ModelChoice::Own => None,
        ModelChoice::Replay => Some(session.model),
        ModelChoice::Named(name) => Some(GivenModel::Named(name.clone())),
    };
    Ok(EvalCase {
        model,
        shared_tools: tools.keys().cloned().collect(),
        tools,
        other_tools,
        user_agents: UserAgents { conversation: Some(user), tools: users },
        initial_state: initial_state(case),
        first_message: Some(first_message),
        recorded_calls,
        metrics: metrics.collect(),
        has_default_metrics: options.config.is_none(),
        golden_path: is_path.then(|| Arc::new(expected)),
        informational: config.informational.clone(),
        tags: found.tags,
        source: CaseSource {
            suite: String::new(),
            content_hash: content_hash(case, &config, options),
            files: options.subject.fingerprint().into_iter().collect(),
        },
        named_tools,
        written_in: WrittenIn::EvalSet,
        ..EvalCase::new(name, Arc::clone(&options.subject))
    })
}

/// These changes of the state, by scope.
fn in_session(changes: Option<&Map<String, Value>>) -> JsonText {
    match changes {
        Some(changes) if !changes.is_empty() => JsonText::from_value(&json!({ SESSION: changes })),
        _ => JsonText::from_value(&json!({})),
    }
}

/// google-adk's default criteria, as far as a run can meet them: by a call of its own, which is not expected, google-adk
/// asks for a confirmation, and a turn that ends while a call waits has no response.
fn criteria_of(session: &RecordedSession) -> Config {
    let mut config = Config::adk_default();
    let is_response = |it: &Criterion| matches!(it.metric, Computed::AdkResponse);
    config.criteria.retain(|it| session.ends_with_texts || !is_response(it));
    for criterion in config.criteria.iter_mut().filter(|_| session.asks_for_confirmation) {
        if let Computed::AdkTrajectory { match_type, .. } = &mut criterion.metric {
            *match_type = MatchType::InOrder;
        }
    }
    config
}

/// A hash of the case and of the options that concern its run.
fn content_hash(case: &Case, config: &Config, options: &EvalSetOptions) -> String {
    let EvalSetOptions { model, real_tools, sealed_tools, simulated_by, .. } = options;
    let simulated_by = simulated_by.as_ref().map(Model::name);
    let case = case.to_json().laid_out(&Layout::compact());
    content_hash::of(&[
        &case,
        config.source.as_str(),
        &format!("{model:?} {real_tools:?} {sealed_tools:?} {simulated_by:?}"),
    ])
}
