//! [`FoldersConfig`]: where eval sets and reports lie besides the agents' own files.

use std::path::PathBuf;

use super::file::FoldersTable;

/// Folders that the page may list; whether they are there shows when it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoldersConfig {
    /// Of eval sets.
    pub eval_sets: Vec<PathBuf>,
    /// Of JSON reports.
    pub reports: Vec<PathBuf>,
}

impl FoldersConfig {
    pub(super) fn of(table: FoldersTable) -> Self {
        let FoldersTable { eval_sets, reports } = table;
        Self { eval_sets: once(eval_sets), reports: once(reports) }
    }

    /// Whether none is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.eval_sets.is_empty() && self.reports.is_empty()
    }
}

/// Each folder once, however often it is named.
fn once(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut kept = Vec::new();
    for folder in folders {
        if !kept.contains(&folder) {
            kept.push(folder);
        }
    }
    kept
}
