//! What the filter of an `event_count` looks for, and whether a run can have it: a filter that matches no event would
//! let `is: 0` pass whatever happens.

use scoring::state::Query;

use crate::ledger::{Values, members_of};
use crate::names::{Names, UnknownName};
use scoring::nearest::nearest;

/// Checks what is the same for every subject: the members of `event`, and the values that only the engine gives.
///
/// # Errors
/// What events of this name do not have, and the nearest that they have.
pub(crate) fn check(event: &str, filter: &Query) -> Result<(), String> {
    let members = members_of(event);
    for path in filter.paths() {
        let member = outermost(path);
        let Some((_, values)) = members.iter().find(|(name, _)| *name == member) else {
            let hint = nearest(member, members.iter().map(|(name, _)| *name));
            return Err(format!("events {event} have no member {member}; {hint}"));
        };
        let is_text = matches!(values, Values::Text | Values::Tools | Values::Agents);
        if is_text && path != member {
            return Err(format!(
                "`{member}` of events {event} is a text, which has no member {path}"
            ));
        }
        // Those of a yield that is not a tool's are absent.
        let may_be_null = ["tool_name", "call_id"].contains(&member);
        if is_text && let Some(other) = filter.other_than_text(path, may_be_null) {
            return Err(format!(
                "`{member}` of events {event} is a text, and never {}; operators begin with `$`, as in {{ \"$regex\": \"…\" }}",
                other.compact()
            ));
        }
        if let Values::OneOf(known) = values
            && let Some(unknown) = filter.unmatched(path, known)
        {
            let hint = nearest(&unknown, known.iter().copied());
            return Err(format!("`{member}` of events {event} is never {unknown}; {hint}"));
        }
    }
    Ok(())
}

/// Checks that a subject with these names can have what a filter looks for.
///
/// # Errors
/// The first name that it does not have.
pub(crate) fn check_names(event: &str, filter: &Query, names: &Names) -> Result<(), UnknownName> {
    for (member, values) in members_of(event) {
        let (kind, known) = match values {
            Values::Tools => ("tool", names.called_tools()),
            Values::Agents => ("agent", names.acting_agents()),
            Values::Any | Values::Text | Values::OneOf(_) => continue,
        };
        if let Some(known) = known
            && let Some(unknown) = filter.unmatched(member, &known)
        {
            return Err(UnknownName::new(kind, &unknown, &known));
        }
    }
    match event {
        "tool_call" => {
            check_transfer(filter, names)?;
            check_arguments(filter, names)
        }
        _ => Ok(()),
    }
}

/// Checks the agent to which a filter of calls wants a transfer.
fn check_transfer(filter: &Query, names: &Names) -> Result<(), UnknownName> {
    let is_of_others =
        |tool: &&str| *tool != TRANSFER && filter.unmatched("name", &[*tool]).is_none();
    let tools = names.called_tools().unwrap_or_default();
    let Some(known) = names.acting_agents() else { return Ok(()) };
    if tools.is_empty() || tools.iter().any(is_of_others) {
        return Ok(());
    }
    match filter.unmatched("args.agent_name", &known) {
        Some(unknown) => Err(UnknownName::new("agent", &unknown, &known)),
        None => Ok(()),
    }
}

/// The tool with which google-adk's models go on with another agent.
const TRANSFER: &str = "transfer_to_agent";

/// Checks the arguments that a filter of calls looks for, if the tools that it can match take no others than are known.
fn check_arguments(filter: &Query, names: &Names) -> Result<(), UnknownName> {
    let tools = names.called_tools().unwrap_or_default().into_iter();
    let tools: Vec<&str> =
        tools.filter(|tool| filter.unmatched("name", &[*tool]).is_none()).collect();
    let known: Option<Vec<_>> = tools.iter().map(|tool| names.arguments.get(*tool)).collect();
    let Some(known) = known.filter(|known| !known.is_empty()) else { return Ok(()) };
    let known: Vec<&str> = known.into_iter().flatten().map(String::as_str).collect();
    let mut wanted = filter.members_below("args").into_iter();
    match wanted.find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(UnknownName {
            hint: nearest(&unknown, known),
            wanted: format!("the argument {unknown} of {}", tools.join(" or ")),
        }),
    }
}

fn outermost(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use json_text::JsonText;

    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(&JsonText::parse(text).expect("valid")).expect("a query")
    }

    fn refused(event: &str, filter: &str, expected: &Expect) {
        expected.assert_eq(&check(event, &query(filter)).expect_err("refused"));
    }

    #[test]
    fn members_and_values_of_the_engine_are_known() {
        refused(
            "tool_call",
            r#"{"$or":[{"nam":"ask"},{"name":"tell"}]}"#,
            &expect!["events tool_call have no member nam; did you mean name?"],
        );
        refused(
            "tool_result",
            r#"{"from":{"$in":["mock","reel"]}}"#,
            &expect!["`from` of events tool_result is never reel; did you mean real?"],
        );
        refused(
            "message",
            r#"{"is_inner":"no"}"#,
            &expect!["`is_inner` of events message is never no; known are true, false"],
        );
        refused(
            "message",
            r#"{"text":{"regex":"end"}}"#,
            &expect![[
                r#"`text` of events message is a text, and never {"regex":"end"}; operators begin with `$`, as in { "$regex": "…" }"#
            ]],
        );
        refused(
            "tool_call",
            r#"{"name":null}"#,
            &expect![[
                r#"`name` of events tool_call is a text, and never null; operators begin with `$`, as in { "$regex": "…" }"#
            ]],
        );
        for (event, filter) in [
            ("tool_call", r#"{"args.liters":{"$gte":1},"is_inner":false}"#),
            ("termination", r#"{"reason":null}"#),
            ("yield", r#"{"kind":"tool","tool_name":"ask"}"#),
        ] {
            assert_eq!(check(event, &query(filter)), Ok(()), "{filter}");
        }
    }

    #[test]
    fn names_are_those_of_the_subject() {
        let names = |names: &[&str]| Some(names.iter().map(|&it| it.to_owned()).collect());
        let names = Names {
            tools: names(&["send_alert", "read"]),
            framework_tools: vec!["transfer_to_agent".to_owned()],
            agents: names(&["triage"]),
            arguments: [("read", &["title"][..]), ("send_alert", &["to", "text"])]
                .map(|(tool, of)| (tool.to_owned(), of.iter().map(|&it| it.to_owned()).collect()))
                .into(),
        };
        let unknown = |event: &str, filter: &str| {
            let refused = check_names(event, &query(filter), &names).err();
            refused.map(|it| format!("{}; {}", it.wanted, it.hint))
        };
        for filter in [
            r#"{"name":"send_alerts"}"#,
            r#"{"name":{"$ne":"send_alerts"}}"#,
            r#"{"$nor":[{"name":{"$in":["read","send_alerts"]}}]}"#,
        ] {
            let wanted = "the tool send_alerts; did you mean send_alert?";
            assert_eq!(unknown("tool_call", filter).as_deref(), Some(wanted), "{filter}");
        }
        assert!(unknown("tool_call", r#"{"name":{"$regex":"^send$"}}"#).is_some());
        for (filter, wanted) in [
            (
                r#"{"name":"read","args.titel":{"$regex":"^A"}}"#,
                "the argument titel of read; did you mean title?",
            ),
            (
                r#"{"name":"send_alert","args":{"subject":1}}"#,
                "the argument subject of send_alert; known are to, text",
            ),
        ] {
            assert_eq!(unknown("tool_call", filter).as_deref(), Some(wanted), "{filter}");
        }
        let wanted = "the agent triagge; did you mean triage?";
        let transfer = r#"{"name":"transfer_to_agent","args.agent_name":"triagge"}"#;
        assert_eq!(unknown("tool_call", transfer).as_deref(), Some(wanted));
        assert_eq!(unknown("message", r#"{"agent":"triagge"}"#).as_deref(), Some(wanted));
        for filter in [
            r#"{"name":"transfer_to_agent"}"#,
            r#"{"name":"transfer_to_agent","args.agent_name":"triage"}"#,
            r#"{"name":{"$regex":"alert"},"agent":"triage"}"#,
            // Those of `transfer_to_agent` are not known.
            r#"{"args.name":"send_alerts"}"#,
            r#"{"name":"send_alert","args.to.0":"Ann","args.text":null}"#,
        ] {
            assert_eq!(unknown("tool_call", filter), None, "{filter}");
        }
        let unseen = Names::default();
        assert_eq!(check_names("tool_call", &query(r#"{"name":"any"}"#), &unseen), Ok(()));
    }
}
