//! The page around the cases.
//!
//! Cases are in scripts of a hundred each, which the browser does not parse until one of them is
//! looked at; the list of all and the summary come behind them, since they are known last. Nothing
//! that comes from a file is markup: it is JSON in a script of data, and the page's own script makes
//! text nodes of it, in which characters that reorder or hide text are written as escapes. A policy in the page lets no other script, style or address in.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scoring::report::EvalSummary;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::data::shown_config;
use crate::details;
use crate::escape::{hidden_class, html, in_script};
use crate::total::{Heading, Total};

/// Cases of one script.
const CHUNK: usize = 100;

/// The colors and measures of the application.
const TOKENS: &str = include_str!("tokens.css");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const BODY: &str = include_str!("page.html");

#[derive(Debug, Default)]
pub(crate) struct Html {
    /// The list, as the inside of a JSON array.
    lines: String,
    cases: usize,
}

/// What the page knows besides its cases.
#[derive(Debug, Serialize)]
struct About<'r> {
    set: &'r str,
    name: Option<&'r str>,
    expected: &'r str,
    actual: &'r str,
    created: &'r str,
    seconds: f64,
    criteria: Vec<(&'r str, f64)>,
    summary: &'r EvalSummary,
    /// All numbers of cases, in a phrase.
    counts: String,
    config: String,
    details: String,
    chunk: usize,
    /// The characters that the page writes as escapes.
    hidden: String,
}

impl Html {
    pub(crate) fn begin(heading: &Heading, out: &mut impl Write) -> io::Result<Self> {
        let title = heading.eval_set_name.as_ref().unwrap_or(&heading.eval_set_id);
        let style = format!("{TOKENS}{STYLE}");
        let (of_style, of_script) = (digest(&style), digest(SCRIPT));
        writeln!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src '{of_style}'; script-src '{of_script}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{} · scores</title>\n<style>{style}</style>\n</head>\n<body>\n{BODY}",
            html(title)
        )?;
        Ok(Self::default())
    }

    pub(crate) fn take(&mut self, line: &str, case: &str, out: &mut impl Write) -> io::Result<()> {
        let begins = self.cases.is_multiple_of(CHUNK);
        if begins && self.cases > 0 {
            writeln!(out, "]</script>")?;
        }
        if begins {
            write!(out, "<script type=\"application/json\" id=\"c{}\">[", self.cases / CHUNK)?;
        } else {
            writeln!(out, ",")?;
        }
        if self.cases > 0 {
            self.lines.push_str(",\n");
        }
        out.write_all(case.as_bytes())?;
        self.lines.push_str(line);
        self.cases += 1;
        Ok(())
    }

    pub(crate) fn finish(self, total: &Total<'_>, out: &mut impl Write) -> io::Result<()> {
        if self.cases > 0 {
            writeln!(out, "]</script>")?;
        }
        let Total { heading, summary, ending, .. } = total;
        let about = About {
            set: &heading.eval_set_id,
            name: heading.eval_set_name.as_deref(),
            expected: &heading.expected,
            actual: &heading.actual,
            created: &heading.created_at,
            seconds: ending.duration_seconds,
            criteria: heading
                .criteria
                .iter()
                .map(|(name, needs)| (name.as_str(), *needs))
                .collect(),
            summary,
            counts: total.counts(),
            config: shown_config(&heading.config_used),
            details: details::text(total),
            chunk: CHUNK,
            hidden: hidden_class(),
        };
        let about = in_script(&serde_json::to_string(&about)?);
        writeln!(out, "<script type=\"application/json\" id=\"index\">[{}]</script>", self.lines)?;
        writeln!(out, "<script type=\"application/json\" id=\"about\">{about}</script>")?;
        writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
    }
}

/// As a content security policy names a script or style.
fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}
