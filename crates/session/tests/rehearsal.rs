//! A session's rules, seen from outside.

use expect_test::{Expect, expect};
use jiff::Timestamp;
use json_text::JsonText;
use proptest::prelude::*;
use session::{
    AgentId, CallId, Effect, Event, GoldenTrace, HistoryEntry, Outcome, Refusal, Session,
    SessionId, SessionState, ToolError, ToolName, ToolResult, Unmet, step,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_766_500_200 + second).expect("in range")
}

fn call_id(number: usize) -> CallId {
    CallId::parse(&format!("call-{number}")).expect("valid")
}

fn new() -> Session {
    Session::new(SessionId::parse("s1").expect("valid"))
}

fn select() -> Event {
    Event::SelectAgent { agent: AgentId::parse("math").expect("valid") }
}

fn query(second: i64) -> Event {
    Event::SubmitQuery { content: "What is 5 + 3?".to_owned(), at: at(second) }
}

fn call(number: usize, arguments: &str, second: i64) -> Event {
    Event::CallTool {
        call_id: call_id(number),
        tool_name: ToolName::parse("add").expect("valid"),
        arguments: JsonText::parse(arguments).expect("valid"),
        is_agent: false,
        at: at(second),
    }
}

fn settle(number: usize, second: i64) -> Event {
    let result = ToolResult::Whole(JsonText::parse("8").expect("valid"));
    Event::Settle {
        call_id: call_id(number),
        outcome: Outcome::returned(result),
        duration_ms: 1.5,
        at: at(second),
    }
}

fn respond(second: i64) -> Event {
    Event::Respond { content: "It is 8.".to_owned(), at: at(second) }
}

fn play(events: impl IntoIterator<Item = Event>) -> Result<Session, Refusal> {
    events.into_iter().try_fold(new(), |session, event| step(&session, event).map(|next| next.0))
}

fn check(events: Vec<Event>, expected: &Expect) {
    let log = match play(events) {
        Ok(session) => {
            let mut log = format!("{}\n", session.state().name());
            for entry in session.history() {
                log += &format!("{}\n", serde_json::to_string(&entry).expect("serializes"));
            }
            log
        }
        Err(refusal) => format!("refused: {refusal}\n"),
    };
    expected.assert_eq(&log);
}

#[test]
fn a_whole_rehearsal() {
    check(
        vec![select(), query(0), call(1, r#"{"a":5,"b":3}"#, 1), settle(1, 2), respond(3)],
        &expect![[r#"
            completed
            {"type":"user_query","content":"What is 5 + 3?","timestamp":"2025-12-23T14:30:00Z"}
            {"type":"tool_call","tool_name":"add","arguments":{"a":5,"b":3},"call_id":"call-1","timestamp":"2025-12-23T14:30:01Z"}
            {"type":"tool_output","call_id":"call-1","result":8,"duration_ms":1.5,"timestamp":"2025-12-23T14:30:02Z"}
            {"type":"final_response","content":"It is 8.","timestamp":"2025-12-23T14:30:03Z"}
        "#]],
    );
}

#[test]
fn inapplicable_event_is_rejected_with_a_reason() {
    check(
        vec![query(0)],
        &expect![[r#"
            refused: you cannot send a user message while the session is waiting for you to choose an agent. Choose an agent first
        "#]],
    );
    check(
        vec![select(), select()],
        &expect![[r#"
            refused: you cannot choose an agent while the session is waiting for the user message. Start a new session
        "#]],
    );
    check(
        vec![select(), call(1, "{}", 1)],
        &expect![[r#"
            refused: you cannot call a tool while the session is waiting for the user message. Write the user message first
        "#]],
    );
    check(
        vec![select(), query(0), call(1, "{}", 1), call(2, "{}", 2)],
        &expect![[r#"
            refused: add is still running: one tool runs at a time, wait for it or cancel it
        "#]],
    );
    check(
        vec![select(), query(0), call(1, "{}", 1), settle(1, 2), call(1, "{}", 3)],
        &expect![[r#"
            refused: call id call-1 is already used in this session: give each call a unique id
        "#]],
    );
    check(
        vec![select(), query(0), call(1, "[]", 1)],
        &expect![[r#"
            refused: the arguments of add must be a JSON object, not a JSON array
        "#]],
    );
    check(
        vec![select(), query(0), call(1, "{}", 1), respond(2)],
        &expect![[r#"
            refused: add is still running: one tool runs at a time, wait for it or cancel it
        "#]],
    );
    check(
        vec![select(), query(0), call(1, "{}", 1), settle(2, 2)],
        &expect![[r#"
            refused: call call-2 is not running: it has ended or was never made
        "#]],
    );
    check(
        vec![select(), query(0), respond(1), call(1, "{}", 2)],
        &expect![[r#"
            refused: you cannot call a tool while the session is completed. Continue it with another user message, or start a new one
        "#]],
    );
    check(
        vec![select(), Event::SubmitQuery { content: " \n".to_owned(), at: at(0) }],
        &expect![[r#"
            refused: the user message is empty: write it
        "#]],
    );
}

#[test]
fn a_cancelled_call_ends_with_the_hosts_event() {
    let session = play([select(), query(0), call(1, "{}", 1)]).expect("plays");
    let cancel = Event::CancelCall { call_id: call_id(1) };
    let (session, effects) = step(&session, cancel.clone()).expect("cancels");
    assert_eq!(effects, [Effect::CancelTool { call_id: call_id(1) }]);
    let (session, effects) = step(&session, cancel).expect("cancelling twice is once");
    assert_eq!(effects, []);
    assert!(step(&session, settle(1, 2)).expect("settles").0.pending().is_none());
}

#[test]
fn answer_is_sent_to_the_host() {
    let session = play([select(), query(0)]).expect("plays");
    let (answered, effects) = step(&session, respond(1)).expect("answers");
    assert_eq!(effects, [Effect::EndInvocation { content: "It is 8.".to_owned() }]);
    assert!(step(&answered, respond(2)).is_err(), "once");
}

#[test]
fn confirmation_and_long_running_results_come_from_the_person() {
    let session = play([select(), query(0), call(1, "{}", 1)]).expect("plays");
    let ask = Event::AskConfirmation {
        call_id: call_id(1),
        hint: "Opens the door".into(),
        payload: None,
    };
    let (asked, _) = step(&session, ask).expect("asks");
    let confirm = Event::Confirm { call_id: call_id(1), confirmed: true, payload: None };
    assert!(step(&session, confirm.clone()).is_err(), "no confirmation was requested");
    let (confirmed, effects) = step(&asked, confirm).expect("confirms");
    assert!(matches!(effects[..], [Effect::ConfirmTool { confirmed: true, .. }]));
    let wait = Event::AwaitResult { call_id: call_id(1), first: None };
    let (waiting, _) = step(&confirmed, wait).expect("waits");
    let supply = Event::SupplyResult { call_id: call_id(1), result: JsonText::null() };
    let (supplied, effects) = step(&waiting, supply).expect("supplies");
    assert!(matches!(effects[..], [Effect::SupplyResult { .. }]));
    assert_eq!(step(&supplied, settle(1, 2)).expect("settles").0.calls().len(), 1);
}

#[test]
fn a_result_that_the_person_gives_for_an_agent_stands_for_its_models_response() {
    for is_agent in [false, true] {
        let Event::CallTool { call_id, tool_name, arguments, at, .. } = call(1, "{}", 1) else {
            panic!("a call")
        };
        let asks = Event::AskConfirmation {
            call_id: call_id.clone(),
            hint: "It is an agent.".to_owned(),
            payload: None,
        };
        let supplies = Event::Confirm { call_id: call_id.clone(), confirmed: true, payload: None };
        let called = Event::CallTool { call_id, tool_name, arguments, is_agent, at };
        let events = [select(), query(0), called, asks, supplies, settle(1, 2)];
        let session = play(events).expect("plays");
        assert_eq!(session.calls()[0].unmet().is_some(), !is_agent);
    }
}

/// The events with which the person begins to play the agent that call `number` calls.
fn begin_acting(number: usize, second: i64) -> [Event; 4] {
    let call_id = call_id(number);
    let asks = Event::AskConfirmation {
        call_id: call_id.clone(),
        hint: "It is an agent.".to_owned(),
        payload: None,
    };
    let plays = Event::ActAsAgent { call_id: call_id.clone() };
    [call(number, "{}", second), asks, plays, Event::BeginActing { call_id }]
}

#[test]
fn the_calls_of_a_played_agent_are_within_its_call() {
    let mut events = vec![select(), query(0)];
    events.extend(begin_acting(1, 1));
    events.extend([call(2, "{}", 2), settle(2, 3)]);
    check(
        events.clone(),
        &expect![[r#"
            active
            {"type":"user_query","content":"What is 5 + 3?","timestamp":"2025-12-23T14:30:00Z"}
            {"type":"tool_call","tool_name":"add","arguments":{},"call_id":"call-1","timestamp":"2025-12-23T14:30:01Z"}
            {"type":"tool_call","tool_name":"add","arguments":{},"call_id":"call-2","timestamp":"2025-12-23T14:30:02Z","within":"call-1"}
            {"type":"tool_output","call_id":"call-2","result":8,"duration_ms":1.5,"timestamp":"2025-12-23T14:30:03Z"}
        "#]],
    );
    let (session, effects) =
        step(&play(events.clone()).expect("plays"), respond(4)).expect("the agent responds");
    let content = "It is 8.".to_owned();
    assert_eq!(effects, [Effect::RespondAsAgent { call_id: call_id(1), content }]);
    assert!(session.busy_with().is_some() && session.acted_as().is_some(), "until the host has it");
    events.extend([respond(4), settle(1, 5), call(3, "{}", 6), settle(3, 7), respond(8)]);
    check(
        events.clone(),
        &expect![[r#"
            completed
            {"type":"user_query","content":"What is 5 + 3?","timestamp":"2025-12-23T14:30:00Z"}
            {"type":"tool_call","tool_name":"add","arguments":{},"call_id":"call-1","timestamp":"2025-12-23T14:30:01Z"}
            {"type":"tool_call","tool_name":"add","arguments":{},"call_id":"call-2","timestamp":"2025-12-23T14:30:02Z","within":"call-1"}
            {"type":"tool_output","call_id":"call-2","result":8,"duration_ms":1.5,"timestamp":"2025-12-23T14:30:03Z"}
            {"type":"tool_output","call_id":"call-1","result":8,"duration_ms":1.5,"timestamp":"2025-12-23T14:30:05Z"}
            {"type":"tool_call","tool_name":"add","arguments":{},"call_id":"call-3","timestamp":"2025-12-23T14:30:06Z"}
            {"type":"tool_output","call_id":"call-3","result":8,"duration_ms":1.5,"timestamp":"2025-12-23T14:30:07Z"}
            {"type":"final_response","content":"It is 8.","timestamp":"2025-12-23T14:30:08Z"}
        "#]],
    );
    let session = play(events).expect("plays");
    let trace = session.golden_trace().expect("is completed");
    let ids = |calls: Vec<&session::Call>| -> Vec<String> {
        calls.into_iter().map(|made| made.call.call_id.to_string()).collect()
    };
    assert_eq!(ids(session.calls().iter().collect()), ["call-1", "call-2", "call-3"]);
    assert_eq!(ids(trace.calls().collect()), ["call-1", "call-3"], "a case has the outer calls");
    assert_eq!(trace.calls().next().and_then(session::Call::unmet), None);
}

#[test]
fn an_agent_is_acting_within_another_one() {
    let mut events = vec![select(), query(0)];
    events.extend(begin_acting(1, 1));
    events.extend(begin_acting(2, 2));
    events.extend([call(3, "{}", 3), settle(3, 4)]);
    let session = play(events.clone()).expect("plays");
    let outer = call_id(1);
    assert_eq!((session.place_of(&outer), session.all_pending().len()), (0, 2));
    let cancel = Event::CancelCall { call_id: outer };
    assert!(step(&session, cancel).is_err(), "the innermost agent ends first");
    events.extend([respond(5), settle(2, 6), respond(7), settle(1, 8), respond(9)]);
    let session = play(events).expect("plays");
    let ids: Vec<_> = session.history().iter().map(HistoryEntry::type_name).collect();
    let calls = ["tool_call", "tool_call", "tool_call"];
    let outputs = ["tool_output", "tool_output", "tool_output"];
    assert_eq!(ids[1..7], [calls, outputs].concat());
}

#[test]
fn a_completed_session_continues_with_the_next_message() {
    check(
        vec![
            select(),
            query(0),
            call(1, "{}", 1),
            settle(1, 2),
            respond(3),
            Event::Continue,
            query(2),
            call(2, "{}", 5),
            settle(2, 6),
            respond(7),
        ],
        &expect![[r#"
            completed
            {"type":"user_query","content":"What is 5 + 3?","timestamp":"2025-12-23T14:30:00Z"}
            {"type":"tool_call","tool_name":"add","arguments":{},"call_id":"call-1","timestamp":"2025-12-23T14:30:01Z"}
            {"type":"tool_output","call_id":"call-1","result":8,"duration_ms":1.5,"timestamp":"2025-12-23T14:30:02Z"}
            {"type":"final_response","content":"It is 8.","timestamp":"2025-12-23T14:30:03Z"}
            {"type":"user_query","content":"What is 5 + 3?","timestamp":"2025-12-23T14:30:03Z"}
            {"type":"tool_call","tool_name":"add","arguments":{},"call_id":"call-2","timestamp":"2025-12-23T14:30:05Z"}
            {"type":"tool_output","call_id":"call-2","result":8,"duration_ms":1.5,"timestamp":"2025-12-23T14:30:06Z"}
            {"type":"final_response","content":"It is 8.","timestamp":"2025-12-23T14:30:07Z"}
        "#]],
    );
    let completed = play([select(), query(0), call(1, "{}", 1), settle(1, 2), respond(3)]);
    let completed = completed.expect("plays");
    let (continued, effects) = step(&completed, Event::Continue).expect("continues");
    assert_eq!((continued.state(), effects), (SessionState::AwaitingQuery, vec![]));
    assert_eq!(continued.golden_trace(), completed.golden_trace());
    let (back, _) = step(&continued, Event::CancelContinue).expect("goes back");
    assert_eq!(back, completed);
    let (again, _) = step(&continued, query(4)).expect("takes the query");
    assert!(step(&again, call(1, "{}", 5)).is_err(), "call ids are unique in the session");
    assert_eq!((again.calls().len(), again.calls_of_turn().len(), again.turns().len()), (1, 0, 2));
}

#[test]
fn what_a_call_waited_for_is_recorded() {
    let session = play([select(), query(0), call(1, "{}", 1)]).expect("plays");
    let waited = |events: Vec<Event>| {
        let ended = events.into_iter().chain([settle(1, 3)]);
        let ended =
            ended.fold(session.clone(), |session, event| step(&session, event).expect("fits").0);
        ended.calls()[0].unmet()
    };
    let result = |first| {
        let result = JsonText::null();
        vec![
            Event::AwaitResult { call_id: call_id(1), first },
            Event::SupplyResult { call_id: call_id(1), result },
        ]
    };
    assert_eq!(waited(vec![]), None);
    assert_eq!(waited(result(None)), Some(Unmet::Waited));
    assert_eq!(waited(result(Some(JsonText::string("pending")))), None, "the run goes on");
    let confirmed = vec![
        Event::AskConfirmation { call_id: call_id(1), hint: String::new(), payload: None },
        Event::Confirm { call_id: call_id(1), confirmed: true, payload: None },
    ];
    assert_eq!(waited(confirmed), Some(Unmet::Waited));
}

#[test]
fn a_call_whose_process_ended_is_interrupted_and_no_failure_of_the_tool() {
    let session = play([select(), query(0), call(1, "{}", 1)]).expect("plays");
    let ended = |error_type: &str| {
        let (error_type, error_message) = (error_type.to_owned(), "It ended.".to_owned());
        let outcome = Outcome::Error { error_type, error_message, traceback: None };
        let event = Event::Settle { call_id: call_id(1), outcome, duration_ms: 1.0, at: at(3) };
        step(&session, event).expect("fits").0.calls()[0].unmet()
    };
    assert_eq!(ended(ToolError::WORKER_EXITED), Some(Unmet::Interrupted));
    assert_eq!(ended(ToolError::SERVER_EXITED), Some(Unmet::Interrupted));
    assert_eq!(ended("ValueError"), Some(Unmet::Failed));
}

fn any_event() -> impl Strategy<Value = Event> {
    let second = -5_i64..50;
    prop_oneof![
        Just(select()),
        second.clone().prop_map(query),
        (0_usize..4, second.clone()).prop_map(|(number, second)| call(number, "{}", second)),
        (0_usize..4, second.clone()).prop_map(|(number, second)| settle(number, second)),
        (0_usize..4).prop_map(|number| Event::CancelCall { call_id: call_id(number) }),
        (0_usize..4).prop_map(|number| Event::AskConfirmation {
            call_id: call_id(number),
            hint: String::new(),
            payload: None
        }),
        (0_usize..4, any::<bool>()).prop_map(|(number, confirmed)| Event::Confirm {
            call_id: call_id(number),
            confirmed,
            payload: None
        }),
        (0_usize..4).prop_map(|number| Event::ActAsAgent { call_id: call_id(number) }),
        (0_usize..4).prop_map(|number| Event::BeginActing { call_id: call_id(number) }),
        second.prop_map(respond),
        Just(Event::Continue),
        Just(Event::CancelContinue),
    ]
}

proptest! {
    /// Whatever is thrown at a session, its history keeps the rules.
    #[test]
    fn every_reachable_history_is_valid(events in prop::collection::vec(any_event(), 0..60)) {
        let mut session = new();
        for event in events {
            if let Ok((next, _)) = step(&session, event) {
                session = next;
            }
            let history = session.history();
            match session.state() {
                SessionState::SelectingAgent => prop_assert!(history.is_empty()),
                SessionState::AwaitingQuery => {
                    prop_assert_eq!(history.is_empty(), session.past_turns() == 0);
                }
                SessionState::Active | SessionState::Completed => {
                    prop_assert!(matches!(history[0], HistoryEntry::UserQuery(_)));
                }
            }
            prop_assert!(history.windows(2).all(|pair| pair[0].timestamp() <= pair[1].timestamp()));
            let text = serde_json::to_string(&history).expect("serializes");
            let reread: Vec<HistoryEntry> = serde_json::from_str(&text).expect("reads");
            prop_assert_eq!(&reread, &history);
            let agent = AgentId::parse("math").expect("valid");
            let trace = GoldenTrace::from_history(session.id().clone(), agent, reread);
            let is_whole = session.state() == SessionState::Completed
                || session.state() == SessionState::AwaitingQuery && session.past_turns() > 0;
            prop_assert_eq!(trace.is_ok(), is_whole);
            prop_assert_eq!(trace.ok(), session.golden_trace());
        }
    }
}
