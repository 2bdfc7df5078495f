//! The subject `mcp`: an agent with a model and the tools of MCP servers.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use agents::mcp::{McpAgent, McpServer, McpTransport, ServerConfig, servers_of_file};
use json_text::JsonText;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::mcp::{MOST_MODEL_CALLS, McpSubject};
use crate::model::Models;

/// The agent's name in the ledger.
const NAME: &str = "assistant";

/// An agent with a model and the tools of MCP servers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Members {
    /// The servers: a JSON file with `mcpServers`, relative to the suite's folder, or servers by name.
    pub(super) servers: Servers,
    /// The system instruction. `{key}` is filled from the state; `{key?}` may be missing.
    instruction: String,
    /// The model, such as `gemini-2.5-flash`, where the case gives none.
    pub(super) model: Option<String>,
    /// A JSON file with what the servers declare, so that they are not started to list their tools: the response to
    /// `tools/list`, or such an object for each server by its name.
    declarations: Option<PathBuf>,
    /// How often the model may be asked in one turn.
    #[serde(default = "most_model_calls")]
    #[schemars(range(min = 1))]
    max_model_calls: usize,
}

fn most_model_calls() -> usize {
    MOST_MODEL_CALLS
}

/// The servers of an agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[schemars(untagged)]
pub(super) enum Servers {
    /// A JSON file with `mcpServers`, as clients of MCP write it.
    File(PathBuf),
    /// Servers by name. Paths are relative to the suite's folder, in which programs run.
    Named(BTreeMap<String, ServerConfig>),
}

impl<'de> Deserialize<'de> for Servers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FileOrNamed;
        impl<'de> Visitor<'de> for FileOrNamed {
            type Value = Servers;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the path of a JSON file with `mcpServers`, or servers by name")
            }

            fn visit_str<E: Error>(self, path: &str) -> Result<Servers, E> {
                Ok(Servers::File(path.into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Servers, A::Error> {
                let servers = BTreeMap::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Servers::Named(servers))
            }
        }
        deserializer.deserialize_any(FileOrNamed)
    }
}

/// A member that is wrong, and why.
type MemberFault = (&'static str, String);

/// The subject of a suite in `folder`.
///
/// # Errors
/// The first member that is wrong.
pub(super) fn subject(
    members: &Members,
    folder: &Path,
    models: &Models,
) -> Result<McpSubject, MemberFault> {
    let mut agent = McpAgent::new(NAME).instruction(&members.instruction);
    agent.servers = servers(&members.servers, folder).map_err(|error| ("servers", error))?;
    agent.model.clone_from(&members.model);
    if members.max_model_calls == 0 {
        return Err(("max_model_calls", "the model is asked at least once".to_owned()));
    }
    let subject =
        McpSubject::new(agent).models(models.clone()).most_model_calls(members.max_model_calls);
    let Some(file) = &members.declarations else { return Ok(subject) };
    let path = folder.join(file);
    let wrong = |error: String| ("declarations", format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(&path)
        .map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    let json = JsonText::parse(&text).map_err(|error| wrong(error.to_string()))?;
    subject.declarations(&json).map_err(|error| wrong(error.to_string()))
}

/// The servers, with paths relative to `folder`.
///
/// # Errors
/// Which server is wrong, and what to do.
pub(super) fn servers(servers: &Servers, folder: &Path) -> Result<Vec<McpServer>, String> {
    match servers {
        Servers::File(file) => {
            let path = folder.join(file);
            let mut servers = servers_of_file(&path).map_err(|error| error.to_string())?;
            let folder = path.parent().unwrap_or(folder);
            servers.iter_mut().for_each(|server| run_in(server, folder));
            Ok(servers)
        }
        Servers::Named(servers) if servers.is_empty() => {
            Err("it is empty; add a server, such as `files: { command: npx, args: [...] }`"
                .to_owned())
        }
        Servers::Named(servers) => servers
            .iter()
            .map(|(name, config)| {
                let mut server = config.server(name).map_err(|error| error.to_string())?;
                run_in(&mut server, folder);
                Ok(server)
            })
            .collect(),
    }
}

/// Makes the paths of a server relative to `folder`.
fn run_in(server: &mut McpServer, folder: &Path) {
    let within = |path: &Path| {
        let path = folder.join(path);
        std::path::absolute(&path).unwrap_or(path)
    };
    if let McpTransport::Stdio { cwd, .. } = &mut server.transport {
        *cwd = Some(within(cwd.as_deref().unwrap_or(Path::new("."))));
    }
    for root in &mut server.roots {
        *root = within(root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::format;

    fn read(members: &str) -> Result<(), String> {
        let text = format!(
            "subject:\n  mcp:\n    instruction: Help.\n{members}\ncases: [{{ name: a, first_message: Hi }}]"
        );
        let suite = format::parse(&text).map_err(|fault| fault.to_string())?;
        let Some(format::Subject::Mcp(members)) = &suite.subject else { panic!("another subject") };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
        let models = Models::of_environment();
        subject(members, &folder, &models)
            .map(drop)
            .map_err(|(member, why)| format!("{member}: {why}"))
    }

    #[test]
    fn servers_are_a_file_or_named() {
        assert_eq!(read("    servers: { files: { command: npx } }"), Ok(()));
        let error = |members: &str| read(members).expect_err("refused");
        let missing = error("    servers: none.json");
        assert!(missing.starts_with("servers: the servers in "), "{missing}");
        assert!(missing.contains("none.json cannot be read"), "{missing}");
        assert!(error("    servers: {}").starts_with("servers: it is empty; add a server"));
        let neither = error("    servers: { files: {} }");
        assert!(neither.starts_with("servers: the server `files` needs `command`"), "{neither}");
        let list = error("    servers: [npx]");
        assert!(list.contains("the path of a JSON file with `mcpServers`, or servers"), "{list}");
    }

    #[test]
    fn unknown_members_are_refused_with_the_nearest() {
        let error = |members: &str| read(members).expect_err("refused");
        let unknown = error("    server: { files: { command: npx } }");
        assert!(unknown.contains("unknown member `server`"), "{unknown}");
        assert!(unknown.ends_with("did you mean servers?"), "{unknown}");
        let unknown = error("    servers: { files: { comand: npx } }");
        assert!(unknown.ends_with("did you mean command?"), "{unknown}");
    }

    #[test]
    fn the_schema_accepts_what_is_read_and_nothing_else() {
        let guide = include_str!("../../../../docs/guide/eval-runs.md");
        let shown = guide.split("```yaml\n").find(|text| text.starts_with("subject:\n  mcp:"));
        let shown = shown.and_then(|text| text.split("```").next()).expect("an example");
        let suite = format!("{shown}cases: [{{ name: a, first_message: Hi }}]");
        format::parse(&suite).unwrap_or_else(|fault| panic!("{fault}"));
        let json: serde_json::Value = serde_saphyr::from_str(&suite).expect("YAML");
        let check = schema_check::Check::of(&JsonText::from_value(&format::schema()));
        let check = check.unwrap_or_else(|error| panic!("{error}"));
        let violations =
            |json: &serde_json::Value| check.violations(&JsonText::from_value(json)).len();
        assert_eq!(violations(&json), 0);
        let mut file = json.clone();
        file["subject"]["mcp"]["servers"] = ".mcp.json".into();
        assert_eq!(violations(&file), 0);
        for (member, value) in
            [("servers", 7.into()), ("server", "a".into()), ("max_model_calls", 0.into())]
        {
            let mut wrong = json.clone();
            wrong["subject"]["mcp"][member] = value;
            assert_ne!(violations(&wrong), 0, "{member}");
        }
    }

    #[test]
    fn declarations_that_cannot_be_read_are_refused() {
        let error = |file: &str| {
            let servers = "    servers: { files: { command: npx } }";
            read(&format!("{servers}\n    declarations: {file}")).expect_err("refused")
        };
        assert!(error("none.json").contains("none.json: it cannot be read"));
        let garbage = error("triage.eval.yaml");
        assert!(garbage.starts_with("declarations: "), "{garbage}");
        assert!(garbage.contains("line 1"), "{garbage}");
    }
}
