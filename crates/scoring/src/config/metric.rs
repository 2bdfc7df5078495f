//! The metrics by name, and the fields of each.

use json_text::{JsonValue, Kind};

use super::fields::Fields;
use super::judges::{Question, judge, question, rubrics};
use crate::adk::MatchType;
use crate::criterion::Metric;
use crate::measurements::{Bounds, Countable, DurationPart, Efficiency, EventKind, Per, TokenPart};
use crate::response::Comparison;
use crate::state::{Query, StateMeasure};
use crate::trajectory::{ArgumentRules, Credit, Matching, Measure, Schemas, distances, pattern};

/// AgentFlow's defaults.
pub(super) struct AgentFlow {
    pub(super) threshold: f64,
    pub(super) judge_model: &'static str,
}

pub(super) const AGENTFLOW: AgentFlow = AgentFlow { threshold: 0.8, judge_model: "gpt-4o-mini" };

/// Why a metric has no score where no judge is asked.
pub(super) const NEEDS_JUDGE: &str =
    "this criterion requires a judge. Use `rehearsal score --judge`";

/// The names of all metrics.
pub(super) const KNOWN: [&str; 36] = [
    "trajectory",
    "response",
    "state",
    "count",
    "duration",
    "tokens",
    "rubric",
    "llm_judge",
    "trajectory_match",
    "response_match",
    "rubric_based",
    "tool_name_match",
    "node_order",
    "rouge_match",
    "contains_keywords",
    "factual_accuracy",
    "hallucination",
    "safety",
    "simulation_goals",
    "tool_trajectory_avg_score",
    "response_match_score",
    "response_evaluation_score",
    "safety_v1",
    "final_response_match_v2",
    "hallucinations_v1",
    "rubric_based_final_response_quality_v1",
    "rubric_based_tool_use_quality_v1",
    "rubric_based_multi_turn_trajectory_quality_v1",
    "per_turn_user_simulator_quality_v1",
    "multi_turn_task_success_v1",
    "multi_turn_trajectory_quality_v1",
    "multi_turn_tool_use_quality_v1",
    "tool_call_count_v1",
    "inference_call_count_v1",
    "token_usage_v1",
    "invocation_duration_v1",
];

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    AdkTrajectory,
    AdkResponse,
    /// Of ADK, computed by a judge.
    AdkJudged,
    /// Of ADK, computed by a judge from the user's plan, which only an eval run has.
    AdkUserJudged,
    /// Of ADK, computed by Google's evaluation service.
    AdkService,
    /// Of ADK, reported without a threshold.
    Informational(Efficiency),
    /// A function of the config's author.
    Custom,
    Trajectory {
        agentflow: bool,
    },
    Response {
        agentflow: bool,
    },
    State,
    Count,
    Duration,
    Tokens,
    Rubric,
    LlmJudge,
    /// Of AgentFlow: the share of the expected tools that were called.
    ToolNames,
    /// Of AgentFlow: ROUGE-1 of the response.
    Rouge,
    /// Of AgentFlow: the share of the keywords in the response.
    Keywords,
    /// Of AgentFlow: one question to a judge.
    Judged(Question),
    /// Of AgentFlow, computed from what only its graphs record.
    Graph,
}

pub(super) fn named(name: &str) -> Option<Named> {
    Some(match name {
        "tool_trajectory_avg_score" => Named::AdkTrajectory,
        "response_match_score" => Named::AdkResponse,
        "trajectory" => Named::Trajectory { agentflow: false },
        "trajectory_match" => Named::Trajectory { agentflow: true },
        "response" => Named::Response { agentflow: false },
        "response_match" => Named::Response { agentflow: true },
        "state" => Named::State,
        "count" => Named::Count,
        "duration" => Named::Duration,
        "tokens" => Named::Tokens,
        "rubric" | "rubric_based" => Named::Rubric,
        "llm_judge" => Named::LlmJudge,
        "tool_name_match" => Named::ToolNames,
        "rouge_match" => Named::Rouge,
        "contains_keywords" => Named::Keywords,
        "factual_accuracy" => Named::Judged(Question::FactualAccuracy),
        "hallucination" => Named::Judged(Question::Hallucination),
        "safety" => Named::Judged(Question::Safety),
        "node_order" | "simulation_goals" => Named::Graph,
        "final_response_match_v2"
        | "hallucinations_v1"
        | "rubric_based_final_response_quality_v1"
        | "rubric_based_tool_use_quality_v1"
        | "rubric_based_multi_turn_trajectory_quality_v1" => Named::AdkJudged,
        "per_turn_user_simulator_quality_v1" => Named::AdkUserJudged,
        _ => match Efficiency::parse(name) {
            Some(figure) => Named::Informational(figure),
            None if KNOWN.contains(&name) => Named::AdkService,
            None => return None,
        },
    })
}

impl Named {
    /// Whether it is scored by rules of ours, from 0 to 1; ADK's configs are read as ADK reads them.
    pub(super) fn is_ours(self) -> bool {
        !matches!(
            self,
            Self::AdkTrajectory
                | Self::AdkResponse
                | Self::AdkJudged
                | Self::AdkUserJudged
                | Self::AdkService
                | Self::Informational(_)
                | Self::Custom
        )
    }

    /// The threshold of a criterion that names none; ADK wants one.
    pub(super) fn default_threshold(self) -> Option<f64> {
        match self {
            Self::AdkTrajectory | Self::AdkResponse => None,
            Self::AdkJudged | Self::AdkUserJudged | Self::AdkService => None,
            Self::Informational(_) | Self::Custom => None,
            Self::Trajectory { agentflow: false } | Self::State => Some(1.0),
            Self::Count | Self::Duration | Self::Tokens => Some(1.0),
            Self::Trajectory { agentflow: true } | Self::Response { .. } => {
                Some(AGENTFLOW.threshold)
            }
            Self::Rubric | Self::LlmJudge | Self::ToolNames | Self::Rouge => {
                Some(AGENTFLOW.threshold)
            }
            Self::Keywords | Self::Judged(_) | Self::Graph => Some(AGENTFLOW.threshold),
        }
    }

    /// Reads what the metric takes; `None` where it cannot be computed.
    pub(super) fn read(self, fields: &mut Fields<'_>, schemas: &dyn Schemas) -> Option<Metric> {
        // AgentFlow 0.10 writes every member of its model into every criterion.
        let is_written_by_agentflow = fields.has("api_style");
        if is_written_by_agentflow || self.is_of_agentflow() {
            for name in AGENTFLOW_MEMBERS {
                fields.take(name);
            }
        }
        match self {
            // Since 0.10 a judge compares the responses.
            Self::Response { agentflow: true } if is_written_by_agentflow => {
                judge(fields).map(Metric::Judged)
            }
            Self::AdkTrajectory | Self::AdkResponse => {
                fields.take("include_intermediate_responses_in_final");
                if self == Self::AdkResponse {
                    return Some(Metric::AdkResponse);
                }
                if fields.is_null("match_type") {
                    // As it is a fault for ADK.
                    fields.fault("match_type", "match_type must not be null; remove it for EXACT");
                    return None;
                }
                let match_type = match_type(fields)?;
                let ignore_args = fields.truth("ignore_args").unwrap_or(false);
                Some(Metric::AdkTrajectory { match_type, ignore_args })
            }
            Self::AdkJudged | Self::AdkUserJudged | Self::AdkService => {
                for name in [
                    "include_intermediate_responses_in_final",
                    "judge_model_options",
                    "rubrics",
                    "evaluate_intermediate_nl_responses",
                    "stop_signal",
                ] {
                    fields.take(name);
                }
                let remedy = match self {
                    Self::AdkJudged => NEEDS_JUDGE,
                    Self::AdkUserJudged => "only `rehearsal eval` computes it, with its judge",
                    _ => "only `adk eval` computes it, with Google's evaluation service",
                };
                Some(Metric::NotHere { remedy })
            }
            Self::Informational(_) => None,
            Self::Custom => {
                fields.take("include_intermediate_responses_in_final");
                Some(Metric::NotHere {
                    remedy: "it is a Python function, which only `adk eval` calls",
                })
            }
            Self::Trajectory { .. } => trajectory(fields, schemas),
            Self::Response { .. } => response(fields).map(Metric::Response),
            Self::State => state(fields),
            Self::Count => {
                let kind = fields.choice("event", &EventKind::NAMES, EventKind::parse);
                if kind.is_none() && fields.faults.is_empty() {
                    let names = EventKind::NAMES.join(", ");
                    fields.fault("event", format!("event is required; use one of {names}"));
                }
                let (name, author) = (fields.text("name"), fields.text("author"));
                if let Some(kind) = kind {
                    if name.is_some() && !kind.has_names() {
                        let message =
                            "name applies only to the events tool_call and model_call; remove it";
                        fields.fault("name", message);
                    }
                    if author.is_some() && !kind.has_authors() {
                        let message = "author applies only to the events tool_call and \
                                       intermediate_response; remove it";
                        fields.fault("author", message);
                    }
                }
                let (bounds, per) = bounds(fields)?;
                let countable = Countable { kind: kind?, name, author };
                Some(Metric::Count { countable, bounds, per })
            }
            Self::Duration => {
                let part = fields.choice("part", &DurationPart::NAMES, DurationPart::parse);
                let (bounds, per) = bounds(fields)?;
                Some(Metric::Duration { part: part.unwrap_or_default(), bounds, per })
            }
            Self::Tokens => {
                let part = fields.choice("part", &TokenPart::NAMES, TokenPart::parse);
                let (bounds, per) = bounds(fields)?;
                Some(Metric::Tokens { part: part.unwrap_or_default(), bounds, per })
            }
            Self::Rubric => rubrics(fields).map(Metric::Judged),
            Self::LlmJudge => judge(fields).map(Metric::Judged),
            Self::ToolNames => Some(Metric::Trajectory(Box::new(Matching {
                match_type: MatchType::AnyOrder,
                ignore_args: true,
                measure: Measure::Recall,
                ..Matching::default()
            }))),
            Self::Rouge => Some(Metric::Response(Comparison::Rouge1)),
            Self::Keywords => {
                let texts = fields.take("keywords").filter(|it| !it.is_empty());
                let Some(value) = texts else {
                    fields.fault("keywords", "keywords must have at least one string");
                    return None;
                };
                let texts = texts_of(fields, "keywords", value)?;
                Some(Metric::Response(Comparison::Contains { texts: Some(texts), normalize: true }))
            }
            Self::Judged(of) => question(fields, of).map(Metric::Judged),
            Self::Graph => {
                Some(Metric::NotHere { remedy: "only AgentFlow computes it, from its graph's run" })
            }
        }
    }

    /// Whether only AgentFlow has the name.
    fn is_of_agentflow(self) -> bool {
        matches!(
            self,
            Self::Trajectory { agentflow: true }
                | Self::Response { agentflow: true }
                | Self::ToolNames
                | Self::Rouge
                | Self::Keywords
                | Self::Judged(_)
                | Self::Graph
        )
    }
}

/// The members of every criterion of AgentFlow, beside those of all criteria.
const AGENTFLOW_MEMBERS: [&str; 7] =
    ["match_type", "judge_model", "num_samples", "rubrics", "keywords", "check_args", "api_style"];

/// A name, or ADK's number for it.
fn match_type(fields: &mut Fields<'_>) -> Option<MatchType> {
    let before = fields.faults.len();
    let number = fields.take("match_type").filter(|value| value.kind() == Kind::Number);
    let found = match number {
        Some(value) => {
            let found = value.text().parse().ok().and_then(MatchType::from_number);
            if found.is_none() {
                fields.fault("match_type", "match_type must be 0, 1 or 2 when it is a number");
            }
            found
        }
        None => fields.choice("match_type", &MatchType::NAMES, MatchType::parse),
    };
    if fields.faults.len() > before { None } else { Some(found.unwrap_or_default()) }
}

fn trajectory(fields: &mut Fields<'_>, schemas: &dyn Schemas) -> Option<Metric> {
    fields.take("judge_model");
    fields.take("rubrics");
    let match_type = match_type(fields);
    // AgentFlow's switch is the other way around, and its score the share of the expected calls.
    let check_args = if fields.has("check_args") { fields.truth("check_args") } else { None };
    let ignore_args = fields.truth("ignore_args").or(check_args.map(|check| !check));
    let ignore_args = ignore_args.unwrap_or(false);
    let place = fields.place("arguments");
    let rules = match fields.take("arguments") {
        Some(value) => fields.kept(ArgumentRules::read(value, &place, schemas)),
        None => Some(ArgumentRules::default()),
    };
    let measure = fields.choice("score", &Measure::NAMES, Measure::parse);
    let credit = fields.choice("credit", &Credit::NAMES, Credit::parse).unwrap_or_default();
    let (match_type, rules) = match_type.zip(rules)?;
    let measure = measure.unwrap_or(match check_args {
        Some(_) if match_type != MatchType::Exact => Measure::Recall,
        _ => Measure::All,
    });
    let matching =
        Matching { match_type, ignore_args, rules, measure, credit, ..Matching::default() };
    Some(Metric::Trajectory(Box::new(matching)))
}

const MATCHES: [&str; 8] =
    ["rouge1", "exact", "normalised", "contains", "regex", "json", "json_subset", "numbers"];

fn response(fields: &mut Fields<'_>) -> Option<Comparison> {
    let name = fields
        .choice("match", &MATCHES, |name| MATCHES.into_iter().find(|known| *known == name))
        .unwrap_or("rouge1");
    Some(match name {
        "exact" => Comparison::Exact { normalize: fields.truth("normalise").unwrap_or(false) },
        "normalised" => Comparison::Exact { normalize: true },
        "contains" => {
            let normalize = fields.truth("normalise").unwrap_or(false);
            let texts = match fields.take("texts") {
                Some(value) => Some(texts_of(fields, "texts", value)?),
                None => None,
            };
            Comparison::Contains { texts, normalize }
        }
        "regex" => {
            let place = fields.place("pattern");
            match fields.take("pattern") {
                Some(value) => Comparison::Regex(Some(fields.kept(pattern(value, &place))?)),
                None => Comparison::Regex(None),
            }
        }
        "json" => Comparison::Json { subset: false },
        "json_subset" => Comparison::Json { subset: true },
        "numbers" => {
            let place = fields.place("tolerance");
            let zero = json_text::JsonText::from_value(&0.into());
            let zero = json_text::JsonIndex::of(&zero);
            let tolerance = fields.take("tolerance").unwrap_or(zero.root());
            let read = distances(tolerance, &place);
            let (absolute, relative) = fields.kept(read)?;
            Comparison::Numbers { absolute, relative }
        }
        _ => Comparison::Rouge1,
    })
}

fn texts_of(
    fields: &mut Fields<'_>,
    name: &'static str,
    value: JsonValue<'_>,
) -> Option<Vec<String>> {
    let texts: Option<Vec<String>> = match value.string() {
        Some(text) => Some(vec![text.into_owned()]),
        None => value.items().map(|item| Some(item.string()?.into_owned())).collect(),
    };
    let texts = texts.filter(|texts| !texts.is_empty() && value.kind() != Kind::Object);
    if texts.is_none() {
        fields.fault(name, format!("{name} must be a string or an array of at least one string"));
    }
    texts
}

fn state(fields: &mut Fields<'_>) -> Option<Metric> {
    let names = ["all", "share"];
    let measure = fields.choice("score", &names, |name| match name {
        "all" => Some(StateMeasure::All),
        "share" => Some(StateMeasure::Share),
        _ => None,
    });
    let place = fields.place("query");
    let query = match fields.take("query") {
        Some(value) => {
            let query = Query::parse(&value.to_json()).map_err(|fault| crate::ConfigFault {
                place: format!("{place}{}", fault.place),
                ..fault
            });
            Some(fields.kept(query)?)
        }
        None => None,
    };
    Some(Metric::State { query, measure: measure.unwrap_or_default() })
}

fn bounds(fields: &mut Fields<'_>) -> Option<(Bounds, Per)> {
    let per = fields.choice("per", &["case", "invocation"], |name| match name {
        "case" => Some(Per::Case),
        "invocation" => Some(Per::Invocation),
        _ => None,
    });
    let mut bound = |name: &'static str| {
        let bound = fields.number(name);
        if bound.is_some_and(|bound| bound < 0.0) {
            fields.fault(name, format!("{name} must not be negative"));
        }
        bound
    };
    let exact = bound("equals");
    let bounds = Bounds { min: bound("min").or(exact), max: bound("max").or(exact) };
    let crossed = bounds.min.zip(bounds.max).is_some_and(|(min, max)| min > max);
    if crossed {
        fields.fault("min", "min is greater than max, so nothing can pass; correct one");
    } else if bounds == Bounds::default() && fields.faults.is_empty() {
        fields.fault("max", "a bound is required: min, max or equals");
    }
    (bounds != Bounds::default() && !crossed).then(|| (bounds, per.unwrap_or_default()))
}
