//! [`set_tools`]: what tools do in the continuations of a fork.

use std::sync::Arc;

use super::ForkRunError;
use crate::case::EvalCase;
use crate::ledger::Entry;
use crate::mock::{ToolMock, ToolUse};
use crate::model::Models;
use crate::recorded::Recording;
use crate::simulated::SimulatedTool;
use crate::tool_mode::{ToolMode, ToolModes};
use crate::trace::trace;

/// Gives the tools of a case these modes, after a run with these events.
///
/// # Errors
/// [`ForkRunError::Model`] if a model cannot be asked.
pub(super) fn set_tools(
    case: &mut EvalCase,
    modes: &ToolModes,
    events: &[Entry],
    models: &Models,
) -> Result<(), ForkRunError> {
    let is_recorded = |mode: &ToolMode| *mode == ToolMode::Recorded;
    let recording =
        modes.values().any(is_recorded).then(|| Arc::new(Recording::of(&trace(events))));
    for (tool, mode) in modes {
        let used = match (mode, &recording) {
            (ToolMode::Real, _) => Some(ToolUse::Real),
            (ToolMode::Sealed, _) => Some(ToolUse::Sealed),
            (ToolMode::Recorded, Some(recording)) => {
                let recording = Arc::clone(recording);
                Some(ToolUse::Mock(ToolMock::Recorded { recording, otherwise: None }))
            }
            (ToolMode::Recorded, None) | (ToolMode::Refused, _) => None,
            (ToolMode::Simulated(model), _) => {
                let model = models
                    .model(model)
                    .map_err(|error| ForkRunError::Model { tool: tool.clone(), error })?;
                Some(ToolUse::Mock(ToolMock::Function(Arc::new(SimulatedTool::new(model)))))
            }
        };
        case.shared_tools.remove(tool);
        match used {
            Some(used) => drop(case.tools.insert(tool.clone(), used)),
            None => drop(case.tools.remove(tool)),
        }
        case.named_tools.insert(tool.clone());
    }
    Ok(())
}
