//! Real agents of google-adk in real runs.

mod canaries;
mod python_runs;
