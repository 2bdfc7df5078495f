//! `rehearsal evalset show`.

use std::io::Write;

use evalset::agentflow::{EvalCase, MessageContent, ToolCall};
use evalset::{Case, Layout};
use json_text::JsonText;

use super::error::EvalsetError;
use super::files::{sound_set, stem};
use super::list::shown;
use super::{ShowArguments, Went};
use crate::cli::Format;

pub(super) fn show(arguments: &ShowArguments, out: &mut impl Write) -> Result<Went, EvalsetError> {
    let ShowArguments { file, cases: wanted, format } = arguments;
    let cases = sound_set(file)?.into_cases(&stem(file));
    let mut chosen = Vec::new();
    for wanted in wanted {
        let by_place = wanted.strip_prefix('#').and_then(|place| place.parse::<usize>().ok());
        let by_id = cases.iter().position(|case| case.eval_id() == wanted);
        match by_id.or(by_place).and_then(|index| cases.get(index)) {
            Some(case) => chosen.push(case.clone()),
            None => {
                let ids = cases.iter().map(Case::eval_id);
                let near = ids.min_by_key(|id| strsim::damerau_levenshtein(id, wanted));
                let near = near.filter(|id| strsim::damerau_levenshtein(id, wanted) <= 3);
                return Err(EvalsetError::NoSuchCase {
                    path: file.clone(),
                    wanted: format!("{wanted:?}"),
                    nearest: near.map(str::to_owned),
                });
            }
        }
    }
    for case in if wanted.is_empty() { cases } else { chosen } {
        match format {
            Format::Json => writeln!(out, "{}", case.to_json().laid_out(&Layout::two_spaces()))?,
            Format::Text => write_case(case, out)?,
        }
    }
    Ok(Went::Well)
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
    writeln!(out, "{}", shown(&case.eval_id))?;
    if !case.name.is_empty() {
        writeln!(out, "  {}", shown(&case.name))?;
    }
    if !case.tags.is_empty() {
        writeln!(out, "  tags: {}", shown(&case.tags.join(", ")))?;
    }
    let state = case.session_input.as_ref().and_then(|input| input.initial_state.as_ref());
    write_json("starts with", state, out)?;
    if let Some(scenario) = scenario {
        write_text("user", &scenario.starting_prompt, out)?;
        write_text("plan", &scenario.conversation_plan, out)?;
    }
    for turn in &case.conversation {
        write_message("user", &turn.user_content, out)?;
        for said in &turn.expected_intermediate_responses {
            write_message("meanwhile", said, out)?;
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
    write_text(who, &message.get_text(), out)
}

fn write_text(who: &str, text: &str, out: &mut impl Write) -> Result<(), EvalsetError> {
    let mut who = who;
    for line in text.trim_end().lines() {
        writeln!(out, "  {who:<12}{}", shown(line))?;
        who = "";
    }
    if !who.is_empty() {
        writeln!(out, "  {who:<12}(nothing in words)")?;
    }
    Ok(())
}

fn write_call(call: &ToolCall, out: &mut impl Write) -> Result<(), EvalsetError> {
    let args = call.args.as_ref().map_or_else(|| "{}".to_owned(), one_line);
    writeln!(out, "  {:<12}{} {}", "calls", shown(&call.name), args)?;
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

/// A value on one line, as much of it as one looks at.
fn one_line(value: &JsonText) -> String {
    const MOST: usize = 400;
    let text = shown(value.compact().as_str());
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], value.byte_len()),
        None => text,
    }
}
