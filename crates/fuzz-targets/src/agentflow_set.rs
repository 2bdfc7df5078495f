//! Any bytes as an AgentFlow eval set: reading ends, the set is written unchanged, and its conversion to
//! ADK has no errors and back gives the same set.

use crate::sets::{has_both_casings, unordered};
use evalset::{EvalSet, Format, Layout, Severity, read_as};

/// Runs the checks on one input.
pub(crate) fn check(bytes: &[u8]) {
    let reading = read_as(bytes, Format::AgentFlow);
    let sound = reading.faults.iter().all(|fault| fault.severity() == Severity::Warning);
    let Ok(set) = reading.whole() else { return };
    let written = set.to_json().laid_out(&Layout::two_spaces());
    let again = read_as(written.as_bytes(), Format::AgentFlow);
    let again = again.set.map(|set| set.to_json().laid_out(&Layout::two_spaces()));
    assert_eq!(again, Some(written));
    if !sound || has_both_casings(&set) {
        return;
    }
    let begun = unordered(&set);
    let there = set.into_adk("set");
    let there = there.to_json().laid_out(&Layout::compact());
    let there = read_as(there.as_bytes(), Format::Adk);
    let errors: Vec<_> =
        there.faults.iter().filter(|fault| fault.severity() == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let back = there.set.expect("it was written").into_agentflow("set");
    assert_eq!(unordered(&EvalSet::AgentFlow(back)), begun);
}
