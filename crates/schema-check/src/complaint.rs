//! [`Complaint`]: what the validator has against a value, told where a person would mend it.
//!
//! The validator tells what fails a union at the union. Whoever wrote the value meant one of the
//! branches and wants to hear what is wrong with that: the faults of the nearest branch are told,
//! at their own places. Where several are as near, what they have in common is told, and else that
//! none fits and why.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::sentence::{expected, sentence};

/// What is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The place in the value, as a JSON pointer; of a missing member, where it should be.
    pub pointer: String,
    /// One sentence for a person.
    pub text: String,
}

/// What `error` says, one complaint or more.
pub(crate) fn complaints(error: &ValidationError<'_>) -> Vec<Complaint> {
    faults(error).iter().flat_map(|fault| (fault.complaints)()).collect()
}

/// A fault that is no union's, or that no branch of a union is nearer to than another.
struct Fault<'e> {
    /// The place of the value that it is found in.
    place: &'e str,
    sort: Sort,
    /// Worded once somebody is to hear of it: the sentence may repeat a long value.
    complaints: Box<dyn Fn() -> Vec<Complaint> + 'e>,
}

/// What a fault says about whether its branch was meant.
enum Sort {
    /// The value is of another type than these.
    Type(Vec<JsonType>),
    /// The value is not the only one, or none of those, that may stand there.
    Named { is_only: bool },
    /// So many members or items are missing or unknown.
    Members(usize),
    /// Anything else.
    Other,
}

/// The faults of which a validator's error consists: of a union, those of its nearest branch.
fn faults<'e>(error: &'e ValidationError<'_>) -> Vec<Fault<'e>> {
    let place = error.instance_path().as_str();
    let sort = match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            return nearest(place, error.instance(), context);
        }
        Kind::Type { kind: TypeKind::Single(one) } => Sort::Type(vec![*one]),
        Kind::Type { kind: TypeKind::Multiple(types) } => Sort::Type(types.iter().collect()),
        Kind::FalseSchema if admits_no_member(error) => Sort::Members(1),
        Kind::FalseSchema => Sort::Type(Vec::new()),
        Kind::Constant { .. } => Sort::Named { is_only: true },
        Kind::Enum { .. } => Sort::Named { is_only: false },
        Kind::Required { .. } => Sort::Members(1),
        Kind::AdditionalProperties { unexpected }
        | Kind::UnevaluatedProperties { unexpected }
        | Kind::UnevaluatedItems { unexpected } => Sort::Members(unexpected.len()),
        _ => Sort::Other,
    };
    vec![Fault { place, sort, complaints: Box::new(move || worded(error)) }]
}

/// The faults of the branch that a value at `place` comes nearest to.
fn nearest<'e>(
    place: &'e str,
    value: &Value,
    context: &'e [Vec<ValidationError<'static>>],
) -> Vec<Fault<'e>> {
    let mut branches: Vec<Vec<Fault<'e>>> =
        context.iter().map(|errors| errors.iter().flat_map(faults).collect()).collect();
    let tags = tags(place, &branches);
    let distances: Vec<Distance> =
        branches.iter().map(|faults| Distance::of(faults, place, &tags)).collect();
    let Some(least) = distances.iter().min() else { return Vec::new() };
    let one = |sort, complaints: Vec<Complaint>| {
        vec![Fault { place, sort, complaints: Box::new(move || complaints.clone()) }]
    };
    let here = |text| vec![Complaint { pointer: place.to_owned(), text }];
    if least.is_other_type {
        let types = types_at(place, &branches);
        if !types.is_empty() {
            let text = expected(&types, value);
            return one(Sort::Type(types), here(text));
        }
    }
    // A value that only lacks members may be on its way to any branch: what all of them ask for
    // comes first, such as a tag.
    let is_open = |it: &Distance| {
        least.others == 0 && (it.is_other_type, it.tags) == (least.is_other_type, least.tags)
    };
    let open = distances.iter().zip(&branches).filter(|(it, _)| *it == least || is_open(it));
    let open: Vec<&Vec<Fault<'_>>> = open.map(|(_, faults)| faults).collect();
    if open.len() > 1 {
        let in_common = in_common(&open);
        if !in_common.is_empty() {
            return one(Sort::Members(in_common.len()), in_common);
        }
    }
    let count = branches.len();
    let mut near = distances.iter().map(|it| it == least);
    branches.retain(|_| near.next().unwrap_or(false));
    match branches.len() {
        1 => branches.swap_remove(0),
        _ => one(Sort::Other, here(none_fits(place, count, &branches))),
    }
}

/// What each of the branches complains about, in the order of the first.
fn in_common(branches: &[&Vec<Fault<'_>>]) -> Vec<Complaint> {
    branches
        .iter()
        .map(|faults| faults.iter().flat_map(|fault| (fault.complaints)()).collect::<Vec<_>>())
        .reduce(|mut common, other| {
            common.retain(|it| other.contains(it));
            common
        })
        .unwrap_or_default()
}

/// How far a value is from a branch: what counts most comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    is_other_type: bool,
    /// So many tags name another branch.
    tags: usize,
    /// So many members are missing or unknown.
    members: usize,
    others: usize,
    /// What is wrong deep inside speaks less against the branch than what is wrong at once.
    depth: Reverse<usize>,
}

impl Distance {
    fn of(faults: &[Fault<'_>], place: &str, tags: &[&str]) -> Self {
        let mut distance = Self {
            is_other_type: false,
            tags: 0,
            members: 0,
            others: 0,
            depth: Reverse(usize::MAX),
        };
        for fault in faults {
            let is_here = fault.place == place;
            match fault.sort {
                Sort::Type(_) if is_here => distance.is_other_type = true,
                Sort::Members(count) if is_here => distance.members += count,
                Sort::Named { .. } if tags.contains(&fault.place) => distance.tags += 1,
                _ => distance.others += 1,
            }
            distance.depth = distance.depth.max(Reverse(fault.place.matches('/').count()));
        }
        distance
    }
}

/// The members of the value at `place` that tell the branches apart: a constant, or an enum that is
/// not met in several of them.
fn tags<'e>(place: &str, branches: &[Vec<Fault<'e>>]) -> Vec<&'e str> {
    let mut weights: BTreeMap<&str, usize> = BTreeMap::new();
    for fault in branches.iter().flatten() {
        let Sort::Named { is_only } = fault.sort else { continue };
        let is_member = fault
            .place
            .strip_prefix(place)
            .and_then(|below| below.strip_prefix('/'))
            .is_some_and(|name| !name.contains('/'));
        if is_member {
            *weights.entry(fault.place).or_default() += if is_only { 2 } else { 1 };
        }
    }
    weights.into_iter().filter(|(_, weight)| *weight > 1).map(|(place, _)| place).collect()
}

/// The types that some branch admits at `place`.
fn types_at(place: &str, branches: &[Vec<Fault<'_>>]) -> Vec<JsonType> {
    let mut types = Vec::new();
    for fault in branches.iter().flatten().filter(|fault| fault.place == place) {
        if let Sort::Type(admitted) = &fault.sort {
            types.extend(
                admitted.iter().filter(|it| !types.contains(*it)).copied().collect::<Vec<_>>(),
            );
        }
    }
    types
}

/// That no branch fits, and why the nearest do not.
fn none_fits(place: &str, count: usize, nearest: &[Vec<Fault<'_>>]) -> String {
    /// So many reasons are given.
    const GIVEN: usize = 3;
    let reasons =
        nearest.iter().filter_map(|faults| (faults.first()?.complaints)().into_iter().next());
    let mut given: Vec<String> = reasons
        .map(|reason| {
            let text = reason.text.trim_end_matches('.');
            match reason.pointer.strip_prefix(place).and_then(|below| below.strip_prefix('/')) {
                Some(below) => format!("`{}`: {text}", below.replace("~1", "/").replace("~0", "~")),
                None => text.to_owned(),
            }
        })
        .collect();
    given.dedup();
    let more = if given.len() > GIVEN { "; and so on" } else { "" };
    given.truncate(GIVEN);
    format!("None of the {count} alternatives fits: {}{more}.", given.join("; or "))
}

/// What the validator found, at the place where it is mended.
fn worded(error: &ValidationError<'_>) -> Vec<Complaint> {
    let place = error.instance_path().as_str();
    let below = |token: &str, text| {
        let token = token.replace('~', "~0").replace('/', "~1");
        Complaint { pointer: format!("{place}/{token}"), text }
    };
    let here = |text| vec![Complaint { pointer: place.to_owned(), text }];
    let members = |names: &[String]| {
        let told = |name: &String| {
            let keyword = error.kind().keyword();
            below(name, format!("The schema does not admit a member `{name}` here ({keyword})."))
        };
        names.iter().map(told).collect()
    };
    match error.kind() {
        Kind::Required { property } => {
            vec![below(property.as_str().unwrap_or_default(), "Required.".to_owned())]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            members(unexpected)
        }
        Kind::UnevaluatedItems { unexpected } => {
            let item = |index: usize| {
                let text = "The schema does not admit this item (unevaluatedItems).".to_owned();
                below(&index.to_string(), text)
            };
            unevaluated(error.instance(), unexpected).into_iter().map(item).collect()
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            let told = complaints(error).into_iter().next();
            let why = told.map_or_else(|| sentence(error), |complaint| complaint.text);
            vec![below(name, format!("The name `{name}`: {why}"))]
        }
        Kind::AdditionalItems { limit } => {
            let count = error.instance().as_array().map_or(0, Vec::len);
            let noun = if *limit == 1 { "item" } else { "items" };
            let told = format!("At most {limit} {noun}: remove this one.");
            (*limit..count).map(|index| below(&index.to_string(), told.clone())).collect()
        }
        Kind::Custom { message, .. } => here(format!("{message}.")),
        Kind::FalseSchema if admits_no_member(error) => {
            here("The schema admits no members here (additionalProperties).".to_owned())
        }
        Kind::FalseSchema => here("The schema admits nothing here.".to_owned()),
        Kind::OneOfMultipleValid { context } => {
            let fitting = context.iter().zip(1..).filter(|(errors, _)| errors.is_empty());
            let fitting: Vec<String> = fitting.map(|(_, number)| number.to_string()).collect();
            let numbers = fitting.join(" and ");
            here(format!("This fits alternatives {numbers}, and only one may fit (oneOf)."))
        }
        _ => here(sentence(error)),
    }
}

/// Whether it is an object's members that are not admitted, whatever their names.
fn admits_no_member(error: &ValidationError<'_>) -> bool {
    error.schema_path().as_str().ends_with("/additionalProperties")
}

/// Where the items stand that the validator quotes, in the list's order, as not admitted.
///
/// It quotes their texts alone. Of like items those at the end are meant: what it is that admits
/// an item depends on the item, or reaches from the list's beginning to some place.
fn unevaluated(list: &Value, quoted: &[String]) -> Vec<usize> {
    let mut left = quoted.iter().rev().peekable();
    let mut places: Vec<usize> = Vec::with_capacity(quoted.len());
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    for (index, item) in items.iter().enumerate().rev() {
        let text = item.to_string();
        if left.next_if(|quoted| **quoted == text).is_some() {
            places.push(index);
        }
    }
    places.reverse();
    places
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use crate::Check;

    /// The complaints about each value of `cases`, with what is expected of it.
    #[track_caller]
    fn check(schema: &str, cases: &[(&str, &[(&str, &str)])]) {
        let check = Check::of(&JsonText::parse(schema).expect("JSON")).expect("a schema");
        for (value, expected) in cases {
            let complaints = check.complaints(&JsonText::parse(value).expect("JSON"));
            let told: Vec<(&str, &str)> =
                complaints.iter().map(|it| (it.pointer.as_str(), it.text.as_str())).collect();
            assert_eq!(told, *expected, "{value}");
        }
    }

    #[test]
    fn the_branch_that_its_tag_names_is_meant() {
        let shapes = r##"{"type":"object","properties":{"shape":{"oneOf":[
            {"$ref":"#/$defs/circle"},
            {"type":"object","required":["kind","width","height"],"properties":
                {"kind":{"const":"box"},"width":{"type":"number"},"height":{"type":"number"}}}]}},
            "$defs":{"circle":{"type":"object","required":["kind","radius"],"properties":
                {"kind":{"const":"circle"},"radius":{"type":"number","maximum":9}}}}}"##;
        check(
            shapes,
            &[
                (r#"{"shape":{"kind":"circle","radius":1}}"#, &[]),
                (
                    r#"{"shape":{"kind":"circle","radius":12}}"#,
                    &[("/shape/radius", "At most 9 (maximum).")],
                ),
                // More is wrong with the branch that is meant than with the other.
                (
                    r#"{"shape":{"kind":"box"}}"#,
                    &[("/shape/width", "Required."), ("/shape/height", "Required.")],
                ),
                (
                    r#"{"shape":{"radius":""}}"#,
                    &[
                        ("/shape/kind", "Required."),
                        ("/shape/radius", "A number is expected; this is text (type)."),
                    ],
                ),
                // What all branches ask for.
                (r#"{"shape":{}}"#, &[("/shape/kind", "Required.")]),
                (
                    r#"{"shape":7}"#,
                    &[("/shape", "An object is expected; this is a number (type).")],
                ),
            ],
        );
        let several = r#"{"oneOf":[{"properties":{"op":{"enum":["add","sub"]},"n":{"type":"integer"}}},
            {"properties":{"op":{"enum":["not","neg"]}},"required":["a","b"]},
            {"properties":{"op":{"const":"nop"}}}]}"#;
        check(
            several,
            &[
                (r#"{"op":"not"}"#, &[("/a", "Required."), ("/b", "Required.")]),
                (
                    r#"{"op":"sub","n":"x"}"#,
                    &[("/n", "A whole number is expected; this is text (type).")],
                ),
            ],
        );
    }

    #[test]
    fn without_a_tag_the_branch_is_meant_whose_members_are_there() {
        check(
            r#"{"anyOf":[{"type":"object","required":["name"]},
                {"type":"object","required":["zip","city"],"properties":
                    {"zip":{"type":"string"},"city":{"type":"string"}}},
                {"type":"null"}]}"#,
            &[
                (
                    r#"{"zip":1,"city":2}"#,
                    &[
                        ("/zip", "Text is expected; this is a number (type)."),
                        ("/city", "Text is expected; this is a number (type)."),
                    ],
                ),
                ("[]", &[("", "An object or null is expected; this is a list (type).")]),
            ],
        );
        check(
            r#"{"anyOf":[{"type":"integer","minimum":3},{"type":"string","pattern":"^a"},{"type":"array","items":
                {"anyOf":[{"type":"integer"},{"type":"object","properties":{"n":{"type":"integer"}}}]}}]}"#,
            &[
                ("1", &[("", "At least 3 (minimum).")]),
                (
                    r#"[1,{"n":""}]"#,
                    &[("/1/n", "A whole number is expected; this is text (type).")],
                ),
                (
                    "null",
                    &[("", "Text, a whole number or a list is expected; this is null (type).")],
                ),
            ],
        );
    }

    #[test]
    fn where_no_branch_is_nearer_the_union_speaks() {
        check(
            r#"{"properties":{"a/b":{"anyOf":[{"minimum":10},{"maximum":5}]},
                "c":{"anyOf":[{"required":["x"]},{"required":["y/z"]}]},
                "d":{"oneOf":[{"type":"integer"},{"minimum":2},{"type":"number"}]}}}"#,
            &[
                (
                    r#"{"a/b":7}"#,
                    &[(
                        "/a~1b",
                        "None of the 2 alternatives fits: At least 10 (minimum); or At most 5 \
                         (maximum).",
                    )],
                ),
                (
                    r#"{"c":{}}"#,
                    &[(
                        "/c",
                        "None of the 2 alternatives fits: `x`: Required; or `y/z`: Required.",
                    )],
                ),
                (
                    r#"{"d":1}"#,
                    &[("/d", "This fits alternatives 1 and 3, and only one may fit (oneOf).")],
                ),
            ],
        );
    }

    #[test]
    fn what_is_not_admitted_is_told_where_it_stands() {
        check(
            r#"{"prefixItems":[{},{}],"unevaluatedItems":{"type":"integer"}}"#,
            &[(
                r#"["x","x",1,"x","y","x"]"#,
                &[
                    ("/3", "The schema does not admit this item (unevaluatedItems)."),
                    ("/4", "The schema does not admit this item (unevaluatedItems)."),
                    ("/5", "The schema does not admit this item (unevaluatedItems)."),
                ],
            )],
        );
        check(
            r#"{"contains":{"type":"string"},"unevaluatedItems":false}"#,
            &[(
                r#"["x",1,"x",1,"x"]"#,
                &[
                    ("/1", "The schema does not admit this item (unevaluatedItems)."),
                    ("/3", "The schema does not admit this item (unevaluatedItems)."),
                ],
            )],
        );
        check(
            r#"{"properties":{"a":{"properties":{"b":{}},"additionalProperties":false},
                "none":{"additionalProperties":false}},"unevaluatedProperties":false,
                "propertyNames":{"maxLength":4}}"#,
            &[(
                r#"{"a":{"b/c":1},"d":2,"none":{"x":1}}"#,
                &[
                    (
                        "/a/b~1c",
                        "The schema does not admit a member `b/c` here (additionalProperties).",
                    ),
                    ("/none", "The schema admits no members here (additionalProperties)."),
                    ("/d", "The schema does not admit a member `d` here (unevaluatedProperties)."),
                ],
            )],
        );
        check(
            r#"{"propertyNames":{"maxLength":3}}"#,
            &[(
                r#"{"long":1}"#,
                &[("/long", "The name `long`: At most 3 characters (maxLength); here 4.")],
            )],
        );
    }

    #[test]
    fn a_schema_that_cannot_be_used_says_why_in_words() {
        let fault = |schema: &str| {
            Check::of(&JsonText::parse(schema).expect("JSON")).expect_err("none").to_string()
        };
        let foreign = fault(r#"{"$ref":"https://example.org/remote.json"}"#);
        assert_eq!(
            foreign,
            "the schema cannot be used: a reference leads to https://example.org/remote.json, and \
             nothing is fetched: put what it means into the schema, under `$defs`"
        );
        assert!(fault(r#"{"$ref":"other.json"}"#).contains("leads to other.json, and"));
        assert!(fault(r##"{"$ref":"#/$defs/a"}"##).contains("/$defs/a, where nothing stands"));
        assert!(fault(r##"{"$ref":"#a"}"##).contains("the anchor a, which is nowhere"));
        assert!(fault(r#"{"pattern":"a("}"#).contains(r#""a(" is no pattern that can be matched"#));
        assert!(!fault(r#"{"additionalProperties":7}"#).contains("valid under"));
    }
}
