//! Selects the criteria: of the given file, of the file beside the eval sets, or the format's default.

use std::io;
use std::path::{Path, PathBuf};

use json_text::JsonText;
use scoring::config::Config;
use scoring::trajectory::JsonSchemas;

use super::error::ScoreError;
use super::inputs::Inputs;
use crate::cli::evalset::files::nearest_path;
use crate::cli::note_line::note_line;

/// What to do about AgentFlow's default judge.
const WITHOUT_JUDGE: &str = "llm_judge asks a model, and only with --judge, so no case can pass. Add --judge, or \
    --judge=MODEL. To score without it, write {\"criteria\": {\"trajectory_match\": 0.8, \"response_match\": 0.7}} \
    to a file and give it with --config.";

/// The config file that `adk eval` reads beside an eval set.
pub(in crate::cli) const BESIDE: &str = "test_config.json";

/// The criteria, and their file, if they are from one. `has_judge` is whether a model is asked.
pub(super) fn config(
    named: Option<&Path>,
    inputs: &Inputs,
    has_judge: bool,
) -> Result<(Config, Option<PathBuf>), ScoreError> {
    if let Some(path) = named {
        return Ok((read_config(path)?, Some(path.to_owned())));
    }
    if let Some(path) = beside(&inputs.expected)? {
        note_line!("scored by {}", path.display());
        return Ok((read_config(&path)?, Some(path)));
    }
    let config =
        if inputs.is_agentflow() { Config::agentflow_default() } else { Config::adk_default() };
    let names: Vec<&str> = config.criteria.iter().map(|it| it.name.as_str()).collect();
    note_line!("scored by {}, because no config is given", names.join(", "));
    if inputs.is_agentflow() && !has_judge {
        note_line!("note: {WITHOUT_JUDGE}");
    }
    Ok((config, None))
}

fn beside(expected: &[PathBuf]) -> Result<Option<PathBuf>, ScoreError> {
    let mut found: Option<PathBuf> = None;
    for path in expected {
        let folder = path.parent().unwrap_or(Path::new(""));
        let config = folder.join(BESIDE);
        if !config.is_file() || found.as_ref() == Some(&config) {
            continue;
        }
        if let Some(first) = found {
            let first = first.parent().unwrap_or(Path::new(".")).to_owned();
            return Err(ScoreError::SeveralConfigs { first, second: folder.to_owned() });
        }
        found = Some(config);
    }
    Ok(found)
}

/// Reads the criteria of a file.
///
/// # Errors
/// The file cannot be read, or its faults.
pub(in crate::cli) fn read_config(path: &Path) -> Result<Config, ScoreError> {
    if !path.exists() {
        let (path, nearest) = (path.to_owned(), nearest_path(path));
        return Err(ScoreError::NoConfig { path, nearest });
    }
    let unreadable = |cause| ScoreError::UnreadableConfig { path: path.to_owned(), cause };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let text = JsonText::parse(text.trim_start_matches('\u{feff}').trim())
        .map_err(|error| unreadable(io::Error::other(format!("this is not JSON: {error}"))))?;
    let reading = Config::read(&text, &JsonSchemas);
    let config = reading.sound();
    let config = config.map_err(|faults| ScoreError::Config { path: path.to_owned(), faults })?;
    for warning in &config.warnings {
        note_line!("warning: {}: {warning}. It is ignored.", path.display());
    }
    Ok(config)
}
