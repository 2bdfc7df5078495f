//! [`lint`]: one declaration, all rules; [`lint_list`]: a list of tools together.

use std::collections::HashMap;

use json_text::{JsonText, Node};
use schema_check::{Check, CheckableSchema, Uncheckable, UncheckedPart};
use schema_form::Form;
use serde_json::Value;

use crate::contradictions::Subject;
use crate::declarations::FoundDeclaration;
use crate::sub_schema::{SubSchemas, types_of};
use crate::{
    Report, Rule, arguments, constraints, diagnostics, drafts, infinite_requirements, keywords,
    naming, portability, round_trip, slow_patterns,
};

/// The members that hold parameters, the one that counts first, as the form reads them.
const PARAMETERS: [&str; 5] =
    ["parameters_json_schema", "parametersJsonSchema", "parameters", "input_schema", "inputSchema"];

/// Checks one declaration.
#[must_use]
pub fn lint(declaration: &JsonText) -> Report {
    let mut report = Report::default();
    let opened = match declaration.to_value() {
        Ok(opened) => opened,
        Err(error) => {
            let message = format!("The declaration cannot be read: {error}. Flatten it.");
            report.find(Rule::TooDeep, "", message);
            report.tool = name_of(declaration);
            return report;
        }
    };
    report.tool = opened.get("name").and_then(Value::as_str).map(str::to_owned);
    if report.tool.is_none() {
        report.find(
            Rule::NotADeclaration,
            "",
            "This is not a function declaration: write an object with `name`, `description` \
             and `parameters`.",
        );
        return report;
    }
    naming::tool(&opened, &mut report);
    portability::name(report.tool.as_deref().unwrap_or_default(), &mut report.portability);
    keywords::repeated(declaration, &mut report);
    if let Some((keyword, schema)) = parameters(&opened, &mut report) {
        lint_parameters(declaration, &opened, keyword, schema, &mut report);
    }
    report.portability.sort_by_key(|it| (it.provider, it.effect));
    report
}

/// The name of a declaration that is nested too deep to be opened whole.
fn name_of(declaration: &JsonText) -> Option<String> {
    let Node::Object(members) = declaration.open() else { return None };
    let (_, name) = members.into_iter().rfind(|(key, _)| key == "name")?;
    JsonText::from(name).decode().ok()
}

/// The parameters that count, and the member that holds them.
fn parameters<'d>(opened: &'d Value, report: &mut Report) -> Option<(&'static str, &'d Value)> {
    let mut given = PARAMETERS
        .into_iter()
        .filter_map(|keyword| Some((keyword, opened.get(keyword).filter(|it| !it.is_null())?)));
    let first = given.next()?;
    if let Some((second, _)) = given.next() {
        report.find(
            Rule::ParametersTwice,
            &format!("/{second}"),
            format!(
                "`{}` and `{second}` are both given, which services reject: keep one.",
                first.0
            ),
        );
    }
    Some(first)
}

fn lint_parameters(
    declaration: &JsonText,
    opened: &Value,
    keyword: &'static str,
    schema: &Value,
    report: &mut Report,
) {
    let text = JsonText::from_value(schema);
    let base = format!("/{keyword}");
    // google.genai's `Schema` has upper-case types and only this name.
    let google = keyword == "parameters";
    let described = opened.get("description").and_then(Value::as_str).unwrap_or_default();
    let places = SubSchemas::of(schema, &base);
    for place in &places.all {
        if !places.is_reference_alone(place.members) {
            constraints::check(place, &places, report);
            constraints::together(place, &places, report);
        }
        arguments::check(place, schema, described, report);
        keywords::check(place, &places, report);
        slow_patterns::check(place, report);
    }
    portability::schema(&places, google, &mut report.portability);
    let subject = Subject { places: &places, text: &text, base: &base };
    for place in &places.all {
        subject.check(place, report);
    }
    infinite_requirements::check(&places.all, schema, report);
    constraints::types(&places.all, google, report);
    constraints::own_values(&places.all, &text, &base, report);
    let form = Form::of_declaration(declaration);
    diagnostics::check(&form, report);
    let check = match whole_check(&text, &base, report) {
        Ok(check) => check,
        Err(error) => {
            if !report.has_error_within("") {
                let pointer = match &error {
                    Uncheckable::NotASchema { pointer, .. } => pointer.as_str(),
                    Uncheckable::TooDeep { .. } => "",
                };
                let draft_hint = drafts::hint(&places, &base);
                let message =
                    format!("The schema cannot validate values: {error}. Correct it.{draft_hint}");
                report.find(Rule::SchemaUnusable, &format!("{base}{pointer}"), message);
            }
            return;
        }
    };
    let types = schema.as_object().map(types_of).unwrap_or_default();
    if !types.is_empty() && !types.contains(&"object") {
        report.find(
            Rule::ParametersNotAnObject,
            &base,
            "The parameters must be an object of named arguments: set `\"type\": \"object\"` and \
             add `properties`.",
        );
        return;
    }
    round_trip::check(&subject, &check, &form, report);
    let already = report.findings.iter().any(|finding| finding.rule == Rule::NoValueFound);
    if !already {
        constraints::optional(&places, &text, &base, report);
    }
}

/// The check of the whole schema, without patterns that it cannot run.
fn whole_check(schema: &JsonText, base: &str, report: &Report) -> Result<Check, Uncheckable> {
    let fault = match Check::of(schema) {
        Ok(check) => return Ok(check),
        Err(fault) => fault,
    };
    let reported: Vec<&str> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == Rule::PatternUnchecked)
        .filter_map(|finding| finding.pointer.strip_prefix(base))
        .collect();
    let Ok(CheckableSchema { check, unchecked }) = Check::of_checkable_parts(schema) else {
        return Err(fault);
    };
    let is_reported = |part: &UncheckedPart| {
        let is_within = |pointer: &&str| {
            pointer.strip_prefix(&*part.pointer).is_some_and(|rest| rest.starts_with('/'))
        };
        reported.iter().any(is_within)
    };
    if unchecked.iter().all(is_reported) { Ok(check) } else { Err(fault) }
}

/// Lints the declarations of one list, with the findings about several of them.
/// An entry that is not a declaration gets a report, too.
#[must_use]
pub fn lint_list(list: &[FoundDeclaration]) -> Vec<Report> {
    let mut reports: Vec<Report> = list
        .iter()
        .map(|found| {
            let mut report = match &found.declaration {
                Ok(declaration) => lint(declaration),
                Err(reason) => {
                    let mut report = Report::default();
                    report.find(Rule::NotJson, "", reason.to_string());
                    report
                }
            };
            report.line = found.line;
            report
        })
        .collect();
    for (before, report) in reports.iter_mut().enumerate() {
        portability::of_list(before, &mut report.portability);
    }
    let mut seen: HashMap<String, (String, Option<usize>)> = HashMap::new();
    for report in &mut reports {
        let Some(name) = report.tool.clone() else { continue };
        match seen.get(&name.to_lowercase()) {
            Some((earlier, line)) => {
                let at = line.map(|line| format!(" (line {line})")).unwrap_or_default();
                if *earlier == name {
                    let message = format!(
                        "`{name}` is already declared{at}: give each tool of an agent its own name."
                    );
                    report.find(Rule::NameRepeated, "/name", message);
                } else {
                    let message = format!(
                        "`{name}` and `{earlier}`{at} differ only by case, so a model confuses \
                         them: rename one."
                    );
                    report.find(Rule::NamesDifferByCase, "/name", message);
                }
            }
            None => {
                seen.insert(name.to_lowercase(), (name, report.line));
            }
        }
    }
    for report in &mut reports {
        // The worst first; within a severity in the order of the declaration.
        report.findings.sort_by_key(|finding| finding.rule.severity());
    }
    reports
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules that are broken, each with its place below the parameters.
    fn broken(properties: &str) -> Vec<(&'static str, String)> {
        let declaration = format!(
            r#"{{"name":"t","description":"Does it.","parameters_json_schema":
                {{"type":"object","properties":{properties}}}}}"#
        );
        let report = lint(&JsonText::parse(&declaration).expect("JSON"));
        let place = |pointer: &str| {
            pointer.strip_prefix("/parameters_json_schema/properties").unwrap_or(pointer).to_owned()
        };
        report.findings.iter().map(|it| (it.rule.name(), place(&it.pointer))).collect()
    }

    fn alone(rule: &'static str, place: &str) -> Vec<(&'static str, String)> {
        vec![(rule, place.to_owned())]
    }

    #[test]
    fn a_tool_nested_too_deep_keeps_its_name() {
        let deep =
            format!("{}{{}}{}", r#"{"properties":{"a":"#.repeat(10_000), "}}".repeat(10_000));
        let text = format!(r#"{{"name":"abyss","description":"It.","parameters":{deep}}}"#);
        let wrapped = format!(r#"{{"type":"function","function":{text}}}"#);
        for text in [&text, &format!("[{text},{text}]"), &wrapped] {
            for report in lint_list(&crate::declarations_in(text)) {
                assert_eq!(report.tool.as_deref(), Some("abyss"));
                assert_eq!(report.findings[0].rule, Rule::TooDeep);
            }
        }
        let nameless = lint(&JsonText::parse(&deep).expect("JSON"));
        assert_eq!(nameless.tool, None);
    }

    #[test]
    fn a_plain_name_reference_of_draft_7_is_not_broken() {
        let of = |edition: &str| {
            let declaration = format!(
                r##"{{"name":"t","description":"Does it.","parameters":{{
                    "$schema":"http://json-schema.org/{edition}/schema#","type":"object",
                    "properties":{{"a":{{"description":"It.","allOf":[{{"$ref":"#z"}}]}}}},
                    "definitions":{{"z":{{"$id":"#z","type":"string","maxLength":9}}}}}}}}"##
            );
            let report = lint(&JsonText::parse(&declaration).expect("JSON"));
            report.findings.iter().map(|it| it.rule.name()).collect::<Vec<_>>()
        };
        assert_eq!(of("draft-07"), [""; 0]);
        assert!(of("draft-04").contains(&"reference-broken"));
    }

    #[test]
    fn beside_a_reference_of_draft_7_nothing_counts() {
        let of = |edition: &str, beside: &str| {
            let declaration = format!(
                r##"{{"name":"t","description":"Does it.","parameters":{{
                    "$schema":"{edition}","type":"object","required":["a"],
                    "properties":{{"a":{{"$ref":"#/definitions/z","description":"It.",{beside}}}}},
                    "definitions":{{"z":{{"type":"string","maxLength":9}}}}}}}}"##
            );
            let report = lint(&JsonText::parse(&declaration).expect("JSON"));
            assert_eq!(report.values.made, report.values.survived);
            let found = report.findings.iter().map(|it| it.rule.name()).collect::<Vec<_>>();
            (found, report.values.made > 0)
        };
        for beside in [
            r#""type":"integer""#,
            r#""minLength":100"#,
            r#""minLength":4,"maxLength":2"#,
            r#""allOf":[{"type":"integer"}]"#,
        ] {
            let draft_7 = "http://json-schema.org/draft-07/schema#";
            assert_eq!(of(draft_7, beside), (vec![], true), "{beside}");
            let (found, _) = of("https://json-schema.org/draft/2020-12/schema", beside);
            assert!(!found.is_empty(), "{beside}");
        }
    }

    #[test]
    fn a_schema_is_reached_by_its_address() {
        for (id, reference, inner) in [
            (r#""$id":"https://x.test/root","#, "other", "other"),
            (r#""$id":"https://x.test/root","#, "https://x.test/root#/$defs/o", "z"),
            ("", "https://x.test/other", "https://x.test/other"),
            ("", "other", "other"),
        ] {
            let declaration = format!(
                r##"{{"name":"t","description":"Does it.","parameters":{{{id}"type":"object",
                    "required":["a"],"properties":{{"a":{{"$ref":"{reference}","description":"It."}}}},
                    "$defs":{{"o":{{"$id":"{inner}","type":"string","maxLength":9}}}}}}}}"##
            );
            let report = lint(&JsonText::parse(&declaration).expect("JSON"));
            assert_eq!(report.findings, [], "{declaration}");
            assert!(report.values.made > 2 && report.values.made == report.values.survived);
        }
    }

    #[test]
    fn an_optional_text_that_cannot_be_is_found() {
        let text = |more: &str| {
            format!(
                r#"{{"a":{{"type":"string","description":"It.",{more}}},"b":{{"type":"string","description":"It."}}}}"#
            )
        };
        for more in [
            r#""pattern":"^[A-Z]{3}$","minLength":4"#,
            r#""pattern":"[0-9]{8}","maxLength":7"#,
            r#""pattern":"^(a|bb)$","min_length":"3""#,
        ] {
            assert_eq!(broken(&text(more)), alone("bounds-contradict", "/a"), "{more}");
        }
        for fine in [
            r#""pattern":"[A-Z]{3}","minLength":4"#,
            r#""pattern":"^[A-Z]{3,}$","minLength":4"#,
            r#""pattern":"^(?=.*[0-9])[a-z0-9]{8,}$","minLength":4,"examples":["abcdefg1"]"#,
        ] {
            assert_eq!(broken(&text(fine)), [], "{fine}");
        }
        let both = r#""allOf":[{"pattern":"^a+$"},{"pattern":"^b+$"}]"#;
        assert_eq!(broken(&text(both)), alone("no-value-found", "/a"));
    }

    #[test]
    fn text_is_found_for_patterns_that_look_around() {
        let of = |pattern: &str| {
            let pattern = Value::from(pattern);
            let declaration = format!(
                r#"{{"name":"t","description":"Does it.","parameters":{{"type":"object","required":["a"],
                    "properties":{{"a":{{"type":"string","description":"It.","pattern":{pattern}}}}}}}}}"#
            );
            lint(&JsonText::parse(&declaration).expect("JSON"))
        };
        for pattern in [r"^(?=.*[A-Z])(?=.*\d).{8,}$", r"^(.)\1{3}$", "^(?!a)[a-z]{2}$"] {
            let report = of(pattern);
            assert_eq!(report.findings, [], "{pattern}");
            assert!(report.values.made > 2, "{pattern}");
        }
        // Where none is, the pattern is named.
        let report = of("^(?=.*a)(?=.*b).$");
        let [found] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
        assert_eq!(found.rule, Rule::NoValueFound);
        let why = "no string was found that matches the pattern `^(?=.*a)(?=.*b).$` \
            (`/parameters/properties/a/pattern`)";
        assert!(found.message.contains(why), "{}", found.message);
    }

    #[test]
    fn names_by_a_pattern_that_cannot_be_run_do_no_harm() {
        let found = broken(
            r#"{"a":{"type":"object","description":"It.","required":["x"],
                "properties":{"x":{"type":"string","description":"It."}},"patternProperties":{"[^]":{}}}}"#,
        );
        assert_eq!(found, alone("pattern-unchecked", "/a/patternProperties/[^]"));
    }

    #[test]
    fn a_negation_of_everything_is_found() {
        let of = |not: &str| {
            format!(
                r#"{{"a":{{"type":["integer","null"],"description":"It.","not":{not}}},"b":{{"type":"string","description":"It."}}}}"#
            )
        };
        for not in ["{}", "true", r#"{"description":"never"}"#, r#"{"type":["number","null"]}"#] {
            assert_eq!(broken(&of(not)), alone("nothing-valid", "/a/not"), "{not}");
        }
        for not in ["false", r#"{"type":"null"}"#, r#"{"const":1}"#, r#"{"required":["x"]}"#] {
            let found = broken(&of(not));
            assert!(!found.iter().any(|(rule, _)| *rule == "nothing-valid"), "{not}: {found:?}");
        }
    }

    #[test]
    fn a_forbidden_member_or_item_is_no_finding() {
        let of = |a: &str| {
            broken(&format!(r#"{{"a":{a},"b":{{"type":"string","description":"It."}}}}"#))
        };
        for forbidden in [
            r#"{"not":{}}"#,
            r#"{"description":"Gone.","not":true}"#,
            "false",
            r#"{"type":"array","description":"It.","items":{"not":{}}}"#,
            r#"{"type":"array","description":"It.","prefixItems":[true,false]}"#,
            r#"{"type":"array","description":"It.","items":[true,false]}"#,
            r#"{"type":"object","description":"It.","patternProperties":{"^x":false}}"#,
            r#"{"type":"object","description":"It.","additionalProperties":{"not":{}}}"#,
        ] {
            assert_eq!(of(forbidden), [], "{forbidden}");
        }
        let required =
            r#"{"type":"object","description":"It.","required":["x"],"properties":{"x":X}}"#;
        for (x, at) in [(r#"{"not":{}}"#, "/a/properties/x/not"), ("false", "/a/properties/x")] {
            assert_eq!(of(&required.replace('X', x)), alone("nothing-valid", at), "{x}");
        }
        let draft_7 = r#"{"name":"t","description":"Does it.","parameters":{
            "$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
                "a":{"type":"array","description":"It.","items":[true,false]}}}}"#;
        assert_eq!(lint(&JsonText::parse(draft_7).expect("JSON")).findings, []);
    }

    #[test]
    fn keywords_without_effect_are_found() {
        let of = |a: &str| broken(&format!(r#"{{"a":{{"description":"It.",{a}}}}}"#));
        let unknown = of(r#""type":"string","minLenght":3,"x-order":1,"min_length":"3""#);
        assert_eq!(unknown, alone("keyword-unknown", "/a/minLenght"));
        let idle = of(r#""type":["integer","null"],"pattern":"^a$","maximum":3"#);
        assert_eq!(idle, alone("keyword-idle", "/a/pattern"));
        assert_eq!(
            of(r#""type":"string","pattern":"^(a+)+$""#),
            alone("pattern-slow", "/a/pattern")
        );
        let twice = r#"{"name":"t","description":"Does it.","description":"It."}"#;
        let report = lint(&JsonText::parse(twice).expect("JSON"));
        let [found] = report.findings.as_slice() else { panic!("{report:?}") };
        assert_eq!(found.rule, Rule::KeyRepeated);
        assert!(found.message.contains("the property `description` is repeated at line 1"));
    }

    #[test]
    fn an_integer_enum_of_strings_is_an_error() {
        let of = |a: &str| broken(&format!(r#"{{"a":{{"description":"It.",{a}}}}}"#));
        for a in [
            r#""type":"integer","enum":["1","2"]"#,
            r#""type":"number","enum":["1.5"],"minimum":1"#,
            r#""type":["integer","null"],"enum":["1","2"]"#,
        ] {
            assert_eq!(of(a), alone("enum-unfit", "/a/enum"), "{a}");
        }
        let mixed = of(r#""type":"integer","enum":["1",2]"#);
        assert_eq!(mixed, alone("enum-value-unfit", "/a/enum/0"));
        // As google.genai writes them.
        let google = of(r#""type":"INTEGER","enum":["1","2"]"#);
        assert!(!google.iter().any(|(rule, _)| rule.starts_with("enum")), "{google:?}");
    }

    #[test]
    fn limits_that_hold_together_are_looked_at_together() {
        let of = |a: &str| format!(r#"{{"a":{{"description":"It.",{a}}}}}"#);
        for a in [
            r#""type":"integer","allOf":[{"minimum":10},{"maximum":5}]"#,
            r#""type":"integer","minimum":10,"allOf":[{"allOf":[{"exclusiveMaximum":10}]}]"#,
            r#""type":"string","minLength":4,"allOf":[{"maxLength":3}]"#,
        ] {
            assert_eq!(broken(&of(a)), alone("bounds-contradict", "/a"), "{a}");
        }
        // Reported at its place, not again for the whole.
        let inner = of(r#""type":"integer","allOf":[{"minimum":10,"maximum":5}]"#);
        assert_eq!(broken(&inner), alone("bounds-contradict", "/a/allOf/0"));
        for fine in [
            r#""type":"integer","allOf":[{"minimum":5},{"maximum":10}]"#,
            r#""type":"integer","anyOf":[{"type":"integer","minimum":10},{"type":"integer","maximum":5}]"#,
        ] {
            let found = broken(&of(fine));
            assert!(!found.iter().any(|(rule, _)| *rule == "bounds-contradict"), "{found:?}");
        }
        let referred = r##"{"name":"t","description":"Does it.","parameters":{"type":"object",
            "$defs":{"small":{"type":"integer","maximum":5}},"properties":
            {"a":{"description":"It.","$ref":"#/$defs/small","minimum":10}}}}"##;
        let report = lint(&JsonText::parse(referred).expect("JSON"));
        let found = report.findings.iter().find(|it| it.rule == Rule::BoundsContradict);
        assert_eq!(found.expect("found").pointer, "/parameters/properties/a");
    }

    #[test]
    fn limits_of_one_type_leave_the_others() {
        let of = |a: &str| broken(&format!(r#"{{"a":{{"description":"It.",{a}}}}}"#));
        for (a, at) in [
            (
                r#""type":["array","null"],"items":{"type":"string"},"minItems":3,"maxItems":1"#,
                "/a",
            ),
            (r#""type":["string","null"],"minLength":3,"maxLength":2"#, "/a"),
            (r#""type":"STRING","nullable":true,"allOf":[{"minLength":3},{"maxLength":2}]"#, "/a"),
            (r#""type":["string","null"],"pattern":"^a{9}$","maxLength":2"#, "/a"),
            (r#""type":["integer","null"],"minimum":2,"maximum":3,"multipleOf":7"#, "/a"),
            (r#""type":"boolean","minProperties":3,"maxProperties":2"#, "/a"),
            (
                r#""anyOf":[{"type":"integer","minimum":3,"maximum":2},{"type":"string"}]"#,
                "/a/anyOf/0",
            ),
        ] {
            let mut found = of(a);
            found.retain(|(rule, _)| !["type-loose", "keyword-idle"].contains(rule));
            assert_eq!(found, alone("type-excluded", at), "{a}");
        }
        let idle = r#""type":"array","items":{"type":"string"},"minContains":3,"maxContains":1"#;
        assert_eq!(of(idle), []);
        let untyped = of(r#""minItems":3,"maxItems":1"#);
        assert!(untyped.contains(&("type-excluded", "/a".to_owned())), "{untyped:?}");
    }

    #[test]
    fn a_keyword_of_another_draft_is_reported() {
        let message = |rule: Rule, schema: &str, a: &str| {
            let declaration = format!(
                r#"{{"name":"t","description":"Does it.","parameters":{{"type":"object",{schema}
                "required":["a"],"properties":{{"a":{{"description":"It.",{a}}}}}}}}}"#
            );
            let report = lint(&JsonText::parse(&declaration).expect("JSON"));
            let found = report.findings.into_iter().find(|it| it.rule == rule);
            found.unwrap_or_else(|| panic!("{declaration}")).message
        };
        let list = r#""type":"array","items":[{"type":"string"}]"#;
        let unusable = |schema: &str, a: &str| message(Rule::SchemaUnusable, schema, a);
        let mixed =
            r#""type":"array","items":[{"type":"string"}],"anyOf":[{"prefixItems":[true]}]"#;
        assert!(unusable("", mixed).contains("write `prefixItems`, or set `$schema` to the draft"));
        let named = r#""$schema":"https://json-schema.org/draft/2020-12/schema","#;
        assert!(unusable(named, list).contains("is 2020-12: write `prefixItems`."));
        let flag = r#""type":"integer","minimum":0,"exclusiveMinimum":true"#;
        assert!(unusable("", flag).contains("/a/exclusiveMinimum` has the form of drafts before"));
        let needs = r#""type":"object","required":["x","y"],"properties":{
            "x":{"type":"boolean","description":"It."},
            "y":{"type":"integer","description":"It.","maximum":3}},
            "dependencies":{"x":{"properties":{"y":{"minimum":5}}}}"#;
        assert!(message(Rule::NoValueFound, "", needs).contains("`dependentSchemas`, or set"));
        let seven = r#""$schema":"http://json-schema.org/draft-07/schema#","#;
        let later = r#""type":"string","pattern":"^a$","not":{"const":"a"},"dependentRequired":{}"#;
        assert!(message(Rule::NoValueFound, seven, later).contains("does not have `/parameters"));
        // Keywords of all drafts are not blamed.
        let plain = r#""type":"string","pattern":"^a$","not":{"const":"a"}"#;
        assert!(!message(Rule::NoValueFound, "", plain).contains("$schema"));
    }

    #[test]
    fn references_of_google_are_followed() {
        let found = |limit: &str| {
            let declaration = format!(
                r##"{{"name":"t","description":"Does it.","parameters":{{"type":"OBJECT",
                "defs":{{"small":{{"type":"INTEGER","maximum":"5"}}}},"properties":
                {{"a":{{"description":"It.","ref":"#/defs/small"{limit}}}}}}}}}"##
            );
            let report = lint(&JsonText::parse(&declaration).expect("JSON"));
            let found = report.findings.into_iter().map(|it| (it.rule.name(), it.pointer));
            found.collect::<Vec<_>>()
        };
        assert_eq!(found(""), []);
        let over = found(r#","minimum":"10""#);
        assert_eq!(over, alone("bounds-contradict", "/parameters/properties/a"));
    }

    #[test]
    fn contradictions_in_a_definition_are_reported_there_only() {
        let contradictions = |defs: &str, a: &str, b: &str| {
            let declaration = format!(
                r#"{{"name":"t","description":"Does it.","parameters":{{"type":"object",
                "properties":{{"a":{{"description":"It.",{a}}},"b":{{"description":"It.",{b}}}}},
                "$defs":{{{defs}}},"shared":{{"size":{{"type":"integer","minimum":10,"allOf":[{{"maximum":5}}]}}}}}}}}"#
            );
            let report = lint(&JsonText::parse(&declaration).expect("JSON"));
            let found = report.findings.into_iter().filter(|it| it.rule == Rule::BoundsContradict);
            found.map(|it| it.pointer).collect::<Vec<_>>()
        };
        let size = r#""size":{"type":"integer","minimum":10,"allOf":[{"maximum":5}]}"#;
        let used = r##""$ref":"#/$defs/size""##;
        let at = "/parameters/$defs/size";
        assert_eq!(contradictions(size, used, used), [at]);
        // Not reported again for limits beside the reference.
        assert_eq!(contradictions(size, used, &format!(r#"{used},"minimum":7"#)), [at]);
        // What the places add contradicts at each of them.
        let fine = r#""size":{"type":"integer","minimum":10,"allOf":[{"maximum":20}]}"#;
        let over = format!(r#"{used},"minimum":30"#);
        let (a, b) = ("/parameters/properties/a", "/parameters/properties/b");
        assert_eq!(contradictions(fine, &over, &over), [a, b]);
        // Of two that refer to each other, the first reports.
        let circle = r##""x":{"type":"integer","minimum":10,"allOf":[{"$ref":"#/$defs/y"}]},
            "y":{"type":"integer","maximum":5,"allOf":[{"$ref":"#/$defs/x"}]}"##;
        let plain = r#""type":"integer""#;
        assert_eq!(contradictions(circle, plain, plain), ["/parameters/$defs/x"]);
        // A problem outside known schemas is reported at its reference.
        let elsewhere = r##""$ref":"#/shared/size""##;
        assert_eq!(contradictions(fine, elsewhere, plain), [a]);
    }

    #[test]
    fn a_name_pattern_that_does_not_compile_is_found() {
        let of = |pattern: &str| {
            format!(
                r#"{{"a":{{"type":"object","description":"It.","patternProperties":{{"{pattern}":{{"type":"string"}}}}}}}}"#
            )
        };
        assert_eq!(broken(&of("^a/(")), alone("pattern-invalid", "/a/patternProperties/^a~1("));
        assert_eq!(broken(&of("^a/$")), []);
    }

    #[test]
    fn patterns_are_javascripts() {
        let of = |pattern: &str| {
            let pattern = Value::from(pattern);
            broken(&format!(
                r#"{{"a":{{"type":"string","description":"It.","pattern":{pattern},"examples":["a"]}}}}"#
            ))
        };
        for other in
            ["(?i)a", r"a\Z(", "(?P<n>a)", "a**", "a++", "(?#c)a", "[b-a]", r"(?<n>a)(?<n>b)"]
        {
            assert_eq!(of(other), alone("pattern-invalid", "/a/pattern"), "{other}");
        }
        for fine in [
            "^a$",
            r"^[\w\-\.]+$",
            r"^\w+\@?$",
            r"\p{L}|a",
            "(?<!b)a",
            r"(a|b)\1|a",
            "(?<n>a)",
            r"^[\u0041-\u005A]?a$",
            r"[\s\S]+",
            "^[a-z_&&]+$",
        ] {
            assert_eq!(of(fine), [], "{fine}");
        }
        for unchecked in ["[^]", "a{,3}|a", r"(?<n>a)\k<n>|a", r"\Aa\Z"] {
            assert_eq!(of(unchecked), alone("pattern-unchecked", "/a/pattern"), "{unchecked}");
        }
        // The other arguments are still tried.
        let found = broken(
            r#"{"a":{"type":"string","description":"It.","pattern":"[^]"},
                "b":{"type":"integer","description":"It.","const":1,"minimum":2}}"#,
        );
        assert_eq!(
            found,
            [
                ("pattern-unchecked", "/a/pattern".to_owned()),
                ("nothing-valid", "/b/const".to_owned())
            ]
        );
    }

    #[test]
    fn an_optional_argument_without_a_value_is_found() {
        let of = |a: &str| broken(&format!(r#"{{"a":{{"description":"It.",{a}}}}}"#));
        for a in [
            r#""type":"object","properties":{"x":{"type":"string","description":"It."}},"required":["x"],"maxProperties":0"#,
            r#""type":"string","anyOf":[{"maxLength":2},{"pattern":"^.$"}],"minLength":3"#,
            r#""type":"array","items":{"type":"string","maxLength":0},"uniqueItems":true,"minItems":2"#,
        ] {
            let found = of(a);
            assert!(found.contains(&("no-value-found", "/a".to_owned())), "{a}: {found:?}");
        }
        // Reported for the member, not for what requires it.
        let inner = r#""type":"object","properties":{"x":{"type":"string","description":"It.","pattern":"^a$","format":"date","not":{"const":"a"}}},"required":["x"]"#;
        assert_eq!(of(inner), alone("no-value-found", "/a/properties/x"));
        for fine in [
            r#""type":"string","minLength":5000"#,
            r#""type":"array","items":{"type":"string","minLength":3000},"minItems":1"#,
            r#""type":"integer","exclusiveMinimum":1,"exclusiveMaximum":3"#,
            r#""type":"string","format":"date","maxLength":10"#,
        ] {
            assert_eq!(of(fine), [], "{fine}");
        }
    }

    #[test]
    fn decidable_problems_are_errors_at_their_pointers() {
        let of = |a: &str| format!(r#"{{"a":{{"description":"It.",{a}}}}}"#);
        for (a, rule, at) in [
            // Values that all the rest refuses.
            (r#""type":"string","const":null"#, "nothing-valid", "/a/const"),
            (r#""type":"string","const":5"#, "nothing-valid", "/a/const"),
            (r#""type":"string","const":"a","minLength":3"#, "nothing-valid", "/a/const"),
            (r#""type":"integer","enum":[1,2],"minimum":3"#, "enum-unfit", "/a/enum"),
            (r#""enum":["b","c"],"pattern":"^a$""#, "enum-unfit", "/a/enum"),
            (r#""enum":["b"],"minLength":2"#, "enum-unfit", "/a/enum"),
            (r#""type":"STRING","enum":["b"],"min_length":"2""#, "enum-unfit", "/a/enum"),
            (r#""enum":["b"],"not":{"type":"string"}"#, "enum-unfit", "/a/enum"),
            (r#""allOf":[{"enum":["b"]},{"enum":["c","d"]}]"#, "enum-unfit", "/a/allOf/0/enum"),
            (r#""allOf":[{"const":1},{"type":"string"}]"#, "nothing-valid", "/a/allOf/0/const"),
            (
                r##""$ref":"#/properties/b","minimum":3},"b":{"description":"It.","enum":[1,2]"##,
                "enum-unfit",
                "/a",
            ),
            // Whole numbers.
            (
                r#""type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2"#,
                "bounds-contradict",
                "/a",
            ),
            (r#""type":"integer","minimum":1.2,"maximum":1.8"#, "bounds-contradict", "/a"),
            (
                r#""type":"integer","exclusiveMinimum":-2,"allOf":[{"maximum":-1.5}]"#,
                "bounds-contradict",
                "/a",
            ),
            // Names.
            (
                r#""type":"object","properties":{"x":{"type":"null","description":"It."}},"additionalProperties":false,"minProperties":2"#,
                "bounds-contradict",
                "/a",
            ),
            (
                r#""type":"object","properties":{"x":{"type":"null","description":"It."}},"patternProperties":{"^z$":{"type":"null"},"^x$":{}},"additionalProperties":false,"minProperties":3"#,
                "bounds-contradict",
                "/a",
            ),
            // Items.
            (
                r#""type":"array","uniqueItems":true,"minItems":3,"items":{"type":"integer","minimum":5,"maximum":6}"#,
                "bounds-contradict",
                "/a",
            ),
            (
                r#""type":"array","items":{"enum":["a","b"]},"uniqueItems":true,"minItems":3"#,
                "bounds-contradict",
                "/a",
            ),
            (
                r#""type":"ARRAY","items":{"type":"BOOLEAN","nullable":true},"unique_items":true,"min_items":"4""#,
                "bounds-contradict",
                "/a",
            ),
            (
                r#""type":"array","items":{"type":"null"},"uniqueItems":true,"minItems":2"#,
                "bounds-contradict",
                "/a",
            ),
            (
                r#""type":"array","prefixItems":[{"type":"string"}],"items":{"const":1},"uniqueItems":true,"minItems":3"#,
                "bounds-contradict",
                "/a",
            ),
            (
                r#""type":"array","items":{"type":"string"},"contains":{"type":"integer"}"#,
                "nothing-valid",
                "/a/contains",
            ),
            (
                r#""type":"array","items":{"enum":["a","b"]},"contains":{"const":1}"#,
                "nothing-valid",
                "/a/contains",
            ),
        ] {
            let mut found = broken(&of(a));
            found.retain(|(rule, _)| *rule != "type-loose");
            assert_eq!(found, alone(rule, at), "{a}");
        }
        // One more value, and there is one.
        for fine in [
            r#""type":["string","null"],"const":null"#,
            r#""type":"STRING","nullable":true,"enum":["b"],"min_length":"2""#,
            r#""type":"INTEGER","enum":["1","2"],"minimum":"1""#,
            r#""enum":["b","ab"],"pattern":"^a""#,
            r#""type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2.5"#,
            r#""type":"number","exclusiveMinimum":1,"exclusiveMaximum":2"#,
            r#""type":["integer","null"],"exclusiveMinimum":1,"exclusiveMaximum":2"#,
            r#""type":"object","properties":{"x":{"type":"null","description":"It."}},"patternProperties":{"^y":{"type":"null"}},"additionalProperties":false,"minProperties":2"#,
            r#""type":"array","items":{"type":"integer","minimum":5,"maximum":6},"uniqueItems":true,"minItems":2"#,
            r#""type":"array","items":{"type":"integer","minimum":5,"maximum":6},"minItems":3"#,
            r#""type":"array","items":{"type":"number","minimum":5,"maximum":6},"uniqueItems":true,"minItems":3"#,
            r#""type":"object","properties":{"x":{"type":"null","description":"It."}},"additionalProperties":false,"minProperties":1"#,
            r#""type":"array","prefixItems":[{"type":"string"}],"items":{"const":1},"uniqueItems":true,"minItems":2"#,
            r#""type":"array","items":{"type":"number"},"contains":{"type":"integer"}"#,
            r#""type":"array","items":{"type":"string"},"contains":{"type":"integer"},"minContains":0"#,
            r#""anyOf":[{"type":"string","const":5},{"type":"string","maxLength":3}]"#,
            r#""type":"object","properties":{"x":{"type":"string","description":"It."}},"if":{"required":["x"]},"then":{"enum":[{"x":"a"}],"minProperties":2}"#,
        ] {
            let errors = Rule::ALL.iter().filter(|it| it.severity() == crate::Severity::Error);
            let errors: Vec<&str> = errors.map(|rule| rule.name()).collect();
            let found = broken(&of(fine));
            assert!(!found.iter().any(|(rule, _)| errors.contains(rule)), "{fine}: {found:?}");
        }
    }

    #[test]
    fn a_member_that_requires_itself_is_found() {
        let of = |child: &str, more: &str| {
            format!(
                r##"{{"name":"t","description":"Does it.","parameters":{{"type":"object",
                "properties":{{"root":{{"description":"It.","$ref":"#/$defs/node"}}}},
                "$defs":{{"node":{{"type":"object","properties":{{"child":{child}}},"required":["child"]}},
                    "other":{{"type":"object","properties":{{"back":{{"$ref":"#/$defs/node","description":"It."}}}},"required":["back"]}}}}{more}}}}}"##
            )
        };
        let endless = |declaration: &str| {
            let report = lint(&JsonText::parse(declaration).expect("JSON"));
            let found = report.findings.into_iter().filter(|it| it.rule == Rule::RequiredEndless);
            found.map(|it| it.pointer).collect::<Vec<_>>()
        };
        let node = r##"{"$ref":"#/$defs/node","description":"It."}"##;
        let at = "/parameters/$defs/node/required/0";
        assert_eq!(endless(&of(node, "")), [at]);
        assert_eq!(endless(&of(r##"{"allOf":[{"$ref":"#/$defs/other"}]}"##, "")), [at]);
        let listed = r##"{"type":"array","description":"It.","minItems":1,"items":{"$ref":"#/$defs/node"}}"##;
        assert_eq!(endless(&of(listed, "")), [at]);
        // Each of these comes to an end.
        for fine in [
            r##"{"anyOf":[{"$ref":"#/$defs/node"},{"type":"null"}],"description":"It."}"##,
            r##"{"type":"array","description":"It.","items":{"$ref":"#/$defs/node"}}"##,
            r#"{"type":"string","description":"It."}"#,
        ] {
            assert_eq!(endless(&of(fine, "")), [""; 0], "{fine}");
        }
        // Each circle by itself: both members of a tree, and a definition that has to do with neither.
        let leaf = r##""$ref":"#/$defs/leaf","description":"It.""##;
        let tree = format!(
            r##"{{"name":"t","description":"Does it.","parameters":{{"type":"object","$defs":{{
                "node":{{"type":"object","required":["left","right","leaf"],"properties":{{
                    "left":{node},"right":{node},"leaf":{{{leaf}}}}}}},
                "leaf":{{"type":"object","required":["next"],"properties":{{"next":{{{leaf}}}}}}}}}}}}}"##
        );
        let defs = "/parameters/$defs";
        let expected = ["node/required/0", "node/required/1", "leaf/required/0"];
        assert_eq!(endless(&tree), expected.map(|at| format!("{defs}/{at}")));
        let free = of(node, "").replace(r#""node":{"type":"object","#, r#""node":{"#);
        assert_eq!(endless(&free), [""; 0], "only an object has members");
    }

    #[test]
    fn a_branch_without_values_is_not_an_error() {
        let of = |a: &str| {
            format!(
                r#"{{"a":{{"description":"It.",{a}}},"b":{{"type":"string","description":"It."}}}}"#
            )
        };
        for (a, branch) in [
            (r#""type":"integer","anyOf":[{"type":"integer"},{"type":"string"}]"#, "/a/anyOf/1"),
            (r#""type":"INTEGER","any_of":[{"type":"INTEGER"},{"type":"STRING"}]"#, "/a/any_of/1"),
            (
                r#""type":["integer","boolean"],"anyOf":[{"type":"string"},{"type":"integer"}]"#,
                "/a/anyOf/0",
            ),
        ] {
            let found = broken(&of(a));
            let found: Vec<_> = found.iter().filter(|(rule, _)| rule.contains("dead")).collect();
            assert_eq!(found.len(), 1, "{a}");
            assert!(format!("{:?}", found[0]).contains(branch), "{a}: {found:?}");
            assert!(!broken(&of(a)).iter().any(|(rule, _)| *rule == "nothing-valid"), "{a}");
        }
        let none = r#""type":"integer","anyOf":[{"type":"boolean"},{"type":"string"}]"#;
        assert!(broken(&of(none)).iter().any(|(rule, _)| *rule == "nothing-valid"));
    }
}
