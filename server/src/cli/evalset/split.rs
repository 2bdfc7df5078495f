//! `rehearsal evalset split`.

use std::io::Write;

use evalset::EvalSet;

use super::error::EvalsetError;
use super::files::{sound_set, stem};
use super::output::{laid_out, require_free, write};
use super::{SplitArguments, Went};

pub(super) fn split(
    arguments: &SplitArguments,
    out: &mut impl Write,
) -> Result<Went, EvalsetError> {
    let SplitArguments { file, output_folder, cases, force } = arguments;
    let name = stem(file);
    let size = usize::try_from(*cases).unwrap_or(usize::MAX);
    let parts: Vec<EvalSet> = match sound_set(file)? {
        EvalSet::AgentFlow(set) => {
            let mut frame = set.clone();
            frame.eval_cases.clear();
            let parts = set.eval_cases.chunks(size).zip(1..).map(|(cases, number)| {
                let mut part = frame.clone();
                part.eval_set_id = format!("{}_{number}", part.eval_set_id);
                part.eval_cases = cases.to_vec();
                EvalSet::AgentFlow(part)
            });
            parts.collect()
        }
        set => {
            let set = set.into_adk(&name);
            let mut frame = set.clone();
            frame.eval_cases.clear();
            let parts = set.eval_cases.chunks(size).zip(1..).map(|(cases, number)| {
                let mut part = frame.clone();
                part.eval_set_id = format!("{}_{number}", part.eval_set_id);
                part.eval_cases = cases.to_vec();
                EvalSet::Adk(part)
            });
            parts.collect()
        }
    };
    let digits = parts.len().to_string().len();
    let targets: Vec<_> = (1..=parts.len())
        .map(|number| output_folder.join(format!("{name}_{number:0digits$}.evalset.json")))
        .collect();
    for target in &targets {
        require_free(target, *force)?;
    }
    for (part, target) in parts.iter().zip(&targets) {
        write(target, &laid_out(&part.to_json()), *force)?;
        writeln!(out, "wrote {}", target.display())?;
    }
    Ok(Went::Well)
}
