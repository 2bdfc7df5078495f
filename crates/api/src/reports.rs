//! JSON reports in the configured folders. A report that a person picks from their own disk is read in
//! the browser and never comes here.

use serde::{Deserialize, Serialize};

use super::FolderSummary;

/// Beneath which the host gives a report's text: the id is the last step of the address.
pub const REPORTS_PATH: &str = "/api/reports";

id! {
    /// A report in a configured folder.
    ReportId
}

/// The reports, and the folders that were looked into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportList {
    /// The reports, the newest first.
    pub reports: Vec<ReportSummary>,
    /// The configured folders.
    pub folders: Vec<FolderSummary>,
}

impl ReportId {
    /// Where the host gives the report's text, as it stands on the disk, to whoever may ask for it;
    /// otherwise an [`ApiError`] as JSON. `escape` writes the id as one step of an address.
    #[must_use]
    pub fn text_path(&self, escape: impl FnOnce(&str) -> String) -> String {
        format!("{REPORTS_PATH}/{}", escape(self.as_str()))
    }
}

/// A report in little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSummary {
    /// What it is asked for by.
    pub report: ReportId,
    /// The name of the file, with the folders above it where it lies below a configured one.
    pub name: String,
    /// How long it is, in bytes.
    pub bytes: u64,
    /// When the file was changed last, in milliseconds since 1970.
    pub changed: Option<i64>,
    /// What it says; none where it was not looked into, for it is long or broken.
    pub counts: Option<ReportCounts>,
}

/// A report in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportCounts {
    /// The set whose cases were scored.
    pub set: String,
    /// Cases that met every criterion.
    pub passed: u64,
    /// Cases that missed one, or could not be scored at all.
    pub failed: u64,
    /// Cases that are neither.
    pub unscored: u64,
}
