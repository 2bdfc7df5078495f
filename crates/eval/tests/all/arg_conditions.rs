//! Conditions on the arguments of calls, in rows of mocks and in faults.

use std::path::Path;

use eval::file::{ReadOptions, read, read_text};
use eval::model::Models;
use eval::{Status, run_eval};

/// A case in which the model reserves three seats, with these members.
fn suite(members: &str) -> String {
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/cinema");
    format!(
        "subject: {{ adk: {} }}\n\
         cases:\n\
         - name: a\n\
         \x20 first_message: Hi\n\
         \x20 model: {{ scripted: [{{ calls: [{{ tool: reserve, args: {{ row: A, seats: 3, snack: {{ kind: nuts }} }} }}] }}, Done] }}\n\
         \x20 {members}\n",
        agent.display()
    )
}

/// What the model gets for its call.
async fn answer(members: &str) -> Option<String> {
    let options = ReadOptions { python: Some(test_needs::python()?), ..ReadOptions::default() };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.eval.yaml");
    std::fs::write(&path, suite(members)).expect("written");
    let cases = read(&path, &options).unwrap_or_else(|error| panic!("{members}: {error}"));
    let result = run_eval(&cases[0]).await;
    assert_eq!(result.status, Status::Passed, "{members}: {:?}", result.error);
    let event = result.events.iter().find(|entry| entry.event.name() == "tool_result");
    let event = serde_json::to_value(&event.expect("a result").event).expect("serializes");
    Some(event["result"]["was"].as_str().unwrap_or_default().to_owned())
}

fn faults(members: &str) -> Vec<String> {
    let read = read_text(
        &suite(members),
        Path::new("."),
        &ReadOptions::default(),
        &Models::of_environment(),
    );
    let faults = read.err().unwrap_or_default();
    faults.iter().map(ToString::to_string).collect()
}

fn row(args: &str) -> String {
    format!(
        "tools: {{ reserve: {{ table: {{ rows: [{{ args: {args}, mock: {{ returns: {{ was: met }} }} }}], otherwise: {{ returns: {{ was: missed }} }} }} }} }}"
    )
}

fn fault(args: &str) -> String {
    format!(
        "tools: {{ reserve: {{ returns: {{ was: missed }} }} }}\n  faults: [{{ tool: reserve, args: {args}, returns: {{ was: met }} }}]"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_are_chosen_by_values_paths_and_operators() {
    for (args, wanted) in [
        ("{ seats: 3.0 }", "met"),
        ("{ seats: { $gte: 3, $lt: 4 }, row: A }", "met"),
        ("{ seats: { $gt: 3 } }", "missed"),
        ("{ snack.kind: nuts }", "met"),
        ("{ snack.kind: { $in: [nuts, corn] } }", "met"),
        ("{ snack: { kind: nuts } }", "met"),
        ("{ $or: [{ row: B }, { seats: 3 }] }", "met"),
        ("{ row: { $exists: false } }", "missed"),
    ] {
        for members in [row(args), fault(args)] {
            let Some(was) = answer(&members).await else { return };
            assert_eq!(was, wanted, "{members}");
        }
    }
}

#[test]
fn an_operator_that_would_have_no_effect_is_refused() {
    for args in ["{ snack: { kind: { $in: [nuts] } } }", "{ snack: { kind: { $inn: [nuts] } } }"] {
        for (members, place) in [
            (row(args), "cases[0].tools.reserve.table.rows[0].args: /snack/kind/$in"),
            (fault(args), "cases[0].faults[0].args: /snack/kind/$in"),
        ] {
            let faults = faults(&members).join("\n");
            assert!(faults.contains(place), "{faults}");
            assert!(
                faults.contains("write the path to its value, which ends in .kind"),
                "{faults}"
            );
        }
    }
    let mistyped = faults(&row("{ seats: { $gret: 2 } }")).join("\n");
    assert!(mistyped.contains("unknown operator $gret; did you mean"), "{mistyped}");
    let matchers = "{ snack: { subset: { kind: { $in: [nuts] } } } }";
    let matched = faults(&row(&format!("{{}}, matchers: {matchers}"))).join("\n");
    assert!(matched.contains("$in is an operator of queries"), "{matched}");
}
