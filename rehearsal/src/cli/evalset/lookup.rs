//! [`Lookup`]: finds the cases of a file by their ids.
//!
//! It stores the position and a hash of the id of each case, and reads a case when it is requested.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};

use evalset::{Case, EvalSet, Origin, read_case};
use evalset_file::{Cases, FoundCase};

use super::Target;
use super::error::EvalsetError;
use super::valid_file::{Opened, OpenedCases, ValidFile, case_in};

/// Cases by id, each of which can be taken once.
pub(super) enum Lookup {
    /// A file that is in memory: its cases in order, and the index of each id.
    Held(Vec<Option<Case>>, HashMap<String, usize>),
    /// A file that is read case by case.
    Read(Box<InFile>),
}

pub(super) struct InFile {
    path: PathBuf,
    cases: Cases,
    format: evalset::Format,
    to: Target,
    hasher: RandomState,
    /// The byte ranges of the cases that were not taken.
    places: HashMap<u64, (u64, u64)>,
    /// The first case, which keeps the set's metadata.
    first: Option<Case>,
}

impl Lookup {
    /// A set's metadata, and its cases for lookup.
    pub(super) fn of(
        path: &Path,
        file: ValidFile,
        to: Target,
    ) -> Result<(EvalSet, Self), EvalsetError> {
        let format = file.read_by_case();
        let again =
            format.map(|format| Ok::<_, EvalsetError>((format, Cases::open(file.source())?)));
        let again = again.transpose()?;
        let Opened { set, cases: mut opened } = file.open(to)?;
        let Some((format, mut cases)) = again else {
            let cases = opened.collect::<Result<Vec<_>, _>>()?;
            let places = cases.iter().map(|case| case.eval_id().to_owned()).zip(0..).collect();
            return Ok((set, Self::Held(cases.into_iter().map(Some).collect(), places)));
        };
        let first = opened.next().transpose()?;
        drop::<OpenedCases>(opened);
        let (hasher, mut places) = (RandomState::new(), HashMap::new());
        for case in &mut cases {
            let FoundCase { eval_id, start, end, .. } = case?;
            // A case without an id is an error, and the file has none.
            places.insert(hasher.hash_one(eval_id.unwrap_or_default()), (start, end));
        }
        let path = path.to_owned();
        let read = InFile { path, cases, format, to, hasher, places, first };
        Ok((set, Self::Read(Box::new(read))))
    }

    /// The case with that id, if there is one.
    pub(super) fn take(&mut self, eval_id: &str) -> Result<Option<Case>, EvalsetError> {
        match self {
            Self::Held(cases, places) => {
                let place = places.get(eval_id).and_then(|place| cases.get_mut(*place));
                Ok(place.and_then(Option::take))
            }
            Self::Read(file) => {
                let place = file.places.remove(&file.hasher.hash_one(eval_id));
                place.map(|place| file.read(place)).transpose()
            }
        }
    }

    /// The cases that were not taken, in the order of the file.
    pub(super) fn left(self) -> Box<dyn Iterator<Item = Result<Case, EvalsetError>>> {
        match self {
            Self::Held(cases, _) => Box::new(cases.into_iter().flatten().map(Ok)),
            Self::Read(mut file) => {
                let mut places: Vec<_> = file.places.drain().map(|(_, place)| place).collect();
                places.sort_unstable();
                Box::new(places.into_iter().map(move |place| file.read(place)))
            }
        }
    }
}

impl InFile {
    fn read(&mut self, (start, end): (u64, u64)) -> Result<Case, EvalsetError> {
        let at = FoundCase { index: 0, eval_id: None, turns: 0, start, end };
        let text = self.cases.text(&at)?;
        let changed = || EvalsetError::Changed { path: self.path.clone() };
        let (case, _) = read_case(&text, self.format, Origin::default());
        let case = case.ok_or_else(changed)?;
        match self.first.take_if(|first| first.eval_id() == case.eval_id()) {
            Some(first) => Ok(first),
            None => Ok(case_in(case, self.to)),
        }
    }
}
