//! [`ActualSide`]: where what was done of a case is found.
//!
//! While one file of either side runs in the same order, which is how runs are recorded, nothing is
//! remembered but the ids, as fingerprints. At the first case that stands elsewhere the rest of the
//! file is gone through once, and of each case its place is kept.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use case_trace::PlainCase;
use evalset_file::{Cases, FoundCase, stem};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{CaseFault, RunError};
use crate::file::{EvalFile, FileFacts, History, Whole};
use crate::heading::heading;
use crate::pairing::{Key, Pairing, of_id};
use crate::room::Room;
use crate::stream::{Keyed, Stream};
use crate::task::{Side, Way};

/// Where what was done of a case is found.
#[derive(Debug)]
pub(crate) struct ActualSide {
    files: Vec<ActualFile>,
    /// The file that runs beside the expected one.
    beside: Option<Stream>,
    places: FxHashMap<Key, VecDeque<Entry>>,
    /// The keys that were taken, in their order: only what is left in the end is held against them.
    taken: Vec<Key>,
    pairing: Pairing,
    /// How many cases have been passed.
    passed: u64,
    bytes: u64,
}

#[derive(Debug)]
struct ActualFile {
    facts: Arc<FileFacts>,
    cases: Option<Cases>,
    wholes: Vec<Option<Whole>>,
    eval_set_id: String,
    /// When the run was made, where the file says so.
    created: Option<f64>,
}

impl ActualFile {
    /// When the run was made, in seconds since 1970: what the file says, or else when it was written.
    fn made(&self) -> Option<f64> {
        let written = || {
            let modified = std::fs::metadata(&self.facts.path).and_then(|it| it.modified()).ok()?;
            modified.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs_f64())
        };
        self.created.or_else(written)
    }
}

/// Where a case stands.
#[derive(Debug, Clone, Copy)]
struct Entry {
    file: usize,
    index: u64,
    /// In a file that was read as a whole both are 0.
    start: u64,
    end: u64,
}

/// What became of a search.
#[derive(Debug)]
pub(crate) enum Taken {
    /// Here it is.
    Found(Found),
    /// There is none.
    Missing,
    /// There are several, and nothing tells which is meant.
    Several(CaseFault),
}

/// A case that was found, not read yet.
#[derive(Debug)]
pub(crate) enum Found {
    Beside(Side),
    At(usize, FoundCase),
    Whole(Box<Whole>),
}

/// A case that nobody has asked for.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) eval_id: Option<String>,
    pub(crate) side: Side,
    /// Its id was taken by an earlier case of the file.
    pub(crate) again: Option<PathBuf>,
}

impl ActualSide {
    /// Opens the files; `beside` says that one expected file runs beside one actual, and `ahead`
    /// that a thread of its own reads the latter.
    pub(crate) fn open(
        paths: &[PathBuf],
        beside: bool,
        ahead: bool,
        pairing: Pairing,
        room: &Arc<Room>,
    ) -> Result<Self, RunError> {
        let mut side = Self {
            files: Vec::new(),
            beside: None,
            places: FxHashMap::default(),
            taken: Vec::new(),
            pairing,
            passed: 0,
            bytes: 0,
        };
        for path in paths {
            match EvalFile::open(path, pairing, room)? {
                EvalFile::Whole(facts, history) => {
                    let History { eval_set_id, created, cases: wholes } = history;
                    let file = side.files.len();
                    for (index, whole) in (0..).zip(&wholes) {
                        let key = pairing.key_of_whole(whole, side.passed);
                        side.enter(key, Entry { file, index, start: 0, end: 0 });
                    }
                    side.bytes += std::fs::metadata(path).map_or(0, |metadata| metadata.len());
                    let wholes = wholes.into_iter().map(Some).collect();
                    side.files.push(ActualFile {
                        facts,
                        cases: None,
                        wholes,
                        eval_set_id,
                        created,
                    });
                }
                EvalFile::Stream(stream) if beside && paths.len() == 1 => {
                    let eval_set_id = heading(path)?.eval_set_id;
                    side.files.push(ActualFile {
                        facts: Arc::clone(&stream.facts),
                        cases: Some(Cases::open(path)?),
                        wholes: Vec::new(),
                        eval_set_id,
                        created: None,
                    });
                    let stream = if ahead { stream.ahead()? } else { stream };
                    side.beside = Some(stream);
                }
                EvalFile::Stream(stream) => {
                    let eval_set_id = heading(path)?.eval_set_id;
                    side.files.push(ActualFile {
                        facts: Arc::clone(&stream.facts),
                        cases: Some(Cases::open(path)?),
                        wholes: Vec::new(),
                        eval_set_id,
                        created: None,
                    });
                    let file = side.files.len() - 1;
                    side.go_through(stream, file)?;
                }
            }
        }
        Ok(side)
    }

    /// Keeps the places of all cases that are left in a file.
    fn go_through(&mut self, mut stream: Stream, file: usize) -> Result<(), RunError> {
        while let Some(Keyed { found, key }) = stream.next()? {
            let FoundCase { index, start, end, .. } = found;
            self.enter(self.placed(key), Entry { file, index, start, end });
        }
        self.bytes += stream.read();
        Ok(())
    }

    /// Keeps the place of the case that is next.
    fn enter(&mut self, key: Option<Key>, entry: Entry) {
        // One that has no key is nobody's partner, and left in the end.
        let key = key.unwrap_or_else(|| of_id(""));
        self.places.entry(key).or_default().push_back(entry);
        self.passed += 1;
    }

    /// The key of the case that is next: its place among those of all files, where that counts.
    fn placed(&self, key: Option<Key>) -> Option<Key> {
        if self.pairing == Pairing::Order { Some(self.passed) } else { key }
    }

    /// How many bytes have been read.
    pub(crate) fn read(&self) -> u64 {
        self.bytes + self.beside.as_ref().map_or(0, |stream| stream.read())
    }

    /// Takes the case with this key out of the side; `eval_id` is that of its partner.
    pub(crate) fn take(
        &mut self,
        key: Key,
        eval_id: Option<&str>,
        set: &str,
        stem_of_set: &str,
    ) -> Result<Taken, RunError> {
        let (passed, placed) = (self.passed, self.pairing == Pairing::Order);
        if let Some(stream) = &mut self.beside {
            let known = self.places.contains_key(&key);
            let next = stream.peek()?.and_then(|case| if placed { Some(passed) } else { case.key });
            if !known && next == Some(key) {
                self.taken.push(key);
                self.passed += 1;
                let Some(case) = stream.next()? else { return Ok(Taken::Missing) };
                // While the chunk that it lies in is at hand.
                return Ok(Taken::Found(Found::Beside(stream.side(&case.found)?)));
            }
            if let Some(stream) = self.beside.take() {
                self.go_through(stream, 0)?;
            }
        }
        let Some(entries) = self.places.get_mut(&key) else { return Ok(Taken::Missing) };
        let mut files: Vec<usize> = entries.iter().map(|entry| entry.file).collect();
        files.dedup();
        let chosen = match files.as_slice() {
            [] => return Ok(Taken::Missing),
            [one] => *one,
            several => {
                let only = |fits: &dyn Fn(&ActualFile) -> bool| {
                    let mut fitting =
                        several.iter().filter(|file| self.files.get(**file).is_some_and(fits));
                    fitting.next().copied().filter(|_| fitting.next().is_none())
                };
                let by_id = only(&|file| file.eval_set_id == set);
                let by_name = || only(&|file| stem(&file.facts.path) == stem_of_set);
                let first = || several.first().copied().filter(|_| self.pairing != Pairing::Id);
                match by_id.or_else(by_name).or_else(first) {
                    Some(file) => file,
                    None => {
                        let files = several.iter().filter_map(|file| self.files.get(*file));
                        let path = |file: &ActualFile| file.facts.path.clone();
                        let runs = files.clone().filter(|file| file.eval_set_id == set);
                        let made = runs.clone().filter_map(|run| Some((run.made()?, run)));
                        let newest = made.max_by(|one, other| one.0.total_cmp(&other.0));
                        let newest = newest.map(|(_, run)| path(run));
                        let runs: Vec<PathBuf> = runs.map(path).collect();
                        let fault = match runs.is_empty() {
                            true => CaseFault::SeveralPartners { paths: files.map(path).collect() },
                            false => CaseFault::SeveralRuns { paths: runs, newest },
                        };
                        self.places.remove(&key);
                        return Ok(Taken::Several(fault));
                    }
                }
            }
        };
        let at = entries.iter().position(|entry| entry.file == chosen).unwrap_or(0);
        let Some(entry) = entries.remove(at) else { return Ok(Taken::Missing) };
        if entries.is_empty() {
            self.places.remove(&key);
        }
        self.taken.push(key);
        Ok(self.found(entry, eval_id).map_or(Taken::Missing, Taken::Found))
    }

    fn found(&mut self, entry: Entry, eval_id: Option<&str>) -> Option<Found> {
        let Entry { file, index, start, end } = entry;
        let of = self.files.get_mut(file)?;
        if of.cases.is_none() {
            let whole = of.wholes.get_mut(usize::try_from(index).ok()?)?.take()?;
            return Some(Found::Whole(Box::new(whole)));
        }
        let eval_id = eval_id.map(str::to_owned);
        Some(Found::At(file, FoundCase { index, eval_id, turns: 0, start, end }))
    }

    /// The side of a case that was found.
    pub(crate) fn side(&self, found: Found) -> Result<Side, RunError> {
        let (file, case) = match found {
            Found::Whole(whole) => return Ok(Side::Read(Box::new(whole.1))),
            Found::Beside(side) => return Ok(side),
            Found::At(file, case) => (file, case),
        };
        let Some(ActualFile { facts, cases: Some(cases), .. }) = self.files.get(file) else {
            return Ok(Side::Absent);
        };
        let (start, index) = (case.start, case.index);
        let mut read = Box::<PlainCase>::default();
        cases.text_into(&case, read.text_mut())?;
        Ok(Side::Text { facts: Arc::clone(facts), case: read, way: Way::Unknown, start, index })
    }

    /// The cases that nobody has asked for, in the order of their files.
    pub(crate) fn into_left(mut self) -> Result<LeftOver, RunError> {
        if let Some(stream) = self.beside.take() {
            self.go_through(stream, 0)?;
        }
        let mut entries: Vec<(u64, Entry)> = Vec::new();
        for (print, places) in std::mem::take(&mut self.places) {
            entries.extend(places.into_iter().map(|entry| (print, entry)));
        }
        entries.sort_by_key(|(_, entry)| (entry.file, entry.index));
        let taken = std::mem::take(&mut self.taken);
        let taken =
            if entries.is_empty() { FxHashSet::default() } else { taken.into_iter().collect() };
        Ok(LeftOver { side: self, entries: entries.into_iter(), taken })
    }
}

/// The cases that nobody has asked for, one after the other.
#[derive(Debug)]
pub(crate) struct LeftOver {
    side: ActualSide,
    entries: std::vec::IntoIter<(u64, Entry)>,
    taken: FxHashSet<u64>,
}

impl LeftOver {
    pub(crate) fn next(&mut self) -> Result<Option<Left>, RunError> {
        let Some((print, entry)) = self.entries.next() else { return Ok(None) };
        let again = !self.taken.insert(print) && self.side.pairing == Pairing::Id;
        let path = self.side.files.get(entry.file).map(|file| file.facts.path.clone());
        let again = path.filter(|_| again);
        let Some(found) = self.side.found(entry, None) else { return Ok(None) };
        let eval_id = match &found {
            Found::Whole(whole) => Some(whole.0.clone()),
            Found::Beside(_) | Found::At(..) => None,
        };
        Ok(Some(Left { eval_id, side: self.side.side(found)?, again }))
    }
}
