//! Live sessions: agents that run elsewhere send requests, people respond, and every event is
//! stored.
//!
//! [`LiveSessions`] is the interface for the gRPC service, the model endpoints and the page. Behind
//! it one task, the ledger, decides every command by the rules of `live` and stores the events
//! before anyone sees them (`docs/design/live-sessions.md`).

mod active_session;
mod answer_format;
mod clock;
mod commands;
#[cfg(test)]
mod deletion_tests;
mod error;
mod feed;
mod files;
mod ledger;
mod ledger_requests;
mod page_dto;
mod page_updates;
mod pages;
mod proto;
mod retention;
mod rows;
mod service;
mod sessions;
mod status;
mod streams;
#[cfg(test)]
mod tests;
mod tool_choice;
mod turn;

pub(crate) use clock::now;
pub(crate) use commands::AgentRequest;
pub(crate) use error::LiveError;
pub(crate) use files::FILES_ROUTE;
pub(crate) use page_updates::PageUpdates;
pub(crate) use pages::LivePages;
pub use retention::Retention;
pub(crate) use service::LiveGrpc;
pub use sessions::{DEFAULT_DATABASE, LiveSessions, PaceError};
pub(crate) use turn::KnownTurn;
