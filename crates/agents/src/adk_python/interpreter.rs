//! Finds the interpreter of an ADK agent: the one that `adk` would use.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

/// An interpreter, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The program; a bare name is looked up on `PATH` when it is run.
    pub program: PathBuf,
    /// Why this one.
    pub found_by: FoundBy,
}

impl fmt::Display for Interpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.program.display(), self.found_by.label())
    }
}

/// Why an interpreter was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundBy {
    /// The agent or the configuration names it.
    Named,
    /// An active virtual environment (`VIRTUAL_ENV`).
    ActiveEnvironment,
    /// A virtual environment in the agent's folder or in one above it.
    NearbyEnvironment,
    /// It is in the environment in which this program is installed, with google-adk.
    BesideProgram,
    /// It is in the folder of the `adk` program on `PATH`.
    BesideAdk,
    /// The first Python on `PATH`.
    Path,
}

impl FoundBy {
    /// As people read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Named => "named by `--python`, `REHEARSAL_PYTHON` or the configuration",
            Self::ActiveEnvironment => "the active virtual environment",
            Self::NearbyEnvironment => "the virtual environment beside the agent",
            Self::BesideProgram => "the environment in which `rehearsal` is installed",
            Self::BesideAdk => "the Python of the `adk` program",
            Self::Path => "the first Python on PATH",
        }
    }
}

/// Folders in which people keep a virtual environment.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// The interpreter for the agent in `folder`.
///
/// In this order: `named` (the agent's own, else the configuration's), the active virtual
/// environment, one in the agent's folder or in a folder above it, the one in which this program is
/// installed if it has google-adk, the one that `adk` on `PATH` belongs to, `python3` or `python` on
/// `PATH`.
#[must_use]
pub fn find_interpreter(folder: &Path, named: Option<&Path>) -> Interpreter {
    let path = env::var_os("PATH").unwrap_or_default();
    let program = env::current_exe().ok();
    // `pip` installs a program in `bin` of an environment.
    let own = program.as_deref().and_then(Path::parent).and_then(Path::parent);
    let active = env::var_os("VIRTUAL_ENV");
    find(folder, named, &Surroundings { active: active.as_deref(), own, path: &path })
}

/// Where an interpreter can be found.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    /// The active virtual environment.
    active: Option<&'a OsStr>,
    /// The folder in whose `bin` this program is.
    own: Option<&'a Path>,
    /// The value of `PATH`.
    path: &'a OsStr,
}

/// As [`find_interpreter`], with the environment handed in.
fn find(folder: &Path, named: Option<&Path>, around: &Surroundings<'_>) -> Interpreter {
    let Surroundings { active, own, path } = *around;
    if let Some(named) = named {
        return Interpreter { program: settled(named), found_by: FoundBy::Named };
    }
    let active = active.filter(|active| !active.is_empty()).map(Path::new);
    if let Some(program) = active.and_then(python_of) {
        return Interpreter { program, found_by: FoundBy::ActiveEnvironment };
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let nearby = folder
        .ancestors()
        .flat_map(|above| ENVIRONMENTS.map(|name| above.join(name)))
        .find_map(|environment| python_of(&environment));
    if let Some(program) = nearby {
        return Interpreter { program, found_by: FoundBy::NearbyEnvironment };
    }
    if let Some(program) = own.filter(|own| has_adk(own)).and_then(python_of) {
        return Interpreter { program, found_by: FoundBy::BesideProgram };
    }
    let folders: Vec<PathBuf> = env::split_paths(path).collect();
    let program_in = |folder: &Path, name: &str| {
        let program = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
        program.is_file().then_some(program)
    };
    let adk = folders.iter().find_map(|folder| program_in(folder, "adk"));
    // Installers of programs (pipx, uv) put a link on PATH, and the Python lies where it leads.
    let led = adk.as_deref().and_then(|adk| std::fs::canonicalize(adk).ok());
    let homes = [led.as_deref(), adk.as_deref()].into_iter().flatten().filter_map(Path::parent);
    let beside = homes
        .into_iter()
        .find_map(|home| program_in(home, "python").or_else(|| program_in(home, "python3")));
    if let Some(program) = beside {
        return Interpreter { program, found_by: FoundBy::BesideAdk };
    }
    let first = ["python3", "python"]
        .into_iter()
        .find_map(|name| folders.iter().find_map(|folder| program_in(folder, name)));
    Interpreter { program: first.unwrap_or_else(|| "python3".into()), found_by: FoundBy::Path }
}

/// Whether google-adk is installed in the environment.
fn has_adk(environment: &Path) -> bool {
    let versions = std::fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    versions.map(|lib| lib.path().join("site-packages/google/adk")).any(|adk| adk.is_dir())
}

/// The interpreter of a virtual environment. A folder without `pyvenv.cfg` is not an environment, even if
/// its name is `env`.
fn python_of(environment: &Path) -> Option<PathBuf> {
    let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let program = environment.join(inside);
    (environment.join("pyvenv.cfg").is_file() && program.is_file()).then_some(program)
}

/// A path becomes absolute, because a worker may start in another folder. A bare name stays as it is. For a
/// virtual environment's folder, the result is its interpreter.
fn settled(named: &Path) -> PathBuf {
    if named.components().count() == 1 && !named.is_dir() {
        return named.to_path_buf();
    }
    // Links are kept: a virtual environment's interpreter is a link and found by its own place.
    let absolute = std::path::absolute(named).unwrap_or_else(|_| named.to_path_buf());
    python_of(&absolute).unwrap_or(absolute)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;

    use super::*;

    fn environment(at: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(at.join("bin"))?;
        fs::write(at.join("pyvenv.cfg"), "")?;
        let program = at.join("bin").join("python");
        fs::write(&program, "")?;
        Ok(program)
    }

    #[cfg(unix)]
    #[test]
    fn finds_interpreters_in_order_of_precedence() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let agent = root.path().join("agents").join("weather");
        fs::create_dir_all(&agent)?;
        let on_path = root.path().join("bin");
        fs::create_dir_all(&on_path)?;
        fs::write(on_path.join("python3"), "")?;
        let installed = root.path().join("installed");
        let find = |named: Option<&Path>, active: Option<&Path>| {
            let active = active.map(Path::as_os_str);
            let own = Some(installed.as_path());
            find(&agent, named, &Surroundings { active, own, path: on_path.as_os_str() })
        };

        let found = find(None, None);
        assert_eq!((found.program, found.found_by), (on_path.join("python3"), FoundBy::Path));

        fs::write(on_path.join("adk"), "")?;
        assert_eq!(find(None, None).found_by, FoundBy::BesideAdk);

        // As pipx and uv install programs: in an environment of their own, with a link to them.
        let tool = root.path().join("tools").join("google-adk");
        let of_tool = environment(&tool)?;
        fs::write(tool.join("bin").join("adk"), "")?;
        fs::remove_file(on_path.join("adk"))?;
        std::os::unix::fs::symlink(tool.join("bin").join("adk"), on_path.join("adk"))?;
        let found = find(None, None);
        assert_eq!(found.found_by, FoundBy::BesideAdk);
        assert_eq!(found.program.canonicalize()?, of_tool.canonicalize()?);

        // As pip installs this program. Without google-adk, its environment runs no agent.
        let beside = environment(&installed)?;
        assert_eq!(find(None, None).found_by, FoundBy::BesideAdk);
        fs::create_dir_all(installed.join("lib/python3.12/site-packages/google/adk"))?;
        let found = find(None, None);
        assert_eq!((found.program, found.found_by), (beside, FoundBy::BesideProgram));

        let above = environment(&root.path().join("venv"))?;
        let found = find(None, None);
        assert_eq!((found.program, found.found_by), (above, FoundBy::NearbyEnvironment));

        let own = environment(&agent.join(".venv"))?;
        assert_eq!(find(None, None).program, own);

        let active = root.path().join("active");
        let active_python = environment(&active)?;
        let found = find(None, Some(&active));
        assert_eq!((found.program, found.found_by), (active_python, FoundBy::ActiveEnvironment));

        let found = find(Some(Path::new("python3.12")), Some(&active));
        assert_eq!((found.program, found.found_by), ("python3.12".into(), FoundBy::Named));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn accepts_the_folder_of_an_environment() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let program = environment(&root.path().join("mine"))?;
        assert_eq!(settled(&root.path().join("mine")), program);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn ignores_an_env_folder_that_is_not_an_environment() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        fs::create_dir_all(root.path().join("env/bin"))?;
        fs::write(root.path().join("env/bin/python"), "")?;
        let around = Surroundings { active: None, own: None, path: OsStr::new("") };
        let found = find(root.path(), None, &around);
        assert_eq!(found.found_by, FoundBy::Path);
        Ok(())
    }
}
