//! `rehearsal evalset convert`: reads each file to its end and then writes it case by case.

use std::io::Write;
use std::path::PathBuf;

use evalset_file::stem;

use super::error::EvalsetError;
use super::files::files;
use super::output::{require_free, write_by, write_set};
use super::valid_file::{Opened, ValidFile};
use super::{ConvertArguments, Status};

pub(super) fn convert(
    arguments: &ConvertArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let ConvertArguments { files: asked, to, output, output_folder, force, format_is } = arguments;
    let files = files(asked)?;
    if output_folder.is_none() && files.len() > 1 {
        return Err(EvalsetError::ManyFiles { count: files.len() });
    }
    let mut targets: Vec<Option<PathBuf>> = Vec::new();
    for path in &files {
        let named = |folder: &PathBuf| folder.join(format!("{}.evalset.json", stem(path)));
        let target = output_folder.as_ref().map(named).or_else(|| output.clone());
        if let Some(target) = &target {
            require_free(target, *force)?;
            if targets.iter().flatten().any(|other| other == target) {
                return Err(EvalsetError::SameOutput { path: target.clone() });
            }
        }
        targets.push(target);
    }
    // All inputs are read before an output is written.
    let mut sources = Vec::new();
    for (path, target) in files.iter().zip(targets) {
        sources.push((ValidFile::read(path, *format_is, |_| ())?, target));
    }
    for (source, target) in sources {
        let Opened { set, mut cases } = source.open(*to)?;
        match target {
            Some(target) => {
                write_by(&target, *force, |out| write_set(set, &mut cases, out).map(|_| ()))?;
                writeln!(out, "wrote {}", target.display())?;
            }
            None => {
                write_set(set, &mut cases, out)?;
            }
        }
    }
    Ok(Status::Success)
}
