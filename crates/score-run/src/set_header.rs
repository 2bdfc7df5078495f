//! [`read_set_header`]: an eval set's id and name, without reading its cases.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use evalset::adk::EvalSetResult;
use evalset_file::{AppendError, Cases, stem};
use serde_json::Value;

use crate::error::RunError;

/// How much of a file is read before it is scanned as a whole, in bytes.
pub(crate) const HEAD: u64 = 64 << 10;

/// The header of an eval set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetHeader {
    /// Its id, or else the file's name.
    pub eval_set_id: String,
    /// Its name.
    pub name: Option<String>,
    /// Whether it is an AgentFlow file.
    pub is_agentflow: bool,
}

/// Reads the header of a file. If it is not at the beginning, the whole file is scanned.
///
/// # Errors
/// The file cannot be read, or is not an eval set.
pub fn read_set_header(path: &Path) -> Result<SetHeader, RunError> {
    let head = head(path)?;
    let mut found = SetHeader { eval_set_id: stem(path), ..SetHeader::default() };
    if EvalSetResult::starts_like(&head) || head.trim_start().starts_with('[') {
        return Ok(found);
    }
    let before = head.split_once("\"eval_cases\"").map(|(before, _)| before.trim_end());
    let closed = before.map(|before| format!("{}}}", before.trim_end_matches(',')));
    let members = closed.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let members = members.filter(|members| members.get("eval_set_id").is_some());
    let members = match members {
        Some(members) => Some(members),
        None => {
            let mut cases = Cases::open(path)?;
            for case in &mut cases {
                case?;
            }
            cases.frame()?.and_then(|frame| serde_json::from_str(&frame).ok())
        }
    };
    let text = |name: &str| {
        let text = members.as_ref().and_then(|members| members.get(name)?.as_str());
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    found.name = text("name");
    if let Some(eval_set_id) = text("eval_set_id") {
        found.eval_set_id = eval_set_id;
    }
    found.is_agentflow = Cases::declared_format(path)? == evalset::Format::AgentFlow;
    Ok(found)
}

/// The beginning of a file, as text.
pub(crate) fn head(path: &Path) -> Result<String, RunError> {
    let unreadable = |cause| RunError::Unreadable { path: path.to_owned(), cause };
    if path.is_dir() {
        return Err(AppendError::Directory { path: path.to_owned() }.into());
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(unreadable)?.take(HEAD).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
