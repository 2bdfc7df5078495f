//! [`Form`]: a schema as a form to fill in.
//!
//! Building never fails: a problem becomes a [`Diagnostic`], and a schema that no widget can express
//! takes JSON text.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, OnceLock};

use json_text::JsonText;

use crate::document::{Document, Node, NodeId};
use crate::field::{FieldKind, Slot, build};
use crate::source::Source;
use crate::{Diagnostic, Reason, Types};

/// The most fields diagnosed; the rest of a larger schema is diagnosed when it is opened.
const MAX_FIELDS: usize = 20_000;

/// Which integers arrive unchanged at the tool that a form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integers {
    /// All of them.
    #[default]
    Any,
    /// Integers of 64 bits; larger ones do not arrive.
    Of64Bits,
}

/// A schema as a form to fill in. Clones share it.
#[derive(Debug, Clone)]
pub struct Form {
    root: Slot,
    integers: Integers,
    /// Whether only an object is accepted, regardless of the schema.
    objects: bool,
    /// Computed on first use, because it visits the whole schema.
    diagnostics: Arc<OnceLock<Vec<Diagnostic>>>,
}

impl Form {
    /// The form of a JSON Schema (2020-12, draft 7) or a google.genai `Schema`.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{Draft, Edit, Form, Path, PathStep};
    /// let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#;
    /// let form = Form::of_schema(&JsonText::parse(schema)?);
    /// let mut draft = Draft::blank(&form);
    /// assert_eq!(draft.read(&form).text(), "{}");
    /// let a = Path::root().then(PathStep::Member(0));
    /// draft.edit(&form, &a, Edit::SetText("9007199254740993".into()))?;
    /// assert_eq!(draft.read(&form).text(), r#"{"a":9007199254740993}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_schema(schema: &JsonText) -> Self {
        match Document::open(schema) {
            Ok(document) => {
                let root = document.root();
                Self::of_node(&Arc::new(document), root)
            }
            Err(levels) => Self::json_only(Reason::TooDeep { levels }),
        }
    }

    /// The form of a `FunctionDeclaration`'s arguments: of `parameters_json_schema`, else
    /// `parameters`; with neither, a form without arguments that sends `{}`.
    #[must_use]
    pub fn of_declaration(declaration: &JsonText) -> Self {
        let document = match Document::open(declaration) {
            Ok(document) => document,
            Err(levels) => return Self::json_only(Reason::TooDeep { levels }),
        };
        let root = document.root();
        if !matches!(document.node(root), Node::Object(_)) {
            return Self::json_only(Reason::NotASchema);
        }
        let schema = [
            "parameters_json_schema",
            "parametersJsonSchema",
            "parameters",
            "input_schema",
            "inputSchema",
        ]
        .iter()
        .filter_map(|name| document.member(root, &[name]))
        .find(|schema| !matches!(document.node(*schema), Node::Null));
        match schema {
            Some(schema) => Self::of_node(&Arc::new(document.with_root(schema)), schema),
            None => Self::no_arguments(),
        }
    }

    /// The form that sends `{}`.
    #[must_use]
    pub fn no_arguments() -> Self {
        match JsonText::parse(r#"{"type":"object","additionalProperties":false}"#) {
            Ok(schema) => Self::of_schema(&schema),
            Err(_) => Self::json_only(Reason::NotASchema),
        }
    }

    /// The form of any value.
    #[must_use]
    pub fn any() -> Self {
        match JsonText::parse("{}") {
            Ok(schema) => Self::of_schema(&schema),
            Err(_) => Self::json_only(Reason::NotASchema),
        }
    }

    fn of_node(document: &Arc<Document>, schema: NodeId) -> Self {
        let layers = vec![schema];
        let root = Slot::new(document, Source { required: true, layers, ..Source::default() });
        Self { root, integers: Integers::Any, objects: false, diagnostics: Arc::default() }
    }

    /// The same form for a tool that receives only such integers: others get a message.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{Form, Integers};
    /// let form = Form::of_schema(&JsonText::parse(r#"{"type": "integer"}"#)?);
    /// let large = JsonText::parse("18446744073709551616")?;
    /// assert!(form.fill(&large).read(&form).json().is_some());
    /// let form = form.with_integers(Integers::Of64Bits);
    /// assert!(form.fill(&large).read(&form).json().is_none());
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn with_integers(self, integers: Integers) -> Self {
        Self { integers, ..self }
    }

    /// The same form accepting only objects, as arguments are, regardless of the schema: a schema
    /// without a type allows a list, which no tool accepts. If the schema allows an object, no other
    /// type is offered.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::Form;
    /// let list = JsonText::parse("[1]")?;
    /// assert!(Form::any().fill(&list).read(&Form::any()).json().is_some());
    /// let form = Form::any().with_objects_only();
    /// let reading = form.fill(&list).read(&form);
    /// assert!(reading.json().is_none());
    /// assert_eq!(reading.messages()[0].text, "Expected an object, found a list (type).");
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn with_objects_only(self) -> Self {
        let field = self.root.field();
        let offers_others =
            field.types.contains(Types::OBJECT) && !matches!(field.kind, FieldKind::Json(_));
        if !offers_others {
            return Self { objects: true, ..self };
        }
        let source = Source { only: Some(Types::OBJECT), ..self.root.source().clone() };
        let root = Slot::new(self.root.document(), source);
        Self { root, objects: true, diagnostics: Arc::default(), ..self }
    }

    pub(crate) fn integers(&self) -> Integers {
        self.integers
    }

    pub(crate) fn objects_only(&self) -> bool {
        self.objects
    }

    /// A form of one JSON field.
    fn json_only(reason: Reason) -> Self {
        let empty = Document::open(&JsonText::null());
        let Ok(document) = empty.map(Arc::new) else { return Self::no_arguments() };
        let layers = vec![document.root()];
        let root = Slot::unexpressed(&document, layers, reason.clone());
        let found = vec![Diagnostic { pointer: String::new(), reason }];
        let diagnostics = Arc::new(found.into());
        Self { root, integers: Integers::Any, objects: false, diagnostics }
    }

    /// A form of one place, for reading and naming within it.
    pub(crate) fn of_slot(slot: Slot) -> Self {
        Self { root: slot, integers: Integers::Any, objects: false, diagnostics: Arc::default() }
    }

    /// The outermost field.
    #[must_use]
    pub fn root(&self) -> &Slot {
        &self.root
    }

    /// The problems of the schema. The first call visits all of it; later calls return the same.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.get_or_init(|| diagnose(self.root.document(), &self.root))
    }

    /// Whether there is nothing to fill in: an object without members that allows no others.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.root.field().kind {
            FieldKind::Object(object) => {
                object.members.is_empty() && !matches!(object.extras, crate::Extras::Offered(_))
            }
            _ => false,
        }
    }

    /// Whether the value is an object of which the schema describes no member.
    pub(crate) fn describes_no_member(&self) -> bool {
        let FieldKind::Object(object) = &self.root.field().kind else { return false };
        object.members.is_empty()
            && !object.is_conditional()
            && object.patterns.is_empty()
            && object.names.is_none()
            && object.extras.slot().is_none_or(Self::says_nothing)
    }

    fn says_nothing(slot: &Slot) -> bool {
        let document = slot.document();
        slot.source().layers.iter().all(|layer| document.members(*layer).is_empty())
    }

    /// Whether the schema says nothing of the value, or only that it is an object and how many members
    /// it has: most people write such a value as JSON text.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::Form;
    /// let form = |schema: &str| JsonText::parse(schema).map(|it| Form::of_schema(&it));
    /// assert!(form(r#"{"type": "object"}"#)?.is_undescribed());
    /// assert!(Form::any().is_undescribed());
    /// assert!(!form(r#"{"type": "string"}"#)?.is_undescribed());
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn is_undescribed(&self) -> bool {
        match &self.root.field().kind {
            FieldKind::Object(object) => {
                object.extras.slot().is_some() && self.describes_no_member()
            }
            FieldKind::Union(_) => Self::says_nothing(&self.root),
            _ => false,
        }
    }

    /// Whether the schema accepts `value`; `None` when only the host's validator can decide. A yes
    /// or a no never contradicts the host.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::Form;
    /// let form = Form::of_schema(&JsonText::parse(r#"{"not": {"const": 1}}"#)?);
    /// assert_eq!(form.admits(&JsonText::parse("1.0")?), Some(false));
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn admits(&self, value: &JsonText) -> Option<bool> {
        let validator = crate::partial_validator::PartialValidator::of(self.root.document());
        let layers = &self.root.source().layers;
        let answers: Vec<_> = layers.iter().map(|layer| validator.admits(*layer, value)).collect();
        match answers.as_slice() {
            answers if answers.contains(&Some(false)) => Some(false),
            answers if answers.contains(&None) => None,
            _ => Some(true),
        }
    }
}

/// Looks at every schema once.
fn diagnose(document: &Arc<Document>, root: &Slot) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut seen: HashSet<(Source, bool)> = HashSet::new();
    // Branches that are satisfiable somewhere: a shared definition may be so for one reference only.
    let mut alive: HashSet<NodeId> = HashSet::new();
    let mut ahead = VecDeque::from([(root.clone(), false)]);
    while let Some((slot, in_doubt)) = ahead.pop_front() {
        let mut source = slot.source().clone();
        source.key = String::new();
        source.required = false;
        if seen.len() >= MAX_FIELDS || !seen.insert((source, in_doubt)) {
            continue;
        }
        let before = diagnostics.len();
        let field = build::field(document, slot.source(), &mut diagnostics);
        if matches!(field.kind, FieldKind::Union(_)) && is_unsatisfiable(&field.kind, DEEPEST_UNION)
        {
            let (at, reason) = slot.source().contradiction();
            let pointer = at.map(|at| document.pointer(at)).unwrap_or_default();
            diagnostics.push(Diagnostic { pointer, reason });
        }
        let admits_nothing =
            |it: &Diagnostic| matches!(it.reason, Reason::NothingValid | Reason::BranchDead);
        let is_unsatisfiable_here = diagnostics[before..].iter().any(admits_nothing);
        // Schemas that do not always apply together may contradict each other.
        if is_unsatisfiable_here
            && (in_doubt || is_forbidden(&slot, root) || !is_surely_unsatisfiable(&slot))
        {
            let mut found = diagnostics.split_off(before);
            found.retain(|it| !admits_nothing(it));
            diagnostics.extend(found);
        }
        // A branch repeats its union's layers and their diagnostics.
        let mut index = before;
        while index < diagnostics.len() {
            if diagnostics[..index].contains(&diagnostics[index]) {
                diagnostics.remove(index);
            } else {
                index += 1;
            }
        }
        let source = slot.source();
        let is_apart = in_doubt || !source.chosen.is_empty() || source.first.is_some();
        // A single schema always applies.
        let look_into = |slot: Slot, is_apart: bool| {
            let in_doubt = is_apart && slot.source().layers.len() > 1;
            (slot, in_doubt)
        };
        match &field.kind {
            FieldKind::Object(object) => {
                let named = object.members.iter().chain(object.extras.slot()).cloned();
                ahead.extend(named.map(|it| look_into(it, is_apart)));
                ahead.extend(object.branches(&slot).into_iter().map(|it| look_into(it, true)));
            }
            FieldKind::List(list) => {
                let items = list.prefix.iter().chain(&list.rest).cloned();
                ahead.extend(items.map(|it| look_into(it, is_apart)));
            }
            // A union without a valid value is reported once, not for each branch.
            FieldKind::Union(branches) if !is_unsatisfiable_here => {
                for branch in branches {
                    let is_unsatisfiable =
                        is_unsatisfiable(&branch.slot.field().kind, DEEPEST_UNION);
                    if !is_unsatisfiable || !is_surely_unsatisfiable(&branch.slot) {
                        let last = branch.slot.source().layers.last();
                        alive.extend(last.filter(|last| source.layers.last() != Some(last)));
                    }
                    ahead.push_back((branch.slot.clone(), in_doubt));
                }
            }
            _ => {}
        }
    }
    let alive: HashSet<String> = alive.into_iter().map(|at| document.pointer(at)).collect();
    diagnostics.retain(|it| it.reason != Reason::BranchDead || !alive.contains(&it.pointer));
    diagnostics
}

/// How deep nested unions are searched for a satisfiable branch.
const DEEPEST_UNION: usize = 3;

/// Whether a field of this kind accepts nothing but null.
fn is_unsatisfiable(kind: &FieldKind, depth: usize) -> bool {
    match kind {
        FieldKind::Json(reason) => matches!(reason, Reason::BranchDead),
        FieldKind::Union(branches) if depth > 0 => {
            branches.iter().all(|it| is_unsatisfiable(&it.slot.field().kind, depth - 1))
        }
        _ => false,
    }
}

/// Whether a place without a valid value has none for every choice of branches, null included.
fn is_surely_unsatisfiable(slot: &Slot) -> bool {
    let apart = without_other_choices(slot);
    let is_unsatisfiable =
        || apart == *slot || is_unsatisfiable(&apart.field().kind, DEEPEST_UNION);
    !slot.field().nullable && !may_be_null(&apart) && is_unsatisfiable()
}

/// The same place without the chosen branches of other unions: a branch is reported only if it has
/// no valid value for every choice there.
fn without_other_choices(slot: &Slot) -> Slot {
    let source = slot.source();
    let unchosen = source.layers.len().saturating_sub(source.chosen.len());
    let Some(last) = source.layers.last() else { return slot.clone() };
    let of_slot = source.layers.iter().enumerate().filter(|(position, layer)| {
        *position < unchosen || slot.document().is_within(*last, **layer)
    });
    let layers: Vec<NodeId> = of_slot.map(|(_, layer)| *layer).collect();
    match layers == source.layers {
        true => slot.clone(),
        false => Slot::new(slot.document(), Source { layers, ..source.clone() }),
    }
}

/// Whether null may be valid at a place, which has no widget for it.
fn may_be_null(slot: &Slot) -> bool {
    let validator = crate::partial_validator::PartialValidator::with_budget(slot.document(), 1_000);
    let mut layers = slot.source().layers.iter();
    !layers.any(|layer| validator.admits(*layer, &JsonText::null()) == Some(false))
}

/// Whether this is an optional member, an item or an entry with the schema `false`, which forbids it.
fn is_forbidden(slot: &Slot, root: &Slot) -> bool {
    let is_false = |layer: &NodeId| matches!(slot.document().node(*layer), Node::Bool(false));
    let source = slot.source();
    let is_optional =
        !source.required || source.key.is_empty() && source.chosen.is_empty() && slot != root;
    is_optional && source.layers.iter().any(is_false)
}
