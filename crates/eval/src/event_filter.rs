//! What the filter of an `event_count` looks for, and whether a run can have it: a filter that matches no event would
//! let `is: 0` pass whatever happens.

use json_text::{JsonText, Kind};
use scoring::state::Query;

use crate::ledger::{Entry, Values, members_of};
use crate::names::{Names, UnknownName};
use scoring::nearest::nearest;

/// Why a filter looks for what no event of its name has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FilterError {
    /// The events have no such member.
    #[error("events {event} have no member {member}; {hint}")]
    NoMember { event: String, member: String, hint: String },
    /// A member of a text.
    #[error("`{member}` of events {event} is a text, which has no member {path}")]
    BelowText { event: String, member: String, path: String },
    /// Another value than a text.
    #[error(
        "`{member}` of events {event} is a text, and never {value}; operators begin with `$`, as in {{ \"$regex\": \"…\" }}"
    )]
    NeverText { event: String, member: String, value: JsonText },
    /// A member of what has none, or another one than those that are known.
    #[error("`{member}` of events {event} has no member {path}; {hint}")]
    NoMemberBelow { event: String, member: String, path: String, hint: String },
    /// A value that the member never has.
    #[error("`{member}` of events {event} is never {value}; {hint}")]
    Never { event: String, member: String, value: String, hint: String },
    /// A value that is not an object.
    #[error(
        "`{member}` of events {event} is an object, and never {value}; look for one of {}, as in {{ \"{}\": {{ \"$exists\": true }} }}",
        known.join(", "),
        known.first().map_or("", String::as_str)
    )]
    NeverObject { event: String, member: String, value: String, known: Vec<String> },
}

/// Checks what is the same for every subject: the members of `event`, and the values that only the engine gives.
///
/// # Errors
/// [`FilterError`]: what events of this name do not have, and the nearest that they have.
pub(crate) fn check(event: &str, filter: &Query) -> Result<(), FilterError> {
    let members = members_of(event);
    for path in filter.paths() {
        let member = outermost(path);
        let Some((_, values)) = members.iter().find(|(name, _)| *name == member) else {
            let hint = nearest(member, members.iter().map(|(name, _)| *name));
            let (event, member) = (event.to_owned(), member.to_owned());
            return Err(FilterError::NoMember { event, member, hint });
        };
        let is_text = !matches!(values, Values::Any | Values::OneOf(_) | Values::ObjectOf(_));
        if is_text && path != member {
            let (event, member, path) = (event.to_owned(), member.to_owned(), path.to_owned());
            return Err(FilterError::BelowText { event, member, path });
        }
        // Those of a yield that is not a tool's are absent.
        let may_be_null = ["tool_name", "call_id"].contains(&member);
        if is_text && let Some(other) = filter.other_than_text(path, may_be_null) {
            let (event, member) = (event.to_owned(), member.to_owned());
            return Err(FilterError::NeverText { event, member, value: other.compact() });
        }
        match values {
            Values::OneOf(known) => check_choice(event, member, path, known, filter)?,
            Values::ObjectOf(known) => check_object(event, member, known, filter)?,
            Values::PartsOf => check_parts(event, member, filter)?,
            _ => {}
        }
    }
    Ok(())
}

/// Checks that a filter looks for values that a member can have.
fn check_choice(
    event: &str,
    member: &str,
    path: &str,
    known: &[&str],
    filter: &Query,
) -> Result<(), FilterError> {
    let (event, name) = (event.to_owned(), member.to_owned());
    if path != member {
        return Err(FilterError::NoMemberBelow {
            event,
            member: name,
            path: path.to_owned(),
            hint: format!("known are {}", known.join(", ")),
        });
    }
    // A run that completes has no reason.
    let is_null = |value: &&JsonText| value.kind() == Kind::Null && member != "reason";
    let null = filter.compared(path).into_iter().find(is_null).map(ToString::to_string);
    match null.or_else(|| filter.unmatched(path, known)) {
        None => Ok(()),
        Some(value) => {
            let hint = nearest(&value, known.iter().copied());
            Err(FilterError::Never { event, member: name, value, hint })
        }
    }
}

/// Checks that a filter looks for members that an object can have.
fn check_object(
    event: &str,
    member: &str,
    known: &[&str],
    filter: &Query,
) -> Result<(), FilterError> {
    let mut wanted = filter.members_below(member).into_iter();
    if let Some(unknown) = wanted.find(|name| !known.contains(&name.as_str())) {
        let hint = nearest(&unknown, known.iter().copied());
        let (event, member) = (event.to_owned(), member.to_owned());
        return Err(FilterError::NoMemberBelow { event, member, path: unknown, hint });
    }
    let other = filter.compared(member).into_iter().find(|it| it.kind() != Kind::Object);
    let other = other.map(ToString::to_string);
    let pattern = || filter.unmatched(member, &[]).filter(|text| !text.starts_with('{'));
    let Some(value) = other.or_else(pattern) else { return Ok(()) };
    let known = known.iter().map(|name| format!("{member}.{name}")).collect();
    let (event, member) = (event.to_owned(), member.to_owned());
    Err(FilterError::NeverObject { event, member, value, known })
}

/// The names that a member may hold; `None` if only running the subject shows them.
type KnownNames = fn(&Names) -> Option<Vec<&str>>;

/// What stands before the name of a tool, an agent or a node in `in` of events `value_replaced`.
const PARTS_OF: [(&str, KnownNames); 4] = [
    ("the result of ", Names::called_tools),
    ("the arguments of ", Names::called_tools),
    ("the message of ", Names::acting_agents),
    ("the output of ", Names::acting_agents),
];

/// Checks that texts are `state`, or name a part of a tool, an agent or a node.
fn check_parts(event: &str, member: &str, filter: &Query) -> Result<(), FilterError> {
    let is_part =
        |text: &str| text == "state" || PARTS_OF.iter().any(|(of, _)| text.starts_with(of));
    let texts = filter.compared(member).into_iter().filter_map(|it| it.decode::<String>().ok());
    match texts.into_iter().find(|text| !is_part(text)) {
        None => Ok(()),
        Some(value) => {
            let known = PARTS_OF.map(|(of, _)| format!("{of}…"));
            let hint = format!("it is state, {}", known.join(", "));
            let (event, member) = (event.to_owned(), member.to_owned());
            Err(FilterError::Never { event, member, value, hint })
        }
    }
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
            Values::Nodes => ("node", names.acting_agents()),
            Values::ModelUsers if is_of_subject(filter) => ("agent", names.acting_agents()),
            Values::ModelUsers => ("agent", names.model_users()),
            Values::PartsOf => {
                check_names_of_parts(member, filter, names)?;
                continue;
            }
            Values::Any
            | Values::Text
            | Values::Unlisted
            | Values::OneOf(_)
            | Values::ObjectOf(_) => continue,
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

/// Whether a filter of uses of models wants only those of the subject.
fn is_of_subject(filter: &Query) -> bool {
    let roles = filter.compared("role");
    roles.iter().any(|role| role.as_str() == "\"subject\"")
        && filter.unmatched("role", &["subject"]).is_none()
}

/// Checks the tools, agents and nodes whose values a filter looks for.
fn check_names_of_parts(member: &str, filter: &Query, names: &Names) -> Result<(), UnknownName> {
    let known: Option<Vec<_>> =
        PARTS_OF.iter().map(|(of, known)| Some((*of, known(names)?))).collect();
    let Some(known) = known else { return Ok(()) };
    let known = known
        .into_iter()
        .flat_map(|(of, names)| names.into_iter().map(move |name| format!("{of}{name}")));
    let known: Vec<String> = std::iter::once("state".to_owned()).chain(known).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    match filter.unmatched(member, &known) {
        Some(unknown) => {
            let hint = nearest(&unknown, known);
            Err(UnknownName { wanted: unknown, is_tool: false, hint })
        }
        None => Ok(()),
    }
}

/// The names of models or modules that a filter looks for, which the run did not have, and which nothing lists.
pub(crate) fn unlisted(event: &str, filter: &Query, events: &[Entry]) -> Vec<String> {
    let mut unlisted = Vec::new();
    for (member, values) in members_of(event) {
        let of_member = |entry: &Entry| {
            let members = serde_json::to_value(&entry.event).unwrap_or_default();
            members.get(*member).and_then(|it| it.as_str()).map(str::to_owned)
        };
        if *values == Values::Unlisted {
            let had: Vec<String> =
                events.iter().filter(|it| it.event.name() == event).filter_map(of_member).collect();
            let had: Vec<&str> = had.iter().map(String::as_str).collect();
            let unknown = filter.unmatched(member, &had);
            unlisted.extend(unknown.map(|name| format!("`{member}` {name}")));
        }
    }
    unlisted
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
            is_tool: false,
        }),
    }
}

fn outermost(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn query(text: &str) -> Query {
        Query::parse(&JsonText::parse(text).expect("valid")).expect("a query")
    }

    fn refused(event: &str, filter: &str, expected: &Expect) {
        expected.assert_eq(&check(event, &query(filter)).expect_err("refused").to_string());
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
            r#"{"is_inner":null}"#,
            &expect!["`is_inner` of events message is never null; known are true, false"],
        );
        refused(
            "termination",
            r#"{"reason.name":"max_turns"}"#,
            &expect![
                "`reason` of events termination has no member reason.name; known are max_turns, max_duration, state_matches"
            ],
        );
        refused(
            "tool_fault",
            r#"{"effect":null}"#,
            &expect![[
                r#"`effect` of events tool_fault is an object, and never null; look for one of effect.raises, effect.returns, effect.latency_ms, effect.truncates, as in { "effect.raises": { "$exists": true } }"#
            ]],
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
            ..Names::default()
        };
        let names = Names {
            arguments: [("read", &["title"][..]), ("send_alert", &["to", "text"])]
                .map(|(tool, of)| (tool.to_owned(), of.iter().map(|&it| it.to_owned()).collect()))
                .into(),
            ..names
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
