use json_text::JsonText;
use live::{
    AgentName, EventId, HumanResponse, InvocationId, LiveSessionId, LlmRequest, Part as LivePart,
    Role, Sequence, ToolOutcome, TurnId,
};

use super::*;

const SESSION: &str = "936da01f-9abd-4d9d-80c7-02af85c822a8";

/// A session in the making: each thing that happens is the next event.
#[derive(Default)]
struct Recording(Vec<SessionEvent>);

impl Recording {
    fn add(mut self, turn: u8, agent: &str, run: &str, payload: Payload) -> Self {
        let sequence = self.0.len() as u64 + 1;
        self.0.push(SessionEvent {
            event_id: EventId::from_random([u8::try_from(sequence).expect("few"); 16]),
            session_id: LiveSessionId::parse(SESSION).expect("valid"),
            sequence: Sequence(sequence),
            at: live::Timestamp(1_766_500_200_000 + i64::try_from(sequence).expect("few")),
            turn_id: TurnId::from_random([turn; 16]),
            agent_name: AgentName::parse(agent).expect("valid"),
            invocation_id: InvocationId::parse(run).expect("valid"),
            by: None,
            payload,
        });
        self
    }

    fn asks(self, turn: u8, agent: &str, run: &str, message: &str) -> Self {
        let parts = vec![LivePart::Text(message.to_owned())];
        let contents = vec![live::Content { role: Role::User, parts }];
        let request = LlmRequest { contents, ..LlmRequest::default() };
        self.add(turn, agent, run, Payload::Request(request))
    }

    fn goes_on(self, turn: u8, agent: &str, run: &str) -> Self {
        self.add(turn, agent, run, Payload::Request(LlmRequest::default()))
    }

    /// The agent shows what its tools answered, and asks again.
    fn shows(self, turn: u8, agent: &str, run: &str, parts: Vec<LivePart>) -> Self {
        let contents = vec![live::Content { role: Role::Function, parts }];
        let request = LlmRequest { contents, ..LlmRequest::default() };
        self.add(turn, agent, run, Payload::Request(request))
    }

    fn answered(self, turn: u8, agent: &str, run: &str, parts: Vec<LivePart>) -> Self {
        let candidates = vec![live::Content { role: Role::Model, parts }];
        self.add(turn, agent, run, Payload::Response(HumanResponse { candidates }))
    }

    fn returned(self, turn: u8, agent: &str, run: &str, id: &str, text: &str) -> Self {
        let response = live::FunctionResponse {
            id: Some(id.to_owned()),
            name: "f".to_owned(),
            response: Some(json(text)),
        };
        let outcome = ToolOutcome { response, failed: false, duration_ms: None };
        self.add(turn, agent, run, Payload::ToolResult(outcome))
    }
}

/// What a tool answered, as an agent shows it to the model.
fn shown(id: &str, text: &str) -> LivePart {
    LivePart::FunctionResponse(live::FunctionResponse {
        id: Some(id.to_owned()),
        name: "f".to_owned(),
        response: Some(json(text)),
    })
}

fn json(text: &str) -> JsonText {
    JsonText::parse(text).expect("JSON")
}

fn text(words: &str) -> LivePart {
    LivePart::Text(words.to_owned())
}

fn call(id: &str, args: &str) -> LivePart {
    let (id, args) = (Some(id.to_owned()), Some(json(args)));
    LivePart::FunctionCall(live::FunctionCall { id, name: "f".to_owned(), args })
}

/// Of these runs, whole.
fn conversation(events: &[SessionEvent], chosen: &[usize]) -> serde_json::Value {
    let runs = runs(events);
    let turns = chosen.iter().filter_map(|run| runs.get(*run)).flat_map(|run| &run.turns);
    conversation_of(events, &turns.map(|turn| turn.answer).collect::<Vec<_>>())
}

/// Of the turns with these answers.
fn conversation_of(events: &[SessionEvent], chosen: &[u64]) -> serde_json::Value {
    let input = SessionInput::new("a", "user", json("{}"));
    let case = live_case("a", SESSION, input, events, chosen).expect("answered");
    let text = case.to_json().expect("ADK reads it");
    let text = text.laid_out(&evalset::Layout::two_spaces());
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    value["conversation"].clone()
}

/// As they are read for an export.
fn trimmed(events: Vec<SessionEvent>) -> Vec<SessionEvent> {
    let mut openings = Openings::default();
    let trim = |event| {
        let mut event = rpc::event_to_wire(event);
        openings.trim(&mut event);
        rpc::event(event).expect("still an event")
    };
    events.into_iter().map(trim).collect()
}

#[test]
fn recorded_user_content_takes_precedence() {
    let user = |words: &str| live::Content { role: Role::User, parts: vec![text(words)] };
    let request = LlmRequest {
        contents: vec![user("<<<BEGIN_SYSTEM_INSTRUCTION>>> Be short."), user("hi")],
        user_content: Some(user("hi")),
        ..LlmRequest::default()
    };
    let events = Recording::default().add(1, "a", "run1", Payload::Request(request)).answered(
        1,
        "a",
        "run1",
        vec![text("Hello.")],
    );
    let events = trimmed(events.0);
    assert_eq!(runs(&events)[0].query, "hi");
    let conversation = conversation(&events, &[0]);
    assert_eq!(conversation[0]["user_content"]["parts"], serde_json::json!([{"text": "hi"}]));
}

#[test]
fn several_messages_become_several_invocations_with_calls_by_their_ids() {
    let events = Recording::default()
        .asks(1, "a", "run1", "first")
        .answered(1, "a", "run1", vec![call("c1", r#"{"n": 9007199254740993}"#)])
        .returned(1, "a", "run1", "c1", "7")
        .goes_on(2, "a", "run1")
        .answered(2, "a", "run1", vec![text("seven")])
        .asks(3, "a", "run2", "second")
        .answered(3, "a", "run2", vec![text("done")])
        .0;
    let found = runs(&events);
    let found: Vec<_> =
        found.iter().map(|it| (it.query.as_str(), it.turns.len(), &*it.turns[0].calls)).collect();
    assert_eq!(found, [("first", 2, &["f".to_owned()][..]), ("second", 1, &[])]);
    let turns = conversation(&events, &[0, 1]);
    assert_eq!(turns[0]["invocation_id"], format!("{SESSION}_inv_1"));
    let data = &turns[0]["intermediate_data"];
    assert_eq!(data["tool_uses"][0]["id"], "c1");
    assert_eq!(data["tool_uses"][0]["args"]["n"], 9_007_199_254_740_993_u64);
    assert_eq!(data["tool_responses"][0]["response"]["result"], 7, "an object, as ADK keeps it");
    assert_eq!(turns[0]["final_response"]["parts"][0]["text"], "seven");
    assert_eq!(turns[1]["user_content"]["parts"][0]["text"], "second");
    let alone = conversation(&events, &[1]);
    assert_eq!(alone.as_array().expect("a list").len(), 1);
    assert_ne!(alone[0]["invocation_id"], turns[1]["invocation_id"], "another case");
    let none = SessionInput::new("a", "user", json("{}"));
    assert!(live_case("a", SESSION, none, &events, &[99]).is_none());
}

#[test]
fn excluded_turn_excludes_its_tool_results() {
    let events = Recording::default()
        .asks(1, "a", "run1", "first")
        .answered(1, "a", "run1", vec![call("c1", r#"{"n": 1}"#)])
        .returned(1, "a", "run1", "c1", r#""no such""#)
        .goes_on(2, "a", "run1")
        .answered(2, "a", "run1", vec![call("c2", r#"{"n": 2}"#)])
        .returned(2, "a", "run1", "c2", "7")
        .goes_on(3, "a", "run1")
        .answered(3, "a", "run1", vec![text("seven")])
        .0;
    let found: Vec<_> = runs(&events)[0].turns.iter().map(|it| it.answer).collect();
    assert_eq!(found, [2, 5, 8]);
    let turns = conversation_of(&events, &[5, 8]);
    let id =
        |turns: &serde_json::Value| turns[0]["invocation_id"].as_str().expect("a text").to_owned();
    assert!(id(&turns).starts_with(&format!("{SESSION}_inv_1_cut_")), "another case");
    assert_ne!(id(&turns), id(&conversation_of(&events, &[2, 8])));
    assert_eq!(turns[0]["user_content"]["parts"][0]["text"], "first");
    let data = &turns[0]["intermediate_data"];
    let ids = |of: &str| -> Vec<_> {
        let calls = data[of].as_array().expect("a list");
        calls.iter().map(|it| it["id"].as_str().expect("a text").to_owned()).collect()
    };
    assert_eq!((ids("tool_uses"), ids("tool_responses")), (vec!["c2".into()], vec!["c2".into()]));
    assert_eq!(turns[0]["final_response"]["parts"][0]["text"], "seven");
    let cut = conversation_of(&events, &[2]);
    assert!(cut[0].get("final_response").is_none_or(serde_json::Value::is_null));
    assert_eq!(cut[0]["intermediate_data"]["tool_responses"][0]["id"], "c1");
}

#[test]
fn calls_without_ids_are_paired_with_their_results() {
    let unnamed = |args: &str| {
        let (name, args) = ("f".to_owned(), Some(json(args)));
        LivePart::FunctionCall(live::FunctionCall { id: None, name, args })
    };
    let turn = TurnId::from_random([1; 16]);
    let digits = turn.to_string().replace('-', "");
    let parts = || vec![unnamed(r#"{"slow":1}"#), text("and"), unnamed(r#"{"slow":0}"#)];
    let begun = || Recording::default().asks(1, "a", "r", "one").answered(1, "a", "r", parts());
    let done = |events: Recording| events.answered(2, "a", "r", vec![text("done")]).0;
    let check = |events: Recording, made: [String; 2]| {
        let data = &conversation(&done(events), &[0])[0]["intermediate_data"];
        let [slow, fast] = made;
        let uses = data["tool_uses"].as_array().expect("a list");
        let found: Vec<_> = uses.iter().map(|it| (&it["id"], &it["args"]["slow"])).collect();
        assert_eq!(serde_json::json!(found), serde_json::json!([[slow, 1], [fast, 0]]));
        let answers = data["tool_responses"].as_array().expect("a list");
        let found: Vec<_> = answers.iter().map(|it| (&it["id"], &it["response"]["of"])).collect();
        assert_eq!(serde_json::json!(found), serde_json::json!([[fast, "fast"], [slow, "slow"]]));
    };

    // The plugin records them in the order in which they came.
    let [slow, fast] = [0, 1].map(|place| format!("adk-{turn}-{place}"));
    let recorded = begun()
        .returned(1, "a", "r", &fast, r#"{"of":"fast"}"#)
        .returned(1, "a", "r", &slow, r#"{"of":"slow"}"#)
        .goes_on(2, "a", "r");
    check(recorded, [slow, fast]);
    // Other agents show them with the ids that the endpoints made.
    for prefix in ["call_", "toolu_"] {
        let [slow, fast] = [0, 2].map(|part| format!("{prefix}{digits}_{part}"));
        let shown = vec![shown(&fast, r#"{"of":"fast"}"#), shown(&slow, r#"{"of":"slow"}"#)];
        check(begun().shows(2, "a", "r", shown), [slow, fast]);
    }
}

#[test]
fn request_history_fills_in_unrecorded_calls() {
    let ask = || vec![call("c1", "{}"), call("c2", "{}"), call("c3", "{}")];
    let unnamed = |text: &str| {
        LivePart::FunctionResponse(live::FunctionResponse {
            id: None,
            name: "f".to_owned(),
            response: Some(json(text)),
        })
    };
    let events = Recording::default()
        .asks(1, "a", "run1", "one")
        .answered(1, "a", "run1", ask())
        .returned(1, "a", "run1", "c2", "2")
        // Another run of the agent, and the ids of ADK's own are never shown.
        .shows(2, "a", "run2", vec![unnamed(r#"{ "result": 2 }"#), unnamed(r#"{"result": 1}"#)])
        .answered(2, "a", "run2", vec![text("done")])
        .shows(3, "a", "run2", vec![shown("c2", r#"{"result": 2}"#)])
        .0;
    let data = &conversation(&events, &[0])[0]["intermediate_data"];
    let answers = data["tool_responses"].as_array().expect("a list");
    let found: Vec<_> = answers.iter().map(|it| (&it["id"], &it["response"]["result"])).collect();
    assert_eq!(serde_json::json!(found), serde_json::json!([["c2", 2], ["c1", 1]]));
}

#[test]
fn tool_calls_seen_only_in_requests_are_exported() {
    let shown = |id: &str, text: &str| {
        let parts = vec![shown(id, text)];
        live::Content { role: Role::Function, parts }
    };
    let content = |role, parts| live::Content { role, parts };
    let asked = |contents: &[live::Content]| {
        let contents = contents.to_vec();
        Payload::Request(LlmRequest { contents, ..LlmRequest::default() })
    };
    let mut contents = vec![content(Role::User, vec![text("one")])];
    let mut events = Recording::default().add(1, "a", "", asked(&contents));
    // The person gave the second no id, and its agent made one.
    let unnamed = live::FunctionCall { id: None, name: "f".to_owned(), args: None };
    let calls = vec![call("c1", "{}"), LivePart::FunctionCall(unnamed)];
    events = events.answered(1, "a", "", calls.clone());
    contents.push(content(Role::Model, calls));
    contents.push(shown("c1", r#""{\"sky\": \"clear\"}""#));
    contents.push(shown("c2", r#"{"days": 9007199254740993}"#));
    events = events.add(2, "a", "", asked(&contents));
    events = events.answered(2, "a", "", vec![call("c3", "{}")]);
    // The user goes on in the same breath, as Anthropic's format has it.
    contents.push(content(Role::Model, vec![call("c3", "{}")]));
    contents.push(shown("c3", r#"[{"type": "text", "text": "x"}]"#));
    contents.push(content(Role::User, vec![text("two")]));
    events = events.add(3, "a", "", asked(&contents));
    events = events.answered(3, "a", "", vec![text("done")]);

    let turns = conversation(&trimmed(events.0), &[0, 1]);
    let ids = |list: &str| -> Vec<String> {
        let list = turns[0]["intermediate_data"][list].as_array().expect("a list");
        list.iter().map(|it| it["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids("tool_uses"), ["c1", "c2", "c3"]);
    assert_eq!(ids("tool_responses"), ["c1", "c2", "c3"]);
    let results = &turns[0]["intermediate_data"]["tool_responses"];
    let found: Vec<_> =
        results.as_array().expect("a list").iter().map(|it| (&it["id"], &it["response"])).collect();
    assert_eq!(
        serde_json::json!(found),
        serde_json::json!([
            ["c1", {"result": "{\"sky\": \"clear\"}"}],
            ["c2", {"days": 9_007_199_254_740_993_u64}],
            ["c3", {"result": [{"type": "text", "text": "x"}]}],
        ])
    );
    assert_eq!(turns[1]["user_content"]["parts"][0]["text"], "two");
    assert!(turns[1]["intermediate_data"]["tool_responses"].is_null(), "only once");
}

#[test]
fn sub_agents_keep_their_names() {
    let events = Recording::default()
        .asks(1, "root", "r", "hi")
        .answered(1, "root", "r", vec![text("I pass you on."), call("c1", "{}")])
        .returned(1, "root", "r", "c1", "{}")
        .goes_on(2, "helper", "r")
        .answered(2, "helper", "r", vec![text("hello")])
        .0;
    let turns = conversation(&events, &[0]);
    let actual = turns[0]["intermediate_data"]["invocation_events"].as_array().expect("events");
    let authors: Vec<_> = actual.iter().map(|it| it["author"].as_str().expect("text")).collect();
    assert_eq!(authors, ["root", "root"]);
    assert_eq!(actual[0]["content"]["parts"][0]["text"], "I pass you on.");
    assert_eq!(turns[0]["final_response"]["parts"][0]["text"], "hello");
    assert_eq!(root(&events), Some("root"));
}

#[test]
fn agent_that_only_delegates_is_the_root() {
    let recording = Recording::default()
        .asks(1, "north", "r", "hi")
        .answered(1, "north", "r", vec![text("cold")])
        .asks(2, "inner", "other", "x")
        .answered(2, "inner", "other", vec![text("x")]);
    assert_eq!(root(&recording.0), Some("north"), "as far as is known");
    let end = || live::RunEnd { outcome: live::RunOutcome::Completed, message: String::new() };
    let recording = recording.add(2, "inner", "other", Payload::RunEnded(end())).add(
        1,
        "all",
        "r",
        Payload::RunEnded(end()),
    );
    assert_eq!(root(&recording.0), Some("all"));
    let turns = conversation(&recording.0, &[0]);
    assert_eq!(turns[0]["final_response"]["parts"][0]["text"], "cold");
}

fn call_of(name: &str, id: &str) -> LivePart {
    let (id, name) = (Some(id.to_owned()), name.to_owned());
    LivePart::FunctionCall(live::FunctionCall { id, name, args: Some(json("{}")) })
}

#[test]
fn agent_tool_belongs_to_the_callers_run() {
    let asked = Recording::default()
        .asks(1, "root", "r", "Go")
        .answered(1, "root", "r", vec![call_of("helper", "h1")])
        .asks(2, "helper", "inner", "find x")
        .answered(2, "helper", "inner", vec![text("I look."), call("c1", "{}")])
        .returned(2, "helper", "inner", "c1", "1")
        .goes_on(3, "helper", "inner")
        .answered(3, "helper", "inner", vec![text("found 1")]);
    let half = conversation(&asked.0, &[0]);
    assert!(half[0]["final_response"].is_null(), "the helper's response is not the final response");
    let events = asked
        .returned(1, "root", "r", "h1", r#"{"result": "found 1"}"#)
        .goes_on(4, "root", "r")
        .answered(4, "root", "r", vec![text("All done")])
        // The user speaks to it, too.
        .asks(5, "helper", "own", "And y?")
        .answered(5, "helper", "own", vec![text("found 2")])
        .0;
    let found: Vec<_> = runs(&events)
        .into_iter()
        .map(|it| (it.query, it.turns.iter().map(|it| it.ends).collect::<Vec<_>>()))
        .collect();
    let go = ("Go".to_owned(), vec![false, false, false, true]);
    assert_eq!(found, [go, ("And y?".to_owned(), vec![true])]);
    let turns = conversation(&events, &[0]);
    assert_eq!(turns.as_array().expect("a list").len(), 1);
    assert_eq!(turns[0]["user_content"]["parts"][0]["text"], "Go");
    assert_eq!(turns[0]["final_response"]["parts"][0]["text"], "All done");
    let found = turns[0]["intermediate_data"]["invocation_events"].as_array().expect("events");
    let found: Vec<_> = found.iter().map(|it| (&it["author"], &it["content"]["parts"])).collect();
    let (helper, result) = ("helper", serde_json::json!({"result": "found 1"}));
    assert_eq!(
        serde_json::json!(found),
        serde_json::json!([
            ["root", [{"function_call": {"id": "h1", "name": helper, "args": {}}}]],
            [helper, [{"text": "I look."}]],
            [helper, [{"text": "found 1"}]],
            ["root", [{"function_response": {"id": "h1", "name": "f", "response": result}}]],
        ]),
        "no calls that ADK's evaluation does not see"
    );
}

#[test]
fn endpoint_agent_belongs_to_the_callers_run() {
    let events = Recording::default()
        .asks(1, "root", "", "Go")
        .answered(1, "root", "", vec![call_of("helper", "h1")])
        .asks(2, "helper", "", "find x")
        .answered(2, "helper", "", vec![text("found 1")])
        .goes_on(3, "root", "")
        .answered(3, "root", "", vec![text("All done")])
        .asks(4, "helper", "", "And y?")
        .answered(4, "helper", "", vec![text("found 2")])
        .0;
    let found: Vec<_> = runs(&events).into_iter().map(|it| (it.query, it.turns.len())).collect();
    assert_eq!(found, [("Go".to_owned(), 3), ("And y?".to_owned(), 1)]);
}

#[test]
fn set_model_response_becomes_the_final_response() {
    let set = |turn: u8, id: &str, value: &str| {
        let response = live::FunctionResponse {
            id: Some(id.to_owned()),
            name: "set_model_response".to_owned(),
            response: Some(json(value)),
        };
        let outcome = ToolOutcome { response, failed: false, duration_ms: None };
        (turn, Payload::ToolResult(outcome))
    };
    let refused = r#"{"error":"Validation Error found:\n1 error"}"#;
    let [(first, no), (second, yes)] =
        [set(1, "s1", refused), set(2, "s2", r#"[{"city":"Lisbon","n":1.50}]"#)];
    let events = Recording::default()
        .asks(1, "a", "r", "Where?")
        .answered(1, "a", "r", vec![call_of("set_model_response", "s1")])
        .add(first, "a", "r", no)
        .goes_on(2, "a", "r")
        .answered(2, "a", "r", vec![call_of("set_model_response", "s2")])
        .add(second, "a", "r", yes)
        .0;
    let turns = conversation(&events, &[0]);
    assert_eq!(
        turns[0]["final_response"],
        serde_json::json!({"parts": [{"text": r#"[{"city": "Lisbon", "n": 1.50}]"#}], "role": "model"}),
        "as Python writes it"
    );
    let uses = turns[0]["intermediate_data"]["tool_uses"].as_array().expect("a list");
    assert_eq!(uses.len(), 2, "ADK counts the call");
    assert!(conversation_of(&events, &[2])[0]["final_response"].is_null(), "it was refused");
    let ends: Vec<_> = runs(&events)[0].turns.iter().map(|it| it.ends).collect();
    assert_eq!(ends, [false, true]);
}

#[test]
fn unnamed_run_starts_with_a_user_message() {
    let events = Recording::default()
        .asks(1, "a", "", "one")
        .answered(1, "a", "", vec![call("c1", "{}")])
        .goes_on(2, "a", "")
        .answered(2, "a", "", vec![text("1")])
        .asks(3, "a", "", "two")
        .0;
    let found: Vec<_> = runs(&events).into_iter().map(|it| (it.query, it.turns.len())).collect();
    assert_eq!(found, [("one".to_owned(), 2), ("two".to_owned(), 0)]);
    assert_eq!(conversation(&events, &[0, 1]).as_array().expect("a list").len(), 1);
}

fn picture(name: Option<&str>) -> LivePart {
    LivePart::InlineData(live::InlineData {
        mime_type: "image/png".to_owned(),
        data: vec![0xfb, 0xff, 0xfe],
        display_name: name.map(str::to_owned),
    })
}

fn other(kind: &str, text: &str) -> LivePart {
    LivePart::Other(live::OtherPart { kind: kind.to_owned(), json: json(text) })
}

#[test]
fn images_and_thoughts_keep_their_positions() {
    let content = |role, parts| live::Content { role, parts };
    let asked = |contents: Vec<live::Content>| {
        Payload::Request(LlmRequest { contents, ..LlmRequest::default() })
    };
    let first = vec![
        content(Role::User, vec![text("Hello")]),
        content(Role::Model, vec![text("hi")]),
        content(Role::User, vec![text(""), picture(None)]),
    ];
    let mut again = first.clone();
    again.push(content(Role::Model, vec![text("a cat")]));
    again.push(content(Role::User, vec![text("And this?")]));
    again.push(content(
        Role::User,
        vec![picture(Some("dog.png")), other("file_data", r#"{"file_uri": "gs://a/b"}"#)],
    ));
    let events = Recording::default()
        .add(1, "a", "run1", asked(first))
        .answered(1, "a", "run1", vec![text("let me see"), picture(None), call("c1", "{}")])
        .goes_on(2, "a", "run1")
        .answered(2, "a", "run1", vec![LivePart::Thought("hm".to_owned()), picture(None)])
        .add(3, "a", "run2", asked(again))
        .answered(3, "a", "run2", vec![text("a dog")])
        .0;
    let blob = serde_json::json!({"inline_data": {"data": "-__-", "mime_type": "image/png"}});
    let turns = conversation(&events, &[0, 1]);
    assert_eq!(turns[0]["user_content"]["parts"], serde_json::json!([blob]), "no other's words");
    let beside = &turns[0]["intermediate_data"]["intermediate_responses"];
    assert_eq!(*beside, serde_json::json!([["a", [{"text": "let me see"}, blob]]]));
    assert_eq!(
        turns[0]["final_response"],
        serde_json::json!({"parts": [{"text": "hm", "thought": true}, blob], "role": "model"})
    );
    let named = serde_json::json!(
        {"display_name": "dog.png", "data": "-__-", "mime_type": "image/png"}
    );
    assert_eq!(
        turns[1]["user_content"]["parts"],
        serde_json::json!([
            {"text": "And this?"},
            {"inline_data": named},
            {"file_data": {"file_uri": "gs://a/b"}},
        ])
    );
    let found: Vec<_> = runs(&events).into_iter().map(|it| it.query).collect();
    assert_eq!(found, ["image/png", "And this?"]);
}

#[test]
fn content_that_a_case_cannot_hold_is_reported() {
    let events = Recording::default()
        .add(
            1,
            "a",
            "",
            Payload::Request(LlmRequest {
                contents: vec![live::Content {
                    role: Role::User,
                    parts: vec![
                        text("read this"),
                        other("document", r#"{"url": "x"}"#),
                        other("document", "[1]"),
                        other("empty", "{}"),
                    ],
                }],
                ..LlmRequest::default()
            }),
        )
        .answered(1, "a", "", vec![text("read"), other("refusal", r#""no""#)])
        .0;
    assert_eq!(runs(&events)[0].left_out, ["document", "refusal"]);
    let turns = conversation(&events, &[0]);
    assert_eq!(turns[0]["user_content"]["parts"], serde_json::json!([{"text": "read this"}]));
}

#[test]
fn later_user_message_in_a_named_run_is_reported() {
    let talk = Recording::default()
        .asks(1, "a", "run", "first")
        .answered(1, "a", "run", vec![call("c1", "{}")])
        .shows(2, "a", "run", vec![shown("c1", "1")])
        .answered(2, "a", "run", vec![text("one")])
        .asks(3, "a", "run", "second")
        .answered(3, "a", "run", vec![text("two")])
        .asks(4, "b", "run", "what another agent is asked")
        .answered(4, "b", "run", vec![text("three")]);
    assert_eq!(runs(&talk.0).iter().map(|run| run.later_user_messages).collect::<Vec<_>>(), [1]);
    // ADK's plugin reports the end of a run, and its user messages may be of other agents.
    let end = live::RunEnd { outcome: live::RunOutcome::Completed, message: String::new() };
    let ended = talk.add(3, "a", "run", Payload::RunEnded(end));
    assert_eq!(runs(&ended.0)[0].later_user_messages, 0);
}

#[test]
fn tool_result_at_the_start_of_a_run_is_its_user_content() {
    let response = live::FunctionResponse {
        id: Some("c1".to_owned()),
        name: "order".to_owned(),
        response: Some(json(r#"{"status": "shipped"}"#)),
    };
    let contents = vec![
        live::Content { role: Role::User, parts: vec![text("Order it")] },
        live::Content { role: Role::Model, parts: vec![call("c1", "{}")] },
        live::Content { role: Role::Function, parts: vec![LivePart::FunctionResponse(response)] },
        live::Content { role: Role::Model, parts: vec![text("begun by the agent")] },
    ];
    let events = Recording::default()
        .add(1, "a", "r", Payload::Request(LlmRequest { contents, ..LlmRequest::default() }))
        .answered(1, "a", "r", vec![text("It is on its way.")])
        .0;
    let actual = conversation(&events, &[0])[0]["user_content"]["parts"].clone();
    assert_eq!(
        actual,
        serde_json::json!([{"function_response":
            {"id": "c1", "name": "order", "response": {"status": "shipped"}}}])
    );
    assert_eq!(runs(&events)[0].query, "order");
}
