//! JSON reports in the configured folders, for the page to list and to read.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use app::api::{ApiError, ReportId, ReportList, ReportSummary};

use crate::folders::{FoundFile, find};

/// A report tells what it is within so many bytes.
const HEAD: u64 = 64 * 1024;
/// What a report has there.
const NAME: &[u8] = b"\"report_id\"";
/// The longest report that is handed to a browser, in bytes.
const LONGEST: u64 = 128 * 1024 * 1024;
/// Where the folders are configured.
const KEY: &str = "folders.reports";
/// How reports' files end.
const ENDINGS: [&str; 1] = [".json"];

/// The reports in `folders`, the newest first. JSON files that are none are left out.
pub(crate) fn list(folders: &[PathBuf]) -> ReportList {
    let (files, mut folders) = found(folders);
    for folder in &mut folders {
        let within = |file: &&FoundFile| file.path.starts_with(&folder.path);
        folder.found = files.iter().filter(within).count() as u64;
    }
    let mut reports: Vec<ReportSummary> = files.into_iter().map(summary).collect();
    reports.sort_by_key(|report| std::cmp::Reverse(report.changed));
    ReportList { reports, folders }
}

/// A report's file, and how long it is.
///
/// # Errors
/// [`ApiError::UnknownReport`] when no folder has it, [`ApiError::Report`] when it cannot be read or
/// is too long for a browser.
pub(crate) fn open(folders: &[PathBuf], id: &ReportId) -> Result<(File, u64), ApiError> {
    let (files, _) = find(folders, KEY, &ENDINGS, &|_| false);
    // Looking into each of them is for the list.
    let file = files.into_iter().find(|file| file.id == id.as_str() && is_report(&file.path));
    let file = file.ok_or_else(|| ApiError::UnknownReport { id: id.to_string() })?;
    let refused = |reason: String| ApiError::Report { reason };
    let shown = file.path.display();
    let unreadable = |error| refused(format!("{shown} cannot be read: {error}."));
    let opened = File::open(&file.path).map_err(unreadable)?;
    let bytes = opened.metadata().map_err(unreadable)?.len();
    if bytes > LONGEST {
        return Err(refused(format!(
            "{shown} has {} MB, more than a browser reads at once. `rehearsal score --format html` \
             makes a page of as many cases.",
            bytes / 1_000_000
        )));
    }
    Ok((opened, bytes))
}

fn found(folders: &[PathBuf]) -> (Vec<FoundFile>, Vec<app::api::FolderSummary>) {
    let (mut files, summaries) = find(folders, KEY, &ENDINGS, &|_| false);
    files.retain(|file| is_report(&file.path));
    (files, summaries)
}

/// Whether the file begins as a report does. What cannot be looked into is listed: opening it says
/// why.
fn is_report(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return true };
    let mut head = Vec::new();
    if file.take(HEAD).read_to_end(&mut head).is_err() {
        return true;
    }
    head.windows(NAME.len()).any(|part| part == NAME)
}

fn summary(file: FoundFile) -> ReportSummary {
    let metadata = fs::metadata(&file.path).ok();
    let changed = metadata.as_ref().and_then(|it| it.modified().ok());
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    ReportSummary {
        report: ReportId::new(file.id),
        name: file.name,
        bytes: metadata.map_or(0, |metadata| metadata.len()),
        changed: changed.and_then(|since| i64::try_from(since.as_millis()).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_report_is_left_out_and_no_path_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("written");
        };
        write("run.json", r#"{"report_id": "r", "results": []}"#);
        write("set.evalset.json", r#"{"eval_cases": []}"#);
        let folders = [folder.path().to_owned(), folder.path().join("none")];
        let listed = list(&folders);
        let ids: Vec<&str> = listed.reports.iter().map(|it| it.report.as_str()).collect();
        assert_eq!(ids, ["run"]);
        assert_eq!(listed.folders[0].found, 1);
        assert_eq!(listed.folders[1].faults.len(), 1);
        let (mut file, bytes) = open(&folders, &ReportId::new("run")).expect("a report");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        assert_eq!((text.contains("report_id"), text.len() as u64), (true, bytes));
        for id in ["set", "../run", "run.json", "/etc/passwd"] {
            let refused = open(&folders, &ReportId::new(id));
            assert!(matches!(refused, Err(ApiError::UnknownReport { .. })), "{id}");
        }
    }
}
