//! Errors that stop the host from starting.

use std::net::SocketAddr;

/// Why the host did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address does not belong to this machine.
    #[error(
        "cannot serve {address} without authentication: anyone who reaches it could run the \
         agents' tools. Add people to rehearsal.toml (`rehearsal user add NAME`), or listen on \
         127.0.0.1 and use a tunnel"
    )]
    NotLoopback {
        /// The requested address.
        address: SocketAddr,
    },
    /// The live sessions cannot be opened.
    #[error("{cause}")]
    LiveSessions {
        /// What failed, and what to do.
        cause: String,
    },
    /// The address cannot be bound.
    #[error("cannot serve {address}: {cause}. Is another host running there? Choose --listen")]
    Bind {
        /// The requested address.
        address: SocketAddr,
        /// The operating system's reason.
        cause: std::io::Error,
    },
}
