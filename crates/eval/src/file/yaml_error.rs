//! [`explained`]: errors of the YAML reader, in the words of suites.

use super::yaml_numbers::without_marks;
use scoring::nearest::nearest;

/// Phrases of the reader and of serde, and what they mean for the author of a suite. The first that contains others
/// stands before them.
const PHRASES: [(&str, &str); 22] = [
    (
        "externally tagged enum expected scalar or mapping",
        "an object with one member is expected, or the name of a member",
    ),
    ("expected sequence start", "a list is expected"),
    ("expected mapping start", "an object is expected"),
    ("expected string scalar", "a text is expected"),
    ("expected scalar", "a text or a number is expected"),
    ("invalid u32", "a whole number from 0 is expected"),
    ("invalid u64", "a whole number from 0 is expected"),
    ("invalid usize", "a whole number from 0 is expected"),
    ("invalid floating point", "a number is expected"),
    ("invalid boolean (true or false expected)", "true or false is expected"),
    ("invalid type: sequence, expected", "there is a list, expected"),
    ("invalid type: map, expected", "there is an object, expected"),
    ("unexpected value for unit enum variant", "nothing can be given here"),
    ("expected end of mapping after enum variant value", "only one of these members can be given"),
    (
        "data did not match any variant of untagged enum ModelTurn",
        "a text is expected, or an object with `calls` and perhaps `text`",
    ),
    (
        "data did not match any variant of untagged enum ScriptEntry",
        "a text is expected, or an object with `says` and perhaps `changes`",
    ),
    (
        "data did not match any variant of untagged enum BridgeFormat",
        "a template is expected, or an object with `function`",
    ),
    ("duplicate mapping key: ", "there are two members with the name "),
    (", set DuplicateKeyPolicy in Options if acceptable", ""),
    ("unknown variant `", "unknown name `"),
    ("unknown field `", "unknown member `"),
    ("missing field `", "missing member `"),
];

/// The message with the line and an excerpt, in plain words, and with the nearest name where one is unknown.
pub(super) fn explained(error: &serde_saphyr::Error) -> String {
    let message = error.to_string();
    let message = without_marks(message.strip_prefix("error: ").unwrap_or(&message));
    let message = &*message;
    let hint = hint(message);
    // The reader does not know the name of the file, which stands before the message.
    let lines = message.lines().filter(|line| !line.trim_start().starts_with("--> <"));
    let mut plain = lines.collect::<Vec<_>>().join("\n");
    for (phrase, meaning) in PHRASES {
        plain = plain.replace(phrase, meaning);
    }
    match hint {
        Some(hint) => format!("{plain}\n{hint}"),
        None => plain,
    }
}

/// The nearest of the names that are expected in the place of an unknown one.
fn hint(message: &str) -> Option<String> {
    let first = message.lines().next()?;
    if !first.contains("unknown field") && !first.contains("unknown variant") {
        return None;
    }
    let found = first.split('`').nth(1)?;
    let (_, known) = first.split_once("expected ").unwrap_or_default();
    let known = known.trim_start_matches("one of ").split(", ").map(|name| name.trim_matches('`'));
    Some(nearest(found, known))
}

#[cfg(test)]
mod tests {
    use crate::file::format;

    #[test]
    fn errors_say_what_is_expected_and_nothing_of_the_reader() {
        let case = |members: &str| {
            format!(
                "subject: {{ adk: a }}\ncases:\n  - name: a\n    first_message: Hi\n    {members}\n"
            )
        };
        for (suite, expected) in [
            ("cases: 7".to_owned(), "a list is expected"),
            ("- a".to_owned(), "an object is expected"),
            (case("terminate_when: { max_turns: many }"), "a whole number from 0 is expected"),
            (case("repeats: -1"), "a whole number from 0 is expected"),
            (case("faults: [{ tool: a, probability: often }]"), "a number is expected"),
            (
                case("tools: { read: { returns: 1, raises: b } }"),
                "the mock has a second answer, `raises`; ",
            ),
            (
                case("tools: { read: [1] }"),
                "there is a list, expected `sealed`, `real`, or a mock such as `{ returns: VALUE }`",
            ),
            (
                case("metrics: [{ function: a, state: b }]"),
                "only one of these members can be given",
            ),
            (
                case("metrics: [[1]]"),
                "an object with one member is expected, or the name of a member",
            ),
            (
                case("model: { scripted: [{ calls: 7 }] }"),
                "a text is expected, or an object with `calls` and perhaps `text`",
            ),
            (
                case("user_agents: { loop: { script: [{ say: 1 }] } }"),
                "a text is expected, or an object with `says` and perhaps `changes`",
            ),
            (
                case("bridge: { format_prompt: { functio: a } }"),
                "a template is expected, or an object with `function`",
            ),
            (case("first_message: Ho"), "there are two members with the name first_message"),
            (case("tools: { read: mock }"), "unknown name `mock`, expected one of real, "),
            (case("tolls: {}"), "unknown member `tolls`, expected one of "),
            (case("tags: { a: b }"), "a list is expected"),
            (case("tags: [[b]]"), "a text "),
        ] {
            let fault = format::parse(&suite).expect_err("refused").message;
            let first = fault.lines().next().unwrap_or_default();
            let (place, what) = first.split_once(": ").expect("a place");
            assert!(place.starts_with("line ") && what.starts_with(expected), "{first}");
            for internal in [
                "enum",
                "variant",
                "sequence start",
                "mapping",
                "Options",
                "u32",
                "<input>",
                "scalar",
            ] {
                assert!(!fault.contains(internal), "{internal} is in\n{fault}");
            }
        }
        let near = format::parse(&case("tolls: {}")).expect_err("refused").to_string();
        assert!(near.ends_with("did you mean tools?"), "{near}");
        for (members, place) in [
            ("tools: { read: { retuns: 1 } }", "cases[0].tools.read"),
            (
                "tools: { read: { table: { rows: [{ arg: 1 }] } } }",
                "cases[0].tools.read.table.rows[0].arg",
            ),
            ("user_agents: { tools: { ask: { scripts: [] } } }", "cases[0].user_agents.tools.ask"),
        ] {
            let fault = format::parse(&case(members)).expect_err("refused");
            assert!(fault.place.starts_with(place), "{fault}");
        }
    }
}
