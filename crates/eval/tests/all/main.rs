//! Real agents of google-adk in real runs.

mod adk_oracle;
mod broken_runs;
mod broken_suites;
mod canaries;
mod concurrent_users;
mod endings;
mod eval_sets;
mod function_users;
mod functions;
mod interim_results;
mod isolation;
mod lossless_users;
mod mcp_subject;
mod mcp_toolsets;
mod mock_calls;
mod model_requests;
mod models;
mod played_by_models;
mod python_runs;
mod requests;
mod rubric_oracle;
mod silent_models;
mod stored_runs;
mod tool_faults;
mod user_parts;
mod wire;
