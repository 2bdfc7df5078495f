//! [`SecurityConfig`]: who may talk to the host besides its own page.

use std::ops::Range;

use super::error::ConfigError;
use super::file::SecurityTable;
use super::place::Place;

/// Origins that are allowed beyond the host's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecurityConfig {
    /// Origins as browsers send them: scheme, host and port, lower case, without a slash.
    pub allowed_origins: Vec<String>,
}

impl SecurityConfig {
    /// Checks each entry's shape: one that could never match would only look like protection.
    pub(super) fn check(
        table: &SecurityTable,
        place: impl Fn(Range<usize>) -> Place,
    ) -> Result<Self, ConfigError> {
        let mut security = Self::default();
        for origin in &table.allowed_origins {
            let written = origin.get_ref().to_lowercase();
            let host = written.strip_prefix("http://").or_else(|| written.strip_prefix("https://"));
            match host {
                Some(host) if is_host(host) => security.allowed_origins.push(written),
                _ => {
                    return Err(ConfigError::Malformed {
                        place: Box::new(place(origin.span())),
                        message: "an origin is a scheme, a host and perhaps a port, and nothing \
                                  after it: `http://127.0.0.1:8080`"
                            .to_owned(),
                    });
                }
            }
        }
        Ok(security)
    }
}

fn is_host(text: &str) -> bool {
    let plain = |character: char| character.is_ascii_alphanumeric() || ".-_:[]".contains(character);
    !text.is_empty() && text.chars().all(plain)
}
