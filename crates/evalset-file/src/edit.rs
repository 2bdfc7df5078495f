//! Editing a file case by case: insert, replace, remove.
//!
//! The bytes after the edit move. Up to 16 MiB are rewritten in place, with the same journal as an
//! append; more are written to a new file that then replaces the old one. The bytes of all other cases
//! are unchanged.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use evalset::CaseText;

use crate::AppendError;
use crate::error::IoContext as _;
use crate::explain::explain;
use crate::files::EvalSetFiles;
use crate::identity::Identity;
use crate::journal::Journal;
use crate::lock::open_locked;
use crate::place::FilePaths;
use crate::scan::{Outline, Scan, Span, SyntaxFault};
use crate::separator::Separator;
use crate::write::{Piece, forget_journal, recover, replace_file, write_tail};

/// Selects a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseAt {
    /// The one with this id.
    Id(String),
    /// The one at this index, from 0.
    Index(u64),
    /// The one at this index, from 0, if its text is unchanged, so that an edit does not overwrite the
    /// change of another process.
    AsRead {
        /// The index.
        index: u64,
        /// The case's text when it was read.
        text: String,
    },
}

/// What an edit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The real file, links followed.
    pub file: PathBuf,
    /// The number of cases in it now.
    pub cases: u64,
}

impl EvalSetFiles {
    /// Inserts a case at `index`, which may be the number of cases. `eval_id` is the id in `text`.
    ///
    /// # Errors
    /// [`AppendError`]; the file is then unchanged.
    pub fn insert(
        &self,
        path: &Path,
        index: u64,
        eval_id: &str,
        text: &CaseText,
    ) -> Result<Edited, AppendError> {
        let ask = Ask { new_id: Some(eval_id), index: Some(index), ..Ask::default() };
        self.edit(path, &ask, |found| {
            found.require_free(eval_id, None)?;
            if index == found.outline.cases {
                return found.after_the_last(text);
            }
            let case = found.case(&CaseAt::Index(index))?.span;
            let new = found.in_style_of(&case, text)?;
            let parting = Piece::Kept(case.parting + 1..case.start);
            let pieces = vec![new, Piece::New(b",".to_vec()), parting];
            Ok(Change::new(case.start..case.start, pieces, 1))
        })
    }

    /// Replaces a case. `eval_id` is the id in `text`.
    ///
    /// # Errors
    /// [`AppendError`]; the file is then unchanged.
    pub fn replace(
        &self,
        path: &Path,
        at: &CaseAt,
        eval_id: &str,
        text: &CaseText,
    ) -> Result<Edited, AppendError> {
        self.edit(path, &Ask { new_id: Some(eval_id), ..Ask::of(at) }, |found| {
            let case = found.case(at)?;
            found.require_free(eval_id, Some(case.index))?;
            let new = found.in_style_of(&case.span, text)?;
            Ok(Change::new(case.span.start..case.span.end, vec![new], 0))
        })
    }

    /// Removes a case.
    ///
    /// # Errors
    /// [`AppendError`]; the file is then unchanged.
    pub fn remove(&self, path: &Path, at: &CaseAt) -> Result<Edited, AppendError> {
        self.edit(path, &Ask::of(at), |found| {
            let Seen { index, span, next, .. } = *found.case(at)?;
            let range = match (index, next) {
                (0, Some(next)) => span.start..next.start,
                (0, None) => found.outline.list_open + 1..found.outline.list_close,
                (_, _) => span.parting..span.end,
            };
            Ok(Change::new(range, Vec::new(), -1))
        })
    }

    /// Reads the file, and applies the change that `plan` returns.
    fn edit(
        &self,
        path: &Path,
        ask: &Ask<'_>,
        plan: impl Fn(&ScannedFile<'_>) -> Result<Change, AppendError>,
    ) -> Result<Edited, AppendError> {
        let place = FilePaths::of(path, &self.roots)?;
        let Some(file) = open_locked(&place, self.wait)? else {
            return Err(AppendError::NoFile { path: place.file });
        };
        let foreign_journal = recover(&file, &place)?;
        let identity = Identity::of(&file).during("looking at", &place.file)?;
        let mut found = ScannedFile {
            file: &file,
            path: &place.file,
            outline: &Outline::default(),
            seen: Vec::new(),
            holders: Vec::new(),
            ids_may_repeat: self.ids_may_repeat,
        };
        let mut scan = Scan::new(identity.size);
        let outline = match found.look(&mut scan, ask).during("reading", &place.file)? {
            Ok(outline) => outline,
            Err(fault) => {
                let journal = foreign_journal.then_some(place.journal.as_path());
                return Err(explain(&file, &place.file, fault, journal));
            }
        };
        found.outline = &outline;
        if foreign_journal {
            // The file is valid without it, so the journal is obsolete.
            forget_journal(&place)?;
        }
        let change = plan(&found)?;
        let cases = outline.cases.saturating_add_signed(change.cases);
        self.apply(&file, &place, &identity, change)?;
        Ok(Edited { file: place.file.clone(), cases })
    }

    fn apply(
        &self,
        file: &File,
        place: &FilePaths,
        identity: &Identity,
        change: Change,
    ) -> Result<(), AppendError> {
        let Change { range, mut pieces, .. } = change;
        let splice = range.start;
        pieces.push(Piece::Kept(range.end..identity.size));
        let unchanged = || match Identity::of(file).during("looking at", &place.file)? {
            now if now == *identity => Ok(()),
            _ => Err(AppendError::ChangedMeanwhile { path: place.file.clone() }),
        };
        if identity.size - splice > self.longest_tail {
            pieces.insert(0, Piece::Kept(0..splice));
            return replace_file(self, file, place, &pieces, unchanged);
        }
        let read = |range: Range<u64>| -> io::Result<Vec<u8>> {
            let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
            file.read_exact_at(&mut bytes, range.start)?;
            Ok(bytes)
        };
        let old = read(splice..identity.size).during("reading", &place.file)?;
        let mut new = Vec::with_capacity(old.len());
        for piece in pieces {
            match piece {
                Piece::Kept(range) => new.extend(read(range).during("reading", &place.file)?),
                Piece::New(bytes) => new.extend(bytes),
            }
        }
        let journal = Journal::new(file, splice, old, new).during("reading", &place.file)?;
        unchanged()?;
        write_tail(file, place, &journal, self.observer.as_ref())
    }
}

/// What an edit looks up in the file.
#[derive(Debug, Default)]
struct Ask<'a> {
    id: Option<&'a str>,
    index: Option<u64>,
    /// The new id of a case.
    new_id: Option<&'a str>,
}

impl<'a> Ask<'a> {
    fn of(at: &'a CaseAt) -> Self {
        match at {
            CaseAt::Id(id) => Self { id: Some(id), ..Self::default() },
            CaseAt::Index(index) | CaseAt::AsRead { index, .. } => {
                Self { index: Some(*index), ..Self::default() }
            }
        }
    }
}

/// A range of the file, and its replacement.
#[derive(Debug)]
struct Change {
    range: Range<u64>,
    pieces: Vec<Piece>,
    /// The change in the number of cases.
    cases: i64,
}

impl Change {
    fn new(range: Range<u64>, pieces: Vec<Piece>, cases: i64) -> Self {
        Self { range, pieces, cases }
    }
}

/// A looked-up case, and the one after it.
#[derive(Debug, Clone, Copy)]
struct Seen {
    index: u64,
    by_id: bool,
    span: Span,
    next: Option<Span>,
}

/// The file after a scan.
struct ScannedFile<'a> {
    file: &'a File,
    path: &'a Path,
    outline: &'a Outline,
    seen: Vec<Seen>,
    /// The cases that have the new id.
    holders: Vec<u64>,
    ids_may_repeat: bool,
}

impl ScannedFile<'_> {
    fn look(&mut self, scan: &mut Scan, ask: &Ask<'_>) -> io::Result<Result<Outline, SyntaxFault>> {
        let mut index = 0;
        loop {
            let scanned = match scan.next(self.file)? {
                Ok(Some(scanned)) => scanned,
                Ok(None) => return Ok(Ok(scan.outline().copied().unwrap_or_default())),
                Err(fault) => return Ok(Err(fault)),
            };
            let span = scanned.span;
            if let Some(last) = self.seen.last_mut()
                && last.index + 1 == index
            {
                last.next = Some(span);
            }
            let by_id = ask.id.is_some() && ask.id == scanned.eval_id.as_deref();
            if by_id || ask.index == Some(index) {
                self.seen.push(Seen { index, by_id, span, next: None });
            }
            if ask.new_id.is_some() && ask.new_id == scanned.eval_id.as_deref() {
                self.holders.push(index);
            }
            index += 1;
        }
    }

    fn case(&self, at: &CaseAt) -> Result<&Seen, AppendError> {
        let none = |wanted: String| AppendError::NoSuchCase {
            path: self.path.to_owned(),
            wanted,
            cases: self.outline.cases,
        };
        let at_index = |wanted: &u64| self.seen.iter().find(|seen| seen.index == *wanted);
        match at {
            CaseAt::Index(wanted) => {
                at_index(wanted).ok_or_else(|| none(format!("at index {wanted}")))
            }
            CaseAt::AsRead { index, text } => match at_index(index) {
                Some(seen) if self.reads(seen.span, text)? => Ok(seen),
                _ => Err(AppendError::CaseChanged { path: self.path.to_owned(), index: *index }),
            },
            CaseAt::Id(eval_id) => {
                let mut found = self.seen.iter().filter(|seen| seen.by_id);
                match (found.next(), found.next()) {
                    (Some(one), None) => Ok(one),
                    (None, _) => Err(none(format!("{eval_id:?}"))),
                    (Some(_), Some(_)) => Err(AppendError::SeveralCases {
                        path: self.path.to_owned(),
                        eval_id: eval_id.clone(),
                    }),
                }
            }
        }
    }

    fn reads(&self, span: Span, text: &str) -> Result<bool, AppendError> {
        if span.end - span.start != text.len() as u64 {
            return Ok(false);
        }
        let mut now = vec![0; text.len()];
        self.file.read_exact_at(&mut now, span.start).during("reading", self.path)?;
        Ok(now == text.as_bytes())
    }

    /// Requires a unique id. A replaced case may keep its own id, even if other cases have it.
    fn require_free(&self, eval_id: &str, replaced: Option<u64>) -> Result<(), AppendError> {
        let is_own = replaced.is_some_and(|replaced| self.holders.contains(&replaced));
        if self.holders.is_empty() || is_own || self.ids_may_repeat {
            return Ok(());
        }
        Err(AppendError::DuplicateId { path: self.path.to_owned(), eval_id: eval_id.to_owned() })
    }

    fn after_the_last(&self, text: &CaseText) -> Result<Change, AppendError> {
        let separator = Separator::of(self.file, self.outline).during("reading", self.path)?;
        let new = [&separator.before, &text.laid_out(&separator.layout), &separator.after];
        let new = Piece::New(new.map(String::as_str).concat().into());
        Ok(Change::new(separator.splice..separator.resume, vec![new], 1))
    }

    fn in_style_of(&self, case: &Span, text: &CaseText) -> Result<Piece, AppendError> {
        let separator = Separator::after_case(self.file, case).during("reading", self.path)?;
        Ok(Piece::New(text.laid_out(&separator.layout).into()))
    }
}
