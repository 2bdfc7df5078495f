//! `rehearsal eval tools`: what the MCP servers of a suite declare, for a file that the suite names.

use std::io::Write;

use eval::file::{ToolsOf, mcp_servers};
use eval::mcp::record_declarations;
use eval::python::record_toolsets;

use super::EvalError;
use super::arguments::ToolsOfSuiteArguments;

/// Writes the declarations to `out` or to a file.
pub(super) async fn tools(
    arguments: &ToolsOfSuiteArguments,
    out: &mut (impl Write + Send),
) -> Result<(), EvalError> {
    let declared = match mcp_servers(&arguments.suite)? {
        ToolsOf::Servers(servers) => record_declarations(&servers).await,
        ToolsOf::Agent(folder) => record_toolsets(&folder, arguments.python.as_deref()).await,
    };
    let declared = declared.map_err(|failure| EvalError::Servers(failure.to_string()))?.pretty();
    let Some(path) = &arguments.output else {
        writeln!(out, "{declared}")?;
        return Ok(());
    };
    std::fs::write(path, format!("{declared}\n"))
        .map_err(|cause| EvalError::UnwritableTools { path: path.clone(), cause })?;
    writeln!(out, "{} is written. Name it in `declarations` of the suite", path.display())?;
    Ok(())
}
