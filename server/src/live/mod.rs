//! Live sessions: agents that run elsewhere ask, people answer, and nothing is lost.
//!
//! [`LiveSessions`] is the way in, for the gRPC service and for the page alike.
//! Behind it one task, the ledger, judges every command by the rules of `live` and keeps what comes
//! of it before anyone is told (`docs/design/live-sessions.md`).

mod active_session;
mod ask;
mod commands;
mod error;
mod feed;
mod files;
mod ledger;
mod news;
mod page_dto;
mod pages;
mod proto;
mod rows;
mod service;
mod sessions;
mod status;
mod store;
mod streams;
#[cfg(test)]
mod tests;
mod tool_choice;
mod turn;

pub(crate) use error::LiveError;
pub(crate) use files::{FILES_ROUTE, answer as answer_with_file};
pub(crate) use news::PageNews;
pub(crate) use pages::LivePages;
pub(crate) use service::LiveGrpc;
pub use sessions::{DEFAULT_DATABASE, LiveSessions, PaceError};
pub(crate) use turn::KnownTurn;
