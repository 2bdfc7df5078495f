//! [`Pairs`]: iterates over the paired cases of both sides, in the order of the expected side.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use evalset::Format;
use evalset_file::stem;
use rustc_hash::FxHashSet;

use crate::actual::{ActualSide, Taken, UnpairedCase, UnpairedCases};
use crate::case_filter::CaseFilter;
use crate::error::{RunError, ScoringFault};
use crate::file::{EvalFile, is_history};
use crate::pairing::{Key, Pairing, of_id};
use crate::set_header::read_set_header;
use crate::stream::{Keyed, Stream};
use crate::task::{Side, Task};

/// The cases of both sides, paired.
pub(crate) struct Pairs<'o> {
    paths: std::slice::Iter<'o, PathBuf>,
    file: Option<Expected>,
    actual: Option<ActualSide>,
    left: Option<UnpairedCases>,
    filter: &'o CaseFilter<'o>,
    /// Whether files are read by separate threads.
    ahead: bool,
    pairing: Pairing,
    format: Option<Format>,
    /// Further runs of the last expected case.
    runs: VecDeque<Task>,
    /// The number of expected cases read.
    passed: u64,
    /// The ids of the expected file being read.
    seen: FxHashSet<Key>,
    bytes: u64,
    /// Cases without a partner.
    pub(crate) alone: Unpaired,
    /// Receives excluded ids, for the hint about a mistyped id.
    pub(crate) skipped: SkippedIds<'o>,
}

/// A callback for every excluded id.
pub(crate) type SkippedIds<'o> = &'o mut dyn FnMut(&str);

/// The number of cases without a partner, per side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Unpaired {
    pub(crate) expected: u64,
    pub(crate) actual: u64,
}

/// The expected file being read.
struct Expected {
    eval_set_id: String,
    stem: String,
    cases: Stream,
}

/// What to pair, and how.
#[derive(Clone, Copy)]
pub(crate) struct PairsOptions<'o> {
    pub(crate) expected: &'o [PathBuf],
    pub(crate) actual: &'o [PathBuf],
    pub(crate) filter: &'o CaseFilter<'o>,
    pub(crate) pairing: Pairing,
    /// The format of the eval sets, unless it is detected.
    pub(crate) format: Option<Format>,
    /// Whether separate threads read the files.
    pub(crate) ahead: bool,
}

impl<'o> Pairs<'o> {
    pub(crate) fn open(
        options: PairsOptions<'o>,
        skipped: SkippedIds<'o>,
    ) -> Result<Self, RunError> {
        let PairsOptions { expected, actual, filter, pairing, format, ahead } = options;
        for path in expected {
            if is_history(path)? {
                return Err(RunError::History { path: path.clone() });
            }
        }
        let beside = expected.len() == 1;
        Ok(Self {
            paths: expected.iter(),
            file: None,
            actual: Some(ActualSide::open(actual, beside, ahead, (pairing, format))?),
            left: None,
            filter,
            ahead,
            pairing,
            format,
            runs: VecDeque::new(),
            passed: 0,
            seen: FxHashSet::default(),
            bytes: 0,
            alone: Unpaired::default(),
            skipped,
        })
    }

    /// The number of bytes read of both sides.
    pub(crate) fn read(&self) -> u64 {
        let expected = self.file.as_ref().map_or(0, |file| file.cases.read());
        self.bytes + expected + self.actual.as_ref().map_or(0, ActualSide::read)
    }

    /// The next case; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Task>, RunError> {
        if let Some(task) = self.runs.pop_front() {
            return Ok(Some(task));
        }
        loop {
            if let Some(left) = &mut self.left {
                match left.next()? {
                    None => return Ok(None),
                    Some(left) => {
                        if let Some(task) = self.of_left(left) {
                            return Ok(Some(task));
                        }
                        continue;
                    }
                }
            }
            let Some(file) = &mut self.file else {
                match self.paths.next() {
                    Some(path) => {
                        let read_as = (self.pairing, self.format);
                        self.file = Some(Expected::open(path, read_as, self.ahead)?);
                    }
                    None => match self.actual.take() {
                        Some(actual) => {
                            self.bytes += actual.read();
                            self.left = Some(actual.into_unpaired()?);
                        }
                        None => return Ok(None),
                    },
                }
                self.seen.clear();
                continue;
            };
            match file.cases.next()? {
                Some(case) => {
                    if let Some(task) = self.of_expected(case)? {
                        return Ok(Some(task));
                    }
                }
                None => {
                    self.bytes = self.read() - self.actual.as_ref().map_or(0, ActualSide::read);
                    self.file = None;
                }
            }
        }
    }

    fn of_expected(&mut self, case: Keyed) -> Result<Option<Task>, RunError> {
        let (Some(file), Some(actual)) = (&mut self.file, &mut self.actual) else {
            return Ok(None);
        };
        let Keyed { mut found, key } = case;
        let (eval_id, index) = (found.eval_id.take(), found.index);
        let chosen = self.filter.takes_id(eval_id.as_deref());
        let id = match self.pairing {
            Pairing::Id => key,
            Pairing::Order | Pairing::Query => eval_id.as_deref().map(of_id),
        };
        let again = id.is_some_and(|id| !self.seen.insert(id));
        let key = if self.pairing == Pairing::Order { Some(self.passed) } else { key };
        self.passed += 1;
        let taken = match key {
            Some(key) if !again || self.pairing != Pairing::Id => {
                actual.take(key, eval_id.as_deref(), &file.eval_set_id, &file.stem)?
            }
            _ => Taken::Missing,
        };
        if !chosen {
            if let Some(eval_id) = &eval_id {
                (self.skipped)(eval_id);
            }
            return Ok(None);
        }
        let called = eval_id.unwrap_or_else(|| format!("#{index}"));
        let mut trouble =
            again.then(|| ScoringFault::ExpectedRepeated { path: file.cases.facts.path.clone() });
        let partner = match taken {
            Taken::Found(found) => actual.side(found)?,
            Taken::Missing => {
                self.alone.expected += u64::from(!again);
                Side::Absent
            }
            Taken::Several(fault) => {
                trouble = Some(fault);
                Side::Absent
            }
            Taken::Runs(runs) => {
                let side = file.cases.side(&found)?;
                for (found, path) in runs {
                    self.alone.expected += u64::from(found.is_none());
                    self.runs.push_back(Task {
                        called: called.clone(),
                        expected: side.copied(),
                        actual: found.map_or(Ok(Side::Absent), |found| actual.side(found))?,
                        trouble: None,
                        pairing: self.pairing,
                        run: Some(path.display().to_string()),
                    });
                }
                return Ok(self.runs.pop_front());
            }
        };
        let side = file.cases.side(&found)?;
        let pairing = self.pairing;
        Ok(Some(Task { called, expected: side, actual: partner, trouble, pairing, run: None }))
    }

    fn of_left(&mut self, left: UnpairedCase) -> Option<Task> {
        // A case without an expected side has no tags.
        if !self.filter.tags.is_empty() {
            return None;
        }
        let UnpairedCase { eval_id, side, again } = left;
        let eval_id = eval_id.or_else(|| id_in(&side));
        if !self.filter.takes_id(eval_id.as_deref()) {
            if let Some(eval_id) = &eval_id {
                (self.skipped)(eval_id);
            }
            return None;
        }
        self.alone.actual += u64::from(again.is_none());
        let trouble = again.map(|path| ScoringFault::ActualRepeated { path });
        let called = eval_id.unwrap_or_else(|| "(no eval_id)".to_owned());
        let pairing = self.pairing;
        Some(Task { called, expected: Side::Absent, actual: side, trouble, pairing, run: None })
    }
}

/// The id in a case's text.
fn id_in(side: &Side) -> Option<String> {
    let Side::Text { text, facts, .. } = side else { return None };
    facts.id_in(text)
}

impl Expected {
    fn open(
        path: &Path,
        (pairing, format): (Pairing, Option<Format>),
        ahead: bool,
    ) -> Result<Self, RunError> {
        let eval_set_id = read_set_header(path)?.eval_set_id;
        let cases = match EvalFile::open(path, pairing, format)? {
            EvalFile::Stream(stream) if ahead => stream.ahead()?,
            EvalFile::Stream(stream) => stream,
            EvalFile::Whole(..) => return Err(RunError::History { path: path.to_owned() }),
        };
        Ok(Self { eval_set_id, stem: stem(path), cases })
    }
}
