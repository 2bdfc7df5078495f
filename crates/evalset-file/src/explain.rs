//! The error of a file whose syntax is wrong.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::AppendError;
use crate::line_column::LineColumn;
use crate::scan::{SyntaxFault, SyntaxFaultKind};

/// The error of a file, with its line and column.
///
/// `journal` is a journal of a write to the file that no longer fits the file's content.
pub(crate) fn explain(
    file: &File,
    path: &Path,
    fault: SyntaxFault,
    journal: Option<&Path>,
) -> AppendError {
    let path = path.to_owned();
    let mut first = [0; 3];
    // The byte order marks of UTF-8 and UTF-16.
    if file.read_exact_at(&mut first, 0).is_ok()
        && matches!(first, [0xef, 0xbb, 0xbf] | [0xff, 0xfe, _] | [0xfe, 0xff, _])
    {
        return AppendError::ByteOrderMark { path };
    }
    let LineColumn { line, column, .. } = match LineColumn::default().advance_to(file, fault.at) {
        Ok(at) => at,
        Err(source) => return AppendError::Io { path, operation: "reading", source },
    };
    match fault.kind {
        SyntaxFaultKind::Invalid(reason) => match journal {
            Some(journal) => {
                AppendError::Interrupted { path, journal: journal.to_owned(), line, column }
            }
            None => AppendError::InvalidJson { path, line, column, reason },
        },
        SyntaxFaultKind::LegacyList => AppendError::LegacyList { path },
        SyntaxFaultKind::NotAnEvalSet(reason) => {
            AppendError::NotAnEvalSet { path, line, column, reason }
        }
        SyntaxFaultKind::CasesTwice { first } => {
            let first_line = LineColumn::default().advance_to(file, first).map_or(0, |it| it.line);
            AppendError::CasesTwice { path, first_line, second_line: line }
        }
    }
}
