//! The integration tests of this crate in one program, which builds faster than one for each file.

mod adk_reads_it;
mod agentflow;
mod common;
mod conversion;
mod kept_fields;
mod mutants;
mod reading;
