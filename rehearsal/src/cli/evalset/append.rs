//! `rehearsal evalset append`.

use std::io::Write;
use std::path::Path;

use evalset::{Case, Format, Layout, numbered, same_value};
use evalset_file::{AppendError, Appender, Cases, EvalSetFiles};
use json_text::JsonText;

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
    let mut set = EvalSetFiles::anywhere().appender(file)?;
    let mut count = 0_u64;
    for source in sources {
        // Metadata of the inputs' sets is not copied.
        let own = source.own_format();
        for case in source.open(own)?.cases {
            match add(&mut set, file, case_in(case?, to), *rename)? {
                Added::New(eval_id) => {
                    count += 1;
                    writeln!(out, "added {eval_id:?}")?;
                }
                Added::Before(eval_id) => writeln!(out, "{eval_id:?} is already there")?,
            }
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

/// Under which id a case is in the file.
enum Added {
    New(String),
    /// By an earlier command, which could not finish.
    Before(String),
}

/// Adds a case under its own id, or under the first free numbered one. The same case is not added
/// twice, so that a command that could not finish can be run again.
fn add(
    set: &mut Appender,
    file: &Path,
    mut case: Case,
    rename: bool,
) -> Result<Added, EvalsetError> {
    let wanted = case.eval_id().to_owned();
    let mut number = 1;
    loop {
        let eval_id = numbered(&wanted, number);
        renamed(&mut case, eval_id.clone());
        match set.push(&eval_id, &case.to_json()) {
            Ok(()) => return Ok(Added::New(eval_id)),
            Err(AppendError::DuplicateId { .. }) if is_in(file, &case)? => {
                return Ok(Added::Before(eval_id));
            }
            Err(AppendError::DuplicateId { .. }) if rename => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the file has the case, with the same id and the same value.
fn is_in(file: &Path, case: &Case) -> Result<bool, EvalsetError> {
    let value = |text: &str| JsonText::parse(text).ok();
    let wanted = value(&case.to_json().laid_out(&Layout::compact()));
    let mut cases = Cases::open(file)?;
    while let Some(found) = cases.next() {
        let found = found?;
        if found.eval_id.as_deref() == Some(case.eval_id()) {
            let known = value(&cases.text(&found)?);
            return Ok(wanted.zip(known).is_some_and(|(one, other)| same_value(&one, &other)));
        }
    }
    Ok(false)
}
