//! Live sessions: agents that run elsewhere ask, people answer, and nothing is lost.
//!
//! [`LiveSessions`] is the way in, for the gRPC service and for the page alike.
//! Behind it one task, the ledger, judges every command by the rules of `live` and keeps what comes
//! of it before anyone is told (`docs/design/live-sessions.md`).

mod ask;
mod call_ids;
mod commands;
mod crossing;
mod error;
mod feed;
mod files;
mod ledger;
mod news;
mod pages;
mod room;
mod rows;
mod service;
mod sessions;
mod shapes;
mod status;
mod store;
mod streams;
#[cfg(test)]
mod tests;
mod tool_choice;
mod turn;

pub(crate) use call_ids::call_ids;
pub(crate) use crossing::exporter;
pub(crate) use error::LiveError;
pub(crate) use files::{FILES_ROUTE, answer as answer_with_file};
pub(crate) use news::PageNews;
pub(crate) use pages::LivePages;
pub(crate) use service::LiveGrpc;
pub use sessions::{DEFAULT_DATABASE, LiveSessions, PaceError};
pub(crate) use turn::KnownTurn;
