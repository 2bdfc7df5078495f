//! Reads [`AdkJudge`]s from a `test_config.json`.

use std::collections::HashSet;

use case_trace::CaseRubrics;
use evalset::Case;
use evalset::adk;
use json_text::{JsonIndex, JsonValue};
use scoring::config::Config;
use scoring::judge::Rubric;

use super::hallucinations::Hallucinations;
use super::simulated_user::SimulatedUserQuality;
use super::turns::TurnJudge;
use super::{AdkJudge, Judged, yes_or_no};
use crate::adk_member::member;
use crate::adk_persona::persona;

/// google-adk's defaults.
const MODEL: &str = "gemini-2.5-flash";
const SAMPLES: usize = 5;

/// What `final_response_match_v2` asks.
const MATCH: &str = "The agent's final response is valid if it agrees with the expected one in all that the user \
    asked for. Other wording, order, format and details that contradict nothing do not matter. Other numbers, \
    units, names or entities do, and so does a part that is missing. Trust the expected response, and do not \
    calculate yourself.";

impl AdkJudge {
    /// The judge of a criterion; `None` for one that is not judged so. `case` is for users of scenarios.
    pub(crate) fn of(
        name: &str,
        config: &Config,
        rubrics: &CaseRubrics,
        case: Option<&Case>,
    ) -> Option<Self> {
        let document = JsonIndex::of(&config.source);
        let criterion = member(Some(document.root()), "criteria").and_then(|it| it.member(name));
        let options = member(criterion, "judge_model_options");
        let model = member(options, "judge_model").and_then(JsonValue::string);
        let samples = member(options, "num_samples").and_then(|count| count.text().parse().ok());
        let rubrics = |kind, judged: fn(TurnJudge) -> Judged| {
            let of_turns = of_turns(criterion, rubrics, kind);
            of_turns.map_or_else(|error| Judged::Not(error.to_string()), judged)
        };
        let judged = match name {
            "final_response_match_v2" => Judged::Turns(TurnJudge {
                rubrics: vec![yes_or_no("the final response", MATCH)],
                by_turn: Vec::new(),
                sees_expected: true,
            }),
            "rubric_based_final_response_quality_v1" => {
                rubrics("FINAL_RESPONSE_QUALITY", Judged::Turns)
            }
            "rubric_based_tool_use_quality_v1" => rubrics("TOOL_USE_QUALITY", Judged::Turns),
            "rubric_based_multi_turn_trajectory_quality_v1" => {
                rubrics("TRAJECTORY_QUALITY", Judged::Conversation)
            }
            "hallucinations_v1" => {
                let given = member(criterion, "evaluate_intermediate_nl_responses");
                let includes_intermediate = given.is_some_and(|it| it.text() == "true");
                Judged::Sentences(Hallucinations { includes_intermediate })
            }
            "per_turn_user_simulator_quality_v1" => of_user(case),
            _ => return None,
        };
        Some(Self {
            model: model.map_or_else(|| MODEL.to_owned(), Into::into),
            samples: samples.unwrap_or(SAMPLES),
            judged,
        })
    }
}

/// An id of rubrics occurs twice, which google-adk refuses.
#[derive(Debug, thiserror::Error)]
#[error("two rubrics that apply to the same turn have the id {id}; give each an id of its own")]
struct DuplicateRubric {
    id: String,
}

/// The rubrics of a criterion, and those of its kind that the case and its turns have.
///
/// # Errors
/// [`DuplicateRubric`].
fn of_turns(
    criterion: Option<JsonValue<'_>>,
    rubrics: &CaseRubrics,
    kind: &str,
) -> Result<TurnJudge, DuplicateRubric> {
    let given = member(criterion, "rubrics").into_iter().flat_map(JsonValue::items);
    let given = given.filter_map(|rubric| {
        let text = member(member(Some(rubric), "rubric_content"), "text_property")?.string()?;
        let name = member(Some(rubric), "rubric_id").and_then(JsonValue::string);
        Some(yes_or_no(&name.unwrap_or_default(), &text))
    });
    let given: Vec<Rubric> = given.collect();
    // Within the case, google-adk compares the ids of all types.
    let of_case = || ids(&rubrics.of_case);
    distinct(of_case())?;
    for turn in &rubrics.of_turns {
        distinct(of_case().chain(ids(turn)))?;
    }
    let judge = TurnJudge {
        rubrics: given.into_iter().chain(of_kind(&rubrics.of_case, kind)).collect(),
        by_turn: rubrics.of_turns.iter().map(|turn| of_kind(turn, kind)).collect(),
        sees_expected: false,
    };
    distinct(judge.rubrics.iter().map(|rubric| rubric.name.as_str()))?;
    for at in 0..judge.by_turn.len() {
        distinct(judge.rubrics_at(at).iter().map(|rubric| rubric.name.as_str()))?;
    }
    Ok(judge)
}

fn ids(rubrics: &[adk::Rubric]) -> impl Iterator<Item = &str> {
    rubrics.iter().map(|rubric| rubric.rubric_id.as_str())
}

fn distinct<'r>(ids: impl Iterator<Item = &'r str>) -> Result<(), DuplicateRubric> {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(DuplicateRubric { id: id.to_owned() });
        }
    }
    Ok(())
}

fn of_user(case: Option<&Case>) -> Judged {
    let scenario = match case {
        Some(Case::Adk(case)) => case.conversation_scenario.as_ref(),
        _ => None,
    };
    let Some(scenario) = scenario else {
        let reason = "it judges the user of a scenario, and the case has none here";
        return Judged::Not(reason.to_owned());
    };
    Judged::User(SimulatedUserQuality {
        starting_prompt: scenario.starting_prompt.clone(),
        plan: scenario.conversation_plan.clone(),
        // A persona that is not known has been refused with the case.
        persona: persona(scenario.user_persona.as_ref()).ok().flatten().unwrap_or_default(),
    })
}

/// The rubrics of a case or a turn that are for this metric.
fn of_kind(rubrics: &[adk::Rubric], kind: &str) -> Vec<Rubric> {
    rubrics
        .iter()
        .filter(|rubric| rubric.rubric_type.as_deref() == Some(kind))
        .filter_map(|rubric| {
            let text = rubric.rubric_content.text_property.as_deref()?;
            Some(yes_or_no(&rubric.rubric_id, text))
        })
        .collect()
}
