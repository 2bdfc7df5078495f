//! The integration tests of this crate in one program, which builds faster than one for each file.

mod corpora;
mod dead;
mod filling;
mod history;
mod limits;
mod pasting;
mod round_trip;
mod small;
mod snapshots;
mod suite;
mod typist;
mod unions;
mod words;
