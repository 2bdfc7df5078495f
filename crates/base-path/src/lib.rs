//! [`BasePath`]: the path below which a host is served, such as `/team` behind a proxy that serves
//! other things beside it.
//!
//! [`BasePath::serve`] takes it off each request, so that the host's routes do not know it.
//! What the host sends in bodies and cookies is left to the host.

mod serve;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The path below which a host is served: `/team`, `/tools/rehearsal`, or empty at the root.
///
/// Its segments consist of letters, digits and `-._~`, which are the same in addresses, HTML,
/// headers and cookies.
///
/// ```
/// use base_path::BasePath;
///
/// let base: BasePath = "team/".parse()?;
/// assert_eq!(base.as_str(), "/team");
/// assert_eq!(base.home(), "/team/");
/// # Ok::<(), base_path::InvalidBasePath>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BasePath(Arc<str>);

/// Why a text is not a base path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{written}` is not a base path, because {reason}: write a path such as /team or /tools/rehearsal"
)]
pub struct InvalidBasePath {
    written: String,
    reason: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Reason {
    Address,
    EmptySegment,
    DotSegment,
    Character(char),
}

impl BasePath {
    /// The path, without a slash at the end: `/team`, or empty at the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the host is served at the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path of the first page: `/team/`, or `/` at the root.
    #[must_use]
    pub fn home(&self) -> String {
        format!("{}/", self.0)
    }
}

impl FromStr for BasePath {
    type Err = InvalidBasePath;

    /// The slash at the start may be missing, and one may be at the end. Empty text and `/` are the
    /// root.
    fn from_str(written: &str) -> Result<Self, InvalidBasePath> {
        let invalid = |reason| InvalidBasePath { written: written.to_owned(), reason };
        if written.contains("://") {
            return Err(invalid(Reason::Address));
        }
        let path = written.strip_prefix('/').unwrap_or(written);
        let path = path.strip_suffix('/').unwrap_or(path);
        if path.is_empty() && written.len() < 2 {
            return Ok(Self::default());
        }
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "-._~".contains(it);
        for segment in path.split('/') {
            if let Some(odd) = segment.chars().find(|&it| !is_plain(it)) {
                return Err(invalid(Reason::Character(odd)));
            }
            match segment {
                "" => return Err(invalid(Reason::EmptySegment)),
                "." | ".." => return Err(invalid(Reason::DotSegment)),
                _ => {}
            }
        }
        Ok(Self(format!("/{path}").into()))
    }
}

impl fmt::Display for BasePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => formatter.write_str("it is a whole address"),
            Self::EmptySegment => formatter.write_str("it has a doubled slash"),
            Self::DotSegment => formatter.write_str("browsers resolve `.` and `..`"),
            Self::Character(' ') => formatter.write_str("it contains a space"),
            Self::Character(odd) => write!(formatter, "it contains `{}`", odd.escape_debug()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_the_slashes_at_both_ends() {
        for written in ["/team", "team", "/team/", "team/"] {
            assert_eq!(written.parse::<BasePath>().expect(written).as_str(), "/team");
        }
        assert_eq!("/a/b.c/~d_1".parse::<BasePath>().expect("two").as_str(), "/a/b.c/~d_1");
        for root in ["", "/"] {
            let root: BasePath = root.parse().expect("the root");
            assert!(root.is_root());
            assert_eq!(root.home(), "/");
        }
    }

    #[test]
    fn names_what_is_wrong_and_shows_a_valid_path() {
        for (written, reason) in [
            ("//", "doubled slash"),
            ("//team", "doubled slash"),
            ("/team//", "doubled slash"),
            ("/a//b", "doubled slash"),
            ("/a/../b", "`.` and `..`"),
            ("..", "`.` and `..`"),
            ("/./a", "`.` and `..`"),
            ("/team?x=1", "contains `?`"),
            ("/team#x", "contains `#`"),
            ("/my team", "contains a space"),
            (" /team", "contains a space"),
            ("/t%65am", "contains `%`"),
            ("/team\\a", "contains `\\\\`"),
            ("/tëam", "contains `ë`"),
            ("/a\"b", "contains `\\\"`"),
            ("https://rehearsal.example/team", "a whole address"),
        ] {
            let error = written.parse::<BasePath>().expect_err(written).to_string();
            assert!(error.contains(reason), "{error}");
            assert!(error.ends_with("such as /team or /tools/rehearsal"), "{error}");
        }
    }
}
