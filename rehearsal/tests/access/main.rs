//! Who may: logging in, tokens, that nothing is served to anybody else, and what is written down.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod audit;
mod doors;
mod sockets;
mod stage;
mod streams;
mod tokens;
