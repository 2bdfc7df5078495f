//! Certain contradictions: merged schemas that admit no value.
//!
//! A finding is an error, so doubtful cases count as admitted. They are left to generated values
//! ([`crate::round_trip`]).

use std::collections::{BTreeSet, HashSet};

use json_text::JsonText;
use schema_check::Check;
use schema_form::Types;
use serde_json::{Map, Value};

use crate::merged::{declared_types, kinds, sizes_cross};
use crate::schema_values::{
    is_nullable, is_of, number, numbers_are_text, short, values_named, why,
};
use crate::sub_schema::{Part, SubSchema, SubSchemas, keyword_value, types_of};
use crate::{Report, Rule};

type Schema = Map<String, Value>;

/// Where whole numbers and their neighbours are exact.
const EXACT: f64 = 4_503_599_627_370_496.0;

/// A contradiction among merged schemas.
struct Contradiction<'d> {
    rule: Rule,
    /// The keyword to correct and its schema; `None` for the whole.
    at: Option<(&'d Schema, &'static str)>,
    message: String,
}

/// Finds a contradiction among schemas that hold at a place.
type Finder<'f, 'd> = &'f dyn Fn(&SubSchema<'d>, &[&'d Schema]) -> Option<Contradiction<'d>>;

/// What is looked at: a tool's parameters.
pub(crate) struct Subject<'p, 'd> {
    pub(crate) places: &'p SubSchemas<'d>,
    /// The same as text, as the check takes it.
    pub(crate) text: &'p JsonText,
    /// Its JSON pointer in the declaration.
    pub(crate) base: &'p str,
}

impl<'d> Subject<'_, 'd> {
    /// Reports contradictions at `place`, once.
    pub(crate) fn check(&self, place: &SubSchema<'d>, report: &mut Report) {
        let layers = self.places.beside(place.members);
        if place.part == Part::ASIDE || self.is_in_doubt(&layers) {
            return;
        }
        let finders: [Finder<'_, 'd>; 5] = [
            &|place, layers| named_values(self, place, layers),
            &|_, layers| whole_numbers(layers),
            &|_, layers| member_names(layers),
            &|_, layers| different_items(self.places, layers),
            &|_, layers| contained(self.places, layers),
        ];
        for find in finders {
            let Some(found) = find(place, &layers) else { continue };
            let is_reported = self.places.is_reported_for_layer(place, |inner, layers| {
                inner.part != Part::ASIDE && find(inner, layers).is_some()
            });
            if is_reported {
                continue;
            }
            let here = found.at.and_then(|(schema, keyword)| {
                let inner = self.places.place_of(schema)?;
                is_within(&inner.pointer, &place.pointer).then(|| inner.at(keyword))
            });
            let pointer = here.unwrap_or_else(|| place.pointer.clone());
            if !report.has_error_within(&pointer) {
                report.find(found.rule, &pointer, found.message);
            }
        }
    }

    /// Whether the schemas that hold may be others: references are relative to an `$id`, and before
    /// 2019-09 they hold alone.
    fn is_in_doubt(&self, layers: &[&Schema]) -> bool {
        let edition = self.places.root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let is_old = edition.contains("/draft-0");
        layers.iter().any(|layer| {
            is_old && layer.contains_key("$ref") && layer.len() > 1
                || layer.contains_key("$ref") && self.places.has_inner_ids()
        })
    }
}

/// Whether the place `inner` is the place `outer` or inside it.
fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Values of `const` or `enum` that other keywords reject.
fn named_values<'d>(
    subject: &Subject<'_, 'd>,
    place: &SubSchema<'d>,
    layers: &[&'d Schema],
) -> Option<Contradiction<'d>> {
    /// More values are not tried.
    const MOST: usize = 1_000;
    let named = layers.iter().filter_map(|layer| Some((*layer, values_named(layer)?)));
    let (layer, (keyword, values)) = named.min_by_key(|(_, (_, values))| values.len())?;
    let first = values.first().filter(|_| values.len() <= MOST)?;
    let found = |rule, message| Some(Contradiction { rule, at: Some((layer, keyword)), message });
    // Most have a type beside it, which needs no check.
    if layers.iter().all(|layer| layer.keys().all(|key| is_silent(key) || key == keyword)) {
        let types = types_of(layer);
        // Reported with the enum.
        let fits = types.is_empty() || is_of(first, &types, numbers_are_text(layer));
        if layers.len() > 1 || keyword == "enum" || fits {
            return None;
        }
        let types = types.join(" or ");
        let first = short(first);
        let message =
            format!("The constant {first} does not have the type {types}: correct one of them.");
        return found(Rule::NothingValid, message);
    }
    let is_digits = |value: &Value| value.as_str().is_some_and(|it| it.parse::<f64>().is_ok());
    if numbers_are_text(layer)
        && values.iter().any(is_digits)
        && !declared_types(layers).contains(Types::STRING)
    {
        return None;
    }
    let part = place.pointer.strip_prefix(subject.base)?;
    let check = Check::of_part(subject.text, part).ok()?;
    let null = layers.iter().any(|layer| is_nullable(layer)).then_some(&Value::Null);
    if values.iter().chain(null).any(|value| check.admits(value)) {
        return None;
    }
    let (shown, why) = (short(first), why(&check, first));
    let (rule, message) = match keyword {
        "const" => (
            Rule::NothingValid,
            format!("Other keywords reject the constant {shown}: {why} Correct one of them."),
        ),
        _ => (
            Rule::EnumUnfit,
            format!(
                "Other keywords reject every value of the enum, such as {shown}: {why} Correct one \
                 of them."
            ),
        ),
    };
    found(rule, message)
}

/// Whether the keyword only constrains the type.
fn is_silent(keyword: &str) -> bool {
    const SILENT: [&str; 9] = [
        "type",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "nullable",
        "$comment",
    ];
    SILENT.contains(&keyword)
}

/// A limit as a whole number: the keyword, its value, and the last whole number within it.
type WholeLimit = (&'static str, f64, f64);

/// The limits of whole numbers that are exact.
fn whole_limits(layers: &[&Schema]) -> (Option<WholeLimit>, Option<WholeLimit>) {
    let of = |keyword: &'static str, whole: fn(f64) -> f64| {
        let limits = layers.iter().filter_map(move |layer| number(keyword_value(layer, keyword)?));
        limits.filter(|it| it.abs() < EXACT).map(move |limit| (keyword, limit, whole(limit)))
    };
    let low = of("minimum", f64::ceil).chain(of("exclusiveMinimum", |it| it.floor() + 1.0));
    let high = of("maximum", f64::floor).chain(of("exclusiveMaximum", |it| it.ceil() - 1.0));
    let order = |one: &WholeLimit, other: &WholeLimit| one.2.total_cmp(&other.2);
    (low.max_by(order), high.min_by(order))
}

/// Limits without a whole number between them.
fn whole_numbers<'d>(layers: &[&'d Schema]) -> Option<Contradiction<'d>> {
    let (Some((least, low, lowest)), Some((most, high, highest))) = whole_limits(layers) else {
        return None;
    };
    // Limits without any number between them are reported as such.
    if lowest <= highest || sizes_cross(layers) || kinds(layers) != Types::INTEGER {
        return None;
    }
    let message =
        format!("`{least}` {low} and `{most}` {high} leave no whole number: correct one of them.");
    Some(Contradiction { rule: Rule::BoundsContradict, at: None, message })
}

/// The strictest minimum count of the schemas.
fn at_least(layers: &[&Schema], keyword: &str) -> Option<f64> {
    layers.iter().filter_map(|layer| number(keyword_value(layer, keyword)?)).reduce(f64::max)
}

/// More members than there are names for.
fn member_names<'d>(layers: &[&'d Schema]) -> Option<Contradiction<'d>> {
    let least = at_least(layers, "minProperties")?;
    let names = names_admitted(layers)?.len();
    if names as f64 >= least || kinds(layers) != Types::OBJECT {
        return None;
    }
    let message = format!(
        "`minProperties` is {least}, but `additionalProperties: false` leaves {names} names: \
         correct one of them."
    );
    Some(Contradiction { rule: Rule::BoundsContradict, at: None, message })
}

/// The names that members may have; `None` if unlimited.
fn names_admitted<'d>(layers: &[&'d Schema]) -> Option<BTreeSet<&'d str>> {
    let named = |layer: &'d Schema, keyword: &str| {
        layer.get(keyword).and_then(Value::as_object).into_iter().flatten()
    };
    let of_layer = |layer: &'d Schema| -> Option<BTreeSet<&'d str>> {
        if keyword_value(layer, "additionalProperties") != Some(&Value::Bool(false)) {
            return None;
        }
        let patterns = named(layer, "patternProperties").map(|(pattern, _)| literal(pattern));
        let names = named(layer, "properties").map(|(name, _)| Some(name.as_str()));
        names.chain(patterns).collect()
    };
    let admitted = layers.iter().filter_map(|layer| of_layer(layer));
    let mut names = admitted.reduce(|one, other| &one & &other)?;
    for (name, schema) in layers.iter().flat_map(|layer| named(layer, "properties")) {
        if schema == &Value::Bool(false) {
            names.remove(name.as_str());
        }
    }
    Some(names)
}

/// The one name that a pattern is found in; `None` where it is found in others, too.
fn literal(pattern: &str) -> Option<&str> {
    let name = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    name.chars().all(is_plain).then_some(name)
}

/// More different items than there are values for them.
fn different_items<'d>(
    places: &SubSchemas<'d>,
    layers: &[&'d Schema],
) -> Option<Contradiction<'d>> {
    let least = at_least(layers, "minItems")?;
    let is_unique =
        |layer: &&Schema| keyword_value(layer, "uniqueItems") == Some(&Value::Bool(true));
    if !layers.iter().any(is_unique) || kinds(layers) != Types::ARRAY {
        return None;
    }
    let most = layers.iter().filter_map(|layer| {
        let before =
            keyword_value(layer, "prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        Some(before as f64 + count(keyword_value(layer, "items")?, places)?)
    });
    let most = most.reduce(f64::min).filter(|most| *most < least)?;
    let message = format!(
        "`minItems` is {least} with `uniqueItems`, but the items have only {most} different \
         values: correct one of them."
    );
    Some(Contradiction { rule: Rule::BoundsContradict, at: None, message })
}

/// How many values a schema admits at most; `None` if unlimited or unknown.
fn count<'d>(schema: &'d Value, places: &SubSchemas<'d>) -> Option<f64> {
    let schema = match schema {
        Value::Bool(false) => return Some(0.0),
        Value::Object(schema) => schema,
        _ => return None,
    };
    let layers = places.beside(schema);
    let named = layers.iter().filter_map(|layer| {
        let (_, values) = values_named(layer)?;
        let different: HashSet<String> = values.iter().map(Value::to_string).collect();
        Some(different.len() as f64 + f64::from(u8::from(is_nullable(layer))))
    });
    let kinds = kinds(&layers);
    let of_kinds = [(Types::NULL, 1.0), (Types::BOOLEAN, 2.0)].into_iter();
    let few = of_kinds.filter(|(kind, _)| kinds.contains(*kind)).map(|(_, count)| count).sum();
    let typed = match kinds.without(Types::NULL).without(Types::BOOLEAN) {
        Types::NONE => Some(few),
        Types::INTEGER => match whole_limits(&layers) {
            (Some((_, _, low)), Some((_, _, high))) => Some(few + (high - low + 1.0).max(0.0)),
            _ => None,
        },
        _ => None,
    };
    named.chain(typed).reduce(f64::min)
}

/// `contains` with a schema that no item can match.
fn contained<'d>(places: &SubSchemas<'d>, layers: &[&'d Schema]) -> Option<Contradiction<'d>> {
    if kinds(layers) != Types::ARRAY
        || layers.iter().any(|it| keyword_value(it, "prefixItems").is_some())
    {
        return None;
    }
    let kinds_of = |schema: &'d Value| match schema {
        Value::Object(schema) => {
            Some(kinds(&places.beside(schema))).filter(|kinds| !kinds.is_empty())
        }
        _ => None,
    };
    let items = layers.iter().filter_map(|layer| kinds_of(keyword_value(layer, "items")?));
    let items = items.reduce(Types::and).filter(|items| !items.is_empty())?;
    layers.iter().find_map(|layer| {
        let contains = kinds_of(layer.get("contains")?)?;
        let may_be_none = layer.get("minContains").and_then(number).is_some_and(|it| it < 1.0);
        if may_be_none || !contains.and(items).is_empty() {
            return None;
        }
        let message = format!(
            "`contains` requires an item of type {}, but items have type {}: correct one of them.",
            names_of(contains),
            names_of(items)
        );
        let at = Some((*layer, "contains"));
        Some(Contradiction { rule: Rule::NothingValid, at, message })
    })
}

fn names_of(types: Types) -> String {
    const NAMES: [(&str, Types); 7] = [
        ("string", Types::STRING),
        ("number", Types::NUMBER),
        ("integer", Types::INTEGER),
        ("boolean", Types::BOOLEAN),
        ("object", Types::OBJECT),
        ("array", Types::ARRAY),
        ("null", Types::NULL),
    ];
    let is_named = |(name, one): &&(&str, Types)| {
        types.contains(*one) && !(*name == "integer" && types.contains(Types::NUMBER))
    };
    NAMES.iter().filter(is_named).map(|(name, _)| *name).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sub_schema::SubSchemas;

    /// The findings about the whole schema.
    fn messages(schema: &Value) -> Vec<String> {
        let places = SubSchemas::of(schema, "");
        let text = JsonText::from_value(schema);
        let subject = Subject { places: &places, text: &text, base: "" };
        let mut report = Report::default();
        subject.check(&places.all[0], &mut report);
        report.findings.into_iter().map(|finding| finding.message).collect()
    }

    fn json(text: &str) -> Value {
        JsonText::parse(text).and_then(|text| text.to_value()).expect("JSON")
    }

    /// Keywords that contradict each other.
    const KEYWORDS: [&str; 34] = [
        r#""type":"string""#,
        r#""type":["integer","null"]"#,
        r#""type":"integer""#,
        r#""type":"object""#,
        r#""type":"array""#,
        r#""nullable":true"#,
        r#""const":null"#,
        r#""const":2"#,
        r#""enum":["a",1,null]"#,
        r#""enum":[[],{},true]"#,
        r#""enum":["1","2"]"#,
        r#""pattern":"^a$""#,
        r#""minLength":2"#,
        r#""minimum":1.5"#,
        r#""exclusiveMinimum":1"#,
        r#""exclusiveMaximum":2"#,
        r#""maximum":2.5"#,
        r#""properties":{"x":{},"y":false}"#,
        r#""additionalProperties":false"#,
        r#""patternProperties":{"^z$":{}}"#,
        r#""patternProperties":{"z":{}}"#,
        r#""minProperties":2"#,
        r#""uniqueItems":true"#,
        r#""minItems":2"#,
        r#""items":{"type":"boolean"}"#,
        r#""items":{"type":"integer","minimum":1,"maximum":1}"#,
        r#""items":{"enum":["a"],"nullable":true}"#,
        r#""items":false"#,
        r#""prefixItems":[{},{"type":"string"}]"#,
        r#""contains":{"type":"integer"}"#,
        r#""contains":{"const":"a"}"#,
        r#""minContains":0"#,
        r#""allOf":[{"type":"array"},{"minItems":3}]"#,
        r##""$ref":"#/$defs/d","$defs":{"d":{"enum":[1,"a",[1,2],{"x":1}]}}"##,
    ];

    const VALUES: [&str; 30] = [
        "null",
        "true",
        "0",
        "1",
        "1.0",
        "1.5",
        "2",
        "2.25",
        "3",
        r#""""#,
        r#""a""#,
        r#""aa""#,
        r#""1""#,
        "[]",
        "[1]",
        r#"["a"]"#,
        r#"["a",null]"#,
        "[true,false]",
        "[1,2]",
        r#"[1,"a"]"#,
        "[1,1]",
        r#"["a","a"]"#,
        "[1,2,3]",
        r#"[true,"a",false]"#,
        r#"[null,"a",1]"#,
        "{}",
        r#"{"x":1}"#,
        r#"{"x":1,"z":1}"#,
        r#"{"az":1,"z":1}"#,
        r#"{"b":1,"c":1}"#,
    ];

    /// Every three of the keywords together: nothing is reported if a value is accepted.
    #[test]
    fn satisfiable_schemas_are_not_reported() {
        let values: Vec<Value> = VALUES.into_iter().map(json).collect();
        let mut refused = 0;
        for (first, one) in KEYWORDS.iter().enumerate() {
            for (second, two) in KEYWORDS.iter().enumerate().take(first + 1) {
                for three in KEYWORDS.iter().take(second + 1) {
                    let schema = format!("{{{one},{two},{three}}}");
                    let schema = json(&schema);
                    let messages = messages(&schema);
                    if messages.is_empty() {
                        continue;
                    }
                    let check = Check::of(&JsonText::from_value(&schema)).expect("a schema");
                    let fits = values.iter().find(|value| check.admits(value));
                    assert_eq!(fits, None, "{schema}: {messages:?}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 300, "{refused}");
    }

    /// Before 2019-09 nothing counts beside a reference, and within an `$id` it leads elsewhere.
    #[test]
    fn unresolved_references_are_not_decided() {
        let refused = r##""$ref":"#/$defs/d","enum":[1],"$defs":{"d":{"type":"string"}"##;
        assert_eq!(messages(&json(&format!("{{{refused}}}}}"))).len(), 1);
        let old = r#""$schema":"http://json-schema.org/draft-07/schema#","#;
        assert_eq!(messages(&json(&format!("{{{old}{refused}}}}}"))), [""; 0]);
        assert_eq!(
            messages(&json(&format!(r#"{{{refused},"e":{{"$id":"http://e.test/"}}}}}}"#))),
            [""; 0]
        );
    }

    /// The same of every schema of the JSON Schema test suite that has a valid value.
    #[test]
    fn no_schema_of_the_test_suite_with_a_value_contradicts_itself() {
        let Some(suite) = test_needs::corpus("json-schema-test-suite") else { return };
        let mut looked_at = 0;
        let files = std::fs::read_dir(suite.join("tests/draft2020-12")).expect("readable");
        for file in files.map(|file| file.expect("an entry").path()) {
            if file.extension().is_none_or(|name| name != "json") {
                continue;
            }
            let groups = json(&std::fs::read_to_string(&file).expect("readable"));
            for group in groups.as_array().into_iter().flatten() {
                let mut tests = group["tests"].as_array().into_iter().flatten();
                if group["schema"].is_object() && tests.any(|it| it["valid"] == true) {
                    looked_at += 1;
                    assert_eq!(messages(&group["schema"]), [""; 0], "{}", group["schema"]);
                }
            }
        }
        assert!(looked_at > 200, "{looked_at}");
    }
}
