//! [`World`]: what the simulated tools of one run know in common.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::ledger::Ledger;

/// What the simulated tools of one run know in common.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) ledger: Arc<Ledger>,
    /// Held while a model plays a call, so that each call sees what the ones before it changed.
    pub(crate) so_far: Mutex<SoFar>,
}

/// What has happened in it.
#[derive(Debug, Default)]
pub(crate) struct SoFar {
    /// Its state.
    pub(crate) state: Map<String, Value>,
    /// The calls with their outcomes, for people and models.
    pub(crate) calls: Vec<String>,
}

impl World {
    /// An empty world. The tokens of its models are noted in `ledger`.
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        Self { ledger, so_far: Mutex::default() }
    }
}
