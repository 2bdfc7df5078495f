//! Live sessions over real sockets: agents, people and watchers against a real host.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod lists;
mod people;
mod refusals;
mod restarts;
mod stage;
mod turns;
mod watching;
mod web;
