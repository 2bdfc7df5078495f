//! Crash-safe writes.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Instant, SystemTime};

use rustix::fs::OFlags;

use crate::AppendError;
use crate::error::{IoContext as _, is_denied, is_disk_full};
use crate::files::EvalSetFiles;
use crate::journal::{Journal, Recovery};
use crate::lock::{flags, is_at, lock};
use crate::place::FilePaths;
use crate::write_step::{WriteObserver, WriteStep};

/// A part of the new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A range of the old file.
    Kept(Range<u64>),
    New(Vec<u8>),
}

impl Piece {
    pub(crate) fn length(&self) -> u64 {
        match self {
            Self::Kept(range) => range.end - range.start,
            Self::New(bytes) => bytes.len() as u64,
        }
    }
}

/// The mode of a new file, of which the mask takes away some. A file that exists keeps its mode.
const ORDINARY: u32 = 0o666;

/// The mode of what stands beside a file while it is written.
const PRIVATE: u32 = 0o600;

/// Recovers from an interrupted write of an earlier process. Returns true if a journal does not fit the
/// file any more.
pub(crate) fn recover(file: &File, place: &FilePaths) -> Result<bool, AppendError> {
    // A draft for an existing file is only written with the file's lock, which this process has.
    let _ = std::fs::remove_file(&place.draft);
    let bytes = match std::fs::read(&place.journal) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(source) => return Err(source).during("reading", &place.journal),
    };
    if let Some(journal) = Journal::from_bytes(&bytes)
        && journal.settle(file).during("undoing an unfinished write to", &place.file)?
            == Recovery::ChangedSince
    {
        return Ok(true);
    }
    forget_journal(place)?;
    Ok(false)
}

/// Removes the journal, and flushes the folder.
pub(crate) fn forget_journal(place: &FilePaths) -> Result<(), AppendError> {
    match std::fs::remove_file(&place.journal) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).during("removing", &place.journal)
        }
        _ => flush_folder(&place.folder),
    }
}

/// Writes the new tail of `journal`.
pub(crate) fn write_tail(
    file: &File,
    place: &FilePaths,
    journal: &Journal,
    observer: &dyn WriteObserver,
) -> Result<(), AppendError> {
    let needed = journal.new_length().saturating_sub(journal.old_length());
    let refused = |operation: &'static str, path: &Path, source: io::Error| {
        if is_disk_full(&source) {
            AppendError::DiskFull { path: place.file.clone(), needed }
        } else if is_denied(&source) {
            AppendError::FolderReadOnly { folder: place.folder.clone() }
        } else {
            AppendError::Io { path: path.to_owned(), operation, source }
        }
    };
    if let Err(source) = reserve(file, journal.old_length(), needed) {
        return Err(refused("reserving space in", &place.file, source));
    }
    if let Err(source) = write_journal(place, journal, observer) {
        let _ = std::fs::remove_file(&place.journal);
        let _ = file.set_len(journal.old_length());
        return Err(refused("writing", &place.journal, source));
    }
    if let Err(source) = write_announced(file, journal, observer) {
        // If that fails too, the journal stays and the next append undoes the write.
        if journal.undo(file).is_ok() {
            forget_journal(place)?;
        }
        return Err(refused("writing", &place.file, source));
    }
    forget_journal(place)?;
    observer.reached(WriteStep::JournalGone).during("writing", &place.file)
}

fn write_journal(
    place: &FilePaths,
    journal: &Journal,
    observer: &dyn WriteObserver,
) -> io::Result<()> {
    observer.reached(WriteStep::Begun)?;
    let mut out = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(PRIVATE)
        .custom_flags(flags(OFlags::NOFOLLOW))
        .open(&place.journal)?;
    out.write_all(&journal.to_bytes())?;
    observer.reached(WriteStep::JournalWritten)?;
    out.sync_all()?;
    observer.reached(WriteStep::JournalFlushed)?;
    File::open(&place.folder)?.sync_all()?;
    observer.reached(WriteStep::JournalDurable)
}

fn write_announced(file: &File, journal: &Journal, observer: &dyn WriteObserver) -> io::Result<()> {
    let mut at = journal.splice;
    for part in journal.new.chunks(observer.part().max(1)) {
        file.write_all_at(part, at)?;
        at += part.len() as u64;
        observer.reached(WriteStep::TailPart)?;
    }
    file.set_len(journal.new_length())?;
    observer.reached(WriteStep::TailWritten)?;
    // The kernel's time stamp has a coarse resolution: with this one, another program's write in the same
    // tick still gets a different time.
    file.set_modified(SystemTime::now())?;
    file.sync_all()?;
    observer.reached(WriteStep::TailFlushed)
}

/// Allocates the space before writing, if the file system supports it.
#[cfg(target_os = "linux")]
fn reserve(file: &File, from: u64, bytes: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;

    if bytes == 0 {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::KEEP_SIZE, from, bytes) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: u64, _: u64) -> io::Result<()> {
    Ok(())
}

/// Creates a file with `text` atomically; false if one was created in the meantime.
pub(crate) fn create(
    files: &EvalSetFiles,
    place: &FilePaths,
    text: &str,
) -> Result<bool, AppendError> {
    let refused = |source: io::Error| {
        if is_disk_full(&source) {
            AppendError::DiskFull { path: place.file.clone(), needed: text.len() as u64 }
        } else if is_denied(&source) {
            AppendError::FolderReadOnly { folder: place.folder.clone() }
        } else {
            AppendError::Io { path: place.file.clone(), operation: "making", source }
        }
    };
    std::fs::create_dir_all(&place.folder).map_err(refused)?;
    let draft = open_draft(files, place, ORDINARY, refused)?;
    let made = write_draft(place, &draft, text, files.observer.as_ref());
    if !matches!(made, Ok(true)) {
        let _ = std::fs::remove_file(&place.draft);
    }
    made.map_err(refused)
}

/// Opens and locks the draft beside a file, and creates it with this mode.
fn open_draft(
    files: &EvalSetFiles,
    place: &FilePaths,
    mode: u32,
    refused: impl Fn(io::Error) -> AppendError,
) -> Result<File, AppendError> {
    let deadline = Instant::now() + files.wait;
    loop {
        let draft = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(mode)
            .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
            .open(&place.draft)
            .map_err(&refused)?;
        lock(&draft, &place.draft, deadline, files.wait)?;
        // The previous owner of the lock may have renamed the draft.
        if is_at(&draft, &place.draft)? {
            return Ok(draft);
        }
    }
}

/// Writes `pieces` to a new file, which then replaces the locked `file` if `unchanged` still holds. Owner and
/// permissions are kept.
pub(crate) fn replace_file(
    files: &EvalSetFiles,
    file: &File,
    place: &FilePaths,
    pieces: &[Piece],
    unchanged: impl Fn() -> Result<(), AppendError>,
) -> Result<(), AppendError> {
    let needed = pieces.iter().map(Piece::length).sum();
    let refused = |source: io::Error| {
        if is_disk_full(&source) {
            AppendError::DiskFull { path: place.file.clone(), needed }
        } else if is_denied(&source) {
            AppendError::FolderReadOnly { folder: place.folder.clone() }
        } else {
            AppendError::Io { path: place.file.clone(), operation: "rewriting", source }
        }
    };
    let draft = open_draft(files, place, PRIVATE, refused)?;
    let written = write_pieces(file, &draft, pieces, needed, files.observer.as_ref())
        .map_err(refused)
        .and_then(|()| unchanged())
        .and_then(|()| std::fs::rename(&place.draft, &place.file).map_err(refused));
    if written.is_err() {
        let _ = std::fs::remove_file(&place.draft);
        return written;
    }
    files.observer.reached(WriteStep::DraftNamed).map_err(refused)?;
    flush_folder(&place.folder)
}

fn write_pieces(
    file: &File,
    draft: &File,
    pieces: &[Piece],
    needed: u64,
    observer: &dyn WriteObserver,
) -> io::Result<()> {
    draft.set_len(0)?;
    reserve(draft, 0, needed)?;
    let mut at = 0;
    let mut buffer = vec![0; 1 << 20];
    for piece in pieces {
        match piece {
            Piece::New(bytes) => draft.write_all_at(bytes, at)?,
            Piece::Kept(range) => {
                let mut from = range.start;
                while from < range.end {
                    let left = usize::try_from(range.end - from).unwrap_or(buffer.len());
                    let bytes = buffer.get_mut(..left.min(1 << 20)).unwrap_or_default();
                    file.read_exact_at(bytes, from)?;
                    draft.write_all_at(bytes, at + (from - range.start))?;
                    from += bytes.len() as u64;
                }
            }
        }
        at += piece.length();
    }
    draft.set_len(at)?;
    let old = file.metadata()?;
    draft.set_permissions(old.permissions())?;
    let new = draft.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        std::os::unix::fs::fchown(draft, Some(old.uid()), Some(old.gid()))?;
    }
    observer.reached(WriteStep::DraftWritten)?;
    draft.sync_all()?;
    observer.reached(WriteStep::DraftFlushed)
}

fn write_draft(
    place: &FilePaths,
    draft: &File,
    text: &str,
    observer: &dyn WriteObserver,
) -> io::Result<bool> {
    if std::fs::symlink_metadata(&place.file).is_ok() {
        return Ok(false);
    }
    draft.set_len(0)?;
    draft.write_all_at(text.as_bytes(), 0)?;
    observer.reached(WriteStep::DraftWritten)?;
    draft.sync_all()?;
    observer.reached(WriteStep::DraftFlushed)?;
    // A journal without its file is of a deleted file.
    let _ = std::fs::remove_file(&place.journal);
    match name_without_replacing(&place.draft, &place.file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        other => other?,
    }
    observer.reached(WriteStep::DraftNamed)?;
    File::open(&place.folder)?.sync_all()?;
    Ok(true)
}

fn name_without_replacing(draft: &Path, file: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, draft, CWD, file, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            // Without an atomic rename that does not replace: a link fails if the name exists.
            std::fs::hard_link(draft, file)?;
            std::fs::remove_file(draft)
        }
        other => Ok(other?),
    }
}

fn flush_folder(folder: &Path) -> Result<(), AppendError> {
    File::open(folder).and_then(|folder| folder.sync_all()).during("flushing", folder)
}
