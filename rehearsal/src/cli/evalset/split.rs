//! `rehearsal evalset split`: the file is read to its end, and then written part by part.

use std::io::Write;

use evalset_file::stem;

use super::error::EvalsetError;
use super::output::{require_free, write_by, write_set};
use super::valid_file::{Opened, ValidFile, identify};
use super::{SplitArguments, Status};

pub(super) fn split(
    arguments: &SplitArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let SplitArguments { file, output_folder, cases: size, force, format_is } = arguments;
    let name = stem(file);
    let size = usize::try_from(*size).unwrap_or(usize::MAX);
    let source = ValidFile::read(file, *format_is, |_| ())?;
    let parts = source.cases().div_ceil(size);
    let digits = parts.to_string().len();
    let target = |number| output_folder.join(format!("{name}_{number:0digits$}.evalset.json"));
    for number in 1..=parts {
        require_free(&target(number), *force)?;
    }
    let to = source.own_format();
    let Opened { set, mut cases } = source.open(to)?;
    for number in 1..=parts {
        let mut part = set.clone();
        if let Some(id) = set.eval_set_id() {
            identify(&mut part, format!("{id}_{number}"), false);
        }
        let target = target(number);
        write_by(&target, *force, |out| {
            match write_set(part, &mut cases.by_ref().take(size), out)? {
                0 => Err(EvalsetError::Changed { path: file.clone() }),
                _ => Ok(()),
            }
        })?;
        writeln!(out, "wrote {}", target.display())?;
    }
    Ok(Status::Success)
}
