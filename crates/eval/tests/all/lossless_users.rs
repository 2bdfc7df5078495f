//! Users that models play: whatever a model says and calls reaches the agent, its state and the ledger.

use std::sync::Arc;

use eval::ledger::Event;
use eval::model::{ModelTool, Models, Variables};
use eval::person::PersonUser;
use eval::persona::PersonaUser;
use eval::persona_tool::PersonaTool;
use eval::user_agent::{ScriptedUser, UserAnswer};
use eval::{EvalResult, Status, run_eval};
use json_text::JsonText;
use serde_json::{Value, json};

use crate::played_by_models::{Step, case, texts};
use crate::wire::{Endpoint, Reply, Request, responds, says};

const SERVICES: [&str; 3] = ["gemini-2.5-flash", "openai/gpt-5-mini", "anthropic/claude-sonnet-5"];

/// A user with a tool that changes the state, played by a model that answers so.
async fn user(
    service: &str,
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> (PersonaUser, Endpoint) {
    let endpoint = Endpoint::start(reply).await;
    let declaration = ModelTool {
        name: "reveal".to_owned(),
        description: "When you mention a condition".to_owned(),
        parameters: JsonText::from_value(&json!({
            "type": "object",
            "properties": { "condition": { "type": "string" } },
            "required": ["condition"],
        })),
    };
    let changes = json!({ "patient": { "revealed": ["{{ args.condition }}"] } });
    let changes = changes.as_object().expect("an object");
    let tool = PersonaTool::new(declaration, changes).expect("templates");
    let model = endpoint.models().model(service).expect("a model");
    (PersonaUser::new("You are Ada.", model).tool(tool), endpoint)
}

/// A conversation with that user, in which the agent has two things to say.
async fn talk(
    service: &str,
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> (EvalResult, Endpoint) {
    let (user, endpoint) = user(service, reply).await;
    let steps = vec![Step::Says("What else?"), Step::Says("Done.")];
    (run_eval(&case(steps).user(Arc::new(user))).await, endpoint)
}

/// What the tool `ask` gets from that user.
async fn asked(
    schema: Value,
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> (Result<String, String>, Endpoint) {
    let (user, endpoint) = user("openai/gpt-5-mini", reply).await;
    let steps = vec![Step::WaitsFor("ask", schema), Step::Says("Done.")];
    let result = run_eval(&case(steps).user_for_tool("ask", Arc::new(user))).await;
    let answer = result.events.iter().find_map(|entry| match &entry.event {
        Event::ToolResult { result, .. } => Some(result.compact().to_string()),
        _ => None,
    });
    (answer.ok_or_else(|| result.error.map_or_else(String::new, |it| it.message)), endpoint)
}

fn events(result: &EvalResult, name: &str) -> Vec<Value> {
    let events = result.events.iter().filter(|entry| entry.event.name() == name);
    events.map(|entry| serde_json::to_value(&entry.event).expect("serializes")).collect()
}

fn final_state(result: &EvalResult) -> Value {
    events(result, "termination")[0]["state"].clone()
}

#[tokio::test]
async fn a_text_beside_the_end_is_said_and_answered() {
    for text in ["Please close case 77. </finished>", "</FINISHED>\n\nPlease close case 77."] {
        let (result, endpoint) = talk("openai/gpt-5-mini", move |it| says(it, text)).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        let said = texts(&result, "user_message");
        assert_eq!(said, ["I need a flight", "Please close case 77."]);
        assert_eq!(texts(&result, "message"), ["What else?", "Done."]);
        assert_eq!((result.turns, endpoint.requests().len()), (1, 1), "it is not asked again");
    }
    for text in ["</finished>", " `</Finished>`.\n"] {
        let (result, _) = talk("openai/gpt-5-mini", move |it| says(it, text)).await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        assert_eq!((texts(&result, "user_message").len(), result.turns), (1, 0), "{text}");
    }
}

#[tokio::test]
async fn a_call_before_the_end_changes_the_state() {
    for service in SERVICES {
        let (result, _) = talk(service, |request| match request.number {
            0 => responds(request, "", &[("reveal", json!({ "condition": "asthma" }))]),
            _ => says(request, "</finished>"),
        })
        .await;
        assert_eq!(result.status, Status::Passed, "{:?}", result.error);
        assert_eq!(final_state(&result)["patient"]["revealed"], json!(["asthma"]), "{service}");
        assert_eq!(result.turns, 0);
    }
}

#[tokio::test]
async fn a_text_beside_a_call_is_said_with_the_text_that_follows() {
    for service in SERVICES {
        for (then, message) in [
            ("And a cough.", "I have asthma.\n\nAnd a cough."),
            // The model has said what it wants to, or says it again.
            ("", "I have asthma."),
            ("I have asthma.", "I have asthma."),
        ] {
            let (result, endpoint) = talk(service, move |request| match request.number {
                0 => {
                    let call = [("reveal", json!({ "condition": "asthma" }))];
                    responds(request, "I have asthma.", &call)
                }
                1 => says(request, then),
                _ => says(request, "</finished>"),
            })
            .await;
            assert_eq!(result.status, Status::Passed, "{:?}", result.error);
            assert_eq!(texts(&result, "user_message")[1], message, "{service}");
            assert_eq!(endpoint.requests().len(), 3, "{service}: {then:?}");
        }
    }
}

#[tokio::test]
async fn all_calls_of_a_reply_change_the_state_and_are_in_the_ledger() {
    let (result, _) = talk("openai/gpt-5-mini", |request| match request.number {
        0 => responds(
            request,
            "",
            &[
                ("reveal", json!({ "condition": "asthma" })),
                ("reveal", json!({ "condition": "gout" })),
                ("fly", json!({})),
            ],
        ),
        1 => says(request, "I have asthma and gout."),
        _ => says(request, "</finished>"),
    })
    .await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let calls = events(&result, "user_agent_call");
    let seen = |member: &str| calls.iter().map(|call| call[member].clone()).collect::<Vec<_>>();
    assert_eq!(seen("name"), ["reveal", "reveal", "fly"]);
    assert_eq!(seen("agent"), ["the conversation"; 3]);
    assert_eq!(seen("args")[1], json!({ "condition": "gout" }));
    assert_eq!(seen("result")[2], json!({ "error": "unknown tool" }));
    assert_eq!(seen("changes")[0]["patient"]["revealed"], json!(["asthma"]));
    let changes = events(&result, "state_change")[0]["changes"].clone();
    assert_eq!(changes["patient"]["revealed"], json!(["gout"]));
    let conflicts = events(&result, "state_conflict");
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts[0]["pointer"], "/patient/revealed");
    assert_eq!(conflicts[0]["replaced"], json!(["asthma"]));
    assert!(events(&result, "tool_call").is_empty(), "those are the agent's");
}

#[tokio::test]
async fn what_the_opening_message_changes_is_there_before_the_agent_runs() {
    let answer = UserAnswer::Says {
        output: JsonText::string("Hello"),
        changes: JsonText::from_value(&json!({ "session": { "opened": true } })),
    };
    let mut case = case(vec![Step::Says("Hi.")]).user(Arc::new(ScriptedUser::new(vec![answer])));
    case.first_message = None;
    let result = run_eval(&case).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    let names: Vec<&str> = result.events.iter().map(|entry| entry.event.name()).collect();
    let at = |name: &str| names.iter().position(|it| *it == name);
    assert!(at("state_change") < at("user_message"), "{names:?}");
    assert_eq!(events(&result, "state_change")[0]["changes"], json!({ "opened": true }));
}

#[tokio::test]
async fn a_reply_that_is_empty_or_unusable_is_repeated() {
    for service in SERVICES {
        for text in ["", " \n", "<think>What do I say?</think>\n", "<think>What do I"] {
            let (result, endpoint) = talk(service, move |request| match request.number {
                0 => says(request, text),
                1 => says(request, "Close case 77."),
                _ => says(request, "</finished>"),
            })
            .await;
            assert_eq!(result.status, Status::Passed, "{service} {text:?}: {:?}", result.error);
            assert_eq!(texts(&result, "user_message")[1], "Close case 77.");
            assert_eq!(endpoint.requests().len(), 3);
        }
    }
    // Arguments that are cut off.
    let (result, _) = talk("openai/gpt-5-mini", |request| match request.number {
        0 => {
            let call = [("reveal", json!({ "condition": "asthma" }))];
            match responds(request, "", &call) {
                Reply::Status(status, headers, body) => {
                    Reply::Status(status, headers, body.replace(r#"asthma\"}"#, "asth"))
                }
                other => other,
            }
        }
        1 => says(request, "Close case 77."),
        _ => says(request, "</finished>"),
    })
    .await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(texts(&result, "user_message")[1], "Close case 77.");
    assert!(events(&result, "user_agent_call").is_empty());
}

#[tokio::test]
async fn what_a_model_thinks_is_not_what_it_says() {
    let thinks = "<think>\nThey would write </finished> now.\n</think>\n\nClose case 77.";
    let (result, _) = talk("openai/gpt-5-mini", move |request| match request.number {
        0 => says(request, thinks),
        _ => says(request, "</finished>"),
    })
    .await;
    assert_eq!(texts(&result, "user_message")[1], "Close case 77.");

    let (result, _) = talk("gemini-2.5-flash", |request| match request.number {
        0 => match says(request, "Close case 77.") {
            Reply::Status(status, headers, body) => {
                let thought = r#""parts":[{"text":"Is it </finished>?","thought":true},"#;
                Reply::Status(status, headers, body.replace(r#""parts":["#, thought))
            }
            other => other,
        },
        _ => says(request, "</finished>"),
    })
    .await;
    assert_eq!(texts(&result, "user_message")[1], "Close case 77.");

    let (result, _) = talk("openai/gpt-5-mini", |request| match request.number {
        0 => match says(request, "Close case 77.") {
            Reply::Status(status, headers, body) => {
                let thought = r#""reasoning_content":"Is it </finished>?","role":"#;
                Reply::Status(status, headers, body.replace(r#""role":"#, thought))
            }
            other => other,
        },
        _ => says(request, "</finished>"),
    })
    .await;
    assert_eq!(texts(&result, "user_message")[1], "Close case 77.");
}

#[tokio::test]
async fn a_tool_that_returns_a_text_gets_a_text() {
    let text = || json!({ "type": "string" });
    let (answer, endpoint) = asked(text(), |it| says(it, "On Tuesday, I think.")).await;
    assert_eq!(answer.as_deref(), Ok(r#""On Tuesday, I think.""#));
    assert_eq!(endpoint.requests().len(), 1);
    assert!(endpoint.requests()[0].text().contains(r#"{\"type\":\"string\"}"#), "the schema");
    for (written, read) in [(r#""Tuesday""#, r#""Tuesday""#), ("42", r#""42""#)] {
        let (answer, _) = asked(text(), move |it| says(it, written)).await;
        assert_eq!(answer.as_deref(), Ok(read));
    }
    // With what is written beside a call of its own.
    let (answer, _) = asked(text(), |request| match request.number {
        0 => responds(request, "Yes.", &[("reveal", json!({ "condition": "gout" }))]),
        _ => says(request, "On Tuesday."),
    })
    .await;
    assert_eq!(answer.as_deref(), Ok(r#""Yes.\n\nOn Tuesday.""#));
}

#[tokio::test]
async fn an_answer_that_the_tool_cannot_take_is_asked_for_again() {
    let schema = json!({
        "type": "object", "properties": { "day": { "type": "string" } }, "required": ["day"],
    });
    for first in ["On Tuesday", r#"{"date": "Tuesday"}"#] {
        let (answer, endpoint) = asked(schema.clone(), move |request| match request.number {
            0 => says(request, first),
            _ => says(request, r#"{"day": "Tuesday"}"#),
        })
        .await;
        assert_eq!(answer.as_deref(), Ok(r#"{"day":"Tuesday"}"#), "{first}");
        let again = endpoint.requests()[1].text();
        assert!(again.contains("This answer cannot be used"), "{again}");
    }
    let (answer, endpoint) = asked(schema, |it| says(it, "{}")).await;
    let message = answer.expect_err("no day");
    assert!(message.contains("output schema") && message.ends_with("It was: {}"), "{message}");
    assert_eq!(endpoint.requests().len(), 2, "as often as `retries` says");

    let (user, endpoint) = user("openai/gpt-5-mini", |request| match request.number {
        0 => says(request, r#"{"answer": "Yes"}"#),
        _ => says(request, r#"{"confirmed": true}"#),
    })
    .await;
    let steps = vec![Step::Confirms("pay"), Step::Says("Paid.")];
    let result = run_eval(&case(steps).user_for_tool("pay", Arc::new(user))).await;
    assert_eq!((result.status, endpoint.requests().len()), (Status::Passed, 2));
}

#[tokio::test]
async fn a_person_may_say_something_while_ending_the_conversation() {
    let endpoint = Endpoint::start(|request| {
        responds(request, "Please close case 77.", &[("end_conversation", json!({}))])
    })
    .await;
    let models = Models::new(Variables::given([("REHEARSAL_SERVER_URL", endpoint.url.as_str())]));
    let user = PersonUser::new(models.person("a case"), "");
    let steps = vec![Step::Says("What else?"), Step::Says("Done.")];
    let result = run_eval(&case(steps).user(Arc::new(user))).await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(texts(&result, "user_message")[1], "Please close case 77.");
    assert_eq!(texts(&result, "message"), ["What else?", "Done."]);
}
