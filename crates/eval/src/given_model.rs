//! [`GivenModel`]: a model without a model, for work without a key.

use std::sync::Arc;

use json_text::JsonText;
use serde::Serialize;

/// A model whose responses are given.
#[derive(Debug, Clone)]
pub enum GivenModel {
    /// These responses in order, whichever agent asks.
    Scripted(Arc<Vec<ModelTurn>>),
}

/// One response of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelTurn {
    /// Its text; empty for none.
    pub text: String,
    /// Its calls.
    pub calls: Vec<ModelCall>,
}

/// A call in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelCall {
    /// The tool.
    pub tool: String,
    /// The arguments: an object.
    pub args: JsonText,
}

impl ModelTurn {
    /// A response that is a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new() }
    }

    /// A response that calls one tool.
    #[must_use]
    pub fn call(tool: impl Into<String>, args: JsonText) -> Self {
        Self { text: String::new(), calls: vec![ModelCall { tool: tool.into(), args }] }
    }
}

impl GivenModel {
    /// A model with these responses.
    #[must_use]
    pub fn scripted(turns: Vec<ModelTurn>) -> Self {
        Self::Scripted(Arc::new(turns))
    }

    /// The name under which traces record it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scripted(_) => "scripted",
        }
    }

    /// The response to request number `number` of the run, from 0.
    ///
    /// # Errors
    /// That there is none, with the remedy.
    pub(crate) fn respond(&self, number: usize, agent: &str) -> Result<ModelTurn, String> {
        let Self::Scripted(turns) = self;
        turns.get(number).cloned().ok_or_else(|| {
            format!(
                "the scripted model has {} responses, and {agent} asks for response {}. Add a response, or check why the model is asked again",
                turns.len(),
                number + 1
            )
        })
    }
}
