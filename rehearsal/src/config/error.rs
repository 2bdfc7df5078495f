//! [`ConfigError`]: why a configuration is invalid, with the location and what to do.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use json_text::{Terms, serde_message};

use super::source_location::SourceLocation;

/// Why a configuration cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Arc<std::io::Error>,
    },
    /// An unknown key.
    #[error(
        "{location}: `{key}` is not a known key{}\n{}\n  Known keys: {}",
        nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default(),
        location.excerpt(),
        known.join(", ")
    )]
    UnknownKey {
        /// The location.
        location: Box<SourceLocation>,
        /// The key.
        key: String,
        /// A known key with a similar name.
        nearest: Option<String>,
        /// The known keys.
        known: Vec<String>,
    },
    /// An unknown value.
    #[error(
        "{location}: `{value}` is not a known value{}\n{}\n  Known values: {}",
        nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default(),
        location.excerpt(),
        known.join(", ")
    )]
    UnknownValue {
        /// The location.
        location: Box<SourceLocation>,
        /// The value.
        value: String,
        /// A known value with a similar name.
        nearest: Option<String>,
        /// The known values.
        known: Vec<String>,
    },
    /// The text is not TOML, or a value is of the wrong type, or a key is missing.
    #[error("{location}: {message}\n{}", location.excerpt())]
    Malformed {
        /// The location.
        location: Box<SourceLocation>,
        /// The problem, and what to do.
        message: String,
    },
    /// The file names neither an agent nor a folder, nor a token with which live sessions are used.
    #[error(
        "{} contains no agent, no folder and no token: add an [[agent]] table, [folders], or a [[token]] for live sessions, or run `rehearsal init` in an empty folder for an example",
        path.display()
    )]
    NoAgents {
        /// The file.
        path: PathBuf,
    },
    /// A path on the command line does not exist, or cannot be read.
    #[error("the folder {} cannot be read: {source}. Check the path", path.display())]
    NoFolder {
        /// As given.
        path: PathBuf,
        /// Why.
        source: Arc<std::io::Error>,
    },
    /// A path on the command line is not a folder.
    #[error("{} is not a folder: use the folder of an ADK agent that `adk web` loads", path.display())]
    NotAFolder {
        /// As given.
        path: PathBuf,
    },
    /// A folder has no agent.
    #[error(
        "{} contains no agent: ADK looks for agent.py, __init__.py or root_agent.yaml in it and in its \
         subfolders",
        path.display()
    )]
    NoAgentInFolder {
        /// As given.
        path: PathBuf,
    },
    /// Two agents have the same name.
    #[error(
        "the agents `{first}` and `{second}` have the same name in addresses and eval ids (`{id}`): rename one of them"
    )]
    SameName {
        /// The earlier agent.
        first: String,
        /// The later agent.
        second: String,
        /// The name in snake case.
        id: String,
    },
    /// The text is not an address.
    #[error(
        "{}`{written}` is not an address to listen on: write an address and a port, such as 127.0.0.1:4180{}",
        before(location.as_deref()), below(location.as_deref())
    )]
    NoAddress {
        /// The location, if it is in a file.
        location: Option<Box<SourceLocation>>,
        /// As written.
        written: String,
    },
    /// The text is not an origin.
    #[error(
        "{}`{written}` is not an origin: write a scheme, a host and an optional port without a path, \
         such as http://127.0.0.1:8080{}",
        before(location.as_deref()), below(location.as_deref())
    )]
    NoOrigin {
        /// The location, if it is in a file.
        location: Option<Box<SourceLocation>>,
        /// As written.
        written: String,
    },
    /// Other machines can reach the address, and no login is configured.
    #[error(
        "{}listening on {address} requires a login, because anyone who can reach it could run this \
         machine's tools. Add people (`rehearsal user add NAME`), or listen on \
         127.0.0.1:{} and use an SSH tunnel (ssh -L {}:127.0.0.1:{} this-machine){}",
        before(location.as_deref()),
        address.port(), address.port(), address.port(),
        below(location.as_deref())
    )]
    ListenNeedsAuthentication {
        /// The location, if it is in a file.
        location: Option<Box<SourceLocation>>,
        /// The address.
        address: SocketAddr,
    },
}

impl ConfigError {
    /// Converts a parser error, which has only a text and a location.
    pub(super) fn from_toml(location: SourceLocation, message: &str) -> Self {
        let location = Box::new(location);
        if let Some(message) = misplaced_header(&location, message) {
            return Self::Malformed { location, message };
        }
        if let Some((key, known)) = unknown(message, "unknown field ") {
            let nearest = nearest(&key, &known);
            let location = Box::new(location.without_value());
            return Self::UnknownKey { location, key, nearest, known };
        }
        if let Some((value, known)) = unknown(message, "unknown variant ") {
            let nearest = nearest(&value, &known);
            return Self::UnknownValue { location, value, nearest, known };
        }
        let message = match message {
            // The parser's message for an invalid enum value.
            "wanted string or table" => "expected text".to_owned(),
            message => serde_message(message, Terms::TOML),
        };
        Self::Malformed { location, message }
    }
}

/// The message for `[agent]`, which must be a list of tables, and for `[[live]]`, which must not.
fn misplaced_header(location: &SourceLocation, message: &str) -> Option<String> {
    let (_, header) = location.text.split_at_checked(usize::try_from(location.column).ok()? - 1)?;
    match header.strip_prefix("[[") {
        Some(rest) => {
            let name = rest.split(']').next()?.trim();
            ["security", "live", "folders", "export"]
                .contains(&name)
                .then(|| format!("only one table of this name is allowed: write [{name}]"))
        }
        None if message == "invalid type: map, expected a sequence" => {
            let name = header.strip_prefix('[')?.split(']').next()?.trim();
            ["agent", "agent.server", "person", "token"]
                .contains(&name)
                .then(|| format!("this table is a list: write [[{name}]]"))
        }
        None => None,
    }
}

/// The prefix `rehearsal.toml:3:1: `, for a value in a file.
fn before(location: Option<&SourceLocation>) -> String {
    location.map(|location| format!("{location}: ")).unwrap_or_default()
}

/// The excerpt, for a value in a file.
fn below(location: Option<&SourceLocation>) -> String {
    location.map(|location| format!("\n{}", location.excerpt())).unwrap_or_default()
}

/// Parses serde's `unknown field `a`, expected one of `b`, `c``.
fn unknown(message: &str, opening: &str) -> Option<(String, Vec<String>)> {
    let mut quoted = message.strip_prefix(opening)?.split('`').skip(1).step_by(2);
    let written = quoted.next()?.to_owned();
    Some((written, quoted.map(str::to_owned).collect()))
}

/// The known name that is most similar to `written`.
pub(super) fn nearest<T: AsRef<str>>(written: &str, known: &[T]) -> Option<String> {
    const NEAR: f64 = 0.75;
    known
        .iter()
        .map(AsRef::as_ref)
        .map(|word| (strsim::jaro_winkler(&written.to_lowercase(), word), word))
        .filter(|(similarity, _)| *similarity >= NEAR)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, word)| word.to_owned())
}
