//! [`ListenAddress`]: the address to listen on, and the rule that public addresses require a login.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use super::error::ConfigError;
use super::source_location::SourceLocation;

/// The default address.
pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4180);

/// An address in one of these forms: `127.0.0.1:4180`, `localhost:4180`, `[::1]:4180` or `:4180`.
///
/// ```
/// use rehearsal::config::ListenAddress;
///
/// let address: ListenAddress = "localhost:4200".parse()?;
/// assert_eq!(address, "127.0.0.1:4200".parse()?);
/// # Ok::<(), rehearsal::config::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenAddress(SocketAddr);

impl ListenAddress {
    pub(super) fn parse(
        written: &str,
        location: Option<&SourceLocation>,
    ) -> Result<Self, ConfigError> {
        let trimmed = written.trim();
        let local = trimmed.strip_prefix("localhost:").or_else(|| trimmed.strip_prefix(':'));
        let address = match local {
            Some(port) => {
                port.parse().ok().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            }
            None => trimmed.parse().ok(),
        };
        address.map(Self).ok_or_else(|| ConfigError::NoAddress {
            location: location.cloned().map(Box::new),
            written: written.to_owned(),
        })
    }

    /// The address, unless other machines could reach it without a login.
    ///
    /// # Errors
    /// [`ConfigError::ListenNeedsAuthentication`].
    pub(super) fn checked(
        self,
        location: Option<&SourceLocation>,
        asked: bool,
    ) -> Result<SocketAddr, ConfigError> {
        if asked || self.0.ip().to_canonical().is_loopback() {
            return Ok(self.0);
        }
        Err(ConfigError::ListenNeedsAuthentication {
            location: location.cloned().map(Box::new),
            address: self.0,
        })
    }
}

impl FromStr for ListenAddress {
    type Err = ConfigError;

    fn from_str(written: &str) -> Result<Self, ConfigError> {
        Self::parse(written, None)
    }
}
