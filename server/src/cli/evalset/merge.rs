//! `rehearsal evalset merge`.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use evalset::{EvalSet, numbered, snake_case};

use super::convert::converted;
use super::error::EvalsetError;
use super::files::{files, sound_set, stem};
use super::output::{laid_out, require_free, write};
use super::{MergeArguments, Target, Went};

pub(super) fn merge(
    arguments: &MergeArguments,
    out: &mut impl Write,
) -> Result<Went, EvalsetError> {
    let MergeArguments { files: asked, output, to, id, rename, force } = arguments;
    require_free(output, *force)?;
    let mut ids = Ids { rename: *rename, taken: HashMap::new() };
    let mut merged: Option<EvalSet> = None;
    let mut target = *to;
    let files = files(asked)?;
    for path in &files {
        let set = sound_set(path)?;
        let target = *target.get_or_insert(match &set {
            EvalSet::AgentFlow(_) => Target::Agentflow,
            _ => Target::Adk,
        });
        let mut set = converted(set, target, &stem(path));
        match &mut set {
            EvalSet::Adk(set) => {
                for case in &mut set.eval_cases {
                    case.eval_id = ids.take(&case.eval_id, path)?;
                }
            }
            EvalSet::AgentFlow(set) => {
                for case in &mut set.eval_cases {
                    case.eval_id = ids.take(&case.eval_id, path)?;
                }
            }
            EvalSet::AdkLegacy(_) => {}
        }
        match (&mut merged, set) {
            (Some(EvalSet::Adk(merged)), EvalSet::Adk(set)) => {
                merged.eval_cases.extend(set.eval_cases);
            }
            (Some(EvalSet::AgentFlow(merged)), EvalSet::AgentFlow(set)) => {
                merged.eval_cases.extend(set.eval_cases);
            }
            (_, set) => merged = Some(set),
        }
    }
    let Some(mut merged) = merged else {
        return Err(EvalsetError::NoFile { asked: asked.join(" "), nearest: None });
    };
    let new_id = id.clone().unwrap_or_else(|| snake_case(&stem(output)));
    match &mut merged {
        EvalSet::Adk(set) => {
            set.name = Some(new_id.clone());
            set.eval_set_id = new_id;
        }
        EvalSet::AgentFlow(set) => {
            set.name.clone_from(&new_id);
            set.eval_set_id = new_id;
        }
        EvalSet::AdkLegacy(_) => {}
    }
    write(output, &laid_out(&merged.to_json()), *force)?;
    let (cases, count) = (ids.taken.len(), files.len());
    writeln!(out, "wrote {}: {cases} cases of {count} files", output.display())?;
    Ok(Went::Well)
}

/// The ids in the new file, with the file that each came from.
struct Ids {
    rename: bool,
    taken: HashMap<String, PathBuf>,
}

impl Ids {
    fn take(&mut self, eval_id: &str, path: &Path) -> Result<String, EvalsetError> {
        let mut number = 1;
        let mut free = eval_id.to_owned();
        while let Some(first) = self.taken.get(&free) {
            if !self.rename {
                let (first, second) = (first.clone(), path.to_owned());
                return Err(EvalsetError::IdTwice { eval_id: free, first, second });
            }
            number += 1;
            free = numbered(eval_id, number);
        }
        self.taken.insert(free.clone(), path.to_owned());
        Ok(free)
    }
}
