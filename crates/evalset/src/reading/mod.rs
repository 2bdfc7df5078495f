//! Reads eval sets, and reports every fault with its position.

mod case_fault;
mod cursor;
mod path;
mod reader;
mod surrogate;

pub use case_fault::{CaseFault, CaseLocation, Problem, Severity};
pub(crate) use cursor::Cursor;
pub use path::{PathSegment, path_of};
pub(crate) use reader::Reader;
pub use reader::{DEPTH_LIMIT, Origin};

use json_text::{JsonTextError, Position};

/// The text of a file and its syntax faults; `None` if it cannot be read.
pub(crate) fn checked(bytes: &[u8]) -> Result<(&str, Option<CaseFault>), Box<CaseFault>> {
    let fault_at = |line: u64, column: u64, problem: Problem| CaseFault {
        case: None,
        path: String::new(),
        line,
        column,
        problem,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let Position { line, column } = Position::START.after(good);
        Box::new(fault_at(line, column, Problem::NotUtf8))
    })?;
    let (text, mark) = match text.strip_prefix('\u{feff}') {
        Some(text) => (text, Some(fault_at(1, 1, Problem::ByteOrderMark))),
        None => (text, None),
    };
    match serde_json::from_str::<&serde_json::value::RawValue>(text) {
        Ok(_) => Ok((text, mark)),
        Err(error) => {
            let JsonTextError { reason, line, column } = JsonTextError::of(text, &error);
            let of_line = text.split('\n').nth(line - 1).unwrap_or_default();
            let from = of_line.char_indices().nth(column - 1).map_or("", |(at, _)| &of_line[at..]);
            let problem = not_finite(from).unwrap_or(Problem::NotJson { reason });
            Err(Box::new(fault_at(line as u64, column as u64, problem)))
        }
    }
}

/// The fault of a text that begins with `NaN` or `Infinity`.
fn not_finite(text: &str) -> Option<Problem> {
    let word = ["NaN", "Infinity"].into_iter().find(|word| text.starts_with(word))?;
    Some(Problem::NotFinite { word })
}
