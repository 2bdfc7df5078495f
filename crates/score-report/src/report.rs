//! [`Report`]: writes a report part by part.

use std::io::{self, Write};

use json_text::JsonText;
use scoring::report::{EvalSummary, Sources, Tally};

use crate::baseline::{Baseline, BaselineComparison, Changes};
use crate::html::Html;
use crate::json::Json;
use crate::junit::Junit;
use crate::markdown::Markdown;
use crate::report_part::{Body, ReportPart};
use crate::text::Text;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// For a terminal.
    Text,
    /// The `EvalReport` of `docs/eval-report.schema.json`.
    Json,
    /// JUnit's XML, as CI systems read it.
    Junit,
    /// One page that needs nothing else.
    Html,
    /// For a comment on a pull request.
    Markdown,
}

/// The data known before the first case is scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    /// The command that makes the report.
    pub command: &'static str,
    /// The report.
    pub report_id: String,
    /// The set whose cases are scored.
    pub eval_set_id: String,
    /// Its name, where it has one.
    pub eval_set_name: Option<String>,
    /// What the expected side is called: its file.
    pub expected: String,
    /// What the actual side is called.
    pub actual: String,
    /// The config, as it was read.
    pub config_used: JsonText,
    /// Where cases and config came from.
    pub sources: Sources,
    /// The names of the criteria with their thresholds, in the order of the config.
    pub criteria: Vec<(String, f64)>,
    /// When the report was made, in RFC 3339.
    pub created_at: String,
}

/// The data known once all cases are scored.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ending {
    /// How long the run took.
    pub duration_seconds: f64,
}

/// A report under way.
#[derive(Debug)]
pub struct Report<W> {
    out: W,
    heading: Heading,
    tally: Tally,
    comparison: Option<BaselineComparison>,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    Text(Text),
    Json(Json),
    Junit(Junit),
    Html(Box<Html>),
    Markdown(Markdown),
}

impl<W: Write> Report<W> {
    /// Begins a report.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn begin(form: Form, heading: Heading, mut out: W) -> io::Result<Self> {
        let writer = match form {
            Form::Text => Writer::Text(Text::default()),
            Form::Json => Writer::Json(Json::begin(&heading, &mut out)?),
            Form::Junit => Writer::Junit(Junit::begin(&heading)?),
            Form::Html => Writer::Html(Box::new(Html::begin(&heading, &mut out)?)),
            Form::Markdown => Writer::Markdown(Markdown::default()),
        };
        let tally = Tally::default();
        Ok(Self { out, heading, tally, comparison: None, writer })
    }

    /// Compares the cases with those of an earlier report.
    #[must_use]
    pub fn since(mut self, baseline: Baseline) -> Self {
        self.comparison = Some(BaselineComparison::with(baseline));
        if let Writer::Text(writer) = &mut self.writer {
            writer.hold();
        }
        self
    }

    /// Adds a case.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn take(&mut self, report_part: ReportPart) -> io::Result<()> {
        let verdict = report_part.result.verdict();
        self.tally.add(&report_part.result);
        if let Some(comparison) = &mut self.comparison {
            comparison.take(&report_part.result);
        }
        match (&mut self.writer, report_part.body) {
            (Writer::Text(writer), Body::Text(text)) => writer.take(&text, &mut self.out),
            (Writer::Json(writer), Body::Text(text)) => writer.take(&text, &mut self.out),
            (Writer::Junit(writer), Body::Junit(case)) => writer.take(*case),
            (Writer::Html(writer), Body::Html { line, case }) => {
                writer.take(&line, &case, &mut self.out)
            }
            (Writer::Markdown(writer), Body::Text(text)) => {
                writer.take(&text, verdict);
                Ok(())
            }
            _ => Err(io::Error::other("the report part must have the form of the report")),
        }
    }

    /// The cases so far.
    #[must_use]
    pub fn summary(&self) -> EvalSummary {
        self.tally.summary()
    }

    /// Ends the report: where it was written, and the summary.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn finish(self, ending: Ending) -> io::Result<(W, EvalSummary)> {
        let Self { mut out, heading, tally, comparison, writer } = self;
        let summary = tally.summary();
        let changes = comparison.map(BaselineComparison::finish);
        let changes = changes.as_ref();
        let total = Total { heading: &heading, summary: &summary, changes, ending };
        match writer {
            Writer::Text(writer) => writer.finish(&total, &mut out)?,
            Writer::Json(_) => Json::finish(&total, &mut out)?,
            Writer::Junit(writer) => writer.finish(&total, &mut out)?,
            Writer::Html(writer) => writer.finish(&total, &mut out)?,
            Writer::Markdown(writer) => writer.finish(&total, &mut out)?,
        }
        Ok((out, summary))
    }
}

/// All data known at the end.
#[derive(Debug)]
pub(crate) struct Total<'r> {
    pub(crate) heading: &'r Heading,
    pub(crate) summary: &'r EvalSummary,
    /// What has changed since the baseline.
    pub(crate) changes: Option<&'r Changes>,
    pub(crate) ending: Ending,
}

impl Total<'_> {
    /// `6 cases: 3 passed, 2 failed, 1 unscored. Pass rate 0.600 (3 of 5 cases)`, with errors where
    /// there are.
    pub(crate) fn counts(&self) -> String {
        let rate = self.summary.pass_rate_phrase().map(|rate| format!(". {rate}"));
        self.summary.counts_phrase() + &rate.unwrap_or_default()
    }
}
