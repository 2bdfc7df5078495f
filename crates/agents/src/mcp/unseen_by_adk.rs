//! [`unseen_by_adk`]: the tools of a server that ADK's `McpToolset` leaves out or cannot call.

use super::agent::McpServer;
use super::connection::Connection;
use super::incoming::is_task_only;

/// The names of tools that `McpToolset` skips, because ADK has tools of these names.
const RESERVED: [&str; 5] = [
    "adk_request_credential",
    "adk_request_confirmation",
    "adk_request_input",
    "transfer_to_agent",
    "set_model_response",
];

/// A clause for each of the server's tools that an agent has here and would not have in ADK.
pub(super) fn unseen_by_adk(server: &McpServer, connection: &Connection) -> Vec<String> {
    let is_wanted =
        |name: &str| server.tools.as_ref().is_none_or(|it| it.iter().any(|it| it == name));
    let is_repeated = |place: usize, name: &str| {
        connection.tools[..place].iter().any(|earlier| earlier.name == name)
    };
    let tools = connection.tools.iter().enumerate();
    let tools = tools.filter(|(_, tool)| is_wanted(&tool.name));
    let unseen = tools.filter_map(|(place, tool)| {
        let reason = if place >= connection.on_first_page {
            "ADK reads only the first page of a server's tools"
        } else if RESERVED.contains(&tool.name.as_ref()) {
            "ADK reserves its name"
        } else if is_task_only(tool) {
            "it runs as a task only, and ADK cannot call it"
        } else if is_repeated(place, &tool.name) {
            "the server lists it twice; ADK declares both, which model providers reject"
        } else {
            return None;
        };
        Some(format!("the tool {} of {}: {reason}", tool.name, server.name))
    });
    unseen.collect()
}
