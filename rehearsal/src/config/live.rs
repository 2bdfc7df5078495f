//! [`LiveConfig`]: where live sessions are stored, and for how long.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::LiveTable;
use rehearsal_server::Retention;
use rehearsal_server::live::DEFAULT_DATABASE;

/// The configuration of live sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveConfig {
    /// The SQLite file, created with the first session.
    pub database: PathBuf,
    /// Which sessions are kept.
    pub retention: Retention,
}

impl Default for LiveConfig {
    fn default() -> Self {
        Self { database: DEFAULT_DATABASE.into(), retention: Retention::default() }
    }
}

impl LiveConfig {
    /// The command line overrides the file.
    pub(super) fn of(table: &LiveTable, database_flag: Option<&Path>) -> Self {
        let database = database_flag.map(Path::to_path_buf).or_else(|| table.database.clone());
        let database = database.unwrap_or_else(|| DEFAULT_DATABASE.into());
        let days = |days: NonZeroU32| Duration::from_secs(u64::from(days.get()) * 24 * 60 * 60);
        let bytes = |megabytes: NonZeroU32| u64::from(megabytes.get()) * 1_000_000;
        let retention = Retention {
            keep_for: table.keep_days.map(days),
            keep_bytes: table.keep_megabytes.map(bytes),
        };
        Self { database, retention }
    }
}
