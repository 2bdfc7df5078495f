//! [`EvalSetFiles::append`] and [`Appender`]: add cases at the end of a file.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use evalset::adk::{EvalCase, EvalSetHeader};
use evalset::{Case, CaseText, Format, numbered};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::IoContext as _;
use crate::explain::explain;
use crate::files::{EvalSetFiles, LONGEST_TAIL};
use crate::identity::Identity;
use crate::journal::Journal;
use crate::lock::{is_at, open_locked};
use crate::numbers::Numbers;
use crate::place::FilePaths;
use crate::scan::{Outline, Scan, ScannedCase, Span, check_case};
use crate::separator::Separator;
use crate::write::{create, forget_journal, recover, write_tail};
use crate::{AppendError, Cases};

/// What an append did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// The case is in the file, and on the disk.
    Added {
        /// The real file, links followed.
        file: PathBuf,
        /// The case's id in the file: its own, or its own with a number appended.
        eval_id: String,
        /// The case as written, with its indentation.
        text: String,
        /// The number of cases in the file now.
        cases: u64,
        /// Whether the file was created.
        new_file: bool,
    },
    /// The file already has a case of the same recording, by its `invocation_id`; nothing was
    /// written.
    AlreadyThere {
        /// The real file, links followed.
        file: PathBuf,
        /// The id of the case that holds the recording.
        eval_id: String,
        /// That case's text in the file.
        text: String,
        /// The number of cases in the file.
        cases: u64,
    },
}

impl EvalSetFiles {
    /// Appends `case` to the eval set at `path`, in the file's format; creates the file with `header` if
    /// it does not exist.
    ///
    /// No byte of the earlier cases changes. On success the case is flushed to the disk; on an error the
    /// file is unchanged.
    ///
    /// # Errors
    /// [`AppendError`].
    pub fn append(
        &self,
        path: &Path,
        mut case: EvalCase,
        header: &EvalSetHeader,
    ) -> Result<Appended, AppendError> {
        case.to_json()?;
        let place = FilePaths::of(path, &self.roots)?;
        loop {
            let Some(file) = open_locked(&place, self.wait)? else {
                let text = case.to_json()?;
                if !create(self, &place, &header.file_with(&text))? {
                    continue;
                }
                let text = text.laid_out(&evalset::Layout::two_spaces());
                let FilePaths { file, .. } = place;
                let eval_id = case.eval_id;
                return Ok(Appended::Added { file, eval_id, text, cases: 1, new_file: true });
            };
            let (mut known, found) = look_up(&file, &place, &case)?;
            let cases = known.outline.cases;
            if let Some(ScannedCase { span, eval_id, .. }) = found.same_recording {
                let text = text_of(&file, span).during("reading", &place.file)?;
                let eval_id = eval_id.unwrap_or_default();
                return Ok(Appended::AlreadyThere { file: place.file, eval_id, text, cases });
            }
            case.eval_id = numbered(&case.eval_id, found.number);
            let text = known.text_of(&case)?;
            let text = self.add(&file, &place, &mut known, &text)?;
            let FilePaths { file, .. } = place;
            let (eval_id, cases) = (case.eval_id, cases + 1);
            return Ok(Appended::Added { file, eval_id, text, cases, new_file: false });
        }
    }

    /// The id that [`Self::append`] would write for `case` now: its own, with a number if another case in
    /// the file has that id.
    ///
    /// # Errors
    /// [`AppendError`]
    pub fn next_id(&self, path: &Path, case: &EvalCase) -> Result<String, AppendError> {
        let place = FilePaths::of(path, &self.roots)?;
        let Some(file) = open_locked(&place, self.wait)? else { return Ok(case.eval_id.clone()) };
        let (_, found) = look_up(&file, &place, case)?;
        // The same recording is not written again.
        let number = if found.same_recording.is_some() { 1 } else { found.number };
        Ok(numbered(&case.eval_id, number))
    }

    /// Opens a file to append several cases unchanged. It is locked until the [`Appender`] is dropped.
    ///
    /// # Errors
    /// [`AppendError`]
    pub fn appender(&self, path: &Path) -> Result<Appender, AppendError> {
        let place = FilePaths::of(path, &self.roots)?;
        let Some(file) = open_locked(&place, self.wait)? else {
            return Err(AppendError::NoFile { path: place.file });
        };
        let mut ids = HashSet::new();
        let known = read(&file, &place, Vec::new(), |case| {
            ids.extend(case.eval_id.as_deref().map(fingerprint));
        })?;
        Ok(Appender { sets: self.clone(), file, place, known, ids })
    }

    /// Writes the case after the last one, and returns its text.
    fn add(
        &self,
        file: &File,
        place: &FilePaths,
        known: &mut Known,
        text: &CaseText,
    ) -> Result<String, AppendError> {
        let outline = known.outline;
        let separator = Separator::of(file, &outline).during("reading", &place.file)?;
        let text = text.laid_out(&separator.layout);
        let bytes = known.identity.size - separator.splice;
        if bytes > LONGEST_TAIL {
            let path = place.file.clone();
            return Err(AppendError::TailTooLong { path, bytes, limit: LONGEST_TAIL });
        }
        let mut old = vec![0; usize::try_from(bytes).unwrap_or(0)];
        file.read_exact_at(&mut old, separator.splice).during("reading", &place.file)?;
        let kept = usize::try_from(separator.resume - separator.splice).unwrap_or(0);
        let mut new = Vec::with_capacity(text.len() + old.len() + 64);
        for part in
            [separator.before.as_bytes(), text.as_bytes(), separator.after.as_bytes(), &old[kept..]]
        {
            new.extend_from_slice(part);
        }

        check_case(&text).during("checking the case for", &place.file)?;
        let journal =
            Journal::new(file, separator.splice, old, new).during("reading", &place.file)?;
        if Identity::of(file).during("looking at", &place.file)? != known.identity {
            return Err(AppendError::ChangedMeanwhile { path: place.file.clone() });
        }
        write_tail(file, place, &journal, self.observer.as_ref())?;

        let start = separator.splice + separator.before.len() as u64;
        let end = start + text.len() as u64;
        let parting = if outline.cases == 0 { outline.list_open } else { separator.splice };
        known.outline = Outline {
            list_close: end
                + separator.after.len() as u64
                + (outline.list_close - separator.resume),
            last: Some(Span { parting, start, end }),
            cases: outline.cases + 1,
            ..outline
        };
        known.identity = Identity::of(file).during("looking at", &place.file)?;
        Ok(text)
    }
}

/// A file to which cases are appended one after the other; see [`EvalSetFiles::appender`].
#[derive(Debug)]
pub struct Appender {
    sets: EvalSetFiles,
    file: File,
    place: FilePaths,
    known: Known,
    /// The fingerprints of the ids in the file.
    ids: HashSet<u64>,
}

impl Appender {
    /// Appends a case unchanged: `text` is in the file's format and `eval_id` is the id in it. On success
    /// the case is flushed to the disk.
    ///
    /// # Errors
    /// [`AppendError`]; the file is then unchanged.
    pub fn push(&mut self, eval_id: &str, text: &CaseText) -> Result<(), AppendError> {
        let path = &self.place.file;
        let fingerprint = fingerprint(eval_id);
        if self.ids.contains(&fingerprint) {
            let eval_id = eval_id.to_owned();
            return Err(AppendError::DuplicateId { path: path.clone(), eval_id });
        }
        if !is_at(&self.file, path)? {
            return Err(AppendError::ChangedMeanwhile { path: path.clone() });
        }
        self.sets.add(&self.file, &self.place, &mut self.known, text)?;
        self.ids.insert(fingerprint);
        Ok(())
    }
}

fn fingerprint(eval_id: &str) -> u64 {
    xxh3_64(eval_id.as_bytes())
}

/// What an append needs to know about a file.
#[derive(Debug)]
struct Known {
    format: Format,
    identity: Identity,
    outline: Outline,
}

/// What a file has of a case that is to be appended.
#[derive(Debug)]
struct Found {
    /// The first case of the same recording.
    same_recording: Option<ScannedCase>,
    /// The first free number for the case's id.
    number: u64,
}

/// Looks up a case in a file.
fn look_up(file: &File, place: &FilePaths, case: &EvalCase) -> Result<(Known, Found), AppendError> {
    let invocation_ids = case.invocation_ids().map(str::to_owned).collect();
    let (mut taken, mut same_recording) = (Numbers::default(), None);
    let known = read(file, place, invocation_ids, |scanned| {
        if let Some(id) = &scanned.eval_id {
            taken.insert(&case.eval_id, id);
        }
        if scanned.has_wanted_turn && same_recording.is_none() {
            same_recording = Some(scanned);
        }
    })?;
    Ok((known, Found { same_recording, number: taken.free() }))
}

/// Recovers from an unfinished write, then reads the file.
fn read(
    file: &File,
    place: &FilePaths,
    invocation_ids: Vec<String>,
    mut each: impl FnMut(ScannedCase),
) -> Result<Known, AppendError> {
    let foreign_journal = recover(file, place)?;
    // An error here is found again below, with its position.
    let format = Cases::declared_format(&place.file).unwrap_or(Format::Adk);
    let identity = Identity::of(file).during("looking at", &place.file)?;
    let mut scan = Scan::new(identity.size).looking_for(invocation_ids);
    let fault = loop {
        match scan.next(file).during("reading", &place.file)? {
            Ok(Some(case)) => each(case),
            Ok(None) => break scan.unloadable(format == Format::Adk),
            Err(fault) => break Some(fault),
        }
    };
    if let Some(fault) = fault {
        let journal = foreign_journal.then_some(place.journal.as_path());
        return Err(explain(file, &place.file, fault, journal));
    }
    if Identity::of(file).during("looking at", &place.file)? != identity {
        return Err(AppendError::ChangedMeanwhile { path: place.file.clone() });
    }
    if foreign_journal {
        // The file is valid without it, so the journal is obsolete.
        forget_journal(place)?;
    }
    let outline = scan.outline().copied().unwrap_or_default();
    Ok(Known { format, identity, outline })
}

impl Known {
    /// The case as the file's format writes it.
    fn text_of(&self, case: &EvalCase) -> Result<CaseText, AppendError> {
        match self.format {
            Format::AgentFlow => {
                Ok(Case::AgentFlow(Case::Adk(case.clone()).into_agentflow()).to_json())
            }
            Format::Adk | Format::AdkLegacy => Ok(case.to_json()?),
        }
    }
}

fn text_of(file: &File, span: Span) -> io::Result<String> {
    let mut bytes = vec![0; usize::try_from(span.end - span.start).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, span.start)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}
