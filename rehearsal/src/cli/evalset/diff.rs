//! `rehearsal evalset diff`: compares each case of the first file with the second file's case of
//! that id.

use std::io::Write;

use evalset::{CaseText, EvalSet, Layout, same_value};
use json_text::written_out::visible_name;
use json_text::{JsonText, Node};
use serde::Serialize;

use super::error::EvalsetError;
use super::lookup::Lookup;
use super::valid_file::{Opened, ValidFile};
use super::{DiffArguments, Status};
use crate::cli::Format;

/// One difference. A case that only one file has is shown as a whole, without a path.
#[derive(Debug, Serialize)]
struct Difference {
    /// `None` for the set's metadata.
    eval_id: Option<String>,
    path: String,
    before: Option<JsonText>,
    after: Option<JsonText>,
}

pub(super) fn diff(
    arguments: &DiffArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let DiffArguments { before, after, format, format_is } = arguments;
    // Exit code 1 means that the files differ.
    let read = |path| {
        ValidFile::read(path, *format_is, |_| ()).map_err(|error| match error {
            EvalsetError::Faulty { path, faults, more } => {
                EvalsetError::NotCompared { path, faults, more }
            }
            error => error,
        })
    };
    let (old, new) = (read(before)?, read(after)?);
    // Both are converted to the format of the first; older ADK lists to ADK's current format.
    let to = old.own_format();
    let Opened { set: old_set, cases } = old.open(to)?;
    let (new_set, mut new) = Lookup::of(after, new, to)?;
    let mut writer = DifferenceWriter { format: *format, out, any: false };
    let mut found = Vec::new();
    let frame = |set: &EvalSet| text_of(&set.to_json());
    compare(None, &mut Vec::new(), Some(&frame(&old_set)), Some(&frame(&new_set)), &mut found);
    writer.take(&mut found)?;
    for case in cases {
        let case = case?;
        let eval_id = case.eval_id();
        let other = new.take(eval_id)?.map(|case| text_of(&case.to_json()));
        let case = text_of(&case.to_json());
        compare(Some(eval_id), &mut Vec::new(), Some(&case), other.as_ref(), &mut found);
        writer.take(&mut found)?;
    }
    for case in new.left() {
        let case = case?;
        let text = text_of(&case.to_json());
        compare(Some(case.eval_id()), &mut Vec::new(), None, Some(&text), &mut found);
        writer.take(&mut found)?;
    }
    Ok(if writer.any { Status::Findings } else { Status::Success })
}

fn text_of(text: &CaseText) -> JsonText {
    JsonText::parse(&text.laid_out(&Layout::compact())).unwrap_or_else(|_| JsonText::null())
}

/// Prints differences as they are found.
struct DifferenceWriter<'a, W> {
    format: Format,
    out: &'a mut W,
    any: bool,
}

impl<W: Write> DifferenceWriter<'_, W> {
    fn take(&mut self, found: &mut Vec<Difference>) -> Result<(), EvalsetError> {
        for difference in found.drain(..) {
            self.any = true;
            match self.format {
                Format::Json => {
                    serde_json::to_writer(&mut *self.out, &difference)
                        .map_err(std::io::Error::from)?;
                    writeln!(self.out)?;
                }
                Format::Text => write_text(&difference, self.out)?,
            }
        }
        Ok(())
    }
}

/// Collects the differences, at the deepest paths where the values differ.
fn compare(
    eval_id: Option<&str>,
    path: &mut Vec<String>,
    before: Option<&JsonText>,
    after: Option<&JsonText>,
    found: &mut Vec<Difference>,
) {
    if let (Some(before), Some(after)) = (before, after) {
        if same_value(before, after) {
            return;
        }
        match (before.open(), after.open()) {
            (Node::Object(old), Node::Object(new)) => {
                let member = |members: &[(String, _)], wanted: &str| -> Option<JsonText> {
                    let found: Option<&(String, &serde_json::value::RawValue)> =
                        members.iter().rfind(|(key, _)| key == wanted);
                    found.map(|(_, value)| JsonText::from(*value))
                };
                let only_new = new.iter().filter(|(key, _)| !old.iter().any(|(old, _)| old == key));
                for (key, _) in old.iter().chain(only_new) {
                    path.push(if path.is_empty() { key.clone() } else { format!(".{key}") });
                    let (old, new) = (member(&old, key), member(&new, key));
                    compare(eval_id, path, old.as_ref(), new.as_ref(), found);
                    path.pop();
                }
                return;
            }
            (Node::Array(old), Node::Array(new)) => {
                for index in 0..old.len().max(new.len()) {
                    path.push(format!("[{index}]"));
                    let item = |items: &[&serde_json::value::RawValue]| {
                        items.get(index).map(|value| JsonText::from(*value))
                    };
                    let (old, new) = (item(&old), item(&new));
                    compare(eval_id, path, old.as_ref(), new.as_ref(), found);
                    path.pop();
                }
                return;
            }
            _ => {}
        }
    }
    found.push(Difference {
        eval_id: eval_id.map(str::to_owned),
        path: path.concat(),
        before: before.cloned(),
        after: after.cloned(),
    });
}

fn write_text(difference: &Difference, out: &mut impl Write) -> Result<(), EvalsetError> {
    let Difference { eval_id, path, before, after } = difference;
    let case = eval_id.as_ref().map_or_else(|| "the set".to_owned(), |id| format!("case {id:?}"));
    match (path.as_str(), before, after) {
        ("", Some(_), None) => writeln!(out, "- {case}")?,
        ("", None, Some(_)) => writeln!(out, "+ {case}")?,
        _ => {
            writeln!(out, "~ {case} at {}", visible_name(path))?;
            for (mark, value) in [('-', before), ('+', after)] {
                if let Some(value) = value {
                    writeln!(out, "    {mark} {}", visible_name(value.compact().as_str()))?;
                }
            }
        }
    }
    Ok(())
}
