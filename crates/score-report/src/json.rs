//! The JSON report: an `EvalReport`, written case by case.

use std::io::{self, Write};

use indexmap::IndexMap;
use json_text::{JsonText, Node};

use crate::scored::ScoredCase;
use crate::total::{Heading, Total};

pub(crate) fn case(case: &ScoredCase) -> String {
    let mut result = case.result.clone();
    for (criterion, why) in result.criterion_results.iter_mut().zip(&case.whys) {
        // Unscored results already have a reason.
        if let (Some(_), Some(why)) = (criterion.score, why) {
            criterion.details = with_why(&criterion.details, why);
        }
    }
    // Its maps have string keys and its numbers are finite.
    serde_json::to_string(&result).unwrap_or_default()
}

/// The details with, in a sentence, why the criterion was not met: for readers who show a report
/// without computing it again.
fn with_why(details: &JsonText, why: &str) -> JsonText {
    let Node::Object(members) = details.open() else { return details.clone() };
    let mut members_with_why: IndexMap<String, JsonText> =
        IndexMap::with_capacity(members.len() + 1);
    members_with_why.insert("why".to_owned(), JsonText::string(why));
    members_with_why.extend(members.into_iter().map(|(name, value)| (name, JsonText::from(value))));
    // Text keys and JSON always serialize.
    JsonText::serialize(&members_with_why).unwrap_or_else(|_| details.clone())
}

#[derive(Debug)]
pub(crate) struct Json {
    first: bool,
}

impl Json {
    pub(crate) fn begin(heading: &Heading, out: &mut impl Write) -> io::Result<Self> {
        let text = |text: &str| JsonText::string(text).as_str().to_owned();
        writeln!(out, "{{")?;
        writeln!(out, "  \"report_id\": {},", text(&heading.report_id))?;
        writeln!(out, "  \"eval_set_id\": {},", text(&heading.eval_set_id))?;
        let name = heading.eval_set_name.as_deref().map_or("null".to_owned(), text);
        writeln!(out, "  \"eval_set_name\": {name},")?;
        write!(out, "  \"results\": [")?;
        Ok(Self { first: true })
    }

    pub(crate) fn take(&mut self, case: &str, out: &mut impl Write) -> io::Result<()> {
        let comma = if std::mem::take(&mut self.first) { "" } else { "," };
        write!(out, "{comma}\n    {case}")
    }

    pub(crate) fn finish(total: &Total<'_>, out: &mut impl Write) -> io::Result<()> {
        let Total { heading, summary, ending, .. } = total;
        let summary = serde_json::to_string(summary)?;
        writeln!(out, "\n  ],")?;
        writeln!(out, "  \"summary\": {summary},")?;
        writeln!(out, "  \"config_used\": {},", heading.config_used.compact())?;
        writeln!(out, "  \"sources\": {},", serde_json::to_string(&heading.sources)?)?;
        writeln!(out, "  \"baseline\": {},", serde_json::to_string(&total.changes)?)?;
        writeln!(out, "  \"created_at\": {},", JsonText::string(&heading.created_at))?;
        writeln!(
            out,
            "  \"duration_seconds\": {}",
            serde_json::to_string(&ending.duration_seconds)?
        )?;
        writeln!(out, "}}")
    }
}
