//! Access control: logins, tokens, rejected requests, and the audit log.

mod audit;
mod base_path;
mod callers;
mod connections;
mod origins;
mod rules;
mod sockets;
mod stage;
mod streams;
mod tokens;
