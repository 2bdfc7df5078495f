//! [`Matcher`]: which values of an argument match, where equality is too strict.

use std::fmt;
use std::sync::Arc;

use json_text::{Decimal, JsonIndex, JsonText, JsonValue, Kind};
use regex::Regex;

use crate::config_fault::ConfigFault;
use crate::json::{Equality, Fitting, equal, pointer_step, subset};
use crate::nearest::nearest;
use crate::state::operator;

/// A JSON Schema cannot be used, for this reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnusableSchema(pub String);

/// Compiles JSON Schemas. A parameter, so that a caller without schemas needs no validator.
pub trait Schemas {
    /// The check of one schema.
    ///
    /// # Errors
    /// What is wrong with the schema.
    fn compile(&self, schema: &JsonText) -> Result<Arc<dyn SchemaCheck>, UnusableSchema>;
}

/// One compiled JSON Schema.
pub trait SchemaCheck: fmt::Debug + Send + Sync {
    /// Whether `value` fits.
    fn fits(&self, value: &JsonText) -> bool;
}

/// Rejects every schema.
#[derive(Debug, Clone, Copy)]
pub struct NoSchemas;

impl Schemas for NoSchemas {
    fn compile(&self, _: &JsonText) -> Result<Arc<dyn SchemaCheck>, UnusableSchema> {
        Err(UnusableSchema("JSON Schemas are not supported here".to_owned()))
    }
}

/// What an argument may be.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// Anything, or nothing at all.
    Ignore,
    /// This value; without one, the expected value.
    Equals(Option<JsonText>),
    /// A value that contains this one, or without one the expected value; see [`subset`].
    Subset(Option<JsonText>),
    /// A string in which the pattern is found; `^` and `$` tie it to the ends.
    Regex(Regex),
    /// A number not further from the expected one than `absolute`, or than `relative` of it.
    Tolerance {
        /// The distance allowed, not negative.
        absolute: Decimal,
        /// The distance allowed as a share of the expected number, not negative.
        relative: Decimal,
    },
    /// A value that fits a JSON Schema.
    Schema(Arc<dyn SchemaCheck>),
    /// One of these values.
    OneOf(Vec<JsonText>),
}

impl Matcher {
    const NAMES: [&str; 7] =
        ["ignore", "equals", "subset", "regex", "tolerance", "schema", "one_of"];

    /// Reads a matcher as configs write it: `"ignore"`, `"equals"`, `"subset"`, or an object with
    /// one of `ignore`, `equals`, `subset`, `regex`, `tolerance`, `schema`, `one_of`.
    ///
    /// `place` is the JSON pointer of the matcher in its document, for the fault.
    ///
    /// # Errors
    /// A [`ConfigFault`] at the place, with the remedy.
    pub fn read(
        value: JsonValue<'_>,
        place: &str,
        schemas: &dyn Schemas,
    ) -> Result<Self, ConfigFault> {
        if let Some(name) = value.string() {
            return match &*name {
                "ignore" => Ok(Self::Ignore),
                "equals" => Ok(Self::Equals(None)),
                "subset" => Ok(Self::Subset(None)),
                other => Err(unknown(place, other)),
            };
        }
        let members = value.members();
        let [(name, operand)] = members.as_slice() else {
            let what =
                "a matcher must be \"ignore\", \"equals\", \"subset\" or an object with one of";
            return Err(ConfigFault::new(place, format!("{what} {}", Self::NAMES.join(", "))));
        };
        let inner = format!("{place}{}", pointer_step(name));
        match &**name {
            "ignore" if operand.is_true() => Ok(Self::Ignore),
            "ignore" => Err(ConfigFault::new(
                &inner,
                "ignore must be true; to compare the argument, remove it",
            )),
            "equals" => Ok(Self::Equals(Some(compared(*operand, &inner)?))),
            "subset" if operand.is_true() => Ok(Self::Subset(None)),
            "subset" => Ok(Self::Subset(Some(compared(*operand, &inner)?))),
            "regex" => Ok(Self::Regex(pattern(*operand, &inner)?)),
            "tolerance" => tolerance(*operand, &inner),
            "schema" => schemas
                .compile(&operand.to_json())
                .map(Self::Schema)
                .map_err(|unusable| ConfigFault::new(&inner, unusable.0)),
            "one_of" if operand.kind() == Kind::Array && !operand.is_empty() => {
                let values = operand.items().map(|value| compared(value, &inner));
                Ok(Self::OneOf(values.collect::<Result<_, _>>()?))
            }
            "one_of" => {
                Err(ConfigFault::new(&inner, "one_of must be an array of at least one value"))
            }
            other => Err(unknown(place, other)),
        }
    }

    /// Whether the matcher accepts an argument, without an expected one to compare it with: a missing one is
    /// accepted by [`Self::Ignore`] only, and nothing by a matcher that needs the expected value.
    #[must_use]
    pub fn accepts(&self, actual: Option<&JsonText>, equality: Equality) -> bool {
        let document = actual.map(JsonIndex::of);
        let actual = document.as_ref().map(JsonIndex::root);
        matches!(self.compare_values(None, actual, equality), Some(Fitting::Fits))
    }

    /// Whether the matcher accepts `actual`; `None` to compare by equality, because one side is
    /// absent.
    pub(super) fn compare_values(
        &self,
        expected: Option<JsonValue<'_>>,
        actual: Option<JsonValue<'_>>,
        equality: Equality,
    ) -> Option<Fitting> {
        if matches!(self, Self::Ignore) {
            return Some(Fitting::Fits);
        }
        let actual = actual?;
        let fits = match self {
            Self::Ignore => true,
            Self::Equals(Some(value)) => equal(value, &actual.to_json(), equality),
            Self::Equals(None) => equal(&expected?.to_json(), &actual.to_json(), equality),
            Self::Subset(part) => {
                let part = match part {
                    Some(part) => part.clone(),
                    None => expected?.to_json(),
                };
                subset(&part, &actual.to_json(), equality)
            }
            Self::Regex(pattern) => actual.string().is_some_and(|text| pattern.is_match(&text)),
            Self::Tolerance { absolute, relative } => {
                let numbers = Decimal::parse(actual.text()).zip(Decimal::parse(expected?.text()));
                numbers.is_some_and(|(one, other)| one.is_near(&other, absolute, relative))
            }
            Self::Schema(check) => check.fits(&actual.to_json()),
            Self::OneOf(values) => {
                values.iter().any(|value| equal(value, &actual.to_json(), equality))
            }
        };
        Some(match fits {
            true => Fitting::Fits,
            false => Fitting::Refused { wanted: self.wanted(expected) },
        })
    }

    /// What is accepted, for a message "expected ...".
    fn wanted(&self, expected: Option<JsonValue<'_>>) -> String {
        let or_expected = |value: &Option<JsonText>| {
            let value = value.clone().or_else(|| expected.map(JsonValue::to_json));
            value.map_or_else(String::new, |value| value.compact().to_string())
        };
        match self {
            Self::Ignore => "anything".to_owned(),
            Self::Equals(value) => or_expected(value),
            Self::Subset(part) => format!("a value that contains {}", or_expected(part)),
            Self::Regex(pattern) => format!("a string that matches {pattern}"),
            Self::Tolerance { absolute, relative } => {
                let zero = absolute.plus(&absolute.negated());
                let distance = match (*absolute != zero, *relative != zero) {
                    (true, true) => format!("{absolute} (absolute) or {relative} (relative)"),
                    (true, false) => absolute.to_string(),
                    (false, true) => format!("{relative} (relative)"),
                    (false, false) => return or_expected(&None),
                };
                format!("a number within {distance} of {}", or_expected(&None))
            }
            Self::Schema(_) => "a value that is valid for the JSON Schema".to_owned(),
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                format!("one of {}", values.join(", "))
            }
        }
    }
}

/// A value that is compared as it is. An operator of queries in it would never apply, and is refused.
fn compared(value: JsonValue<'_>, place: &str) -> Result<JsonText, ConfigFault> {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let members = value.entries();
        if let Some(name) = members.iter().map(|(name, _)| name).find(|it| operator(it).is_some()) {
            let message = format!(
                "{name} is an operator of queries, and a matcher compares values as they are; match the part by \
                 itself, with regex, one_of, tolerance or schema"
            );
            return Err(ConfigFault::new(place, message));
        }
        open.extend(members.into_iter().map(|(_, member)| member));
        if value.kind() == Kind::Array {
            open.extend(value.items());
        }
    }
    Ok(value.to_json())
}

/// Compiles a pattern from a config.
pub(crate) fn pattern(value: JsonValue<'_>, place: &str) -> Result<Regex, ConfigFault> {
    let Some(text) = value.string() else {
        return Err(ConfigFault::new(place, "a pattern must be a string"));
    };
    Regex::new(&text).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        ConfigFault::new(place, format!("invalid pattern: {reason}"))
    })
}

fn tolerance(operand: JsonValue<'_>, place: &str) -> Result<Matcher, ConfigFault> {
    let (absolute, relative) = distances(operand, place)?;
    Ok(Matcher::Tolerance { absolute, relative })
}

/// Reads a tolerance: a number, or an object with `absolute` and `relative`.
pub(crate) fn distances(
    operand: JsonValue<'_>,
    place: &str,
) -> Result<(Decimal, Decimal), ConfigFault> {
    let fault = |place: &str| {
        ConfigFault::new(
            place,
            "a tolerance must be a number of at least 0, or an object of absolute and relative",
        )
    };
    let number = |value: Option<JsonValue<'_>>, place: &str| {
        let number = match value {
            Some(value) => Decimal::parse(value.text()),
            None => Decimal::parse("0"),
        };
        number.filter(|number| *number == number.absolute()).ok_or_else(|| fault(place))
    };
    if operand.kind() != Kind::Object {
        return Ok((number(Some(operand), place)?, number(None, place)?));
    }
    for (name, _) in operand.members() {
        if !matches!(&*name, "absolute" | "relative") {
            return Err(fault(&format!("{place}{}", pointer_step(&name))));
        }
    }
    let of = |name: &str| number(operand.member(name), &format!("{place}/{name}"));
    Ok((of("absolute")?, of("relative")?))
}

fn unknown(place: &str, name: &str) -> ConfigFault {
    let meant = nearest(name, Matcher::NAMES);
    ConfigFault::new(place, format!("unknown matcher {name:?}; {meant}"))
}
