//! [`ValidFile`]: a file without errors, read case by case.
//!
//! The file is read to its end first, so that faults are reported before anything is written. Then
//! its cases are read again in the requested format, one at a time. Files that are not lists of
//! cases are in memory as a whole: ADK's older list of the turns of one case, and an AgentFlow set
//! without cases.

use std::path::{Path, PathBuf};

use evalset::adk::LegacySet;
use evalset::{Case, EvalSet, Format};
use evalset_file::{Checked, CheckedCases, stem};

use super::error::EvalsetError;
use super::files::{Errors, Source, checked, sound};
use super::{FormatIs, Target};

/// A file that was read to its end and has no errors.
pub(super) struct ValidFile {
    path: PathBuf,
    source: Source,
    format: Format,
    cases: usize,
    /// The content of a file that is in memory; others are read again, case by case.
    held: Option<Box<EvalSet>>,
}

/// A set in the requested format.
pub(super) struct Opened {
    /// The set's metadata.
    pub(super) set: EvalSet,
    /// Its cases. The first keeps what the other format's set has no field for.
    pub(super) cases: OpenedCases,
}

impl ValidFile {
    /// Reads a file to its end, and calls `seen_id` with the id of each case.
    pub(super) fn read(
        path: &Path,
        format_is: FormatIs,
        mut seen_id: impl FnMut(&str),
    ) -> Result<Self, EvalsetError> {
        let mut count = 0;
        let mut errors = Errors::default();
        let source = Source::of(path)?;
        let (format, held) = match checked(&source, format_is.chosen())? {
            Checked::Whole(reading) => {
                let set = sound(path, *reading)?;
                for eval_id in ids(&set, &stem(path)) {
                    count += 1;
                    seen_id(&eval_id);
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
                        seen_id(case.eval_id());
                    }
                }
                errors.take(cases.faults_after().iter().cloned());
                (cases.format(), None)
            }
        };
        if !errors.is_none() {
            return Err(errors.of(path));
        }
        Ok(Self { path: path.to_owned(), source, format, cases: count, held })
    }

    /// The format that keeps a case unchanged; for ADK's older lists its current format.
    pub(super) fn own_format(&self) -> Target {
        match self.format {
            Format::AgentFlow => Target::Agentflow,
            Format::Adk | Format::AdkLegacy => Target::Adk,
        }
    }

    /// The format in which the cases are read one by one; `None` for a file in memory.
    pub(super) fn read_by_case(&self) -> Option<Format> {
        self.held.is_none().then_some(self.format)
    }

    /// The path to read again.
    pub(super) fn source(&self) -> &Path {
        self.source.path()
    }

    /// The number of cases.
    pub(super) fn cases(&self) -> usize {
        self.cases
    }

    /// Starts to read the cases.
    pub(super) fn open(self, to: Target) -> Result<Opened, EvalsetError> {
        let Self { path, source, held, format, .. } = self;
        let name = stem(&path);
        if let Some(set) = held {
            let mut set = converted(*set, to, &name);
            let rest = Rest::Held(taken(&mut set).into_iter());
            return Ok(Opened { set, cases: OpenedCases { first: None, rest } });
        }
        let changed = || EvalsetError::Changed { path: path.clone() };
        let Checked::Cases(mut cases) = checked(&source, Some(format))? else {
            return Err(changed());
        };
        let first = cases.next().transpose()?;
        let first = first.map(|read| read.case.ok_or_else(changed)).transpose()?;
        // Only the first case determines the set's metadata.
        let set = cases.set_with(first.as_ref()).ok_or_else(changed)?;
        let mut set = converted(set, to, &name);
        let first = match first {
            Some(_) => taken(&mut set).pop(),
            None => None,
        };
        Ok(Opened { set, cases: OpenedCases { first, rest: Rest::Read { cases, path, to } } })
    }
}

/// The cases of a set, in order.
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

/// The case in the requested format, unchanged if it is in that format.
pub(super) fn case_in(case: Case, to: Target) -> Case {
    match to {
        Target::Adk => Case::Adk(case.into_adk()),
        Target::Agentflow => Case::AgentFlow(case.into_agentflow()),
    }
}

/// Appends a case to a set of the same format.
pub(super) fn put(set: &mut EvalSet, case: Case) {
    match (set, case) {
        (EvalSet::Adk(set), case) => set.eval_cases.push(case.into_adk()),
        (EvalSet::AgentFlow(set), case) => set.eval_cases.push(case.into_agentflow()),
        // An opened set is in one of the current formats.
        (EvalSet::AdkLegacy(_), _) => {}
    }
}

/// Changes the set's id, and its name if `named`.
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

/// Changes the case's id.
pub(super) fn rename(case: &mut Case, eval_id: String) {
    match case {
        Case::Adk(case) => case.eval_id = eval_id,
        Case::AgentFlow(case) => case.eval_id = eval_id,
        Case::AdkLegacy(case) => case.name = eval_id,
    }
}

/// The set in the requested format, unchanged if it is in that format.
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
