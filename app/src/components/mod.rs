//! What the shell, the list of agents and the views draw with.

pub mod agent_card;
pub mod bars;
pub mod code_text;
pub mod command_palette;
pub mod copy_button;
pub mod dialog;
pub mod icon;
pub mod loading;
pub mod raw_text;
pub mod workspace_title;
