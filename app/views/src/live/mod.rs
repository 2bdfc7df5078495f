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
mod stage;
pub mod state;
mod timeline;

pub use list::LiveSessions;
pub use stage::LiveSession;
