//! Repeats of cases, and the store of results.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use eval::gate::Gate;
use eval::ledger::{Entry, Event};
use eval::metric::{Assertion, EventCountMetric, Metric, MetricResult};
use eval::names::Names;
use eval::result::{EvalResult, TerminationReason};
use eval::run_failure::{AtFault, RunFailure};
use eval::store::{ResultKey, RunStore, StoreError};
use eval::subject::{Input, Needs, SubjectSession, TurnEnd};
use eval::user_agent::ScriptedUser;
use eval::{EvalCase, EvalSuite, Status, Subject, rescore, run_cases, run_eval, run_eval_suite};
use json_text::JsonText;
use serde_json::json;

/// An agent that answers every message with `Hello`.
#[derive(Default)]
struct Greeter {
    /// How often it was opened.
    opened: AtomicUsize,
}

struct GreeterSession(Arc<Gate>);

#[async_trait]
impl Subject for Greeter {
    async fn open(&self, gate: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(GreeterSession(Arc::clone(gate))))
    }
}

#[async_trait]
impl SubjectSession for GreeterSession {
    async fn run(&mut self, _: Input) -> Result<TurnEnd, RunFailure> {
        let (agent, text) = ("greeter".to_owned(), "Hello".to_owned());
        self.0.ledger.add(Event::Message { agent, text, is_intermediate: false, is_inner: false });
        Ok(TurnEnd { pending: Vec::new(), state: self.0.state() })
    }

    async fn change_state(&mut self, changes: JsonText) -> Result<JsonText, RunFailure> {
        Ok(changes)
    }
}

fn messages(wanted: u32) -> Arc<EventCountMetric> {
    let wanted = Assertion::parse(&JsonText::from_value(&json!(wanted)));
    Arc::new(EventCountMetric {
        name: "messages".to_owned(),
        event: "message".to_owned(),
        filter: None,
        assertion: wanted.expect("a number"),
    })
}

fn case(name: &str, subject: &Arc<Greeter>) -> EvalCase {
    let mut case = EvalCase::new(name, subject.clone()).first_message("Hi").metric(messages(1));
    case.source.suite = "suite.yaml".to_owned();
    case.source.content_hash = format!("hash of {name}");
    case
}

/// An agent that never answers.
struct Silent;

#[async_trait]
impl Subject for Silent {
    async fn open(&self, _: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        std::future::pending().await
    }
}

/// An agent whose import does not end.
struct Unloaded;

#[async_trait]
impl Subject for Unloaded {
    async fn prepare(&self, _: &Needs<'_>) -> Result<Names, RunFailure> {
        std::future::pending().await
    }

    async fn open(&self, _: &Arc<Gate>) -> Result<Box<dyn SubjectSession>, RunFailure> {
        unreachable!("it is not loaded")
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_not_loaded_in_time_is_at_fault() {
    let case = EvalCase::new("unloaded", Arc::new(Unloaded)).first_message("Hi");
    let error = run_eval(&case).await.error.expect("an error");
    assert_eq!(error.at_fault, AtFault::Subject);
    assert_eq!(error.message, "the agent was not loaded after 120 s; does its import wait?");
}

/// A metric that takes an hour.
struct Slow;

#[async_trait]
impl Metric for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    async fn evaluate(&self, _: &[Entry]) -> MetricResult {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        MetricResult::unscored("it is late".to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_case_leaves_out_its_metrics() {
    let case = EvalCase::new("greets", Arc::new(Greeter::default())).first_message("Hi");
    let result = run_eval(&case.metric(Arc::new(Slow))).await;
    assert_eq!((result.status, result.duration_ms), (Status::Unscored, 0));
}

#[tokio::test]
async fn the_first_failure_cancels_the_cases_that_run() {
    let greeter = Arc::new(Greeter::default());
    let silent = EvalCase::new("silent", Arc::new(Silent)).first_message("Hi");
    let fails = EvalCase::new("fails", greeter.clone()).first_message("Hi").metric(messages(2));
    let mut ends = EvalCase::new("ends", greeter.clone())
        .first_message("Hi")
        .user(Arc::new(ScriptedUser::saying(["a", "b"])));
    ends.terminate_when.max_turns = Some(1);
    for (case, status) in [(fails, Status::Failed), (ends, Status::Terminated)] {
        // `silent` would run for ever.
        let suite =
            EvalSuite { stop_on_first_failure: true, ..EvalSuite::new(vec![silent.clone(), case]) };
        let suite = EvalSuite { jobs: 2, ..suite };
        let result = run_eval_suite(&suite, |_| ()).await;
        let ended: Vec<_> = result.results.iter().map(|it| it.status).collect();
        assert_eq!(ended, [status]);
    }
    // What passes cancels nothing.
    let both = vec![case("one", &greeter), case("two", &greeter)];
    let suite = EvalSuite::new(both).stop_on_first_failure(true);
    assert_eq!(run_eval_suite(&suite, |_| ()).await.summary.total, 2);
}

#[tokio::test]
async fn cases_run_one_after_the_other_unless_the_suite_is_parallel() {
    let greeter = Arc::new(Greeter::default());
    let silent = EvalCase::new("silent", Arc::new(Silent)).first_message("Hi");
    let ended = async |is_parallel| {
        let cases = vec![silent.clone(), case("one", &greeter)];
        let suite = EvalSuite { jobs: 2, ..EvalSuite::new(cases) }.parallel(is_parallel);
        let suite = EvalSuite { jobs: if is_parallel { 2 } else { suite.jobs }, ..suite };
        let mut ended = 0;
        let run = run_eval_suite(&suite, |_| ended += 1);
        let second = std::time::Duration::from_secs(1);
        assert!(tokio::time::timeout(second, run).await.is_err(), "`silent` runs for ever");
        ended
    };
    assert_eq!((ended(true).await, ended(false).await), (1, 0));
}

fn suite(cases: Vec<EvalCase>) -> EvalSuite {
    EvalSuite { cases, jobs: 4, stop_on_first_failure: false }
}

#[tokio::test]
async fn each_repeat_is_a_run_of_its_own() {
    let subject = Arc::new(Greeter::default());
    let suite = suite(vec![case("three", &subject).repeats(3), case("once", &subject)]);
    let result = run_eval_suite(&suite, |_| ()).await;
    let runs: Vec<_> = result.results.iter().map(|it| (it.name.as_str(), it.repeat)).collect();
    assert_eq!(runs, [("three", 1), ("three", 2), ("three", 3), ("once", 1)]);
    assert_eq!(subject.opened.load(Ordering::Relaxed), 4);
    assert_eq!(result.summary.passed, 4);
}

#[tokio::test]
async fn a_stored_result_is_read_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs/eval.sqlite");
    let subject = Arc::new(Greeter::default());
    let mut limited = case("limited", &subject).user(Arc::new(ScriptedUser::saying(["a", "b"])));
    limited.initial_state = JsonText::parse(r#"{"z":1.10,"a":12345678901234567890123}"#).unwrap();
    limited.terminate_when.max_turns = Some(1);
    let suite = suite(vec![case("greets", &subject).repeats(2), limited]);
    let suites = ["suite.yaml".to_owned()];

    let results: Mutex<Vec<EvalResult>> = Mutex::default();
    let store = RunStore::open(&path).await.expect("opens");
    let run = store.begin(&suites).await.expect("begins");
    let ended = |_, result| results.lock().unwrap().push(result);
    run_cases(&suite, &suite.runs(), Some(&run), ended).await.expect("runs");
    let number = run.number();
    store.close().await;

    let store = RunStore::open_existing(&path).await.expect("opens again");
    assert_eq!(store.last_run_of(&suites).await.expect("a run").number, number);
    let stored = store.results(number).await.expect("results");
    assert_eq!(stored.len(), 3);
    for result in results.into_inner().unwrap() {
        let (name, repeat) = (result.name.clone(), result.repeat);
        let key = ResultKey { suite: "suite.yaml".to_owned(), name, repeat };
        assert_eq!(stored[&key].hashes, format!("hash of {}", key.name));
        let ledger = |result: &EvalResult| serde_json::to_string(&result.events).unwrap();
        assert_eq!(ledger(&stored[&key].result), ledger(&result));
        assert_eq!(stored[&key].result, result);
    }
    let limited = stored.values().find(|it| it.result.name == "limited").unwrap();
    assert_eq!(limited.result.termination_reason, Some(TerminationReason::MaxTurns));
}

#[tokio::test]
async fn metrics_are_evaluated_again_without_the_agent() {
    let subject = Arc::new(Greeter::default());
    let greets = case("greets", &subject);
    let first = eval::run_eval(&greets).await;
    assert_eq!((first.status, subject.opened.load(Ordering::Relaxed)), (Status::Passed, 1));
    let stricter = EvalCase { metrics: vec![messages(2)], ..greets };
    let again = rescore(&stricter, first.clone()).await;
    assert_eq!((again.status, subject.opened.load(Ordering::Relaxed)), (Status::Failed, 1));
    assert_eq!(again.events, first.events);
}

async fn refused(path: &Path) -> String {
    match RunStore::open(path).await {
        Ok(_) => panic!("it opens"),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_used_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.sqlite");
    std::fs::write(&text, "this is a text, and by no means a database. ".repeat(50)).unwrap();
    let shown = refused(&text).await;
    assert!(
        shown.contains("text.sqlite are damaged (file is not a database): move the file away"),
        "{shown}"
    );

    let foreign = folder.path().join("contacts.sqlite");
    std::fs::File::create(&foreign).unwrap();
    change(&foreign, "CREATE TABLE contacts (name TEXT)").await;
    let before = std::fs::read(&foreign).unwrap();
    let shown = refused(&foreign).await;
    assert!(shown.contains("contacts.sqlite is a database of another program"), "{shown}");
    assert_eq!(std::fs::read(&foreign).unwrap(), before, "unchanged");

    let newer = folder.path().join("newer.sqlite");
    RunStore::open(&newer).await.expect("opens").close().await;
    change(
        &newer,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                    VALUES (99, 'later', 1, x'00', 0)",
    )
    .await;
    let shown = refused(&newer).await;
    assert!(
        shown.contains("cannot be opened: the file was written by another build of rehearsal "),
        "{shown}"
    );

    let path = folder.path().join("result.sqlite");
    let subject = Arc::new(Greeter::default());
    let suite = suite(vec![case("greets", &subject)]);
    let store = RunStore::open(&path).await.expect("opens");
    let run = store.begin(&["suite.yaml".to_owned()]).await.expect("begins");
    run_cases(&suite, &suite.runs(), Some(&run), |_, _| ()).await.expect("runs");
    store.close().await;
    change(&path, "UPDATE results SET result = replace(result, 'user_message', 'user_massage')")
        .await;
    let store = RunStore::open(&path).await.expect("opens");
    let shown = store.results(1).await.expect_err("damaged").to_string();
    let wanted =
        "repeat 1 of greets in run 1: there are no events user_massage; did you mean user_message?";
    assert!(shown.contains(wanted), "{shown}");

    let missing = store.run(7).await.expect_err("no run");
    assert!(matches!(missing, StoreError::NoRun { number: 7, last: Some(1), .. }));
    let other =
        store.last_run_of(&["other.yaml".to_owned()]).await.expect_err("no run").to_string();
    assert!(other.ends_with("has no run of other.yaml; the last run is 1"), "{other}");
}

async fn change(path: &Path, sql: &'static str) {
    use sqlx::Connection as _;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
    let mut connection = sqlx::SqliteConnection::connect_with(&options).await.expect("connects");
    sqlx::query(sql).execute(&mut connection).await.expect("changes");
    connection.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_store_is_opened_by_several_at_the_same_time() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..10 {
        let path = folder.path().join(format!("{round}.sqlite"));
        let opened = futures::future::join_all((0..4).map(|_| {
            let path = path.clone();
            tokio::spawn(async move { RunStore::open(&path).await.map(drop) })
        }));
        for opened in opened.await {
            opened.expect("ends").expect("opens");
        }
    }
}

#[tokio::test]
async fn a_run_has_one_claim_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = RunStore::open(&folder.path().join("eval.sqlite")).await.expect("a store");
    let (claims, together) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    let Ok(claim) = store.claim(1) else { continue };
                    claims.fetch_add(1, Ordering::SeqCst);
                    assert_eq!(together.fetch_add(1, Ordering::SeqCst), 0, "two have it");
                    std::thread::yield_now();
                    together.fetch_sub(1, Ordering::SeqCst);
                    drop(claim);
                }
            });
        }
    });
    assert!(claims.load(Ordering::SeqCst) > 0);
    let left = std::fs::read_dir(folder.path()).expect("a folder").flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().contains(".run-"));
    assert_eq!(left.count(), 0);
}
