//! What several areas draw: forms, values, Markdown, tools.

pub mod attention;
pub mod audio_player;
pub mod code;
pub mod columns;
pub mod compare_dialog;
pub mod comparison;
pub mod file_view;
pub mod folder_list;
pub mod form;
pub mod give_again;
pub mod keys;
pub mod markdown;
pub mod run_address;
pub mod shortcuts;
pub mod sort_head;
pub mod state;
pub mod steps;
pub mod tokens;
pub mod tool_catalog;
pub mod value;
pub mod value_pane;
