//! [`DeclaredTools`]: what servers declared, in responses to `tools/list` that were recorded.

use agents::ToolView;
use agents::mcp::{McpServer, declared_tools, listed_declarations};
use indexmap::IndexMap;
use json_text::{JsonIndex, JsonText, JsonValue, Kind};

use crate::run_failure::RunFailure;
use scoring::nearest::nearest;

/// The tools of one server, and what it says about their use.
#[derive(Debug, Clone, Default)]
pub struct DeclaredTools {
    pub(super) tools: Vec<ToolView>,
    /// The server's `instructions`, if the agent's instruction includes them.
    pub(super) instructions: Option<String>,
}

/// Why recorded declarations cannot be used, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DeclarationsError(String);

impl DeclarationsError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// What to write, for messages.
const FORMAT: &str = "Write the server's response to `tools/list`, {\"tools\": [...]}, or such an object for each \
    server by its name";

/// What each of `servers` declared, in their order.
pub(super) fn read(
    servers: &[McpServer],
    declarations: &JsonText,
) -> Result<Vec<DeclaredTools>, DeclarationsError> {
    let document = JsonIndex::of(declarations);
    let root = document.root();
    if let Some(list) = listed(root) {
        return match servers {
            [server] => Ok(vec![of_server(server, list, root)?]),
            _ => Err(DeclarationsError::new(format!(
                "the tools are those of one server, and the agent has {}. Write an object with a list for each: \
                 {{{}}}",
                servers.len(),
                servers
                    .iter()
                    .map(|server| format!(
                        "{}: {{\"tools\": [...]}}",
                        JsonText::string(&server.name)
                    ))
                    .collect::<Vec<_>>()
                    .join(", ")
            ))),
        };
    }
    if root.kind() != Kind::Object {
        let message = format!("it is of type {}. {FORMAT}", root.kind().name());
        return Err(DeclarationsError::new(message));
    }
    let names = || servers.iter().map(|server| server.name.as_str());
    if let Some((unknown, _)) =
        root.entries().iter().find(|(name, _)| !names().any(|it| it == name))
    {
        let message = format!(
            "{unknown} is not a server of the agent; {}. {FORMAT}",
            nearest(unknown, names())
        );
        return Err(DeclarationsError::new(message));
    }
    let of_each = servers.iter().map(|server| {
        let value = root.member(&server.name);
        match value.and_then(|value| Some((value, listed(value)?))) {
            Some((value, list)) => of_server(server, list, value),
            None => Err(DeclarationsError::new(format!(
                "it has no list of the tools of the server {}. {FORMAT}",
                server.name
            ))),
        }
    });
    of_each.collect()
}

/// What the servers declare now, as [`super::McpSubject::declarations`] reads it. Starts the servers, and ends them.
///
/// # Errors
/// A server cannot be used.
pub async fn record_declarations(servers: &[McpServer]) -> Result<JsonText, RunFailure> {
    let declared = listed_declarations(servers).await;
    let declared = declared.map_err(|fault| super::server::unusable(&fault))?;
    let names = servers.iter().map(|server| server.name.as_str());
    let by_name: IndexMap<&str, JsonText> = names.zip(declared).collect();
    let written = match by_name.values().next() {
        Some(only) if by_name.len() == 1 => Ok(only.clone()),
        _ => JsonText::serialize(&by_name),
    };
    written.map_err(|error| RunFailure::Infrastructure {
        message: format!("the declarations cannot be written: {error}"),
    })
}

/// The list of tools in a list, a result of `tools/list` or the whole response.
fn listed(value: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let is_list = |value: &JsonValue<'_>| value.kind() == Kind::Array;
    match value.kind() {
        Kind::Array => Some(value),
        Kind::Object => {
            let result = value.member("result").unwrap_or(value);
            result.member("tools").filter(is_list)
        }
        _ => None,
    }
}

fn of_server(
    server: &McpServer,
    list: JsonValue<'_>,
    around: JsonValue<'_>,
) -> Result<DeclaredTools, DeclarationsError> {
    let result = match around.kind() {
        Kind::Object => Some(around.member("result").unwrap_or(around)),
        _ => None,
    };
    let of_result = |name: &str| result.and_then(|result| result.member(name)?.string());
    if of_result("nextCursor").is_some_and(|cursor| !cursor.is_empty()) {
        return Err(DeclarationsError::new(format!(
            "the tools of the server {} are those of the first page only: the response has a `nextCursor`. Join \
             the lists of all pages, and leave it out",
            server.name
        )));
    }
    let tools: Vec<JsonText> = list.items().map(JsonValue::to_json).collect();
    let (tools, warnings) = declared_tools(server, &tools).map_err(|error| {
        DeclarationsError::new(format!("the tools of the server {}: {error}", server.name))
    })?;
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let instructions = of_result("instructions").filter(|_| server.include_instructions);
    Ok(DeclaredTools { tools, instructions: instructions.map(|text| text.into_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = r#"{"name":"read","inputSchema":{"type":"object"}}"#;

    fn servers(names: &[&str]) -> Vec<McpServer> {
        names.iter().map(|name| McpServer::stdio(*name, "no-such-program", [""; 0])).collect()
    }

    fn names(servers: &[McpServer], text: &str) -> Result<Vec<Vec<String>>, String> {
        let json = JsonText::parse(text).map_err(|error| error.to_string())?;
        let declared = read(servers, &json).map_err(|error| error.to_string())?;
        let names =
            |of: &DeclaredTools| of.tools.iter().map(|tool| tool.name.to_string()).collect();
        Ok(declared.iter().map(names).collect())
    }

    #[test]
    fn the_tools_of_one_server_are_a_list_or_a_response() {
        let files = servers(&["files"]);
        for text in [
            format!("[{READ}]"),
            format!(r#"{{"tools":[{READ}]}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{READ}]}}}}"#),
            format!(r#"{{"files":{{"tools":[{READ}]}}}}"#),
        ] {
            assert_eq!(names(&files, &text), Ok(vec![vec!["read".to_owned()]]), "{text}");
        }
    }

    #[test]
    fn the_tools_of_several_servers_are_named_by_them() {
        let both = servers(&["files", "clock"]);
        let text = format!(r#"{{"clock":[],"files":[{READ}]}}"#);
        assert_eq!(names(&both, &text), Ok(vec![vec!["read".to_owned()], Vec::new()]));
        let error = |text: &str| names(&both, text).expect_err("refused");
        assert!(error(&format!("[{READ}]")).contains(
            r#"the agent has 2. Write an object with a list for each: {"files": {"tools": [...]}, "clock""#
        ));
        let text = format!(r#"{{"clok":[],"files":[{READ}]}}"#);
        assert!(error(&text).starts_with("clok is not a server of the agent; did you mean clock?"));
        let text = format!(r#"{{"files":[{READ}]}}"#);
        assert!(error(&text).starts_with("it has no list of the tools of the server clock. Write"));
    }

    #[test]
    fn anything_else_is_refused_with_the_remedy() {
        let files = servers(&["files"]);
        let error = |text: &str| names(&files, text).expect_err("refused");
        assert!(error("7").starts_with("it is of type number. Write the server's response to"));
        assert!(
            error(r#"{"files":7}"#).contains("it has no list of the tools of the server files")
        );
        assert!(error(r#"{"tools":[{"name":"a"}]}"#).contains("files: the tool at /tools/0: "));
        let page = format!(r#"{{"tools":[{READ}],"nextCursor":"2"}}"#);
        assert!(error(&page).contains("Join the lists of all pages"));
    }

    #[test]
    fn instructions_are_kept_where_the_agent_includes_them() {
        let mut files = servers(&["files"]);
        let text = JsonText::parse(r#"{"tools":[],"instructions":"Read first."}"#).expect("JSON");
        assert_eq!(read(&files, &text).expect("valid")[0].instructions, None);
        files[0].include_instructions = true;
        let kept = read(&files, &text).expect("valid").remove(0).instructions;
        assert_eq!(kept.as_deref(), Some("Read first."));
    }
}
