//! [`Report`]: writes a report part by part.

use std::io::{self, Write};

use scoring::report::{EvalSummary, Tally};

use crate::baseline::{Baseline, BaselineComparison};
use crate::form::Form;
use crate::html::Html;
use crate::json::Json;
use crate::junit::Junit;
use crate::markdown::Markdown;
use crate::report_part::{Body, ReportPart};
use crate::text::Text;
use crate::total::{Ending, Heading, Total};

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
