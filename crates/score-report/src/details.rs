//! The parts of a report besides its cases and criteria: changes since a baseline, tags, repeated
//! runs, cost and provenance. As text, and as Markdown.

use std::fmt::Write as _;

use scoring::report::{Repeats, figure};

use crate::escape::{markdown, plain};
use crate::total::Total;

/// So many changes are listed in Markdown, which goes into a comment.
const LISTED: usize = 50;

/// The parts as lines; empty if there are none.
pub(crate) fn text(total: &Total<'_>) -> String {
    let mut out = changes_text(total);
    let others = text_without_changes(total);
    if !others.is_empty() {
        separate(&mut out);
    }
    out + &others
}

/// What has changed since the baseline, as lines; empty without one.
pub(crate) fn changes_text(total: &Total<'_>) -> String {
    let mut out = String::new();
    let Some(changes) = total.changes else { return out };
    let _ = writeln!(out, "{}.", plain(&changes.counts()));
    if let Some(difference) = changes.difference() {
        let _ = writeln!(out, "{difference}.");
    }
    for change in &changes.changes {
        let (label, line) = (plain(&change.label), plain(&change.line()));
        let _ = writeln!(out, "  {:<9} {label}: {line}", change.change);
    }
    for (word, ids) in [("new", &changes.new), ("removed", &changes.gone)] {
        for id in ids {
            let _ = writeln!(out, "  {word:<9} {}", plain(id));
        }
    }
    out
}

/// The other parts as lines.
pub(crate) fn text_without_changes(total: &Total<'_>) -> String {
    let mut out = String::new();
    let tags = &total.summary.tag_stats;
    if !tags.is_empty() {
        let widest = tags.keys().map(|tag| plain(tag).chars().count()).max().unwrap_or(0).max(3);
        separate(&mut out);
        let _ = writeln!(out, "{:<widest$}  passed  failed  unscored  pass rate", "tag");
        for (tag, of) in tags {
            let rate = of.pass_rate.map_or_else(|| "–".to_owned(), figure);
            let (passed, failed, unscored) = (of.passed, of.failed, of.unscored);
            let tag = plain(tag);
            let _ =
                writeln!(out, "{tag:<widest$}  {passed:>6}  {failed:>6}  {unscored:>8}  {rate:>9}");
        }
    }
    let facts = facts(total);
    if !facts.is_empty() {
        separate(&mut out);
        for fact in facts {
            let _ = writeln!(out, "{}", plain(&fact));
        }
    }
    out
}

/// The same as Markdown.
pub(crate) fn as_markdown(total: &Total<'_>) -> String {
    let mut out = String::new();
    if let Some(changes) = total.changes {
        let _ = writeln!(out, "**{}**", markdown(&changes.counts()));
        if let Some(difference) = changes.difference() {
            let _ = writeln!(out, "\n{}.", markdown(&difference));
        }
        let changed = changes.changes.iter().map(|it| (it.change, it.label.clone(), it.line()));
        let new = changes.new.iter().map(|id| ("new", id.clone(), String::new()));
        let gone = changes.gone.iter().map(|id| ("removed", id.clone(), String::new()));
        let rows: Vec<(&str, String, String)> = changed.chain(new).chain(gone).collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\n| change | case | |\n|---|---|---|");
        }
        for (change, id, line) in rows.iter().take(LISTED) {
            let _ = writeln!(out, "| {change} | {} | {} |", markdown(id), markdown(line));
        }
        if let Some(more) = rows.len().checked_sub(LISTED).filter(|more| *more > 0) {
            let _ = writeln!(out, "\nAnd {more} more.");
        }
    }
    let tags = &total.summary.tag_stats;
    if !tags.is_empty() {
        separate(&mut out);
        let _ = writeln!(out, "| tag | passed | failed | unscored | pass rate |");
        let _ = writeln!(out, "|---|---:|---:|---:|---:|");
        for (tag, of) in tags {
            let rate = of.pass_rate.map_or_else(|| "–".to_owned(), figure);
            let tag = markdown(tag);
            let _ = writeln!(
                out,
                "| {tag} | {} | {} | {} | {rate} |",
                of.passed, of.failed, of.unscored
            );
        }
    }
    let facts = facts(total);
    if !facts.is_empty() {
        separate(&mut out);
        for fact in facts {
            let _ = writeln!(out, "- {}", markdown(&fact));
        }
    }
    out
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

/// Repeated runs, cost and provenance, each in a sentence.
fn facts(total: &Total<'_>) -> Vec<String> {
    let summary = total.summary;
    let mut facts: Vec<String> = summary.repeats.iter().map(repeats).collect();
    let (seconds, tokens) = (summary.seconds, summary.tokens);
    if seconds.is_some() || tokens.is_some() {
        let seconds = seconds.map(|seconds| format!("{seconds:.1} s"));
        let tokens = tokens.map(|tokens| format!("{tokens} tokens"));
        let cost: Vec<String> = seconds.into_iter().chain(tokens).collect();
        let of = summary.counted(summary.measured_cases);
        facts.push(format!("Cost of the actual runs: {} ({of})", cost.join(", ")));
    }
    if let Some(cost) = summary.cost {
        facts.push(format!("Cost of the models: {cost:.4}"));
    }
    if !summary.informational.is_empty() {
        let means = summary.informational.iter().map(|(name, mean)| match mean {
            Some(mean) => format!("{name} {}", figure(*mean)),
            None => format!("{name} not recorded"),
        });
        let means = means.collect::<Vec<_>>().join(", ");
        facts.push(format!("Per turn, informational: {means}"));
    }
    if !summary.models.is_empty() {
        facts.push(format!("Models: {}", summary.models.join(", ")));
    }
    if let Some(commit) = &total.heading.sources.commit {
        facts.push(format!("Commit: {commit}"));
    }
    facts
}

fn repeats(repeats: &Repeats) -> String {
    let Repeats { cases, runs, pass_rate, pass_hat, pass_at } = repeats;
    let chances = |name: &str, chances: &[f64]| {
        let chances =
            (1..).zip(chances).map(|(k, chance)| format!("{name}{k} {}", figure(*chance)));
        chances.collect::<Vec<_>>().join(", ")
    };
    let noun = if *cases == 1 { "case" } else { "cases" };
    format!(
        "Repeated runs: {cases} {noun}, at least {runs} runs each; mean pass rate of a case \
         {}; {}; {}",
        figure(*pass_rate),
        chances("pass^", pass_hat),
        chances("pass@", pass_at)
    )
}
