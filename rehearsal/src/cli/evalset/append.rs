//! `rehearsal evalset append`.

use std::io::Write;
use std::path::Path;

use evalset::{Case, Format, numbered};
use evalset_file::{AppendError, Cases, EvalSetFiles, default_cache};

use super::error::EvalsetError;
use super::files::files;
use super::valid_file::{ValidFile, case_in, rename as renamed};
use super::{AppendArguments, FormatIs, Status, Target, counted};

pub(super) fn append(
    arguments: &AppendArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let AppendArguments { file, from, rename } = arguments;
    if !file.exists() {
        return Err(AppendError::NoFile { path: file.clone() }.into());
    }
    let to = match Cases::declared_format(file)? {
        Format::AgentFlow => Target::Agentflow,
        Format::Adk | Format::AdkLegacy => Target::Adk,
    };
    // All inputs are read before the output is written.
    let mut sources = Vec::new();
    for path in files(from)? {
        if is_same_file(&path, file) {
            return Err(EvalsetError::IntoItself { path });
        }
        sources.push(ValidFile::read(&path, FormatIs::default(), |_| ())?);
    }
    let sets = match default_cache() {
        Some(cache) => EvalSetFiles::anywhere().with_cache(cache),
        None => EvalSetFiles::anywhere(),
    };
    let mut count = 0_u64;
    for source in sources {
        // Metadata of the inputs' sets is not copied.
        let own = source.own_format();
        for case in source.open(own)?.cases {
            let eval_id = add(&sets, file, case_in(case?, to), *rename)?;
            count += 1;
            writeln!(out, "added {eval_id:?}")?;
        }
    }
    writeln!(out, "{}: {} added", file.display(), counted(count, "case"))?;
    Ok(Status::Success)
}

/// Whether both paths lead to the same file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// Adds a case under its own id, or under the first free numbered one.
fn add(
    sets: &EvalSetFiles,
    file: &Path,
    mut case: Case,
    rename: bool,
) -> Result<String, EvalsetError> {
    let wanted = case.eval_id().to_owned();
    let mut number = 1;
    loop {
        let eval_id = numbered(&wanted, number);
        renamed(&mut case, eval_id.clone());
        match sets.push(file, &eval_id, &case.to_json()) {
            Ok(_) => return Ok(eval_id),
            Err(AppendError::DuplicateId { .. }) if rename => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}
