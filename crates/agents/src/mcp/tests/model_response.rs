//! An agent with an output schema responds with google-adk's tool.

use super::*;

fn with_schema(schema: &str, tools: &str) -> McpAgent {
    let server = polite(&format!("\"result\":{tools}"), "");
    let mut agent = McpAgent::new("tester").instruction("Be brief.").server(server);
    agent.output_schema = JsonText::parse(schema).ok();
    agent
}

const SUMMARY: &str =
    r#"{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}"#;
/// The second one has a name that google-adk reserves.
const TOOLS: &str = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}},
    {"name":"set_model_response","inputSchema":{"type":"object"}}]}"#;

#[tokio::test]
async fn responds_with_the_tool_of_google_adk() {
    let test = TestSession::of_agent(with_schema(SUMMARY, &TOOLS.replace('\n', " "))).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    let names: Vec<_> = view.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["set_model_response", "t"]);
    assert_eq!(view.tools[0].provided_by, "adk");
    let parameters = view.tools[0].parameters.as_ref().expect("some").as_str();
    assert!(parameters.contains(&format!(r#""response":{SUMMARY}"#)), "{parameters}");
    assert!(view.instruction.starts_with("Be brief.\n\nIMPORTANT: "), "{}", view.instruction);

    let report = test.call("set_model_response", r#"{"response":{"summary":"Mild."}}"#).await;
    assert_eq!(returned(report).as_str(), r#"{"summary":"Mild."}"#);
    for (arguments, expected) in [
        (r#"{"response":{"summary":1}}"#, "/response/summary: "),
        (r#"{"summary":"Mild."}"#, "The argument `response` is missing."),
    ] {
        let failure = failed(test.call("set_model_response", arguments).await);
        assert_eq!(failure.error_type, ToolError::INVALID_ARGUMENTS);
        assert!(failure.message.starts_with(expected), "{failure:?}");
    }
    test.end().await;
}

#[tokio::test]
async fn a_schema_with_references_is_not_nested() {
    let schema = r##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}"##;
    let test = TestSession::of_agent(with_schema(schema, ONE_TOOL)).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let parameters = view.expect("open already").tools[0].parameters.clone().expect("some");
    assert!(parameters.as_str().contains(r#""response":{}"#), "{parameters}");
    let report = test.call("set_model_response", r#"{"response":[1.50]}"#).await;
    assert_eq!(returned(report).as_str(), "[1.50]");
    let failure = failed(test.call("set_model_response", r#"{"response":{}}"#).await);
    assert!(failure.message.starts_with("/response: "), "{failure:?}");
    test.end().await;
}

#[tokio::test]
async fn an_agent_without_servers_writes_its_response() {
    let mut agent = McpAgent::new("tester");
    agent.output_schema = JsonText::parse(SUMMARY).ok();
    let test = TestSession::of_agent(agent).await;
    let view = test.source.open_session(&test.session, &SessionSeed::default()).await;
    let view = view.expect("open already");
    assert!(view.tools.is_empty() && view.instruction.is_empty(), "{view:?}");
    test.end().await;
}
