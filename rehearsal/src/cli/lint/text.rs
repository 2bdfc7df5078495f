//! Prints lint findings as text: by tool, then by rule, then by provider, then a summary.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};

use json_text::written_out::visible_name;
use tool_lint::{Effect, Finding, Limitation, Provider, Report, Rule, Severity};

use super::Linted;

/// For how many tools a note is printed. Declarations by the same author often have the same note, which
/// would hide other findings.
const NOTES_SHOWN: usize = 3;

/// The width of a message, in characters.
const WIDTH: usize = 86;

/// How often a rule was found.
#[derive(Default)]
struct Tally {
    findings: usize,
    tools: usize,
    /// Findings that were counted but not printed.
    folded: usize,
}

pub(super) fn write(linted: &Linted, out: &mut impl Write) -> io::Result<()> {
    let mut tallies: HashMap<Rule, Tally> = HashMap::new();
    for report in &linted.reports {
        let shown = counted_in(report, &mut tallies);
        write_report(report, &shown, out)?;
    }
    write_rules(&tallies, out)?;
    write_portability(&linted.reports, out)?;
    write_sum(linted, out)
}

/// Counts the report's findings, and returns those to print.
fn counted_in<'r>(report: &'r Report, tallies: &mut HashMap<Rule, Tally>) -> Vec<&'r Finding> {
    let mut shown = Vec::new();
    let mut here: Vec<Rule> = Vec::new();
    for finding in &report.findings {
        let tally = tallies.entry(finding.rule).or_default();
        tally.findings += 1;
        if !here.contains(&finding.rule) {
            here.push(finding.rule);
            tally.tools += 1;
        }
        if finding.rule.severity() == Severity::Note && tally.tools > NOTES_SHOWN {
            tally.folded += 1;
        } else {
            shown.push(finding);
        }
    }
    shown
}

fn write_report(report: &Report, shown: &[&Finding], out: &mut impl Write) -> io::Result<()> {
    let values = report.values;
    let lost = values.survived < values.made;
    if shown.is_empty() && !lost {
        return Ok(());
    }
    let tool = match report.tool.as_deref() {
        None if report.is_of_agent() => "(the agent)",
        None => "(invalid declaration)",
        Some("") => "(unnamed tool)",
        Some(name) => name,
    };
    let line = report.line.map(|line| format!(", line {line}")).unwrap_or_default();
    writeln!(out, "{}{line}", printable(tool))?;
    for finding in shown {
        write_finding(finding, out)?;
    }
    if lost {
        let (survived, made) = (values.survived, values.made);
        writeln!(out, "  {survived} of {made} generated values are unchanged by the form")?;
    }
    writeln!(out)
}

fn write_finding(finding: &Finding, out: &mut impl Write) -> io::Result<()> {
    let severity = finding.rule.severity().name();
    let place = if finding.pointer.is_empty() { "the whole" } else { &finding.pointer };
    writeln!(out, "  {severity:<8}{:<30}{}", finding.rule.name(), printable(place))?;
    for line in wrapped(&printable(&finding.message), WIDTH) {
        writeln!(out, "          {line}")?;
    }
    Ok(())
}

/// The rules with findings, by severity and then by frequency.
fn write_rules(tallies: &HashMap<Rule, Tally>, out: &mut impl Write) -> io::Result<()> {
    if tallies.is_empty() {
        return Ok(());
    }
    let mut rules: Vec<(&Rule, &Tally)> = tallies.iter().collect();
    rules.sort_by_key(|(rule, tally)| {
        (rule.severity(), std::cmp::Reverse(tally.findings), rule.name())
    });
    writeln!(out, "By rule")?;
    for (rule, tally) in rules {
        let (severity, name) = (rule.severity().name(), rule.name());
        let tools = counted(tally.tools, "declaration", "declarations");
        let folded = match tally.folded {
            0 => String::new(),
            count => format!("; {count} not shown above, --format json has each"),
        };
        writeln!(out, "  {severity:<8}{name:<30}{:>6} in {tools}{folded}", tally.findings)?;
    }
    writeln!(out)
}

/// What each provider rejects or ignores: its limit, how many tools break it, and the first of them.
fn write_portability(reports: &[Report], out: &mut impl Write) -> io::Result<()> {
    type Broken<'r> = (Vec<&'r Report>, BTreeSet<&'r str>);
    let mut limits: BTreeMap<(Provider, Effect, &str), Broken<'_>> = BTreeMap::new();
    for report in reports {
        for Limitation { provider, effect, limit, keyword, .. } in &report.portability {
            let (tools, keywords) = limits.entry((*provider, *effect, limit)).or_default();
            keywords.extend(keyword.as_deref());
            if !tools.last().is_some_and(|last| std::ptr::eq(*last, report)) {
                tools.push(report);
            }
        }
    }
    if limits.is_empty() {
        return Ok(());
    }
    writeln!(out, "Portability")?;
    for ((provider, effect, limit), (tools, keywords)) in limits {
        let effect = if effect == Effect::Rejects { "rejects" } else { "ignores" };
        let first = tools.first().and_then(|report| report.tool.as_deref()).unwrap_or_default();
        let count = counted(tools.len(), "tool", "tools");
        let (provider, more) = (provider.name(), if tools.len() == 1 { "" } else { "such as " });
        let colon = if keywords.is_empty() { "" } else { ": " };
        let keywords = keywords.into_iter().collect::<Vec<_>>().join(", ");
        let line = format!("{effect} {count}, {more}{first}: {limit}{colon}{keywords}");
        let lines = wrapped(&printable(&line), WIDTH);
        for (index, line) in lines.iter().enumerate() {
            let provider = if index == 0 { provider } else { "" };
            writeln!(out, "  {provider:<17}{line}")?;
        }
    }
    writeln!(out)
}

fn write_sum(linted: &Linted, out: &mut impl Write) -> io::Result<()> {
    let reports = &linted.reports;
    let made: usize = reports.iter().map(|report| report.values.made).sum();
    let survived: usize = reports.iter().map(|report| report.values.survived).sum();
    let entries = reports.iter().filter(|report| !report.is_of_agent()).count();
    let clean = reports.iter().filter(|report| report.findings.is_empty()).count();
    // An invalid declaration is an error and not a tool.
    let tools = reports.iter().filter(|report| report.tool.is_some()).count();
    let unread = match entries - tools {
        0 => String::new(),
        1 => " 1 invalid declaration;".to_owned(),
        count => format!(" {count} invalid declarations;"),
    };
    let notes = match linted.count(Severity::Note) {
        0 => String::new(),
        count => format!(", {}", counted(count, "note", "notes")),
    };
    writeln!(
        out,
        "{}: {}, {clean} without findings;{unread} {}, {}{notes}; {survived} of {made} values \
         are unchanged by the form.",
        printable(&linted.source),
        counted(tools, "tool", "tools"),
        counted(linted.count(Severity::Error), "error", "errors"),
        counted(linted.count(Severity::Warning), "warning", "warnings"),
    )
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// On one line, with the characters escaped that could change the terminal or reorder the text.
fn printable(text: &str) -> String {
    visible_name(&text.replace(['\n', '\r', '\t'], " "))
}

/// Wraps the text at `width` characters; longer words are not split.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
