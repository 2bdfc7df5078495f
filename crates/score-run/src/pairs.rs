//! [`Pairs`]: the cases of both sides, paired by their ids, in the order of the expected side.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use evalset_file::FoundCase;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::actual::{ActualSide, Left, LeftOver, Taken};
use crate::choice::Choice;
use crate::error::RunError;
use crate::file::{EvalFile, FileFacts, Whole, is_history, stem};
use crate::heading::heading;
use crate::room::Room;
use crate::stream::Stream;
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
    /// Ids of the expected file that is being read.
    seen: FxHashSet<u64>,
    bytes: u64,
    /// Ids that were not chosen, for whoever mistyped one.
    pub(crate) passed_by: PassedBy<'o>,
}

/// Is told every id that was not chosen.
pub(crate) type PassedBy<'o> = &'o mut dyn FnMut(&str);

/// The expected file that is being read.
struct Expected {
    eval_set_id: String,
    stem: String,
    cases: Expectations,
}

enum Expectations {
    Stream(Stream),
    Whole(Arc<FileFacts>, std::vec::IntoIter<Whole>),
}

impl<'o> Pairs<'o> {
    pub(crate) fn open(
        expected: &'o [PathBuf],
        actual: &[PathBuf],
        choice: &'o Choice<'o>,
        passed_by: PassedBy<'o>,
        room: &Arc<Room>,
        ahead: bool,
    ) -> Result<Self, RunError> {
        for path in expected {
            if is_history(path)? {
                return Err(RunError::History { path: path.clone() });
            }
        }
        Ok(Self {
            paths: expected.iter(),
            file: None,
            actual: Some(ActualSide::open(actual, expected.len() == 1, ahead, room)?),
            left: None,
            choice,
            room: Arc::clone(room),
            ahead,
            seen: FxHashSet::default(),
            bytes: 0,
            passed_by,
        })
    }

    /// How many bytes of both sides have been read.
    pub(crate) fn read(&self) -> u64 {
        let expected = match &self.file {
            Some(Expected { cases: Expectations::Stream(stream), .. }) => stream.read(),
            _ => 0,
        };
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
                    Some(path) => self.file = Some(Expected::open(path, &self.room, self.ahead)?),
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
            match file.next()? {
                Some((eval_id, case)) => {
                    if let Some(task) = self.of_expected(eval_id, case)? {
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

    fn of_expected(
        &mut self,
        eval_id: Option<String>,
        case: ExpectedCase,
    ) -> Result<Option<Task>, RunError> {
        let (Some(file), Some(actual)) = (&mut self.file, &mut self.actual) else {
            return Ok(None);
        };
        let chosen = self.choice.takes_id(eval_id.as_deref());
        let again = eval_id.as_ref().is_some_and(|id| !self.seen.insert(xxh3_64(id.as_bytes())));
        let taken = match &eval_id {
            Some(eval_id) if !again => actual.take(eval_id, &file.eval_set_id, &file.stem)?,
            _ => Taken::Missing,
        };
        if !chosen {
            if let Some(eval_id) = &eval_id {
                (self.passed_by)(eval_id);
            }
            return Ok(None);
        }
        let called = eval_id.unwrap_or_else(|| format!("#{}", case.index()));
        let mut trouble = again.then(|| {
            let path = file.path();
            format!("{} has several cases with this id; give each its own", path.display())
        });
        let partner = match taken {
            Taken::Found(found) => actual.side(found)?,
            Taken::Missing => Side::Absent,
            Taken::Several(paths) => {
                let paths: Vec<String> =
                    paths.iter().map(|path| path.display().to_string()).collect();
                trouble = Some(format!(
                    "this id stands in {}; name one of them, or give the sets the eval_set_id of \
                     the expected one",
                    paths.join(" and in ")
                ));
                Side::Absent
            }
        };
        let side = file.side(case)?;
        Ok(Some(Task { called, expected: side, actual: partner, trouble }))
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
        let trouble = again.map(|path| {
            format!("{} has several cases with this id; the first was scored", path.display())
        });
        let called = eval_id.unwrap_or_else(|| "(no eval_id)".to_owned());
        Some(Task { called, expected: Side::Absent, actual: side, trouble })
    }
}

/// The id that stands in a case's text.
fn id_in(side: &Side) -> Option<String> {
    let Side::Text { case, .. } = side else { return None };
    let value: serde_json::Value = serde_json::from_str(case.as_str()).ok()?;
    let eval_id = value.get("evalId").or_else(|| value.get("eval_id"))?;
    eval_id.as_str().map(str::to_owned)
}

/// A case of the expected side, not read yet.
enum ExpectedCase {
    Found(FoundCase),
    Whole(Box<Whole>),
}

impl ExpectedCase {
    fn index(&self) -> u64 {
        match self {
            Self::Found(case) => case.index,
            Self::Whole(_) => 0,
        }
    }
}

impl Expected {
    fn open(path: &Path, room: &Arc<Room>, ahead: bool) -> Result<Self, RunError> {
        let eval_set_id = heading(path)?.eval_set_id;
        let cases = match EvalFile::open(path, room)? {
            EvalFile::Stream(stream) if ahead => Expectations::Stream(stream.ahead()?),
            EvalFile::Stream(stream) => Expectations::Stream(stream),
            EvalFile::Whole(facts, wholes) => Expectations::Whole(facts, wholes.into_iter()),
        };
        Ok(Self { eval_set_id, stem: stem(path), cases })
    }

    fn path(&self) -> &Path {
        match &self.cases {
            Expectations::Stream(stream) => &stream.facts.path,
            Expectations::Whole(facts, _) => &facts.path,
        }
    }

    fn next(&mut self) -> Result<Option<(Option<String>, ExpectedCase)>, RunError> {
        match &mut self.cases {
            Expectations::Stream(stream) => {
                Ok(stream.next()?.map(|mut case| (case.eval_id.take(), ExpectedCase::Found(case))))
            }
            Expectations::Whole(_, wholes) => {
                let whole = wholes.next();
                Ok(whole.map(|it| (Some(it.0.clone()), ExpectedCase::Whole(Box::new(it)))))
            }
        }
    }

    fn side(&mut self, case: ExpectedCase) -> Result<Side, RunError> {
        match (case, &mut self.cases) {
            (ExpectedCase::Found(case), Expectations::Stream(stream)) => stream.side(&case),
            (ExpectedCase::Whole(whole), _) => Ok(Side::Read(Box::new(whole.1))),
            (ExpectedCase::Found(_), Expectations::Whole(..)) => Ok(Side::Absent),
        }
    }
}
