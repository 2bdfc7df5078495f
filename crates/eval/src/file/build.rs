//! Makes cases of a suite's members, with every error that is known before anything runs.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use json_text::{JsonIndex, JsonText};
use scoring::ConfigFault;
use scoring::config::Config;
use scoring::state::Query;
use scoring::trajectory::{Matcher, NoSchemas};
use serde_json::{Map, Value};

use super::ReadOptions;
use super::content_hash;
use super::error::SuiteFault;
use super::format::{self, Answer, ListedModel};
use super::mcp;
use super::python_imports;
use crate::adk_judge::AdkJudge;
use crate::allowed;
use crate::args_match::ArgsMatch;
use crate::bridge::{Bridge, Format};
use crate::case::{CaseSource, EvalCase, Termination, UserAgents, name_with};
use crate::change_templates::{ChangeTemplates, is_template};
use crate::confirmation::ConfirmationRequest;
use crate::criterion::CriterionMetric;
use crate::event_filter;
use crate::given_model::{GivenModel, ModelCall, ModelTurn};
use crate::golden::Golden;
use crate::judge::{JudgeMetric, JudgeQuestion};
use crate::ledger::EVENT_NAMES;
use crate::message::Message;
use crate::metric::{Assertion, EventCountMetric, Metric, StateMetric};
use crate::mock::{Row, ToolMock, ToolUse};
use crate::model::{ModelTool, Models, PERSON, PersonSession};
use crate::person::{PersonTool, PersonUser};
use crate::persona::PersonaUser;
use crate::persona_tool::PersonaTool;
use crate::prices::{Price, Prices};
use crate::python::{
    AdkPythonSubject, AdkUser, PythonFunction, PythonMetric, PythonUser, fingerprint_of,
};
use crate::remedy::{self, WrittenIn};
use crate::scopes::{SESSION, Scopes, queried};
use crate::simulated::SimulatedTool;
use crate::state_change::check_operators;
use crate::subject::Subject;
use crate::template::Template;
use crate::tool_fault::{FaultEffect, ToolFault};
use crate::user_agent::{ScriptedUser, UserAgent, UserAnswer};
use crate::yields::YieldKind;
use scoring::nearest::nearest;

/// The cases of a suite in `folder`, or every fault.
pub(super) fn cases(
    suite: &format::Suite,
    folder: &Path,
    options: &ReadOptions,
    models: &Models,
) -> Result<Vec<BuiltCase>, Vec<SuiteFault>> {
    let mut builder = Builder {
        folder,
        options,
        models: with_settings(models, &suite.models),
        subjects: BTreeMap::new(),
        faults: Vec::new(),
        files: BTreeMap::new(),
        golden: None,
        case_name: String::new(),
        names_golden: false,
        scopes: BTreeSet::new(),
        layout: Scopes::default(),
        persona_tools: BTreeSet::new(),
        users: BTreeSet::new(),
        has_adk_users: false,
    };
    let prices = Arc::new(builder.prices(&suite.prices));
    if suite.model.is_some() && suite.models.each.is_some() {
        builder.fault("models", MODEL_AND_MODELS);
    }
    builder.listed(suite.models.each.as_deref(), "models");
    let mut names = HashSet::new();
    let mut cases = Vec::new();
    if suite.cases.is_empty() {
        builder.fault("cases", "there are no cases; add one");
    }
    for (at, case) in suite.cases.iter().enumerate() {
        let place = format!("cases[{at}]");
        if case.model.is_some() && case.models.is_some() {
            builder.fault(&format!("{place}.models"), MODEL_AND_MODELS);
        }
        builder.listed(case.models.as_deref(), &format!("{place}.models"));
        let of_case = case.models.as_deref();
        let of_suite = suite.models.each.as_deref().filter(|_| case.model.is_none());
        let models: Vec<Option<&ListedModel>> = match of_case.or(of_suite) {
            Some(models) => models.iter().map(Some).collect(),
            None => vec![None],
        };
        for model in models {
            let known = builder.faults.len();
            let name = match model {
                Some(model) => name_with(&case.name, &model.label()),
                None => case.name.clone(),
            };
            if !names.insert(name.clone()) {
                builder.fault(
                    &format!("{place}.name"),
                    format!("two cases have the name {name}; give each its own"),
                );
            }
            let chosen = model.map(ListedModel::model);
            let chosen = chosen.as_ref().or(case.model.as_ref()).or(suite.model.as_ref());
            let built = builder.case(suite, case, chosen, &place);
            let prices = Arc::clone(&prices);
            let label = model.map(ListedModel::label);
            cases.extend(built.map(|built| BuiltCase {
                at,
                model: model.cloned(),
                case: EvalCase { name, prices, one_of_models: label, ..built },
            }));
            // They would come again with each model.
            if builder.faults.len() > known {
                break;
            }
        }
    }
    if builder.faults.is_empty() { Ok(cases) } else { Err(builder.faults) }
}

/// That a suite or case names its models twice.
const MODEL_AND_MODELS: &str =
    "`model` and `models` are both given; write all models in `models`, or one in `model`";

/// A case of a suite.
pub(super) struct BuiltCase {
    /// The place of the case in the suite, from 0.
    pub(super) at: usize,
    /// Its model, of a case that runs with several.
    pub(super) model: Option<ListedModel>,
    /// The case.
    pub(super) case: EvalCase,
}

struct Builder<'a> {
    folder: &'a Path,
    options: &'a ReadOptions,
    models: Models,
    /// One for all cases that name it, so that an agent is imported once.
    subjects: BTreeMap<format::Subject, Arc<dyn Subject>>,
    faults: Vec<SuiteFault>,
    /// Hashes of what the case that is being made takes from elsewhere.
    files: BTreeMap<String, String>,
    /// The golden trace of the case that is being made.
    golden: Option<Arc<Golden>>,
    /// Its name.
    case_name: String,
    /// Whether the case names one, which may not be readable.
    names_golden: bool,
    /// The scopes of the state that the case has.
    scopes: BTreeSet<String>,
    /// Where they are in the state of its agent.
    layout: Scopes,
    /// The tools that its personas have.
    persona_tools: BTreeSet<String>,
    /// What the case has user agents of, as calls by them have it.
    users: BTreeSet<String>,
    /// Whether user agents of the case are agents, whose tools only running them shows.
    has_adk_users: bool,
}

impl Builder<'_> {
    fn fault(&mut self, place: &str, message: impl Into<String>) {
        let (place, message) = (place.to_owned(), message.into());
        self.faults.push(SuiteFault { place, message });
    }

    /// The value, or a fault at the place.
    fn checked<T>(&mut self, place: &str, read: Result<T, impl ToString>) -> Option<T> {
        read.map_err(|error| self.fault(place, error.to_string())).ok()
    }

    fn prices(&mut self, prices: &BTreeMap<String, format::Price>) -> Prices {
        for (name, price) in prices {
            for (member, value) in [("input", price.input), ("output", price.output)] {
                if !value.is_finite() || value < 0.0 {
                    let message = format!(
                        "{value} is not a price; give the cost of a million tokens, 0 or more"
                    );
                    self.fault(&format!("prices.{name}.{member}"), message);
                }
            }
        }
        let price = |price: &format::Price| Price { input: price.input, output: price.output };
        Prices::new(prices.iter().map(|(name, it)| (name.clone(), price(it))))
    }

    /// Checks a list of models.
    fn listed(&mut self, models: Option<&[ListedModel]>, place: &str) {
        let Some(models) = models else { return };
        if models.is_empty() {
            self.fault(place, "there are no models; add one, or remove `models`");
        }
        let mut labels = HashSet::new();
        for (at, model) in models.iter().enumerate() {
            let label = model.label();
            if label.trim().is_empty() {
                self.fault(&format!("{place}[{at}]"), "the name of the model is empty");
            } else if !labels.insert(label.clone()) {
                let message = format!("{label} is in the list already; remove one of them");
                self.fault(&format!("{place}[{at}]"), message);
            }
        }
    }

    fn case(
        &mut self,
        suite: &format::Suite,
        case: &format::Case,
        model: Option<&format::Model>,
        place: &str,
    ) -> Option<EvalCase> {
        let Some(subject) = case.subject.as_ref().or(suite.subject.as_ref()) else {
            self.fault(
                place,
                "the case names no agent; add `subject: { adk: FOLDER }` or `subject: { mcp: ... }` to it or to the suite",
            );
            return None;
        };
        if case.name.trim().is_empty() {
            self.fault(&format!("{place}.name"), "the case has no name");
        }
        let agent = subject;
        let subject = self.subject(agent, &format!("{place}.subject"))?;
        self.layout = subject.scopes();
        self.objects(&case.initial_state, &format!("{place}.initial_state"));
        self.lasting(case.initial_state.keys(), &format!("{place}.initial_state"));
        self.files = subject.fingerprint().into_iter().collect();
        let initial_state = self.layout.state(&case.initial_state);
        let names = initial_state.keys().filter(|key| !key.contains(':')).cloned();
        self.scopes = names.chain(self.layout.built_in().map(str::to_owned)).collect();
        self.names_golden = case.golden.is_some();
        self.case_name.clone_from(&case.name);
        self.persona_tools.clear();
        self.has_adk_users = false;
        self.golden = case.golden.as_ref().and_then(|golden| {
            let path = self.folder.join(&golden.eval_set);
            // Whether it can be read, its reader says.
            let recorded = std::fs::read_to_string(&path).unwrap_or_default();
            let name = golden.eval_set.display().to_string();
            self.files.insert(name, content_hash::of(&[&recorded]));
            let read = Golden::read(&path, golden.case.as_deref());
            self.checked(&format!("{place}.golden"), read).map(Arc::new)
        });
        let model = match model {
            Some(chosen) => Some(self.model(chosen, &format!("{place}.model"))?),
            None => None,
        };
        if let (format::Subject::Mcp(mcp::Members { model: Some(name), .. }), None) =
            (agent, &model)
        {
            self.checked(&format!("{place}.subject.mcp.model"), self.models.model(name));
        }
        let mut tools = HashMap::new();
        for (name, mock) in &suite.tools {
            tools.extend(self.tool(name, mock, &format!("tools.{name}")));
        }
        for (name, mock) in &case.tools {
            tools.extend(self.tool(name, mock, &format!("{place}.tools.{name}")));
        }
        let first_message = case.first_message.as_ref();
        let first_message = first_message
            .and_then(|it| self.first_message(it, &subject, &format!("{place}.first_message")));
        let recorded_calls = self.golden.as_ref().map(|golden| golden.calls.clone());
        let recorded_calls = recorded_calls.unwrap_or_default();
        let answered = self.scripted_messages(case, &subject, &format!("{place}.user_agents.loop"));
        let user_agents = self.user_agents(case, place);
        if case.first_message.is_none() && case.user_agents.r#loop.is_none() {
            self.fault(
                place,
                "nobody begins the conversation; add `first_message`, or `user_agents.loop`",
            );
        }
        let place_of = |member: &str| format!("{place}.{member}");
        let format::Bridge { format_prompt, format_response } = &case.bridge;
        let bridge = Bridge {
            format_prompt: self.format(format_prompt.as_ref(), &place_of("bridge.format_prompt")),
            format_response: self
                .format(format_response.as_ref(), &place_of("bridge.format_response")),
        };
        if case.terminate_when.max_turns == Some(0) {
            self.fault(&place_of("terminate_when.max_turns"), "a run has at least one turn");
        }
        let terminate_when = Termination {
            max_turns: case.terminate_when.max_turns,
            max_duration: case.terminate_when.max_duration_ms.map(Duration::from_millis),
            state_matches: case.terminate_when.state_matches.as_ref().and_then(|query| {
                let place = place_of("terminate_when.state_matches");
                let (scopes, whole) = queried(query);
                self.lasting(&scopes, &place);
                for scope in scopes {
                    self.scope(scope, &place);
                }
                if let Some(scope) = whole.iter().find(|it| self.layout.is_prefix(it)) {
                    let message = format!(
                        "{scope} is a scope; write conditions on its keys, such as `{scope}: {{ tier: gold }}`"
                    );
                    self.fault(&place, message);
                }
                self.query(&self.layout.query(query), &place)
            }),
        };
        if case.repeats == 0 || case.repeats > MOST_REPEATS {
            let message = format!("a case runs at least once and at most {MOST_REPEATS} times");
            self.fault(&place_of("repeats"), message);
        }
        let metrics = self.metrics(&case.metrics, &place_of("metrics"));
        let mut faults = Vec::new();
        for (at, fault) in case.faults.iter().enumerate() {
            faults.extend(self.tool_fault(fault, &tools, &place_of(&format!("faults[{at}]"))));
        }
        for (at, name) in case.allow.iter().enumerate() {
            if let Some(problem) = allowed::problem(name, self.folder) {
                self.fault(&place_of(&format!("allow[{at}]")), problem);
            }
        }
        Some(EvalCase {
            description: case.description.clone(),
            model,
            shared_tools: suite
                .tools
                .keys()
                .filter(|name| !case.tools.contains_key(*name))
                .cloned()
                .collect(),
            tools,
            named_tools: named_tools(suite, case).into_iter().chain(answered).collect(),
            responses_apart: case.responses_apart.clone(),
            allow: case.allow.iter().map(|name| self.allowed(name)).collect(),
            user_agents,
            bridge,
            initial_state: JsonText::from_value(&Value::Object(initial_state)),
            first_message,
            recorded_calls,
            terminate_when,
            metrics,
            faults,
            seed: suite.seed,
            repeats: case.repeats,
            tags: case.tags.clone(),
            golden_path: self.golden.as_ref().map(|golden| Arc::new(golden.trace.clone())),
            golden: self.golden.clone(),
            source: CaseSource { files: std::mem::take(&mut self.files), ..CaseSource::default() },
            written_in: match self.options.is_of_python {
                true => WrittenIn::Python,
                false => WrittenIn::Suite,
            },
            ..EvalCase::new(&case.name, subject)
        })
    }

    fn subject(&mut self, subject: &format::Subject, place: &str) -> Option<Arc<dyn Subject>> {
        if let Some(known) = self.subjects.get(subject) {
            return Some(Arc::clone(known));
        }
        let made: Arc<dyn Subject> = match subject {
            format::Subject::Adk(adk) => {
                let folder = self.folder.join(adk.folder());
                if !folder.is_dir() {
                    self.fault(place, format!("{} is not a folder", folder.display()));
                    return None;
                }
                let subject = AdkPythonSubject::new(&folder, self.options.python.as_deref());
                let subject = subject
                    .isolation(self.options.isolation)
                    .servers(&self.options.servers)
                    .models(self.models.clone());
                let declared = adk.with_declarations(subject, self.folder);
                Arc::new(self.checked(&format!("{place}.adk.declarations"), declared)?)
            }
            format::Subject::Mcp(members) => {
                match mcp::subject(members, self.folder, &self.models) {
                    Ok(subject) => Arc::new(subject),
                    Err((member, message)) => {
                        self.fault(&format!("{place}.mcp.{member}"), message);
                        return None;
                    }
                }
            }
        };
        self.subjects.insert(subject.clone(), Arc::clone(&made));
        Some(made)
    }

    /// Checks that the case has the scope.
    fn scope(&mut self, scope: &str, place: &str) {
        let outermost = scope.split('.').next().unwrap_or(scope);
        if !self.scopes.contains(outermost) {
            let hint = nearest(outermost, self.scopes.iter().map(String::as_str));
            let message = format!(
                "the case has no scope {outermost}, and `initial_state`, which adds scopes, does not name it; {hint}"
            );
            self.fault(place, message);
        }
    }

    /// Checks that the case has the scopes of changes that a user agent makes.
    fn changed_by_user(&mut self, changes: &Map<String, Value>, place: &str) {
        self.lasting(changes.keys(), &format!("{place}.changes"));
        self.changed(changes, place);
    }

    /// Checks that the case has the scopes of changes, and that they can be made.
    fn changed(&mut self, changes: &Map<String, Value>, place: &str) {
        let place = format!("{place}.changes");
        self.objects(changes, &place);
        for (scope, changed) in changes {
            self.scope(scope, &place);
            let checked = check_operators(changed, scope, &is_template);
            self.checked(&place, checked);
        }
    }

    /// Checks that scopes are objects.
    fn objects(&mut self, scopes: &Map<String, Value>, place: &str) {
        for (scope, value) in scopes.iter().filter(|(_, value)| !value.is_object()) {
            let message = match scope == SESSION {
                true => "a scope is an object, such as `{ age: 55 }`".to_owned(),
                false => format!(
                    "a scope is an object, such as `{{ age: 55 }}`; for a key of the state itself, write `session: {{ {}: {value} }}`",
                    remedy::key(scope)
                ),
            };
            self.fault(&format!("{place}.{scope}"), message);
        }
    }

    /// Checks that the keys of scopes are not gone before anybody reads them.
    fn lasting(&mut self, scopes: impl IntoIterator<Item = impl AsRef<str>>, place: &str) {
        for scope in scopes {
            let scope = scope.as_ref();
            if self.layout.is_temporary(scope) {
                let message = format!(
                    "google-adk keeps the scope {scope} for one turn of the agent, so its keys are not there between turns; take another scope, or let `changes` of a mock set it"
                );
                self.fault(&format!("{place}.{scope}"), message);
            }
        }
    }

    fn tool(&mut self, name: &str, mock: &format::Mock, place: &str) -> Option<(String, ToolUse)> {
        let used = match mock {
            format::Mock { changes: Some(_), answer: Answer::Real | Answer::Sealed, .. } => {
                self.fault(
                    place,
                    "the tool makes its own changes of the state; leave out `changes`",
                );
                return None;
            }
            format::Mock {
                asks_confirmation: Some(_),
                answer: Answer::Real | Answer::Sealed,
                ..
            } => {
                self.fault(
                    place,
                    "the tool's own code asks for confirmations; leave out `asks_confirmation`",
                );
                return None;
            }
            format::Mock {
                skip_summarization: true,
                answer: Answer::Real | Answer::Sealed,
                ..
            } => {
                self.fault(
                    place,
                    "the tool's own code ends the turn; leave out `skip_summarization`",
                );
                return None;
            }
            format::Mock { answer: Answer::Real, .. } => ToolUse::Real,
            format::Mock { answer: Answer::Sealed, .. } => ToolUse::Sealed,
            mock => ToolUse::Mock(self.mock(mock, place)?),
        };
        // The tools of a suite may be those of other recordings.
        let is_of_case = place.starts_with("cases[");
        if let ToolUse::Mock(ToolMock::Recorded { recording, otherwise: None }) = &used
            && !recording.tools().contains(name)
            && (is_of_case || recording.tools().is_empty())
        {
            let message = format!(
                "the recorded case has no result of {name}; write what it gives, as in `{}: {{ returns: ... }}`",
                remedy::key(name)
            );
            self.fault(place, message);
        }
        Some((name.to_owned(), used))
    }

    /// What a case allows. A folder is named relative to the suite's.
    fn allowed(&self, name: &str) -> String {
        match allowed::is_folder(name) {
            true => format!("{}/", self.folder.join(name).display()).replace("//", "/"),
            false => name.to_owned(),
        }
    }

    fn mock(&mut self, mock: &format::Mock, place: &str) -> Option<ToolMock> {
        let mut made = self.answer(&mock.answer, place)?;
        if let Some(changes) = &mock.changes {
            self.changed(changes, place);
            let changes = ChangeTemplates::of(changes);
            let changes = self.checked(&format!("{place}.changes"), changes)?;
            made = ToolMock::Changing(changes, Box::new(made));
        }
        if mock.skip_summarization {
            made = ToolMock::SkipsSummarization(Box::new(made));
        }
        let Some(asks) = &mock.asks_confirmation else { return Some(made) };
        let denied = match &asks.if_denied {
            None => None,
            Some(mock) => {
                Some(Box::new(self.mock(mock, &format!("{place}.asks_confirmation.if_denied"))?))
            }
        };
        Some(ToolMock::Confirmed {
            request: ConfirmationRequest {
                hint: asks.hint.clone(),
                payload: JsonText::from_value(&asks.payload),
                skip_summarization: asks.skip_summarization,
            },
            meanwhile: JsonText::from_value(&asks.returns),
            mock: Box::new(made),
            denied,
        })
    }

    fn answer(&mut self, answer: &Answer, place: &str) -> Option<ToolMock> {
        Some(match answer {
            Answer::Real | Answer::Sealed => {
                self.fault(
                    place,
                    "`real` and `sealed` are for all calls of a tool; they cannot be part of a mock",
                );
                return None;
            }
            Answer::Returns(value) => ToolMock::Returns(JsonText::from_value(value)),
            Answer::Raises(message) => ToolMock::Raises(message.clone()),
            Answer::Template(text) => {
                ToolMock::Template(self.checked(place, Template::parse(text))?)
            }
            Answer::Function(named) => {
                ToolMock::Function(Arc::new(self.python_function(named, place)?))
            }
            Answer::Recorded(format::Recorded { otherwise }) => ToolMock::Recorded {
                recording: Arc::new(self.golden_trace(place)?.recording()),
                otherwise: match otherwise {
                    None => None,
                    Some(mock) => {
                        Some(Box::new(self.mock(mock, &format!("{place}.recorded.otherwise"))?))
                    }
                },
            },
            Answer::Delayed(delayed) => ToolMock::Delayed(
                Duration::from_millis(delayed.ms),
                Box::new(self.mock(&delayed.mock, &format!("{place}.delayed.mock"))?),
            ),
            Answer::Simulated(tool) => self.simulated(tool, place)?,
            Answer::Person(tool) => {
                let tool = PersonTool::new(self.person(place)?, &tool.instructions);
                ToolMock::Function(Arc::new(tool))
            }
            Answer::Sequence(mocks) => {
                let places = (0..).map(|at| format!("{place}.sequence[{at}]"));
                let read: Vec<_> =
                    mocks.iter().zip(places).map(|(mock, place)| self.mock(mock, &place)).collect();
                ToolMock::Sequence(read.into_iter().collect::<Option<_>>()?)
            }
            Answer::Table(table) => {
                let places = (0..).map(|at| format!("{place}.table.rows[{at}]"));
                let rows: Vec<_> = table
                    .rows
                    .iter()
                    .zip(places)
                    .map(|(row, place)| self.row(row, &place))
                    .collect();
                let otherwise = match &table.otherwise {
                    None => None,
                    Some(mock) => {
                        Some(Box::new(self.mock(mock, &format!("{place}.table.otherwise"))?))
                    }
                };
                ToolMock::Table { rows: rows.into_iter().collect::<Option<_>>()?, otherwise }
            }
        })
    }

    /// The golden trace of the case, which the member at `place` uses.
    fn golden_trace(&mut self, place: &str) -> Option<Arc<Golden>> {
        if !self.names_golden {
            self.fault(
                place,
                "the case names no recorded case; add `golden: { eval_set: FILE, case: ID }`",
            );
        }
        self.golden.clone()
    }

    fn model(&mut self, model: &format::Model, place: &str) -> Option<GivenModel> {
        Some(match model {
            format::Model::Scripted(format::Script::Turns(turns)) => {
                GivenModel::scripted(model_turns(turns))
            }
            format::Model::Scripted(format::Script::ByAgent(scripts)) => {
                let scripts = scripts.iter().map(|(agent, it)| (agent.clone(), model_turns(it)));
                GivenModel::ScriptedByAgent(Arc::new(scripts.collect()))
            }
            format::Model::Replay => self.golden_trace(place)?.session.model.clone(),
            format::Model::Person => {
                self.person(place)?;
                GivenModel::Named(PERSON.to_owned())
            }
            format::Model::Named(name) if name.trim().is_empty() => {
                self.fault(place, "the name of the model is empty");
                return None;
            }
            format::Model::Named(name) => GivenModel::Named(name.clone()),
        })
    }

    /// A metric for each criterion, against the golden trace.
    fn criteria(&mut self, criteria: &Map<String, Value>, place: &str) -> Vec<Arc<dyn Metric>> {
        let Some(golden) = self.golden_trace(place) else { return Vec::new() };
        let text = JsonText::from_value(&serde_json::json!({ "criteria": criteria }));
        let config = Config::read(&text, &NoSchemas).sound();
        let criteria = config.and_then(|config| {
            // A suite is no other program's file.
            let mut faults = config.warnings.clone();
            faults.extend(config.informational.iter().map(|figure| {
                let message = "a metric that never passes or fails; remove it from the suite, or use count, \
                               duration or tokens with bounds";
                ConfigFault::new(&format!("/criteria/{}", figure.name()), message)
            }));
            if faults.is_empty() { Ok(config) } else { Err(faults) }
        });
        match criteria {
            Ok(config) => config
                .criteria
                .iter()
                .map(|criterion| {
                    let judge = AdkJudge::of(&criterion.name, &config, &golden.rubrics, None);
                    let metric = CriterionMetric::new(criterion.clone(), golden.trace.clone());
                    let metric: Arc<dyn Metric> =
                        Arc::new(metric.judged_by(self.models.clone(), judge));
                    metric
                })
                .collect(),
            Err(faults) => {
                for fault in faults {
                    self.fault(place, fault.to_string());
                }
                Vec::new()
            }
        }
    }

    /// The live session in which a person answers for the case that is being made.
    fn person(&mut self, place: &str) -> Option<PersonSession> {
        self.checked(place, self.models.person_page())?;
        Some(self.models.person(&self.case_name))
    }

    fn python_function(&mut self, named: &str, place: &str) -> Option<PythonFunction> {
        let place = format!("{place}.function");
        let Some((file, name)) = named.rsplit_once(".py:").filter(|(_, name)| !name.is_empty())
        else {
            self.fault(&place, format!("{named} names no function; write FILE.py:NAME"));
            return None;
        };
        let named_file = format!("{file}.py");
        let file = self.folder.join(&named_file);
        let read = std::fs::read_to_string(&file);
        let read = read.map_err(|error| format!("{} cannot be read: {error}", file.display()));
        let source = self.checked(&place, read)?;
        self.checked(&place, defines(&source, name))?;
        self.files.insert(named_file, content_hash::of(&[&source]));
        python_imports::add(file.parent().unwrap_or(self.folder), &source, &mut self.files);
        Some(PythonFunction::new(&file, name, self.options.python.as_deref()))
    }

    fn row(&mut self, row: &format::Row, place: &str) -> Option<Row> {
        let args = self.args_match(&row.args, &row.matchers, place)?;
        Some(Row { args, mock: self.mock(&row.mock, &format!("{place}.mock"))? })
    }

    fn args_match(
        &mut self,
        args: &Map<String, Value>,
        matched: &Map<String, Value>,
        place: &str,
    ) -> Option<ArgsMatch> {
        let place_of_args = format!("{place}.args");
        // Reading all of them as conditions finds operators where they have no effect.
        self.query(args, &place_of_args)?;
        let (conditions, equal): (Map<_, _>, Map<_, _>) =
            args.clone().into_iter().partition(|(name, value)| {
                let has_operators =
                    |it: &Map<String, Value>| it.keys().any(|it| it.starts_with('$'));
                name.starts_with('$') || value.as_object().is_some_and(has_operators)
            });
        let conditions = match conditions.is_empty() {
            true => None,
            false => Some(self.query(&conditions, &place_of_args)?),
        };
        let equal = equal.into_iter().map(|(name, value)| (name, JsonText::from_value(&value)));
        let mut matchers = Vec::new();
        for (name, value) in matched {
            let text = JsonText::from_value(value);
            let document = JsonIndex::of(&text);
            let matcher = Matcher::read(document.root(), "", &NoSchemas);
            let matcher = self.checked(&format!("{place}.matchers.{name}"), matcher)?;
            matchers.push((name.clone(), matcher));
        }
        Some(ArgsMatch { equal: equal.collect(), conditions, matchers })
    }

    fn tool_fault(
        &mut self,
        fault: &format::ToolFault,
        tools: &HashMap<String, ToolUse>,
        place: &str,
    ) -> Option<ToolFault> {
        if !tools.contains_key(&fault.tool) {
            let hint = match tools.is_empty() {
                true => "add the tool to `tools`".to_owned(),
                false => nearest(&fault.tool, tools.keys().map(String::as_str)),
            };
            let message = format!(
                "the case says nothing about calls of {}, so none can go wrong; {hint}",
                fault.tool
            );
            self.fault(&format!("{place}.tool"), message);
            return None;
        }
        if !(0.0..=1.0).contains(&fault.probability) {
            self.fault(&format!("{place}.probability"), "it is not between 0 and 1");
            return None;
        }
        let effects = [
            fault.raises.clone().map(FaultEffect::Raises),
            fault.returns.as_ref().map(JsonText::from_value).map(FaultEffect::Returns),
            fault.latency_ms.map(Duration::from_millis).map(FaultEffect::Latency),
            fault.truncate.map(FaultEffect::Truncates),
        ];
        let mut effects = effects.into_iter().flatten();
        let (Some(effect), None) = (effects.next(), effects.next()) else {
            self.fault(place, "give one of `raises`, `returns`, `latency_ms` and `truncate`");
            return None;
        };
        Some(ToolFault {
            tool: fault.tool.clone(),
            args: self.args_match(&fault.args, &fault.matchers, place)?,
            probability: fault.probability,
            effect,
        })
    }

    fn first_message(
        &mut self,
        message: &format::FirstMessage,
        subject: &Arc<dyn Subject>,
        place: &str,
    ) -> Option<Message> {
        let message = match message {
            format::FirstMessage::Text(text) => return Some(Message::from(text.as_str())),
            format::FirstMessage::Parts(format::MessageParts { parts }) => {
                let part = |part: &Map<String, Value>| JsonText::from_value(&part.clone().into());
                Message::of_parts(&parts.iter().map(part).collect::<Vec<_>>())
            }
        };
        let message = self.checked(place, message)?;
        let refusal = subject.refusal(&message).or_else(|| message.refusal_as_first());
        self.checked(place, refusal.map_or(Ok(message), Err))
    }

    /// Checks that the messages of a script can be sent, and returns the tools to which they respond.
    fn scripted_messages(
        &mut self,
        case: &format::Case,
        subject: &Arc<dyn Subject>,
        place: &str,
    ) -> BTreeSet<String> {
        let mut tools = BTreeSet::new();
        let Some(format::UserAgent::Script(entries)) = &case.user_agents.r#loop else {
            return tools;
        };
        let is_first = case.first_message.is_none();
        for (at, entry) in entries.iter().enumerate() {
            let says = match entry {
                format::ScriptEntry::Text(_) => continue,
                format::ScriptEntry::Says(says) => says,
                format::ScriptEntry::NoAnswer(_) => {
                    let message =
                        "only a user agent of a tool can give no answer; end the script here";
                    self.fault(&format!("{place}.script[{at}]"), message);
                    continue;
                }
            };
            let message = Message::of_output(&JsonText::from_value(&says.says));
            let message = message.map_err(|error| error.to_string()).and_then(|message| {
                let first = (is_first && at == 0).then(|| message.refusal_as_first()).flatten();
                tools.extend(message.tools().map(str::to_owned));
                subject.refusal(&message).or(first).map_or(Ok(()), Err)
            });
            self.checked(&format!("{place}.script[{at}]"), message);
        }
        tools
    }

    fn user_agents(&mut self, case: &format::Case, place: &str) -> UserAgents {
        let place = format!("{place}.user_agents");
        let conversation =
            case.user_agents.r#loop.as_ref().and_then(|it| self.user(it, &format!("{place}.loop")));
        let ends = &case.terminate_when;
        let is_simulated = |user: &format::UserAgent| {
            matches!(user, format::UserAgent::Persona(_) | format::UserAgent::Adk(_))
        };
        if case.user_agents.r#loop.as_ref().is_some_and(is_simulated)
            && ends.max_turns.is_none()
            && ends.max_duration_ms.is_none()
        {
            self.fault(
                &format!("{place}.loop"),
                "a simulated user might never end the conversation; add `terminate_when: { max_turns: ... }`",
            );
        }
        let mut tools = HashMap::new();
        for (name, agent) in &case.user_agents.tools {
            let agent = self.user(agent, &format!("{place}.tools.{name}"));
            tools.extend(agent.map(|agent| (name.clone(), agent)));
        }
        let tools_with_users = case.user_agents.tools.keys().cloned();
        self.users = tools_with_users.collect();
        self.users.extend(conversation.iter().map(|_| YieldKind::Loop.to_string()));
        UserAgents { conversation, tools }
    }

    fn user(&mut self, agent: &format::UserAgent, place: &str) -> Option<Arc<dyn UserAgent>> {
        Some(match agent {
            format::UserAgent::Script(entries) => {
                for (at, entry) in entries.iter().enumerate() {
                    if let format::ScriptEntry::Says(says) = entry {
                        self.changed_by_user(&says.changes, &format!("{place}.script[{at}]"));
                    }
                }
                scripted_user(entries)
            }
            format::UserAgent::Person(role) => Arc::new(PersonUser::new(self.person(place)?, role)),
            format::UserAgent::Function(named) => {
                Arc::new(PythonUser::new(self.python_function(named, place)?))
            }
            format::UserAgent::Adk(user) => Arc::new(self.adk_user(user, place)?),
            format::UserAgent::Persona(format::Persona { text, model, tools }) => {
                let model = self.checked(&format!("{place}.model"), self.models.model(model))?;
                let mut user = PersonaUser::new(text, model);
                self.persona_tools.extend(tools.keys().cloned());
                for (name, tool) in tools {
                    let declaration = ModelTool {
                        name: name.clone(),
                        description: tool.description.clone(),
                        parameters: JsonText::from_value(&Value::Object(tool.parameters.clone())),
                    };
                    let place = format!("{place}.tools.{name}");
                    user = user.tool(self.persona_tool(tool, declaration, &place)?);
                }
                Arc::new(user)
            }
        })
    }

    fn adk_user(&mut self, user: &format::AdkUser, place: &str) -> Option<AdkUser> {
        let format::AdkUser { folder: named, model } = user;
        let folder = self.folder.join(named);
        if !folder.is_dir() {
            let message = format!("{} is not a folder; name the agent's folder", folder.display());
            self.fault(&format!("{place}.adk"), message);
            return None;
        }
        self.files.insert(format!("the user agent {}", named.display()), fingerprint_of(&folder));
        self.has_adk_users = true;
        let user = AdkUser::new(&folder, self.options.python.as_deref())
            .retries(self.models.settings().retries);
        Some(match model {
            Some(model) => user.model(model),
            None => user,
        })
    }

    fn persona_tool(
        &mut self,
        tool: &format::PersonaTool,
        declaration: ModelTool,
        place: &str,
    ) -> Option<PersonaTool> {
        match &tool.function {
            None => {
                self.changed_by_user(&tool.changes, place);
                self.checked(place, PersonaTool::new(declaration, &tool.changes))
            }
            Some(_) if !tool.changes.is_empty() => {
                self.fault(
                    place,
                    "give either `changes` or `function`; a function returns its changes with `with_state_change`",
                );
                None
            }
            Some(named) => {
                Some(PersonaTool::function(declaration, self.python_function(named, place)?))
            }
        }
    }

    fn simulated(&mut self, tool: &format::Simulated, place: &str) -> Option<ToolMock> {
        let format::Simulated { model, data, instructions } = tool;
        let model = self.checked(&format!("{place}.simulated.model"), self.models.model(model))?;
        let mut simulated = SimulatedTool::new(model);
        if let Some(data) = data {
            simulated = simulated.data(JsonText::from_value(data));
        }
        if let Some(instructions) = instructions {
            simulated = simulated.instructions(instructions);
        }
        Some(ToolMock::Function(Arc::new(simulated)))
    }

    fn judge(&mut self, metric: &format::JudgeMetric, place: &str) -> Option<Arc<dyn Metric>> {
        let format::JudgeMetric { name, prompt, rubrics, model, samples } = metric;
        let model = self.checked(&format!("{place}.model"), self.models.judge(model.as_deref()));
        let question = match (prompt, rubrics) {
            (Some(prompt), None) => JudgeQuestion::Prompt(prompt.clone()),
            (None, Some(rubrics)) if !rubrics.is_empty() => JudgeQuestion::Rubrics(rubrics.clone()),
            _ => {
                self.fault(place, "give either `prompt`, or `rubrics` with at least one");
                return None;
            }
        };
        if samples % 2 == 0 {
            let message = "it is even, and the samples could be divided; take an odd number";
            self.fault(&format!("{place}.samples"), message);
            return None;
        }
        let Some(model) = model? else {
            self.fault(place, "no judge is named; add `model`, or give one with --judge");
            return None;
        };
        Some(Arc::new(JudgeMetric { name: name.clone(), question, model, samples: *samples }))
    }

    fn format(&mut self, format: Option<&format::BridgeFormat>, place: &str) -> Option<Format> {
        Some(match format? {
            format::BridgeFormat::Template(text) => {
                Format::Template(self.checked(place, Template::parse(text))?)
            }
            format::BridgeFormat::Function(format::NamedFunction { function }) => {
                Format::Called(Arc::new(self.python_function(function, place)?))
            }
        })
    }

    fn query(&mut self, query: &Map<String, Value>, place: &str) -> Option<Query> {
        let text = JsonText::from_value(&Value::Object(query.clone()));
        self.checked(place, Query::parse(&text))
    }

    fn metrics(&mut self, metrics: &[format::Metric], place: &str) -> Vec<Arc<dyn Metric>> {
        let mut names = HashSet::new();
        let mut made: Vec<Arc<dyn Metric>> = Vec::new();
        for (at, metric) in metrics.iter().enumerate() {
            let place = format!("{place}[{at}]");
            let read: Vec<Arc<dyn Metric>> = match metric {
                format::Metric::State(metric) => {
                    self.state_metric(metric, &place).into_iter().collect()
                }
                format::Metric::EventCount(metric) => {
                    self.event_count_metric(metric, &place).into_iter().collect()
                }
                format::Metric::Criteria(criteria) => {
                    self.criteria(criteria, &format!("{place}.criteria"))
                }
                format::Metric::LlmJudge(metric) => {
                    self.judge(metric, &format!("{place}.llm_judge")).into_iter().collect()
                }
                format::Metric::Function(named) => {
                    let function = self.python_function(named, &place);
                    let metric =
                        function.map(|function| Arc::new(PythonMetric::new(function)) as _);
                    metric.into_iter().collect()
                }
            };
            for metric in read {
                if !names.insert(metric.name().to_owned()) {
                    let message =
                        format!("two metrics have the name {}; give each its own", metric.name());
                    self.fault(&format!("{place}.name"), message);
                }
                made.push(metric);
            }
        }
        made
    }

    fn state_metric(
        &mut self,
        metric: &format::StateMetric,
        place: &str,
    ) -> Option<Arc<dyn Metric>> {
        let format::StateMetric { name, scope, key, is } = metric;
        self.scope(scope, &format!("{place}.scope"));
        self.lasting([scope], place);
        let assertion = self.assertion(is, place)?;
        let (scope, key) = match self.layout.is_prefix(scope) {
            true => (SESSION.to_owned(), self.layout.path(scope, key)),
            false => (scope.clone(), key.clone()),
        };
        Some(Arc::new(StateMetric { name: name.clone(), scope, key, assertion }))
    }

    fn event_count_metric(
        &mut self,
        metric: &format::EventCountMetric,
        place: &str,
    ) -> Option<Arc<dyn Metric>> {
        let format::EventCountMetric { name, event, filter, is } = metric;
        if !EVENT_NAMES.contains(&event.as_str()) {
            let message = format!("there are no events {event}; {}", nearest(event, EVENT_NAMES));
            self.fault(&format!("{place}.event"), message);
            return None;
        }
        let filter = match filter {
            Some(filter) => Some(self.event_filter(event, filter, &format!("{place}.filter"))?),
            None => None,
        };
        let assertion = self.assertion(is, place)?;
        Some(Arc::new(EventCountMetric {
            name: name.clone(),
            event: event.clone(),
            filter,
            assertion,
        }))
    }

    fn event_filter(
        &mut self,
        event: &str,
        filter: &Map<String, Value>,
        place: &str,
    ) -> Option<Query> {
        let query = self.query(filter, place)?;
        self.checked(place, event_filter::check(event, &query))?;
        if event == "user_agent_call" && !self.has_adk_users {
            let known: Vec<&str> = self.persona_tools.iter().map(String::as_str).collect();
            if let Some(name) = query.unmatched("name", &known) {
                let hint = nearest(&name, known);
                self.fault(place, format!("no user agent has a tool {name}; {hint}"));
                return None;
            }
        }
        if event == "user_agent_call" {
            let known: Vec<&str> = self.users.iter().map(String::as_str).collect();
            if let Some(name) = query.unmatched("agent", &known) {
                let hint = nearest(&name, known);
                self.fault(place, format!("the case has no user agent of {name}; {hint}"));
                return None;
            }
        }
        Some(query)
    }

    fn assertion(&mut self, is: &Value, place: &str) -> Option<Assertion> {
        self.checked(&format!("{place}.is"), Assertion::parse(&JsonText::from_value(is)))
    }
}

/// Checks that a Python file mentions a name. How it defines it, only Python knows.
fn defines(source: &str, name: &str) -> Result<(), String> {
    let is_of_name = |it: char| it.is_alphanumeric() || it == '_';
    let code = || source.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mentions = code().any(|line| line.split(|it| !is_of_name(it)).any(|word| word == name));
    if mentions || source.contains("import *") {
        return Ok(());
    }
    let functions = code().filter_map(|line| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("def ")?.split(|it| !is_of_name(it)).next()
    });
    Err(format!("the file has no function {name}; {}", nearest(name, functions)))
}

/// The most repeats of a case.
pub const MOST_REPEATS: u32 = 100_000;

/// The tools that the subject must have. Those of the suite may belong to the subject of another case.
fn named_tools(suite: &format::Suite, case: &format::Case) -> BTreeSet<String> {
    let of_suite = suite.cases.iter().all(|case| case.subject.is_none()).then_some(&suite.tools);
    let of_suite = of_suite.into_iter().flat_map(BTreeMap::keys);
    of_suite.chain(case.tools.keys()).chain(case.user_agents.tools.keys()).cloned().collect()
}

fn with_settings(models: &Models, settings: &format::ModelSettings) -> Models {
    let mut changed = models.settings();
    if let Some(timeout) = settings.timeout_ms {
        changed.timeout = Duration::from_millis(timeout);
    }
    changed.retries = settings.retries.unwrap_or(changed.retries);
    changed.most_at_once = settings.concurrency.unwrap_or(changed.most_at_once);
    models.clone().with_settings(changed)
}

fn scripted_user(entries: &[format::ScriptEntry]) -> Arc<dyn UserAgent> {
    let answer = |entry: &format::ScriptEntry| match entry {
        format::ScriptEntry::Text(text) => UserAnswer::says(JsonText::string(text)),
        format::ScriptEntry::Says(format::Says { says, changes }) => UserAnswer::Says {
            output: JsonText::from_value(says),
            changes: JsonText::from_value(&Value::Object(changes.clone())),
        },
        format::ScriptEntry::NoAnswer(_) => UserAnswer::NoAnswer,
    };
    Arc::new(ScriptedUser::new(entries.iter().map(answer).collect()))
}

fn model_turns(turns: &[format::ModelTurn]) -> Vec<ModelTurn> {
    let turn = |turn: &format::ModelTurn| match turn {
        format::ModelTurn::Text(text) => ModelTurn::text(text),
        format::ModelTurn::Calls(format::ModelCalls { text, calls }) => ModelTurn {
            text: text.clone(),
            calls: calls
                .iter()
                .map(|call| {
                    ModelCall::new(
                        &call.tool,
                        JsonText::from_value(&Value::Object(call.args.clone())),
                    )
                })
                .collect(),
        },
    };
    turns.iter().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_only_a_comment_names_is_not_defined() {
        let source = "# escalate is gone\ndef escalated():\n    pass\n\nask = print\n";
        assert_eq!(
            defines(source, "escalate"),
            Err("the file has no function escalate; did you mean escalated?".to_owned())
        );
        assert_eq!(defines(source, "escalated"), Ok(()));
        assert_eq!(defines(source, "ask"), Ok(()));
    }
}
