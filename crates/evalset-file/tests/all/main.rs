//! The integration tests of this crate in one program, which builds faster than one for each file.

mod append;
mod checked;
mod common;
mod crash;
mod edit;
mod formats;
