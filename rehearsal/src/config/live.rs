//! [`LiveConfig`]: where live sessions are stored.

use std::path::{Path, PathBuf};

use super::file::LiveTable;
use rehearsal_server::live::DEFAULT_DATABASE;

/// The configuration of live sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveConfig {
    /// The SQLite file, created with the first session.
    pub database: PathBuf,
}

impl Default for LiveConfig {
    fn default() -> Self {
        Self { database: DEFAULT_DATABASE.into() }
    }
}

impl LiveConfig {
    /// The command line overrides the file.
    pub(super) fn of(table: &LiveTable, database_flag: Option<&Path>) -> Self {
        let database = database_flag.map(Path::to_path_buf).or_else(|| table.database.clone());
        database.map_or_else(Self::default, |database| Self { database })
    }
}
