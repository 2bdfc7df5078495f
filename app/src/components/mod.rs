//! What pages and views draw with.

pub mod code_text;
pub mod copy_button;
pub mod dialog;
pub mod filter_box;
pub mod icon;
pub mod loading;
pub mod raw_text;
pub mod workspace_title;
