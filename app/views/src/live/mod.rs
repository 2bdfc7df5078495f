//! Live sessions: the list, and one session with the model's input, its events and the response.

mod conversation;
mod dialogs;
mod event_row;
mod export;
mod head;
mod keys;
mod list;
mod list_rows;
mod list_state;
mod name;
mod part;
mod pending_calls;
mod request;
mod response;
pub mod state;
mod timeline;
mod workspace;

pub use list::LiveSessions;
pub use workspace::LiveSession;
