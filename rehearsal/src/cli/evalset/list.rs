//! `rehearsal evalset list`.

use std::io::Write;
use std::path::Path;

use evalset::{Case, read_case};
use evalset_file::{Cases, FoundCase};
use json_text::written_out::visible_name;
use serde::{Deserialize, Serialize};

use super::error::EvalsetError;
use super::files::{Errors, Source, files, format_of};
use super::filter::{Filter, Traits};
use super::progress::bar;
use super::{FormatIs, ListArguments, Status, counted};
use crate::cli::Format;
use crate::cli::note_line::note_line;

#[derive(Debug, Serialize)]
struct Line<'a> {
    file: &'a str,
    index: u64,
    eval_id: Option<&'a str>,
    turns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a [String]>,
}

pub(super) fn list(
    arguments: &ListArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let ListArguments { files: asked, tags, tools, case, format, format_is } = arguments;
    let filter = Filter::new(case.as_deref(), tags, tools)?;
    let mut status = Status::Success;
    for path in files(asked)? {
        let mut listing = Listing {
            name: path.display().to_string(),
            filter: &filter,
            format: *format,
            format_is: *format_is,
            listed: 0,
            out: &mut *out,
        };
        match listing.list(&path) {
            Ok(all) => status = if all == Status::Success { status } else { all },
            Err(error @ EvalsetError::Output(_)) => return Err(error),
            Err(error) => {
                listing.out.flush()?;
                note_line!("error: {error}");
                status = Status::Findings;
            }
        }
    }
    Ok(status)
}

/// One file.
struct Listing<'a, W> {
    name: String,
    filter: &'a Filter<'a>,
    format: Format,
    format_is: FormatIs,
    listed: u64,
    out: &'a mut W,
}

impl<W: Write> Listing<'_, W> {
    fn list(&mut self, path: &Path) -> Result<Status, EvalsetError> {
        let mut status = Status::Success;
        let source = Source::of(path)?;
        let mut cases = Cases::open(source.path())?;
        let given = self.format_is.chosen();
        // A given format is checked, also where no case is read.
        let format = match given.is_some() || self.filter.looks_inside() {
            true => Some(format_of(path, &source, given)?),
            false => None,
        };
        self.title()?;
        let bar = bar(cases.progress().1, &self.name);
        let known_format = format.filter(|_| self.filter.looks_inside());
        while let Some(case) = cases.next() {
            let mut case = case?;
            bar.set_position(cases.progress().0);
            if case.eval_id.is_none() {
                // The scan reads no long ids.
                case.eval_id = id_in(&cases.text(&case)?);
            }
            if !self.filter.takes_id(case.eval_id.as_deref()) {
                continue;
            }
            if known_format.is_none() {
                self.line(&case, None)?;
            }
            let format = match known_format {
                Some(format) => format,
                // An item that is not an object has no id and is reported without reading it.
                None if case.eval_id.is_none() && !cases.text(&case)?.starts_with('{') => {
                    Cases::format(source.path(), given)?
                }
                None => continue,
            };
            let text = cases.text(&case)?;
            match read_case(&text, format, cases.origin(&case)?) {
                (Some(read), _) if known_format.is_some() => self.line_if_taken(&case, &read)?,
                (Some(_), _) => {}
                (None, faults) => {
                    let mut errors = Errors::default();
                    errors.take(faults);
                    self.out.flush()?;
                    bar.suspend(|| note_line!("error: {}", errors.of(path)));
                    status = Status::Findings;
                }
            }
        }
        bar.finish_and_clear();
        self.sum_up()?;
        Ok(status)
    }

    fn title(&mut self) -> Result<(), EvalsetError> {
        if self.format == Format::Text {
            writeln!(self.out, "{}", visible_name(&self.name))?;
        }
        Ok(())
    }

    fn sum_up(&mut self) -> Result<(), EvalsetError> {
        if self.format == Format::Text {
            writeln!(self.out, "  {}\n", counted(self.listed, "case"))?;
        }
        Ok(())
    }

    fn line_if_taken(&mut self, case: &FoundCase, read: &Case) -> Result<(), EvalsetError> {
        let traits = Traits::of(read);
        if self.filter.takes(&traits) {
            self.line(case, Some(&traits))?;
        }
        Ok(())
    }

    fn line(&mut self, case: &FoundCase, traits: Option<&Traits>) -> Result<(), EvalsetError> {
        self.listed += 1;
        let FoundCase { index, turns, .. } = *case;
        let eval_id = case.eval_id.as_deref();
        match self.format {
            Format::Json => {
                let (tags, tools) = match traits {
                    Some(traits) => (Some(&*traits.tags), Some(&*traits.tools)),
                    None => (None, None),
                };
                let line = Line { file: &self.name, index, eval_id, turns, tags, tools };
                serde_json::to_writer(&mut *self.out, &line).map_err(std::io::Error::from)?;
                writeln!(self.out)?;
            }
            Format::Text => {
                let eval_id = eval_id.map_or_else(|| "(no eval_id)".to_owned(), short);
                let turns = counted(turns, "turn");
                writeln!(self.out, "  #{index:<5} {eval_id:<48} {turns}")?;
            }
        }
        Ok(())
    }
}

/// The id in a case's text.
fn id_in(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Id {
        #[serde(alias = "evalId", alias = "name")]
        eval_id: String,
    }
    serde_json::from_str(text).ok().map(|Id { eval_id }| eval_id)
}

/// An id for a terminal, cut if it is long.
fn short(eval_id: &str) -> String {
    const MOST: usize = 200;
    match eval_id.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", visible_name(&eval_id[..end]), eval_id.len()),
        None => visible_name(eval_id),
    }
}
