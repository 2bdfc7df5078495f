//! [`criteria`]: converts AgentFlow's config model to scoring criteria.

use evalset::agentflow::EvalConfig;
use json_text::JsonText;
use scoring::ConfigFault;
use scoring::config::{Config, Reading};
use scoring::trajectory::Schemas;

/// The criteria of a config in AgentFlow's model.
///
/// AgentFlow's configs have two readers: the model keeps unknown fields and writes the config back;
/// `scoring` reads all kinds of config and rejects unknown fields. A test checks that this conversion
/// gives the same defaults as `scoring`.
#[must_use]
pub fn criteria(config: &EvalConfig, schemas: &dyn Schemas) -> Reading {
    let text = config.to_json().laid_out(&evalset::Layout::compact());
    match JsonText::parse(&text) {
        Ok(text) => Config::read(&text, schemas),
        // What a model writes is JSON.
        Err(error) => Reading {
            config: Config {
                criteria: Vec::new(),
                informational: Vec::new(),
                source: JsonText::null(),
                warnings: Vec::new(),
            },
            faults: vec![ConfigFault::new("", error.to_string())],
        },
    }
}
