//! The page's state: pure values (such as `rows` and `times`), and `use_*` functions that return
//! `Copy` structs of signals (such as `rehearsal` and `connection`).
//!
//! [`Page`] bundles what all pages share. The state of one area's views is in the crate `views`.

pub mod agent_list;
pub mod agents;
pub mod base_path;
pub mod browser;
pub mod case_address;
pub mod clock;
pub mod connection;
pub mod document_login;
pub mod draft_cleanup;
pub mod file_bytes;
pub mod form;
pub mod in_address;
pub mod json_bytes;
pub mod latest_request;
pub mod lazy_pages;
pub mod line_ends;
pub mod live;
pub mod live_draft;
pub mod live_ending;
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
pub mod typed_ahead;
pub mod unsaved;
pub mod value_form;

pub use agents::Agents;
pub use connection::{Connection, Link};
pub use page::{Page, use_page};
pub use rehearsal::Rehearsal;
pub use rehearsals::Rehearsals;
pub use value_tree::{excerpt, preview};
