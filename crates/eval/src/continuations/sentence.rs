//! [`sentence`]: what a fork says of its step.

use std::collections::BTreeMap;

use scoring::statistics::{CaseRuns, Effect, effect, rate_interval};

use super::{Continuations, effect_of};
use crate::fork::{Edit, Move};
use crate::request_changes::RequestChanges;

/// What is otherwise in a fork than in the run that it forks from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// What was the cause, if it was, such as `Step 4 was`.
    was: String,
    /// What it is, such as `call`.
    name: &'static str,
    /// Whether it is at the step, and nowhere else.
    is_at_step: bool,
}

/// What a move at the step and changes of requests are called; `None` without any.
#[must_use]
pub fn changed(step: usize, at: Option<&Move>, changes: &RequestChanges) -> Option<Changed> {
    match (at, changes.is_empty()) {
        (None, true) => None,
        (None, false) => {
            let name = changes.name();
            let verb = if name.ends_with('s') { "were" } else { "was" };
            Some(Changed { was: format!("The {name} {verb}"), name, is_at_step: false })
        }
        (Some(at), true) => {
            let was = format!("Step {step} was");
            Some(Changed { was, name: name(&at.edit), is_at_step: true })
        }
        (Some(_), false) => {
            let was = "The changes were".to_owned();
            Some(Changed { was, name: "changes", is_at_step: false })
        }
    }
}

/// Whether the change was the cause, in a sentence, and in further ones what was not counted. `without` are the
/// continuations without the change.
#[must_use]
pub fn sentence(
    step: usize,
    changed: Option<&Changed>,
    with: &Continuations,
    without: Option<&Continuations>,
) -> String {
    let waiting = waiting(with, without);
    let Some((changed, without)) = changed.zip(without) else {
        let uncounted = uncounted(&[("", with)], None);
        return match (with.counted().runs, waiting.trim_start()) {
            (0, waiting) if !waiting.is_empty() => format!("{waiting}{uncounted}"),
            _ => format!("{}{waiting}{uncounted}", of_one_side(step, with.counted())),
        };
    };
    let of = format!("your {}", changed.name);
    let sides = [(format!("with {of}"), with), ("without it".to_owned(), without)];
    let sides = [(sides[0].0.as_str(), sides[0].1), (sides[1].0.as_str(), sides[1].1)];
    let Some(found) = effect_of(with, without) else {
        if !waiting.is_empty() {
            return format!("{}{}", waiting.trim_start(), uncounted(&sides, None));
        }
        return format!(
            "Not shown: no continuation counts on one side.{}",
            uncounted(&sides, None)
        );
    };
    let (passed, plain) = (figures(found.with), figures(found.without));
    let said = match found {
        found if !found.is_shown() => {
            let more = found.needed.map_or_else(String::new, |needed| {
                format!("; to tell such a difference, about {needed} on each side would be needed")
            });
            format!("Not shown: with {of} {passed} pass, without it {plain}{more}.")
        }
        found if found.difference > 0.0 => format!(
            "{} the cause: with {of} {passed} pass, without it {plain} ({}).",
            changed.was,
            difference(&found)
        ),
        found => format!(
            "{}{} makes it worse: with it {passed} pass, without it {plain} ({}).",
            of.replacen('y', "Y", 1),
            if changed.is_at_step { format!(" at step {step}") } else { String::new() },
            difference(&found)
        ),
    };
    let failed = |side: &Continuations| {
        let CaseRuns { passed, runs } = side.counted();
        CaseRuns { passed, runs: runs + side.broken().count() }
    };
    let all_failed = effect(failed(with), failed(without));
    format!("{said}{waiting}{}", uncounted(&sides, all_failed))
}

/// A sentence about the continuations on which a person is to decide; empty if there are none.
fn waiting(with: &Continuations, without: Option<&Continuations>) -> String {
    let waiting = with.waiting() + without.map_or(0, Continuations::waiting);
    match waiting {
        0 => String::new(),
        1 => " 1 continuation waits for your verdict.".to_owned(),
        _ => format!(" {waiting} continuations wait for your verdict."),
    }
}

/// How a move is called: by what it is.
fn name(edit: &Edit) -> &'static str {
    match edit {
        Edit::Message(_) => "message",
        Edit::Answer(_) => "answer",
        Edit::Response(turn) if turn.calls.len() > 1 => "calls",
        Edit::Response(turn) if turn.calls.len() == 1 => "call",
        Edit::Response(_) => "response",
        Edit::Result(_) => "result",
        Edit::Error(_) => "error",
    }
}

fn of_one_side(step: usize, counted: CaseRuns) -> String {
    // Each continuation is a run of its own, and not a repeat of a case.
    let once = |at| CaseRuns { passed: usize::from(at < counted.passed), runs: 1 };
    match rate_interval((0..counted.runs).map(once)) {
        None => format!("From step {step} on, no continuation counts."),
        Some(interval) => format!(
            "From step {step} on, {} pass (95 % {:.2} to {:.2}).",
            figures(counted),
            interval.low,
            interval.high
        ),
    }
}

fn figures(CaseRuns { passed, runs }: CaseRuns) -> String {
    format!("{passed} of {runs}")
}

fn difference(found: &Effect) -> String {
    let [difference, low, high] =
        [found.difference, found.low, found.high].map(|it| format!("{it:.2}").replace('-', "−"));
    format!("difference {difference}, 95 % {low} to {high}")
}

/// A sentence about the continuations that count on neither side, with who was at fault and the effect if all of them
/// had failed.
fn uncounted(sides: &[(&str, &Continuations)], all_failed: Option<Effect>) -> String {
    let mut listed = Vec::new();
    let mut number = 0;
    for (side, continuations) in sides {
        let mut by = BTreeMap::<&str, usize>::new();
        for (_, result) in continuations.broken() {
            let by_whom = result.error.as_ref().map_or("not scored", |error| error.at_fault.name());
            *by.entry(by_whom).or_default() += 1;
        }
        number += by.values().sum::<usize>();
        let of_side = if side.is_empty() { String::new() } else { format!(" {side}") };
        listed.extend(by.iter().map(|(by, number)| format!("{number}{of_side} ({by})")));
    }
    if number == 0 {
        return String::new();
    }
    let (verb, them) = if number == 1 { ("is", "it") } else { ("are", "they") };
    let otherwise = all_failed.map_or_else(String::new, |found| {
        format!(
            ". Had {them} failed: {} and {} ({})",
            figures(found.with),
            figures(found.without),
            difference(&found)
        )
    });
    format!(" Not counted {verb} {}{otherwise}.", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;
    use json_text::JsonText;

    use super::*;
    use crate::given_model::ModelTurn;
    use crate::result::{ResultSummary, RunError, Status, TokenUsage};
    use crate::run_failure::RunFailure;

    fn result(passes: bool, error: Option<&RunFailure>) -> Option<ResultSummary> {
        Some(ResultSummary {
            model: None,
            tags: Vec::new(),
            status: if passes { Status::Passed } else { Status::Failed },
            metrics: IndexMap::new(),
            said: String::new(),
            duration_ms: 0,
            turns: 0,
            token_usage: TokenUsage::default(),
            cost: None,
            error: error.map(RunError::from),
            termination_reason: None,
        })
    }

    fn side(passed: usize, failed: usize) -> Continuations {
        let results = [vec![result(true, None); passed], vec![result(false, None); failed]];
        Continuations { results: results.concat() }
    }

    fn at_step(step: usize, edit: Edit) -> Option<Changed> {
        changed(step, Some(&Move::new(edit)), &RequestChanges::default())
    }

    fn call() -> Option<Changed> {
        let args = JsonText::from_value(&serde_json::json!({}));
        at_step(4, Edit::Response(ModelTurn::call("refund", args)))
    }

    #[test]
    fn a_cause_is_named_with_its_interval() {
        assert_eq!(
            sentence(4, call().as_ref(), &side(9, 1), Some(&side(1, 9))),
            "Step 4 was the cause: with your call 9 of 10 pass, without it 1 of 10 (difference 0.80, 95 % 0.37 to 0.92)."
        );
        assert_eq!(
            sentence(4, call().as_ref(), &side(1, 9), Some(&side(9, 1))),
            "Your call at step 4 makes it worse: with it 1 of 10 pass, without it 9 of 10 (difference −0.80, 95 % −0.92 to −0.37)."
        );
    }

    #[test]
    fn what_is_not_shown_says_what_would_show_it() {
        let result = at_step(2, Edit::Result(JsonText::null()));
        assert_eq!(
            sentence(2, result.as_ref(), &side(6, 4), Some(&side(5, 5))),
            "Not shown: with your result 6 of 10 pass, without it 5 of 10; to tell such a difference, about 380 on each side would be needed."
        );
        assert_eq!(
            sentence(2, result.as_ref(), &side(5, 5), Some(&side(5, 5))),
            "Not shown: with your result 5 of 10 pass, without it 5 of 10."
        );
    }

    #[test]
    fn changed_requests_are_the_cause_by_their_name() {
        let instruction: RequestChanges =
            serde_json::from_str(r#"{"instructions": {"desk": "Refund at once."}}"#).expect("JSON");
        let changed = changed(4, None, &instruction);
        assert_eq!(
            sentence(4, changed.as_ref(), &side(9, 1), Some(&side(1, 9))),
            "The instruction was the cause: with your instruction 9 of 10 pass, without it 1 of 10 (difference 0.80, 95 % 0.37 to 0.92)."
        );
        let sentence = sentence(4, changed.as_ref(), &side(1, 9), Some(&side(9, 1)));
        assert!(sentence.starts_with("Your instruction makes it worse: with it"), "{sentence}");
    }

    #[test]
    fn one_side_has_its_rate() {
        assert_eq!(
            sentence(3, None, &side(3, 2), None),
            "From step 3 on, 3 of 5 pass (95 % 0.21 to 0.91)."
        );
        assert_eq!(sentence(3, None, &side(0, 0), None), "From step 3 on, no continuation counts.");
    }

    #[test]
    fn what_is_not_counted_is_named_and_would_have_failed() {
        let broken =
            RunFailure::Mock { tool: "read".to_owned(), message: "it is empty".to_owned() };
        let own =
            RunFailure::Subject { message: "it crashed".to_owned(), traceback: String::new() };
        let mut with = side(9, 0);
        with.results.extend([result(false, Some(&broken)), result(false, Some(&own)), None]);
        assert_eq!(
            sentence(4, call().as_ref(), &with, Some(&side(0, 10))),
            "Step 4 was the cause: with your call 9 of 10 pass, without it 0 of 10 (difference 0.90, 95 % 0.49 to 0.98). \
             Not counted is 1 with your call (mock). Had it failed: 9 of 11 and 0 of 10 (difference 0.82, 95 % 0.41 to 0.95)."
        );
    }
}
