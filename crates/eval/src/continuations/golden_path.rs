//! [`GoldenPath`]: the metric of a continuation that must go on as a recorded case did.

use std::sync::Arc;

use async_trait::async_trait;
use scoring::adk::{MatchType, calls_match};
use scoring::config::{Criterion, Metric as Computed, Tools};
use scoring::report::why;
use scoring::{Invocation, Outcome, ToolCall, Trace};

use crate::fork::{StepKind, steps};
use crate::golden::remove_requests;
use crate::ledger::Entry;
use crate::metric::{Metric, MetricResult};
use crate::trace::trace;

/// The name of the metric.
pub const GOLDEN_PATH: &str = "golden_path";

/// From a step on, the calls are those of the golden path: the same tools with the same arguments in the same order and no
/// others, as google-adk's `tool_trajectory_avg_score` has it. What was called before the step was given, and does not count.
pub(super) struct GoldenPath {
    golden: Arc<Trace>,
    /// The step, from 1.
    step: usize,
    /// The turn of the step, from 0.
    turn: usize,
    /// The calls before the step in this turn.
    before: Vec<ToolCall>,
}

impl GoldenPath {
    /// For continuations from a step of a run with these events.
    pub(super) fn from_step(golden: Arc<Trace>, events: &[Entry], step: usize) -> Self {
        let forked = step.checked_sub(1).and_then(|at| steps(events).into_iter().nth(at));
        let place = forked.as_ref().map_or(events.len(), |forked| forked.at);
        let mut turns = calls(events.get(..place).unwrap_or(events)).invocations;
        if matches!(forked.map(|forked| forked.kind), Some(StepKind::Message { .. })) {
            turns.push(Invocation::default());
        }
        let before = turns.pop().map(|turn| turn.tool_calls).unwrap_or_default();
        Self { golden, step, turn: turns.len(), before }
    }

    /// What the golden path calls from the step on. Before the step, the run may have left it: what it has not done of it in
    /// this turn is still to be done.
    fn expected(&self, turns: usize) -> Trace {
        let turns = turns.max(self.golden.invocations.len());
        let turn = |at: usize| {
            let golden = self.golden.invocations.get(at).map(|turn| &turn.tool_calls[..]);
            let golden = golden.unwrap_or_default();
            of_calls(match at.cmp(&self.turn) {
                std::cmp::Ordering::Less => &[],
                std::cmp::Ordering::Equal => not_done(golden, &self.before),
                std::cmp::Ordering::Greater => golden,
            })
        };
        Trace { invocations: (0..turns).map(turn).collect(), final_state: None }
    }

    /// What a continuation calls from the step on.
    fn actual(&self, events: &[Entry]) -> Trace {
        let mut actual = calls(events);
        for (at, turn) in actual.invocations.iter_mut().enumerate().take(self.turn + 1) {
            let given = if at < self.turn { turn.tool_calls.len() } else { self.before.len() };
            turn.tool_calls.drain(..given.min(turn.tool_calls.len()));
        }
        actual
    }
}

/// The calls of the agent, turn by turn.
fn calls(events: &[Entry]) -> Trace {
    let mut calls = trace(events);
    remove_requests(&mut calls);
    calls
}

fn of_calls(calls: &[ToolCall]) -> Invocation {
    Invocation { tool_calls: calls.to_vec(), ..Invocation::default() }
}

/// The rest of `golden` once these calls were made, those of `golden` in order and others between them.
fn not_done<'g>(golden: &'g [ToolCall], made: &[ToolCall]) -> &'g [ToolCall] {
    made.iter().fold(golden, |rest, made| match rest.split_first() {
        Some((next, rest)) if is_same(next, made) => rest,
        _ => rest,
    })
}

fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    let alone = std::slice::from_ref;
    calls_match(alone(one), alone(other), MatchType::Exact, false)
}

#[async_trait]
impl Metric for GoldenPath {
    fn name(&self) -> &str {
        GOLDEN_PATH
    }

    async fn evaluate(&self, events: &[Entry]) -> MetricResult {
        let mut actual = self.actual(events);
        let expected = self.expected(actual.invocations.len());
        // A turn that there was not has no calls.
        actual.invocations.resize_with(expected.invocations.len(), Invocation::default);
        let criterion = Criterion {
            name: GOLDEN_PATH.to_owned(),
            threshold: 1.0,
            metric: Computed::AdkTrajectory { match_type: MatchType::Exact, ignore_args: false },
        };
        let outcome = criterion.score(&expected, &actual, &mut Tools::default());
        let Outcome::Scored { score, .. } = &outcome else {
            return MetricResult::unscored("the golden path has no turns");
        };
        let passed = score.get() >= criterion.threshold;
        let step = self.step;
        let evidence = match why(&criterion, &outcome) {
            None => format!("the calls from step {step} on are those of the golden path"),
            Some(why) => format!("from step {step} on, not as the golden path: {why}"),
        };
        MetricResult {
            passed: Some(passed),
            score: Some(f64::from(u8::from(passed))),
            value: None,
            evidence: vec![evidence],
        }
    }
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;
    use serde_json::json;

    use super::*;
    use crate::ledger::Event;

    fn call(tool: &str, order: u32) -> ToolCall {
        ToolCall {
            name: Some(tool.to_owned()),
            args: Some(JsonText::from_value(&json!({ "order": order }))),
            ..ToolCall::default()
        }
    }

    fn golden(turns: &[&[ToolCall]]) -> Arc<Trace> {
        let invocations = turns.iter().map(|calls| of_calls(calls)).collect();
        Arc::new(Trace { invocations, final_state: None })
    }

    /// A run: for each turn a message, then these calls, each in a response of its own and with a result, then a text.
    fn run(turns: &[&[ToolCall]]) -> Vec<Entry> {
        let mut events = Vec::new();
        let agent = || "desk".to_owned();
        for (turn, calls) in turns.iter().enumerate() {
            events.push(Event::UserMessage { text: "Hi".to_owned(), parts: None });
            for (at, call) in calls.iter().enumerate() {
                let (call_id, name) = (format!("{turn}-{at}"), call.name.clone().expect("a name"));
                let args = call.args.clone().expect("arguments");
                let (id, tool) = (call_id.clone(), name.clone());
                events.push(Event::ModelRequest { agent: agent() });
                events.push(Event::ToolCall {
                    call_id,
                    name,
                    args,
                    agent: agent(),
                    is_inner: false,
                });
                events.push(Event::ToolResult {
                    call_id: id,
                    name: tool,
                    result: JsonText::null(),
                    from: crate::ledger::Origin::Mock,
                });
            }
            events.push(Event::ModelRequest { agent: agent() });
            events.push(Event::Message {
                agent: agent(),
                text: "Done".to_owned(),
                is_intermediate: false,
                is_inner: false,
            });
        }
        events.into_iter().map(|event| Entry { at_ms: 0, event }).collect()
    }

    async fn result(
        golden: &Arc<Trace>,
        source: &[&[ToolCall]],
        step: usize,
        continuation: &[&[ToolCall]],
    ) -> (Option<bool>, String) {
        let metric = GoldenPath::from_step(Arc::clone(golden), &run(source), step);
        let mut result = metric.evaluate(&run(continuation)).await;
        (result.passed, result.evidence.remove(0))
    }

    #[tokio::test]
    async fn what_was_called_before_the_step_does_not_count() {
        let (find, refund) = (|| call("find", 7), || call("refund", 7));
        let golden = golden(&[&[find(), refund()]]);
        // The run looked for something else first.
        let source: &[&[ToolCall]] = &[&[call("find", 9), find(), call("refund", 9)]];
        let goes_on = async |step: usize, rest: &[ToolCall]| {
            let given = (step / 2 - 1).min(3);
            let calls: Vec<ToolCall> = source[0][..given].iter().chain(rest).cloned().collect();
            result(&golden, source, step, &[&calls]).await
        };
        // Step 6 is the third call.
        let (passed, said) = goes_on(6, &[refund()]).await;
        assert_eq!(passed, Some(true));
        assert_eq!(said, "the calls from step 6 on are those of the golden path");
        for (rest, reason) in [
            (vec![call("refund", 9)], "9"),
            (vec![], "refund"),
            (vec![refund(), refund()], "refund"),
            (vec![find(), refund()], "find"),
        ] {
            let (passed, said) = goes_on(6, &rest).await;
            assert_eq!(passed, Some(false), "{rest:?}");
            assert!(said.starts_with("from step 6 on, not as the golden path: "), "{said}");
            assert!(said.contains(reason), "{said}");
        }
        // From the second call on, the order is still to be found.
        assert_eq!(goes_on(4, &[find(), refund()]).await.0, Some(true));
        assert_eq!(goes_on(4, &[refund()]).await.0, Some(false));
    }

    #[tokio::test]
    async fn earlier_turns_do_not_count_and_later_ones_do() {
        let golden = golden(&[&[call("find", 7)], &[call("refund", 7)], &[]]);
        let source: &[&[ToolCall]] = &[&[call("find", 9)], &[call("refund", 9)], &[]];
        // Step 5 is the second message.
        let of = async |rest: &[ToolCall], last: &[ToolCall]| {
            result(&golden, source, 5, &[&[call("find", 9)], rest, last]).await
        };
        assert_eq!(of(&[call("refund", 7)], &[]).await.0, Some(true));
        let (passed, said) = of(&[call("refund", 7)], &[call("close", 7)]).await;
        assert_eq!(passed, Some(false));
        assert!(said.contains("turn 3"), "{said}");
        // The user left before the last turn, in which nothing is called.
        let ended = [&[call("find", 9)][..], &[call("refund", 7)]];
        assert_eq!(result(&golden, source, 5, &ended).await.0, Some(true));
        assert_eq!(result(&golden, source, 5, &ended[..1]).await.0, Some(false));
    }
}
