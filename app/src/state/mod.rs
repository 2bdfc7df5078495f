//! Reactive state: pure values made reactive by `use_*` functions that return small `Copy` structs.
//!
//! Values first (`preview`, `excerpt`, `rows`...), then what makes them reactive (`rehearsal`,
//! `agents`, `connection`...), then the bundle that the page hands down ([`Page`]). What only a scene
//! holds is left out of the host, which paints none.

pub mod agents;
pub mod browser;
pub mod case_address;
#[cfg(any(not(feature = "ssr"), test))]
pub mod case_edits;
#[cfg(any(not(feature = "ssr"), test))]
pub mod catalogue;
pub mod clock;
pub mod connection;
pub mod file_bytes;
pub mod in_address;
pub mod json_bytes;
pub mod latest;
pub mod live;
pub mod live_draft;
pub mod live_ending;
#[cfg(any(not(feature = "ssr"), test))]
pub mod live_stage;
#[cfg(any(not(feature = "ssr"), test))]
pub mod live_steps;
pub mod live_sweep;
#[cfg(any(not(feature = "ssr"), test))]
pub mod live_window;
pub mod log;
#[cfg(any(not(feature = "ssr"), test))]
pub mod markdown;
pub mod opened_reports;
pub mod page;
pub mod palette;
#[cfg(any(not(feature = "ssr"), test))]
pub mod placeholders;
pub mod reading;
pub mod rehearsal;
pub mod rehearsals;
#[cfg(any(not(feature = "ssr"), test))]
pub mod replay;
#[cfg(any(not(feature = "ssr"), test))]
pub mod report_desk;
pub mod rows;
#[cfg(any(not(feature = "ssr"), test))]
pub mod settled;
#[cfg(any(not(feature = "ssr"), test))]
pub mod stage;
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
