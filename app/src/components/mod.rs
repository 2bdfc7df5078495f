//! What draws. Small parts first, then the parts of a rehearsal, then what lies around the page.

pub mod copy_button;
pub mod dialog;
pub mod filter_box;
pub mod icon;
pub mod tokens;

pub mod form;

pub mod raw_text;
pub mod value;
pub mod value_pane;

pub mod content_pane;
pub mod held_pane;

pub mod steps;

pub mod evalset;
pub mod live;
pub mod report;

pub mod export_panel;
pub mod facts;
pub mod history;
pub mod instructions;
pub mod keys;
pub mod log_panel;
pub mod markdown;
pub mod notices;
pub mod query_panel;
pub mod replay_strip;
pub mod respond_panel;
pub mod right_panel;
pub mod stage_head;
pub mod stage_keys;
pub mod start_over;
pub mod tool_catalogue;
pub mod tool_panel;

pub mod agent_card;
pub mod bars;
pub mod command_palette;
pub mod stage_title;
