//! [`Test`]: what one value may be.

use std::cmp::Ordering;

use json_text::{Decimal, JsonIndex, JsonText, JsonValue, Kind};
use regex::Regex;

use super::query::{Clause, PathMatch};
use crate::json::{Equality, equal_values};

/// What a value of the state may be.
#[derive(Debug, Clone)]
pub(super) enum Test {
    /// `$eq` and a bare value; `null` also fits what is absent.
    Equal(JsonText),
    /// `$in`.
    In(Vec<JsonText>),
    /// `$gt`, `$gte`, `$lt`, `$lte`: the orders that fit. Only values of one sort have an order.
    Order(JsonText, &'static [Ordering]),
    /// `$exists`.
    Exists(bool),
    /// `$type`: any of these.
    Type(Vec<TypeName>),
    /// `$regex`: found in a string.
    Regex(Regex),
    /// `$size`: of an array.
    Size(Box<[Test]>),
    /// `$mod`: divisor and remainder.
    Mod(i128, i128),
    /// `$all`: each is met by the array or an item of it.
    All(Vec<Test>),
    /// `$elemMatch`: one item of an array fits all of these.
    Element(Box<Clause>),
    /// `$not`, `$ne`, `$nin`: not all of these.
    Not(Vec<Test>),
}

/// The types that JSON has, by MongoDB's and JSON Schema's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeName {
    Of(Kind),
    /// A number without a fraction, however it is spelled.
    Whole,
    /// A number with one.
    Fraction,
}

impl Test {
    /// Whether the value at a path fits, or for most tests an item of it if it is an array.
    pub(super) fn fits(&self, found: &PathMatch<'_>) -> bool {
        let PathMatch { values, is_missing } = found;
        match self {
            Self::Exists(wanted) => values.is_empty() != *wanted,
            Self::Not(tests) => !tests.iter().all(|test| test.fits(found)),
            Self::Equal(value) => {
                (*is_missing && value.kind() == Kind::Null) || any(values, |seen| is(seen, value))
            }
            Self::In(choices) => {
                (*is_missing && choices.iter().any(|choice| choice.kind() == Kind::Null))
                    || any(values, |seen| choices.iter().any(|choice| is(seen, choice)))
            }
            Self::Order(value, orders) => {
                let document = JsonIndex::of(value);
                any(values, |seen| {
                    order(seen, document.root()).is_some_and(|order| orders.contains(&order))
                })
            }
            Self::Type(types) => any(values, |seen| types.iter().any(|name| name.is_of(seen))),
            Self::Regex(pattern) => {
                any(values, |seen| seen.string().is_some_and(|text| pattern.is_match(&text)))
            }
            Self::Mod(divisor, remainder) => any(values, |seen| {
                let number = seen.text().parse::<i128>().ok();
                number.is_some_and(|number| number % divisor == *remainder)
            }),
            Self::Size(tests) => {
                values.iter().filter(|seen| seen.kind() == Kind::Array).any(|seen| {
                    let count = JsonText::from_value(&seen.len().into());
                    let document = JsonIndex::of(&count);
                    let count = PathMatch::from(document.root());
                    tests.iter().all(|test| test.fits(&count))
                })
            }
            Self::All(tests) => !tests.is_empty() && tests.iter().all(|test| test.fits(found)),
            Self::Element(clause) => values
                .iter()
                .filter(|seen| seen.kind() == Kind::Array)
                .any(|seen| seen.items().any(|item| clause.holds(item))),
        }
    }
}

impl Test {
    /// The first value or pattern in it that none of `known` matches. `null` stands for an absent value.
    pub(super) fn unmatched(&self, known: &[&str]) -> Option<String> {
        let unknown = |value: &JsonText| {
            let text = value.decode::<String>().unwrap_or_else(|_| value.to_string());
            let is_known = value.kind() == Kind::Null || known.contains(&text.as_str());
            (!is_known).then_some(text)
        };
        match self {
            Self::Equal(value) => unknown(value),
            Self::In(choices) => choices.iter().find_map(unknown),
            Self::Regex(pattern) => {
                let is_known = known.iter().any(|name| pattern.is_match(name));
                (!is_known).then(|| pattern.to_string())
            }
            Self::All(tests) | Self::Not(tests) => {
                tests.iter().find_map(|test| test.unmatched(known))
            }
            Self::Order(..)
            | Self::Exists(_)
            | Self::Type(_)
            | Self::Size(_)
            | Self::Mod(..)
            | Self::Element(_) => None,
        }
    }
}

impl Test {
    /// The values that a value is compared with, as a whole.
    pub(super) fn compared(&self) -> Vec<&JsonText> {
        match self {
            Self::Equal(value) => vec![value],
            Self::In(choices) => choices.iter().collect(),
            Self::Not(tests) => tests.iter().flat_map(Self::compared).collect(),
            _ => Vec::new(),
        }
    }

    /// The members of the objects that a value is compared with.
    pub(super) fn members(&self) -> Vec<String> {
        let of = |value: &JsonText| {
            let document = JsonIndex::of(value);
            let entries = document.root().entries().into_iter();
            entries.map(|(name, _)| name.into_owned()).collect::<Vec<_>>()
        };
        match self {
            Self::Equal(value) => of(value),
            Self::In(choices) => choices.iter().flat_map(of).collect(),
            Self::Not(tests) => tests.iter().flat_map(Self::members).collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether a value or, of an array, one of its items passes.
fn any(values: &[JsonValue<'_>], mut passes: impl FnMut(JsonValue<'_>) -> bool) -> bool {
    values.iter().any(|value| {
        passes(*value) || (value.kind() == Kind::Array && value.items().any(&mut passes))
    })
}

fn is(seen: JsonValue<'_>, value: &JsonText) -> bool {
    let document = JsonIndex::of(value);
    equal_values(seen, document.root(), Equality::Json)
}

fn order(seen: JsonValue<'_>, value: JsonValue<'_>) -> Option<Ordering> {
    match (seen.kind(), value.kind()) {
        (Kind::Number, Kind::Number) => {
            Some(Decimal::parse(seen.text())?.cmp(&Decimal::parse(value.text())?))
        }
        (Kind::String, Kind::String) => Some(seen.string()?.cmp(&value.string()?)),
        (Kind::Bool, Kind::Bool) => Some(seen.is_true().cmp(&value.is_true())),
        _ => None,
    }
}

impl TypeName {
    pub(super) const NAMES: [&str; 11] = [
        "object", "array", "string", "bool", "boolean", "null", "number", "int", "long", "integer",
        "double",
    ];

    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Of(Kind::Object),
            "array" => Self::Of(Kind::Array),
            "string" => Self::Of(Kind::String),
            "bool" | "boolean" => Self::Of(Kind::Bool),
            "null" => Self::Of(Kind::Null),
            "number" | "decimal" => Self::Of(Kind::Number),
            "int" | "long" | "integer" => Self::Whole,
            "double" => Self::Fraction,
            _ => return None,
        })
    }

    /// BSON's numbers for them.
    pub(super) fn from_number(number: &str) -> Option<Self> {
        Self::parse(match number {
            "1" => "double",
            "2" => "string",
            "3" => "object",
            "4" => "array",
            "8" => "bool",
            "10" => "null",
            "16" => "int",
            "18" => "long",
            "19" => "decimal",
            _ => return None,
        })
    }

    fn is_of(self, value: JsonValue<'_>) -> bool {
        let is_whole = || Decimal::parse(value.text()).is_some_and(|number| number.is_whole());
        match self {
            Self::Of(kind) => value.kind() == kind,
            Self::Whole => value.kind() == Kind::Number && is_whole(),
            Self::Fraction => value.kind() == Kind::Number && !is_whole(),
        }
    }
}
