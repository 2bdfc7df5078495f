//! Real agents of google-adk in real runs.

mod canaries;
mod endings;
mod eval_sets;
mod models;
mod python_runs;
