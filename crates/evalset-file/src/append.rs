//! [`EvalSetFiles::append`] and [`EvalSetFiles::push`]: from a case and a path to a case in a file.

use std::fs::File;
use std::io::{self, Seek as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use evalset::adk::{EvalCase, EvalSetHeader};
use evalset::{Case, CaseText, Format, numbered};

use crate::counted::Counted;
use crate::error::Doing as _;
use crate::identity::Identity;
use crate::index::{self, Builder, Index, Kind};
use crate::journal::Journal;
use crate::lock::open_locked;
use crate::place::{FilePaths, Roots};
use crate::question::{CaseIds, Listener, Question, free_number};
use crate::scan::{Fault, FaultKind, LastCase, Outline, scan, scan_case};
use crate::steps::{Steps, Unwatched};
use crate::style::Joint;
use crate::write::{create, forget_journal, recover, write_tail};
use crate::{AppendError, Cases, Edited};

/// What follows the cases and has to be moved, at most.
const LONGEST_TAIL: u64 = 16 << 20;

/// A file shorter than this is read again each time; it takes less than a millisecond.
const INDEXED_FROM: u64 = 1 << 20;

/// More threads would only wait for memory.
const MOST_THREADS: usize = 4;

/// What an append did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// The case is in the file, and on the disk.
    Added {
        /// The real file, links followed.
        file: PathBuf,
        /// The case's id in the file: the one it came with, or that with a number behind it.
        eval_id: String,
        /// The case as it was written, indent and all.
        text: String,
        /// How many cases the file holds now.
        cases: u64,
        /// Whether the file was made for it.
        new_file: bool,
    },
    /// The same recording, known by its `invocation_id`, was in the file before; nothing was
    /// written.
    AlreadyThere {
        /// The real file, links followed.
        file: PathBuf,
        /// The id of the case that holds the recording.
        eval_id: String,
        /// That case as it stands in the file.
        text: String,
        /// How many cases the file holds.
        cases: u64,
    },
}

/// Appends cases to eval-set files, within bounds.
#[derive(Debug, Clone)]
pub struct EvalSetFiles {
    pub(crate) roots: Roots,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) indexed_from: u64,
    pub(crate) wait: Duration,
    pub(crate) threads: usize,
    pub(crate) longest_tail: u64,
    pub(crate) ids_may_repeat: bool,
    pub(crate) steps: Arc<dyn Steps>,
}

impl EvalSetFiles {
    /// Files in these folders and below them, links followed, and nowhere else.
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

    /// Files anywhere: for a path that the user typed.
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
            steps: Arc::new(Unwatched),
        }
    }

    /// Keeps indexes of large files in `folder`, which is made when needed. Without one, each append
    /// reads its file.
    #[must_use]
    pub fn with_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// Waits this long for another process to be done with a file; a minute by default.
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

    /// Lets a case have an id that another has, when one is put back that had it.
    #[must_use]
    pub fn with_repeated_ids(mut self) -> Self {
        self.ids_may_repeat = true;
        self
    }

    /// Rewrites at most so many bytes in place when a case is edited; more go into a new file. For
    /// tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_longest_tail(mut self, bytes: u64) -> Self {
        self.longest_tail = bytes;
        self
    }

    /// For tests that cut an append short.
    #[doc(hidden)]
    #[must_use]
    pub fn with_steps(mut self, steps: Arc<dyn Steps>) -> Self {
        self.steps = steps;
        self
    }

    /// Appends `case` to the eval set at `path`; makes the file, with `header`, if there is none. In a
    /// set of AgentFlow's it stands in that format.
    ///
    /// Not one byte of the earlier cases changes. When this returns, the case is flushed to the
    /// disk; when it fails, the file is as it was.
    ///
    /// # Errors
    /// [`AppendError`] says what is wrong and what to do.
    pub fn append(
        &self,
        path: &Path,
        mut case: EvalCase,
        header: &EvalSetHeader,
    ) -> Result<Appended, AppendError> {
        case.to_json()?;
        let place = FilePaths::of(path, &self.roots)?;
        let question = Question::of(&case);
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
            let known = self.known(&file, &place, &question)?;
            let cases = known.outline.cases;
            if let Some(case) = known.same_recording {
                let eval_id = eval_id_at(&file, case).doing("reading", &place.file)?;
                let text = text_at(&file, case).doing("reading", &place.file)?;
                return Ok(Appended::AlreadyThere { file: place.file, eval_id, text, cases });
            }
            case.eval_id = numbered(&question.eval_id, known.number);
            let text = known.text_of(&case)?;
            let text = self.add(&file, &place, known, &text)?;
            let FilePaths { file, .. } = place;
            let (eval_id, cases) = (case.eval_id, cases + 1);
            return Ok(Appended::Added { file, eval_id, text, cases, new_file: false });
        }
    }

    /// Puts a case behind the last, under its own id and as it stands: `text` is in the file's format
    /// and `eval_id` the id in it. It costs what [`Self::append`] does.
    ///
    /// # Errors
    /// [`AppendError`]; the file is then as it was.
    pub fn push(&self, path: &Path, eval_id: &str, text: &CaseText) -> Result<Edited, AppendError> {
        let place = FilePaths::of(path, &self.roots)?;
        let Some(file) = open_locked(&place, self.wait)? else {
            return Err(AppendError::NoFile { path: place.file });
        };
        let question = Question { eval_id: eval_id.to_owned(), invocation_ids: Vec::new() };
        let known = self.known(&file, &place, &question)?;
        if known.number != 1 && !self.ids_may_repeat {
            return Err(AppendError::DuplicateId { path: place.file, eval_id: question.eval_id });
        }
        let cases = known.outline.cases + 1;
        self.add(&file, &place, known, text)?;
        Ok(Edited { file: place.file, cases })
    }

    /// Settles what is unfinished and answers the question, from the index or by reading the file.
    fn known(
        &self,
        file: &File,
        place: &FilePaths,
        question: &Question,
    ) -> Result<Known, AppendError> {
        let foreign_journal = recover(file, place)?;
        // What keeps it from being told is wrong with the file, and told below.
        let format = Cases::told_format(&place.file).unwrap_or(Format::Adk);
        let identity = Identity::of(file).doing("looking at", &place.file)?;
        let index = match &self.cache {
            Some(cache) if identity.size >= self.indexed_from => {
                Some(index::path_of(cache, &place.file))
            }
            _ => None,
        };
        if let Some(path) = &index
            && !foreign_journal
            && let Some(index) = Index::open(path, &identity)
            && let Ok(known) = Known::from_index(index, file, format, identity, question)
        {
            return Ok(known);
        }

        let builder = index.as_deref().and_then(|path| Builder::begin(path).ok());
        let listener = || Listener::new(question, builder.as_ref());
        let of_adk = format == Format::Adk;
        let scanned = scan(file, identity.size, self.threads, of_adk, listener);
        let (outline, listeners) = match scanned.doing("reading", &place.file)? {
            Ok(scanned) => scanned,
            Err(fault) => {
                let journal = foreign_journal.then_some(place.journal.as_path());
                return Err(explain(file, &place.file, fault, journal));
            }
        };
        if Identity::of(file).doing("looking at", &place.file)? != identity {
            return Err(AppendError::ChangedMeanwhile { path: place.file.clone() });
        }
        if foreign_journal {
            // The file is whole without it: whoever changed the file has settled the matter.
            forget_journal(place)?;
        }
        let answer = listeners
            .into_iter()
            .map(Listener::finish)
            .reduce(crate::question::Answer::merged_with)
            .unwrap_or_default();
        // Without an index this append goes on as well; the next one reads the file again.
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

    /// Writes the case behind the last one: its text.
    fn add(
        &self,
        file: &File,
        place: &FilePaths,
        known: Known,
        text: &CaseText,
    ) -> Result<String, AppendError> {
        let outline = known.outline;
        let joint = Joint::of(file, &outline).doing("reading", &place.file)?;
        let text = text.laid_out(&joint.layout);
        let bytes = known.identity.size - joint.splice;
        if bytes > LONGEST_TAIL {
            let path = place.file.clone();
            return Err(AppendError::TailTooLong { path, bytes, limit: LONGEST_TAIL });
        }
        let mut old = vec![0; usize::try_from(bytes).unwrap_or(0)];
        file.read_exact_at(&mut old, joint.splice).doing("reading", &place.file)?;
        let kept = usize::try_from(joint.resume - joint.splice).unwrap_or(0);
        let mut new = Vec::with_capacity(text.len() + old.len() + 64);
        for part in [joint.before.as_bytes(), text.as_bytes(), joint.after.as_bytes(), &old[kept..]]
        {
            new.extend_from_slice(part);
        }

        let start = joint.splice + joint.before.len() as u64;
        let end = start + text.len() as u64;
        // Reads back what is about to be written, which also finds where its ids will stand.
        let ids = scan_case(text.as_bytes(), start, CaseIds::default());
        let ids = ids.doing("checking the case for", &place.file)?;
        let grown = Outline {
            list_close: end + joint.after.len() as u64 + (outline.list_close - joint.resume),
            last: Some(LastCase {
                parting: if outline.cases == 0 { outline.list_open } else { joint.splice },
                start,
                end,
            }),
            cases: outline.cases + 1,
            ..outline
        };

        let journal = Journal::new(file, joint.splice, old, new).doing("reading", &place.file)?;
        if Identity::of(file).doing("looking at", &place.file)? != known.identity {
            return Err(AppendError::ChangedMeanwhile { path: place.file.clone() });
        }
        write_tail(file, place, &journal, self.steps.as_ref())?;
        if let Some(index) = known.index
            && let Ok(identity) = Identity::of(file)
            && identity.size == journal.new_length()
        {
            // An index that could not be brought up to date is not valid, and is made again.
            let _ = index.add(&ids.entries, identity, grown);
        }
        Ok(text)
    }
}

/// Where indexes are kept unless something else is said: the user's cache folder.
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

/// What is known of a file before a case is added.
#[derive(Debug)]
struct Known {
    format: Format,
    identity: Identity,
    outline: Outline,
    /// Where the case of the same recording begins.
    same_recording: Option<u64>,
    /// Which of the case's names is free.
    number: u64,
    index: Option<Index>,
}

impl Known {
    fn from_index(
        index: Index,
        file: &File,
        format: Format,
        identity: Identity,
        question: &Question,
    ) -> io::Result<Self> {
        let mut same_recording = None;
        for id in &question.invocation_ids {
            same_recording = same_recording.or(index.find(file, Kind::Invocation, id)?);
        }
        let number = free_number(|number| {
            let id = numbered(&question.eval_id, number);
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

/// The text of the case that begins at `case`. A case with `NaN` in it, which ADK reads and this
/// reader does not, gives none.
fn text_at(mut file: &File, case: u64) -> io::Result<String> {
    file.seek(io::SeekFrom::Start(case))?;
    let cases = serde_json::Deserializer::from_reader(io::BufReader::new(file));
    let text = cases.into_iter::<Box<serde_json::value::RawValue>>().next();
    Ok(text.and_then(Result::ok).map(|text| text.get().to_owned()).unwrap_or_default())
}

/// Says what is wrong with a file, and where.
///
/// `journal` is one that announces a write to the file and does not fit it any more.
pub(crate) fn explain(
    file: &File,
    path: &Path,
    fault: Fault,
    journal: Option<&Path>,
) -> AppendError {
    let path = path.to_owned();
    let mut first = [0; 3];
    // UTF-8's mark, and the two of UTF-16.
    if file.read_exact_at(&mut first, 0).is_ok()
        && matches!(first, [0xef, 0xbb, 0xbf] | [0xff, 0xfe, _] | [0xfe, 0xff, _])
    {
        return AppendError::ByteOrderMark { path };
    }
    let Counted { line, column, .. } = match Counted::default().on_to(file, fault.at) {
        Ok(at) => at,
        Err(source) => return AppendError::Io { path, doing: "reading", source },
    };
    match fault.kind {
        FaultKind::Invalid(reason) => match journal {
            Some(journal) => {
                AppendError::Interrupted { path, journal: journal.to_owned(), line, column }
            }
            None => AppendError::InvalidJson { path, line, column, reason },
        },
        FaultKind::LegacyList => AppendError::LegacyList { path },
        FaultKind::NotAnEvalSet(reason) => AppendError::NotAnEvalSet { path, line, column, reason },
        FaultKind::CasesTwice { first } => {
            let first_line = Counted::default().on_to(file, first).map_or(0, |it| it.line);
            AppendError::CasesTwice { path, first_line, second_line: line }
        }
    }
}
