//! [`Report`]: the findings about one declaration.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::{Limitation, Rule, Severity};

/// What was found about one declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The tool's name, if it has one.
    pub tool: Option<String>,
    /// The line of the file that the declaration begins at, from 1; absent for an agent's tools.
    pub line: Option<usize>,
    /// Whether generated arguments pass through the form unchanged.
    pub values: RoundTrip,
    /// What is wrong, in the order of the declaration.
    pub findings: Vec<Finding>,
    /// What model providers reject or ignore, provider by provider.
    pub portability: Vec<Limitation>,
}

/// How many generated values pass through the form unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RoundTrip {
    /// How many valid values were generated from the schema.
    pub made: usize,
    /// How many of them the form keeps unchanged and valid.
    pub survived: usize,
}

/// One problem of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which rule is broken.
    pub rule: Rule,
    /// Where in the declaration, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// The problem and the remedy.
    pub message: String,
}

impl Serialize for Finding {
    /// `severity`, `rule`, `pointer`, `message`, in this order.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut finding = serializer.serialize_struct("Finding", 4)?;
        finding.serialize_field("severity", self.rule.severity().name())?;
        finding.serialize_field("rule", self.rule.name())?;
        finding.serialize_field("pointer", &self.pointer)?;
        finding.serialize_field("message", &self.message)?;
        finding.end()
    }
}

impl Report {
    /// How many findings are of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.rule.severity() == severity).count()
    }

    /// The warnings from loading an agent, which belong to no declaration; `None` without warnings.
    #[must_use]
    pub fn of_agent(warnings: &[String]) -> Option<Self> {
        let mut report = Self::default();
        for warning in warnings {
            report.find(Rule::AgentWarning, "", warning);
        }
        (!report.findings.is_empty()).then_some(report)
    }

    /// Whether the report is about the agent and not about a declaration.
    #[must_use]
    pub fn is_of_agent(&self) -> bool {
        self.findings.iter().any(|finding| finding.rule == Rule::AgentWarning)
    }

    pub(crate) fn find(&mut self, rule: Rule, pointer: &str, message: impl Into<String>) {
        let finding = Finding { rule, pointer: pointer.to_owned(), message: message.into() };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// The places of errors.
    pub(crate) fn errors(&self) -> impl Iterator<Item = &str> {
        let errors = self.findings.iter().filter(|it| it.rule.severity() == Severity::Error);
        errors.map(|it| it.pointer.as_str())
    }

    /// Whether an error is known at `pointer` or within.
    pub(crate) fn has_error_within(&self, pointer: &str) -> bool {
        self.errors().any(|error| {
            error.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}
