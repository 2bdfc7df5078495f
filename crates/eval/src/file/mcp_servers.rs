//! [`servers_of`]: the MCP servers of a suite, for recording what they declare.

use std::collections::BTreeSet;
use std::path::Path;

use agents::mcp::McpServer;

use super::error::SuiteFault;
use super::format::{Subject, Suite};
use super::mcp;

/// The servers of the only agent with MCP servers in a suite, whether or not its declarations can be read.
///
/// # Errors
/// The suite has no agent with MCP servers or several, or its servers are wrong.
pub(super) fn servers_of(suite: &Suite, folder: &Path) -> Result<Vec<McpServer>, SuiteFault> {
    let of_cases = suite.cases.iter().map(|case| case.subject.as_ref());
    let named = [suite.subject.as_ref()].into_iter().chain(of_cases).flatten();
    let members = named.filter_map(|subject| {
        if let Subject::Mcp(members) = subject { Some(&members.servers) } else { None }
    });
    let all: BTreeSet<&mcp::Servers> = members.collect();
    let fault = |place: &str, message: String| SuiteFault { place: place.to_owned(), message };
    let mut all = all.into_iter();
    match (all.next(), all.next()) {
        (Some(only), None) => {
            mcp::servers(only, folder).map_err(|error| fault("subject.mcp.servers", error))
        }
        (None, _) => {
            let message =
                "no case has an agent with MCP servers; such an agent is `subject: { mcp: ... }`";
            Err(fault("subject", message.to_owned()))
        }
        (Some(_), Some(_)) => {
            let message = "the cases have agents with different servers; move the cases of each to a suite of its own";
            Err(fault("subject.mcp.servers", message.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::format;

    #[test]
    fn the_servers_of_a_suite_are_those_of_its_only_agent() {
        let servers = |suite: &str| {
            let suite = format::parse(suite).expect("valid");
            let servers = servers_of(&suite, Path::new("evals"));
            servers.map_err(|fault| fault.to_string()).map(|it| it.len())
        };
        let agent = |command: &str| {
            format!(
                "subject: {{ mcp: {{ instruction: Help., servers: {{ files: {{ command: {command} }} }}, \
                     declarations: none.json }} }}"
            )
        };
        let (npx, uvx) = (agent("npx"), agent("uvx"));
        assert_eq!(servers(&format!("{npx}\ncases: [{{ name: a, {npx} }}]")), Ok(1));
        let two = servers(&format!("{npx}\ncases: [{{ name: a, {uvx} }}]"));
        assert!(two.expect_err("two").contains("different servers; move the cases of each"));
        let none = servers("subject: { adk: agent }\ncases: [{ name: a }]");
        assert!(none.expect_err("none").starts_with("subject: no case has an agent with MCP"));
    }
}
