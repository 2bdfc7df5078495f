//! Reads [`AdkJudge`]s from a `test_config.json`.

use evalset::Case;
use evalset::adk;
use json_text::{JsonIndex, JsonValue};
use scoring::config::Config;
use scoring::judge::Rubric;

use super::hallucinations::Hallucinations;
use super::simulated_user::SimulatedUserQuality;
use super::turns::TurnJudge;
use super::{AdkJudge, Judged, yes_or_no};
use crate::file::scenario::{member, persona};

/// google-adk's defaults.
const MODEL: &str = "gemini-2.5-flash";
const SAMPLES: usize = 5;

/// What `final_response_match_v2` asks.
const MATCH: &str = "The agent's final response is valid if it agrees with the expected one in all that the user \
    asked for. Other wording, order, format and details that contradict nothing do not matter. Other numbers, \
    units, names or entities do, and so does a part that is missing. Trust the expected response, and do not \
    calculate yourself.";

impl AdkJudge {
    /// The judge of a criterion; `None` for one that is not judged so. Without a case, the rubrics are those of the
    /// config.
    pub(crate) fn of(name: &str, config: &Config, case: Option<&Case>) -> Option<Self> {
        let document = JsonIndex::of(&config.source);
        let criterion = member(Some(document.root()), "criteria").and_then(|it| it.member(name));
        let options = member(criterion, "judge_model_options");
        let model = member(options, "judge_model").and_then(JsonValue::string);
        let samples = member(options, "num_samples").and_then(|count| count.text().parse().ok());
        let judged = match name {
            "final_response_match_v2" => Judged::Turns(TurnJudge {
                rubrics: vec![yes_or_no("the final response", MATCH)],
                by_turn: Vec::new(),
                sees_expected: true,
            }),
            "rubric_based_final_response_quality_v1" => {
                Judged::Turns(of_turns(criterion, case, "FINAL_RESPONSE_QUALITY"))
            }
            "rubric_based_tool_use_quality_v1" => {
                Judged::Turns(of_turns(criterion, case, "TOOL_USE_QUALITY"))
            }
            "rubric_based_multi_turn_trajectory_quality_v1" => {
                let TurnJudge { rubrics, by_turn, .. } =
                    of_turns(criterion, case, "TRAJECTORY_QUALITY");
                Judged::Conversation(
                    rubrics.into_iter().chain(by_turn.into_iter().flatten()).collect(),
                )
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

/// The rubrics of a criterion, and those of its kind that the case and its turns have.
fn of_turns(criterion: Option<JsonValue<'_>>, case: Option<&Case>, kind: &str) -> TurnJudge {
    let given = member(criterion, "rubrics").into_iter().flat_map(JsonValue::items);
    let given = given.filter_map(|rubric| {
        let text = member(member(Some(rubric), "rubric_content"), "text_property")?.string()?;
        let name = member(Some(rubric), "rubric_id").and_then(JsonValue::string);
        Some(yes_or_no(&name.unwrap_or_default(), &text))
    });
    let mut judge =
        TurnJudge { rubrics: given.collect(), by_turn: Vec::new(), sees_expected: false };
    if let Some(Case::Adk(case)) = case {
        judge.rubrics.extend(of_kind(case.rubrics.as_deref(), kind));
        let turns = case.turns().iter();
        judge.by_turn = turns.map(|turn| of_kind(turn.rubrics.as_deref(), kind)).collect();
    }
    judge
}

fn of_user(case: Option<&Case>) -> Judged {
    let scenario = match case {
        Some(Case::Adk(case)) => case.conversation_scenario.as_ref(),
        _ => None,
    };
    let Some(scenario) = scenario else {
        return Judged::Not("it judges the user of a scenario, and the case has none here");
    };
    Judged::User(SimulatedUserQuality {
        starting_prompt: scenario.starting_prompt.clone(),
        plan: scenario.conversation_plan.clone(),
        // A persona that is not known has been refused with the case.
        persona: persona(scenario.user_persona.as_ref()).ok().flatten().unwrap_or_default(),
    })
}

/// The rubrics of a case or a turn that are for this metric.
fn of_kind(rubrics: Option<&[adk::Rubric]>, kind: &str) -> Vec<Rubric> {
    let rubrics = rubrics.unwrap_or_default().iter();
    rubrics
        .filter(|rubric| rubric.rubric_type.as_deref() == Some(kind))
        .filter_map(|rubric| {
            let text = rubric.rubric_content.text_property.as_deref()?;
            Some(yes_or_no(&rubric.rubric_id, text))
        })
        .collect()
}
