//! Builds choices: `enum`, `const`, and unions of these.

use std::collections::HashSet;

use json_text::{JsonText, Kind, Node as Value, is_number};

use super::Builder;
use crate::Types;
use crate::appearance::{has_accents_apart, look_alike, quoted, quoted_if_unclear};
use crate::canonical::canonical;
use crate::document::{Node, NodeId};
use crate::field::{ChoiceOption, FieldKind};

impl Builder<'_> {
    /// The options of `enum`, `const` or a union of these, if present.
    pub(super) fn choice(&mut self) -> Option<FieldKind> {
        let mut options: Option<Vec<ChoiceOption>> = None;
        let mut narrow = |found: Vec<ChoiceOption>| {
            options = Some(match options.take() {
                None => found,
                Some(earlier) => {
                    let found: HashSet<String> =
                        found.iter().map(|option| canonical(&option.value)).collect();
                    let is_left = |option: &ChoiceOption| found.contains(&canonical(&option.value));
                    earlier.into_iter().filter(is_left).collect()
                }
            });
        };
        let mut wrong = Vec::new();
        for (layer, values) in self.merged.all(&["enum"]) {
            match self.document.items(values) {
                Some(items) => narrow(self.named(layer, items)),
                None => wrong.push(values),
            }
        }
        for (layer, value) in self.merged.all(&["const"]) {
            narrow(vec![self.option(value, Some(layer))]);
        }
        if let Some(union) = &self.merged.union {
            let found: Option<Vec<Vec<ChoiceOption>>> =
                union.branches.iter().map(|branch| self.constants(*branch)).collect();
            if let Some(found) = found {
                narrow(found.concat());
            }
        }
        for at in wrong {
            self.wrong_shape(at, "enum");
        }
        let mut options = options?;
        let before = options.len();
        if let Some(types) = self.merged.types {
            // google.genai writes the values of an integer enum as strings.
            let numeric = !types.and(Types::NUMBER).is_empty() && !types.contains(Types::STRING);
            if numeric {
                for option in &mut options {
                    if option.value.kind() == Kind::String && is_number(&option.label) {
                        option.value = JsonText::parse(&option.label).unwrap_or(JsonText::null());
                    }
                }
            }
            options.retain(|option| {
                option.value.kind() == Kind::Null || types.admit(option.value.kind())
            });
        }
        let is_named_apart = self.merged.null == Some(true) && options.len() > 1;
        if is_named_apart || self.merged.excludes_null {
            options.retain(|option| option.value.kind() != Kind::Null);
        }
        let mut seen = HashSet::with_capacity(options.len());
        options.retain(|option| seen.insert(canonical(&option.value)));
        self.disambiguate(&mut options);
        if options.is_empty() {
            if before > 0 {
                // An `enum` whose values are of another type than the schema names, as in a list
                // that names its items' values: the type is the more useful half.
                self.contradiction();
                return None;
            }
            return Some(FieldKind::Json(self.contradiction()));
        }
        Some(FieldKind::Choice(options))
    }

    /// Makes labels look different: text that looks like another value of the list is quoted, and
    /// options with the same title show their value.
    fn disambiguate(&self, options: &mut [ChoiceOption]) {
        let is_text = |option: &ChoiceOption| option.value.kind() == Kind::String;
        let has_others = self.merged.null == Some(true) || !options.iter().all(is_text);
        let labels = |options: &[ChoiceOption]| {
            options.iter().map(|it| it.label.clone()).collect::<Vec<_>>()
        };
        let alike = look_alike(&labels(options));
        for (option, is_alike) in options.iter_mut().zip(alike).filter(|(it, _)| is_text(it)) {
            let Value::String(content) = option.value.open() else { continue };
            let is_own_label = option.label == content;
            let is_unclear = quoted_if_unclear(&content).is_some();
            let looks_other = content.trim() != content
                || content.trim().is_empty()
                || has_accents_apart(&content);
            let reads_otherwise = has_others && JsonText::parse(&content).is_ok();
            if is_own_label && (looks_other || reads_otherwise || is_alike && is_unclear) {
                option.label = quoted(&content);
            }
        }
        let alike = look_alike(&labels(options));
        for (option, is_alike) in options.iter_mut().zip(alike) {
            if is_alike {
                let shown = match option.value.open() {
                    Value::String(content) => quoted(&content),
                    _ => option.value.compact().to_string(),
                };
                option.label = format!("{} — {shown}", option.label);
            }
        }
        // A title may be what another label became.
        for (index, is_alike) in look_alike(&labels(options)).into_iter().enumerate() {
            if is_alike {
                options[index].label = format!("{} ({})", options[index].label, index + 1);
            }
        }
    }

    /// The values of an `enum`, labeled by `enumNames` as in MCP's older elicitation schemas.
    fn named(&self, layer: NodeId, values: &[NodeId]) -> Vec<ChoiceOption> {
        let mut options: Vec<ChoiceOption> =
            values.iter().map(|value| self.option(*value, None)).collect();
        let names = self.document.member(layer, &["enumNames"]);
        let names = names.and_then(|names| self.document.items(names)).unwrap_or_default();
        if names.len() == options.len() {
            for (option, name) in options.iter_mut().zip(names) {
                if let Some(name) = self.document.string(*name).filter(|name| !name.is_empty()) {
                    option.label = name.to_owned();
                }
            }
        }
        options
    }

    fn option(&self, value: NodeId, described: Option<NodeId>) -> ChoiceOption {
        let text = self.document.text(value);
        let note = |names: &[&str]| {
            described
                .and_then(|layer| self.document.member(layer, names))
                .and_then(|id| self.document.string(id))
                .filter(|note| !note.is_empty())
        };
        let label = match self.document.node(value) {
            Node::String(content) => content.to_string(),
            _ => text.as_str().to_owned(),
        };
        ChoiceOption {
            label: note(&["title"]).map_or(label, str::to_owned),
            description: note(&["description"]).map(str::to_owned),
            value: text,
        }
    }

    /// The values of a schema that has only `const` or `enum`.
    fn constants(&self, branch: NodeId) -> Option<Vec<ChoiceOption>> {
        const NON_ASSERTIONS: [&str; 6] =
            ["const", "enum", "type", "title", "description", "default"];
        let mut schema = branch;
        if let Some(reference) = self.document.member(schema, &["$ref"]) {
            schema = self.document.resolve(schema, self.document.string(reference)?)?;
        }
        let members = self.document.members(schema);
        if !members.iter().all(|(key, _)| NON_ASSERTIONS.contains(&key.as_ref())) {
            return None;
        }
        if let Some(value) = self.document.member(schema, &["const"]) {
            return Some(vec![self.option(value, Some(schema))]);
        }
        let values = self.document.items(self.document.member(schema, &["enum"])?)?;
        Some(values.iter().map(|value| self.option(*value, None)).collect())
    }
}
