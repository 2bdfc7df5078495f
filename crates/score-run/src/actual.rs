//! [`ActualSide`]: finds the actual case for an expected one.
//!
//! While both sides have one file in the same order, which is how runs are recorded, only
//! fingerprints of the ids are kept. At the first case out of order, the rest of the file is indexed.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use evalset::Format;
use evalset_file::{Cases, FoundCase, stem};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{RunError, ScoringFault};
use crate::facts::{FileFacts, Whole};
use crate::file::{EvalFile, History};
use crate::pairing::{Key, Pairing, of_id};
use crate::set_header::read_set_header;
use crate::stream::{Keyed, Stream};
use crate::task::Side;

/// The files of the actual side.
#[derive(Debug)]
pub(crate) struct ActualSide {
    files: Vec<ActualFile>,
    /// The file that is read in step with the expected one.
    beside: Option<Stream>,
    places: FxHashMap<Key, VecDeque<Entry>>,
    /// The keys taken, in order, to recognize repeated cases at the end.
    taken: Vec<Key>,
    pairing: Pairing,
    /// The files of each set that has several runs: a case is in more than one of its files.
    runs: FxHashMap<String, Vec<usize>>,
    /// The number of cases read.
    passed: u64,
    bytes: u64,
}

#[derive(Debug)]
struct ActualFile {
    facts: Arc<FileFacts>,
    cases: Option<Cases>,
    wholes: Vec<Option<Whole>>,
    eval_set_id: String,
}

/// The place of a case.
#[derive(Debug, Clone, Copy)]
struct Entry {
    file: usize,
    index: u64,
    /// Both are 0 in a file that was read as a whole.
    start: u64,
    end: u64,
}

/// The result of a search.
#[derive(Debug)]
pub(crate) enum Taken {
    /// The case.
    Found(FoundActual),
    /// No such case.
    Missing,
    /// Several candidates.
    Several(ScoringFault),
    /// The case in each run of its set, with the run's file; `None` in a run that lacks it.
    Runs(Vec<(Option<FoundActual>, PathBuf)>),
}

/// A case that was found but not read yet.
#[derive(Debug)]
pub(crate) enum FoundActual {
    Beside(Side),
    At(usize, FoundCase),
    Whole(Box<Whole>),
}

/// An actual case without an expected one.
#[derive(Debug)]
pub(crate) struct UnpairedCase {
    pub(crate) eval_id: Option<String>,
    pub(crate) side: Side,
    /// Whether an earlier case of the file has its id.
    pub(crate) again: Option<PathBuf>,
}

impl ActualSide {
    /// Opens the files; `beside`: there is one file per side, read in step; `ahead`: a separate
    /// thread reads the actual one.
    pub(crate) fn open(
        paths: &[PathBuf],
        beside: bool,
        ahead: bool,
        (pairing, format): (Pairing, Option<Format>),
    ) -> Result<Self, RunError> {
        let mut side = Self {
            files: Vec::new(),
            beside: None,
            places: FxHashMap::default(),
            taken: Vec::new(),
            pairing,
            runs: FxHashMap::default(),
            passed: 0,
            bytes: 0,
        };
        for path in paths {
            match EvalFile::open(path, pairing, format)? {
                EvalFile::Whole(facts, history) => {
                    let History { eval_set_id, cases: wholes } = history;
                    let file = side.files.len();
                    for (index, whole) in (0..).zip(&wholes) {
                        let key = pairing.key_of_whole(whole, side.passed);
                        side.enter(key, Entry { file, index, start: 0, end: 0 });
                    }
                    side.bytes += std::fs::metadata(path).map_or(0, |metadata| metadata.len());
                    let wholes = wholes.into_iter().map(Some).collect();
                    side.files.push(ActualFile { facts, cases: None, wholes, eval_set_id });
                }
                EvalFile::Stream(stream) if beside && paths.len() == 1 => {
                    let eval_set_id = read_set_header(path)?.eval_set_id;
                    side.files.push(ActualFile {
                        facts: Arc::clone(&stream.facts),
                        cases: Some(Cases::open(path)?),
                        wholes: Vec::new(),
                        eval_set_id,
                    });
                    let stream = if ahead { stream.ahead()? } else { stream };
                    side.beside = Some(stream);
                }
                EvalFile::Stream(stream) => {
                    let eval_set_id = read_set_header(path)?.eval_set_id;
                    side.files.push(ActualFile {
                        facts: Arc::clone(&stream.facts),
                        cases: Some(Cases::open(path)?),
                        wholes: Vec::new(),
                        eval_set_id,
                    });
                    let file = side.files.len() - 1;
                    side.index_rest(stream, file)?;
                }
            }
        }
        side.find_runs();
        Ok(side)
    }

    /// Finds the sets that were run repeatedly. The files of other sets are parts of one run.
    fn find_runs(&mut self) {
        if self.pairing == Pairing::Order {
            return;
        }
        let mut runs: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (index, file) in self.files.iter().enumerate() {
            runs.entry(file.eval_set_id.clone()).or_default().push(index);
        }
        runs.retain(|_, files| {
            files.len() > 1
                && self.places.values().any(|entries| {
                    let mut of_set = entries.iter().map(|entry| entry.file);
                    let first = of_set.find(|file| files.contains(file));
                    of_set.any(|file| Some(file) != first && files.contains(&file))
                })
        });
        self.runs = runs;
    }

    /// Indexes the remaining cases of a file.
    fn index_rest(&mut self, mut stream: Stream, file: usize) -> Result<(), RunError> {
        while let Some(Keyed { found, key }) = stream.next()? {
            let FoundCase { index, start, end, .. } = found;
            self.enter(self.placed(key), Entry { file, index, start, end });
        }
        self.bytes += stream.read();
        Ok(())
    }

    /// Indexes the next case.
    fn enter(&mut self, key: Option<Key>, entry: Entry) {
        // A case without a key has no partner and stays unpaired.
        let key = key.unwrap_or_else(|| of_id(""));
        self.places.entry(key).or_default().push_back(entry);
        self.passed += 1;
    }

    /// The key of the next case: its index over all files when pairing by order.
    fn placed(&self, key: Option<Key>) -> Option<Key> {
        if self.pairing == Pairing::Order { Some(self.passed) } else { key }
    }

    /// The number of bytes read.
    pub(crate) fn read(&self) -> u64 {
        self.bytes + self.beside.as_ref().map_or(0, |stream| stream.read())
    }

    /// Takes the case with this key; `eval_id` is its partner's id.
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
                // While its chunk is in memory.
                return Ok(Taken::Found(FoundActual::Beside(stream.side(&case.found)?)));
            }
            if let Some(stream) = self.beside.take() {
                self.index_rest(stream, 0)?;
            }
        }
        if let Some(runs) = self.runs.get(set) {
            let is_elsewhere = |entry: &Entry| !runs.contains(&entry.file);
            if !self.places.get(&key).is_some_and(|entries| entries.iter().all(is_elsewhere)) {
                let runs = runs.clone();
                return Ok(self.take_runs(key, &runs, eval_id));
            }
        }
        let Some(entries) = self.places.get_mut(&key) else { return Ok(Taken::Missing) };
        let mut files: Vec<usize> = entries.iter().map(|entry| entry.file).collect();
        files.dedup();
        let chosen = match files.as_slice() {
            [] => return Ok(Taken::Missing),
            [one] => *one,
            several => {
                let of_set = |file: &&usize| {
                    self.files.get(**file).is_some_and(|file| file.eval_set_id == set)
                };
                let by_set = || several.iter().find(of_set).copied();
                let named = |file: &&usize| {
                    self.files.get(**file).is_some_and(|file| stem(&file.facts.path) == stem_of_set)
                };
                let by_name = || {
                    let mut named = several.iter().filter(named);
                    named.next().copied().filter(|_| named.next().is_none())
                };
                let first = || several.first().copied().filter(|_| self.pairing != Pairing::Id);
                match by_set().or_else(by_name).or_else(first) {
                    Some(file) => file,
                    None => {
                        let files = several.iter().filter_map(|file| self.files.get(*file));
                        let paths = files.map(|file| file.facts.path.clone()).collect();
                        self.places.remove(&key);
                        return Ok(Taken::Several(ScoringFault::SeveralPartners { paths }));
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

    /// Takes the first case with this key from each of these files.
    fn take_runs(&mut self, key: Key, files: &[usize], eval_id: Option<&str>) -> Taken {
        let mut entries = self.places.remove(&key).unwrap_or_default();
        let mut runs = Vec::new();
        for file in files {
            let Some(path) = self.files.get(*file).map(|file| file.facts.path.clone()) else {
                continue;
            };
            let at = entries.iter().position(|entry| entry.file == *file);
            let entry = at.and_then(|at| entries.remove(at));
            runs.push((entry.and_then(|entry| self.found(entry, eval_id)), path));
        }
        if !entries.is_empty() {
            self.places.insert(key, entries);
        }
        self.taken.push(key);
        Taken::Runs(runs)
    }

    fn found(&mut self, entry: Entry, eval_id: Option<&str>) -> Option<FoundActual> {
        let Entry { file, index, start, end } = entry;
        let of = self.files.get_mut(file)?;
        if of.cases.is_none() {
            let whole = of.wholes.get_mut(usize::try_from(index).ok()?)?.take()?;
            return Some(FoundActual::Whole(Box::new(whole)));
        }
        let eval_id = eval_id.map(str::to_owned);
        Some(FoundActual::At(file, FoundCase { index, eval_id, turns: 0, start, end }))
    }

    /// The found case as a [`Side`].
    pub(crate) fn side(&self, found: FoundActual) -> Result<Side, RunError> {
        let (file, case) = match found {
            FoundActual::Whole(whole) => return Ok(Side::Read(Box::new(whole.1))),
            FoundActual::Beside(side) => return Ok(side),
            FoundActual::At(file, case) => (file, case),
        };
        let Some(ActualFile { facts, cases: Some(cases), .. }) = self.files.get(file) else {
            return Ok(Side::Absent);
        };
        let (facts, text) = (Arc::clone(facts), cases.text(&case)?);
        Ok(Side::Text { facts, text, start: case.start, index: case.index })
    }

    /// The unpaired cases, in the order of their files.
    pub(crate) fn into_unpaired(mut self) -> Result<UnpairedCases, RunError> {
        if let Some(stream) = self.beside.take() {
            self.index_rest(stream, 0)?;
        }
        let mut entries: Vec<(u64, Entry)> = Vec::new();
        for (print, places) in std::mem::take(&mut self.places) {
            entries.extend(places.into_iter().map(|entry| (print, entry)));
        }
        entries.sort_by_key(|(_, entry)| (entry.file, entry.index));
        let taken = std::mem::take(&mut self.taken);
        let taken =
            if entries.is_empty() { FxHashSet::default() } else { taken.into_iter().collect() };
        Ok(UnpairedCases { side: self, entries: entries.into_iter(), taken })
    }
}

/// Iterates over the unpaired cases.
#[derive(Debug)]
pub(crate) struct UnpairedCases {
    side: ActualSide,
    entries: std::vec::IntoIter<(u64, Entry)>,
    taken: FxHashSet<u64>,
}

impl UnpairedCases {
    pub(crate) fn next(&mut self) -> Result<Option<UnpairedCase>, RunError> {
        let Some((print, entry)) = self.entries.next() else { return Ok(None) };
        let again = !self.taken.insert(print) && self.side.pairing == Pairing::Id;
        let path = self.side.files.get(entry.file).map(|file| file.facts.path.clone());
        let again = path.filter(|_| again);
        let Some(found) = self.side.found(entry, None) else { return Ok(None) };
        let eval_id = match &found {
            FoundActual::Whole(whole) => Some(whole.0.clone()),
            FoundActual::Beside(_) | FoundActual::At(..) => None,
        };
        Ok(Some(UnpairedCase { eval_id, side: self.side.side(found)?, again }))
    }
}
