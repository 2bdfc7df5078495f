//! Builds unions: the branches and their labels.

use std::collections::HashMap;

use super::Builder;
use crate::Types;
use crate::document::NodeId;
use crate::field::{Branch, FieldKind, Slot};
use crate::merged::Union;
use crate::source::Source;

impl Builder<'_> {
    pub(super) fn union(&mut self, union: &Union) -> FieldKind {
        let mut labels: HashMap<String, usize> = HashMap::new();
        let branches = union
            .branches
            .iter()
            .map(|branch| {
                let mut layers = self.source.layers.clone();
                let annotated = layers.len();
                layers.push(*branch);
                let mut chosen = self.source.chosen.clone();
                chosen.push((union.at, union.keyword));
                let label = self.branch_label(*branch);
                let times = labels.entry(label.clone()).or_default();
                *times += 1;
                Branch {
                    label: if *times > 1 { format!("{label} {times}") } else { label },
                    slot: Slot::new(
                        self.document,
                        Source {
                            key: String::new(),
                            required: true,
                            layers,
                            annotated,
                            chosen,
                            only: Some(self.source.only.unwrap_or(Types::ANY).without(Types::NULL)),
                            first: None,
                        },
                    ),
                }
            })
            .collect();
        FieldKind::Union(branches)
    }

    /// A union with a branch for each of several types.
    pub(super) fn union_of_types(&self, types: Types) -> FieldKind {
        FieldKind::Union(
            types
                .each()
                .into_iter()
                .map(|one| Branch {
                    label: one.label().to_owned(),
                    slot: Slot::new(
                        self.document,
                        Source {
                            key: String::new(),
                            required: true,
                            only: Some(one),
                            annotated: self.source.layers.len(),
                            ..self.source.clone()
                        },
                    ),
                })
                .collect(),
        )
    }

    /// The branch's label: its title, its name in the discriminator's mapping, its definition's name,
    /// its tag, its required members, or its type.
    fn branch_label(&self, branch: NodeId) -> String {
        let text = |id: NodeId, name: &str| {
            self.document
                .member(id, &[name])
                .and_then(|id| self.document.string(id))
                .filter(|text| !text.is_empty())
        };
        if let Some(title) = text(branch, "title") {
            return title.to_owned();
        }
        let target = text(branch, "$ref").and_then(|it| self.document.resolve(branch, it));
        if let Some(title) = target.and_then(|target| text(target, "title")) {
            return title.to_owned();
        }
        if let Some(tag) = self.document.tag(branch) {
            return tag.name.to_string();
        }
        if let Some(name) = text(branch, "$ref").and_then(|path| path.rsplit('/').next()) {
            return name.to_owned();
        }
        if let Some(properties) = self.document.member(branch, &["properties"]) {
            let tag = self.document.members(properties).iter().find_map(|(_, property)| {
                let value = self.document.member(*property, &["const"])?;
                self.document.string(value)
            });
            if let Some(tag) = tag {
                return tag.to_owned();
            }
        }
        let types = text(branch, "type").and_then(Types::named);
        if types.is_none_or(|types| types == Types::OBJECT)
            && let Some(names) = self.required_names(branch)
        {
            return names;
        }
        let label = types.map_or("value", Types::label);
        let item = self.document.member(branch, &["items"]).and_then(|item| text(item, "type"));
        match item.and_then(Types::named) {
            Some(item) if label == "list" => format!("list of {}", item.label()),
            _ => label.to_owned(),
        }
    }

    /// The required members of the branch as a label: `from, to`.
    fn required_names(&self, branch: NodeId) -> Option<String> {
        /// The most names in a label.
        const NAMED: usize = 3;
        let required = self.document.items(self.document.member(branch, &["required"])?)?;
        let names: Vec<&str> =
            required.iter().filter_map(|name| self.document.string(*name)).collect();
        let more = if names.len() > NAMED { ", …" } else { "" };
        let named = names.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
        (!named.is_empty()).then(|| named + more)
    }
}
