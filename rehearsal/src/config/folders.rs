//! The folders of eval sets and reports in a configuration, in addition to the agents' own files.

use std::path::PathBuf;

use rehearsal_server::Folders;

use super::file::FoldersTable;

/// The folders of the table.
pub(super) fn folders(table: FoldersTable) -> Folders {
    let FoldersTable { eval_sets, reports } = table;
    Folders { eval_sets: once(eval_sets), reports: once(reports) }
}

/// The folders without duplicates.
fn once(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut kept = Vec::new();
    for folder in folders {
        if !kept.contains(&folder) {
            kept.push(folder);
        }
    }
    kept
}
