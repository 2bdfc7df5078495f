//! Suites as people write them, in YAML or JSON.
//!
//! [`read`] checks a whole file and returns its cases, or every error with its place. The format is documented
//! in `docs/guide/eval-runs.md`, and its JSON Schema comes from the types in `format`.

mod adk;
mod build;
mod content_hash;
mod error;
mod eval_set;
mod format;
mod init;
mod mcp;
mod mcp_servers;
mod mock_format;
mod models_format;
mod python_imports;
mod scenario;
mod yaml_error;
mod yaml_numbers;

use std::path::{Path, PathBuf};

pub use crate::recorded_file::RecordedFormat;
pub use build::MOST_REPEATS;
pub use error::{SuiteError, SuiteFault};
pub use eval_set::{EvalSetOptions, ModelChoice, read_eval_set, read_eval_set_with_models};
pub use format::schema;
pub use init::{InitError, suite_of};

use self::build::BuiltCase;
use crate::case::EvalCase;
use crate::mcp::McpServer;
use crate::model::Models;

/// What the caller gives for the subjects of a suite.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The Python interpreter, for agents without their own.
    pub python: Option<std::path::PathBuf>,
    /// How the cases of agents in Python are kept apart.
    pub isolation: crate::python::Isolation,
    /// The processes of agents in Python, which suites of the same agent share.
    pub servers: crate::python::Servers,
    /// Whether the suite is made of cases in Python, so that errors say what to change in them.
    pub is_of_python: bool,
}

/// Reads a suite. Paths in it are relative to its folder.
///
/// # Errors
/// [`SuiteError`] with every fault that is known before anything runs.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Vec<EvalCase>, SuiteError> {
    read_with_models(path, options, &Models::of_environment())
}

/// As [`read`], with these models for user agents, simulated tools and judges.
///
/// # Errors
/// [`SuiteError`] with every fault that is known before anything runs.
pub fn read_with_models(
    path: &Path,
    options: &ReadOptions,
    models: &Models,
) -> Result<Vec<EvalCase>, SuiteError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| SuiteError::Read { path: path.to_path_buf(), source })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    read_text(&text, folder, options, models)
        .map_err(|faults| SuiteError::Invalid { path: path.to_path_buf(), faults })
}

/// As [`read_with_models`], of the text of a suite in `folder`.
///
/// # Errors
/// Every fault that is known before anything runs.
pub fn read_text(
    text: &str,
    folder: &Path,
    options: &ReadOptions,
    models: &Models,
) -> Result<Vec<EvalCase>, Vec<SuiteFault>> {
    let suite = format::parse(text).map_err(|fault| vec![fault])?;
    let built = build::cases(&suite, folder, options, models)?;
    let hashes = content_hash::of_cases(text);
    let with_hash = |BuiltCase { at, model, mut case }: BuiltCase| {
        let of_case = hashes.get(at).cloned().unwrap_or_default();
        case.source.content_hash = match model {
            // Other models of the list do not change what a run gives.
            Some(model) => content_hash::of(&[&of_case, &format!("{model:?}")]),
            None => of_case,
        };
        case
    };
    Ok(built.into_iter().map(with_hash).collect())
}

/// Who knows which tools the MCP servers of a suite have.
#[derive(Debug)]
pub enum ToolsOf {
    /// The servers.
    Servers(Vec<McpServer>),
    /// The agent of google-adk in this folder.
    Agent(PathBuf),
}

/// The MCP servers of a suite's only agent with such servers, or else its only agent of google-adk.
///
/// # Errors
/// [`SuiteError`] if the suite has no such agent or several, or its servers are wrong.
pub fn mcp_servers(path: &Path) -> Result<ToolsOf, SuiteError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| SuiteError::Read { path: path.to_path_buf(), source })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let servers = format::parse(&text).and_then(|suite| mcp_servers::servers_of(&suite, folder));
    servers.map_err(|fault| SuiteError::Invalid { path: path.to_path_buf(), faults: vec![fault] })
}
