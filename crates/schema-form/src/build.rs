//! From schemas to one [`Field`]: which widget, with which limits.

mod choices;
mod items;
mod members;
mod unions;

use std::sync::Arc;

use json_text::{JsonText, Kind};

use crate::conjunction::Conjunction;
use crate::document::{Document, NodeId};
use crate::field::{ChoiceOption, Field, FieldKind, Source, TextField};
use crate::{Diagnostic, Reason, Types};

/// Keywords that are judged once a value is there, beside the limits of the widgets.
/// `anyOf` is not among them: the branch that is chosen speaks for itself.
const JUDGED: [&str; 7] =
    ["pattern", "not", "if", "oneOf", "contains", "dependentSchemas", "dependencies"];

/// Keywords that the form shows or passes by and the host's validator decides.
const LEFT_TO_HOST: [&str; 6] = [
    "format",
    "contentEncoding",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
    "$recursiveRef",
];

/// Makes the field of `source`; what is odd about its schemas goes to `diagnostics`.
pub(crate) fn field(
    document: &Arc<Document>,
    source: &Source,
    diagnostics: &mut Vec<Diagnostic>,
) -> Field {
    let conjunction = Conjunction::of(document, source, diagnostics);
    let first_text = |names: &[&str]| conjunction.annotation(names).map(|id| document.text(id));
    let examples = match conjunction.annotation(&["examples"]) {
        Some(id) => document
            .items(id)
            .map(|items| items.iter().map(|item| document.text(*item)).collect())
            .unwrap_or_default(),
        None => first_text(&["example"]).into_iter().collect(),
    };
    let mut builder =
        Builder { document, source, conjunction: &conjunction, diagnostics, misshapen: None };
    let (kind, inferred) = builder.kind();
    // What a keyword without its shape leaves of a widget would not be what its author meant.
    let kind = builder.misshapen.map_or(kind, FieldKind::Json);
    let only_null = matches!(&kind, FieldKind::Choice(options) if matches!(options.as_slice(), [one] if one.value.kind() == Kind::Null));
    let nullable = !only_null
        && match conjunction.null {
            Some(said) => said,
            None => !inferred && conjunction.types.is_none() && conjunction.fault.is_none(),
        };
    let mut types = conjunction.types.unwrap_or(Types::ANY).without(Types::NULL);
    if conjunction.null != Some(false) {
        types = types.or(Types::NULL);
    }
    Field {
        key: source.key.clone(),
        required: source.required,
        title: conjunction.annotation_text(&["title"]),
        description: conjunction.annotation_text(&["description"]),
        nullable,
        default: first_text(&["default"]),
        examples,
        deprecated: conjunction.is_annotated(&["deprecated"]),
        read_only: conjunction.is_annotated(&["readOnly"]),
        types,
        unchecked: unchecked(document, &conjunction),
        judged: judged(&conjunction),
        kind,
    }
}

fn judged(conjunction: &Conjunction<'_>) -> Vec<(NodeId, &'static str)> {
    let of_keyword = |keyword| {
        let found = conjunction.all(&[keyword]).into_iter();
        found.map(move |(layer, _)| (layer, keyword))
    };
    JUDGED.into_iter().flat_map(of_keyword).collect()
}

fn unchecked(document: &Document, conjunction: &Conjunction<'_>) -> Vec<&'static str> {
    let decides = |pattern: &str| document.pattern(pattern).is_some();
    let patterns = conjunction.all(&["pattern"]).into_iter();
    let mut patterns = patterns.filter_map(|(_, id)| document.string(id));
    let names = conjunction.all(&["patternProperties"]).into_iter();
    let mut names = names.flat_map(|(_, id)| document.members(id));
    let mut unchecked = Vec::new();
    if !patterns.all(decides) {
        unchecked.push("pattern");
    }
    if !names.all(|(pattern, _)| decides(pattern)) {
        unchecked.push("patternProperties");
    }
    let left = LEFT_TO_HOST.into_iter();
    unchecked.extend(left.filter(|keyword| conjunction.first(&[keyword]).is_some()));
    unchecked
}

struct Builder<'b> {
    document: &'b Arc<Document>,
    source: &'b Source,
    conjunction: &'b Conjunction<'b>,
    diagnostics: &'b mut Vec<Diagnostic>,
    /// The first keyword of this place whose value has not the shape it must have.
    misshapen: Option<Reason>,
}

impl Builder<'_> {
    /// The kind, and whether it was inferred from keywords because no type is given.
    fn kind(&mut self) -> (FieldKind, bool) {
        if let Some(reason) = &self.conjunction.fault {
            return (FieldKind::Json(reason.clone()), false);
        }
        if let Some(choice) = self.choice() {
            return (choice, true);
        }
        if let Some(union) = &self.conjunction.union {
            return (self.union(union), true);
        }
        match self.conjunction.types {
            Some(types) => (self.kind_of(types), false),
            None => match self.inferred_type() {
                Some(types) => (self.kind_of(types), true),
                None => (self.kind_of(Types::ANY.without(Types::NULL)), false),
            },
        }
    }

    /// The type that the keywords speak of where no layer has a `type`.
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
            .find(|(keywords, _)| self.conjunction.first(keywords).is_some())
            .map(|(_, types)| types)
    }

    fn kind_of(&mut self, types: Types) -> FieldKind {
        match types {
            Types::STRING => FieldKind::Text(TextField {
                min_length: self.conjunction.at_least(&["minLength"]),
                max_length: self.conjunction.at_most(&["maxLength"]),
                pattern: self.conjunction.first_string(&["pattern"]),
                format: self.conjunction.first_string(&["format"]),
                encoding: self.conjunction.first_string(&["contentEncoding"]),
            }),
            Types::INTEGER => FieldKind::Integer(self.conjunction.bounds()),
            Types::NUMBER => FieldKind::Number(self.conjunction.bounds()),
            Types::BOOLEAN => FieldKind::Boolean,
            Types::OBJECT => FieldKind::Object(self.object()),
            Types::ARRAY => FieldKind::List(self.list()),
            Types::NONE if self.conjunction.null == Some(true) => {
                FieldKind::Choice(vec![ChoiceOption {
                    value: JsonText::null(),
                    label: "null".into(),
                    description: None,
                }])
            }
            Types::NONE => FieldKind::Json(self.contradiction()),
            several => self.types_apart(several),
        }
    }

    /// Notes that the schemas admit nothing together.
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
        self.misshapen.get_or_insert(reason);
    }
}
