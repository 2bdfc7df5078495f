//! Real agents of google-adk in real runs.

mod canaries;
mod models;
mod python_runs;
