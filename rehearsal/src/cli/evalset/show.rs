//! `rehearsal evalset show`: prints one case at a time, so the file may be of any size.

use std::io::Write;
use std::path::Path;

use evalset::agentflow::{EvalCase, MessageContent, ToolCall};
use evalset::{Case, Layout, read_case};
use evalset_file::{Cases, FoundCase};
use json_text::JsonText;
use json_text::written_out::visible_name;

use super::error::EvalsetError;
use super::files::{Errors, Source, format_of};
use super::{ShowArguments, Status};
use crate::cli::Format;
use crate::cli::note_line::note_line;

/// The edit distance within which a similar id is suggested.
const NEAR: usize = 3;

pub(super) fn show(
    arguments: &ShowArguments,
    out: &mut impl Write,
) -> Result<Status, EvalsetError> {
    let ShowArguments { file, cases: wanted, format, format_is } = arguments;
    let mut status = Status::Success;
    // A case that cannot be read is reported, and the next one is shown.
    let mut show = |case: Result<Case, EvalsetError>| match (case, format) {
        (Ok(case), Format::Json) => {
            Ok(writeln!(out, "{}", case.to_json().laid_out(&Layout::two_spaces()))?)
        }
        (Ok(case), Format::Text) => write_case(case, out),
        (Err(error @ EvalsetError::Faulty { .. }), _) => {
            out.flush()?;
            note_line!("error: {error}");
            status = Status::Findings;
            Ok(())
        }
        (Err(error), _) => Err(error),
    };
    // A wrong path is a usage error, as in the other commands.
    std::fs::metadata(file)
        .map_err(|cause| EvalsetError::Unreadable { path: file.clone(), cause })?;
    let source = Source::of(file)?;
    let mut cases = Cases::open(source.path())?;
    let format = format_of(file, &source, format_is.chosen())?;
    let mut sought = Sought::new(wanted);
    while let Some(found) = cases.next() {
        let found = found?;
        if wanted.is_empty() {
            show(read(&mut cases, &found, format, file))?;
        } else {
            sought.look_at(&found);
        }
    }
    for found in sought.found(file)? {
        show(read(&mut cases, found, format, file))?;
    }
    Ok(status)
}

fn read(
    cases: &mut Cases,
    found: &FoundCase,
    format: evalset::Format,
    file: &Path,
) -> Result<Case, EvalsetError> {
    let text = cases.text(found)?;
    let (case, faults) = read_case(&text, format, cases.origin(found)?);
    let mut errors = Errors::default();
    errors.take(faults);
    match case {
        Some(case) if errors.is_none() => Ok(case),
        _ => Err(errors.of(file)),
    }
}

/// The requested cases, by id or index.
struct Sought<'w> {
    wanted: Vec<Wanted<'w>>,
}

struct Wanted<'w> {
    asked: &'w str,
    by_id: Option<FoundCase>,
    by_place: Option<FoundCase>,
    /// The most similar id and its edit distance.
    nearest: Option<(usize, String)>,
}

impl<'w> Sought<'w> {
    fn new(wanted: &'w [String]) -> Self {
        let wanted =
            wanted.iter().map(|asked| Wanted { asked, by_id: None, by_place: None, nearest: None });
        Self { wanted: wanted.collect() }
    }

    fn look_at(&mut self, found: &FoundCase) {
        let eval_id = found.eval_id.as_deref().unwrap_or_default();
        for wanted in &mut self.wanted {
            let place = wanted.asked.strip_prefix('#').and_then(|place| place.parse::<u64>().ok());
            if eval_id == wanted.asked && wanted.by_id.is_none() {
                wanted.by_id = Some(found.clone());
            } else if place == Some(found.index) {
                wanted.by_place = Some(found.clone());
            } else if wanted.by_id.is_none() && eval_id.len().abs_diff(wanted.asked.len()) <= NEAR {
                let distance = strsim::damerau_levenshtein(eval_id, wanted.asked);
                let is_nearer = wanted.nearest.as_ref().is_none_or(|(least, _)| distance < *least);
                if distance <= NEAR && is_nearer {
                    wanted.nearest = Some((distance, eval_id.to_owned()));
                }
            }
        }
    }

    /// The matches, in the order of the request.
    fn found(&self, file: &Path) -> Result<Vec<&FoundCase>, EvalsetError> {
        let each = self.wanted.iter().map(|wanted| {
            wanted.by_id.as_ref().or(wanted.by_place.as_ref()).ok_or_else(|| {
                EvalsetError::NoSuchCase {
                    path: file.to_owned(),
                    wanted: format!("{:?}", wanted.asked),
                    nearest: wanted.nearest.as_ref().map(|(_, id)| id.clone()),
                }
            })
        });
        each.collect()
    }
}

fn write_case(case: Case, out: &mut impl Write) -> Result<(), EvalsetError> {
    let scenario = match &case {
        Case::Adk(case) => case.conversation_scenario.clone(),
        _ => None,
    };
    let final_state = match &case {
        Case::Adk(case) => case.final_session_state.clone(),
        _ => None,
    };
    let case: EvalCase = case.into_agentflow();
    writeln!(out, "{}", visible_name(&case.eval_id))?;
    if !case.name.is_empty() {
        writeln!(out, "  {}", visible_name(&case.name))?;
    }
    if !case.tags.is_empty() {
        writeln!(out, "  tags: {}", visible_name(&case.tags.join(", ")))?;
    }
    let state = case.session_input.as_ref().and_then(|input| input.initial());
    write_json("starts with", state, out)?;
    if let Some(scenario) = scenario {
        write_text("user", &scenario.starting_prompt, out)?;
        write_text("plan", &scenario.conversation_plan, out)?;
    }
    for turn in &case.conversation {
        write_message("user", &turn.user_content, out)?;
        for message in &turn.expected_intermediate_responses {
            write_message("meanwhile", message, out)?;
        }
        for call in &turn.expected_tool_trajectory {
            write_call(call, out)?;
        }
        if let Some(response) = &turn.expected_final_response {
            write_message("agent", response, out)?;
        }
    }
    write_json("ends with", final_state.as_ref(), out)?;
    writeln!(out)?;
    Ok(())
}

fn write_message(
    who: &str,
    message: &MessageContent,
    out: &mut impl Write,
) -> Result<(), EvalsetError> {
    match message.other_than_text() {
        None => write_text(who, &message.get_text(), out),
        Some(parts) => write_text(who, &scoring::parts_for_people(&parts), out),
    }
}

fn write_text(who: &str, text: &str, out: &mut impl Write) -> Result<(), EvalsetError> {
    let mut who = who;
    for line in text.trim_end().lines() {
        writeln!(out, "  {who:<12}{}", visible_name(line))?;
        who = "";
    }
    if !who.is_empty() {
        writeln!(out, "  {who:<12}(no text)")?;
    }
    Ok(())
}

fn write_call(call: &ToolCall, out: &mut impl Write) -> Result<(), EvalsetError> {
    let args = call.args.as_ref().map_or_else(|| "{}".to_owned(), one_line);
    writeln!(out, "  {:<12}{} {}", "calls", visible_name(&call.name), args)?;
    if let Some(result) = &call.result {
        writeln!(out, "  {:<12}{}", "gets", one_line(result))?;
    }
    Ok(())
}

fn write_json(
    what: &str,
    value: Option<&JsonText>,
    out: &mut impl Write,
) -> Result<(), EvalsetError> {
    match value {
        Some(value) if value.compact().as_str() != "{}" => {
            writeln!(out, "  {what:<12}{}", one_line(value))?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A value on one line, truncated.
fn one_line(value: &JsonText) -> String {
    const MOST: usize = 400;
    let text = visible_name(value.compact().as_str());
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], value.byte_len()),
        None => text,
    }
}
