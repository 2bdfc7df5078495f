//! Real agents of google-adk in real runs.

mod canaries;
mod endings;
mod eval_sets;
mod functions;
mod models;
mod python_runs;
mod tool_faults;
