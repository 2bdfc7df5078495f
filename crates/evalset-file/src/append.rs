//! [`EvalSetFiles::append`] and [`EvalSetFiles::push`]: add a case at the end of a file.

use std::fs::File;
use std::io::{self, Seek as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use evalset::adk::{EvalCase, EvalSetHeader};
use evalset::{Case, CaseText, Format, numbered};

use crate::error::IoContext as _;
use crate::explain::explain;
use crate::identity::Identity;
use crate::index::{self, Builder, Index, Kind};
use crate::journal::Journal;
use crate::lock::open_locked;
use crate::lookup::{CaseIds, Lookup, LookupSink, free_number};
use crate::place::{FilePaths, Roots};
use crate::scan::{LastCase, Outline, scan, scan_case};
use crate::separator::Separator;
use crate::write::{create, forget_journal, recover, write_tail};
use crate::write_step::{NoObserver, WriteObserver};
use crate::{AppendError, Cases, Edited};

/// The most bytes after the last case that an append moves.
const LONGEST_TAIL: u64 = 16 << 20;

/// Smaller files have no index, because reading them takes less than a millisecond.
const INDEXED_FROM: u64 = 1 << 20;

/// More threads would wait for memory.
const MOST_THREADS: usize = 4;

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

/// Appends to and edits eval-set files in allowed folders.
#[derive(Debug, Clone)]
pub struct EvalSetFiles {
    pub(crate) roots: Roots,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) indexed_from: u64,
    pub(crate) wait: Duration,
    pub(crate) threads: usize,
    pub(crate) longest_tail: u64,
    pub(crate) ids_may_repeat: bool,
    pub(crate) observer: Arc<dyn WriteObserver>,
}

impl EvalSetFiles {
    /// Only files in these folders and below, symbolic links resolved.
    #[must_use]
    pub fn within(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut distinct: Vec<PathBuf> = Vec::new();
        for root in roots {
            if !distinct.contains(&root) {
                distinct.push(root);
            }
        }
        Self::with_roots(Roots::Within(distinct))
    }

    /// Any file, for a path that the user entered.
    #[must_use]
    pub fn anywhere() -> Self {
        Self::with_roots(Roots::Anywhere)
    }

    fn with_roots(roots: Roots) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            roots,
            cache: None,
            indexed_from: INDEXED_FROM,
            wait: Duration::from_secs(60),
            threads: processors.min(MOST_THREADS),
            longest_tail: LONGEST_TAIL,
            ids_may_repeat: false,
            observer: Arc::new(NoObserver),
        }
    }

    /// Keeps indexes of large files in `folder`, which is created when needed. Without it, each append
    /// reads the whole file.
    #[must_use]
    pub fn with_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// How long to wait for the lock of another process; a minute by default.
    #[must_use]
    pub fn with_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Indexes files from this size on; 1 MiB by default.
    #[must_use]
    pub fn with_indexed_from(mut self, bytes: u64) -> Self {
        self.indexed_from = bytes;
        self
    }

    /// Allows repeated ids, to restore a case that had one.
    #[must_use]
    pub fn with_repeated_ids(mut self) -> Self {
        self.ids_may_repeat = true;
        self
    }

    /// The most bytes that an edit rewrites in place; more are written to a new file. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_longest_tail(mut self, bytes: u64) -> Self {
        self.longest_tail = bytes;
        self
    }

    /// For tests that interrupt an append.
    #[doc(hidden)]
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn WriteObserver>) -> Self {
        self.observer = observer;
        self
    }

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
        let lookup = Lookup::of(&case);
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
            let known = self.known(&file, &place, &lookup)?;
            let cases = known.outline.cases;
            if let Some(case) = known.same_recording {
                let eval_id = eval_id_at(&file, case).during("reading", &place.file)?;
                let text = text_at(&file, case).during("reading", &place.file)?;
                return Ok(Appended::AlreadyThere { file: place.file, eval_id, text, cases });
            }
            case.eval_id = numbered(&lookup.eval_id, known.number);
            let text = known.text_of(&case)?;
            let text = self.add(&file, &place, known, &text)?;
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
        let lookup = Lookup::of(case);
        let Some(file) = open_locked(&place, self.wait)? else { return Ok(lookup.eval_id) };
        let known = self.known(&file, &place, &lookup)?;
        // The same recording is not written again.
        let number = if known.same_recording.is_some() { 1 } else { known.number };
        Ok(numbered(&lookup.eval_id, number))
    }

    /// Appends a case unchanged: `text` is in the file's format and `eval_id` is the id in it. It costs
    /// what [`Self::append`] does.
    ///
    /// # Errors
    /// [`AppendError`]; the file is then unchanged.
    pub fn push(&self, path: &Path, eval_id: &str, text: &CaseText) -> Result<Edited, AppendError> {
        let place = FilePaths::of(path, &self.roots)?;
        let Some(file) = open_locked(&place, self.wait)? else {
            return Err(AppendError::NoFile { path: place.file });
        };
        let lookup = Lookup { eval_id: eval_id.to_owned(), invocation_ids: Vec::new() };
        let known = self.known(&file, &place, &lookup)?;
        if known.number != 1 && !self.ids_may_repeat {
            return Err(AppendError::DuplicateId { path: place.file, eval_id: lookup.eval_id });
        }
        let cases = known.outline.cases + 1;
        self.add(&file, &place, known, text)?;
        Ok(Edited { file: place.file, cases })
    }

    /// Recovers from an unfinished write, then answers the lookup from the index or by reading the file.
    fn known(&self, file: &File, place: &FilePaths, lookup: &Lookup) -> Result<Known, AppendError> {
        let foreign_journal = recover(file, place)?;
        // An error here is found again below, with its position.
        let format = Cases::declared_format(&place.file).unwrap_or(Format::Adk);
        let identity = Identity::of(file).during("looking at", &place.file)?;
        let index = match &self.cache {
            Some(cache) if identity.size >= self.indexed_from => {
                Some(index::path_of(cache, &place.file))
            }
            _ => None,
        };
        if let Some(path) = &index
            && !foreign_journal
            && let Some(index) = Index::open(path, &identity)
            && let Ok(known) = Known::from_index(index, file, format, identity, lookup)
        {
            return Ok(known);
        }

        let builder = index.as_deref().and_then(|path| Builder::begin(path).ok());
        let listener = || LookupSink::new(lookup, builder.as_ref());
        let of_adk = format == Format::Adk;
        let scanned = scan(file, identity.size, self.threads, of_adk, listener);
        let (outline, listeners) = match scanned.during("reading", &place.file)? {
            Ok(scanned) => scanned,
            Err(fault) => {
                let journal = foreign_journal.then_some(place.journal.as_path());
                return Err(explain(file, &place.file, fault, journal));
            }
        };
        if Identity::of(file).during("looking at", &place.file)? != identity {
            return Err(AppendError::ChangedMeanwhile { path: place.file.clone() });
        }
        if foreign_journal {
            // The file is valid without it, so the journal is obsolete.
            forget_journal(place)?;
        }
        let answer = listeners
            .into_iter()
            .map(LookupSink::finish)
            .reduce(crate::lookup::LookupResult::merged_with)
            .unwrap_or_default();
        // Without an index the append continues; the next one reads the file again.
        let index = match (builder, &index) {
            (Some(builder), Some(path)) => match builder.finish(identity, outline) {
                Ok(()) => Index::open(path, &identity),
                Err(_) => None,
            },
            _ => None,
        };
        Ok(Known {
            format,
            identity,
            outline,
            same_recording: answer.same_recording,
            number: answer.taken.free(),
            index,
        })
    }

    /// Writes the case after the last one, and returns its text.
    fn add(
        &self,
        file: &File,
        place: &FilePaths,
        known: Known,
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

        let start = separator.splice + separator.before.len() as u64;
        let end = start + text.len() as u64;
        // Checks the new text, and finds the offsets of its ids.
        let ids = scan_case(text.as_bytes(), start, CaseIds::default());
        let ids = ids.during("checking the case for", &place.file)?;
        let grown = Outline {
            list_close: end
                + separator.after.len() as u64
                + (outline.list_close - separator.resume),
            last: Some(LastCase {
                parting: if outline.cases == 0 { outline.list_open } else { separator.splice },
                start,
                end,
            }),
            cases: outline.cases + 1,
            ..outline
        };

        let journal =
            Journal::new(file, separator.splice, old, new).during("reading", &place.file)?;
        if Identity::of(file).during("looking at", &place.file)? != known.identity {
            return Err(AppendError::ChangedMeanwhile { path: place.file.clone() });
        }
        write_tail(file, place, &journal, self.observer.as_ref())?;
        if let Some(index) = known.index
            && let Ok(identity) = Identity::of(file)
            && identity.size == journal.new_length()
        {
            // An index that could not be updated is invalid, and is rebuilt.
            let _ = index.add(&ids.entries, identity, grown);
        }
        Ok(text)
    }
}

/// The default folder of indexes: in the user's cache folder.
#[must_use]
pub fn default_cache() -> Option<PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    let base = if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    };
    base.map(|base| base.join("rehearsal").join("eval-sets"))
}

/// What an append needs to know about a file.
#[derive(Debug)]
struct Known {
    format: Format,
    identity: Identity,
    outline: Outline,
    /// Where the case of the same recording begins.
    same_recording: Option<u64>,
    /// The first free number for the case's id.
    number: u64,
    index: Option<Index>,
}

impl Known {
    fn from_index(
        index: Index,
        file: &File,
        format: Format,
        identity: Identity,
        lookup: &Lookup,
    ) -> io::Result<Self> {
        let mut same_recording = None;
        for id in &lookup.invocation_ids {
            same_recording = same_recording.or(index.find(file, Kind::Invocation, id)?);
        }
        let number = free_number(|number| {
            let id = numbered(&lookup.eval_id, number);
            index.find(file, Kind::Case, &id).map(|found| found.is_some())
        })?;
        let outline = index.outline();
        Ok(Self { format, identity, outline, same_recording, number, index: Some(index) })
    }

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

fn eval_id_at(file: &File, case: u64) -> io::Result<String> {
    let mut ids = CaseIds { stop: true, ..CaseIds::default() };
    crate::scan::scan_from(file, case, &mut ids)?;
    Ok(ids.eval_id.unwrap_or_default())
}

/// The text of the case that begins at `case`; empty for a case with `NaN`, which ADK reads and this
/// reader does not.
fn text_at(mut file: &File, case: u64) -> io::Result<String> {
    file.seek(io::SeekFrom::Start(case))?;
    let cases = serde_json::Deserializer::from_reader(io::BufReader::new(file));
    let text = cases.into_iter::<Box<serde_json::value::RawValue>>().next();
    Ok(text.and_then(Result::ok).map(|text| text.get().to_owned()).unwrap_or_default())
}
