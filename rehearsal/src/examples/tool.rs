//! [`FnTool`]: a Rust function as an `adk-core` tool, with a schema from its arguments' type.

use std::pin::Pin;
use std::sync::Arc;

use adk_core::{AdkError, ErrorCategory, ErrorComponent, Tool, ToolContext};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

type Answer = Pin<Box<dyn Future<Output = Result<Value, ToolFault>> + Send>>;
type Run = dyn Fn(Arc<dyn ToolContext>, Value) -> Answer + Send + Sync;

/// A function as a tool.
pub struct FnTool {
    name: &'static str,
    description: &'static str,
    parameters: Option<Value>,
    response: Option<Value>,
    run: Box<Run>,
}

/// A tool's own failure.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ToolFault {
    category: ErrorCategory,
    message: String,
}

impl ToolFault {
    /// The requested item does not exist.
    #[must_use]
    pub fn not_found(message: impl Into<String>) -> Self {
        Self { category: ErrorCategory::NotFound, message: message.into() }
    }

    /// A service that the tool needs does not respond.
    #[must_use]
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self { category: ErrorCategory::Unavailable, message: message.into() }
    }

    /// The arguments contradict each other.
    #[must_use]
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self { category: ErrorCategory::InvalidInput, message: message.into() }
    }
}

impl FnTool {
    /// A tool that runs `function` with its arguments read as `A`.
    pub fn new<A, R, F>(
        name: &'static str,
        description: &'static str,
        function: impl Fn(Arc<dyn ToolContext>, A) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<R, ToolFault>> + Send + 'static,
    {
        let run = move |context: Arc<dyn ToolContext>, arguments: Value| -> Answer {
            let arguments = serde_json::from_value::<A>(arguments)
                .map_err(|error| ToolFault::invalid_input(error.to_string()));
            let answer = arguments.map(|arguments| function(context, arguments));
            Box::pin(async move {
                let answer = answer?.await?;
                serde_json::to_value(answer)
                    .map_err(|error| ToolFault::invalid_input(error.to_string()))
            })
        };
        let parameters: Value = schemars::schema_for!(A).into();
        let takes_none = parameters
            .get("properties")
            .is_none_or(|it| it == &Value::Object(serde_json::Map::new()));
        Self {
            name,
            description,
            parameters: (!takes_none).then_some(parameters),
            response: Some(schemars::schema_for!(R).into()),
            run: Box::new(run),
        }
    }

    /// Replaces the schema, for rules that Rust's types cannot express.
    #[must_use]
    pub fn parameters(mut self, schema: Value) -> Self {
        self.parameters = Some(schema);
        self
    }
}

#[async_trait]
impl Tool for FnTool {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        self.description
    }

    fn parameters_schema(&self) -> Option<Value> {
        self.parameters.clone()
    }

    fn response_schema(&self) -> Option<Value> {
        self.response.clone()
    }

    async fn execute(
        &self,
        context: Arc<dyn ToolContext>,
        arguments: Value,
    ) -> adk_core::Result<Value> {
        (self.run)(context, arguments).await.map_err(|fault| {
            AdkError::new(ErrorComponent::Tool, fault.category, "example.tool", fault.message)
        })
    }
}
