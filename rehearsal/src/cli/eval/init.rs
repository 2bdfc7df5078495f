//! `rehearsal eval init`: a suite made from a recorded case.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use eval::file::{RecordedFormat, suite_of};
use eval::golden::Golden;

use super::arguments::InitSuiteArguments;
use super::{EvalError, eval_sets, private_file};

/// Writes the suite to `out` or to a new file.
pub(super) fn init(arguments: &InitSuiteArguments, out: &mut dyn Write) -> Result<(), EvalError> {
    let golden = Golden::read(&arguments.eval_set, arguments.case.as_deref())?;
    let agent = match &arguments.agent {
        Some(agent) => agent.clone(),
        None => {
            let format = RecordedFormat::of_file(&arguments.eval_set);
            eval_sets::agent_of(&arguments.eval_set, format.unwrap_or(RecordedFormat::EvalSet))?
        }
    };
    let output = arguments.output.as_deref();
    let folder = output.map_or(Path::new(""), |path| path.parent().unwrap_or(Path::new("")));
    let from_suite = |path: &Path| relative(path, folder);
    let suite = suite_of(&golden, &from_suite(&arguments.eval_set), &from_suite(&agent))?;
    let Some(path) = output else {
        write!(out, "{suite}")?;
        return Ok(());
    };
    let unwritable = |cause| EvalError::UnwritableSuite { path: path.to_owned(), cause };
    // A suite that people have worked on is not replaced.
    let mut file =
        private_file().create_new(true).open(path).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => {
                unwritable(io::Error::other("it exists; remove it, or choose another --output"))
            }
            _ => unwritable(cause),
        })?;
    file.write_all(suite.as_bytes()).map_err(unwritable)?;
    let shown = path.display();
    writeln!(out, "{shown} is written. Next: rehearsal eval {shown} --model replay")?;
    if golden.trace.invocations.iter().any(|turn| !turn.tool_calls.is_empty()) {
        writeln!(
            out,
            "Its tools are mocked. One that only changes the session's state can run: write `sealed` in place of its mock"
        )?;
    }
    Ok(())
}

/// `path`, which is relative to the working directory, relative to `folder`; absolute if it is not below or beside it.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let (Ok(path), Ok(folder)) =
        (std::path::absolute(path), std::path::absolute(folder_or_dot(folder)))
    else {
        return path.to_owned();
    };
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().count() - common;
    if up > 3 {
        return path;
    }
    let below = path.components().skip(common);
    let steps: PathBuf = std::iter::repeat_n(Path::new(".."), up).collect();
    match steps.join(below.collect::<PathBuf>()) {
        here if here.as_os_str().is_empty() => PathBuf::from("."),
        path => path,
    }
}

fn folder_or_dot(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_suite() {
        let relative = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(relative("agents/home", ""), Path::new("agents/home"));
        assert_eq!(relative("agents/home", "evals"), Path::new("../agents/home"));
        assert_eq!(relative("evals/a.json", "evals"), Path::new("a.json"));
        assert_eq!(relative("agents", "agents"), Path::new("."));
        assert!(relative("agents", "a/b/c/d").is_absolute());
    }
}
