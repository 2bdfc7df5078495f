//! The integration tests of this crate in one program, which builds faster than one for each file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod access;
mod adk_folder;
mod backup;
mod diagnosing;
mod doctor;
mod documented_forks;
mod endpoints;
mod eval_people;
mod evalsets;
mod evaluating;
mod linting;
mod live;
mod live_faults;
mod rehearsing;
mod reload;
mod runs;
mod scoring;
mod serving;
