//! The ledger with a store that fails: nothing is reported before it is stored. The requests of pages
//! and their updates.

use std::sync::Arc;

use api::host::{LiveHost, LiveTurnHost};
use api::{
    ApiError, HostEvent, LiveBytes, LiveCall, LiveEventKind, LiveId, LivePart, LivePlace,
    LiveResponse, LiveTurnId, LiveUpdate, LiveValue, LiveWatch,
};
use json_text::JsonText;
use live::{
    AgentName, Content, DisplayName, FunctionResponse, HumanResponse, InlineData, InvocationId,
    LiveSessionId, LlmRequest, Part, Role, Sequence, TurnId,
};

use proptest::prelude::*;

use super::commands::AgentRequest;
use super::error::LiveError;
use super::ledger_requests::Waited;
use super::page_updates::PageUpdates;
use super::pages::LivePages;
use super::sessions::LiveSessions;
use crate::folders::Folders;
use crate::host::Host;
use crate::no_runs::NoRuns;
use crate::sessions::StoredResults;
use live_store::SqliteStore;
use live_store::{LiveStore, StoreError};

#[derive(Clone)]
pub(super) struct TestSession {
    pub(super) store: Arc<SqliteStore>,
    pub(super) sessions: LiveSessions,
    pub(super) session: LiveSessionId,
    pub(super) _folder: Arc<tempfile::TempDir>,
}

impl TestSession {
    pub(super) async fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("live.sqlite");
        let store = Arc::new(SqliteStore::open(&path).await.expect("opens"));
        let sessions = LiveSessions::with_store(Arc::clone(&store) as Arc<dyn LiveStore>).await;
        let sessions = sessions.expect("starts");
        let session = sessions.create(None, None).await.expect("creates").id;
        Self { store, sessions, session, _folder: Arc::new(folder) }
    }

    async fn fill(&self) {
        let pages = self.store.number("PRAGMA page_count").await;
        self.store.limit(u32::try_from(pages).expect("small")).await;
    }

    pub(super) async fn submit(&self, number: u8, bytes: usize) -> Result<Sequence, LiveError> {
        let request =
            LlmRequest { system_instruction: Some("x".repeat(bytes)), ..Default::default() };
        let agent = AgentName::parse("weather")?;
        let run = InvocationId::default();
        let request = AgentRequest::new(agent, run, request).await?;
        self.sessions.submit(self.session, turn(number), request).await
    }

    pub(super) async fn decide(&self, number: u8) -> Result<Sequence, LiveError> {
        let candidate = Content { role: Role::Model, parts: vec![Part::Text("yes".to_owned())] };
        let response = HumanResponse { candidates: vec![candidate] };
        let by = DisplayName::parse("Ann")?;
        self.sessions.respond(self.session, turn(number), response, by, None).await
    }
}

fn turn(number: u8) -> TurnId {
    TurnId::from_random([number; 16])
}

fn is_full(result: &Result<Sequence, LiveError>) -> bool {
    matches!(result, Err(LiveError::Store(error)) if matches!(**error, StoreError::Full))
}

#[tokio::test]
async fn recovers_from_a_full_disk_without_losing_or_reporting_events() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    let Ok(Waited::Pending { mut outcome, .. }) = test.sessions.wait(test.session, turn(1)).await
    else {
        panic!("the first turn is pending")
    };
    let watch = test.sessions.watch(test.session).await.expect("watches");

    test.fill().await;
    assert!(is_full(&test.submit(2, 100_000).await));
    assert!(is_full(&test.submit(2, 100_000).await), "and again, cleanly");
    assert!(outcome.try_recv().is_err(), "no client got an outcome");
    assert_eq!(watch.states.borrow().last, Sequence(1));
    assert_eq!(watch.feed.after(Sequence(0)).await.expect("reads").len(), 1);
    let summary = test.sessions.session(test.session).await.expect("reads");
    assert_eq!(summary.state().depth, 1, "the first turn is still pending");

    test.store.limit(1_000_000).await;
    assert_eq!(test.submit(2, 100_000).await.expect("room again"), Sequence(2));
    assert_eq!(test.decide(1).await.expect("room again"), Sequence(3));
    let actual = outcome.await.expect("the waiting client gets the outcome");
    assert_eq!(actual.sequence, 3);
}

#[tokio::test]
async fn a_watched_session_stays_in_memory_while_idle() {
    let test = TestSession::open().await;
    let mut watch = test.sessions.watch(test.session).await.expect("watches");
    // Longer than the ledger takes to drop unused sessions from memory.
    tokio::time::sleep(super::ledger::SWEEP * 3).await;
    test.submit(1, 10).await.expect("stored");
    let actual = watch.states.wait_for(|state| state.last == Sequence(1));
    tokio::time::timeout(std::time::Duration::from_secs(10), actual)
        .await
        .expect("the watcher is notified")
        .expect("by the same ledger");
}

#[tokio::test]
async fn stores_what_fits_of_a_batch_that_does_not() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    // Room for small events, not for a large one.
    let pages = test.store.number("PRAGMA page_count").await;
    test.store.limit(u32::try_from(pages).expect("small") + 3).await;
    // Sent together, so that they share a batch, or two.
    let (large, small, answer) =
        tokio::join!(test.submit(2, 1_000_000), test.submit(3, 10), test.decide(1));
    assert!(is_full(&large), "{large:?}");
    let mut kept = [small.expect("fits"), answer.expect("fits")];
    kept.sort();
    assert_eq!(kept, [Sequence(2), Sequence(3)], "without a gap");
}

#[tokio::test]
async fn accepts_a_turn_id_once_if_two_sessions_use_it_in_one_batch() {
    let test = TestSession::open().await;
    let other = test.sessions.create(None, None).await.expect("creates").id;
    let elsewhere = TestSession {
        store: Arc::clone(&test.store),
        sessions: test.sessions.clone(),
        session: other,
        _folder: Arc::new(tempfile::tempdir().expect("a folder")),
    };
    let (here, there) = tokio::join!(test.submit(1, 10), elsewhere.submit(1, 10));
    assert_eq!([here.is_ok(), there.is_ok()].iter().filter(|ok| **ok).count(), 1);
    assert_eq!(test.store.number("SELECT count(*) FROM events").await, 1);
}

#[tokio::test]
async fn audits_a_decision_once_even_if_its_sender_disconnects() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    let mut watch = test.sessions.watch(test.session).await.expect("watches");
    let folder = tempfile::tempdir().expect("a folder");
    let audit = folder.path().join("audit.jsonl");
    let gone = async {
        let mut decision = Box::pin(test.decide(1));
        let sent = std::future::poll_fn(|context| {
            std::task::Poll::Ready(decision.as_mut().poll(context).is_pending())
        });
        assert!(sent.await, "it is sent, without a reply yet");
    };
    crate::access::with_audit_file(audit.clone(), gone).await;
    watch.states.wait_for(|it| it.last == Sequence(2)).await.expect("it is stored");
    for _ in 0..2 {
        let again = crate::access::with_audit_file(audit.clone(), test.decide(1)).await;
        assert_eq!(again.expect("the same"), Sequence(2));
    }
    let lines = std::fs::read_to_string(&audit).expect("written before the reply");
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.contains(r#""what":"decision","who":"Ann""#), "{lines}");
}

#[tokio::test]
async fn a_turn_is_not_awaited_after_its_clients_disconnect() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    let mut watch = test.sessions.watch(test.session).await.expect("watches");
    let mut changes = test.sessions.changes();
    let awaited = |wanted: bool| {
        move |state: &super::feed::QueueState| {
            state.head.as_ref().is_some_and(|(_, awaited)| *awaited == wanted)
        }
    };
    let waited = test.sessions.wait(test.session, turn(1)).await.expect("pending");
    watch.states.wait_for(awaited(true)).await.expect("notified");
    while changes.try_recv().is_ok() {}
    drop(waited);
    let actual = tokio::time::timeout(std::time::Duration::from_secs(10), async {
        watch.states.wait_for(awaited(false)).await.expect("notified");
        changes.recv().await.expect("notified")
    });
    assert_eq!(actual.await.expect("the watchers are notified"), test.session);
}

/// The live pages of the test's sessions, with a host without agents.
pub(super) fn pages(test: &TestSession) -> LivePages {
    let host = Host::new(
        Vec::new(),
        Folders::default(),
        false,
        StoredResults::new("results"),
        Arc::new(NoRuns),
    );
    LivePages::new(test.sessions.clone(), host)
}

fn live_turn(number: u8) -> LiveTurnId {
    LiveTurnId::new(turn(number).to_string())
}

fn place(test: &TestSession, number: u8) -> LivePlace {
    LivePlace { session: LiveId::new(test.session.to_string()), turn: live_turn(number) }
}

fn answer(test: &TestSession, number: u8, by: &str, text: &str) -> LiveResponse {
    LiveResponse {
        place: place(test, number),
        by: by.to_owned(),
        lease: None,
        text: Some(text.to_owned()),
        calls: Vec::new(),
    }
}

#[tokio::test]
async fn rejects_arguments_that_are_not_an_object() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    for (args, is_taken) in [("[1]", false), ("\"x\"", false), ("null", false), ("{}", true)] {
        let args = json_text::JsonText::parse(args).expect("JSON");
        let call = LiveCall { id: "c".to_owned(), name: "forecast".to_owned(), args };
        let answer = LiveResponse { calls: vec![call], ..answer(&test, 1, "Ann", "") };
        match pages(&test).respond_to_turn(answer).await {
            Ok(()) => assert!(is_taken),
            Err(ApiError::LiveRefused(reason)) => {
                assert!(!is_taken, "{reason}");
                let rule = "The arguments of forecast must be an object";
                assert!(reason.starts_with(rule), "{reason}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

async fn next_update(updates: &mut PageUpdates) -> LiveUpdate {
    let next = tokio::time::timeout(std::time::Duration::from_secs(10), updates.next());
    let HostEvent::Live(update) = next.await.expect("an update") else {
        panic!("only live sessions have updates")
    };
    *update
}

#[tokio::test]
async fn a_page_receives_updates_of_what_it_watches() {
    let test = TestSession::open().await;
    let other = test.sessions.create(None, None).await.expect("creates").id;
    let id = LiveId::new(test.session.to_string());
    let mut updates = PageUpdates::new(test.sessions.clone());
    updates.watch(&LiveWatch { all: false, sessions: vec![id.clone()] });
    let first = next_update(&mut updates).await;
    assert_eq!(
        (first.sessions.len(), first.sessions[0].depth),
        (1, 0),
        "the current status at first"
    );
    test.submit(1, 10).await.expect("stored");
    let asked = next_update(&mut updates).await;
    assert_eq!(asked.sessions[0].head().map(|head| &head.turn), Some(&live_turn(1)));
    assert_eq!(asked.waiting, None, "it watches one");
    let unknown = LiveId::new(uuid::Uuid::new_v4().to_string());
    updates.watch(&LiveWatch { all: false, sessions: vec![id.clone(), unknown.clone()] });
    let deleted = next_update(&mut updates).await;
    assert_eq!((deleted.deleted, deleted.sessions.len()), (vec![unknown], 0));

    let mut list = PageUpdates::new(test.sessions.clone());
    list.watch(&LiveWatch { all: true, sessions: Vec::new() });
    assert_eq!(next_update(&mut list).await.waiting, Some(1));
    let agent = AgentName::parse("other").expect("valid");
    let request = LlmRequest::default();
    let request = AgentRequest::new(agent, InvocationId::default(), request).await.expect("short");
    test.sessions.submit(other, turn(9), request).await.expect("stored");
    let changed = next_update(&mut list).await;
    assert_eq!((changed.waiting, changed.sessions.len()), (Some(2), 1));
    assert_eq!(changed.sessions[0].id.as_str(), other.to_string());
}

#[tokio::test]
async fn a_page_receives_updates_after_canceled_waits() {
    let test = TestSession::open().await;
    let id = LiveId::new(test.session.to_string());
    let mut updates = PageUpdates::new(test.sessions.clone());
    updates.watch(&LiveWatch { all: true, sessions: vec![id] });
    let actual = async {
        loop {
            // Like the page's connection: the first event cancels the wait for the others.
            tokio::select! {
                biased;
                actual = updates.next() => break actual,
                () = tokio::task::yield_now() => {}
            }
        }
    };
    let actual = tokio::time::timeout(std::time::Duration::from_secs(10), actual).await;
    let HostEvent::Live(actual) = actual.expect("an update") else { panic!("live sessions") };
    assert_eq!((actual.sessions.len(), actual.waiting), (1, Some(0)));
}

#[tokio::test]
async fn a_late_response_fails_with_the_name_of_the_first_person() {
    let test = TestSession::open().await;
    let pages = pages(&test);
    test.submit(1, 10).await.expect("stored");
    pages.respond_to_turn(answer(&test, 1, "Ann", "yes")).await.expect("answers");
    pages.respond_to_turn(answer(&test, 1, "Ann", "yes")).await.expect("the same again");
    let late = pages.respond_to_turn(answer(&test, 1, "Bo", "no")).await;
    let by = "Ann".to_owned();
    assert_eq!(late, Err(ApiError::LiveClosed { by, cancelled: false }));
    let shown = pages.read_live_turn(place(&test, 1)).await;
    let closed = shown.expect("reads").closed.expect("closed");
    let parts = vec![LivePart::Text("yes".to_owned())];
    assert_eq!(closed.what, LiveEventKind::Answered { parts, more: 0 });
    assert_eq!(closed.by.as_deref(), Some("Ann"));
}

#[tokio::test]
async fn reads_events_in_windows_and_truncates_long_ones() {
    let test = TestSession::open().await;
    let pages = pages(&test);
    let id = LiveId::new(test.session.to_string());
    for number in 1..=3 {
        test.submit(number, 10).await.expect("stored");
    }
    let words = "é".repeat(5_000);
    pages.respond_to_turn(answer(&test, 1, "Ann", &words)).await.expect("answers");
    let rows = pages.read_live_rows(id.clone(), 1, 2, false).await.expect("reads");
    assert_eq!(rows.iter().map(|row| row.sequence).collect::<Vec<_>>(), [2, 3]);
    let text = async |whole| {
        let rows = pages.read_live_rows(id.clone(), 3, 100, whole).await.expect("reads");
        match &rows[0].what {
            LiveEventKind::Answered { parts, .. } => parts.clone(),
            other => panic!("{other:?}"),
        }
    };
    let [LivePart::Text(part)] = &text(false).await[..] else { panic!("a text") };
    assert!(part.len() < 3_000 && part.ends_with('…'), "{}", part.len());
    assert_eq!(text(true).await, [LivePart::Text(words)]);
    let past = pages.read_live_rows(id, 99, 10, false).await.expect("reads");
    assert!(past.is_empty());
}

#[tokio::test]
async fn a_row_counts_the_parts_that_it_leaves_out() {
    let test = TestSession::open().await;
    let pages = pages(&test);
    let id = LiveId::new(test.session.to_string());
    let parts = (1..=23).map(|number| Part::Text(format!("piece {number}"))).collect();
    let contents = vec![Content { role: Role::User, parts }];
    let request = LlmRequest { contents, ..Default::default() };
    let agent = AgentName::parse("weather").expect("a name");
    let run = InvocationId::default();
    let request = AgentRequest::new(agent, run, request).await.expect("short");
    test.sessions.submit(test.session, turn(1), request).await.expect("stored");
    for (whole, expected) in [(false, (20, 3)), (true, (23, 0))] {
        let row = pages.read_live_rows(id.clone(), 0, 1, whole).await.expect("reads").remove(0);
        let LiveEventKind::Asked { last, more, .. } = row.what else { panic!("a request") };
        assert_eq!((last.len(), more), expected);
    }
}

#[tokio::test]
async fn the_page_gets_the_beginning_of_a_long_text_and_a_url_of_the_whole() {
    let test = TestSession::open().await;
    let pages = pages(&test);
    let id = LiveId::new(test.session.to_string());
    let long = format!("Begin{} end", "ä".repeat(1_500_000));
    let result = JsonText::string(&"r".repeat(2_000_000));
    let answered = Part::FunctionResponse(FunctionResponse {
        id: None,
        name: "f".to_owned(),
        response: Some(result.clone()),
    });
    let content = |parts| Content { role: Role::User, parts };
    let contents = vec![
        content(vec![Part::Text("short".to_owned()), Part::Text(long.clone()), answered]),
        content(vec![Part::Text("x".repeat(1_000_000))]),
    ];
    let request = LlmRequest { contents, ..Default::default() };
    let agent = AgentName::parse("weather").expect("a name");
    let request = AgentRequest::new(agent, InvocationId::default(), request).await.expect("short");
    test.sessions.submit(test.session, turn(1), request).await.expect("stored");
    let shown = pages.read_live_turn(place(&test, 1)).await.expect("reads");
    let [first, second] = &shown.contents[..] else { panic!("two contents") };
    let [
        LivePart::Text(short),
        LivePart::Text(head),
        LivePart::Response { response, .. },
        whole @ ..,
    ] = &first.parts[..]
    else {
        panic!("{} parts", first.parts.len())
    };
    assert_eq!(short, "short");
    assert!(head.starts_with("Beginää") && head.ends_with("ä…") && head.len() <= 1_000_003);
    assert!(matches!(response, Some(LiveValue::Head { bytes: 2_000_002, .. })));
    let file = |mime_type: &str, bytes: u64, name: &str, at: u8| LivePart::Data {
        mime_type: mime_type.to_owned(),
        bytes,
        name: Some(name.to_owned()),
        content: Some(LiveBytes::At(format!("/api/live/{id}/1/{at}"))),
    };
    let expected = [
        file("text/plain", long.len() as u64, "whole text.txt", 1),
        file("application/json", 2_000_002, "whole result.json", 2),
    ];
    assert_eq!(whole, expected);
    assert_eq!(second.parts.len(), 1, "as long as the limit");
    let served = pages.file(&id, 1, 1).await.expect("reads").expect("a part");
    assert!(served.bytes.as_ref() == long.as_bytes());
    let served = pages.file(&id, 1, 2).await.expect("reads").expect("a part");
    assert!(served.bytes.as_ref() == result.as_str().as_bytes());

    // Many long texts get less each.
    let parts = (0..20).map(|_| Part::Text("y".repeat(900_000))).collect();
    let request = LlmRequest { contents: vec![content(parts)], ..Default::default() };
    let agent = AgentName::parse("weather").expect("a name");
    let request = AgentRequest::new(agent, InvocationId::default(), request).await.expect("short");
    test.sessions.submit(test.session, turn(2), request).await.expect("stored");
    let shown = pages.read_live_turn(place(&test, 2)).await.expect("reads");
    let LivePart::Text(last) = &shown.contents[0].parts[19] else { panic!("a text") };
    assert_eq!((last.len(), shown.contents[0].parts.len()), (100_003, 40));
}

#[tokio::test]
async fn each_file_of_a_request_has_a_url() {
    let test = TestSession::open().await;
    let pages = pages(&test);
    let id = LiveId::new(test.session.to_string());
    let file = |mime_type: &str, data: &[u8]| {
        let (mime_type, data) = (mime_type.to_owned(), data.to_vec());
        Part::InlineData(InlineData { mime_type, data, display_name: None })
    };
    let content = |parts| Content { role: Role::User, parts };
    let contents = vec![
        content(vec![file("image/png", b"one"), Part::Text("see".to_owned())]),
        content(vec![file("text/csv", b"a,b"), file("text/plain", b"\xff"), file("x", b"four")]),
    ];
    let request = LlmRequest { contents, ..Default::default() };
    let agent = AgentName::parse("weather").expect("a name");
    let run = InvocationId::default();
    let request = AgentRequest::new(agent, run, request).await.expect("short");
    test.sessions.submit(test.session, turn(1), request).await.expect("stored");
    let bytes = |parts: &[LivePart]| -> Vec<LiveBytes> {
        parts
            .iter()
            .filter_map(|part| match part {
                LivePart::Data { content, .. } => Some(content.clone().expect("whole")),
                _ => None,
            })
            .collect()
    };
    let address = |file: u8| format!("/api/live/{id}/1/{file}");
    let at = |file: u8| LiveBytes::At(address(file));
    let turn = pages.read_live_turn(place(&test, 1)).await.expect("reads");
    let [first, second] = &turn.contents[..] else { panic!("two contents") };
    assert_eq!(bytes(&first.parts), [at(0)]);
    let rest = [LiveBytes::Text { text: "a,b".to_owned(), at: address(2) }, at(3), at(4)];
    assert_eq!(bytes(&second.parts), rest);
    let row = pages.read_live_rows(id.clone(), 0, 1, true).await.expect("reads").remove(0);
    let LiveEventKind::Asked { last, .. } = row.what else { panic!("a request") };
    assert_eq!(bytes(&last), rest, "counted through all of the request");
    for (event, number, expected) in
        [(1, 0, Some(&b"one"[..])), (1, 3, Some(b"\xff")), (1, 5, None), (0, 0, None), (9, 0, None)]
    {
        let found = pages.file(&id, event, number).await.expect("reads");
        assert_eq!(found.as_ref().map(|file| &file.bytes[..]), expected, "{event} {number}");
    }
    let unknown = pages.file(&LiveId::new("nonsense"), 1, 0).await;
    assert!(matches!(unknown, Err(ApiError::UnknownLiveSession(_))));
}

#[tokio::test]
async fn errors_name_what_is_unknown_or_invalid() {
    let test = TestSession::open().await;
    let pages = pages(&test);
    let nonsense = pages.read_live_session(LiveId::new("nonsense")).await;
    assert_eq!(nonsense, Err(ApiError::UnknownLiveSession("nonsense".to_owned())));
    let nobody = pages.respond_to_turn(answer(&test, 1, "  ", "yes")).await.expect_err("no name");
    assert!(nobody.to_string().contains("display_name"), "{nobody}");
    test.submit(1, 10).await.expect("stored");
    test.submit(2, 10).await.expect("stored");
    let early = pages.respond_to_turn(answer(&test, 2, "Bo", "yes")).await.expect_err("early");
    assert!(early.to_string().contains("is not at the head of the queue"), "{early}");
    let empty = pages.respond_to_turn(answer(&test, 1, "Bo", "")).await.expect_err("empty");
    assert!(empty.to_string().contains("needs a text or a call"), "{empty}");
    let id = LiveId::new(test.session.to_string());
    for expected in [
        pages.plan_live_export(id.clone()).await.map(drop),
        pages.export_live_session(id.clone(), vec![1], None).await.map(drop),
    ] {
        let expected = expected.expect_err("it is active").to_string();
        assert!(expected.contains("it is still active. Complete it first"), "{expected}");
    }
    let open = pages.complete_live_session(id.clone(), false, "Bo".to_owned()).await;
    assert_eq!(open, Err(ApiError::LiveWaiting(2)));
    pages.complete_live_session(id.clone(), true, "Bo".to_owned()).await.expect("cancels them");
    assert!(pages.read_live_session(id.clone()).await.expect("reads").is_completed);
    let plan = pages.plan_live_export(id).await.expect("it is over");
    assert!(plan.runs.iter().all(|run| run.turns.is_empty()));
}

#[tokio::test]
async fn a_turn_contains_its_tool_results_and_the_end_of_its_run() {
    let test = TestSession::open().await;
    test.submit(1, 10).await.expect("stored");
    test.decide(1).await.expect("stored");
    let record = async |number: u8, payload| {
        let event = live::EventId::from_random([number; 16]);
        let agent = AgentName::parse("weather").expect("valid");
        let run = InvocationId::default();
        test.sessions.record(test.session, event, turn(1), agent, run, payload).await
    };
    let response = live::FunctionResponse {
        id: Some("c1".to_owned()),
        name: "broken".to_owned(),
        response: Some(json_text::JsonText::string("no such sensor")),
    };
    let outcome = live::ToolOutcome { response, failed: true, duration_ms: None };
    record(1, live::Payload::ToolResult(outcome)).await.expect("stored");
    let shown = pages(&test).read_live_turn(place(&test, 1)).await.expect("reads");
    assert!(matches!(&shown.results[..], [LivePart::Response { name, .. }] if name == "broken"));
    assert_eq!(shown.ended, None);
    let message = "ValueError: no such sensor".to_owned();
    let end = live::RunEnd { outcome: live::RunOutcome::Failed, message };
    record(2, live::Payload::RunEnded(end)).await.expect("stored");
    let shown = pages(&test).read_live_turn(place(&test, 1)).await.expect("reads");
    let ended = shown.ended.expect("has ended").what;
    assert!(matches!(ended, LiveEventKind::Ended { message, .. } if message.contains("sensor")));
}

#[test]
fn a_call_without_an_id_gets_the_id_of_its_result() {
    let call = LivePart::Call { id: None, name: "f".to_owned(), args: None };
    let row = || api::LiveRow {
        sequence: 2,
        at_ms: 0,
        turn: LiveTurnId::new(turn(1).to_string()),
        agent: "weather".to_owned(),
        run: String::new(),
        by: None,
        what: LiveEventKind::Answered {
            parts: vec![call.clone(), LivePart::Text("and".to_owned()), call.clone()],
            more: 0,
        },
    };
    let digits = turn(1).to_string().replace('-', "");
    for expected in [format!("adk-{}-1", turn(1)), format!("call_{digits}_2")] {
        let mut row = row();
        super::rows::add_call_id(&mut row, turn(1), &expected);
        let LiveEventKind::Answered { parts, .. } = row.what else { panic!("an answer") };
        let ids = |part: &LivePart| match part {
            LivePart::Call { id, .. } => id.clone(),
            _ => None,
        };
        assert_eq!(parts.iter().map(ids).collect::<Vec<_>>(), [None, None, Some(expected)]);
    }
}

#[tokio::test]
async fn an_unknown_turn_is_named_in_the_error() {
    let test = TestSession::open().await;
    for id in ["nonsense".to_owned(), turn(9).to_string()] {
        let place = LivePlace { turn: LiveTurnId::new(id.clone()), ..place(&test, 1) };
        let actual = pages(&test).read_live_turn(place).await.expect_err("there is none");
        assert_eq!(actual.to_string(), format!("This session has no turn {id}."));
    }
}

#[tokio::test]
async fn audits_an_export_with_the_name_from_the_page() {
    let test = TestSession::open().await;
    let audit = test._folder.path().join("audit.jsonl");
    for (name, who) in [(Some("Ann"), Some("Ann")), (None, None)] {
        let entry = crate::access::AuditEntry::new("export")
            .by_optional(crate::actor::exporter(name).expect("a name").as_ref());
        crate::access::with_audit_file(audit.clone(), async { entry.with_caller().write() }).await;
        let lines = std::fs::read_to_string(&audit).expect("is written");
        let last: serde_json::Value =
            serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["who"], who.unwrap_or_default());
    }
}

/// A step in the life of a session.
#[derive(Debug, Clone)]
enum Step {
    /// An agent sends a request with this many kilobytes.
    Submit(usize),
    /// A watcher connects: events stay in memory from now on.
    Watch,
    /// The last watcher disconnects.
    Unwatch,
    /// A watcher reads everything after this share of the events.
    Read(f64),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => prop_oneof![0..4_usize, 200..600_usize].prop_map(Step::Submit),
        1 => Just(Step::Watch),
        1 => Just(Step::Unwatch),
        3 => (0.0..=1.0).prop_map(Step::Read),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn reads_every_event_once_from_any_position(
        all in prop::collection::vec(any_step(), 1..40)
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let test = TestSession::open().await;
            let mut watching = Vec::new();
            let mut asked = 0;
            for one in all {
                match one {
                    Step::Submit(kilobytes) => {
                        asked += 1;
                        test.submit(asked, kilobytes * 1024).await.expect("stored");
                    }
                    Step::Watch => {
                        watching.push(test.sessions.watch(test.session).await.expect("watches"));
                    }
                    Step::Unwatch => drop(watching.pop()),
                    Step::Read(share) => {
                        let watch = test.sessions.watch(test.session).await.expect("watches");
                        let last = watch.states.borrow().last.0;
                        assert_eq!(last, u64::from(asked));
                        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss,
                            reason = "a share of a few dozen")]
                        let begin = (f64::from(asked) * share) as u64;
                        let mut seen = vec![begin];
                        while let Some(event) =
                            watch.feed.after(Sequence(seen[seen.len() - 1])).await.expect("reads").first()
                        {
                            seen.push(event.sequence);
                        }
                        assert_eq!(seen, (begin..=last).collect::<Vec<_>>(), "one by one");
                        let mut whole = Vec::new();
                        let mut place = Sequence(begin);
                        loop {
                            let events = watch.feed.after(place).await.expect("reads");
                            let Some(end) = events.last() else { break };
                            place = Sequence(end.sequence);
                            whole.extend(events.iter().map(|event| event.sequence));
                        }
                        assert_eq!(whole, (begin + 1..=last).collect::<Vec<_>>(), "in pages");
                    }
                }
            }
        });
    }
}
