//! [`ReportPart`]: one case in the format of a report.

use quick_junit::TestCase;
use scoring::config::Config;
use scoring::report::EvalCaseResult;

use crate::form::Form;
use crate::scored::ScoredCase;
use crate::{html, json, junit, markdown, text};

/// One case in the format of a report, made where the case is scored.
#[derive(Debug, Clone)]
pub struct ReportPart {
    pub(crate) result: EvalCaseResult,
    pub(crate) body: Body,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    Text(String),
    Junit(Box<TestCase>),
    Html { line: String, case: String },
}

impl ReportPart {
    /// The case's part of a report in that form.
    #[must_use]
    pub fn of(case: ScoredCase, form: Form, config: &Config) -> Self {
        let case = case.with_facts();
        let body = match form {
            Form::Text => Body::Text(text::case(&case)),
            Form::Json => Body::Text(json::case(&case)),
            Form::Junit => Body::Junit(Box::new(junit::case(&case))),
            Form::Html => {
                let (line, case) = html::case(&case, config);
                Body::Html { line, case }
            }
            Form::Markdown => Body::Text(markdown::case(&case)),
        };
        Self { result: case.result, body }
    }

    /// The result of the case.
    #[must_use]
    pub fn result(&self) -> &EvalCaseResult {
        &self.result
    }
}
