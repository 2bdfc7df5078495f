//! Writing a file as a whole: it is there complete or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use evalset::{CaseText, Layout};

use super::error::EvalsetError;

/// The text of a file, in ADK's own layout.
pub(super) fn laid_out(text: &CaseText) -> String {
    let mut text = text.laid_out(&Layout::two_spaces());
    text.push('\n');
    text
}

/// Refuses a file that is there, unless `force` is given.
pub(super) fn require_free(path: &Path, force: bool) -> Result<(), EvalsetError> {
    if !force && std::fs::symlink_metadata(path).is_ok() {
        return Err(EvalsetError::InTheWay { path: path.to_owned() });
    }
    Ok(())
}

/// Writes `text` to `path`, whose folder is made where there is none.
pub(super) fn write(path: &Path, text: &str, force: bool) -> Result<(), EvalsetError> {
    write_by(path, force, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Writes to `path` what `write` does, unless that fails.
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
    // A link is followed, so that what it leads to is written and not the link itself.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = real.parent().filter(|folder| *folder != Path::new("")).unwrap_or(folder);
    let draft = tempfile::Builder::new()
        .prefix(".rehearsal-")
        .permissions(permissions_of(&real))
        .tempfile_in(beside)
        .map_err(unwritable)?;
    let mut draft = BufWriter::new(draft);
    write(&mut draft).map_err(|error| match error {
        EvalsetError::Output(cause) => unwritable(cause),
        error => error,
    })?;
    let draft = draft.into_inner().map_err(|error| unwritable(error.into_error()))?;
    draft.as_file().sync_all().map_err(unwritable)?;
    if force {
        draft.persist(&real).map_err(|error| unwritable(error.error))?;
        return Ok(());
    }
    match draft.persist_noclobber(&real) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(EvalsetError::InTheWay { path: path.to_owned() })
        }
        Err(error) => Err(unwritable(error.error)),
    }
}

/// Those of the file that is replaced, or what a new file would have.
fn permissions_of(path: &Path) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    match std::fs::metadata(path) {
        Ok(metadata) => metadata.permissions(),
        // The process's mask takes away from it what it takes from every new file.
        Err(_) => std::fs::Permissions::from_mode(0o666),
    }
}
