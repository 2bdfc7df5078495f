//! Real agents of google-adk in real runs.

mod canaries;
mod eval_sets;
mod models;
mod python_runs;
