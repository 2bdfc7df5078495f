//! Any text as a case: a plain case is accepted by its model, too, and both find the same trace.

use case_trace::{CaseTrace, PlainCase};
use evalset::{Format, Origin, Severity, read_case};
use evalset_file::{CaseTokens, OneCase};
use scoring::adk::Conversation;

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    let Some(one) = OneCase::of(text) else { return };
    let CaseTokens { bytes, starts, escapes } = one.tokens();
    let mut plain = PlainCase::default();
    let Some(count) = plain.fill(bytes, starts, escapes) else { return };
    // A case ends where its object does; in a file another may follow.
    let (Some(first), Some(last)) = (starts.first(), starts.get(count - 1)) else {
        panic!("a case has tokens")
    };
    let case = &text[*first as usize..=*last as usize];
    plain.text_mut().push_str(case);

    let (read, faults) = read_case(case, Format::Adk, Origin::default());
    let refused = faults.iter().find(|fault| fault.severity() == Severity::Error);
    assert!(refused.is_none(), "{refused:?}");
    let read = CaseTrace::of(&read.expect("a case that is plain is read")).expect("and a trace");
    assert_eq!(plain.trace(), read);
    assert_eq!(plain.eval_id(), read.eval_id);
    assert_eq!(Conversation::turns(&plain), read.trace.invocations.len());
    for turn in 0..read.trace.invocations.len() {
        assert_eq!(plain.response(turn), read.trace.response(turn));
        assert!(plain.calls(turn).eq(read.trace.calls(turn)));
    }
}
