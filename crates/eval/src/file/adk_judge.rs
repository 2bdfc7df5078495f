//! google-adk's metrics that a model judges turn by turn, as a `test_config.json` names them.
//!
//! The prompts are those of `scoring`, not google-adk's, so scores agree as far as judges do.

use evalset::Case;
use evalset::adk;
use json_text::{JsonIndex, JsonValue};
use scoring::config::Config;
use scoring::judge::{Rubric, Scale};

use super::scenario::member;
use crate::criterion::TurnJudge;

/// google-adk's defaults.
const MODEL: &str = "gemini-2.5-flash";
const SAMPLES: usize = 5;

/// What `final_response_match_v2` asks.
const MATCH: &str = "The agent's final response is valid if it agrees with the expected one in all that the user \
    asked for. Other wording, order, format and details that contradict nothing do not matter. Other numbers, \
    units, names or entities do, and so does a part that is missing. Trust the expected response, and do not \
    calculate yourself.";

/// The judge of a criterion; `None` for one that is not judged so.
pub(super) fn of(name: &str, config: &Config, case: Option<&Case>) -> Option<TurnJudge> {
    let kind = match name {
        "final_response_match_v2" => None,
        "rubric_based_final_response_quality_v1" => Some("FINAL_RESPONSE_QUALITY"),
        "rubric_based_tool_use_quality_v1" => Some("TOOL_USE_QUALITY"),
        _ => return None,
    };
    let document = JsonIndex::of(&config.source);
    let criterion = member(Some(document.root()), "criteria").and_then(|it| it.member(name));
    let options = member(criterion, "judge_model_options");
    let model = member(options, "judge_model").and_then(JsonValue::string);
    let samples = member(options, "num_samples").and_then(|count| count.text().parse().ok());
    let mut judge = TurnJudge {
        model: model.map_or_else(|| MODEL.to_owned(), Into::into),
        samples: samples.unwrap_or(SAMPLES),
        rubrics: Vec::new(),
        by_turn: Vec::new(),
        sees_expected: kind.is_none(),
    };
    let Some(kind) = kind else {
        judge.rubrics = vec![yes_or_no("the final response", MATCH)];
        return Some(judge);
    };
    let given = member(criterion, "rubrics").into_iter().flat_map(JsonValue::items);
    judge.rubrics = given
        .filter_map(|rubric| {
            let text = member(member(Some(rubric), "rubric_content"), "text_property")?.string()?;
            let name = member(Some(rubric), "rubric_id").and_then(JsonValue::string);
            Some(yes_or_no(&name.unwrap_or_default(), &text))
        })
        .collect();
    if let Some(Case::Adk(case)) = case {
        judge.rubrics.extend(of_kind(case.rubrics.as_deref(), kind));
        let turns = case.turns().iter();
        judge.by_turn = turns.map(|turn| of_kind(turn.rubrics.as_deref(), kind)).collect();
    }
    Some(judge)
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

fn yes_or_no(name: &str, description: &str) -> Rubric {
    Rubric {
        name: name.to_owned(),
        description: description.to_owned(),
        guide: String::new(),
        scale: Scale::YesNo,
        weight: 1.0,
    }
}
