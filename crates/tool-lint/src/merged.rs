//! What schemas that hold together admit: their types and ranges.

use schema_form::Types;
use serde_json::{Map, Value};

use crate::schema_values::{is_nullable, number, values_named};
use crate::sub_schema::{keyword_value, types_of};

type Schema = Map<String, Value>;

/// The types that all of the schemas admit, those of the values they name among them.
pub(crate) fn kinds(layers: &[&Schema]) -> Types {
    layers.iter().fold(declared_types(layers), |kinds, layer| {
        let Some((_, values)) = values_named(layer) else { return kinds };
        let of_values = values.iter().map(|value| match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(_) => Types::NUMBER,
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
        });
        let null = is_nullable(layer).then_some(Types::NULL);
        kinds.and(of_values.chain(null).fold(Types::NONE, Types::or))
    })
}

/// The types that the `type` of all of the schemas admits.
pub(crate) fn declared_types(layers: &[&Schema]) -> Types {
    layers.iter().fold(Types::ANY, |kinds, layer| {
        let named = types_of(layer).into_iter().filter_map(Types::named);
        kinds.and(named.reduce(Types::or).unwrap_or(Types::ANY))
    })
}

/// The ends of a range, and whether an end itself is excluded.
pub(crate) type Range = (&'static str, &'static str, bool);

/// The ranges of JSON Schema.
pub(crate) const RANGES: [Range; 8] = [
    ("minimum", "maximum", false),
    ("exclusiveMinimum", "maximum", true),
    ("minimum", "exclusiveMaximum", true),
    ("exclusiveMinimum", "exclusiveMaximum", true),
    ("minLength", "maxLength", false),
    ("minItems", "maxItems", false),
    ("minProperties", "maxProperties", false),
    ("minContains", "maxContains", false),
];

/// The highest lower and the lowest upper limit of merged schemas, if they exclude each other.
pub(crate) fn crossing(schemas: &[&Schema], range: Range) -> Option<(f64, f64)> {
    let (least, most, exclusive) = range;
    let of =
        |keyword| schemas.iter().filter_map(move |schema| number(keyword_value(schema, keyword)?));
    let low = of(least).reduce(f64::max)?;
    let high = of(most).reduce(f64::min)?;
    (low > high || exclusive && low >= high).then_some((low, high))
}

/// Whether limits of size leave no number.
pub(crate) fn sizes_cross(schemas: &[&Schema]) -> bool {
    let mut of_size = RANGES.into_iter().filter(|(least, _, _)| least.ends_with("inimum"));
    of_size.any(|range| crossing(schemas, range).is_some())
}
