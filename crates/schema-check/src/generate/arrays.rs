//! Generates arrays: prefix items, the rest, and contained items.

use serde_json::{Map, Value};

use super::layers::{Layers, each};
use super::{Amount, Generator, MAX_NODES, SHALLOW_DEPTH};

impl<'s> Generator<'s> {
    pub(super) fn array(&mut self, layers: &Layers<'s>, depth: usize) -> Option<Value> {
        let count = |keyword| {
            each(layers, keyword)
                .filter_map(Value::as_u64)
                .filter_map(|it| usize::try_from(it).ok())
        };
        let least = count("minItems").max().unwrap_or(0);
        let most = count("maxItems").min().unwrap_or(usize::MAX);
        let first =
            layers.iter().filter_map(|layer| prefix_items(layer)).map(Vec::len).max().unwrap_or(0);
        let contains: Vec<&Value> = each(layers, "contains").collect();
        let length = match self.amount {
            _ if depth >= SHALLOW_DEPTH => least,
            Amount::Minimal => least,
            Amount::Maximal => least.max(first).max(2),
            Amount::Mixed => least.max(first) + self.random.below(4),
        };
        let wanted = count("minContains").max().unwrap_or(1).min(MAX_NODES);
        let length = if contains.is_empty() { length } else { length.max(wanted) }.min(most);
        let unique = each(layers, "uniqueItems").any(|it| *it == Value::Bool(true));
        let mut items: Vec<Value> = Vec::new();
        let mut misses = 0;
        while items.len() < length {
            let index = items.len();
            let mut schemas: Vec<&'s Value> = Vec::new();
            for layer in layers {
                let prefix_items = prefix_items(layer);
                match prefix_items.and_then(|prefix_items| prefix_items.get(index)) {
                    Some(head) => schemas.push(head),
                    None if prefix_items.is_some() && layer.get("prefixItems").is_none() => {
                        schemas.extend(layer.get("additionalItems"));
                    }
                    None => schemas.extend(layer.get("items")),
                }
            }
            if index < wanted {
                schemas.extend(contains.iter().copied());
            }
            if schemas.contains(&&Value::Bool(false)) {
                break;
            }
            let item = self.make(&schemas, depth + 1)?;
            if unique && items.contains(&item) {
                misses += 1;
                if misses > 20 {
                    break;
                }
                continue;
            }
            items.push(item);
        }
        Some(Value::Array(items))
    }
}

/// The prefix items, as 2020-12 or earlier drafts write them.
fn prefix_items(layer: &Map<String, Value>) -> Option<&Vec<Value>> {
    layer.get("prefixItems").or_else(|| layer.get("items")).and_then(Value::as_array)
}
