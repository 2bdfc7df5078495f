//! `rehearsal evalset merge`: reads each file to its end and then writes all case by case.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;

use evalset::{Case, numbered, snake_case};
use evalset_file::stem;

use super::error::EvalsetError;
use super::files::files;
use super::output::{require_free, write_by, write_set};
use super::valid_file::{Opened, ValidFile, identify, rename as renamed};
use super::{MergeArguments, Status, Target, counted};

pub(super) fn merge(
    arguments: &MergeArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let MergeArguments { files: asked, output, to, id, rename, force, format_is } = arguments;
    require_free(output, *force)?;
    let files = files(asked)?;
    // All inputs are read before the output is written.
    let mut ids = Ids::default();
    let mut sources = Vec::new();
    for (at, path) in files.iter().enumerate() {
        let mut twice = None;
        sources.push(ValidFile::read(path, *format_is, |eval_id| {
            if !*rename && twice.is_none() {
                twice = ids.take(eval_id, at).err().map(|first| (eval_id.to_owned(), first));
            }
        })?);
        if let Some((eval_id, first)) = twice
            && let Some(first) = files.get(first)
        {
            let (first, second) = (first.clone(), path.clone());
            return Err(EvalsetError::IdTwice { eval_id, first, second });
        }
    }
    let mut sources = sources.into_iter();
    let Some(first) = sources.next() else {
        return Err(EvalsetError::NoFile { asked: asked.join(" "), nearest: None });
    };
    let to = to.unwrap_or_else(|| first.own_format());
    let Opened { mut set, cases } = first.open(to)?;
    identify(&mut set, id.clone().unwrap_or_else(|| snake_case(&stem(output))), true);
    let cases = cases.chain(sources.flat_map(|source| cases_of(source, to)));
    let mut cases = cases.map(|case| match *rename {
        true => case.map(|case| ids.numbered(case)),
        false => case,
    });
    let mut count = 0;
    write_by(output, *force, |out| {
        count = write_set(set, &mut cases, out)?;
        Ok(())
    })?;
    let cases = counted(count, "case");
    let files = counted(files.len(), "file");
    writeln!(out, "wrote {}: {cases} of {files}", output.display())?;
    Ok(Status::Success)
}

/// The cases of a file, opened when its first case is requested.
fn cases_of(source: ValidFile, to: Target) -> Box<dyn Iterator<Item = Result<Case, EvalsetError>>> {
    match source.open(to) {
        Ok(opened) => Box::new(opened.cases),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// The ids in the new file as hashes, with the index of the file that each came from.
#[derive(Default)]
struct Ids {
    hasher: RandomState,
    taken: HashMap<u64, usize>,
}

impl Ids {
    /// Reserves an id for a case of the file at `file`; if it is taken, returns the file that has
    /// it.
    fn take(&mut self, eval_id: &str, file: usize) -> Result<(), usize> {
        let first = *self.taken.entry(self.hasher.hash_one(eval_id)).or_insert(file);
        if first == file { Ok(()) } else { Err(first) }
    }

    /// The case under its own id, or under the first free numbered one.
    fn numbered(&mut self, mut case: Case) -> Case {
        let wanted = case.eval_id().to_owned();
        let mut number = 1;
        let mut free = wanted.clone();
        while self.taken.contains_key(&self.hasher.hash_one(&free)) {
            number += 1;
            free = numbered(&wanted, number);
        }
        self.taken.insert(self.hasher.hash_one(&free), 0);
        if free != wanted {
            renamed(&mut case, free);
        }
        case
    }
}
