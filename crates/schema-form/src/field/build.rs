//! Builds one [`Field`] from its schemas: which widget, with which limits.

mod choices;
mod items;
mod members;
mod unions;

use std::sync::Arc;

use json_text::{JsonText, Kind};

use crate::document::{Document, NodeId};
use crate::field::{ChoiceOption, Field, FieldKind, TextField};
use crate::merged::MergedSchema;
use crate::source::Source;
use crate::{Diagnostic, Reason, Types};

/// Keywords that are checked on a complete value, beside the limits of the widgets.
/// `anyOf` is not included: the chosen branch is checked itself.
const CHECKED_KEYWORDS: [&str; 7] =
    ["pattern", "not", "if", "oneOf", "contains", "dependentSchemas", "dependencies"];

/// Keywords that only the host's validator checks.
const LEFT_TO_HOST: [&str; 4] =
    ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"];

/// Builds the field of `source`; problems of its schemas go to `diagnostics`.
pub(crate) fn field(
    document: &Arc<Document>,
    source: &Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Field {
    let merged = MergedSchema::of(document, source, diagnostics);
    let first_text = |names: &[&str]| merged.annotation(names).map(|id| document.text(id));
    let examples = match merged.annotation(&["examples"]) {
        Some(id) => document
            .items(id)
            .map(|items| items.iter().map(|item| document.text(*item)).collect())
            .unwrap_or_default(),
        None => first_text(&["example"]).into_iter().collect(),
    };
    let mut builder = Builder { document, source, merged: &merged, diagnostics, malformed: None };
    let (kind, inferred) = builder.kind();
    // A widget built without a malformed keyword would not be what its author meant.
    let kind = builder.malformed.map_or(kind, FieldKind::Json);
    let only_null = matches!(&kind, FieldKind::Choice(options) if matches!(options.as_slice(), [one] if one.value.kind() == Kind::Null));
    let nullable = !only_null
        && match merged.null {
            Some(accepts_null) => accepts_null,
            None => !inferred && merged.types.is_none() && merged.unsupported.is_none(),
        };
    let mut types = merged.types.unwrap_or(Types::ANY).without(Types::NULL);
    if merged.null != Some(false) {
        types = types.or(Types::NULL);
    }
    Field {
        key: source.key.clone(),
        required: source.required,
        title: merged.annotation_text(&["title"]),
        description: merged.annotation_text(&["description"]),
        nullable,
        default: first_text(&["default"]),
        examples,
        deprecated: merged.is_annotated(&["deprecated"]),
        read_only: merged.is_annotated(&["readOnly"]),
        types,
        unchecked: unchecked(document, &merged),
        checked_keywords: checked_keywords(&merged),
        kind,
    }
}

fn checked_keywords(merged: &MergedSchema<'_>) -> Vec<(NodeId, &'static str)> {
    let of_keyword = |keyword| {
        let found = merged.all(&[keyword]).into_iter();
        found.map(move |(layer, _)| (layer, keyword))
    };
    CHECKED_KEYWORDS.into_iter().flat_map(of_keyword).collect()
}

fn unchecked(document: &Document, merged: &MergedSchema<'_>) -> Vec<&'static str> {
    let decides = |pattern: &str| document.pattern(pattern).is_some();
    let patterns = merged.all(&["pattern"]).into_iter();
    let mut patterns = patterns.filter_map(|(_, id)| document.string(id));
    let names = merged.all(&["patternProperties"]).into_iter();
    let mut names = names.flat_map(|(_, id)| document.members(id));
    let mut unchecked = Vec::new();
    if !patterns.all(decides) {
        unchecked.push("pattern");
    }
    if !names.all(|(pattern, _)| decides(pattern)) {
        unchecked.push("patternProperties");
    }
    let left = LEFT_TO_HOST.into_iter();
    unchecked.extend(left.filter(|keyword| merged.first(&[keyword]).is_some()));
    unchecked
}

struct Builder<'b> {
    document: &'b Arc<Document>,
    source: &'b Source,
    merged: &'b MergedSchema<'b>,
    diagnostics: &'b mut Vec<Diagnostic>,
    /// The first keyword of this place with a value of the wrong type.
    malformed: Option<Reason>,
}

impl Builder<'_> {
    /// The kind, and whether it was inferred from keywords because no type is given.
    fn kind(&mut self) -> (FieldKind, bool) {
        if let Some(reason) = &self.merged.unsupported {
            return (FieldKind::Json(reason.clone()), false);
        }
        if let Some(choice) = self.choice() {
            return (choice, true);
        }
        if let Some(union) = &self.merged.union {
            return (self.union(union), true);
        }
        match self.merged.types {
            Some(types) => (self.kind_of(types), false),
            None => match self.inferred_type() {
                Some(types) => (self.kind_of(types), true),
                None => (self.kind_of(Types::ANY.without(Types::NULL)), false),
            },
        }
    }

    /// The type implied by the keywords when no layer has a `type`.
    fn inferred_type(&self) -> Option<Types> {
        let hints: [(&[&str], Types); 4] = [
            (
                &["properties", "additionalProperties", "required", "patternProperties"],
                Types::OBJECT,
            ),
            (&["items", "prefixItems"], Types::ARRAY),
            (&["minLength", "maxLength", "pattern"], Types::STRING),
            (
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
                Types::NUMBER,
            ),
        ];
        hints
            .into_iter()
            .find(|(keywords, _)| self.merged.first(keywords).is_some())
            .map(|(_, types)| types)
    }

    fn kind_of(&mut self, types: Types) -> FieldKind {
        match types {
            Types::STRING => FieldKind::Text(TextField {
                min_length: self.merged.at_least(&["minLength"]),
                max_length: self.merged.at_most(&["maxLength"]),
                pattern: self.merged.first_string(&["pattern"]),
                format: self.merged.first_string(&["format"]),
                encoding: self.merged.first_string(&["contentEncoding"]),
            }),
            Types::INTEGER => FieldKind::Integer(self.merged.bounds()),
            Types::NUMBER => FieldKind::Number(self.merged.bounds()),
            Types::BOOLEAN => FieldKind::Boolean,
            Types::OBJECT => FieldKind::Object(self.object()),
            Types::ARRAY => FieldKind::List(self.list()),
            Types::NONE if self.merged.null == Some(true) => {
                FieldKind::Choice(vec![ChoiceOption {
                    value: JsonText::null(),
                    label: "null".into(),
                    description: None,
                }])
            }
            Types::NONE => FieldKind::Json(self.contradiction()),
            several => self.union_of_types(several),
        }
    }

    /// Reports that the schemas have no valid value together.
    fn contradiction(&mut self) -> Reason {
        let (at, reason) = self.source.contradiction();
        if let Some(at) = at {
            let pointer = self.document.pointer(at);
            self.diagnostics.push(Diagnostic { pointer, reason: reason.clone() });
        }
        reason
    }

    fn wrong_shape(&mut self, at: NodeId, keyword: &str) {
        let reason = Reason::WrongShape { keyword: keyword.to_owned() };
        let pointer = self.document.pointer(at);
        self.diagnostics.push(Diagnostic { pointer, reason: reason.clone() });
        self.malformed.get_or_insert(reason);
    }
}
