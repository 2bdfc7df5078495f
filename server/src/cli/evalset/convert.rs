//! `rehearsal evalset convert`.

use std::io::Write;
use std::path::PathBuf;

use evalset::EvalSet;

use super::error::EvalsetError;
use super::files::{files, sound_set, stem};
use super::output::{laid_out, require_free, write};
use super::{ConvertArguments, Target, Went};

pub(super) fn convert(
    arguments: &ConvertArguments,
    out: &mut impl Write,
) -> Result<Went, EvalsetError> {
    let ConvertArguments { files: asked, to, output, output_folder, force } = arguments;
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
    // All are read before one is written.
    let mut texts = Vec::new();
    for path in &files {
        let set = converted(sound_set(path)?, *to, &stem(path));
        texts.push(laid_out(&set.to_json()));
    }
    for (text, target) in texts.into_iter().zip(targets) {
        match target {
            Some(target) => {
                write(&target, &text, *force)?;
                writeln!(out, "wrote {}", target.display())?;
            }
            None => out.write_all(text.as_bytes())?,
        }
    }
    Ok(Went::Well)
}

/// The set in the format that is wanted; as it stood where it is in that one.
pub(super) fn converted(set: EvalSet, to: Target, name: &str) -> EvalSet {
    match to {
        Target::Adk => EvalSet::Adk(set.into_adk(name)),
        Target::Agentflow => EvalSet::AgentFlow(set.into_agentflow(name)),
    }
}
