//! [`MergedSchema`]: several schemas that constrain one value, read as one.
//!
//! `$ref`, `allOf`, the keywords beside them and the only branch of `anyOf: [X, null]` all add a
//! layer, outermost first. Annotations come from the first layer that has them, limits are the
//! strictest, and a property in two layers is again a merged schema.

use std::collections::HashMap;

use json_text::{Decimal, JsonText};

use crate::bounds::{Bounds, Limit};
use crate::document::{Dialect, Document, Node, NodeId};
use crate::partial_validator::PartialValidator;
use crate::source::Source;
use crate::typed_number::whole_number;
use crate::{Diagnostic, Reason, Types};

/// The layers that constrain one value, and their combined constraints.
pub(crate) struct MergedSchema<'d> {
    pub(crate) document: &'d Document,
    /// The schema objects, outermost first, each once.
    pub(crate) layers: Vec<NodeId>,
    /// `layers`, plus layers that only give annotations: keywords beside `$ref` in draft 7.
    shown: Vec<NodeId>,
    /// The index in `shown` of the first layer whose annotations count.
    annotated: usize,
    /// The first union with more than one branch beside `null`.
    pub(crate) union: Option<Union>,
    /// Why no widget can express the schema, if so.
    pub(crate) unsupported: Option<Reason>,
    /// Whether `null` is valid; `None` if no keyword decides it.
    pub(crate) null: Option<bool>,
    /// Whether the schemas reject `null`, regardless of the union this is a branch of.
    pub(crate) excludes_null: bool,
    /// The types that all layers allow, without `null`; `None` when no layer has a `type`.
    pub(crate) types: Option<Types>,
}

/// A union to choose a branch of.
pub(crate) struct Union {
    pub(crate) at: NodeId,
    pub(crate) keyword: &'static str,
    pub(crate) branches: Vec<NodeId>,
}

/// How many `$ref`s and `allOf`s may follow from one schema.
const MAX_CHAIN: usize = 100;

/// The keywords that hold alternatives.
const UNIONS: [&str; 2] = ["anyOf", "oneOf"];

/// Whether one of the schemas certainly rejects `null`, by any keyword.
fn rejects_null(document: &Document, source: &Source) -> bool {
    /// The most schemas evaluated, because this runs for every field.
    const MAX_SCHEMAS: usize = 500;
    let validator = PartialValidator::with_budget(document, MAX_SCHEMAS);
    let null = JsonText::null();
    source.layers.iter().any(|layer| validator.admits(*layer, &null) == Some(false))
}

impl<'d> MergedSchema<'d> {
    /// Collects the layers of `source`; problems go to `diagnostics`.
    pub(crate) fn of(
        document: &'d Document,
        source: &Source,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut merged = Self {
            document,
            layers: Vec::new(),
            shown: Vec::new(),
            annotated: 0,
            union: None,
            unsupported: None,
            null: None,
            excludes_null: false,
            types: None,
        };
        let mut null_answers = Vec::new();
        let mut known = HashMap::new();
        for (position, layer) in source.layers.iter().enumerate() {
            merged.add_layer(*layer, source, &mut Vec::new(), diagnostics);
            if position < source.annotated {
                merged.annotated = merged.shown.len();
            }
            null_answers.extend(merged.accepts_null(*layer, 0, &mut known));
        }
        merged.null = match null_answers.as_slice() {
            [] => None,
            answers => Some(answers.iter().all(|yes| *yes)),
        };
        let may_be_null = source.only.is_none_or(|only| only.contains(Types::NULL));
        if may_be_null && merged.null != Some(false) && rejects_null(document, source) {
            merged.null = Some(false);
        }
        merged.excludes_null = merged.null == Some(false);
        for layer in merged.layers.clone() {
            if let Some(types) = merged.checked_types(layer, diagnostics) {
                let types = types.without(Types::NULL);
                merged.types = Some(merged.types.unwrap_or(Types::ANY).and(types));
            }
        }
        if let Some(only) = source.only {
            if !only.contains(Types::NULL) {
                merged.null = Some(false);
            }
            // "Anything but null" is no type constraint; other keywords may imply a type.
            let types = only.without(Types::NULL);
            if merged.types.is_some() || types != Types::ANY.without(Types::NULL) {
                merged.types = Some(merged.types.unwrap_or(Types::ANY).and(types));
            }
        }
        merged
    }

    fn add_layer(
        &mut self,
        id: NodeId,
        source: &Source,
        path: &mut Vec<NodeId>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        match self.document.node(id) {
            Node::Bool(true) => return,
            Node::Bool(false) => {
                let (_, reason) = source.contradiction();
                return self.fail(id, reason, diagnostics);
            }
            Node::Object(_) => {}
            _ => return self.fail(id, Reason::NotASchema, diagnostics),
        }
        if self.shown.contains(&id) {
            return;
        }
        if path.len() > MAX_CHAIN {
            let reason = Reason::LongChain { followed: MAX_CHAIN };
            return self.fail(path[0], reason, diagnostics);
        }
        if let Some(tag) = self.document.tag(id) {
            self.add_layer(tag.schema, source, path, diagnostics);
        }
        let is_alone = self.document.ignores_ref_siblings(id);
        self.shown.push(id);
        if !is_alone {
            self.layers.push(id);
        }
        path.push(id);
        for (reference, target) in self.references(id) {
            match target {
                Some(target) if path.contains(&target) => {
                    self.fail(id, Reason::RefCycle { reference }, diagnostics);
                }
                Some(target) => self.add_layer(target, source, path, diagnostics),
                None => self.fail(id, Reason::RefNotFound { reference }, diagnostics),
            }
        }
        if is_alone {
            path.pop();
            return;
        }
        if let Some(all) = self.document.member(id, &["allOf"]) {
            match self.document.items(all) {
                Some(schemas) => {
                    for schema in schemas {
                        if path.contains(schema) {
                            continue;
                        }
                        self.add_layer(*schema, source, path, diagnostics);
                    }
                }
                None => self.fail(all, Reason::WrongShape { keyword: "allOf".into() }, diagnostics),
            }
        }
        for keyword in UNIONS {
            let Some(alternatives) = self.document.member(id, &[keyword]) else { continue };
            if source.chosen.contains(&(id, keyword)) {
                continue;
            }
            let Some(branches) = self.document.items(alternatives) else {
                self.fail(
                    alternatives,
                    Reason::WrongShape { keyword: keyword.into() },
                    diagnostics,
                );
                continue;
            };
            let branches: Vec<_> =
                branches.iter().copied().filter(|branch| !self.is_null_alone(*branch)).collect();
            match branches.as_slice() {
                [] => {}
                [only] => self.add_layer(*only, source, path, diagnostics),
                _ if self.union.is_none() => {
                    self.union = Some(Union { at: id, keyword, branches });
                }
                // Chosen inside the branch of the first union.
                _ => {}
            }
        }
        path.pop();
    }

    fn fail(&mut self, id: NodeId, reason: Reason, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.push(Diagnostic { pointer: self.document.pointer(id), reason: reason.clone() });
        self.unsupported.get_or_insert(reason);
    }

    fn references(&self, id: NodeId) -> Vec<(String, Option<NodeId>)> {
        // Other drafts have no `$dynamicRef`.
        let known: &[&str] = match self.document.dialect() {
            Dialect::Modern => &["$ref", "$dynamicRef"],
            Dialect::Seven | Dialect::Other => &["$ref"],
        };
        known
            .iter()
            .filter_map(|keyword| self.document.member(id, &[keyword]))
            .filter_map(|reference| self.document.string(reference))
            .map(|reference| (reference.to_owned(), self.document.resolve(id, reference)))
            .collect()
    }

    fn is_null_alone(&self, id: NodeId) -> bool {
        if self.document.ignores_ref_siblings(id) {
            return false;
        }
        let null_type = self.document.member(id, &["type"]).is_some_and(|types| {
            let name = match self.document.items(types) {
                Some([one]) => self.document.string(*one),
                Some(_) => None,
                None => self.document.string(types),
            };
            name.and_then(Types::named) == Some(Types::NULL)
        });
        let null_value = |keyword| {
            self.document.member(id, &[keyword]).is_some_and(|value| {
                match self.document.node(value) {
                    Node::Null => keyword == "const",
                    Node::Array(items) => {
                        keyword == "enum"
                            && items.len() == 1
                            && matches!(self.document.node(items[0]), Node::Null)
                    }
                    _ => false,
                }
            })
        };
        null_type || null_value("const") || null_value("enum")
    }

    /// Whether the schema accepts `null`; `None` when no keyword decides it.
    ///
    /// `known` holds the schemas seen; a schema under evaluation counts as undecided.
    fn accepts_null(
        &self,
        id: NodeId,
        depth: usize,
        known: &mut HashMap<NodeId, Option<bool>>,
    ) -> Option<bool> {
        if let Some(verdict) = known.get(&id) {
            return *verdict;
        }
        if depth > MAX_CHAIN {
            return None;
        }
        known.insert(id, None);
        let verdict = self.find_null(id, depth, known);
        known.insert(id, verdict);
        verdict
    }

    fn find_null(
        &self,
        id: NodeId,
        depth: usize,
        known: &mut HashMap<NodeId, Option<bool>>,
    ) -> Option<bool> {
        match self.document.node(id) {
            Node::Bool(false) => return Some(false),
            Node::Object(_) => {}
            _ => return None,
        }
        if self.document.ignores_ref_siblings(id) {
            let (_, target) = self.references(id).into_iter().next()?;
            return self.accepts_null(target?, depth + 1, known);
        }
        if let Some(nullable) = self.document.member(id, &["nullable"])
            && matches!(self.document.node(nullable), Node::Bool(true))
        {
            return Some(true);
        }
        let mut answers = Vec::new();
        if let Some(types) = self.named_types(id) {
            answers.push(types.contains(Types::NULL));
        }
        if let Some(values) = self.document.member(id, &["enum"]) {
            let values = self.document.items(values).unwrap_or_default();
            answers
                .push(values.iter().any(|value| matches!(self.document.node(*value), Node::Null)));
        }
        if let Some(value) = self.document.member(id, &["const"]) {
            answers.push(matches!(self.document.node(value), Node::Null));
        }
        for (_, target) in self.references(id) {
            answers.extend(target.and_then(|target| self.accepts_null(target, depth + 1, known)));
        }
        if let Some(all) = self.document.member(id, &["allOf"]) {
            for schema in self.document.items(all).unwrap_or_default() {
                answers.extend(self.accepts_null(*schema, depth + 1, known));
            }
        }
        for keyword in UNIONS {
            if let Some(alternatives) = self.document.member(id, &[keyword]) {
                let branches = self.document.items(alternatives).unwrap_or_default();
                let verdicts: Vec<_> = branches
                    .iter()
                    .map(|branch| self.accepts_null(*branch, depth + 1, known))
                    .collect();
                if verdicts.contains(&Some(true)) {
                    answers.push(true);
                } else if verdicts.iter().all(|verdict| *verdict == Some(false)) {
                    answers.push(false);
                }
            }
        }
        if answers.is_empty() { None } else { Some(answers.iter().all(|yes| *yes)) }
    }

    /// The types of one layer's `type`, unknown names left out.
    fn named_types(&self, id: NodeId) -> Option<Types> {
        let types = self.document.member(id, &["type"])?;
        let names: Vec<_> = match self.document.items(types) {
            Some(names) => names.iter().filter_map(|name| self.document.string(*name)).collect(),
            None => self.document.string(types).into_iter().collect(),
        };
        let known: Vec<_> = names.into_iter().filter_map(Types::named).collect();
        (!known.is_empty()).then(|| known.into_iter().fold(Types::NONE, Types::or))
    }

    fn checked_types(&mut self, id: NodeId, diagnostics: &mut Vec<Diagnostic>) -> Option<Types> {
        let types = self.document.member(id, &["type"])?;
        let names = match self.document.node(types) {
            Node::Array(names) => names.clone(),
            _ => vec![types],
        };
        for name in names {
            match self.document.string(name).map(str::to_owned) {
                Some(name) if Types::named(&name).is_some() => {}
                Some(name) => self.fail(types, Reason::UnknownType { name }, diagnostics),
                None => {
                    self.fail(types, Reason::WrongShape { keyword: "type".into() }, diagnostics);
                }
            }
        }
        self.named_types(id)
    }

    /// The keyword's value in every layer that has it.
    pub(crate) fn all(&self, names: &[&str]) -> Vec<(NodeId, NodeId)> {
        self.layers
            .iter()
            .filter_map(|layer| Some((*layer, self.document.member(*layer, names)?)))
            .collect()
    }

    pub(crate) fn first(&self, names: &[&str]) -> Option<NodeId> {
        self.layers.iter().find_map(|layer| self.document.member(*layer, names))
    }

    /// The annotation (a keyword that describes the value and does not constrain it).
    pub(crate) fn annotation(&self, names: &[&str]) -> Option<NodeId> {
        self.annotations(names).next()
    }

    fn annotations(&self, names: &[&str]) -> impl Iterator<Item = NodeId> {
        let layers = self.shown.get(self.annotated..).unwrap_or_default();
        layers.iter().filter_map(|layer| self.document.member(*layer, names))
    }

    pub(crate) fn annotation_text(&self, names: &[&str]) -> Option<String> {
        self.annotations(names)
            .filter_map(|id| self.document.string(id))
            .find(|text| !text.is_empty())
            .map(str::to_owned)
    }

    /// Whether a boolean annotation such as `deprecated` is true.
    pub(crate) fn is_annotated(&self, names: &[&str]) -> bool {
        self.annotations(names).any(|id| matches!(self.document.node(id), Node::Bool(true)))
    }

    pub(crate) fn first_string(&self, names: &[&str]) -> Option<String> {
        let strings = self.layers.iter().filter_map(|layer| self.document.member(*layer, names));
        strings
            .filter_map(|id| self.document.string(id))
            .find(|text| !text.is_empty())
            .map(str::to_owned)
    }

    pub(crate) fn is_true(&self, names: &[&str]) -> bool {
        self.all(names).iter().any(|(_, id)| matches!(self.document.node(*id), Node::Bool(true)))
    }

    /// Counts such as `minItems`, one from each layer with a whole number.
    fn counts(&self, names: &[&str]) -> impl Iterator<Item = u64> {
        let limits = self.all(names).into_iter();
        limits.filter_map(|(_, id)| whole_number(self.document.limit(id)?)?.parse().ok())
    }

    pub(crate) fn at_least(&self, names: &[&str]) -> Option<u64> {
        self.counts(names).max()
    }

    pub(crate) fn at_most(&self, names: &[&str]) -> Option<u64> {
        self.counts(names).min()
    }

    /// The range of numbers that all layers allow.
    pub(crate) fn bounds(&self) -> Bounds {
        let limits = |plain: &[&str], exclusive: &[&str]| -> Vec<Limit> {
            let flagged = |layer: NodeId| {
                let flag = self.document.member(layer, exclusive);
                // Draft 4 wrote `exclusiveMinimum: true` beside `minimum`.
                flag.is_some_and(|id| matches!(self.document.node(id), Node::Bool(true)))
            };
            let plain = self.all(plain).into_iter().filter_map(|(layer, id)| {
                let number = self.document.limit(id)?.to_owned();
                Some(Limit { number, exclusive: flagged(layer) })
            });
            let strict = self.all(exclusive).into_iter().filter_map(|(_, id)| {
                Some(Limit { number: self.document.limit(id)?.to_owned(), exclusive: true })
            });
            plain.chain(strict).collect()
        };
        let order = |left: &Limit, right: &Limit| {
            Decimal::parse(&left.number).cmp(&Decimal::parse(&right.number))
        };
        Bounds {
            minimum: limits(&["minimum"], &["exclusiveMinimum"]).into_iter().max_by(
                |left, right| order(left, right).then(left.exclusive.cmp(&right.exclusive)),
            ),
            maximum: limits(&["maximum"], &["exclusiveMaximum"]).into_iter().min_by(
                |left, right| order(left, right).then(right.exclusive.cmp(&left.exclusive)),
            ),
            multiple_of: self
                .first(&["multipleOf"])
                .and_then(|id| self.document.limit(id))
                .map(str::to_owned),
        }
    }
}
