//! [`note_line!`]: a line on standard error.

/// Writes a line to standard error. If nobody reads it any more, the work goes on without it.
macro_rules! note_line {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

pub(crate) use note_line;
