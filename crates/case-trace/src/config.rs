//! [`criteria`]: AgentFlow's own config model as what a case is scored by.

use evalset::agentflow::EvalConfig;
use json_text::JsonText;
use scoring::ConfigFault;
use scoring::config::{Config, Reading};
use scoring::trajectory::Schemas;

/// What a config of AgentFlow's model means.
///
/// Two readers know AgentFlow's configs, each for its purpose: the model keeps what it does not know
/// and writes a config as it stood; `scoring` reads configs of every kind, its own among them, and
/// refuses what it does not know. This leads from the one to the other, so that their defaults are
/// the same; a test holds them to it.
#[must_use]
pub fn criteria(config: &EvalConfig, schemas: &dyn Schemas) -> Reading {
    let text = config.to_json().laid_out(&evalset::Layout::compact());
    match JsonText::parse(&text) {
        Ok(text) => Config::read(&text, schemas),
        // What a model writes is JSON.
        Err(error) => Reading {
            config: Config { criteria: Vec::new(), source: JsonText::null() },
            faults: vec![ConfigFault::new("", error.to_string())],
        },
    }
}
