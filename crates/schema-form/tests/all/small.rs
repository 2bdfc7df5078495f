//! Small schemas of unions, conditions and types, and values, many of which fit them.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Values of every kind, alone, as the members `x` and `y` and as items.
pub(crate) fn pool() -> Vec<Value> {
    let plain = [json!(null), json!(true), json!(1), json!(2.5), json!("a"), json!("abcd")];
    let inner: Vec<Value> = plain
        .iter()
        .flat_map(|it| [it.clone(), json!({"x": it}), json!([it])])
        .chain([json!({}), json!([])])
        .collect();
    let of_one = |it: &Value| [it.clone(), json!({"x": it}), json!({"y": it}), json!([it])];
    let of_two = |it: &Value| plain.clone().map(|other| json!({"x": it, "y": other}));
    let both = |it: &Value| of_one(it).into_iter().chain(of_two(it)).collect::<Vec<_>>();
    inner.iter().flat_map(both).collect()
}

pub(crate) fn any_schema() -> impl Strategy<Value = Value> {
    let types = ["null", "boolean", "integer", "number", "string", "object", "array"];
    let one = prop::sample::select(types.to_vec()).prop_map(Value::from);
    let several = prop::sample::subsequence(types.to_vec(), 2..=3).prop_map(Value::from);
    let types = prop_oneof![3 => one, 1 => several].boxed();
    let values = [json!(null), json!(true), json!(1), json!("a"), json!("abcd"), json!({"x": 1})];
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({})),
        6 => types.clone().prop_map(|types| json!({ "type": types })),
        1 => types.clone().prop_map(|types| json!({ "type": types, "nullable": true })),
        1 => Just(json!({"type": "string", "maxLength": 2})),
        2 => prop::sample::subsequence(values.to_vec(), 1..=3)
            .prop_map(|values| json!({ "enum": values })),
        1 => prop::sample::select(values.to_vec()).prop_map(|value| json!({ "const": value })),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let several = |inner| prop::collection::vec(inner, 1..=3).prop_map(Value::from);
        let members = prop::sample::subsequence(vec!["x", "y"], 1..=2);
        let properties = (members, inner.clone(), inner.clone()).prop_map(|(names, one, other)| {
            names.into_iter().zip([one, other]).map(|(name, it)| (name.to_owned(), it)).collect()
        });
        let keywords = (
            prop::option::of(types.clone()),
            prop::option::weighted(0.5, several(inner.clone())),
            prop::option::weighted(0.2, several(inner.clone())),
            prop::option::weighted(0.2, several(inner.clone())),
            prop::option::weighted(0.4, properties.prop_map(Value::Object)),
            prop::option::weighted(0.2, prop::sample::select(vec![json!(["x"]), json!(["y"])])),
            prop::option::weighted(0.2, inner.clone()),
            prop::option::weighted(0.2, (inner.clone(), inner)),
        );
        keywords.prop_map(
            |(types, any_of, one_of, all_of, properties, required, items, condition)| {
                let (test, then) = condition.unzip();
                let keywords = [
                    ("type", types),
                    ("anyOf", any_of),
                    ("oneOf", one_of),
                    ("allOf", all_of),
                    ("properties", properties),
                    ("required", required),
                    ("items", items),
                    ("if", test),
                    ("then", then),
                ];
                let members =
                    keywords.into_iter().filter_map(|(key, it)| Some((key.to_owned(), it?)));
                Value::Object(members.collect::<Map<_, _>>())
            },
        )
    })
}
