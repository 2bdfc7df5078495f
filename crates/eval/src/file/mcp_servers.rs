//! [`servers_of`]: the MCP servers of a suite, for recording what they declare.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::SuiteFault;
use super::format::{Subject, Suite};
use super::{ToolsOf, mcp};

/// The servers of the only agent with MCP servers in a suite, whether or not its declarations can be read; or the folder of
/// its only agent of google-adk.
///
/// # Errors
/// The suite has no such agent or several, or its servers are wrong.
pub(super) fn servers_of(suite: &Suite, folder: &Path) -> Result<ToolsOf, SuiteFault> {
    let of_cases = suite.cases.iter().map(|case| case.subject.as_ref());
    let named = [suite.subject.as_ref()].into_iter().chain(of_cases).flatten();
    let (mut all, mut agents) = (BTreeSet::new(), BTreeSet::new());
    for subject in named {
        match subject {
            Subject::Mcp(members) => drop(all.insert(&members.servers)),
            Subject::Adk(adk) => drop(agents.insert(adk.folder())),
        }
    }
    let fault = |place: &str, message: String| SuiteFault { place: place.to_owned(), message };
    let mut all = all.into_iter();
    match (all.next(), all.next()) {
        (Some(only), None) => mcp::servers(only, folder)
            .map(ToolsOf::Servers)
            .map_err(|error| fault("subject.mcp.servers", error)),
        (None, _) => match (agents.pop_first(), agents.first()) {
            (Some(only), None) => Ok(ToolsOf::Agent(folder.join(only))),
            (None, _) => {
                let message = "no case names an agent; add `subject: { adk: FOLDER }` or `subject: { mcp: ... }`";
                Err(fault("subject", message.to_owned()))
            }
            (Some(_), Some(_)) => {
                let message =
                    "the cases have different agents; move the cases of each to a suite of its own";
                Err(fault("subject.adk", message.to_owned()))
            }
        },
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
            servers.map_err(|fault| fault.to_string()).map(|it| match it {
                ToolsOf::Servers(servers) => format!("{} servers", servers.len()),
                ToolsOf::Agent(folder) => folder.display().to_string(),
            })
        };
        let agent = |command: &str| {
            format!(
                "subject: {{ mcp: {{ instruction: Help., servers: {{ files: {{ command: {command} }} }}, \
                     declarations: none.json }} }}"
            )
        };
        let (npx, uvx) = (agent("npx"), agent("uvx"));
        let one = servers(&format!("{npx}\ncases: [{{ name: a, {npx} }}]"));
        assert_eq!(one.as_deref(), Ok("1 servers"));
        let two = servers(&format!("{npx}\ncases: [{{ name: a, {uvx} }}]"));
        assert!(two.expect_err("two").contains("different servers; move the cases of each"));
        let adk = servers("subject: { adk: agent }\ncases: [{ name: a }]");
        assert_eq!(adk.as_deref(), Ok("evals/agent"));
        let two = servers("subject: { adk: agent }\ncases: [{ name: a, subject: { adk: b } }]");
        assert!(two.expect_err("two").contains("different agents; move the cases of each"));
        let none = servers("cases: [{ name: a }]");
        assert!(none.expect_err("none").starts_with("subject: no case names an agent; add"));
    }
}
