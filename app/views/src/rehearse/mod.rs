//! The workspace of an agent, and the views of a session under way.

pub mod agent_filters;
pub mod artifacts;
pub mod content_pane;
pub mod export_panel;
pub mod facts;
pub mod history;
pub mod initial_state;
pub mod instructions;
pub mod linked_resource;
pub mod log_panel;
pub mod notices;
pub mod query_panel;
pub mod replay_strip;
pub mod respond_panel;
pub mod right_panel;
pub mod session;
pub mod slow_load;
pub mod start_over;
pub mod state;
pub mod stored_result_pane;
pub mod tool_panel;
pub mod workspace;
pub mod workspace_head;
pub mod workspace_keys;
