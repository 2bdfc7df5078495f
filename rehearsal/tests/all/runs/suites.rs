//! Suites and eval sets that the page finds and runs.

use api::{RunDetail, SuiteSummary};

use super::*;

/// Two cases of the triage agent, of which one ends differently than wanted.
const SUITE: &str = r#"
  - name: greeting
    first_message: Hi
    repeats: 2
    model: { scripted: [Hello] }
    metrics:
      - event_count: { name: calls nothing, event: tool_call, is: 0 }
  - name: chest pain
    first_message: My chest hurts
    model: { scripted: [Rest a little] }
    metrics:
      - event_count: { name: escalates, event: tool_call, is: 1 }
"#;

/// A folder with suites that never ran, and a host of it with the triage agent.
fn unrun(python: &Path) -> (TempDir, StoredRuns) {
    let folder = suite(SUITE);
    std::fs::rename(folder.path().join("suite.yaml"), folder.path().join("triage.eval.yaml"))
        .unwrap();
    std::fs::write(folder.path().join("broken.eval.yaml"), "cases:\n  - nam: greeting\n").unwrap();
    std::fs::write(folder.path().join("secret.yaml"), "cases: []\n").unwrap();
    let store = folder.path().join("eval.sqlite");
    let runs = StoredRuns::new(store, folder.path().to_owned(), Some(python.to_owned()));
    let runs = runs.agents(vec![triage(folder.path())]);
    (folder, runs)
}

fn of_suite(name: &str) -> RunRequest {
    let of = RunOf::Suite(name.to_owned());
    RunRequest { of, cases: RunCases::All, repeats: None, model: None }
}

/// The run once it has ended.
async fn ended(runs: &StoredRuns, run: i64, results: usize) -> RunDetail {
    loop {
        let detail = runs.read_run(run).await.unwrap();
        if !detail.summary.is_running && detail.cases.len() == results {
            return detail;
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn suites_that_never_ran_are_listed_and_run() {
    let Some(python) = test_needs::python() else { return };
    let (folder, runs) = unrun(&python);
    let list = runs.list_suites().await.unwrap();
    assert_eq!(list.notes, Vec::<String>::new());
    let [broken, triage] = &*list.suites else { panic!("two suites: {list:?}") };
    assert_eq!(broken.name, "broken.eval.yaml");
    let reason = broken.cases.as_ref().unwrap_err();
    assert!(reason.contains("nam") && reason.contains("line 2"), "its place: {reason}");
    let read =
        SuiteSummary { name: "triage.eval.yaml".to_owned(), is_eval_set: false, cases: Ok(2) };
    assert_eq!(*triage, read);
    assert_eq!(runs.list_runs().await.unwrap().runs, []);

    let plan = runs.plan_run(of_suite("triage.eval.yaml")).await.unwrap();
    assert_eq!((plan.cases, plan.results, plan.earlier), (2, 3, None));
    assert!(!folder.path().join("eval.sqlite").exists(), "a plan stores nothing");

    let run = runs.start_run(of_suite("triage.eval.yaml")).await.unwrap();
    let detail = ended(&runs, run, 3).await;
    assert_eq!(detail.summary.suites, ["triage.eval.yaml"]);
    assert!(detail.cases.iter().all(|case| case.id.suite == "triage.eval.yaml"), "{detail:?}");
    assert_eq!((detail.summary.counts.passed, detail.summary.counts.failed), (2, 1));
    let plan = runs.plan_run(of_suite("triage.eval.yaml")).await.unwrap();
    assert_eq!(plan.earlier.map(|earlier| earlier.run), Some(run));

    // What is kept is an eval set of the agent, which runs with its recorded responses.
    let greeting = detail.cases.iter().find(|case| case.id.case == "greeting").unwrap();
    runs.keep_result(greeting.id.clone()).await.unwrap();
    let list = runs.list_suites().await.unwrap();
    let set = list.suites.iter().find(|suite| suite.is_eval_set).unwrap();
    assert_eq!((&*set.name, &set.cases), ("triage_evals.evalset.json", &Ok(1)));
    let replay = RunRequest { model: Some("replay".to_owned()), ..of_suite(&set.name) };
    let plan = runs.plan_run(replay.clone()).await.unwrap();
    assert_eq!((plan.cases, plan.asks_own_models, plan.models.len()), (1, false, 0));
    let own = runs.plan_run(of_suite(&set.name)).await.unwrap();
    assert!(own.asks_own_models, "without a choice, the agent's own models respond");
    let run = runs.start_run(replay).await.unwrap();
    let detail = ended(&runs, run, 1).await;
    assert_eq!(detail.summary.counts.passed, 1, "{detail:?}");
    // It runs again from its run too, though it is not beside its agent.
    let again = RunRequest { of: RunOf::Run(run), ..of_suite("") };
    assert_eq!(runs.plan_run(again).await.unwrap().cases, 1);
    // So its results are forked and kept.
    let of = detail.cases[0].id.clone();
    let request = ForkRequest {
        of: of.clone(),
        step: 2,
        edit: Some(JsonText::parse(r#"{"response": "Hello"}"#).unwrap()),
        changes: None,
        then: Some("person".to_owned()),
        times: 1,
        tools: Vec::new(),
        by_person: false,
    };
    let begun = runs.start_fork(request).await.unwrap();
    let fork = super::ended(&runs, &begun).await;
    assert_eq!((fork.with.passed, fork.with.counted), (1, 1), "{fork:?}");
    let kept = runs.keep_result(of).await.unwrap();
    assert!(kept.path.ends_with("triage_evals.evalset.json"), "{kept:?}");
}

#[tokio::test]
async fn a_suite_that_the_host_did_not_find_is_refused() {
    let (folder, runs) = unrun(Path::new("python3"));
    let outside = tempfile::tempdir().unwrap();
    let other = outside.path().join("other.eval.yaml");
    std::fs::write(&other, "cases: []\n").unwrap();
    let inside = folder.path().join("triage.eval.yaml");
    for name in [
        other.to_str().unwrap(),
        inside.to_str().unwrap(),
        "secret.yaml",
        "./triage.eval.yaml",
        "x/../triage.eval.yaml",
        "gone.eval.yaml",
        "",
    ] {
        for refused in [
            runs.plan_run(of_suite(name)).await.map(drop),
            runs.start_run(of_suite(name)).await.map(drop),
        ] {
            let Err(ApiError::Run(reason)) = refused else { panic!("{name}: {refused:?}") };
            assert!(reason.contains("not among the suites of this page"), "{reason}");
        }
    }
    assert!(!folder.path().join("eval.sqlite").exists(), "a refused run stores nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_failed_with_one_of_several_models_runs_again_with_it_or_another() {
    let Some(python) = test_needs::python() else { return };
    let folder = suite("");
    let agent = agents().join("triage").canonicalize().unwrap();
    let text = format!(
        "subject: {{ adk: {} }}\nmodels: [replay, {{ scripted: [Bye] }}]\n{}",
        agent.display(),
        r#"cases:
  - name: greets
    golden: { eval_set: recorded.evalset.json }
    first_message: Hi
    tags: [polite]
    metrics:
      - event_count: { name: says hello, event: message, filter: { text: Hello }, is: 1 }
"#
    );
    std::fs::write(folder.path().join("models.eval.yaml"), text).unwrap();
    let part =
        |role: &str, text: &str| serde_json::json!({"role": role, "parts": [{"text": text}]});
    let recorded = serde_json::json!({"eval_set_id": "recorded", "eval_cases": [{
        "eval_id": "greeting",
        "conversation": [{
            "invocation_id": "1",
            "user_content": part("user", "Hi"),
            "final_response": part("model", "Hello"),
        }],
    }]});
    std::fs::write(folder.path().join("recorded.evalset.json"), recorded.to_string()).unwrap();
    let store = folder.path().join("eval.sqlite");
    let runs = StoredRuns::new(store, folder.path().to_owned(), Some(python));

    let run = runs.start_run(of_suite("models.eval.yaml")).await.unwrap();
    let detail = ended(&runs, run, 2).await;
    let shown: Vec<_> = detail
        .cases
        .iter()
        .map(|it| (&*it.id.case, it.model.as_deref().unwrap(), it.status.label(), &*it.tags))
        .collect();
    let tags: &[String] = &["polite".to_owned()];
    assert_eq!(
        shown,
        [
            ("greets [replay]", "replay", "passed", tags),
            ("greets [scripted]", "scripted", "failed", tags),
        ]
    );
    let again = |cases, model: Option<&str>| RunRequest {
        of: RunOf::Run(run),
        cases,
        repeats: None,
        model: model.map(str::to_owned),
    };
    let plan = async |request| runs.plan_run(request).await.map(|plan| plan.cases);
    assert_eq!(plan(again(RunCases::All, None)).await, Ok(2));
    assert_eq!(plan(again(RunCases::NotPassed, None)).await, Ok(1));
    assert_eq!(plan(again(RunCases::NotPassed, Some("replay"))).await, Ok(1));
    let run = runs.start_run(again(RunCases::NotPassed, Some("replay"))).await.unwrap();
    let detail = ended(&runs, run, 1).await;
    assert_eq!((&*detail.cases[0].id.case, detail.summary.counts.passed), ("greets [replay]", 1));
}
