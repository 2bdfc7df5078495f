//! Generates objects: named members, and names for additional ones.

use serde_json::{Map, Value};

use super::layers::{Layers, each};
use super::{Amount, Generator, MAX_NODES, SHALLOW_DEPTH};
use crate::{pattern, text};

impl<'s> Generator<'s> {
    pub(super) fn object(&mut self, layers: &Layers<'s>, depth: usize) -> Option<Value> {
        let mut layers = layers.clone();
        let (required, optional) = self.names(&mut layers, depth)?;
        let layers = &layers;
        let mut members = Map::new();
        for name in optional.iter().copied().chain(required.iter().copied()) {
            if !members.contains_key(name) {
                self.member(name, layers, &mut members, depth, required.contains(&name))?;
            }
        }
        let least = each(layers, "minProperties").filter_map(Value::as_u64).max().unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(usize::MAX).min(MAX_NODES);
        let names_any =
            !each(layers, "properties").any(|it| it.as_object().is_some_and(|it| !it.is_empty()));
        let open = each(layers, "additionalProperties").any(|it| *it != Value::Bool(false))
            || each(layers, "patternProperties").next().is_some()
            || names_any;
        let extra = match self.amount {
            _ if !open || depth >= SHALLOW_DEPTH => 0,
            Amount::Minimal => 0,
            Amount::Maximal => 2,
            Amount::Mixed => self.random.below(3),
        };
        let wanted = members.len() + extra.max(least.saturating_sub(members.len()));
        let mut misses = 0;
        while members.len() < wanted && misses <= 20 {
            let before = members.len();
            let name = self.name(layers, depth);
            if !members.contains_key(&name) {
                self.member(&name, layers, &mut members, depth, false)?;
            }
            misses += usize::from(members.len() == before);
        }
        Some(Value::Object(members))
    }

    /// The required and the chosen optional names. A present name may require others or add schemas,
    /// which are added to `layers`.
    fn names(
        &mut self,
        layers: &mut Layers<'s>,
        depth: usize,
    ) -> Option<(Vec<&'s str>, Vec<&'s str>)> {
        let mut required: Vec<&'s str> = Vec::new();
        let mut optional: Vec<&'s str> = Vec::new();
        let mut visited: Vec<&'s str> = Vec::new();
        let mut applied: Vec<&'s Value> = Vec::new();
        loop {
            let objects = |keyword| each(layers, keyword).filter_map(Value::as_object).flatten();
            let listed = each(layers, "required").filter_map(Value::as_array).flatten();
            required.extend(listed.filter_map(Value::as_str));
            for (name, _) in objects("properties") {
                if visited.contains(&name.as_str()) {
                    continue;
                }
                visited.push(name);
                let is_present = required.contains(&name.as_str())
                    || match self.amount {
                        Amount::Minimal => false,
                        Amount::Maximal => depth < SHALLOW_DEPTH,
                        Amount::Mixed => depth < SHALLOW_DEPTH && self.random.one_in(2),
                    };
                optional.extend(is_present.then_some(name.as_str()));
            }
            let is_present = |name: &str| required.contains(&name) || optional.contains(&name);
            let needs = objects("dependentRequired").chain(objects("dependencies"));
            let needed: Vec<&'s str> = needs
                .filter(|(name, _)| is_present(name))
                .filter_map(|(_, needs)| needs.as_array())
                .flatten()
                .filter_map(Value::as_str)
                .filter(|name| !required.contains(name))
                .collect();
            let brings = objects("dependentSchemas").chain(objects("dependencies"));
            let new: Vec<&'s Value> = brings
                .filter(|(name, it)| is_present(name) && !it.is_array())
                .map(|(_, schema)| schema)
                .filter(|schema| !applied.iter().any(|it| std::ptr::eq(*it, *schema)))
                .collect();
            if needed.is_empty() && new.is_empty() {
                return Some((required, optional));
            }
            required.extend(needed);
            layers.extend(self.layers(&new, depth)?);
            applied.extend(new);
        }
    }

    /// Generates one member; fails only if the member is required.
    fn member(
        &mut self,
        name: &str,
        layers: &Layers<'s>,
        members: &mut Map<String, Value>,
        depth: usize,
        required: bool,
    ) -> Option<()> {
        let mut schemas: Vec<&'s Value> = Vec::new();
        for layer in layers {
            let own = layer.get("properties").and_then(|properties| properties.get(name));
            let by_pattern: Vec<&Value> = layer
                .get("patternProperties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter(|(pattern, _)| pattern::matches(pattern, name))
                .map(|(_, schema)| schema)
                .collect();
            if own.is_none() && by_pattern.is_empty() {
                schemas.extend(layer.get("additionalProperties"));
            }
            schemas.extend(own);
            schemas.extend(by_pattern);
        }
        match self.make(&schemas, depth + 1) {
            Some(value) => {
                members.insert(name.to_owned(), value);
                Some(())
            }
            None if required => None,
            None => Some(()),
        }
    }

    /// A name for an additional member.
    fn name(&mut self, layers: &Layers<'s>, depth: usize) -> String {
        let patterns: Vec<&String> = each(layers, "patternProperties")
            .filter_map(Value::as_object)
            .flat_map(Map::keys)
            .collect();
        if let Some(pattern) = self.random.one_of(&patterns)
            && let Some(name) = text::text_matching(pattern, &mut self.random)
        {
            return name;
        }
        let names: Vec<&'s Value> = each(layers, "propertyNames").collect();
        if !names.is_empty()
            && let Some(Value::String(name)) = self.make(&names, depth + 1)
        {
            return name;
        }
        format!("extra_{}", self.random.below(1000))
    }
}
