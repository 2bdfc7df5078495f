//! `rehearsal evalset append`.

use std::io::Write;
use std::path::Path;

use evalset::{Case, EvalSet, Format, Telling, numbered};
use evalset_file::{AppendError, Cases, EvalSetFiles};

use super::error::EvalsetError;
use super::files::files;
use super::sound_file::{SoundFile, case_in, rename as renamed};
use super::{AppendArguments, Target, Went};

pub(super) fn append(
    arguments: &AppendArguments,
    out: &mut impl Write,
) -> Result<Went, EvalsetError> {
    let AppendArguments { file, from, rename } = arguments;
    if !file.exists() {
        return Err(AppendError::NoFile { path: file.clone() }.into());
    }
    let in_agentflow = is_agentflow(file)?;
    let to = if in_agentflow { Target::Agentflow } else { Target::Adk };
    // All are read before one is written.
    let mut sources = Vec::new();
    for path in files(from)? {
        if is_same_file(&path, file) {
            return Err(EvalsetError::IntoItself { path });
        }
        sources.push(SoundFile::read(&path, |_| ())?);
    }
    let sets = EvalSetFiles::anywhere();
    let mut count = 0;
    for source in sources {
        // What a set says of itself stays with it: the cases join another.
        let own = source.own_format();
        for case in source.open(own)?.cases {
            let eval_id = add(&sets, file, case_in(case?, to), *rename)?;
            count += 1;
            writeln!(out, "added {eval_id:?}")?;
        }
    }
    let cases = if count == 1 { "case" } else { "cases" };
    writeln!(out, "{}: {count} {cases} added", file.display())?;
    Ok(Went::Well)
}

/// Whether both paths lead to one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// Adds a case under its own id, or under the first numbered one that is free.
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
            Err(AppendError::IdTaken { .. }) if rename => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether a file of any size is AgentFlow's: its cases tell.
fn is_agentflow(file: &Path) -> Result<bool, EvalsetError> {
    let mut cases = Cases::open(file)?;
    let mut telling = Telling::default();
    while let Some(case) = cases.next() {
        let case = case?;
        if let Some(format) = telling.look_at(&cases.text(&case)?) {
            return Ok(format == Format::AgentFlow);
        }
    }
    if let Some(format) = telling.told() {
        return Ok(format == Format::AgentFlow);
    }
    // Without a case the whole is short.
    let frame = cases.frame()?.unwrap_or_default();
    Ok(matches!(evalset::read(frame.as_bytes()).set, Some(EvalSet::AgentFlow(_))))
}
