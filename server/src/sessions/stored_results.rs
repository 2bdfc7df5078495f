//! [`StoredResults`]: the results of sessions that are too large for the browser, in private files.
//!
//! The files outlive the session and the host, so that a session that is restored has its results. They are
//! deleted when the person starts over, when an exported session ends, and a day after the session was last open.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use api::ResultSlice;
use json_text::JsonText;
use session::{CallId, SessionId, StoredResult, ToolResult};

/// Longer results stay on the host.
pub(crate) const STORED_OVER_BYTES: usize = 1024 * 1024;
/// How much of a stored result the page receives at first.
const HEAD_BYTES: usize = 64 * 1024;
/// How much of a stored result the page receives for each further request.
const SLICE_BYTES: u64 = 256 * 1024;
/// How long the results of a session are kept after it was last open.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The stored results: a folder for each session, with a file for each call.
#[derive(Debug)]
pub(crate) struct StoredResults {
    folder: PathBuf,
}

impl StoredResults {
    /// Stores results in this folder, which is created with the first one. Nothing else may be in it.
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn of_session(&self, session: &SessionId) -> PathBuf {
        self.folder.join(session.as_str())
    }

    fn of_call(&self, session: &SessionId, call_id: &CallId) -> PathBuf {
        self.of_session(session).join(format!("{call_id}.json"))
    }

    /// Stores a result and returns the part for the page.
    ///
    /// # Errors
    /// The file system's, if the result cannot be stored.
    pub(crate) fn keep(
        &self,
        session: &SessionId,
        call_id: &CallId,
        result: JsonText,
    ) -> io::Result<StoredResult> {
        private_files::make_folder(&self.of_session(session))?;
        let path = self.of_call(session, call_id);
        if let Err(error) = write(&path, result.as_str()) {
            // Half of a result is of no use, and the disk may be full.
            let _ = std::fs::remove_file(&path);
            return Err(error);
        }
        let text = result.as_str();
        Ok(StoredResult {
            bytes: result.byte_len() as u64,
            head: text[..text.floor_char_boundary(HEAD_BYTES)].to_owned(),
            is_warning: ToolResult::Whole(result).is_warning(),
        })
    }

    /// A part of a result, cut at characters; `None` if no result is stored for this call.
    ///
    /// # Errors
    /// The file system's, if the part cannot be read.
    pub(crate) fn slice(
        &self,
        session: &SessionId,
        call_id: &CallId,
        offset: u64,
    ) -> io::Result<Option<ResultSlice>> {
        let Some(mut file) = existing(File::open(self.of_call(session, call_id)))? else {
            return Ok(None);
        };
        let total = file.metadata()?.len();
        let start = offset.min(total);
        file.seek(SeekFrom::Start(start))?;
        let mut part = Vec::new();
        file.take(SLICE_BYTES).read_to_end(&mut part)?;
        let skipped = part.iter().take_while(|byte| (**byte & 0xC0) == 0x80).count();
        let part = &part[skipped..];
        let text = match std::str::from_utf8(part) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&part[..error.valid_up_to()]).unwrap_or_default(),
        };
        Ok(Some(ResultSlice { offset: start + skipped as u64, text: text.to_owned(), total }))
    }

    /// A whole result, for export; `None` if no result is stored for this call.
    ///
    /// # Errors
    /// The file system's, if it cannot be read, or is not what was stored.
    pub(crate) fn whole(
        &self,
        session: &SessionId,
        call_id: &CallId,
    ) -> io::Result<Option<JsonText>> {
        let read = existing(std::fs::read_to_string(self.of_call(session, call_id)))?;
        read.map(|text| JsonText::parse(&text).map_err(io::Error::other)).transpose()
    }

    /// Deletes the results of a session, if it has any.
    pub(crate) fn remove(&self, session: &SessionId) {
        remove(&self.of_session(session));
    }

    /// Deletes the results of the sessions that were last open a day before `now`. `is_open` tells which sessions
    /// are open at `now`.
    pub(crate) fn remove_old(&self, now: SystemTime, is_open: impl Fn(&SessionId) -> bool) {
        let listed = existing(std::fs::read_dir(&self.folder));
        let listed = listed.inspect_err(|error| tracing::warn!("the stored results: {error}"));
        for entry in listed.ok().flatten().into_iter().flatten().flatten() {
            let path = entry.path();
            let session = entry.file_name().to_str().and_then(|name| SessionId::parse(name).ok());
            let Some(session) = session else { continue };
            if is_open(&session) {
                let renewed = File::open(&path).and_then(|folder| folder.set_modified(now));
                if let Err(error) = renewed {
                    tracing::debug!("the stored results in {}: {error}", path.display());
                }
            } else if is_old(&path, now) {
                remove(&path);
            }
        }
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = private_files::open_file(path)?;
    // The file is opened for appending.
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

/// What is there, or `None` if there is nothing.
fn existing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_old(path: &Path, now: SystemTime) -> bool {
    let modified = path.metadata().and_then(|folder| folder.modified());
    modified.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT))
}

fn remove(folder: &Path) {
    match existing(std::fs::remove_dir_all(folder)) {
        Ok(_) => {}
        Err(error) => tracing::warn!("cannot delete {}: {error}", folder.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str) -> SessionId {
        SessionId::parse(id).expect("valid")
    }

    fn call(id: &str) -> CallId {
        CallId::parse(id).expect("valid")
    }

    fn json(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    #[test]
    fn another_host_reads_what_one_has_stored() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = format!(r#"{{"error": {:?}}}"#, "é".repeat(700_000));
        let (s, c1) = (session("s"), call("c1"));
        let kept = StoredResults::new(folder.path().join("results")).keep(&s, &c1, json(&text));
        let kept = kept.expect("kept");
        assert!(kept.is_warning && kept.bytes == text.len() as u64 && text.starts_with(&kept.head));
        let stored = StoredResults::new(folder.path().join("results"));
        let mut read = kept.head;
        while read.len() < text.len() {
            let slice = stored.slice(&s, &c1, read.len() as u64).expect("reads").expect("stored");
            assert_eq!((slice.offset, slice.total), (read.len() as u64, text.len() as u64));
            read.push_str(&slice.text);
        }
        assert_eq!(read, text);
        assert_eq!(stored.whole(&s, &c1).expect("reads").expect("stored").as_str(), text);
        // In the middle of a character: the next whole one.
        let within = text.find('é').expect("has one") as u64 + 1;
        let slice = stored.slice(&s, &c1, within).expect("reads").expect("stored");
        assert_eq!(slice.offset, within + 1);
        for (s, c) in [("s", "c2"), ("other", "c1")] {
            assert!(stored.slice(&session(s), &call(c), 0).expect("reads").is_none());
            assert!(stored.whole(&session(s), &call(c)).expect("reads").is_none());
        }
    }

    #[test]
    fn a_result_that_is_stored_again_replaces_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let stored = StoredResults::new(folder.path());
        let (s, c1) = (session("s"), call("c1"));
        for text in ["[1, 2, 3]", "[4]"] {
            stored.keep(&s, &c1, json(text)).expect("kept");
            assert_eq!(stored.whole(&s, &c1).expect("reads").expect("stored").as_str(), text);
        }
    }

    #[test]
    fn what_is_not_a_stored_result_is_not_returned() {
        let folder = tempfile::tempdir().expect("a folder");
        let stored = StoredResults::new(folder.path());
        let (s, c1) = (session("s"), call("c1"));
        stored.keep(&s, &c1, json("[1, 2, 3]")).expect("kept");
        std::fs::write(folder.path().join("s/c1.json"), "[1, 2").expect("written");
        assert!(stored.whole(&s, &c1).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_has_access() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().expect("a folder");
        let stored = StoredResults::new(folder.path().join("results"));
        stored.keep(&session("s"), &call("c1"), json("[1]")).expect("kept");
        let mode = |path: &str| {
            let found = folder.path().join(path).metadata().expect("there");
            found.permissions().mode() & 0o777
        };
        let modes = ["results", "results/s", "results/s/c1.json"].map(mode);
        assert_eq!(modes, [0o700, 0o700, 0o600]);
    }

    #[test]
    fn results_are_deleted_a_day_after_their_session_was_last_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let stored = StoredResults::new(folder.path().join("results"));
        stored.remove_old(SystemTime::now(), |_| false);
        let (open, closed, c1) = (session("open"), session("closed"), call("c1"));
        for session in [&open, &closed] {
            stored.keep(session, &c1, json("[1]")).expect("kept");
        }
        let has = |session| stored.whole(session, &c1).expect("reads").is_some();
        let hour = Duration::from_secs(60 * 60);
        let now = SystemTime::now();
        stored.remove_old(now + 23 * hour, |session| *session == open);
        assert!(has(&open) && has(&closed), "a night is less than a day");
        stored.remove_old(now + 25 * hour, |_| false);
        assert!(has(&open), "it was open two hours ago");
        assert!(!has(&closed));
        stored.remove(&open);
        assert!(!has(&open));
        stored.remove(&open);
    }
}
