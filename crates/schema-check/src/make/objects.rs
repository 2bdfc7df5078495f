//! Objects: their members, and names for those that no schema names.

use serde_json::{Map, Value};

use super::layers::{Layers, each};
use super::{DEEP, Extent, LARGEST, Maker};
use crate::text;

impl<'s> Maker<'s> {
    pub(super) fn object(&mut self, layers: &Layers<'s>, depth: usize) -> Option<Value> {
        let mut required: Vec<&str> = each(layers, "required")
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut named: Vec<&'s str> = Vec::new();
        for (name, _) in each(layers, "properties").filter_map(Value::as_object).flatten() {
            if !named.contains(&name.as_str()) {
                named.push(name);
            }
        }
        let mut members = Map::new();
        for name in &named {
            let must = required.contains(name);
            let may = match self.extent {
                Extent::Least => false,
                Extent::Most => depth < DEEP,
                Extent::Between => depth < DEEP && self.chance.one_in(2),
            };
            if must || may {
                self.member(name, layers, &mut members, depth, must)?;
            }
        }
        // What is there may ask for more, and that again.
        loop {
            let needed = ["dependentRequired", "dependencies"]
                .into_iter()
                .flat_map(|keyword| each(layers, keyword))
                .filter_map(Value::as_object)
                .flatten()
                .filter(|(name, _)| members.contains_key(*name))
                .filter_map(|(_, needs)| needs.as_array())
                .flatten()
                .filter_map(Value::as_str);
            required.extend(needed);
            required.retain(|name| !members.contains_key(*name));
            let Some(name) = required.first().copied() else { break };
            self.member(name, layers, &mut members, depth, true)?;
        }
        let least = each(layers, "minProperties").filter_map(Value::as_u64).max().unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(usize::MAX).min(LARGEST);
        let open = each(layers, "additionalProperties").any(|it| *it != Value::Bool(false))
            || each(layers, "patternProperties").next().is_some()
            || named.is_empty();
        let extra = match self.extent {
            _ if !open || depth >= DEEP => 0,
            Extent::Least => 0,
            Extent::Most => 2,
            Extent::Between => self.chance.below(3),
        };
        for _ in 0..extra.max(least.saturating_sub(members.len())) {
            let name = self.name(layers, depth);
            if !members.contains_key(&name) {
                self.member(&name, layers, &mut members, depth, false)?;
            }
        }
        Some(Value::Object(members))
    }

    /// Makes one member; gives up the guess only where it must be there.
    fn member(
        &mut self,
        name: &str,
        layers: &Layers<'s>,
        members: &mut Map<String, Value>,
        depth: usize,
        must: bool,
    ) -> Option<()> {
        let mut schemas: Vec<&'s Value> = Vec::new();
        for layer in layers {
            let own = layer.get("properties").and_then(|properties| properties.get(name));
            let by_pattern: Vec<&Value> = layer
                .get("patternProperties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter(|(pattern, _)| text::matches(pattern, name))
                .map(|(_, schema)| schema)
                .collect();
            if own.is_none() && by_pattern.is_empty() {
                schemas.extend(layer.get("additionalProperties"));
            }
            schemas.extend(own);
            schemas.extend(by_pattern);
            let depends = layer.get("dependentSchemas").or_else(|| layer.get("dependencies"));
            if depends.and_then(|depends| depends.get(name)).is_some_and(Value::is_object) && !must
            {
                return Some(());
            }
        }
        match self.make(&schemas, depth + 1) {
            Some(value) => {
                members.insert(name.to_owned(), value);
                Some(())
            }
            None if must => None,
            None => Some(()),
        }
    }

    /// A name for a member that the schemas do not name.
    fn name(&mut self, layers: &Layers<'s>, depth: usize) -> String {
        let patterns: Vec<&String> = each(layers, "patternProperties")
            .filter_map(Value::as_object)
            .flat_map(Map::keys)
            .collect();
        if let Some(pattern) = self.chance.one_of(&patterns)
            && let Some(name) = text::matching(pattern, &mut self.chance)
        {
            return name;
        }
        let names: Vec<&'s Value> = each(layers, "propertyNames").collect();
        if !names.is_empty()
            && let Some(Value::String(name)) = self.make(&names, depth + 1)
        {
            return name;
        }
        format!("extra_{}", self.chance.below(1000))
    }
}
