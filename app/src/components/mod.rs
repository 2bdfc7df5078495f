//! What draws. Small parts first, then the parts of a rehearsal, then what lies around the page.
//!
//! What only a scene draws is left out of the host, which paints none.

pub mod copy_button;
pub mod dialog;
#[cfg(any(not(feature = "ssr"), test))]
pub mod filter_box;
pub mod icon;
#[cfg(any(not(feature = "ssr"), test))]
pub mod sort_head;
#[cfg(any(not(feature = "ssr"), test))]
pub mod tokens;
pub mod told;

pub mod form;

pub mod raw_text;
#[cfg(any(not(feature = "ssr"), test))]
pub mod value;
#[cfg(any(not(feature = "ssr"), test))]
pub mod value_pane;

#[cfg(any(not(feature = "ssr"), test))]
pub mod folder_list;
#[cfg(any(not(feature = "ssr"), test))]
pub mod sound;

#[cfg(any(not(feature = "ssr"), test))]
pub mod code;
#[cfg(any(not(feature = "ssr"), test))]
pub mod content_pane;
#[cfg(any(not(feature = "ssr"), test))]
pub mod held_pane;

#[cfg(any(not(feature = "ssr"), test))]
pub mod steps;

#[cfg(any(not(feature = "ssr"), test))]
pub mod evalset;
#[cfg(any(not(feature = "ssr"), test))]
pub mod live;
#[cfg(any(not(feature = "ssr"), test))]
pub mod report;

#[cfg(any(not(feature = "ssr"), test))]
pub mod export_panel;
#[cfg(any(not(feature = "ssr"), test))]
pub mod facts;
#[cfg(any(not(feature = "ssr"), test))]
pub mod history;
#[cfg(any(not(feature = "ssr"), test))]
pub mod instructions;
#[cfg(any(not(feature = "ssr"), test))]
pub mod keys;
#[cfg(any(not(feature = "ssr"), test))]
pub mod log_panel;
#[cfg(any(not(feature = "ssr"), test))]
pub mod markdown;
#[cfg(any(not(feature = "ssr"), test))]
pub mod notices;
#[cfg(any(not(feature = "ssr"), test))]
pub mod query_panel;
#[cfg(any(not(feature = "ssr"), test))]
pub mod replay_strip;
#[cfg(any(not(feature = "ssr"), test))]
pub mod respond_panel;
#[cfg(any(not(feature = "ssr"), test))]
pub mod right_panel;
#[cfg(any(not(feature = "ssr"), test))]
pub mod stage_head;
#[cfg(any(not(feature = "ssr"), test))]
pub mod stage_keys;
#[cfg(any(not(feature = "ssr"), test))]
pub mod start_over;
#[cfg(any(not(feature = "ssr"), test))]
pub mod tool_catalogue;
#[cfg(any(not(feature = "ssr"), test))]
pub mod tool_panel;

pub mod agent_card;
pub mod bars;
pub mod command_palette;
pub mod stage_title;
