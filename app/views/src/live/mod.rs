//! Live sessions: the list of them, and one of them with what its model would see, its events and
//! the answer.

mod answer;
mod basket;
mod conversation;
mod dialogs;
mod event_row;
mod export;
mod head;
mod keys;
mod list;
mod name;
mod part;
mod request;
pub mod state;
mod timeline;
mod workspace;

pub use list::LiveSessions;
pub use workspace::LiveSession;
