//! A report lists what each provider rejects or ignores in a declaration, and in a list of tools.

use json_text::JsonText;
use tool_lint::{Effect, Limitation, declarations_in, lint, lint_list};

fn limits(declaration: &str) -> Vec<String> {
    let report = lint(&JsonText::parse(declaration).expect("JSON"));
    let shown = |it: &Limitation| {
        let effect = if it.effect == Effect::Rejects { "rejects" } else { "ignores" };
        let keyword = it.keyword.as_deref().map(|it| format!(": {it}")).unwrap_or_default();
        format!("{} {effect} {}: {}{keyword}", it.provider.name(), it.pointer, it.limit)
    };
    report.portability.iter().map(shown).collect()
}

#[test]
fn names_are_compared_with_each_providers_limit() {
    let of = |name: &str| {
        let found = limits(&format!(r#"{{"name":"{name}","description":"It."}}"#));
        found
            .iter()
            .map(|it| it.split(' ').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("get_it-2"), [""; 0]);
    assert_eq!(of("math.add"), ["OpenAI", "Anthropic"]);
    assert_eq!(of(&"n".repeat(65)), ["OpenAI"]);
    assert_eq!(of("2d"), ["Gemini"]);
    assert_eq!(of("größe"), ["OpenAI", "Anthropic", "Gemini"]);
}

#[test]
fn schemas_are_compared_with_each_providers_limits() {
    let found = limits(
        r#"{"name":"pay","description":"It.","parameters":{"type":"object",
            "anyOf":[{"required":["card"]},{"required":["iban"]}],"properties":{
                "card":{"type":"string","description":"It.","minLength":4},
                "i-ban":{"type":"string","description":"It.","not":{"const":"x"}}}}}"#,
    );
    assert_eq!(
        found,
        [
            "OpenAI rejects /parameters/anyOf: no oneOf, anyOf, allOf, enum or not at the top level",
            "OpenAI strict rejects /parameters/properties/i-ban/not: keywords that it does not support: not",
            "Anthropic rejects /parameters/anyOf: no oneOf, allOf or anyOf at the top level",
            "Anthropic strict rejects /parameters/properties/card/minLength: keywords that it does not support: minLength",
            "Gemini rejects /parameters/properties/i-ban/not: keywords in `parameters` that its Schema lacks: not",
            "Gemini rejects /parameters/properties/i-ban: names in `parameters` match ^[a-zA-Z_][a-zA-Z0-9_]{0,63}$",
        ]
    );
    let json_schema = limits(
        r#"{"name":"pay","description":"It.","parameters_json_schema":{"type":"object","properties":{
            "i-ban":{"type":"string","description":"It.","pattern":"a","oneOf":[{}],"examples":["a"]}}}}"#,
    );
    let at = "Gemini ignores /parameters_json_schema/properties/i-ban/pattern";
    assert_eq!(json_schema, [format!("{at}: keywords that it does not support: pattern")]);
}

#[test]
fn deep_schemas_and_long_lists_are_compared_with_their_limits() {
    let nested = |levels: usize| {
        let object = r#"{"type":"object","description":"It.","properties":{"a":"#;
        let (open, close) = (object.repeat(levels), "}}".repeat(levels));
        let leaf = r#"{"type":"string","description":"It."}"#;
        limits(&format!(r#"{{"name":"n","description":"It.","parameters":{open}{leaf}{close}}}"#))
    };
    assert_eq!(nested(10), [""; 0]);
    let found = nested(11);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("at most 10 levels of nested objects"), "{found:?}");

    let tools: Vec<String> =
        (0..130).map(|at| format!(r#"{{"name":"t{at}","description":"It."}}"#)).collect();
    let reports = lint_list(&declarations_in(&format!("[{}]", tools.join(","))));
    let found: Vec<usize> = (0..130).filter(|at| !reports[*at].portability.is_empty()).collect();
    assert_eq!(found, [128]);
    assert_eq!(reports[128].portability[0].limit, "at most 128 tools");
}
