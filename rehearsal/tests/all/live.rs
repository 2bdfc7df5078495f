//! Live sessions over real sockets: agents, people and watchers against a real host.

mod lists;
mod people;
mod refusals;
mod restarts;
pub(crate) mod stage;
mod turns;
mod watching;
mod web;
