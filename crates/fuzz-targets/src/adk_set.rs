//! Any bytes as an ADK eval set: reading ends, the set is written unchanged, and a set without errors is
//! unchanged after a conversion to AgentFlow and back.

use crate::sets::{has_both_casings, unordered};
use evalset::{EvalSet, Format, Layout, Severity, read, read_as};

/// Runs the checks on one input.
pub(crate) fn check(bytes: &[u8]) {
    let set = read(bytes);
    let format = match set.format {
        Some(Format::AdkLegacy) => Format::AdkLegacy,
        _ => Format::Adk,
    };
    let reading = read_as(bytes, format);
    let sound = reading.faults.iter().all(|fault| fault.severity() == Severity::Warning);
    let Ok(set) = reading.whole() else { return };
    let written = set.to_json().laid_out(&Layout::two_spaces());
    let again = read_as(written.as_bytes(), format);
    let again = again.set.map(|set| set.to_json().laid_out(&Layout::two_spaces()));
    assert_eq!(again, Some(written));
    let EvalSet::Adk(set) = set else { return };
    // The key that is ours may hold what we would not have written there.
    let ours = set.eval_cases.iter().any(|case| case.written.extra("agentflow").is_some());
    if !sound || ours || set.written.extra("agentflow").is_some() {
        return;
    }
    let set = EvalSet::Adk(set);
    if has_both_casings(&set) {
        return;
    }
    let begun = unordered(&set);
    let there = set.into_agentflow("set");
    let there = there.to_json().laid_out(&Layout::compact());
    let there = read_as(there.as_bytes(), Format::AgentFlow);
    assert!(there.faults.iter().all(|fault| fault.severity() == Severity::Warning));
    let back = there.set.expect("it was written").into_adk("set");
    assert_eq!(unordered(&EvalSet::Adk(back)), begun);
}
