//! The rules about constraints: limits, enums, patterns, `required`, types, defaults.

use std::collections::{BTreeSet, HashSet};
use std::ptr;

use json_text::JsonText;
use schema_check::{Check, pattern_lengths, values_of_part};
use schema_form::{Types, canonical_keyword, canonical_types};
use serde_json::{Map, Value, json};

use crate::merged::{RANGES, crossing, kinds};
use crate::schema_values::{is_of, number, numbers_are_text, short, why};
use crate::sub_schema::{
    Part, SubSchema, SubSchemas, admits_all, forbids, is_annotation, types_of,
};
use crate::{Report, Rule, round_trip};

pub(crate) fn check<'d>(place: &SubSchema<'d>, places: &SubSchemas<'d>, report: &mut Report) {
    bounds(place, places, report);
    multiples(place, places, report);
    values(place, report);
    required(place, report);
    pattern(place, report);
    lengths(place, places, report);
    negation(place, places, report);
}

fn bounds<'d>(place: &SubSchema<'d>, places: &SubSchemas<'d>, report: &mut Report) {
    for (least, most, exclusive) in RANGES {
        let (Some(low), Some(high)) =
            (place.get(&[least]).and_then(number), place.get(&[most]).and_then(number))
        else {
            continue;
        };
        // Without `contains` nothing is counted.
        if least == "minContains" && place.get(&["contains"]).is_none() {
            continue;
        }
        if low > high || exclusive && low >= high {
            let (rule, left) = excluded(least, place, places);
            let message =
                format!("`{least}` {low} and `{most}` {high} leave {left}: correct one of them.");
            report.find(rule, &place.pointer, message);
        }
    }
}

/// The rule for limits such as `least` that exclude each other, and what they leave. They do not
/// limit values of another type, and a branch may not apply.
fn excluded<'d>(
    least: &str,
    place: &SubSchema<'d>,
    places: &SubSchemas<'d>,
) -> (Rule, &'static str) {
    let (limited, left) = match least {
        "minLength" => (Types::STRING, "no string"),
        "minItems" | "minContains" => (Types::ARRAY, "no list"),
        "minProperties" => (Types::OBJECT, "no object"),
        _ => (Types::NUMBER, "no number"),
    };
    let is_alone = |place: &SubSchema<'d>| limited.contains(kinds(&places.beside(place.members)));
    let holds_here = |outer: &&SubSchema<'d>| {
        places.beside(outer.members).iter().any(|it| ptr::eq(*it, place.members))
    };
    let is_decided = match place.part {
        Part::Aspect { holds: false } => false,
        // The type may be in an outer schema.
        Part::Aspect { holds: true } => places.all.iter().filter(holds_here).any(is_alone),
        Part::Whole | Part::Argument(_) => is_alone(place),
    };
    match is_decided {
        true => (Rule::BoundsContradict, "no value"),
        false => (Rule::TypeExcluded, left),
    }
}

/// Limits of merged schemas: the schema itself, those of `allOf` and the target of `$ref`. Limits
/// that contradict in fewer of them are reported there.
pub(crate) fn together<'d>(place: &SubSchema<'d>, places: &SubSchemas<'d>, report: &mut Report) {
    let schemas = places.beside(place.members);
    if schemas.len() < 2 {
        return;
    }
    for range in RANGES {
        let (least, most, _) = range;
        // `contains` counts by a schema of its own.
        if least == "minContains" {
            continue;
        }
        let Some((low, high)) = crossing(&schemas, range) else { continue };
        let is_reported = crossing(&schemas[..1], range).is_some()
            || places.is_reported_for_layer(place, |_, schemas| crossing(schemas, range).is_some());
        if !is_reported {
            let (rule, left) = excluded(least, place, places);
            let message = format!(
                "`{least}` {low} and `{most}` {high} of merged schemas leave {left}: correct one of \
                 them."
            );
            report.find(rule, &place.pointer, message);
        }
    }
}

fn multiples<'d>(place: &SubSchema<'d>, places: &SubSchemas<'d>, report: &mut Report) {
    let of = |keyword| place.get(&[keyword]).and_then(number);
    let (Some(step), Some(low), Some(high)) = (of("multipleOf"), of("minimum"), of("maximum"))
    else {
        return;
    };
    if step > 0.0 && low <= high && (low / step).ceil() * step > high {
        let message = format!(
            "No multiple of {step} is between {low} and {high}: correct `multipleOf` or a limit."
        );
        report.find(excluded("minimum", place, places).0, &place.pointer, message);
    }
}

fn values(place: &SubSchema<'_>, report: &mut Report) {
    let Some(Value::Array(values)) = place.members.get("enum") else { return };
    let at = place.at("enum");
    if values.is_empty() {
        report.find(Rule::EnumEmpty, &at, "The enum has no values: add some, or remove it.");
        return;
    }
    let mut seen = HashSet::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        // Objects are equal in any order of members.
        let repeats = match value {
            Value::Array(_) | Value::Object(_) => values[..index].contains(value),
            _ => !seen.insert(value.to_string()),
        };
        if repeats {
            let message = format!("Duplicate value {value}: remove one.");
            report.find(Rule::EnumRepeats, &format!("{at}/{index}"), message);
        }
    }
    let types = types_of(place.members);
    if types.is_empty() {
        return;
    }
    let as_text = numbers_are_text(place.members);
    let unfit: Vec<usize> =
        (0..values.len()).filter(|index| !is_of(&values[*index], &types, as_text)).collect();
    let named = types.join(" or ");
    if unfit.len() == values.len() {
        let remedy = if types.contains(&"array") {
            "put the enum into `items` if it names the items' values"
        } else if values.iter().all(|value| is_of(value, &types, true)) {
            "write the numbers without quotes"
        } else {
            "correct the type or the values"
        };
        let message = format!("No value of the enum has the type {named}: {remedy}.");
        report.find(Rule::EnumUnfit, &at, message);
        return;
    }
    for index in unfit {
        let message = format!(
            "{} does not have the type {named}, so it is never valid: remove it, or widen the type.",
            values[index]
        );
        report.find(Rule::EnumValueUnfit, &format!("{at}/{index}"), message);
    }
}

fn required(place: &SubSchema<'_>, report: &mut Report) {
    let names = match place.members.get("required") {
        Some(Value::Array(names)) => names,
        Some(Value::Bool(_)) if place.part != Part::Whole => {
            report.find(
                Rule::RequiredMisplaced,
                &place.at("required"),
                "`required` must be a list of names in the object with the argument: move it there.",
            );
            return;
        }
        _ => return,
    };
    let properties = place.members.get("properties").and_then(Value::as_object);
    let extra = place.get(&["additionalProperties"]);
    let by_pattern = place.members.contains_key("patternProperties");
    for (index, name) in names.iter().enumerate() {
        let Some(name) = name.as_str() else { continue };
        if by_pattern || properties.is_some_and(|properties| properties.contains_key(name)) {
            continue;
        }
        let at = format!("{}/{index}", place.at("required"));
        if extra == Some(&Value::Bool(false)) {
            let message = format!(
                "`{name}` is required, but `additionalProperties: false` forbids it: add it to \
                 `properties`, or remove it from `required`."
            );
            report.find(Rule::RequiredImpossible, &at, message);
        } else if !place.part.is_aspect()
            && !place.is_composed()
            && !extra.is_some_and(Value::is_object)
        {
            let message = format!(
                "`{name}` is required but not described: add it to `properties`, or remove it from \
                 `required`."
            );
            report.find(Rule::RequiredUndescribed, &at, message);
        }
    }
}

/// A pattern that matches no text as long, or as short, as the limits ask.
fn lengths<'d>(place: &SubSchema<'d>, places: &SubSchemas<'d>, report: &mut Report) {
    let Some((least, most)) =
        place.get(&["pattern"]).and_then(Value::as_str).and_then(pattern_lengths)
    else {
        return;
    };
    let limit = |keyword| {
        let count = place.get(&[keyword])?;
        let count = count.as_u64().or_else(|| count.as_str()?.trim().parse().ok())?;
        usize::try_from(count).ok()
    };
    let (min, max) = (limit("minLength"), limit("maxLength"));
    let mismatch = match (most, min, max) {
        (Some(most), Some(min), _) if most < min => {
            format!("The pattern matches at most {most} characters, but `minLength` is {min}")
        }
        (_, _, Some(max)) if least > max => {
            format!("The pattern matches at least {least} characters, but `maxLength` is {max}")
        }
        _ => return,
    };
    let message = format!("{mismatch}, so no string is valid: correct one.");
    report.find(excluded("minLength", place, places).0, &place.pointer, message);
}

/// A `not` that excludes everything.
fn negation<'d>(place: &SubSchema<'d>, places: &SubSchemas<'d>, report: &mut Report) {
    // In a condition's branch it may forbid a member.
    if place.part.is_aspect() || forbids(place.members) && !places.is_needed(place) {
        return;
    }
    let Some(not) = place.members.get("not") else { return };
    let excludes_all = match not {
        not if admits_all(not) => true,
        Value::Object(members) => {
            let stated = members.keys().filter(|key| !is_annotation(key));
            let (own, excluded) = (types_of(place.members), types_of(members));
            let is_of = |kind: &&str| {
                excluded.contains(kind) || *kind == "integer" && excluded.contains(&"number")
            };
            stated.eq(["type"]) && !own.is_empty() && own.iter().all(is_of)
        }
        _ => false,
    };
    if excludes_all {
        let message =
            "`not` excludes every value that the schema admits: remove it, or exclude less.";
        report.find(Rule::NothingValid, &place.at("not"), message);
    }
}

/// Optional arguments for which no value is found. The whole has valid values without them.
///
/// The innermost come first. A problem of a member, or of a definition that it references, is not
/// reported again for the schema that contains it.
pub(crate) fn optional(
    places: &SubSchemas<'_>,
    schema: &JsonText,
    base: &str,
    report: &mut Report,
) {
    // The places already reported.
    let mut settled: BTreeSet<String> = report.errors().map(str::to_owned).collect();
    let is_settled = |settled: &BTreeSet<String>, pointer: &str| {
        let inner = format!("{pointer}/");
        let next = settled.range(inner.clone()..).next();
        settled.contains(pointer) || next.is_some_and(|next| next.starts_with(&inner))
    };
    for place in places.all.iter().rev() {
        let beside = places.beside(place.members);
        let mut known = beside.iter().filter_map(|schema| places.place_of(schema));
        if asks_for_much(place) || known.any(|it| is_settled(&settled, &it.pointer)) {
            settled.insert(place.pointer.clone());
            continue;
        }
        let Part::Argument(name) = place.part else { continue };
        if !may_contradict(&beside) || beside.iter().any(|schema| forbids(schema)) {
            continue;
        }
        let part = place.pointer.strip_prefix(base).unwrap_or_default();
        let Ok(check) = Check::of_part(schema, part) else { continue };
        if values_of_part(schema, part, &check, 1).is_empty() {
            settled.insert(place.pointer.clone());
            let why = round_trip::why(places, &place.pointer);
            let message = format!("No valid value for `{name}` was found: {why}");
            report.find(Rule::NoValueFound, &place.pointer, message);
        }
    }
}

/// Whether values must be longer than those that are tried.
fn asks_for_much(place: &SubSchema<'_>) -> bool {
    /// The longest that is tried.
    const LONGEST: f64 = 1_000.0;
    let least = ["minLength", "minItems", "minProperties", "minContains"];
    least.into_iter().filter_map(|it| number(place.get(&[it])?)).any(|it| it > LONGEST)
}

/// Whether the merged `schemas` may contradict in ways that no rule checks. Trying values needs a
/// validator, which is slow to build, and most schemas cannot contradict.
fn may_contradict(schemas: &[&Map<String, Value>]) -> bool {
    let mut subjects = HashSet::new();
    let mut types = HashSet::new();
    for (keyword, value) in schemas.iter().copied().flatten() {
        let about = match canonical_keyword(keyword) {
            "type" => {
                types.insert(value.to_string());
                continue;
            }
            "title" | "description" | "default" | "examples" | "format" | "deprecated"
            | "readOnly" | "nullable" | "$comment" | "$ref" | "$defs" | "definitions" | "defs" => {
                continue;
            }
            "minimum" | "maximum" => "size",
            "minLength" | "maxLength" => "length",
            "minItems" | "maxItems" => "count",
            "properties" | "required" | "additionalProperties" => "members",
            "items" => "items",
            "uniqueItems" => "repeats",
            "enum" => "enum",
            "const" => "const",
            _ => return true,
        };
        subjects.insert(about);
    }
    subjects.len() > 1 || types.len() > 1
}

/// Expressions that do not compile, those that choose the schemas of members among them.
fn pattern(place: &SubSchema<'_>, report: &mut Report) {
    for (pointer, pattern) in place.patterns() {
        if let Err(reason) = javascript(pattern) {
            let message = format!(
                "JavaScript does not compile the pattern `{pattern}` ({reason}): use JavaScript's \
                 syntax."
            );
            report.find(Rule::PatternInvalid, &pointer, message);
        } else if Check::of(&JsonText::from_value(&json!({ "pattern": pattern }))).is_err() {
            let message = format!(
                "JavaScript compiles the pattern `{pattern}`, but Rehearsal cannot run it, so its \
                 values are not checked here: simplify it."
            );
            report.find(Rule::PatternUnchecked, &pointer, message);
        }
    }
}

/// Whether JavaScript compiles `pattern`, as validators there do: with the flag `u`, or else
/// without, where it takes more.
fn javascript(pattern: &str) -> Result<(), String> {
    let compiled = |flags| regress::Regex::with_flags(pattern, flags).map(|_| ());
    compiled("u").or_else(|_| compiled("")).map_err(|error| error.text)
}

/// Types that are not JSON Schema's own: one finding of a rule for all of a declaration, at the
/// first.
pub(crate) fn types(places: &[SubSchema<'_>], google: bool, report: &mut Report) {
    let (mut loose, mut vague) = (TypeNames::default(), TypeNames::default());
    for place in places {
        let names: Vec<&str> = match place.members.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        for name in names {
            // The form reports unknown types.
            let Some(meant) = canonical_types(name) else { continue };
            match meant {
                [one] if *one == name || google && one.eq_ignore_ascii_case(name) => {}
                [one] => loose.add(place, format!("`{one}` instead of `{name}`")),
                _ if name == "TYPE_UNSPECIFIED" && google => {}
                _ => vague.add(place, format!("`{name}`")),
            }
        }
    }
    loose.report(Rule::TypeLoose, report, |names| {
        format!("Strict services reject type names that are not from JSON Schema: write {names}.")
    });
    vague.report(Rule::TypeVague, report, |names| {
        format!(
            "JSON Schema has no type {names}, so a model has to guess: name the type, or remove \
             `type` if any value is valid."
        )
    });
}

/// Type names of one kind, each reported once.
#[derive(Default)]
struct TypeNames {
    first: Option<String>,
    names: Vec<String>,
}

impl TypeNames {
    fn add(&mut self, place: &SubSchema<'_>, name: String) {
        self.first.get_or_insert_with(|| place.at("type"));
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    fn report(self, rule: Rule, report: &mut Report, message: impl FnOnce(&str) -> String) {
        if let Some(pointer) = self.first {
            report.find(rule, &pointer, message(&self.names.join(", ")));
        }
    }
}

/// Defaults and examples that violate their own schemas.
pub(crate) fn own_values(
    places: &[SubSchema<'_>],
    schema: &JsonText,
    base: &str,
    report: &mut Report,
) {
    for place in places {
        let examples = place.members.get("examples").and_then(Value::as_array);
        if place.members.get("default").is_none() && examples.is_none() {
            continue;
        }
        let part = place.pointer.strip_prefix(base).unwrap_or_default();
        let Ok(check) = Check::of_part(schema, part) else { continue };
        if let Some(default) = place.members.get("default")
            && !check.admits(default)
        {
            let message = if default.is_null() {
                "The default is null, which the schema does not admit: remove it, or admit null."
                    .to_owned()
            } else {
                format!(
                    "The default {} violates its own schema: {}",
                    short(default),
                    why(&check, default)
                )
            };
            report.find(Rule::DefaultInvalid, &place.at("default"), message);
        }
        for (index, example) in examples.into_iter().flatten().enumerate() {
            if !check.admits(example) {
                let message = format!(
                    "The example {} violates its own schema: {}",
                    short(example),
                    why(&check, example)
                );
                let pointer = format!("{}/{index}", place.at("examples"));
                report.find(Rule::ExampleInvalid, &pointer, message);
            }
        }
    }
}
