//! [`note_line!`]: a line on standard error.

use std::fmt::Display;

/// Writes a line to standard error, in which characters that reorder or hide text are written as
/// escapes. If nobody reads it any more, the work goes on without it.
macro_rules! note_line {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let line = format!($($part)*);
        let line = json_text::written_out::written_out(&line, json_text::written_out::Lines::Kept);
        let _ = writeln!(std::io::stderr(), "{line}");
    }};
}

pub(crate) use note_line;

/// Writes the error with which a command ends to standard error, as [`note_line!`] does.
pub fn note_error(error: &dyn Display) {
    note_line!("error: {error}");
}
