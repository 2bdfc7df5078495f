//! `rehearsal evalset append`.

use std::io::Write;
use std::path::Path;

use evalset::{Case, EvalSet, Format, numbered};
use evalset_file::{AppendError, Cases, EvalSetFiles};

use super::error::EvalsetError;
use super::files::{files, sound_set, stem};
use super::{AppendArguments, Went};

pub(super) fn append(
    arguments: &AppendArguments,
    out: &mut impl Write,
) -> Result<Went, EvalsetError> {
    let AppendArguments { file, from, rename } = arguments;
    if !file.exists() {
        return Err(AppendError::NoFile { path: file.clone() }.into());
    }
    let in_agentflow = is_agentflow(file)?;
    // All are read before one is written.
    let mut cases = Vec::new();
    for path in files(from)? {
        cases.extend(sound_set(&path)?.into_cases(&stem(&path)));
    }
    let sets = EvalSetFiles::anywhere();
    let mut count = 0;
    for case in cases {
        let case = if in_agentflow {
            Case::AgentFlow(case.into_agentflow())
        } else {
            Case::Adk(case.into_adk())
        };
        let eval_id = add(&sets, file, case, *rename)?;
        count += 1;
        writeln!(out, "added {eval_id:?}")?;
    }
    let cases = if count == 1 { "case" } else { "cases" };
    writeln!(out, "{}: {count} {cases} added", file.display())?;
    Ok(Went::Well)
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
        match &mut case {
            Case::Adk(case) => case.eval_id.clone_from(&eval_id),
            Case::AgentFlow(case) => case.eval_id.clone_from(&eval_id),
            Case::AdkLegacy(case) => case.name.clone_from(&eval_id),
        }
        match sets.push(file, &eval_id, &case.to_json()) {
            Ok(_) => return Ok(eval_id),
            Err(AppendError::IdTaken { .. }) if rename => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// The format of a file of any size: by the first case that tells.
fn is_agentflow(file: &Path) -> Result<bool, EvalsetError> {
    let mut cases = Cases::open(file)?;
    while let Some(case) = cases.next() {
        let case = case?;
        if let Some(format) = Format::of_case(&cases.text(&case)?) {
            return Ok(format == Format::AgentFlow);
        }
    }
    // Without a case the whole is short.
    let frame = cases.frame()?.unwrap_or_default();
    Ok(matches!(evalset::read(frame.as_bytes()).set, Some(EvalSet::AgentFlow(_))))
}
