//! `rehearsal evalset diff`.

use std::collections::HashMap;
use std::io::Write;

use evalset::{Case, EvalSet, Layout, same_value};
use json_text::{JsonText, Node};
use serde::Serialize;

use super::convert::converted;
use super::error::EvalsetError;
use super::files::{sound_set, stem};
use super::list::shown;
use super::{DiffArguments, Target, Went};
use crate::cli::Format;

/// One difference. A case that only one file has stands with its whole value and no path.
#[derive(Debug, Serialize)]
struct Difference {
    /// None for what the set says of itself.
    eval_id: Option<String>,
    path: String,
    before: Option<JsonText>,
    after: Option<JsonText>,
}

pub(super) fn diff(arguments: &DiffArguments, out: &mut impl Write) -> Result<Went, EvalsetError> {
    let DiffArguments { before, after, format } = arguments;
    let (old, new) = (sound_set(before)?, sound_set(after)?);
    // Both in the format of the first; older lists in ADK's present one.
    let target = match &old {
        EvalSet::AgentFlow(_) => Target::Agentflow,
        _ => Target::Adk,
    };
    let (old, new) = (converted(old, target, &stem(before)), converted(new, target, &stem(after)));
    let mut found = Vec::new();
    let (mut old, mut new) = (Parts::of(old), Parts::of(new));
    compare(None, &mut Vec::new(), Some(&old.frame), Some(&new.frame), &mut found);
    for eval_id in std::mem::take(&mut old.order) {
        let case = old.cases.remove(&eval_id);
        compare(
            Some(&eval_id),
            &mut Vec::new(),
            case.as_ref(),
            new.cases.get(&eval_id),
            &mut found,
        );
        new.cases.remove(&eval_id);
    }
    for eval_id in &new.order {
        if let Some(case) = new.cases.get(eval_id) {
            compare(Some(eval_id), &mut Vec::new(), None, Some(case), &mut found);
        }
    }
    for difference in &found {
        match format {
            Format::Json => {
                serde_json::to_writer(&mut *out, difference).map_err(std::io::Error::from)?;
                writeln!(out)?;
            }
            Format::Text => write_text(difference, out)?,
        }
    }
    Ok(if found.is_empty() { Went::Well } else { Went::Found })
}

/// A set taken apart.
struct Parts {
    /// The set without its cases.
    frame: JsonText,
    order: Vec<String>,
    cases: HashMap<String, JsonText>,
}

impl Parts {
    fn of(set: EvalSet) -> Self {
        let mut frame = set.clone();
        match &mut frame {
            EvalSet::Adk(set) => set.eval_cases.clear(),
            EvalSet::AgentFlow(set) => set.eval_cases.clear(),
            EvalSet::AdkLegacy(_) => {}
        }
        let text = |text: String| JsonText::parse(&text).unwrap_or_else(|_| JsonText::null());
        let cases: Vec<Case> = set.into_cases("");
        let order = cases.iter().map(|case| case.eval_id().to_owned()).collect();
        let cases = cases.iter().map(|case| {
            (case.eval_id().to_owned(), text(case.to_json().laid_out(&Layout::compact())))
        });
        Self {
            frame: text(frame.to_json().laid_out(&Layout::compact())),
            order,
            cases: cases.collect(),
        }
    }
}

/// Notes where the two differ, as deep down as they can be told apart.
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
            writeln!(out, "~ {case} at {}", shown(path))?;
            for (mark, value) in [('-', before), ('+', after)] {
                if let Some(value) = value {
                    writeln!(out, "    {mark} {}", shown(value.compact().as_str()))?;
                }
            }
        }
    }
    Ok(())
}
