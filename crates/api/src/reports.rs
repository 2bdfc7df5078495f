//! JSON reports in the configured folders. A report that a person picks from their own disk is read in
//! the browser and never comes here.

use serde::{Deserialize, Serialize};

use super::FolderSummary;

/// The path below which the host serves a report's text; the id is the last segment.
pub const REPORTS_PATH: &str = "/api/reports";

id! {
    /// A report in a configured folder.
    ReportId
}

/// The reports, and the folders that were searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportList {
    /// The reports, the newest first.
    pub reports: Vec<ReportSummary>,
    /// The configured folders.
    pub folders: Vec<FolderSummary>,
}

impl ReportId {
    /// The path of the report's text. On failure the host responds with an [`ApiError`](crate::ApiError) as JSON.
    /// `escape` encodes the id as one path segment.
    #[must_use]
    pub fn text_path(&self, escape: impl FnOnce(&str) -> String) -> String {
        format!("{REPORTS_PATH}/{}", escape(self.as_str()))
    }
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSummary {
    /// Its id.
    pub report: ReportId,
    /// The name of the file, with its path below a configured folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// When the file was last changed, in milliseconds since 1970.
    pub changed: Option<i64>,
    /// Its counts; `None` if it is too long or broken.
    pub counts: Option<ReportCounts>,
    /// Whether it was read and is not a valid report. Opening it shows the reason.
    pub is_broken: bool,
}

/// The scored set of a report, and its numbers of cases.
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
