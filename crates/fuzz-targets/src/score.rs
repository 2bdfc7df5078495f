//! Any text as a config, a query, a value and a response: everything ends, nothing panics, and every
//! value equals itself.

use json_text::JsonText;
use scoring::adk::MatchType;
use scoring::config::{Config, Tools};
use scoring::json::{Equality, differences, equal, subset};
use scoring::judge::{Scale, read_reply};
use scoring::rouge::{Scorer, tokens};
use scoring::state::Query;
use scoring::trajectory::{Credit, Matching, NoSchemas, align};
use scoring::{Invocation, ToolCall, Trace};

/// Runs the checks on one input.
pub(crate) fn check(text: &str) {
    let (one, other) = text.split_once('\0').unwrap_or((text, text));
    let words = tokens(one).len();
    let rouge = Scorer::default().score(one, one);
    assert_eq!(rouge.f_measure, if words == 0 { 0.0 } else { 1.0 });
    let _ = read_reply(one, Scale::YesNo);

    let (Ok(value), Ok(second)) = (JsonText::parse(one), JsonText::parse(other)) else { return };
    for equality in [Equality::Json, Equality::Python] {
        assert!(equal(&value, &value, equality) && subset(&value, &value, equality));
        assert_eq!(equal(&value, &second, equality), equal(&second, &value, equality));
        assert_eq!(
            equal(&value, &second, equality),
            differences(&value, &second, equality).is_empty()
        );
    }
    if let Ok(query) = Query::parse(&value) {
        let _ = query.holds(&second);
    }
    let calls = |value: &JsonText| vec![ToolCall::new("tool", value.clone()); 2];
    for match_type in [MatchType::Exact, MatchType::AnyOrder] {
        let matching = Matching { match_type, credit: Credit::Arguments, ..Matching::default() };
        let alignment = align(&calls(&value), &calls(&second), &matching);
        assert!(alignment.is_ok_and(|alignment| (0.0..=1.0).contains(&alignment.f1)));
    }
    let trace = |text: &str, value: &JsonText| Trace {
        invocations: vec![Invocation {
            tool_calls: calls(value),
            final_response: Some(text.to_owned()),
            ..Invocation::default()
        }],
        final_state: Some(value.clone()),
    };
    let config = Config::read(&value, &NoSchemas).config;
    for criterion in &config.criteria {
        let _ = criterion.judge(&trace(one, &value), &trace(other, &second), &mut Tools::default());
    }
}
