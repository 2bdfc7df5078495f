//! `rehearsal backup` and `rehearsal restore`: what a host has stored, as a folder of complete copies.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use database_file::{CopyError, Lock, LockError, check, copy};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::note_line::note_line;
use crate::config::{Config, ConfigError, FILE_NAME, Overrides};

/// What describes the copies of a backup, in its folder.
const MANIFEST: &str = "backup.json";
/// The names of the copies.
const LIVE: &str = "live.sqlite";
const EVAL: &str = "eval.sqlite";
/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Arguments of `rehearsal backup`.
#[derive(Debug, Clone, Args)]
pub struct BackupArguments {
    /// The folder to create
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Where the files are.
    #[command(flatten)]
    pub stored: StoredArguments,
}

/// Arguments of `rehearsal restore`.
#[derive(Debug, Clone, Args)]
pub struct RestoreArguments {
    /// The folder that `rehearsal backup` wrote
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Replace files that exist; each is kept beside the restored one
    #[arg(long)]
    pub replace: bool,
    /// Restore the databases only: people and tokens stay as this host's configuration has them
    #[arg(long)]
    pub keep_configuration: bool,
    /// Where the files are.
    #[command(flatten)]
    pub stored: StoredArguments,
}

/// Where a host stores its files.
#[derive(Debug, Clone, Default, Args)]
pub struct StoredArguments {
    /// The configuration, which says where live sessions are stored
    #[arg(long, env = "REHEARSAL_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The SQLite file of live sessions [default: that of the configuration, or .rehearsal/live.sqlite]
    #[arg(long, env = "REHEARSAL_LIVE_DATABASE", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub live_database: Option<PathBuf>,
    /// The SQLite file of eval runs
    #[arg(long, value_name = "FILE", default_value = ".rehearsal/eval.sqlite", value_hint = ValueHint::FilePath)]
    pub store: PathBuf,
}

/// A file that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Where it was.
    pub from: PathBuf,
    /// Where it is now.
    pub to: PathBuf,
    /// Where the file is that was at `to` before.
    pub replaced: Option<PathBuf>,
}

/// The manifest of a backup.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    /// The version of the program that wrote it.
    version: String,
    /// When it was written, in RFC 3339.
    created_at: String,
    /// The SHA-256 of each copy in hexadecimal digits, by its name.
    files: BTreeMap<String, String>,
}

/// Why nothing was backed up or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// The configuration cannot be read.
    #[error("{0}. Without a configuration, name the database with --live-database")]
    Config(#[from] ConfigError),
    /// A copy failed, or is damaged.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The folder of the backup exists.
    #[error("{} exists: choose another folder for the backup", .0.display())]
    Exists(PathBuf),
    /// An earlier backup did not end.
    #[error("{} is left of a backup that was interrupted: delete it and run the command again", .0.display())]
    Interrupted(PathBuf),
    /// There is nothing to back up.
    #[error("there is nothing to back up: neither {}, nor {}, nor a configuration exists", live.display(), eval.display())]
    Nothing {
        /// The live sessions.
        live: PathBuf,
        /// The eval runs.
        eval: PathBuf,
    },
    /// The folder is not a backup.
    #[error("{} is not a complete backup: {cause}", folder.display())]
    NotABackup {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        cause: String,
    },
    /// A newer version of the program wrote the backup.
    #[error(
        "the backup was written by rehearsal {by}, and this is {VERSION}: restore it with {by} or a newer version"
    )]
    Newer {
        /// That version.
        by: String,
    },
    /// A copy is not what was backed up.
    #[error("{} is not the file that was backed up: its SHA-256 differs. Nothing was restored", .0.display())]
    Changed(PathBuf),
    /// A file would be replaced.
    #[error("{} exists: with --replace it is kept under another name. Nothing was restored", .0.display())]
    Replaces(PathBuf),
    /// A host is running.
    #[error("a host uses {}: stop it first. Nothing was restored", .0.display())]
    InUse(PathBuf),
    /// A run is stored there now.
    #[error("`rehearsal eval` writes {}: wait until the run ends, or stop it. Nothing was restored", .0.display())]
    RunInUse(PathBuf),
    /// A file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        cause: io::Error,
    },
}

/// The error of the file at `path`.
fn of(path: &Path) -> impl Fn(io::Error) -> BackupError {
    let path = path.to_owned();
    move |cause| BackupError::File { path: path.clone(), cause }
}

impl StoredArguments {
    fn live(&self) -> Result<PathBuf, BackupError> {
        match &self.live_database {
            Some(database) => Ok(database.clone()),
            None => {
                let overrides = Overrides { config: self.config.clone(), ..Overrides::default() };
                Ok(Config::load(&overrides, &super::example_names())?.live.database)
            }
        }
    }

    fn config(&self) -> &Path {
        self.config.as_deref().unwrap_or(Path::new(FILE_NAME))
    }
}

/// Writes the databases and the configuration into a new folder. A host may run meanwhile.
///
/// # Errors
/// [`BackupError`]. The folder does not exist then.
pub async fn back_up(arguments: &BackupArguments) -> Result<Vec<Copied>, BackupError> {
    let BackupArguments { folder, stored } = arguments;
    // Without a slash at its end, the unfinished copy is beside it.
    let folder = &folder.components().collect::<PathBuf>();
    let databases = [(stored.live()?, LIVE), (stored.store.clone(), EVAL)];
    if folder.exists() {
        return Err(BackupError::Exists(folder.clone()));
    }
    let partial = with_suffix(folder, ".partial");
    if partial.exists() {
        return Err(BackupError::Interrupted(partial));
    }
    if !databases.iter().any(|(path, _)| path.is_file()) && !stored.config().is_file() {
        let [(live, _), (eval, _)] = databases;
        return Err(BackupError::Nothing { live, eval });
    }
    private_files::make_folder(&partial).map_err(of(&partial))?;
    let written = fill(&partial, &databases, stored.config()).await;
    let renamed = match &written {
        Ok(_) => fs::rename(&partial, folder).map_err(of(folder)),
        Err(_) => Ok(()),
    };
    if written.is_err() || renamed.is_err() {
        // The error says what went wrong; what is left is named by the next backup.
        let _ = fs::remove_dir_all(&partial);
    }
    let copied = written?;
    renamed?;
    let place =
        |(from, name): (PathBuf, String)| Copied { from, to: folder.join(name), replaced: None };
    Ok(copied.into_iter().map(place).collect())
}

/// Writes the copies and their manifest, and returns what was copied under which name.
async fn fill(
    folder: &Path,
    databases: &[(PathBuf, &str)],
    config: &Path,
) -> Result<Vec<(PathBuf, String)>, BackupError> {
    let mut copied = Vec::new();
    let mut files = BTreeMap::new();
    for (from, name) in databases.iter().filter(|(from, _)| from.is_file()) {
        let to = folder.join(name);
        copy(from, &to).await?;
        check(&to).await?;
        files.insert((*name).to_owned(), digest(&to)?);
        copied.push((from.clone(), (*name).to_owned()));
    }
    if config.is_file() {
        let to = folder.join(FILE_NAME);
        copy_file(config, &to)?;
        files.insert(FILE_NAME.to_owned(), digest(&to)?);
        copied.push((config.to_owned(), FILE_NAME.to_owned()));
    }
    let created_at = jiff::Timestamp::now().to_string();
    let manifest = Manifest { version: VERSION.to_owned(), created_at, files };
    let path = folder.join(MANIFEST);
    let text = serde_json::to_string_pretty(&manifest).map_err(|error| of(&path)(error.into()))?;
    fs::write(&path, text).map_err(of(&path))?;
    File::open(&path).and_then(|file| file.sync_all()).map_err(of(&path))?;
    Ok(copied)
}

/// Puts the copies of a backup in their places. No host may run.
///
/// # Errors
/// [`BackupError`]. Everything is checked before anything is restored.
pub async fn restore(arguments: &RestoreArguments) -> Result<Vec<Copied>, BackupError> {
    let RestoreArguments { folder, replace, keep_configuration, stored } = arguments;
    let mut manifest = manifest(folder)?;
    if *keep_configuration {
        manifest.files.remove(FILE_NAME);
    }
    if numbers(&manifest.version) > numbers(VERSION) {
        return Err(BackupError::Newer { by: manifest.version });
    }
    let config = stored.config().to_owned();
    let returning = match manifest.files.contains_key(FILE_NAME) {
        true => returning(&folder.join(FILE_NAME), &config),
        false => Vec::new(),
    };
    // The configuration of the backup takes effect when it is restored.
    let live = match &stored.live_database {
        None if manifest.files.contains_key(FILE_NAME) => {
            let overrides =
                Overrides { config: Some(folder.join(FILE_NAME)), ..Overrides::default() };
            Config::load(&overrides, &super::example_names())?.live.database
        }
        _ => stored.live()?,
    };
    let places = [(LIVE, live.clone()), (EVAL, stored.store.clone()), (FILE_NAME, config)];
    let places: Vec<_> =
        places.into_iter().filter(|(name, _)| manifest.files.contains_key(*name)).collect();
    for (name, to) in &places {
        let from = folder.join(name);
        if manifest.files.get(*name) != Some(&digest(&from)?) {
            return Err(BackupError::Changed(from));
        }
        if *name != FILE_NAME {
            check(&from).await?;
        }
        if to.exists() && !replace {
            return Err(BackupError::Replaces(to.clone()));
        }
        if let Some(parent) = to.parent() {
            private_files::make_folder(parent).map_err(of(parent))?;
        }
    }
    let locked = places.iter().any(|(name, _)| *name == LIVE).then(|| Lock::take(&live));
    let _lock = locked.transpose().map_err(|error| match error {
        LockError::InUse => BackupError::InUse(live.clone()),
        LockError::Unreachable(cause) => of(&live)(cause),
    })?;
    if places.iter().any(|(name, _)| *name == EVAL) && is_written_by_a_run(&stored.store) {
        return Err(BackupError::RunInUse(stored.store.clone()));
    }
    let mut copies = Vec::new();
    for (name, to) in places {
        copies.push((folder.join(name), with_suffix(&to, ".restoring"), to));
    }
    // A full disk shows here, before anything is changed.
    let copied = copies.iter().try_for_each(|(from, new, _)| {
        let _ = fs::remove_file(new);
        copy_file(from, new)
    });
    if copied.is_err() {
        copies.iter().for_each(|(_, new, _)| drop(fs::remove_file(new)));
    }
    copied?;
    let mut restored = Vec::new();
    for (from, new, to) in copies {
        let replaced = set_aside(&to)?;
        fs::rename(&new, &to).map_err(of(&to))?;
        restored.push(Copied { from, to, replaced });
    }
    if !returning.is_empty() {
        note_line!(
            "warning: the restored configuration lets in again what the one before did not: {}. Remove what should \
             stay out, or restore with --keep-configuration",
            returning.join(", ")
        );
    }
    Ok(restored)
}

/// The people and tokens of a configuration that the current one does not have; none if one of them cannot be read.
fn returning(restored: &Path, current: &Path) -> Vec<String> {
    let access = |path: &Path| {
        let overrides = Overrides { config: Some(path.to_owned()), ..Overrides::default() };
        Config::load(&overrides, &super::example_names()).ok().map(|config| config.access)
    };
    let (Some(restored), Some(current)) = (access(restored), access(current)) else {
        return Vec::new();
    };
    restored.not_in(&current)
}

/// Whether a run is being stored in this file: it has a lock beside it, `eval.sqlite.run-1`.
fn is_written_by_a_run(store: &Path) -> bool {
    let Some(name) = store.file_name() else { return false };
    let lock = format!("{}.run-", name.to_string_lossy());
    let folder = store.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    let beside = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut locks = beside.filter(|it| it.file_name().to_string_lossy().starts_with(&lock));
    locks.any(|it| {
        let file = File::open(it.path());
        file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    })
}

fn manifest(folder: &Path) -> Result<Manifest, BackupError> {
    let not_a_backup = |cause: String| BackupError::NotABackup { folder: folder.to_owned(), cause };
    let text = fs::read_to_string(folder.join(MANIFEST))
        .map_err(|error| not_a_backup(format!("{MANIFEST}: {error}")))?;
    let manifest: Manifest = serde_json::from_str(&text)
        .map_err(|error| not_a_backup(format!("{MANIFEST}: {error}")))?;
    if manifest.files.is_empty() {
        return Err(not_a_backup(format!("{MANIFEST} names no files")));
    }
    Ok(manifest)
}

/// Renames a file that is about to be replaced, with SQLite's files beside it, which belong to no other. They may be
/// there without the file, and SQLite would then apply them to the restored one.
fn set_aside(path: &Path) -> Result<Option<PathBuf>, BackupError> {
    let mut is_found = false;
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let aside = with_suffix(path, &format!(".before-{now}"));
    for end in ["-wal", "-shm", ""] {
        let (from, to) = (with_suffix(path, end), with_suffix(&aside, end));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            renamed => {
                renamed.map_err(of(&from))?;
                is_found = true;
            }
        }
    }
    Ok(is_found.then_some(aside))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Copies a file into a new one that only its owner can read, and waits for the disk.
fn copy_file(from: &Path, to: &Path) -> Result<(), BackupError> {
    let mut source = File::open(from).map_err(of(from))?;
    let mut target = private_files::open_file(to).map_err(of(to))?;
    io::copy(&mut source, &mut target).and_then(|_| target.sync_all()).map_err(of(to))
}

fn digest(path: &Path) -> Result<String, BackupError> {
    let mut file = File::open(path).map_err(of(path))?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece).map_err(of(path))? {
            0 => break,
            length => hash.update(&piece[..length]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The numbers of a version, for comparison.
fn numbers(version: &str) -> Vec<u64> {
    version.split(['.', '-']).map_while(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_being_stored_is_found_by_its_lock() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("eval.sqlite");
        let run = File::create(folder.path().join("eval.sqlite.run-7")).expect("made");
        assert!(!is_written_by_a_run(&store));
        run.lock().expect("locked");
        assert!(is_written_by_a_run(&store));
        assert!(!is_written_by_a_run(&folder.path().join("other.sqlite")));
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("0.10.0") > numbers("0.9.3"));
        assert!(numbers("1.0.0-beta.1") >= numbers("1.0.0"));
        assert_eq!(numbers("0.1.0"), [0, 1, 0]);
    }
}
