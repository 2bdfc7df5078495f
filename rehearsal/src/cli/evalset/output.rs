//! Writes a file atomically.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use evalset::{Case, EvalSet, Layout};

use super::error::EvalsetError;
use super::valid_file::put;
use crate::cli::output_file::{permissions, refuse_special_file};

/// Writes the set, which has no case, with `cases` in ADK's own layout; returns their number.
pub(super) fn write_set(
    mut set: EvalSet,
    cases: &mut dyn Iterator<Item = Result<Case, EvalsetError>>,
    out: &mut (impl Write + ?Sized),
) -> Result<usize, EvalsetError> {
    let mut count = 0;
    if let Some(first) = cases.next() {
        put(&mut set, first?);
        count += 1;
    }
    let mut text = set.to_json().laid_out(&Layout::two_spaces());
    text.push('\n');
    let end = end_of_only_case(&text).filter(|_| count > 0).unwrap_or(text.len());
    let (before, behind) = text.split_at(end);
    out.write_all(before.as_bytes())?;
    let layout = Layout::Lines { step: "  ".to_owned(), base: "    ".to_owned(), line_end: "\n" };
    for case in cases {
        write!(out, ",\n    {}", case?.to_json().laid_out(&layout))?;
        count += 1;
    }
    out.write_all(behind.as_bytes())?;
    Ok(count)
}

/// The offset in ADK's layout where the only case of a set ends. Strings contain no line feed, so
/// lines that look like the set's own are.
fn end_of_only_case(text: &str) -> Option<usize> {
    let list = text.find("\n  \"eval_cases\": [\n")?;
    Some(list + text.get(list..)?.find("\n  ]")?)
}

/// Rejects an existing file, unless `force` is given.
pub(super) fn require_free(path: &Path, force: bool) -> Result<(), EvalsetError> {
    if !force && std::fs::symlink_metadata(path).is_ok() {
        return Err(EvalsetError::InTheWay { path: path.to_owned() });
    }
    Ok(())
}

/// Writes a file with `write` and creates its folder. The file appears under `path` only if `write`
/// succeeds, and is then on disk.
pub(super) fn write_by(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), EvalsetError>,
) -> Result<(), EvalsetError> {
    let unwritable = |cause| EvalsetError::Unwritable { path: path.to_owned(), cause };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    // Writes to the target of a link.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    refuse_special_file(&real).map_err(unwritable)?;
    let beside = real.parent().filter(|folder| *folder != Path::new("")).unwrap_or(folder);
    let draft = tempfile::Builder::new()
        .prefix(".rehearsal-")
        .permissions(permissions(&real))
        .tempfile_in(beside)
        .map_err(unwritable)?;
    let mut draft = BufWriter::new(draft);
    write(&mut draft).map_err(|error| match error {
        EvalsetError::Output(cause) => unwritable(cause),
        error => error,
    })?;
    let draft = draft.into_inner().map_err(|error| unwritable(error.into_error()))?;
    draft.as_file().sync_all().map_err(unwritable)?;
    let named = if force { draft.persist(&real) } else { draft.persist_noclobber(&real) };
    match named {
        Ok(_) => {}
        Err(error) if !force && error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(EvalsetError::InTheWay { path: path.to_owned() });
        }
        Err(error) => return Err(unwritable(error.error)),
    }
    File::open(beside).and_then(|folder| folder.sync_all()).map_err(unwritable)
}
