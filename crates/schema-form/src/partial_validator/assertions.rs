//! Keywords about the value itself: type, enum, limits.

use json_text::{Decimal, JsonText, Kind};
use serde_json::value::RawValue;

use super::PartialValidator;
use crate::Types;
use crate::canonical::canonical;
use crate::document::NodeId;

impl PartialValidator<'_> {
    pub(super) fn types(&self, id: NodeId, raw: &RawValue, kind: Kind) -> Option<bool> {
        let names = match self.document.items(id) {
            Some(names) => names.to_vec(),
            None => vec![id],
        };
        let mut types = Types::NONE;
        for name in names {
            types = types.or(Types::named(self.document.string(name)?)?);
        }
        if kind == Kind::Number && !types.contains(Types::NUMBER) && types.contains(Types::INTEGER)
        {
            return Some(Decimal::parse(raw.get())?.is_whole());
        }
        Some(types.admit(kind))
    }

    pub(super) fn one_of_values(&self, id: NodeId, raw: &RawValue) -> Option<bool> {
        let spelled = canonical(&JsonText::from(raw));
        let found = |item: &NodeId| canonical(&self.document.text(*item)) == spelled;
        Some(self.document.items(id)?.iter().any(found))
    }

    pub(super) fn is_value(&self, id: NodeId, raw: &RawValue) -> bool {
        canonical(&self.document.text(id)) == canonical(&JsonText::from(raw))
    }

    /// `key`: one of the limits of a number, whose digits are `text`.
    pub(super) fn limit(&self, key: &str, id: NodeId, text: &str) -> Option<bool> {
        let number = Decimal::parse(text)?;
        let limit = Decimal::parse(self.document.limit(id)?)?;
        match key {
            "minimum" => Some(number >= limit),
            "maximum" => Some(number <= limit),
            "exclusiveMinimum" => Some(number > limit),
            "exclusiveMaximum" => Some(number < limit),
            _ => number.is_multiple_of(&limit),
        }
    }

    /// Whether `found` satisfies the limit at `id`, a minimum (`is_least`) or a maximum.
    pub(super) fn count(&self, id: NodeId, found: usize, is_least: bool) -> Option<bool> {
        let limit = Decimal::parse(self.document.limit(id)?)?;
        let found = Decimal::parse(&found.to_string())?;
        Some(if is_least { found >= limit } else { found <= limit })
    }
}
