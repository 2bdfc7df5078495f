//! From schemas to one [`Field`]: which widget, with which limits.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use json_text::{JsonText, Kind};

use crate::canonical::canonical;
use crate::cases::Condition;
use crate::conjunction::{Conjunction, Union};
use crate::decimal::is_number;
use crate::document::{Dialect, Document, Node, NodeId};
use crate::field::{
    Branch, ChoiceOption, Extras, Field, FieldKind, ListField, ObjectField, Slot, Source, TextField,
};
use crate::naming::{Chosen, Naming};
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
    let first_text = |names: &[&str]| conjunction.first(names).map(|id| document.text(id));
    let examples = match conjunction.first(&["examples"]) {
        Some(id) => document
            .items(id)
            .map(|items| items.iter().map(|item| document.text(*item)).collect())
            .unwrap_or_default(),
        None => first_text(&["example"]).into_iter().collect(),
    };
    let mut builder = Builder { document, source, conjunction: &conjunction, diagnostics };
    let (kind, inferred) = builder.kind();
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
        title: conjunction.first_string(&["title"]),
        description: conjunction.first_string(&["description"]),
        nullable,
        default: first_text(&["default"]),
        examples,
        deprecated: conjunction.says(&["deprecated"]),
        read_only: conjunction.says(&["readOnly"]),
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
            (&["items", "prefixItems", "prefix_items"], Types::ARRAY),
            (&["minLength", "min_length", "maxLength", "max_length", "pattern"], Types::STRING),
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
                min_length: self.conjunction.at_least(&["minLength", "min_length"]),
                max_length: self.conjunction.at_most(&["maxLength", "max_length"]),
                pattern: self.conjunction.first_string(&["pattern"]),
                format: self.conjunction.first_string(&["format"]),
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
            Types::NONE => {
                self.odd(Reason::NothingValid);
                FieldKind::Json(Reason::NothingValid)
            }
            several => FieldKind::Union(
                several
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
                                ..self.source.clone()
                            },
                        ),
                    })
                    .collect(),
            ),
        }
    }

    fn odd(&mut self, reason: Reason) {
        if let Some(at) = self.source.layers.first() {
            self.diagnostics.push(Diagnostic { pointer: self.document.pointer(*at), reason });
        }
    }

    fn wrong_shape(&mut self, at: NodeId, keyword: &str) {
        self.diagnostics.push(Diagnostic {
            pointer: self.document.pointer(at),
            reason: Reason::WrongShape { keyword: keyword.to_owned() },
        });
    }

    /// The values to choose from, where `enum`, `const` or a union of these names them.
    fn choice(&mut self) -> Option<FieldKind> {
        let mut options: Option<Vec<ChoiceOption>> = None;
        let mut narrow = |found: Vec<ChoiceOption>| {
            options = Some(match options.take() {
                None => found,
                Some(earlier) => earlier
                    .into_iter()
                    .filter(|option| {
                        let value = canonical(&option.value);
                        found.iter().any(|other| canonical(&other.value) == value)
                    })
                    .collect(),
            });
        };
        let mut wrong = Vec::new();
        for (_, values) in self.conjunction.all(&["enum"]) {
            match self.document.items(values) {
                Some(items) => narrow(items.iter().map(|item| self.option(*item, None)).collect()),
                None => wrong.push(values),
            }
        }
        for (layer, value) in self.conjunction.all(&["const"]) {
            narrow(vec![self.option(value, Some(layer))]);
        }
        if let Some(union) = &self.conjunction.union {
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
        if let Some(types) = self.conjunction.types {
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
        if self.conjunction.null == Some(true) && options.len() > 1 {
            options.retain(|option| option.value.kind() != Kind::Null);
        }
        let mut seen = Vec::new();
        options.retain(|option| {
            let value = canonical(&option.value);
            let new = !seen.contains(&value);
            seen.push(value);
            new
        });
        if options.is_empty() {
            if before > 0 {
                // An `enum` whose values are of another type than the schema names, as in a list
                // that names its items' values: the type is the more useful half.
                self.odd(Reason::NothingValid);
                return None;
            }
            self.odd(Reason::NothingValid);
            return Some(FieldKind::Json(Reason::NothingValid));
        }
        Some(FieldKind::Choice(options))
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

    /// The values of a schema that is nothing but `const` or `enum`.
    fn constants(&self, branch: NodeId) -> Option<Vec<ChoiceOption>> {
        const SILENT: [&str; 6] = ["const", "enum", "type", "title", "description", "default"];
        let mut schema = branch;
        if let Some(reference) = self.document.member(schema, &["$ref"]) {
            schema = self.document.resolve(self.document.string(reference)?)?;
        }
        let members = self.document.members(schema);
        if !members.iter().all(|(key, _)| SILENT.contains(&key.as_ref())) {
            return None;
        }
        if let Some(value) = self.document.member(schema, &["const"]) {
            return Some(vec![self.option(value, Some(schema))]);
        }
        let values = self.document.items(self.document.member(schema, &["enum"])?)?;
        Some(values.iter().map(|value| self.option(*value, None)).collect())
    }

    fn union(&mut self, union: &Union) -> FieldKind {
        let mut labels: HashMap<String, usize> = HashMap::new();
        let branches = union
            .branches
            .iter()
            .map(|branch| {
                let mut layers = self.source.layers.clone();
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

    /// What tells the branch from its siblings: title, definition's name, tag, type.
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
        let target = text(branch, "$ref").and_then(|reference| self.document.resolve(reference));
        if let Some(title) = target.and_then(|target| text(target, "title")) {
            return title.to_owned();
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
        let label = types.map_or("value", Types::label);
        let item = self.document.member(branch, &["items"]).and_then(|item| text(item, "type"));
        match item.and_then(Types::named) {
            Some(item) if label == "list" => format!("list of {}", item.label()),
            _ => label.to_owned(),
        }
    }

    fn object(&mut self) -> ObjectField {
        let mut order: Vec<String> = self.source.first.clone().unwrap_or_default();
        let mut known: HashSet<String> = order.iter().cloned().collect();
        let mut layers: HashMap<String, Vec<NodeId>> = HashMap::new();
        for (_, properties) in self.conjunction.all(&["properties"]) {
            if !matches!(self.document.node(properties), Node::Object(_) | Node::Null) {
                self.wrong_shape(properties, "properties");
            }
            for (key, schema) in self.document.members(properties) {
                if known.insert(key.to_string()) {
                    order.push(key.to_string());
                }
                layers.entry(key.to_string()).or_default().push(*schema);
            }
        }
        let mut required: Vec<String> = Vec::new();
        for (_, names) in self.conjunction.all(&["required"]) {
            match self.document.items(names) {
                Some(names) => required.extend(
                    names.iter().filter_map(|name| self.document.string(*name)).map(str::to_owned),
                ),
                None if matches!(self.document.node(names), Node::Null | Node::Bool(_)) => {}
                None => self.wrong_shape(names, "required"),
            }
        }
        let naming = Naming::of(self.document, self.conjunction);
        let named = !layers.is_empty() || !required.is_empty() || self.names_no_argument();
        let extras = self.extras(&naming, !named);
        for (name, schemas) in &mut layers {
            schemas.extend(naming.beside(name));
        }
        for name in &required {
            if !layers.contains_key(name) {
                if known.insert(name.clone()) {
                    order.push(name.clone());
                }
                let schemas = match naming.choose(name) {
                    Chosen::Schemas(schemas) => schemas,
                    Chosen::Forbidden => Vec::new(),
                };
                layers.insert(name.clone(), schemas);
            }
        }
        if let Some(ordering) = self.conjunction.first(&["property_ordering", "propertyOrdering"])
            && self.source.first.is_none()
        {
            let ordering: Vec<_> = self
                .document
                .items(ordering)
                .unwrap_or_default()
                .iter()
                .filter_map(|name| self.document.string(*name))
                .collect();
            order.sort_by_key(|key| {
                ordering.iter().position(|name| name == key).unwrap_or(usize::MAX)
            });
        }
        let required: HashSet<_> = required.into_iter().collect();
        let members = order
            .into_iter()
            .map(|key| {
                let source = Source {
                    required: required.contains(&key),
                    layers: layers.remove(&key).unwrap_or_default(),
                    key,
                    ..Source::default()
                };
                Slot::new(self.document, source)
            })
            .collect();
        let names: Vec<_> =
            self.conjunction.all(&["propertyNames"]).into_iter().map(|(_, id)| id).collect();
        let of_name = |layers| {
            let only = Some(Types::STRING);
            Slot::new(self.document, Source { required: true, layers, only, ..Source::default() })
        };
        ObjectField {
            members,
            extras,
            patterns: naming.patterns(),
            names: (!names.is_empty()).then(|| of_name(names)),
            min: self.conjunction.at_least(&["minProperties", "min_properties"]),
            max: self.conjunction.at_most(&["maxProperties", "max_properties"]),
            needs: self.needs(),
            conditions: Condition::all(self.document, self.conjunction),
            naming,
        }
    }

    /// `dependentRequired`, which draft 7 writes as `dependencies`.
    fn needs(&self) -> Vec<(String, Vec<String>)> {
        let keyword = match self.document.dialect() {
            Dialect::Modern => "dependentRequired",
            Dialect::Seven => "dependencies",
            Dialect::Other => return Vec::new(),
        };
        let all = self.conjunction.all(&[keyword]).into_iter();
        let members = all.flat_map(|(_, id)| self.document.members(id));
        members
            .filter_map(|(name, needed)| {
                let needed = self.document.items(*needed)?.iter();
                let needed = needed.filter_map(|name| self.document.string(*name));
                Some((name.to_string(), needed.map(str::to_owned).collect()))
            })
            .collect()
    }

    /// Whether this is the whole form and its `properties` are there and empty: how tools without
    /// arguments are declared. Further in, an empty list of properties stands for any object.
    fn names_no_argument(&self) -> bool {
        self.source.layers.contains(&self.document.root())
            && self
                .conjunction
                .first(&["properties"])
                .is_some_and(|names| matches!(self.document.node(names), Node::Object(_)))
    }

    /// What the object says about members it does not name.
    fn extras(&self, naming: &Naming, nothing_named: bool) -> Extras {
        let mut layers = Vec::new();
        let mut closed = false;
        let mut asked = nothing_named;
        for (layer, extra) in
            self.conjunction.all(&["additionalProperties", "additional_properties"])
        {
            match self.document.node(extra) {
                Node::Bool(false) => {
                    let patterns = self.document.member(layer, &["patternProperties"]).is_some();
                    asked = patterns;
                    closed |= !patterns;
                }
                Node::Bool(true) => asked = true,
                Node::Object(_) => {
                    asked = true;
                    layers.push(extra);
                }
                _ => {}
            }
        }
        asked |= !naming.patterns().is_empty();
        if let Some(only) = naming.only() {
            layers = vec![only];
        }
        let slot = || {
            let source = Source { required: true, layers: layers.clone(), ..Source::default() };
            Slot::new(self.document, source)
        };
        match (closed, asked) {
            (true, _) => Extras::Closed,
            (false, true) => Extras::Offered(slot()),
            (false, false) => Extras::Kept(slot()),
        }
    }

    fn list(&self) -> ListField {
        let item = |layers: Vec<NodeId>| {
            Slot::new(self.document, Source { required: true, layers, ..Source::default() })
        };
        let mut prefix: Vec<Vec<NodeId>> = Vec::new();
        let mut rest = Vec::new();
        let mut closed = false;
        for layer in &self.conjunction.layers {
            let items = self.document.member(*layer, &["items"]);
            // Before draft 2020-12, `items` held what `prefixItems` holds now.
            let before = items.and_then(|items| self.document.items(items));
            let heads = self
                .document
                .member(*layer, &["prefixItems", "prefix_items"])
                .and_then(|heads| self.document.items(heads))
                .or(before);
            for (index, head) in heads.unwrap_or_default().iter().enumerate() {
                if prefix.len() <= index {
                    prefix.push(Vec::new());
                }
                prefix[index].push(*head);
            }
            let tail = match before {
                Some(_) => self.document.member(*layer, &["additionalItems"]),
                None => items,
            };
            if let Some(tail) = tail {
                match self.document.node(tail) {
                    Node::Bool(false) => closed = true,
                    Node::Null => {}
                    _ => rest.push(tail),
                }
            }
        }
        let max = self.conjunction.at_most(&["maxItems", "max_items"]);
        closed |= !prefix.is_empty() && max.is_some_and(|max| max <= prefix.len() as u64);
        ListField {
            prefix: prefix.into_iter().map(item).collect(),
            rest: (!closed).then(|| item(rest)),
            min: self.conjunction.at_least(&["minItems", "min_items"]),
            max,
            unique: self.conjunction.says(&["uniqueItems", "unique_items"]),
        }
    }
}
