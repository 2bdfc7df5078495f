//! The ids of calls that the person left without one.

use live::TurnId;
use model_wire::made_ids;

/// The ids of the call in this part of a turn's answer, the `place`th of its calls, both from 0: that of
/// the plugin, then those of the model endpoints.
#[must_use]
pub fn call_ids(turn: TurnId, part: usize, place: usize) -> Vec<String> {
    let digits = turn.to_string().replace('-', "");
    let mut ids = vec![format!("adk-{turn}-{place}")];
    ids.extend(made_ids(&digits, part));
    ids
}
