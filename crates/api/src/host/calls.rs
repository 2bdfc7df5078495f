//! [`CallHost`]: tool calls of rehearsals, and the questions that their servers ask.

use json_text::JsonText;
use session::{CallId, SessionId, ToolName};

use crate::{Answer, ResourceContent, ResultSlice, ToolRequest};

super::host_functions! {
    /// Tool calls of rehearsals, and the questions that their servers ask.
    trait CallHost;

    /// Starts a call.
    "start_call": fn start_call(request: ToolRequest) -> ();

    /// Stops a call. The host reports its end within a second.
    "cancel_call": fn cancel_call(session: SessionId, call_id: CallId) -> ();

    /// Answers a tool that asked for confirmation.
    "confirm_call": fn confirm_call(
        session: SessionId,
        call_id: CallId,
        confirmed: bool,
        payload: Option<JsonText>,
    ) -> ();

    /// Supplies the result of a long-running tool.
    "supply_result": fn supply_result(session: SessionId, call_id: CallId, result: JsonText) -> ();

    /// Has the person act as the agent that was called, in place of confirming that its model runs.
    "act_as_agent": fn act_as_agent(session: SessionId, call_id: CallId) -> ();

    /// Ends the agent that the person acts as with its final response, which becomes the result of its call.
    "respond_as_agent": fn respond_as_agent(
        session: SessionId,
        call_id: CallId,
        content: String,
    ) -> ();

    /// Reads a part of a stored result: at most 256 KiB from `offset` on.
    "read_stored_result": fn read_stored_result(
        session: SessionId,
        call_id: CallId,
        offset: u64,
    ) -> ResultSlice;

    /// Reads a resource of the MCP server that has `tool`.
    "read_resource": fn read_resource(
        session: SessionId,
        tool: ToolName,
        uri: String,
    ) -> Vec<ResourceContent>;

    /// Answers a question. Fails with a message for each field that violates the form's schema.
    "answer_question": fn answer_question(session: SessionId, number: u64, answer: Answer) -> ();
}
