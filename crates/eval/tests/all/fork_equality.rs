//! Forks a run at each of its steps with the model that it had, and looks for what differs.

use std::collections::HashMap;

use eval::fork::{Given, StepKind, steps};
use eval::ledger::{Entry, Event, Origin};
use eval::{EvalCase, run_eval};

/// The first fork of a run of the case that gives another run, and how it differs; else how many steps there were.
pub(crate) async fn first_difference(case: &EvalCase) -> Result<usize, String> {
    let source = run_eval(case).await;
    let expected = comparable(&source.events);
    let steps = steps(&source.events);
    for step in 1..=steps.len() {
        let of = |what: String| format!("{}, step {step}: {what}", case.name);
        let given = match Given::before(&source.events, step, None) {
            // Their changes of the state are not recorded apart.
            Err(eval::fork::ForkError::WithinCalls { .. }) => continue,
            given => given.map_err(|error| of(error.to_string()))?,
        };
        let forked = run_eval(&case.clone().forked(given, None)).await;
        let actual = comparable(&forked.events);
        if forked.status != source.status || actual != expected {
            let at = expected.iter().zip(&actual).take_while(|(one, other)| one == other).count();
            let rest = |of: &[String]| of.iter().skip(at).take(4).cloned().collect::<Vec<_>>();
            return Err(of(format!(
                "{:?} {:?}\nthe run:  {:#?}\nthe fork: {:#?}",
                forked.status,
                forked.error,
                rest(&expected),
                rest(&actual)
            )));
        }
        let given = forked.events.iter().filter(|entry| is_given(&entry.event)).count();
        let before = &steps[..step - 1];
        let results = before.iter().filter(|step| matches!(step.kind, StepKind::Result { .. }));
        if given != results.count() {
            return Err(of(format!("{given} results are given")));
        }
    }
    Ok(steps.len())
}

fn is_given(event: &Event) -> bool {
    matches!(event, Event::ToolResult { from: Origin::Given, .. })
}

/// The events without times, ids, and who gave what.
fn comparable(events: &[Entry]) -> Vec<String> {
    let mut ids = HashMap::new();
    let mut comparable = Vec::new();
    for entry in events {
        // What a tool changes, a fork changes in its place, so that changes by different ones may be one.
        if matches!(entry.event, Event::StateChange { .. } | Event::UserAgentPrompt { .. }) {
            continue;
        }
        if let Event::ToolCall { call_id, .. } = &entry.event {
            let number = ids.len();
            ids.entry(call_id.clone()).or_insert_with(|| format!("call {number}"));
        }
        let mut event = serde_json::to_value(&entry.event).expect("serializes");
        let members = event.as_object_mut().expect("an object");
        members.remove("invocation_id");
        members.remove("from");
        let mut text = event.to_string();
        for (id, number) in &ids {
            text = text.replace(&format!("\"{id}\""), &format!("\"{number}\""));
        }
        comparable.push(text);
    }
    comparable
}
