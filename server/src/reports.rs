//! Lists and reads the JSON reports in the configured folders.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use api::{ApiError, ReportCounts, ReportId, ReportList, ReportSummary};
use serde::Deserialize;

use crate::folders::{FoundFile, changed, find};

/// The summary of a report is within this many bytes.
const HEAD: u64 = 64 * 1024;
/// The beginning of every report.
const NAME: &[u8] = b"\"report_id\"";
/// The longest report that is sent to a browser, in bytes.
const LONGEST: u64 = 128 * MB;
/// Bytes in a megabyte.
const MB: u64 = 1024 * 1024;
/// Longer reports are listed without a summary, in bytes. After this many bytes in total, so are
/// the older ones.
const LOOKED_INTO: u64 = 16 * 1024 * 1024;
/// See [`LOOKED_INTO`].
const TOGETHER: u64 = 4 * LOOKED_INTO;
/// The configuration key of the folders.
const KEY: &str = "folders.reports";
/// The ending of reports' file names.
const ENDINGS: [&str; 1] = [".json"];

/// The reports in `folders`, newest first, without JSON files that are not reports.
pub(crate) fn list(folders: &[PathBuf]) -> ReportList {
    let (files, mut folders) = found(folders);
    for folder in &mut folders {
        let within = |file: &&FoundFile| file.path.starts_with(&folder.path);
        folder.found = files.iter().filter(within).count() as u64;
    }
    let mut reports: Vec<(PathBuf, ReportSummary)> = files.into_iter().map(summary).collect();
    reports.sort_by_key(|(_, report)| std::cmp::Reverse(report.changed));
    let mut read = 0;
    for (path, report) in &mut reports {
        if report.bytes <= LOOKED_INTO && read + report.bytes <= TOGETHER {
            read += report.bytes;
            report.counts = read_counts(path);
            report.is_broken = report.counts.is_none();
        }
    }
    ReportList { reports: reports.into_iter().map(|(_, report)| report).collect(), folders }
}

/// A report's file and its length in bytes.
///
/// # Errors
/// [`ApiError::UnknownReport`] if no folder has it, [`ApiError::Report`] if it cannot be read or is
/// too long for a browser.
pub(crate) fn open(folders: &[PathBuf], id: &ReportId) -> Result<(File, u64), ApiError> {
    let (files, _) = find(folders, KEY, &ENDINGS, &|_| false);
    // Only the list reads summaries.
    let file = files.into_iter().find(|file| file.id == id.as_str() && is_report(&file.path));
    let file = file.ok_or_else(|| ApiError::UnknownReport(id.to_string()))?;
    let refused = |reason: String| ApiError::Report(reason);
    let shown = file.path.display();
    let unreadable = |error| refused(format!("{shown} cannot be read: {error}."));
    let opened = File::open(&file.path).map_err(unreadable)?;
    let bytes = opened.metadata().map_err(unreadable)?.len();
    if bytes > LONGEST {
        return Err(refused(format!(
            "{shown} is {} MB, and the limit is {} MB. Use `rehearsal score --format html` for a \
             report of this size.",
            bytes.div_ceil(MB),
            LONGEST / MB
        )));
    }
    Ok((opened, bytes))
}

fn found(folders: &[PathBuf]) -> (Vec<FoundFile>, Vec<api::FolderSummary>) {
    let (mut files, summaries) = find(folders, KEY, &ENDINGS, &|_| false);
    files.retain(|file| is_report(&file.path));
    (files, summaries)
}

/// Whether the file begins like a report. An unreadable file is listed too, because opening it
/// shows the reason.
fn is_report(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return true };
    let mut head = Vec::new();
    if file.take(HEAD).read_to_end(&mut head).is_err() {
        return true;
    }
    head.windows(NAME.len()).any(|part| part == NAME)
}

fn summary(file: FoundFile) -> (PathBuf, ReportSummary) {
    let metadata = fs::metadata(&file.path).ok();
    let summary = ReportSummary {
        report: ReportId::new(file.id),
        name: file.name,
        bytes: metadata.as_ref().map_or(0, fs::Metadata::len),
        changed: metadata.as_ref().and_then(changed),
        counts: None,
        is_broken: false,
    };
    (file.path, summary)
}

/// A row of the list of reports.
#[derive(Deserialize)]
struct ReportHead {
    eval_set_id: String,
    eval_set_name: Option<String>,
    summary: Cases,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "as a report calls them")]
struct Cases {
    passed_cases: u64,
    failed_cases: u64,
    #[serde(default)]
    unscored_cases: u64,
}

/// The summary; `None` if the report is broken: opening it shows the reason.
fn read_counts(path: &Path) -> Option<ReportCounts> {
    let ReportHead { eval_set_id, eval_set_name, summary } =
        serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    Some(ReportCounts {
        set: eval_set_name.filter(|name| !name.is_empty()).unwrap_or(eval_set_id),
        passed: summary.passed_cases,
        failed: summary.failed_cases,
        unscored: summary.unscored_cases,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_only_reports_and_accepts_no_paths() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("written");
        };
        write("run.json", r#"{"report_id": "r", "results": []}"#);
        let summary =
            r#"{"total_cases": 4, "passed_cases": 2, "failed_cases": 1, "unscored_cases": 1}"#;
        let whole = format!(
            r#"{{"report_id": "w", "eval_set_id": "s", "results": [{{}}], "summary": {summary}}}"#
        );
        write("whole.json", &whole);
        write("set.evalset.json", r#"{"eval_cases": []}"#);
        let folders = [folder.path().to_owned(), folder.path().join("none")];
        let listed = list(&folders);
        let mut summaries: Vec<_> =
            listed.reports.iter().map(|it| (it.report.as_str(), it.counts.clone())).collect();
        summaries.sort_by_key(|(id, _)| *id);
        let whole = ReportCounts { set: "s".to_owned(), passed: 2, failed: 1, unscored: 1 };
        assert_eq!(summaries, [("run", None), ("whole", Some(whole))]);
        let broken: Vec<_> = listed.reports.iter().filter(|it| it.is_broken).collect();
        assert!(matches!(*broken, [one] if one.report.as_str() == "run"), "it has no summary");
        assert_eq!(listed.folders[0].found, 2);
        assert_eq!(listed.folders[1].faults.len(), 1);
        let (mut file, bytes) = open(&folders, &ReportId::new("run")).expect("a report");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        assert_eq!((text.contains("report_id"), text.len() as u64), (true, bytes));
        for id in ["set", "../run", "run.json", "/etc/passwd"] {
            let refused = open(&folders, &ReportId::new(id));
            assert!(matches!(refused, Err(ApiError::UnknownReport(_))), "{id}");
        }
    }
}
