//! The ledger over a store that fails: nothing is told that is not kept. What pages ask, and what they
//! are told.

use std::sync::Arc;

use api::{
    ApiError, HostEvent, LiveBytes, LiveCall, LiveEventKind, LiveId, LivePart, LivePlace,
    LiveResponse, LiveTurnId, LiveUpdate, LiveWatch,
};
use app::host::{LiveHost, LiveTurnHost};
use live::{
    AgentName, Content, DisplayName, HumanResponse, InlineData, InvocationId, LiveSessionId,
    LlmRequest, Part, Role, Sequence, TurnId,
};

use proptest::prelude::*;

use super::error::LiveError;
use super::ledger_requests::Waited;
use super::page_updates::PageUpdates;
use super::pages::LivePages;
use super::sessions::LiveSessions;
use super::store::sqlite::SqliteStore;
use super::store::{LiveStore, StoreError};
use crate::folders::Folders;
use crate::host::Host;

struct Stage {
    store: Arc<SqliteStore>,
    sessions: LiveSessions,
    session: LiveSessionId,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("live.sqlite");
        let store = Arc::new(SqliteStore::open(&path).await.expect("opens"));
        let sessions = LiveSessions::over(Arc::clone(&store) as Arc<dyn LiveStore>).await;
        let sessions = sessions.expect("starts");
        let session = sessions.create(None, None).await.expect("creates").id;
        Self { store, sessions, session, _folder: folder }
    }

    async fn fill(&self) {
        let pages = self.store.number("PRAGMA page_count").await;
        self.store.limit(u32::try_from(pages).expect("small")).await;
    }

    async fn submit(&self, number: u8, bytes: usize) -> Result<Sequence, LiveError> {
        let request =
            LlmRequest { system_instruction: Some("x".repeat(bytes)), ..Default::default() };
        let agent = AgentName::parse("weather")?;
        let run = InvocationId::default();
        self.sessions.submit(self.session, turn(number), agent, run, request).await
    }

    async fn decide(&self, number: u8) -> Result<Sequence, LiveError> {
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
async fn a_full_disk_refuses_and_recovers_and_nothing_is_lost_or_told() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    let Ok(Waited::Pending { mut outcome, .. }) = stage.sessions.wait(stage.session, turn(1)).await
    else {
        panic!("the first turn is pending")
    };
    let watch = stage.sessions.watch(stage.session).await.expect("watches");

    stage.fill().await;
    assert!(is_full(&stage.submit(2, 100_000).await));
    assert!(is_full(&stage.submit(2, 100_000).await), "and again, cleanly");
    assert!(outcome.try_recv().is_err(), "nobody was told of anything");
    assert_eq!(watch.states.borrow().last, Sequence(1));
    assert_eq!(watch.feed.after(Sequence(0)).await.expect("reads").len(), 1);
    let summary = stage.sessions.session(stage.session).await.expect("reads");
    assert_eq!(summary.state().depth, 1, "what was asked before still waits");

    stage.store.limit(1_000_000).await;
    assert_eq!(stage.submit(2, 100_000).await.expect("room again"), Sequence(2));
    assert_eq!(stage.decide(1).await.expect("room again"), Sequence(3));
    let actual = outcome.await.expect("the one who waited through it is told");
    assert_eq!(actual.sequence, 3);
}

#[tokio::test]
async fn a_session_that_is_watched_stays_in_memory_however_idle() {
    let stage = Stage::open().await;
    let mut watch = stage.sessions.watch(stage.session).await.expect("watches");
    // Longer than the ledger takes to leave what nobody uses to the store.
    tokio::time::sleep(super::ledger::SWEEP * 3).await;
    stage.submit(1, 10).await.expect("keeps");
    let actual = watch.states.wait_for(|state| state.last == Sequence(1));
    tokio::time::timeout(std::time::Duration::from_secs(10), actual)
        .await
        .expect("the watcher is told")
        .expect("by the same ledger");
}

#[tokio::test]
async fn what_fits_is_kept_when_its_batch_does_not() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    // Room for small things, not for a large one.
    let pages = stage.store.number("PRAGMA page_count").await;
    stage.store.limit(u32::try_from(pages).expect("small") + 3).await;
    // Sent together, so that they share a batch, or two.
    let (large, small, answer) =
        tokio::join!(stage.submit(2, 1_000_000), stage.submit(3, 10), stage.decide(1));
    assert!(is_full(&large), "{large:?}");
    let mut kept = [small.expect("fits"), answer.expect("fits")];
    kept.sort();
    assert_eq!(kept, [Sequence(2), Sequence(3)], "without a gap");
}

#[tokio::test]
async fn a_turn_of_two_sessions_in_one_batch_belongs_to_one() {
    let stage = Stage::open().await;
    let other = stage.sessions.create(None, None).await.expect("creates").id;
    let elsewhere = Stage {
        store: Arc::clone(&stage.store),
        sessions: stage.sessions.clone(),
        session: other,
        _folder: tempfile::tempdir().expect("a folder"),
    };
    let (here, there) = tokio::join!(stage.submit(1, 10), elsewhere.submit(1, 10));
    assert_eq!([here.is_ok(), there.is_ok()].iter().filter(|ok| **ok).count(), 1);
    assert_eq!(stage.store.number("SELECT count(*) FROM events").await, 1);
}

#[tokio::test]
async fn a_decision_is_written_down_once_also_when_whoever_sent_it_has_gone() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    let mut watch = stage.sessions.watch(stage.session).await.expect("watches");
    let folder = tempfile::tempdir().expect("a folder");
    let audit = folder.path().join("audit.jsonl");
    let gone = async {
        let mut decision = Box::pin(stage.decide(1));
        let sent = std::future::poll_fn(|context| {
            std::task::Poll::Ready(decision.as_mut().poll(context).is_pending())
        });
        assert!(sent.await, "it is sent, and not answered yet");
    };
    crate::access::visiting(audit.clone(), gone).await;
    watch.states.wait_for(|it| it.last == Sequence(2)).await.expect("it is kept");
    for _ in 0..2 {
        let again = crate::access::visiting(audit.clone(), stage.decide(1)).await;
        assert_eq!(again.expect("the same"), Sequence(2));
    }
    let lines = std::fs::read_to_string(&audit).expect("written before anybody was told");
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.contains(r#""what":"decision","who":"Ann""#), "{lines}");
}

#[tokio::test]
async fn a_turn_whose_waiters_left_without_a_word_is_no_longer_awaited() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    let mut watch = stage.sessions.watch(stage.session).await.expect("watches");
    let mut changes = stage.sessions.changes();
    let awaited = |wanted: bool| {
        move |state: &super::feed::QueueState| {
            state.head.as_ref().is_some_and(|(_, awaited)| *awaited == wanted)
        }
    };
    let waited = stage.sessions.wait(stage.session, turn(1)).await.expect("pending");
    watch.states.wait_for(awaited(true)).await.expect("told");
    while changes.try_recv().is_ok() {}
    drop(waited);
    let actual = tokio::time::timeout(std::time::Duration::from_secs(10), async {
        watch.states.wait_for(awaited(false)).await.expect("told");
        changes.recv().await.expect("told")
    });
    assert_eq!(actual.await.expect("the watchers hear of it"), stage.session);
}

/// The pages' port over the stage's sessions, with a host that serves no agents.
fn pages(stage: &Stage) -> LivePages {
    LivePages::new(stage.sessions.clone(), Host::new(Vec::new(), Folders::default()))
}

fn live_turn(number: u8) -> LiveTurnId {
    LiveTurnId::new(turn(number).to_string())
}

fn place(stage: &Stage, number: u8) -> LivePlace {
    LivePlace { session: LiveId::new(stage.session.to_string()), turn: live_turn(number) }
}

fn answer(stage: &Stage, number: u8, by: &str, text: &str) -> LiveResponse {
    LiveResponse {
        place: place(stage, number),
        by: by.to_owned(),
        lease: None,
        text: Some(text.to_owned()),
        calls: Vec::new(),
    }
}

#[tokio::test]
async fn a_page_cannot_answer_with_arguments_that_are_no_object() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    for (args, is_taken) in [("[1]", false), ("\"x\"", false), ("null", false), ("{}", true)] {
        let args = json_text::JsonText::parse(args).expect("JSON");
        let call = LiveCall { id: "c".to_owned(), name: "forecast".to_owned(), args };
        let answer = LiveResponse { calls: vec![call], ..answer(&stage, 1, "Ann", "") };
        match pages(&stage).respond_to_turn(answer).await {
            Ok(()) => assert!(is_taken),
            Err(ApiError::LiveRefused { reason }) => {
                assert!(!is_taken, "{reason}");
                let rule = "The arguments of forecast must be an object";
                assert!(reason.starts_with(rule), "{reason}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

async fn told(news: &mut PageUpdates) -> LiveUpdate {
    let next = tokio::time::timeout(std::time::Duration::from_secs(10), news.next());
    let HostEvent::Live(told) = next.await.expect("something is told") else {
        panic!("only live sessions are told")
    };
    *told
}

#[tokio::test]
async fn a_page_is_told_what_it_watches() {
    let stage = Stage::open().await;
    let other = stage.sessions.create(None, None).await.expect("creates").id;
    let id = LiveId::new(stage.session.to_string());
    let mut news = PageUpdates::new(stage.sessions.clone());
    news.watch(&LiveWatch { all: false, sessions: vec![id.clone()] });
    let first = told(&mut news).await;
    assert_eq!((first.sessions.len(), first.sessions[0].depth), (1, 0), "how it stands at first");
    stage.submit(1, 10).await.expect("keeps");
    let asked = told(&mut news).await;
    assert_eq!(asked.sessions[0].head().map(|head| &head.turn), Some(&live_turn(1)));
    assert_eq!(asked.waiting, None, "it watches one");

    let mut list = PageUpdates::new(stage.sessions.clone());
    list.watch(&LiveWatch { all: true, sessions: Vec::new() });
    assert_eq!(told(&mut list).await.waiting, Some(1));
    let agent = AgentName::parse("other").expect("valid");
    let asked = stage.sessions.submit(
        other,
        turn(9),
        agent,
        InvocationId::default(),
        LlmRequest::default(),
    );
    asked.await.expect("keeps");
    let changed = told(&mut list).await;
    assert_eq!((changed.waiting, changed.sessions.len()), (Some(2), 1));
    assert_eq!(changed.sessions[0].id.as_str(), other.to_string());
}

#[tokio::test]
async fn a_page_is_told_however_often_something_else_comes_between() {
    let stage = Stage::open().await;
    let id = LiveId::new(stage.session.to_string());
    let mut news = PageUpdates::new(stage.sessions.clone());
    news.watch(&LiveWatch { all: true, sessions: vec![id] });
    let actual = async {
        loop {
            // As the page's connection does: whatever comes first ends the wait for the others.
            tokio::select! {
                biased;
                actual = news.next() => break actual,
                () = tokio::task::yield_now() => {}
            }
        }
    };
    let actual = tokio::time::timeout(std::time::Duration::from_secs(10), actual).await;
    let HostEvent::Live(actual) = actual.expect("it is told") else { panic!("of live sessions") };
    assert_eq!((actual.sessions.len(), actual.waiting), (1, Some(0)));
}

#[tokio::test]
async fn who_came_too_late_hears_who_was_faster() {
    let stage = Stage::open().await;
    let pages = pages(&stage);
    stage.submit(1, 10).await.expect("keeps");
    pages.respond_to_turn(answer(&stage, 1, "Ann", "yes")).await.expect("answers");
    pages.respond_to_turn(answer(&stage, 1, "Ann", "yes")).await.expect("the same again");
    let late = pages.respond_to_turn(answer(&stage, 1, "Bo", "no")).await;
    let by = "Ann".to_owned();
    assert_eq!(late, Err(ApiError::LiveClosed { by, cancelled: false }));
    let shown = pages.read_live_turn(place(&stage, 1)).await;
    let closed = shown.expect("reads").closed.expect("closed");
    let parts = vec![LivePart::Text("yes".to_owned())];
    assert_eq!(closed.what, LiveEventKind::Answered { parts, more: 0 });
    assert_eq!(closed.by.as_deref(), Some("Ann"));
}

#[tokio::test]
async fn events_are_read_a_window_at_a_time_and_long_ones_in_part() {
    let stage = Stage::open().await;
    let pages = pages(&stage);
    let id = LiveId::new(stage.session.to_string());
    for number in 1..=3 {
        stage.submit(number, 10).await.expect("keeps");
    }
    let words = "é".repeat(5_000);
    pages.respond_to_turn(answer(&stage, 1, "Ann", &words)).await.expect("answers");
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
async fn a_line_tells_how_many_pieces_it_leaves_out() {
    let stage = Stage::open().await;
    let pages = pages(&stage);
    let id = LiveId::new(stage.session.to_string());
    let parts = (1..=23).map(|number| Part::Text(format!("piece {number}"))).collect();
    let contents = vec![Content { role: Role::User, parts }];
    let request = LlmRequest { contents, ..Default::default() };
    let agent = AgentName::parse("weather").expect("a name");
    let run = InvocationId::default();
    stage.sessions.submit(stage.session, turn(1), agent, run, request).await.expect("keeps");
    for (whole, expected) in [(false, (20, 3)), (true, (23, 0))] {
        let row = pages.read_live_rows(id.clone(), 0, 1, whole).await.expect("reads").remove(0);
        let LiveEventKind::Asked { last, more, .. } = row.what else { panic!("a request") };
        assert_eq!((last.len(), more), expected);
    }
}

#[tokio::test]
async fn each_file_of_a_request_has_an_address() {
    let stage = Stage::open().await;
    let pages = pages(&stage);
    let id = LiveId::new(stage.session.to_string());
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
    stage.sessions.submit(stage.session, turn(1), agent, run, request).await.expect("keeps");
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
    let turn = pages.read_live_turn(place(&stage, 1)).await.expect("reads");
    let [first, second] = &turn.contents[..] else { panic!("two contents") };
    assert_eq!(bytes(&first.parts), [at(0)]);
    let rest = [LiveBytes::Text { text: "a,b".to_owned(), at: address(1) }, at(2), at(3)];
    assert_eq!(bytes(&second.parts), rest);
    let row = pages.read_live_rows(id.clone(), 0, 1, true).await.expect("reads").remove(0);
    let LiveEventKind::Asked { last, .. } = row.what else { panic!("a request") };
    assert_eq!(bytes(&last), rest, "counted through all of the request");
    for (event, number, expected) in
        [(1, 0, Some(&b"one"[..])), (1, 2, Some(b"\xff")), (1, 4, None), (0, 0, None), (9, 0, None)]
    {
        let found = pages.file(&id, event, number).await.expect("reads");
        assert_eq!(found.as_ref().map(|file| &file.bytes[..]), expected, "{event} {number}");
    }
    let unknown = pages.file(&LiveId::new("nonsense"), 1, 0).await;
    assert!(matches!(unknown, Err(ApiError::UnknownLiveSession { .. })));
}

#[tokio::test]
async fn what_is_unknown_or_wrong_is_named() {
    let stage = Stage::open().await;
    let pages = pages(&stage);
    let nonsense = pages.read_live_session(LiveId::new("nonsense")).await;
    assert_eq!(nonsense, Err(ApiError::UnknownLiveSession { id: "nonsense".to_owned() }));
    let nobody = pages.respond_to_turn(answer(&stage, 1, "  ", "yes")).await.expect_err("no name");
    assert!(nobody.to_string().contains("display_name"), "{nobody}");
    stage.submit(1, 10).await.expect("keeps");
    stage.submit(2, 10).await.expect("keeps");
    let early = pages.respond_to_turn(answer(&stage, 2, "Bo", "yes")).await.expect_err("early");
    assert!(early.to_string().contains("is not at the head of the queue"), "{early}");
    let empty = pages.respond_to_turn(answer(&stage, 1, "Bo", "")).await.expect_err("empty");
    assert!(empty.to_string().contains("needs a text or a call"), "{empty}");
    let id = LiveId::new(stage.session.to_string());
    for expected in [
        pages.plan_live_export(id.clone()).await.map(drop),
        pages.export_live_session(id.clone(), vec![1], None).await.map(drop),
    ] {
        let expected = expected.expect_err("it is active").to_string();
        assert!(expected.contains("it is not completed; complete it first"), "{expected}");
    }
    let open = pages.complete_live_session(id.clone(), false, "Bo".to_owned()).await;
    assert_eq!(open, Err(ApiError::LiveWaiting { count: 2 }));
    pages.complete_live_session(id.clone(), true, "Bo".to_owned()).await.expect("cancels them");
    assert!(pages.read_live_session(id.clone()).await.expect("reads").is_completed);
    let plan = pages.plan_live_export(id).await.expect("it is over");
    assert!(plan.runs.iter().all(|run| run.turns.is_empty()));
}

#[tokio::test]
async fn a_turn_shows_what_its_tools_answered_and_how_its_run_ended() {
    let stage = Stage::open().await;
    stage.submit(1, 10).await.expect("keeps");
    stage.decide(1).await.expect("keeps");
    let record = async |number: u8, payload| {
        let event = live::EventId::from_random([number; 16]);
        let agent = AgentName::parse("weather").expect("valid");
        let run = InvocationId::default();
        stage.sessions.record(stage.session, event, turn(1), agent, run, payload).await
    };
    let response = live::FunctionResponse {
        id: Some("c1".to_owned()),
        name: "broken".to_owned(),
        response: Some(json_text::JsonText::string("no such sensor")),
    };
    let outcome = live::ToolOutcome { response, failed: true, duration_ms: None };
    record(1, live::Payload::ToolResult(outcome)).await.expect("keeps");
    let shown = pages(&stage).read_live_turn(place(&stage, 1)).await.expect("reads");
    assert!(matches!(&shown.results[..], [LivePart::Response { name, .. }] if name == "broken"));
    assert_eq!(shown.ended, None);
    let message = "ValueError: no such sensor".to_owned();
    let end = live::RunEnd { outcome: live::RunOutcome::Failed, message };
    record(2, live::Payload::RunEnded(end)).await.expect("keeps");
    let shown = pages(&stage).read_live_turn(place(&stage, 1)).await.expect("reads");
    let ended = shown.ended.expect("has ended").what;
    assert!(matches!(ended, LiveEventKind::Ended { message, .. } if message.contains("sensor")));
}

#[test]
fn a_call_without_an_id_is_shown_with_the_one_under_which_its_result_came() {
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
async fn a_turn_that_is_not_there_is_told_in_words() {
    let stage = Stage::open().await;
    for id in ["nonsense".to_owned(), turn(9).to_string()] {
        let place = LivePlace { turn: LiveTurnId::new(id.clone()), ..place(&stage, 1) };
        let actual = pages(&stage).read_live_turn(place).await.expect_err("there is none");
        assert_eq!(actual.to_string(), format!("This session has no turn {id}."));
    }
}

#[tokio::test]
async fn an_export_is_in_the_audit_with_the_name_that_the_page_knows() {
    let stage = Stage::open().await;
    let audit = stage._folder.path().join("audit.jsonl");
    for (said, who) in [(Some("Ann"), Some("Ann")), (None, None)] {
        let noted = crate::access::Note::new("export")
            .perhaps_by(crate::actor::exporter(said).expect("a name").as_ref());
        crate::access::visiting(audit.clone(), async { noted.here().write() }).await;
        let lines = std::fs::read_to_string(&audit).expect("is written");
        let last: serde_json::Value =
            serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["who"], who.unwrap_or_default());
    }
}

/// Something that happens to a session while others read it.
#[derive(Debug, Clone)]
enum Happens {
    /// An agent asks, with so many kilobytes.
    Asks(usize),
    /// Somebody comes to watch: events stay in memory from now on.
    Comes,
    /// The last who watched goes.
    Goes,
    /// Somebody reads everything after this share of what there is.
    Reads(f64),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        5 => prop_oneof![0..4_usize, 200..600_usize].prop_map(Happens::Asks),
        1 => Just(Happens::Comes),
        1 => Just(Happens::Goes),
        3 => (0.0..=1.0).prop_map(Happens::Reads),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_replay_has_every_event_once_wherever_it_begins(
        all in prop::collection::vec(happens(), 1..40)
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let stage = Stage::open().await;
            let mut watching = Vec::new();
            let mut asked = 0;
            for one in all {
                match one {
                    Happens::Asks(kilobytes) => {
                        asked += 1;
                        stage.submit(asked, kilobytes * 1024).await.expect("keeps");
                    }
                    Happens::Comes => {
                        watching.push(stage.sessions.watch(stage.session).await.expect("watches"));
                    }
                    Happens::Goes => drop(watching.pop()),
                    Happens::Reads(share) => {
                        let watch = stage.sessions.watch(stage.session).await.expect("watches");
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
