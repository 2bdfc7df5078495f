//! [`JsonSchemas`]: schemas checked by `schema-check`, behind the feature `json-schema`.

use std::sync::Arc;

use json_text::JsonText;
use schema_check::Check;

use super::keywords::mistyped;
use super::matcher::{SchemaCheck, Schemas, UnusableSchema};

/// Compiles JSON Schemas and google.genai's spelling of them; nothing is ever fetched.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonSchemas;

impl Schemas for JsonSchemas {
    fn compile(&self, schema: &JsonText) -> Result<Arc<dyn SchemaCheck>, UnusableSchema> {
        // A mistyped expectation must not accept every value.
        let check = Check::strict(schema).map_err(|reason| UnusableSchema(reason.to_string()))?;
        match mistyped(schema) {
            Some(slip) => Err(UnusableSchema(slip)),
            None => Ok(Arc::new(check)),
        }
    }
}

impl SchemaCheck for Check {
    fn fits(&self, value: &JsonText) -> bool {
        self.violations(value).is_empty()
    }
}
