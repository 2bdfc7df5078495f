//! `rehearsal init`: writes a commented configuration and an example agent.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files, by their paths in the folder.
const FILES: [(&str, &str); 4] = [
    ("rehearsal.toml", include_str!("template/rehearsal.toml")),
    // The first line of the configuration refers to it, for editors.
    ("rehearsal.schema.json", include_str!("template/rehearsal.schema.json")),
    ("weather/__init__.py", include_str!("template/weather/__init__.py")),
    ("weather/agent.py", include_str!("template/weather/agent.py")),
];

/// The most existing names in the error message.
const NAMED: usize = 5;

/// What [`init`] wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// The folder.
    pub folder: PathBuf,
    /// The files, as paths in that folder.
    pub files: Vec<PathBuf>,
}

/// Why the files were not written, or only some of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// The folder is not empty.
    #[error(
        "{} is not empty: {} {} in the way. Nothing was written; use an empty or a new folder, \
         such as `rehearsal init my-agents`",
        folder.display(),
        list(names, *more),
        if names.len() + more == 1 { "is" } else { "are" }
    )]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
        /// The first few names in it, sorted.
        names: Vec<String>,
        /// The number of other names.
        more: usize,
    },
    /// The path is a file.
    #[error("{} is a file, not a folder", path.display())]
    NotAFolder {
        /// As given.
        path: PathBuf,
    },
    /// An error of the operating system.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Writes a commented `rehearsal.toml` and an example ADK agent into `folder`, which must be empty
/// or not exist. A `.git` folder is ignored.
///
/// # Errors
/// The folder is not empty, or cannot be written.
pub fn init(folder: &Path) -> Result<Created, InitError> {
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |source| InitError::Io { path, source }
    };
    if folder.is_file() {
        return Err(InitError::NotAFolder { path: folder.to_path_buf() });
    }
    fs::create_dir_all(folder).map_err(at(folder))?;
    require_empty(folder)?;
    let mut files = Vec::with_capacity(FILES.len());
    for (name, text) in FILES {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(at(parent))?;
        fs::write(&path, text).map_err(at(&path))?;
        files.push(PathBuf::from(name));
    }
    Ok(Created { folder: folder.to_path_buf(), files })
}

fn require_empty(folder: &Path) -> Result<(), InitError> {
    let io = |source| InitError::Io { path: folder.to_path_buf(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        let name = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
        if name != ".git" {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    names.sort();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    Err(InitError::NotEmpty { folder: folder.to_path_buf(), names, more })
}

fn list(names: &[String], more: usize) -> String {
    let named = names.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{AgentSourceConfig, Config, Overrides};

    #[test]
    fn writes_a_configuration_that_loads() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let created = init(&folder.path().join("new"))?;
        let file = created.folder.join("rehearsal.toml");
        let text = fs::read_to_string(&file)?;
        let schema = text.lines().next().and_then(|line| line.strip_prefix("#:schema ./"));
        let schema = fs::read_to_string(created.folder.join(schema.unwrap_or_default()))?;
        assert!(schema.contains("\"$schema\""), "editors find the schema: {schema:.80}");
        let config = Config::from_text(&text, &file, &Overrides::default(), &["math"])?;
        let names: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["Weather", "Maths"]);
        let AgentSourceConfig::AdkPython { folder, .. } = &config.agents[0].source else {
            panic!("the first agent is ADK's");
        };
        assert!(created.folder.join(folder).join("agent.py").is_file());
        Ok(())
    }

    #[test]
    fn keys_in_comments_are_valid() -> Result<(), Box<dyn std::error::Error>> {
        // Every `# key = value` and `# [table]` becomes a line of the file.
        let uncommented: String = FILES[0]
            .1
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if rest.contains(" = ") || rest.starts_with('[') => rest,
                _ => line,
            })
            .flat_map(|line| [line, "\n"])
            .collect();
        assert!(uncommented.contains("\nlisten = ") && uncommented.contains("\n[security]\n"));
        let config =
            Config::from_text(&uncommented, Path::new("r.toml"), &Overrides::default(), &["math"])?;
        assert_eq!(config.security.allowed_origins[0].as_str(), "http://127.0.0.1:8080");
        assert_eq!(
            config.agents[0].eval_set_path,
            Path::new("weather/weather_evals.evalset.json"),
            "the comment gives the default"
        );
        Ok(())
    }

    #[test]
    fn rejects_a_folder_that_is_not_empty() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join(".git"))?;
        for name in ["b.txt", "a.txt"] {
            fs::write(folder.path().join(name), "mine")?;
        }
        let error = init(folder.path()).expect_err("two files are in the way");
        let actual = error.to_string();
        assert!(actual.contains("a.txt, b.txt are in the way"), "{actual}");
        assert!(!folder.path().join("rehearsal.toml").exists());
        Ok(())
    }

    #[test]
    fn accepts_a_new_git_repository() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join(".git"))?;
        assert_eq!(init(folder.path())?.files.len(), FILES.len());
        Ok(())
    }

    #[test]
    fn rejects_a_file() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("notes");
        fs::write(&path, "")?;
        assert!(matches!(init(&path), Err(InitError::NotAFolder { .. })));
        Ok(())
    }
}
