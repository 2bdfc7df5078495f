//! [`SoundFile`]: a file in which nothing is an error, gone through case by case.
//!
//! It is read to its end before anything is done with it, so that a fault is told while nothing has
//! been written. Then its cases come one after the other, in the format that is wanted, and one of
//! them is held at a time. What is no list of cases is held as a whole: the older list that is the turns
//! of one case, and a set of AgentFlow's that has none.

use std::path::{Path, PathBuf};

use evalset::adk::LegacySet;
use evalset::{Case, EvalSet, Format};
use evalset_file::{Checked, CheckedCases, stem};

use super::Target;
use super::error::EvalsetError;
use super::files::{Errors, Source, checked, sound};

/// A file that was read to its end, and has no errors.
pub(super) struct SoundFile {
    path: PathBuf,
    source: Source,
    format: Format,
    cases: usize,
    /// What is held as a whole; the others are read once more, case by case.
    held: Option<Box<EvalSet>>,
}

/// A set in the format that is wanted.
pub(super) struct Opened {
    /// What the set says of itself.
    pub(super) set: EvalSet,
    /// Its cases. The first keeps what the other format's set has no field for.
    pub(super) cases: OpenedCases,
}

impl SoundFile {
    /// Reads a file to its end, and tells the id of each of its cases to `told`.
    pub(super) fn read(path: &Path, mut told: impl FnMut(&str)) -> Result<Self, EvalsetError> {
        let mut count = 0;
        let mut errors = Errors::default();
        let source = Source::of(path)?;
        let (format, held) = match checked(&source)? {
            Checked::Whole(reading) => {
                let set = sound(path, *reading)?;
                for eval_id in ids(&set, &stem(path)) {
                    count += 1;
                    told(&eval_id);
                }
                (set.format(), Some(Box::new(set)))
            }
            Checked::Broken(fault) => {
                errors.take([fault]);
                return Err(errors.of(path));
            }
            Checked::Cases(mut cases) => {
                errors.take(cases.faults_before().iter().cloned());
                for case in &mut *cases {
                    let case = case?;
                    errors.take(case.faults);
                    count += 1;
                    if let Some(case) = &case.case {
                        told(case.eval_id());
                    }
                }
                errors.take(cases.faults_behind().iter().cloned());
                (cases.format(), None)
            }
        };
        if !errors.is_none() {
            return Err(errors.of(path));
        }
        Ok(Self { path: path.to_owned(), source, format, cases: count, held })
    }

    /// The format to write that leaves a case as it stands; ADK's present one for its older lists.
    pub(super) fn own_format(&self) -> Target {
        match self.format {
            Format::AgentFlow => Target::Agentflow,
            Format::Adk | Format::AdkLegacy => Target::Adk,
        }
    }

    /// The format in which the file's cases are read one by one; none of a file that is held.
    pub(super) fn read_by_case(&self) -> Option<Format> {
        self.held.is_none().then_some(self.format)
    }

    /// Where it can be read again until it is opened.
    pub(super) fn source(&self) -> &Path {
        self.source.path()
    }

    /// How many cases it has.
    pub(super) fn cases(&self) -> usize {
        self.cases
    }

    /// Begins to go through it.
    pub(super) fn open(self, to: Target) -> Result<Opened, EvalsetError> {
        let Self { path, source, held, .. } = self;
        let name = stem(&path);
        if let Some(set) = held {
            let mut set = converted(*set, to, &name);
            let rest = Rest::Held(taken(&mut set).into_iter());
            return Ok(Opened { set, cases: OpenedCases { first: None, rest } });
        }
        let changed = || EvalsetError::Changed { path: path.clone() };
        let Checked::Cases(mut cases) = checked(&source)? else { return Err(changed()) };
        let first = cases.next().transpose()?;
        let first = first.map(|read| read.case.ok_or_else(changed)).transpose()?;
        // What stands around the cases depends on nothing but the first of them.
        let set = cases.set_with(first.as_ref()).ok_or_else(changed)?;
        let mut set = converted(set, to, &name);
        let first = match first {
            Some(_) => taken(&mut set).pop(),
            None => None,
        };
        Ok(Opened { set, cases: OpenedCases { first, rest: Rest::Read { cases, path, to } } })
    }
}

/// The cases of a set, one after the other.
pub(super) struct OpenedCases {
    first: Option<Case>,
    rest: Rest,
}

enum Rest {
    Held(std::vec::IntoIter<Case>),
    Read { cases: Box<CheckedCases>, path: PathBuf, to: Target },
}

impl Iterator for OpenedCases {
    type Item = Result<Case, EvalsetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        match &mut self.rest {
            Rest::Held(cases) => cases.next().map(Ok),
            Rest::Read { cases, path, to } => Some(match cases.next()? {
                Ok(read) => match read.case {
                    Some(case) => Ok(case_in(case, *to)),
                    None => Err(EvalsetError::Changed { path: path.clone() }),
                },
                Err(error) => Err(error.into()),
            }),
        }
    }
}

/// The case in the format that is wanted; as it stood where it is in that one.
pub(super) fn case_in(case: Case, to: Target) -> Case {
    match to {
        Target::Adk => Case::Adk(case.into_adk()),
        Target::Agentflow => Case::AgentFlow(case.into_agentflow()),
    }
}

/// Puts a case behind those that the set has; the two are in one format.
pub(super) fn put(set: &mut EvalSet, case: Case) {
    match (set, case) {
        (EvalSet::Adk(set), case) => set.eval_cases.push(case.into_adk()),
        (EvalSet::AgentFlow(set), case) => set.eval_cases.push(case.into_agentflow()),
        // What is opened is in one of the present formats.
        (EvalSet::AdkLegacy(_), _) => {}
    }
}

/// Gives the set another id, and the name that goes with it when `named`.
pub(super) fn identify(set: &mut EvalSet, id: String, named: bool) {
    match set {
        EvalSet::Adk(set) => {
            if named {
                set.name = Some(id.clone());
            }
            set.eval_set_id = id;
        }
        EvalSet::AgentFlow(set) => {
            if named {
                set.name.clone_from(&id);
            }
            set.eval_set_id = id;
        }
        EvalSet::AdkLegacy(_) => {}
    }
}

/// Gives the case another id.
pub(super) fn rename(case: &mut Case, eval_id: String) {
    match case {
        Case::Adk(case) => case.eval_id = eval_id,
        Case::AgentFlow(case) => case.eval_id = eval_id,
        Case::AdkLegacy(case) => case.name = eval_id,
    }
}

/// The set in the format that is wanted; as it stood where it is in that one.
fn converted(set: EvalSet, to: Target, name: &str) -> EvalSet {
    match to {
        Target::Adk => EvalSet::Adk(set.into_adk(name)),
        Target::Agentflow => EvalSet::AgentFlow(set.into_agentflow(name)),
    }
}

fn taken(set: &mut EvalSet) -> Vec<Case> {
    match set {
        EvalSet::Adk(set) => {
            std::mem::take(&mut set.eval_cases).into_iter().map(Case::Adk).collect()
        }
        EvalSet::AgentFlow(set) => {
            std::mem::take(&mut set.eval_cases).into_iter().map(Case::AgentFlow).collect()
        }
        EvalSet::AdkLegacy(_) => Vec::new(),
    }
}

fn ids(set: &EvalSet, name: &str) -> Vec<String> {
    match set {
        EvalSet::Adk(set) => set.eval_cases.iter().map(|case| case.eval_id.clone()).collect(),
        EvalSet::AgentFlow(set) => set.eval_cases.iter().map(|case| case.eval_id.clone()).collect(),
        EvalSet::AdkLegacy(LegacySet::Sessions(sessions)) => {
            sessions.iter().map(|session| session.name.clone()).collect()
        }
        EvalSet::AdkLegacy(LegacySet::Queries(_)) => vec![name.to_owned()],
    }
}
