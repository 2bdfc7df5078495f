//! `rehearsal evalset convert`: each file is read to its end, and then written case by case.

use std::io::Write;
use std::path::{Path, PathBuf};

use evalset::{Case, EvalSet, Layout};
use evalset_file::Checked;

use super::error::EvalsetError;
use super::files::{Errors, checked, files, sound, stem};
use super::output::{laid_out, require_free, write_by};
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
    let mut sources = Vec::new();
    for (path, target) in files.iter().zip(targets) {
        sources.push((path, Source::sound(path)?, target));
    }
    for (path, source, target) in sources {
        match target {
            Some(target) => {
                write_by(&target, *force, |out| source.convert(path, *to, out))?;
                writeln!(out, "wrote {}", target.display())?;
            }
            None => source.convert(path, *to, out)?,
        }
    }
    Ok(Went::Well)
}

/// A file without errors.
enum Source {
    /// It is read case by case, once more.
    Cases,
    Whole(Box<EvalSet>),
}

impl Source {
    /// Reads a file to its end: whether it can be converted.
    fn sound(path: &Path) -> Result<Self, EvalsetError> {
        let mut errors = Errors::default();
        match checked(path)? {
            Checked::Whole(reading) => {
                return Ok(Self::Whole(Box::new(sound(path, *reading)?)));
            }
            Checked::Broken(fault) => errors.take([fault]),
            Checked::Cases(mut cases) => {
                errors.take(cases.faults_before().iter().cloned());
                for case in &mut *cases {
                    errors.take(case?.faults);
                }
                errors.take(cases.faults_behind().iter().cloned());
            }
        }
        if errors.is_none() { Ok(Self::Cases) } else { Err(errors.of(path)) }
    }

    fn convert(
        self,
        path: &Path,
        to: Target,
        out: &mut (impl Write + ?Sized),
    ) -> Result<(), EvalsetError> {
        let name = stem(path);
        let laid = |set| laid_out(&converted(set, to, &name).to_json());
        if let Self::Whole(set) = self {
            return Ok(out.write_all(laid(*set).as_bytes())?);
        }
        let changed = || EvalsetError::Changed { path: path.to_owned() };
        let Checked::Cases(mut cases) = checked(path)? else { return Err(changed()) };
        let first = cases.next().transpose()?;
        let first = first.map(|read| read.case.ok_or_else(changed)).transpose()?;
        // What stands around the cases depends on nothing but the first of them, which keeps what the
        // other format's set has no field for.
        let text = laid(cases.set_with(first.as_ref()).ok_or_else(changed)?);
        let Some(end) = end_of_only_case(&text).filter(|_| first.is_some()) else {
            return Ok(out.write_all(text.as_bytes())?);
        };
        let (before, behind) = text.split_at(end);
        out.write_all(before.as_bytes())?;
        let layout =
            Layout::Lines { step: "  ".to_owned(), base: "    ".to_owned(), line_end: "\n" };
        for case in cases {
            let case = case?.case.ok_or_else(changed)?;
            let case = match to {
                Target::Adk => Case::Adk(case.into_adk()),
                Target::Agentflow => Case::AgentFlow(case.into_agentflow()),
            };
            write!(out, ",\n    {}", case.to_json().laid_out(&layout))?;
        }
        Ok(out.write_all(behind.as_bytes())?)
    }
}

/// Where the case ends of a set that has one, in ADK's layout. No string holds a line feed, so what
/// looks like the set's own lines is them.
fn end_of_only_case(text: &str) -> Option<usize> {
    let list = text.find("\n  \"eval_cases\": [\n")?;
    Some(list + text.get(list..)?.find("\n  ]")?)
}

/// The set in the format that is wanted; as it stood where it is in that one.
pub(super) fn converted(set: EvalSet, to: Target, name: &str) -> EvalSet {
    match to {
        Target::Adk => EvalSet::Adk(set.into_adk(name)),
        Target::Agentflow => EvalSet::AgentFlow(set.into_agentflow(name)),
    }
}
