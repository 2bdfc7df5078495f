//! The integration tests of this crate in one program, which builds faster than one for each file.

mod alignment;
mod criteria_page;
mod report;
mod schemas;
mod statistics;
mod vectors;
