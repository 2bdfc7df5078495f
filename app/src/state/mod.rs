//! Reactive state: pure values made reactive by `use_*` functions that return small `Copy` structs.
//!
//! Values first (`preview`, `excerpt`, `rows`...), then what makes them reactive (`rehearsal`,
//! `agents`, `connection`...), then the bundle that the page hands down ([`Page`]).

pub mod agents;
pub mod browser;
pub mod case_edits;
pub mod catalogue;
pub mod clock;
pub mod connection;
pub mod live;
pub mod live_draft;
pub mod live_stage;
pub mod live_steps;
pub mod live_window;
pub mod log;
pub mod markdown;
pub mod opened_reports;
pub mod page;
pub mod palette;
pub mod placeholders;
pub mod reading;
pub mod rehearsal;
pub mod rehearsals;
pub mod replay;
pub mod report_desk;
pub mod rows;
pub mod stage;
pub mod theme;
pub mod times;
pub mod tool_content;
pub mod value_form;

pub use agents::Agents;
pub use connection::{Connection, Link};
pub use page::{Page, use_page};
pub use rehearsal::Rehearsal;
pub use rehearsals::Rehearsals;
pub use value_tree::{excerpt, preview};
