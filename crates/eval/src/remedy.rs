//! What to change in a case, in the language that the case is written in.

use json_text::JsonText;

/// What a case is written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WrittenIn {
    /// Rust.
    #[default]
    Rust,
    /// A suite, in YAML or JSON.
    Suite,
    /// Python, with the package `rehearsal_adk.eval`.
    Python,
    /// An eval set of ADK or AgentFlow, which has no mocks but what is recorded.
    EvalSet,
}

/// Why a tool without a mock did not run, and the ways to go on.
pub(crate) fn unmocked(
    written_in: WrittenIn,
    tool: &str,
    args: &JsonText,
    is_long_running: bool,
    can_be_sealed: bool,
) -> String {
    let mut message = format!(
        "EvalToolError: the tool {tool} was called, and the case has no mock for it. It did not run.\n\n{}",
        mock_or_run(written_in, tool, can_be_sealed)
    );
    if is_long_running && written_in != WrittenIn::EvalSet {
        message += &format!("\n\nOr let a user agent respond to it:\n{}", user(written_in, tool));
    }
    with_args(&message, args)
}

/// Why a tool did not run whose recording has no answer, and the ways to go on.
pub(crate) fn not_recorded(
    written_in: WrittenIn,
    tool: &str,
    args: &JsonText,
    can_be_sealed: bool,
) -> String {
    let otherwise = match written_in {
        WrittenIn::Suite => {
            let name = key(tool);
            format!("  tools:\n    {name}: {{ recorded: {{ otherwise: {{ returns: ... }} }} }}")
        }
        WrittenIn::Python => {
            let name = JsonText::string(tool);
            format!("  tools={{{name}: {{\"recorded\": {{\"otherwise\": returns(...)}}}}}}")
        }
        WrittenIn::Rust | WrittenIn::EvalSet => String::new(),
    };
    let remedy = match otherwise.is_empty() {
        true => mock_or_run(written_in, tool, can_be_sealed),
        false => format!(
            "Say what it answers otherwise:\n{otherwise}\n\n{}",
            run(written_in, tool, can_be_sealed)
        ),
    };
    let message = format!(
        "EvalToolError: the tool {tool} was called with arguments that the recording does not have. It did not run.\n\n{remedy}"
    );
    with_args(&message, args)
}

/// Why a tool got no response, and how to give it one.
pub(crate) fn no_user_agent(written_in: WrittenIn, tool: &str, args: &JsonText) -> String {
    let message = format!(
        "EvalUserAgentError: the tool {tool} waits for the user, and the case has no user agent for it.\n\n{}",
        match written_in {
            WrittenIn::EvalSet => suite_instead("Make", "a user agent"),
            _ => format!("Add one:\n{}", user(written_in, tool)),
        }
    );
    with_args(&message, args)
}

fn mock_or_run(written_in: WrittenIn, tool: &str, can_be_sealed: bool) -> String {
    let mock = match written_in {
        WrittenIn::Rust => {
            format!("  .tool({}, ToolUse::Mock(ToolMock::Returns(...)))", JsonText::string(tool))
        }
        WrittenIn::Suite => format!("  tools:\n    {}: {{ returns: ... }}", key(tool)),
        WrittenIn::Python => format!("  tools={{{}: returns(...)}}", JsonText::string(tool)),
        WrittenIn::EvalSet => suite_instead("Make", "a mock"),
    };
    let run = run(written_in, tool, can_be_sealed);
    match written_in {
        WrittenIn::EvalSet => format!(
            "{mock}\n\nOr let a model play the tools without an answer:\n  --simulate-tools MODEL\n\n{run}"
        ),
        _ => format!("Add a mock:\n{mock}\n\n{run}"),
    }
}

/// How to let a tool run.
fn run(written_in: WrittenIn, tool: &str, can_be_sealed: bool) -> String {
    let use_as = |rust, suite, python, option| match written_in {
        WrittenIn::Rust => format!("  .tool({}, ToolUse::{rust})", JsonText::string(tool)),
        WrittenIn::Suite => format!("  tools:\n    {}: {suite}", key(tool)),
        WrittenIn::Python => format!("  tools={{{}: {python}}}", JsonText::string(tool)),
        WrittenIn::EvalSet => format!("  {option} {tool}"),
    };
    let real = use_as("Real", "real", "REAL", "--real-tools");
    if !can_be_sealed {
        return format!("Or let it run, with all its effects:\n{real}");
    }
    let sealed = use_as("Sealed", "sealed", "SEALED", "--sealed-tools");
    format!(
        "Or let it run. It can change its session, and nothing else:\n{sealed}\n\nOr with all its effects:\n{real}"
    )
}

fn user(written_in: WrittenIn, tool: &str) -> String {
    match written_in {
        WrittenIn::Rust => format!("  .user_for_tool({}, Arc::new(...))", JsonText::string(tool)),
        WrittenIn::Python => format!(
            "  user_agents={{\"tools\": {{{}: {{\"script\": [...]}}}}}}",
            JsonText::string(tool)
        ),
        WrittenIn::Suite | WrittenIn::EvalSet => {
            format!("  user_agents:\n    tools:\n      {}: {{ script: [...] }}", key(tool))
        }
    }
}

fn suite_instead(make: &str, what: &str) -> String {
    format!(
        "{make} a suite of the case, which can have {what}:\n  rehearsal eval init EVALSET --case=ID"
    )
}

fn with_args(message: &str, args: &JsonText) -> String {
    format!("{message}\n\nIt was called with:\n{}", indented(args))
}

/// The arguments as people read them, two spaces in.
fn indented(args: &JsonText) -> String {
    args.pretty().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// A name as a key in YAML.
pub(crate) fn key(name: &str) -> String {
    let is_plain = name.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '-')
        && name.starts_with(|it: char| it.is_alphabetic() || it == '_');
    if is_plain { name.to_owned() } else { JsonText::string(name).as_str().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> JsonText {
        JsonText::from_value(&serde_json::json!({ "id": 7 }))
    }

    #[test]
    fn each_language_has_its_remedies() {
        let all = [WrittenIn::Rust, WrittenIn::Suite, WrittenIn::Python, WrittenIn::EvalSet];
        let texts = all.map(|language| {
            [
                unmocked(language, "search", &args(), true, true),
                unmocked(language, "search", &args(), false, false),
                not_recorded(language, "search", &args(), true),
                no_user_agent(language, "search", &args()),
            ]
            .join("\n\n")
        });
        expect_test::expect_file!["../tests/remedies.txt"].assert_eq(&texts.join("\n\n----\n\n"));
    }
}
