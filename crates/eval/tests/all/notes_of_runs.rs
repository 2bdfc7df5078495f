//! What of a case had no effect on its run.

use std::sync::Arc;
use std::time::Duration;

use eval::mock::ArgsMatch;
use eval::tool_fault::{FaultEffect, ToolFault};
use eval::user_agent::ScriptedUser;
use eval::{EvalCase, Status, ToolMock, ToolUse, rescore, run_eval};
use json_text::JsonText;

use crate::played_by_models::says_in_turn;

fn mock() -> ToolUse {
    ToolUse::Mock(ToolMock::Returns(JsonText::null()))
}

#[tokio::test]
async fn what_was_never_used_is_noted() {
    let mut case = EvalCase::new("a", says_in_turn(["Hello"]))
        .first_message("Hi")
        .tool("read", mock())
        .tool("shared", mock())
        .tool("escalate", ToolUse::Real)
        .user_for_tool("ask", Arc::new(ScriptedUser::saying(["Yes"])))
        .user(Arc::new(ScriptedUser::saying(["Bye"])))
        .fault(ToolFault {
            tool: "read".to_owned(),
            args: ArgsMatch::default(),
            probability: 0.5,
            effect: FaultEffect::Latency(Duration::ZERO),
        });
    case.shared_tools.insert("shared".to_owned());
    case.terminate_when.max_turns = Some(9);
    let result = run_eval(&EvalCase {
        user_agents: eval::UserAgents { conversation: None, ..case.user_agents.clone() },
        ..case.clone()
    })
    .await;
    assert_eq!(result.status, Status::Passed, "{:?}", result.error);
    assert_eq!(
        result.notes,
        [
            "the mock of read was never used",
            "the fault `faults[0]` met no call of read",
            "the user agent of ask was never asked",
            "the case has no metric, so nothing is measured",
        ]
    );
    let again = rescore(&case, result.clone()).await;
    assert_eq!(again.notes, result.notes);
}
