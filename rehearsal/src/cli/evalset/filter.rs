//! Selects cases by id, tag and tool.

use evalset::Case;

use super::error::EvalsetError;

/// What a selected case must have.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    pub(super) id: Option<glob::Pattern>,
    pub(super) tags: &'a [String],
    pub(super) tools: &'a [String],
}

/// The ids, tags and tools to select.
#[derive(Debug, Default)]
pub(super) struct Traits {
    pub(super) tags: Vec<String>,
    pub(super) tools: Vec<String>,
}

impl<'a> Filter<'a> {
    pub(super) fn new(
        id: Option<&str>,
        tags: &'a [String],
        tools: &'a [String],
    ) -> Result<Self, EvalsetError> {
        let id = id.map(glob::Pattern::new).transpose().map_err(|error| {
            let pattern = id.unwrap_or_default().to_owned();
            EvalsetError::BadPattern { pattern, reason: error.msg.to_owned() }
        })?;
        Ok(Self { id, tags, tools })
    }

    /// Whether the id matches.
    pub(super) fn takes_id(&self, eval_id: Option<&str>) -> bool {
        self.id.as_ref().is_none_or(|id| eval_id.is_some_and(|eval_id| id.matches(eval_id)))
    }

    /// Whether the content of a case is needed to select it.
    pub(super) fn looks_inside(&self) -> bool {
        !self.tags.is_empty() || !self.tools.is_empty()
    }

    pub(super) fn takes(&self, traits: &Traits) -> bool {
        let one_of = |wanted: &[String], there: &[String]| {
            wanted.is_empty() || wanted.iter().any(|wanted| there.contains(wanted))
        };
        one_of(self.tags, &traits.tags) && one_of(self.tools, &traits.tools)
    }
}

impl Traits {
    /// The tags of a case, and the tools that it calls, each once.
    pub(super) fn of(case: &Case) -> Self {
        let tools = case.tools().into_iter().map(str::to_owned);
        Self { tags: case.tags(), tools: tools.collect() }
    }
}
