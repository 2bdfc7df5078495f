//! The audit log: a line for each login, failed attempt, and action on a live session, with the user.

use rehearsal::runs::StoredRuns;
use rpc::wire;
use serde_json::json;

use crate::access::stage::{PASSWORD, Stage};
use crate::evaluating::{agents, run, text};

#[tokio::test]
async fn audits_what_people_do_with_their_name() {
    let stage = Stage::open().await;
    let (session, turn) = stage.asked().await;
    stage.log_in("Ann", "wrong horse").await;
    let cookie = stage.cookie().await;
    let response = json!({ "response": {
        "place": { "session": session, "turn": turn },
        "by": "somebody else",
        "lease": null,
        "text": "No.",
        "calls": [],
    } });
    stage.call(&cookie, "respond_to_turn", response).await;
    for function in ["plan_live_export", "export_live_session"] {
        let early = stage.client.post(stage.url(&format!("/api/{function}")));
        let early = early.header("cookie", &cookie).header("content-type", "application/json");
        let body = json!({ "session": session, "turns": [2] }).to_string();
        let actual = early.body(body).send().await.unwrap().text().await.unwrap();
        assert!(actual.contains("it is still active. Complete it first"), "{function}: {actual}");
    }
    let asked = json!({ "session": session, "cancel_waiting": false, "by": "somebody else" });
    stage.call(&cookie, "complete_live_session", asked).await;
    let receipt = stage
        .call(&cookie, "export_live_session", json!({ "session": session, "turns": [2] }))
        .await;

    let audit = stage.audit();
    let seen: Vec<(&str, &str, &str)> = audit
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap();
            (text("what"), text("who"), text("how"))
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("refused", "Ann", "password"),
            ("login", "Ann", "password"),
            ("decision", "Ann", "password"),
            ("complete", "Ann", "password"),
            ("export", "Ann", "password"),
        ]
    );
    assert_eq!((&audit[2]["session"], &audit[2]["turn"]), (&json!(session), &json!(turn)));
    assert_eq!((&audit[3]["session"], &audit[4]["session"]), (&json!(session), &json!(session)));
    assert_eq!((&audit[4]["eval_id"], &audit[4]["file"]), (&receipt["eval_id"], &receipt["path"]));
    for line in &audit {
        assert!(line["at"].as_str().unwrap().ends_with('Z'), "{line}");
        assert!(!line.to_string().contains(PASSWORD), "{line}");
    }
}

#[tokio::test]
async fn audits_what_is_kept_of_a_run_as_an_export() {
    let folder = tempfile::tempdir().unwrap();
    let declarations = agents().join("library/tools.json").canonicalize().unwrap();
    let suite = json!({
        "subject": { "mcp": {
            "servers": { "library": { "command": "never-started" } },
            "instruction": "Help.",
            "declarations": declarations,
        } },
        "cases": [{ "name": "greets", "first_message": "Hi", "model": { "scripted": ["Hello"] } }],
    });
    std::fs::write(folder.path().join("desk.eval.yaml"), suite.to_string()).unwrap();
    let ran = run(folder.path(), &["desk.eval.yaml"], None);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let store = folder.path().join(".rehearsal/eval.sqlite");
    let stage = Stage::with_runs(StoredRuns::new(store, folder.path().to_owned(), None)).await;
    let cookie = stage.cookie().await;
    let result = json!({ "run": 1, "suite": "desk.eval.yaml", "case": "greets", "repeat": 1 });
    let kept = stage.call(&cookie, "keep_result", json!({ "result": result })).await;
    let gone = json!({ "run": 1, "suite": "desk.eval.yaml", "case": "gone", "repeat": 1 });
    let refused = stage.client.post(stage.url("/api/keep_result")).header("cookie", &cookie);
    let body = json!({ "result": gone }).to_string();
    let refused = refused.header("content-type", "application/json").body(body);
    assert!(!refused.send().await.unwrap().status().is_success());

    let audit = stage.audit();
    let [login, export] = &*audit else { panic!("two lines: {audit:?}") };
    assert_eq!(login["what"], "login");
    let of = |key: &str| export[key].as_str().unwrap();
    let who = [of("what"), of("who"), of("how"), of("run"), of("case")];
    assert_eq!(who, ["export", "Ann", "password", "1", "greets"]);
    assert_eq!((&export["eval_id"], &export["file"]), (&kept["eval_id"], &kept["path"]));
    assert!(of("file").ends_with("desk_evals.evalset.json"), "{export}");
}

#[tokio::test]
async fn audits_a_long_response_with_its_name() {
    let stage = Stage::open().await;
    let (session, turn) = stage.asked().await;
    let cookie = stage.cookie().await;
    // Longer than what is read on the threads that serve others.
    let response = json!({ "response": {
        "place": { "session": session, "turn": turn },
        "by": "somebody else",
        "lease": null,
        "text": "No. ".repeat(200_000),
        "calls": [],
    } });
    stage.call(&cookie, "respond_to_turn", response).await;
    let audit = stage.audit();
    let decision = audit.last().unwrap();
    assert_eq!((&decision["what"], &decision["who"]), (&json!("decision"), &json!("Ann")));
}

#[tokio::test]
async fn audits_cancellations_once_with_their_name() {
    let stage = Stage::open().await;
    let cookie = stage.cookie().await;
    let (session, turn) = stage.asked().await;
    let place = json!({ "session": session, "turn": turn });
    let cancel = json!({ "place": place, "reason": "too late", "by": "somebody else" });
    for _ in 0..2 {
        stage.call(&cookie, "cancel_live_turn", cancel.clone()).await;
    }
    // An agent that gives up: its token is named.
    let (session_id, turn_id) = stage.asked().await;
    let reason = "timeout".to_owned();
    let gives_up =
        wire::CancelTurnRequest { session_id: session_id.clone(), turn_id, reason, by: None };
    stage.grpc().await.cancel_turn(stage.with_token(gives_up)).await.unwrap();
    // Waiting turns are canceled with their session, which is one action.
    let (waiting, _) = stage.asked().await;
    let complete = json!({ "session": waiting, "cancel_waiting": true, "by": "" });
    for _ in 0..2 {
        stage.call(&cookie, "complete_live_session", complete.clone()).await;
    }

    let audit = stage.audit();
    let members = |line: &serde_json::Value| {
        ["what", "who", "how", "session", "reason"]
            .map(|key| line[key].as_str().unwrap_or_default().to_owned())
    };
    let seen: Vec<_> = audit.iter().skip(1).map(members).collect();
    assert_eq!(
        seen,
        [
            ["cancel", "Ann", "password", session.as_str(), "too late"],
            ["cancel", "nightly", "token", session_id.as_str(), "timeout"],
            ["complete", "Ann", "password", waiting.as_str(), ""],
        ]
    );
    assert_eq!(audit[1]["turn"], json!(turn));
}

#[tokio::test]
async fn does_not_audit_a_rejected_action_as_done() {
    let stage = Stage::open().await;
    let (session, turn) = stage.asked().await;
    let cookie = stage.cookie().await;
    let empty = json!({ "response": {
        "place": { "session": session, "turn": turn },
        "by": "Ann", "lease": null, "text": null, "calls": [],
    } });
    let url = stage.url("/api/respond_to_turn");
    let request = stage.client.post(url).header("cookie", cookie);
    let request = request.header("content-type", "application/json").body(empty.to_string());
    assert!(!request.send().await.unwrap().status().is_success());
    let seen: Vec<_> = stage.audit().into_iter().map(|line| line["what"].clone()).collect();
    assert_eq!(seen, ["login"]);
}
