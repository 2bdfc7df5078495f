//! Objects: their members, and names for those that no schema names.

use serde_json::{Map, Value};

use super::layers::{Layers, each};
use super::{DEEP, Extent, LARGEST, Maker};
use crate::text;

impl<'s> Maker<'s> {
    pub(super) fn object(&mut self, layers: &Layers<'s>, depth: usize) -> Option<Value> {
        let mut layers = layers.clone();
        let (must, may) = self.names(&mut layers, depth)?;
        let layers = &layers;
        let mut members = Map::new();
        for name in may.iter().copied().chain(must.iter().copied()) {
            if !members.contains_key(name) {
                self.member(name, layers, &mut members, depth, must.contains(&name))?;
            }
        }
        let least = each(layers, "minProperties").filter_map(Value::as_u64).max().unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(usize::MAX).min(LARGEST);
        let names_any =
            !each(layers, "properties").any(|it| it.as_object().is_some_and(|it| !it.is_empty()));
        let open = each(layers, "additionalProperties").any(|it| *it != Value::Bool(false))
            || each(layers, "patternProperties").next().is_some()
            || names_any;
        let extra = match self.extent {
            _ if !open || depth >= DEEP => 0,
            Extent::Least => 0,
            Extent::Most => 2,
            Extent::Between => self.chance.below(3),
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

    /// The names that must be there, and those that are there, of what the schemas name. What is there
    /// may ask for more, and that again; the schemas that it brings are laid beside the others.
    fn names(
        &mut self,
        layers: &mut Layers<'s>,
        depth: usize,
    ) -> Option<(Vec<&'s str>, Vec<&'s str>)> {
        let mut must: Vec<&'s str> = Vec::new();
        let mut may: Vec<&'s str> = Vec::new();
        let mut asked: Vec<&'s str> = Vec::new();
        let mut brought: Vec<&'s Value> = Vec::new();
        loop {
            let objects = |keyword| each(layers, keyword).filter_map(Value::as_object).flatten();
            let required = each(layers, "required").filter_map(Value::as_array).flatten();
            must.extend(required.filter_map(Value::as_str));
            for (name, _) in objects("properties") {
                if asked.contains(&name.as_str()) {
                    continue;
                }
                asked.push(name);
                let is_there = must.contains(&name.as_str())
                    || match self.extent {
                        Extent::Least => false,
                        Extent::Most => depth < DEEP,
                        Extent::Between => depth < DEEP && self.chance.one_in(2),
                    };
                may.extend(is_there.then_some(name.as_str()));
            }
            let is_there = |name: &str| must.contains(&name) || may.contains(&name);
            let needs = objects("dependentRequired").chain(objects("dependencies"));
            let needed: Vec<&'s str> = needs
                .filter(|(name, _)| is_there(name))
                .filter_map(|(_, needs)| needs.as_array())
                .flatten()
                .filter_map(Value::as_str)
                .filter(|name| !must.contains(name))
                .collect();
            let brings = objects("dependentSchemas").chain(objects("dependencies"));
            let new: Vec<&'s Value> = brings
                .filter(|(name, it)| is_there(name) && !it.is_array())
                .map(|(_, schema)| schema)
                .filter(|schema| !brought.iter().any(|it| std::ptr::eq(*it, *schema)))
                .collect();
            if needed.is_empty() && new.is_empty() {
                return Some((must, may));
            }
            must.extend(needed);
            layers.extend(self.layers(&new, depth)?);
            brought.extend(new);
        }
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
