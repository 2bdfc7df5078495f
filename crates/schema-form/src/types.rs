//! [`Types`]: a set of JSON types, and the names that declarations use for them.
//!
//! JSON Schema writes `string`, google.genai `STRING`, and real declarations also `str`, `dict`,
//! `float`, `tuple`, `ArrayList` or nothing at all.

use json_text::Kind;

use crate::spelling::canonical_types;

/// A set of JSON types; a number may be restricted to whole ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Types(u8);

impl Types {
    /// No type: no value is valid.
    pub const NONE: Self = Self(0);
    /// `null`
    pub const NULL: Self = Self(1);
    /// `true` and `false`
    pub const BOOLEAN: Self = Self(2);
    /// Whole numbers
    pub const INTEGER: Self = Self(4);
    /// All numbers, whole ones among them
    pub const NUMBER: Self = Self(4 | 8);
    /// Strings
    pub const STRING: Self = Self(16);
    /// Arrays
    pub const ARRAY: Self = Self(32);
    /// Objects
    pub const OBJECT: Self = Self(64);
    /// Every type
    pub const ANY: Self = Self(127);

    /// The types that `name` means, or `None` for an unknown name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let one = |name: &&str| match *name {
            "string" => Self::STRING,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "boolean" => Self::BOOLEAN,
            "object" => Self::OBJECT,
            "array" => Self::ARRAY,
            _ => Self::NULL,
        };
        Some(canonical_types(name)?.iter().map(one).fold(Self::NONE, Self::or))
    }

    /// The types in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The types in either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set without `other`'s types.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other`'s types are in the set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set has no type.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a value of this kind may be valid. Any number passes if integers do; whether it is an
    /// integer depends on its digits.
    #[must_use]
    pub fn admit(self, kind: Kind) -> bool {
        !self.and(Self::of(kind)).is_empty()
    }

    pub(crate) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOLEAN,
            Kind::Number => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
        }
    }

    /// The single types; `number` includes `integer`.
    pub(crate) fn each(self) -> Vec<Self> {
        let numeric = if self.contains(Self::NUMBER) { Self::NUMBER } else { Self::INTEGER };
        [Self::STRING, numeric, Self::BOOLEAN, Self::OBJECT, Self::ARRAY, Self::NULL]
            .into_iter()
            .filter(|one| self.contains(*one))
            .collect()
    }

    /// One type for display, with its article.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::NULL => "null",
            Self::BOOLEAN => "true or false",
            Self::INTEGER => "a whole number",
            Self::NUMBER => "a number",
            Self::STRING => "text",
            Self::ARRAY => "a list",
            Self::OBJECT => "an object",
            Self::NONE => "nothing",
            _ => "any value",
        }
    }

    /// One type as a short label.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::BOOLEAN => "boolean",
            Self::INTEGER => "integer",
            Self::NUMBER => "number",
            Self::STRING => "text",
            Self::ARRAY => "list",
            Self::OBJECT => "object",
            other => other.words(),
        }
    }

    /// The set for display: "text or a number".
    pub(crate) fn phrase(self) -> String {
        let words: Vec<_> = self.each().into_iter().map(Self::words).collect();
        match words.split_last() {
            None => Self::NONE.words().to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_type_names_are_known() {
        for (name, types) in [
            ("STRING", Types::STRING),
            ("String", Types::STRING),
            ("dict", Types::OBJECT),
            ("HashMap", Types::OBJECT),
            ("float", Types::NUMBER),
            ("long", Types::INTEGER),
            ("tuple", Types::ARRAY),
            ("ArrayList", Types::ARRAY),
            ("any", Types::ANY),
            ("TYPE_UNSPECIFIED", Types::ANY),
        ] {
            assert_eq!(Types::named(name), Some(types), "{name}");
        }
        assert_eq!(Types::named("quaternion"), None);
    }

    #[test]
    fn sets_read_as_phrases() {
        assert_eq!(Types::STRING.or(Types::INTEGER).phrase(), "text or a whole number");
        assert_eq!(Types::NUMBER.and(Types::INTEGER), Types::INTEGER);
        assert_eq!(
            Types::STRING.or(Types::NUMBER).or(Types::NULL).phrase(),
            "text, a number or null"
        );
    }
}
