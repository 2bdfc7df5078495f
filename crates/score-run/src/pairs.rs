//! [`Pairs`]: the cases of both sides, paired, in the order of the expected side.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use evalset_file::stem;
use rustc_hash::FxHashSet;

use crate::actual::{ActualSide, Left, LeftOver, Taken};
use crate::choice::Choice;
use crate::error::{CaseFault, RunError};
use crate::file::{EvalFile, is_history};
use crate::heading::heading;
use crate::pairing::{Key, Pairing, of_id};
use crate::room::Room;
use crate::stream::{Keyed, Stream};
use crate::task::{Side, Task};

/// The cases of both sides, paired.
pub(crate) struct Pairs<'o> {
    paths: std::slice::Iter<'o, PathBuf>,
    file: Option<Expected>,
    actual: Option<ActualSide>,
    left: Option<LeftOver>,
    choice: &'o Choice<'o>,
    room: Arc<Room>,
    /// Whether files are read by threads of their own.
    ahead: bool,
    pairing: Pairing,
    /// How many expected cases have been passed.
    passed: u64,
    /// Ids of the expected file that is being read.
    seen: FxHashSet<Key>,
    bytes: u64,
    /// Cases without a partner.
    pub(crate) alone: Alone,
    /// Ids that were not chosen, for whoever mistyped one.
    pub(crate) passed_by: PassedBy<'o>,
}

/// Is told every id that was not chosen.
pub(crate) type PassedBy<'o> = &'o mut dyn FnMut(&str);

/// How many cases of each side have no partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Alone {
    pub(crate) expected: u64,
    pub(crate) actual: u64,
}

/// The expected file that is being read.
struct Expected {
    eval_set_id: String,
    stem: String,
    cases: Stream,
}

impl<'o> Pairs<'o> {
    pub(crate) fn open(
        expected: &'o [PathBuf],
        actual: &[PathBuf],
        choice: &'o Choice<'o>,
        passed_by: PassedBy<'o>,
        room: &Arc<Room>,
        ahead: bool,
        pairing: Pairing,
    ) -> Result<Self, RunError> {
        for path in expected {
            if is_history(path)? {
                return Err(RunError::History { path: path.clone() });
            }
        }
        let beside = expected.len() == 1;
        Ok(Self {
            paths: expected.iter(),
            file: None,
            actual: Some(ActualSide::open(actual, beside, ahead, pairing, room)?),
            left: None,
            choice,
            room: Arc::clone(room),
            ahead,
            pairing,
            passed: 0,
            seen: FxHashSet::default(),
            bytes: 0,
            alone: Alone::default(),
            passed_by,
        })
    }

    /// How many bytes of both sides have been read.
    pub(crate) fn read(&self) -> u64 {
        let expected = self.file.as_ref().map_or(0, |file| file.cases.read());
        self.bytes + expected + self.actual.as_ref().map_or(0, ActualSide::read)
    }

    /// The next case; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Task>, RunError> {
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
                        let file = Expected::open(path, self.pairing, &self.room, self.ahead)?;
                        self.file = Some(file);
                    }
                    None => match self.actual.take() {
                        Some(actual) => {
                            self.bytes += actual.read();
                            self.left = Some(actual.into_left()?);
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
        let chosen = self.choice.takes_id(eval_id.as_deref());
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
                (self.passed_by)(eval_id);
            }
            return Ok(None);
        }
        let called = eval_id.unwrap_or_else(|| format!("#{index}"));
        let mut trouble =
            again.then(|| CaseFault::ExpectedAgain { path: file.cases.facts.path.clone() });
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
        };
        let side = file.cases.side(&found)?;
        let pairing = self.pairing;
        Ok(Some(Task { called, expected: side, actual: partner, trouble, pairing }))
    }

    fn of_left(&mut self, left: Left) -> Option<Task> {
        // Of a case that nothing is expected of no tags are known.
        if !self.choice.tags.is_empty() {
            return None;
        }
        let Left { eval_id, side, again } = left;
        let eval_id = eval_id.or_else(|| id_in(&side));
        if !self.choice.takes_id(eval_id.as_deref()) {
            if let Some(eval_id) = &eval_id {
                (self.passed_by)(eval_id);
            }
            return None;
        }
        self.alone.actual += u64::from(again.is_none());
        let trouble = again.map(|path| CaseFault::ActualAgain { path });
        let called = eval_id.unwrap_or_else(|| "(no eval_id)".to_owned());
        let pairing = self.pairing;
        Some(Task { called, expected: Side::Absent, actual: side, trouble, pairing })
    }
}

/// The id that a case's text tells.
fn id_in(side: &Side) -> Option<String> {
    let Side::Text { case, facts, .. } = side else { return None };
    facts.id_in(case.as_str())
}

impl Expected {
    fn open(
        path: &Path,
        pairing: Pairing,
        room: &Arc<Room>,
        ahead: bool,
    ) -> Result<Self, RunError> {
        let eval_set_id = heading(path)?.eval_set_id;
        let cases = match EvalFile::open(path, pairing, room)? {
            EvalFile::Stream(stream) if ahead => stream.ahead()?,
            EvalFile::Stream(stream) => stream,
            EvalFile::Whole(..) => return Err(RunError::History { path: path.to_owned() }),
        };
        Ok(Self { eval_set_id, stem: stem(path), cases })
    }
}
