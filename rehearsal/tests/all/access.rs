//! Who may: logging in, tokens, that nothing is served to anybody else, and what is written down.

mod audit;
mod origins;
mod sockets;
mod stage;
mod streams;
mod tokens;
