//! [`Violation`]: what the validator rejects in a value, reported at the place to correct.
//!
//! The validator reports a failed union at the union itself. The author of the value meant one of
//! the branches, so the errors of the nearest branch are reported, each at its own place. Where
//! several branches are equally near, their common errors are reported; if there are none, one
//! message is that no branch matches, and why.

use json_text::pointer;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::message::{expected, message_of};

/// What is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The place in the value, as a JSON pointer; for a missing member, where it should be.
    pub pointer: String,
    /// One sentence for a person, with its full stop.
    pub text: String,
}

/// The violations of `error`, at least one.
pub(crate) fn violations(error: &ValidationError<'_>) -> Vec<Violation> {
    faults(error).iter().flat_map(|fault| (fault.violations)()).collect()
}

/// One error outside unions, or the summary of a union without a nearest branch.
struct SingleError<'e> {
    /// The JSON pointer of the value with the error.
    place: &'e str,
    sort: ErrorClass,
    /// Built on demand, because the sentence may repeat a long value.
    violations: Box<dyn Fn() -> Vec<Violation> + 'e>,
}

/// Evidence of an error for or against its branch.
enum ErrorClass {
    /// The value's type is not one of these.
    Type(Vec<JsonType>),
    /// The value differs from the `const` (`is_only`) or is not in the `enum`.
    Named { is_only: bool },
    /// The number of missing or unknown members or items.
    Members(usize),
    /// Anything else.
    Other,
}

/// The single errors that a validator's error consists of; for a union, those of its nearest branch.
fn faults<'e>(error: &'e ValidationError<'_>) -> Vec<SingleError<'e>> {
    let place = error.instance_path().as_str();
    let sort = match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            return nearest(place, error.instance(), context);
        }
        Kind::Type { kind: TypeKind::Single(one) } => ErrorClass::Type(vec![*one]),
        Kind::Type { kind: TypeKind::Multiple(types) } => ErrorClass::Type(types.iter().collect()),
        Kind::FalseSchema if admits_no_member(error) => ErrorClass::Members(1),
        Kind::FalseSchema => ErrorClass::Type(Vec::new()),
        Kind::Constant { .. } => ErrorClass::Named { is_only: true },
        Kind::Enum { .. } => ErrorClass::Named { is_only: false },
        Kind::Required { .. } => ErrorClass::Members(1),
        Kind::AdditionalProperties { unexpected }
        | Kind::UnevaluatedProperties { unexpected }
        | Kind::UnevaluatedItems { unexpected } => ErrorClass::Members(unexpected.len()),
        _ => ErrorClass::Other,
    };
    vec![SingleError { place, sort, violations: Box::new(move || violations_of(error)) }]
}

/// The errors of the union branch nearest to the value at `place`.
fn nearest<'e>(
    place: &'e str,
    value: &Value,
    context: &'e [Vec<ValidationError<'static>>],
) -> Vec<SingleError<'e>> {
    let mut branches: Vec<Vec<SingleError<'e>>> =
        context.iter().map(|errors| errors.iter().flat_map(faults).collect()).collect();
    let tags = tags(place, &branches);
    let distances: Vec<Distance> =
        branches.iter().map(|faults| Distance::of(faults, place, &tags)).collect();
    let Some(least) = distances.iter().min() else { return Vec::new() };
    let one = |sort, violations: Vec<Violation>| {
        vec![SingleError { place, sort, violations: Box::new(move || violations.clone()) }]
    };
    let here = |text| vec![Violation { pointer: place.to_owned(), text }];
    if least.is_other_type {
        let types = types_at(place, &branches);
        if !types.is_empty() {
            let text = expected(&types, value);
            return one(ErrorClass::Type(types), here(text));
        }
    }
    // A value that only lacks members may still become any branch: what all of them require, such
    // as a tag, is reported first.
    let is_open = |it: &Distance| {
        least.others == 0 && (it.is_other_type, it.tags) == (least.is_other_type, least.tags)
    };
    let open = distances.iter().zip(&branches).filter(|(it, _)| *it == least || is_open(it));
    let open: Vec<&Vec<SingleError<'_>>> = open.map(|(_, faults)| faults).collect();
    if open.len() > 1 {
        let in_common = in_common(&open);
        if !in_common.is_empty() {
            return one(ErrorClass::Members(in_common.len()), in_common);
        }
    }
    let count = branches.len();
    let mut near = distances.iter().map(|it| it == least);
    branches.retain(|_| near.next().unwrap_or(false));
    match branches.len() {
        1 => branches.swap_remove(0),
        _ => one(ErrorClass::Other, here(none_fits(place, count, &branches))),
    }
}

/// The violations that all branches share, in the order of the first.
fn in_common(branches: &[&Vec<SingleError<'_>>]) -> Vec<Violation> {
    branches
        .iter()
        .map(|faults| faults.iter().flat_map(|fault| (fault.violations)()).collect::<Vec<_>>())
        .reduce(|mut common, other| {
            common.retain(|it| other.contains(it));
            common
        })
        .unwrap_or_default()
}

/// How far a value is from a branch; fields in order of weight.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    is_other_type: bool,
    /// The number of tags that name another branch.
    tags: usize,
    /// The number of missing or unknown members.
    members: usize,
    others: usize,
    /// An error deep inside counts less against the branch than one at the top.
    depth: Reverse<usize>,
}

impl Distance {
    fn of(faults: &[SingleError<'_>], place: &str, tags: &[&str]) -> Self {
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
                ErrorClass::Type(_) if is_here => distance.is_other_type = true,
                ErrorClass::Members(count) if is_here => distance.members += count,
                ErrorClass::Named { .. } if tags.contains(&fault.place) => distance.tags += 1,
                _ => distance.others += 1,
            }
            distance.depth = distance.depth.max(Reverse(fault.place.matches('/').count()));
        }
        distance
    }
}

/// The members of the value at `place` that distinguish the branches: a constant, or an enum that
/// fails in several of them.
fn tags<'e>(place: &str, branches: &[Vec<SingleError<'e>>]) -> Vec<&'e str> {
    let mut weights: BTreeMap<&str, usize> = BTreeMap::new();
    for fault in branches.iter().flatten() {
        let ErrorClass::Named { is_only } = fault.sort else { continue };
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
fn types_at(place: &str, branches: &[Vec<SingleError<'_>>]) -> Vec<JsonType> {
    let mut types = Vec::new();
    for fault in branches.iter().flatten().filter(|fault| fault.place == place) {
        if let ErrorClass::Type(admitted) = &fault.sort {
            types.extend(
                admitted.iter().filter(|it| !types.contains(*it)).copied().collect::<Vec<_>>(),
            );
        }
    }
    types
}

/// The sentence that no branch matches, with the reasons of the nearest.
fn none_fits(place: &str, count: usize, nearest: &[Vec<SingleError<'_>>]) -> String {
    /// The number of reasons given.
    const GIVEN: usize = 3;
    let reasons =
        nearest.iter().filter_map(|faults| (faults.first()?.violations)().into_iter().next());
    let mut given: Vec<String> = reasons
        .map(|reason| {
            let text = reason.text.trim_end_matches('.');
            match reason.pointer.strip_prefix(place).and_then(|below| below.strip_prefix('/')) {
                Some(below) => format!("`{}`: {text}", pointer::name(below)),
                None => text.to_owned(),
            }
        })
        .collect();
    given.dedup();
    let more = if given.len() > GIVEN { ". Or another reason" } else { "" };
    given.truncate(GIVEN);
    format!("Matches none of the {count} alternatives. {}{more}.", given.join(". Or: "))
}

/// The violations of one error, each at the place to correct.
fn violations_of(error: &ValidationError<'_>) -> Vec<Violation> {
    let place = error.instance_path().as_str();
    let below = |token: &str, text| {
        let token = pointer::step(token);
        Violation { pointer: format!("{place}/{token}"), text }
    };
    let here = |text| vec![Violation { pointer: place.to_owned(), text }];
    let members = |names: &[String]| {
        let unknown = |name: &String| {
            let keyword = error.kind().keyword();
            below(
                name,
                format!("The schema does not allow the property `{name}` here ({keyword})."),
            )
        };
        names.iter().map(unknown).collect()
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
                let text = "The schema does not allow this item (unevaluatedItems).".to_owned();
                below(&index.to_string(), text)
            };
            unevaluated(error.instance(), unexpected).into_iter().map(item).collect()
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            let first = violations(error).into_iter().next();
            let why = first.map_or_else(|| message_of(error), |violation| violation.text);
            vec![below(name, format!("The name `{name}`: {why}"))]
        }
        Kind::AdditionalItems { limit } => {
            let count = error.instance().as_array().map_or(0, Vec::len);
            let noun = if *limit == 1 { "item" } else { "items" };
            let text = format!("At most {limit} {noun}: remove this one.");
            (*limit..count).map(|index| below(&index.to_string(), text.clone())).collect()
        }
        Kind::Custom { message, .. } => here(format!("{message}.")),
        Kind::FalseSchema if admits_no_member(error) => {
            here("The schema allows no properties here (additionalProperties).".to_owned())
        }
        Kind::FalseSchema => here("The schema allows no value here.".to_owned()),
        Kind::OneOfMultipleValid { context } => {
            let matching = context.iter().zip(1..).filter(|(errors, _)| errors.is_empty());
            let matching: Vec<String> = matching.map(|(_, number)| number.to_string()).collect();
            let numbers = matching.join(" and ");
            here(format!("Matches alternatives {numbers}, but only one may match (oneOf)."))
        }
        _ => here(message_of(error)),
    }
}

/// Whether the error is about all unnamed members of an object (`additionalProperties: false`).
fn admits_no_member(error: &ValidationError<'_>) -> bool {
    error.schema_path().as_str().ends_with("/additionalProperties")
}

/// The indices of the items that the validator lists, by their text only, as unevaluated.
///
/// Of equal items the last ones are meant: a keyword evaluates an item either for its value or for
/// its position from the start of the list.
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
