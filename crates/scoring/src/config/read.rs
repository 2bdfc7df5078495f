//! Reading a config.

use json_text::{JsonIndex, JsonText, JsonValue, Kind};

use super::fields::{Fields, Findings, number};
use super::metric::{AGENTFLOW, KNOWN, Named, named};
use crate::adk::MatchType;
use crate::config_fault::ConfigFault;
use crate::criterion::{Criterion, Metric};
use crate::json::pointer_step;
use crate::judge::{Combine, JudgeCriterion};
use crate::measurements::{Efficiency, EventKind};
use crate::nearest::nearest;
use crate::response::Comparison;
use crate::trajectory::Schemas;

/// What a set of cases is scored by.
#[derive(Debug, Clone)]
pub struct Config {
    /// The criteria, in the order of the config, those that are switched off left out.
    pub criteria: Vec<Criterion>,
    /// The figures that are reported beside them, in the order of the config.
    pub informational: Vec<Efficiency>,
    /// The config as it was read, for the report.
    pub source: JsonText,
    /// What was ignored, in the order of the config.
    pub warnings: Vec<ConfigFault>,
}

/// Something of a case that a config names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name<'c> {
    /// A tool.
    Tool(&'c str),
    /// An argument.
    Argument {
        /// Of which tool; `None` for any.
        tool: Option<&'c str>,
        /// Its name.
        argument: &'c str,
    },
    /// An agent.
    Author(&'c str),
}

/// A config with its faults. An evaluation does not start with a fault.
#[derive(Debug, Clone)]
pub struct Reading {
    /// What could be read.
    pub config: Config,
    /// What is wrong, in the order of the config.
    pub faults: Vec<ConfigFault>,
}

impl Reading {
    /// The config, when nothing is wrong with it.
    ///
    /// # Errors
    /// All faults.
    pub fn sound(self) -> Result<Config, Vec<ConfigFault>> {
        if self.faults.is_empty() { Ok(self.config) } else { Err(self.faults) }
    }
}

impl Config {
    /// The tools, arguments and authors that the criteria name, each once: those of rules for
    /// arguments, and those that are counted. One that no case has is mistyped.
    #[must_use]
    pub fn names(&self) -> Vec<Name<'_>> {
        let mut names = Vec::new();
        for criterion in &self.criteria {
            match &criterion.metric {
                Metric::Trajectory(matching) => {
                    names.extend(matching.rules.tools().map(Name::Tool));
                    let arguments = matching.rules.arguments();
                    names.extend(
                        arguments.map(|(tool, argument)| Name::Argument { tool, argument }),
                    );
                }
                Metric::Count { countable, .. } => {
                    let tool = countable.name.as_deref();
                    let is_tool = countable.kind == EventKind::ToolCall;
                    names.extend(tool.filter(|_| is_tool).map(Name::Tool));
                    names.extend(countable.author.as_deref().map(Name::Author));
                }
                _ => {}
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The criteria on ADK's own metrics with a threshold above 1, which no score reaches, or below 0,
    /// which every score reaches. ADK accepts them, so they are not faults.
    #[must_use]
    pub fn out_of_reach(&self) -> Vec<&Criterion> {
        let is_adk =
            |metric: &Metric| matches!(metric, Metric::AdkTrajectory { .. } | Metric::AdkResponse);
        let criteria = self.criteria.iter();
        criteria.filter(|it| is_adk(&it.metric) && no_threshold(it.threshold).is_some()).collect()
    }

    /// Reads a config of either kind: an object with `criteria`, by name a threshold or an object.
    ///
    /// The name of a criterion is its metric: one of ADK's, AgentFlow's or Rehearsal's. A criterion
    /// with another name gives one of Rehearsal's metrics in the member `metric`.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use scoring::config::Config;
    /// use scoring::trajectory::NoSchemas;
    ///
    /// let text = JsonText::parse(r#"{"criteria": {
    ///     "tool_trajectory_avg_score": {"threshold": 1.0, "matchtype": "IN_ORDER"},
    ///     "mentions_the_price": {"metric": "response", "match": "contains", "texts": ["42"]}}}"#)?;
    /// let reading = Config::read(&text, &NoSchemas);
    /// assert_eq!(reading.config.criteria[1].name, "mentions_the_price");
    /// assert_eq!(
    ///     reading.faults[0].to_string(),
    ///     "/criteria/tool_trajectory_avg_score/matchtype: unknown field \"matchtype\"; did you mean match_type?"
    /// );
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn read(text: &JsonText, schemas: &dyn Schemas) -> Reading {
        let document = JsonIndex::of(text);
        let mut fields = Fields::of(document.root(), "", "a config");
        for place in document.repeated_names() {
            let message = "duplicate name; remove one";
            fields.faults.push(ConfigFault::new(&place, message));
        }
        let (mut criteria, mut informational) = (Vec::new(), Vec::new());
        let mut are_off = false;
        let custom = names_of(fields.take("custom_metrics"));
        match fields.take("criteria") {
            Some(object) if object.kind() == Kind::Object => {
                let place = fields.place("criteria");
                for (name, value) in object.entries() {
                    if value.kind() == Kind::Null || name.starts_with('_') {
                        continue;
                    }
                    let place = format!("{place}{}", pointer_step(&name));
                    let (entry, findings) = read_entry(&name, value, &place, &custom, schemas);
                    match entry {
                        Some(Entry::Criterion(criterion)) => criteria.push(criterion),
                        Some(Entry::Informational(figure)) => informational.push(figure),
                        None => are_off = true,
                    }
                    fields.add(findings);
                }
            }
            Some(_) => {
                fields.fault("criteria", "criteria must be an object of names and thresholds");
            }
            None => {}
        }
        for name in SETTINGS {
            fields.take(name);
        }
        let Findings { mut faults, warnings } = fields.finish();
        if criteria.is_empty() && faults.is_empty() {
            let message = match are_off {
                true => "every criterion is disabled; remove \"enabled\": false from one",
                false => "no criteria; add one, such as \"tool_trajectory_avg_score\": 1.0",
            };
            faults.push(ConfigFault::new("/criteria", message));
        }
        Reading { config: Self { criteria, informational, source: text.clone(), warnings }, faults }
    }

    /// What ADK scores by without a config: `tool_trajectory_avg_score` from 1.0 on and
    /// `response_match_score` from 0.8 on.
    #[must_use]
    pub fn adk_default() -> Self {
        let trajectory = Metric::AdkTrajectory { match_type: MatchType::Exact, ignore_args: false };
        Self::of(vec![
            ("tool_trajectory_avg_score", 1.0, trajectory),
            ("response_match_score", 0.8, Metric::AdkResponse),
        ])
    }

    /// AgentFlow's `EvalConfig.default()`: `trajectory_match` from 0.8 on, `response_match` and
    /// `llm_judge` from 0.7 on.
    #[must_use]
    pub fn agentflow_default() -> Self {
        let judge = JudgeCriterion {
            model: AGENTFLOW.judge_model.to_owned(),
            rubrics: vec![super::judges::whole_answer()],
            samples: 1,
            combine: Combine::Mean,
        };
        Self::of(vec![
            ("trajectory_match", 0.8, Metric::Trajectory(Box::default())),
            ("response_match", 0.7, Metric::Response(Comparison::Rouge1)),
            ("llm_judge", 0.7, Metric::Judged(judge)),
        ])
    }

    fn of(criteria: Vec<(&str, f64, Metric)>) -> Self {
        let thresholds: serde_json::Map<String, serde_json::Value> = criteria
            .iter()
            .map(|(name, threshold, _)| ((*name).to_owned(), (*threshold).into()))
            .collect();
        let source = JsonText::from_value(&serde_json::json!({ "criteria": thresholds }));
        let criteria = criteria.into_iter().map(|(name, threshold, metric)| Criterion {
            name: name.to_owned(),
            threshold,
            metric,
        });
        Self {
            criteria: criteria.collect(),
            informational: Vec::new(),
            source,
            warnings: Vec::new(),
        }
    }
}

/// What ADK and AgentFlow configure beside the criteria, which does not change a score.
const SETTINGS: [&str; 9] = [
    "user_simulator_config",
    "live_model_config",
    "parallel",
    "max_concurrency",
    "timeout",
    "verbose",
    "mock_mode",
    "reporter",
    "$schema",
];

/// An entry of `criteria`.
enum Entry {
    Criterion(Criterion),
    Informational(Efficiency),
}

/// The error for a threshold that every score meets, or none.
fn no_threshold(threshold: f64) -> Option<&'static str> {
    if threshold > 1.0 {
        Some("threshold must be at most 1, the highest score; 80% is 0.8")
    } else if threshold < 0.0 {
        Some("threshold must be at least 0; below that, every score passes")
    } else {
        None
    }
}

fn names_of(object: Option<JsonValue<'_>>) -> Vec<String> {
    let entries = object.map(JsonValue::entries).unwrap_or_default();
    entries.into_iter().map(|(name, _)| name.into_owned()).collect()
}

/// One entry, when it can be read and is not switched off.
fn read_entry(
    name: &str,
    value: JsonValue<'_>,
    place: &str,
    custom: &[String],
    schemas: &dyn Schemas,
) -> (Option<Entry>, Findings) {
    let fault = |message: String| {
        let faults = vec![ConfigFault::new(place, message)];
        (None, Findings { faults, ..Findings::default() })
    };
    let is_object = value.kind() == Kind::Object;
    let given = value.member("metric").and_then(JsonValue::string);
    if KNOWN.contains(&name) && given.as_deref().is_some_and(|metric| metric != name) {
        return fault(format!("{name} is the name of another metric; rename the criterion"));
    }
    let found = match given.as_deref() {
        Some(metric) => named(metric).ok_or(metric),
        _ if custom.iter().any(|custom| custom == name) => Ok(Named::Custom),
        _ => named(name).ok_or(name),
    };
    let found = match found {
        Ok(found) => found,
        Err(unknown) => {
            let meant = nearest(unknown, KNOWN);
            let hint = if given.is_some() { "" } else { " (another name requires \"metric\")" };
            return fault(format!("unknown metric {unknown:?}; {meant}{hint}"));
        }
    };
    // A bare threshold is an object with nothing else.
    let empty = JsonText::from_value(&serde_json::json!({}));
    let nothing = JsonIndex::of(&empty);
    let bare = if is_object { None } else { number(value) };
    if !is_object && bare.is_none() {
        return fault("a criterion must be a threshold or an object".to_owned());
    }
    let mut fields =
        Fields::of(if is_object { value } else { nothing.root() }, place, "a criterion");
    let enabled = fields.truth("enabled").unwrap_or(true);
    fields.take("metric");
    if let Named::Informational(figure) = found {
        let threshold = fields.number("threshold");
        fields.take("include_intermediate_responses_in_final");
        if threshold.or(bare).is_some() {
            let message = format!(
                "{name} has no threshold, as in ADK: it is reported and never passes or fails. Write {{}}, or \
                 use the metrics count, duration and tokens for bounds"
            );
            fields.faults.push(ConfigFault::new(place, message));
        }
        return (enabled.then_some(Entry::Informational(figure)), fields.finish());
    }
    let threshold = fields.number("threshold").or(bare).or(found.default_threshold());
    if threshold.is_none() && fields.faults.is_empty() {
        fields.fault("threshold", "threshold is required, as in ADK");
    }
    let metric = found.read(&mut fields, schemas);
    if found.is_ours()
        && let Some(message) = threshold.and_then(no_threshold)
    {
        match bare {
            Some(_) => fields.faults.push(ConfigFault::new(place, message)),
            None => fields.fault("threshold", message),
        }
    }
    let findings = fields.finish();
    let criterion = metric
        .zip(threshold)
        .filter(|_| enabled)
        .map(|(metric, threshold)| Criterion { name: name.to_owned(), threshold, metric });
    (criterion.map(Entry::Criterion), findings)
}
