//! Reactive state: pure values made reactive by `use_*` functions that return small `Copy` structs.
//!
//! Values first (`preview`, `excerpt`, `rows`...), then what makes them reactive (`rehearsal`,
//! `agents`, `connection`...), then the bundle that the page hands down ([`Page`]). What only the views
//! of one area hold is in the crate `views`.

pub mod agents;
pub mod browser;
pub mod case_address;
pub mod clock;
pub mod connection;
pub mod file_bytes;
pub mod form;
pub mod in_address;
pub mod json_bytes;
pub mod latest;
pub mod live;
pub mod live_draft;
pub mod live_ending;
pub mod live_sweep;
pub mod log;
pub mod opened_reports;
pub mod page;
pub mod palette;
pub mod reading;
pub mod rehearsal;
pub mod rehearsals;
pub mod rows;
pub mod theme;
pub mod times;
pub mod tool_content;
pub mod unsaved;
pub mod value_form;

pub use agents::Agents;
pub use connection::{Connection, Link};
pub use page::{Page, use_page};
pub use rehearsal::Rehearsal;
pub use rehearsals::Rehearsals;
pub use value_tree::{excerpt, preview};
