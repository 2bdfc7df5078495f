//! What keeps the host from serving.

use std::net::SocketAddr;

/// Why the host did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not one of this machine's own.
    #[error(
        "refusing to serve {address}: whoever reaches it could run the agents' tools, and \
         nobody is asked who they are. Add people to rehearsal.toml (`rehearsal user add NAME`), or \
         use 127.0.0.1 and a tunnel"
    )]
    NotLoopback {
        /// The address asked for.
        address: SocketAddr,
    },
    /// The address cannot be bound.
    #[error("cannot serve {address}: {cause}. Is another host running there? Choose --listen")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// The operating system's reason.
        cause: std::io::Error,
    },
}
