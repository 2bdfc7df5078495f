//! `rehearsal user add` and `rehearsal token add`: write people and tokens to the configuration and
//! keep its comments.

use std::fs;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueHint};
use live::DisplayName;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::config::{FILE_NAME, SourceLocation};
use rehearsal_server::access::{FreshToken, SecretHash};

/// The shortest accepted password.
const SHORTEST: usize = 8;

/// Commands of `rehearsal user`.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Add a person, or replace the password
    #[command(after_help = "\
The command prompts for the password, or reads it from standard input if that is not a terminal.
The entry is added to the configuration, which keeps its comments; without one it is printed.

Examples:
  rehearsal user add Ann
  pass show rehearsal | rehearsal user add Ann --config team/rehearsal.toml")]
    Add(CredentialArguments),
}

/// Commands of `rehearsal token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token
    #[command(after_help = "\
The token is printed once; the configuration gets its hash. A name may have several tokens.

Examples:
  rehearsal token add nightly-agents
  export REHEARSAL_TOKEN=$(rehearsal token add nightly-agents)")]
    Add(CredentialArguments),
}

/// Arguments of `rehearsal user add` and `rehearsal token add`.
#[derive(Debug, Clone, Args)]
pub struct CredentialArguments {
    /// The name in responses and in the audit log
    pub name: String,
    /// The configuration
    #[arg(long, env = "REHEARSAL_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
}

/// Where an entry was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// To this file.
    Written {
        /// The file.
        path: PathBuf,
        /// Whether the name existed already.
        replaced: bool,
    },
    /// The file does not exist. This is the text to put into it.
    Printed(String),
}

/// Why nothing was added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// The name is not valid.
    #[error("the name {}", .0.rule)]
    Name(live::Invalid),
    /// The password is too short.
    #[error("a password needs at least {SHORTEST} characters, but this one has {0}")]
    Short(usize),
    /// The two passwords differ.
    #[error("the two passwords differ, so nothing was changed")]
    Differ,
    /// The password cannot be read.
    #[error("the password cannot be read: {0}")]
    Password(#[source] io::Error),
    /// The secret cannot be hashed.
    #[error("the secret cannot be hashed: {0}")]
    Hash(argon2::password_hash::Error),
    /// The file is not valid TOML.
    #[error("{location}: the file cannot be edited: {message}\n{}", location.excerpt())]
    Malformed {
        /// Where.
        location: Box<SourceLocation>,
        /// The parser's message.
        message: String,
    },
    /// A key has a value of the wrong type.
    #[error("{} cannot be edited: `{key}` must be written as [[{key}]]", path.display())]
    NotTables {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
    /// The file cannot be read or written.
    #[error("cannot edit {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Prompts for a password, twice; reads one line if standard input is not a terminal.
///
/// # Errors
/// [`CredentialError`] if it cannot be read, or the two differ.
pub fn read_password(name: &str) -> Result<String, CredentialError> {
    if !io::stdin().is_terminal() {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map_err(CredentialError::Password)?;
        return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
    }
    let ask =
        |prompt: String| rpassword::prompt_password(prompt).map_err(CredentialError::Password);
    let first = ask(format!("Password for {name}: "))?;
    let second = ask("Repeat the password: ".to_owned())?;
    if first == second { Ok(first) } else { Err(CredentialError::Differ) }
}

/// Adds a person, or replaces the password.
///
/// # Errors
/// [`CredentialError`]; then nothing was changed.
pub fn add_user(arguments: &CredentialArguments, password: &str) -> Result<Added, CredentialError> {
    let name = DisplayName::given(&arguments.name).map_err(CredentialError::Name)?;
    let length = password.chars().count();
    if length < SHORTEST {
        return Err(CredentialError::Short(length));
    }
    let hash = SecretHash::of(password).map_err(CredentialError::Hash)?;
    let mut entry = Table::new();
    entry.insert("name", value(name.as_str()));
    entry.insert("password", value(hash.as_str()));
    put(arguments, "person", entry, true)
}

/// Creates a token; returns it with the location of its hash.
///
/// # Errors
/// [`CredentialError`]; then nothing was changed.
pub fn add_token(arguments: &CredentialArguments) -> Result<(String, Added), CredentialError> {
    let name = DisplayName::given(&arguments.name).map_err(CredentialError::Name)?;
    let fresh = FreshToken::new().map_err(CredentialError::Hash)?;
    let mut entry = Table::new();
    entry.insert("name", value(name.as_str()));
    entry.insert("id", value(&fresh.id));
    entry.insert("hash", value(fresh.hash.as_str()));
    Ok((fresh.token, put(arguments, "token", entry, false)?))
}

fn put(
    arguments: &CredentialArguments,
    key: &'static str,
    entry: Table,
    replaces: bool,
) -> Result<Added, CredentialError> {
    let path = arguments.config.clone().unwrap_or_else(|| PathBuf::from(FILE_NAME));
    if arguments.config.is_none() && !path.is_file() {
        let mut document = DocumentMut::new();
        let mut tables = ArrayOfTables::new();
        tables.push(entry);
        document.insert(key, Item::ArrayOfTables(tables));
        return Ok(Added::Printed(document.to_string()));
    }
    let failed = |source| CredentialError::Io { path: path.clone(), source };
    let text = fs::read_to_string(&path).map_err(failed)?;
    let malformed = |fault: toml_edit::TomlError| CredentialError::Malformed {
        location: Box::new(SourceLocation::of(&path, &text, fault.span().unwrap_or(0..0))),
        message: fault.message().to_owned(),
    };
    let mut document: DocumentMut = text.parse().map_err(malformed)?;
    let tables = document.entry(key).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let not_tables = || CredentialError::NotTables { path: path.clone(), key };
    let tables = tables.as_array_of_tables_mut().ok_or_else(not_tables)?;
    let name = entry.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
    let is_named = |table: &Table| table.get("name").and_then(Item::as_str) == Some(name.as_str());
    let known = tables.iter().position(is_named).filter(|_| replaces);
    let replaced = known.is_some();
    match known.and_then(|place| tables.get_mut(place)) {
        Some(known) => {
            for (key, item) in entry {
                known.insert(&key, item);
            }
        }
        None => tables.push(entry),
    }
    write(&path, &document.to_string()).map_err(failed)?;
    Ok(Added::Written { path, replaced })
}

/// Replaces a file atomically. It contains hashes of passwords now, so only its owner has access.
fn write(path: &Path, text: &str) -> io::Result<()> {
    // Follows links to the file itself.
    let path = fs::canonicalize(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    fresh.write_all(text.as_bytes())?;
    fresh.as_file().sync_all()?;
    fresh.persist(&path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(config: &Path) -> CredentialArguments {
        CredentialArguments { name: "Ann".to_owned(), config: Some(config.to_owned()) }
    }

    #[test]
    fn keeps_comments_and_replaces_a_person_with_the_same_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rehearsal.toml");
        let before =
            "# Ours.\nlisten = \"127.0.0.1:0\" # free\n\n[[agent]] # the first\nname = \"A\"\n";
        fs::write(&path, before).expect("writes");
        let added = add_user(&arguments(&path), "correct horse").expect("adds");
        assert_eq!(added, Added::Written { path: path.clone(), replaced: false });
        let first = fs::read_to_string(&path).expect("reads");
        assert!(first.starts_with(before), "{first}");
        assert!(first.contains("[[person]]\nname = \"Ann\"\npassword = \"$argon2id$"), "{first}");
        let again = add_user(&arguments(&path), "battery staple").expect("replaces");
        assert_eq!(again, Added::Written { path: path.clone(), replaced: true });
        let second = fs::read_to_string(&path).expect("reads");
        assert_eq!(second.matches("[[person]]").count(), 1);
        assert_ne!(first, second);
        let (token, _) = add_token(&arguments(&path)).expect("adds");
        let (other, _) = add_token(&arguments(&path)).expect("adds");
        assert_ne!(token, other);
        let third = fs::read_to_string(&path).expect("reads");
        assert_eq!(third.matches("[[token]]").count(), 2);
        assert!(!third.contains(&token), "the hash alone is kept");
    }

    #[test]
    fn rejects_invalid_input_without_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rehearsal.toml");
        fs::write(&path, "person = 3\n").expect("writes");
        let short = add_user(&arguments(&path), "short").expect_err("short");
        assert_eq!(short.to_string(), "a password needs at least 8 characters, but this one has 5");
        let no_tables = add_user(&arguments(&path), "correct horse").expect_err("a number");
        assert!(no_tables.to_string().ends_with("`person` must be written as [[person]]"));
        let nameless = CredentialArguments { name: " ".to_owned(), config: Some(path.clone()) };
        assert!(matches!(add_token(&nameless), Err(CredentialError::Name(_))));
        assert_eq!(fs::read_to_string(&path).expect("reads"), "person = 3\n");
        fs::write(&path, "[[token]]\nhasj = \"$argon2id$s3cret\n").expect("writes");
        let malformed = add_token(&arguments(&path)).expect_err("not TOML").to_string();
        assert!(malformed.contains("rehearsal.toml:2:"), "{malformed}");
        assert!(malformed.contains("| hasj = …") && !malformed.contains("s3cret"), "{malformed}");
    }
}
