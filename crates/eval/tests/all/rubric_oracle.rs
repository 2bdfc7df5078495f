//! google-adk's own code as the oracle: which rubrics it applies to a turn, and what it refuses.

use std::process::Command;

/// Prints, line by line, what google-adk does; an exception as its message.
const PROGRAM: &str = r#"
import warnings

warnings.simplefilter("ignore")

from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, RubricsBasedCriterion
from google.adk.evaluation.eval_rubrics import Rubric, RubricContent
from google.adk.evaluation import local_eval_service as service
from google.adk.evaluation.rubric_based_final_response_quality_v1 import (
    RubricBasedFinalResponseQualityV1Evaluator,
)
from google.genai import types


def rubric(name, kind):
    content = RubricContent(text_property="It is brief.")
    return Rubric(rubric_id=name, type=kind, rubric_content=content)


def turn(*rubrics):
    return Invocation(user_content=types.Content(), rubrics=list(rubrics))


def applied(given, of_case, of_turn):
    try:
        actual = turn()
        case = EvalCase(eval_id="a", conversation=[turn(*of_turn)], rubrics=list(of_case))
        service._copy_eval_case_rubrics_to_actual_invocations(case, [actual])
        service._copy_invocation_rubrics_to_actual_invocations(case.conversation, [actual])
        criterion = RubricsBasedCriterion(threshold=1, rubrics=list(given))
        metric = EvalMetric(metric_name="m", threshold=1, criterion=criterion)
        evaluator = RubricBasedFinalResponseQualityV1Evaluator(metric)
        evaluator.create_effective_rubrics_list(actual.rubrics)
        return " ".join(rubric.rubric_id for rubric in evaluator.get_effective_rubrics_list())
    except ValueError as error:
        return str(error)


quality, tools = "FINAL_RESPONSE_QUALITY", "TOOL_USE_QUALITY"
print(applied([rubric("a", None)], [rubric("b", quality), rubric("c", tools)], [rubric("d", quality)]))
print(applied([], [rubric("c", tools)], [rubric("d", None)]))
print(applied([], [rubric("c", tools)], [rubric("c", quality)]))
print(applied([rubric("c", None)], [rubric("c", tools)], [rubric("d", quality)]))
print(applied([rubric("d", None)], [], [rubric("d", quality)]))
"#;

#[test]
fn googles_evaluator_takes_the_rubrics_that_we_take() {
    let Some(python) = test_needs::python() else { return };
    let output = Command::new(python).args(["-c", PROGRAM]).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let expected = [
        "a b d",                                     // the criterion's, the case's, the turn's
        "Rubrics are required.",                     // none of the metric's type
        "Rubric with rubric_id 'c' already exists.", // in the case and the turn, of any type
        "c d",                                       // another type in the case
        "Rubric with rubric_id 'd' already exists. Rubric defined in invocation conflicts with an \
         existing rubric.",
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}
