//! [`SecurityConfig`]: allowed origins and trusted proxies.

use std::net::IpAddr;
use std::ops::Range;
use std::str::FromStr;

use super::error::ConfigError;
use super::file::SecurityTable;
use super::source_location::SourceLocation;

/// Origins that are allowed besides the host's own, and trusted proxies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecurityConfig {
    /// In the order of the file and then of the command line.
    pub allowed_origins: Vec<AllowedOrigin>,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<IpAddr>,
}

/// An origin as browsers send it: scheme, host and port, lower case, without a slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedOrigin(String);

impl SecurityConfig {
    pub(super) fn check(
        table: &SecurityTable,
        location: impl Fn(Range<usize>) -> SourceLocation,
    ) -> Result<Self, ConfigError> {
        let check = |written: &toml::Spanned<String>| {
            AllowedOrigin::parse(written.get_ref(), Some(&location(written.span())))
        };
        let allowed_origins = table.allowed_origins.iter().map(check).collect::<Result<_, _>>()?;
        Ok(Self { allowed_origins, trusted_proxies: table.trusted_proxies.clone() })
    }
}

impl AllowedOrigin {
    /// Rejects origins that no browser sends, because they would have no effect.
    fn parse(written: &str, location: Option<&SourceLocation>) -> Result<Self, ConfigError> {
        let origin = written.trim().to_lowercase();
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if host.is_some_and(is_host) {
            return Ok(Self(origin));
        }
        Err(ConfigError::NoOrigin {
            location: location.cloned().map(Box::new),
            written: written.to_owned(),
        })
    }

    /// The origin.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AllowedOrigin {
    type Err = ConfigError;

    fn from_str(written: &str) -> Result<Self, ConfigError> {
        Self::parse(written, None)
    }
}

impl From<AllowedOrigin> for String {
    fn from(origin: AllowedOrigin) -> Self {
        origin.0
    }
}

fn is_host(text: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-_:[]".contains(character);
    !text.is_empty() && text.chars().all(plain)
}
