//! [`Form`]: a schema as a person fills it in.
//!
//! Building never fails: what is odd becomes a [`Diagnostic`], and what no widget can express takes
//! JSON text.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, OnceLock};

use json_text::JsonText;

use crate::document::{Document, Node, NodeId};
use crate::draft::{Entered, Ids};
use crate::field::{FieldKind, Slot, Source};
use crate::fill::Filler;
use crate::{Diagnostic, Draft, Reason, Types};

/// How many fields are looked at for diagnostics; a schema with more is looked at as it is opened.
const LOOKED_AT: usize = 20_000;

/// Which integers reach those for whom a form is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integers {
    /// All of them.
    #[default]
    Any,
    /// Those of 64 bits; larger ones would arrive rounded.
    Of64Bits,
}

/// A schema as a person fills it in. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Form {
    root: Slot,
    integers: Integers,
    /// Whether only an object is taken, whatever the schema says.
    objects: bool,
    /// Found when somebody asks: it takes a look at the whole schema.
    diagnostics: Arc<OnceLock<Vec<Diagnostic>>>,
}

impl Form {
    /// The form of a JSON Schema (2020-12, draft 7) or a google.genai `Schema`.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{Draft, Edit, Form, Path, Step};
    /// let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#;
    /// let form = Form::of_schema(&JsonText::parse(schema)?);
    /// let mut draft = Draft::blank(&form);
    /// assert_eq!(draft.read(&form).text(), "{}");
    /// let a = Path::root().then(Step::Member(0));
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
            Err(levels) => Self::unopened(Reason::TooDeep { levels }),
        }
    }

    /// The form of a `FunctionDeclaration`'s arguments: of `parameters_json_schema`, else
    /// `parameters`; with neither, no arguments and `{}` to send.
    #[must_use]
    pub fn of_declaration(declaration: &JsonText) -> Self {
        let document = match Document::open(declaration) {
            Ok(document) => document,
            Err(levels) => return Self::unopened(Reason::TooDeep { levels }),
        };
        let root = document.root();
        if !matches!(document.node(root), Node::Object(_)) {
            return Self::unopened(Reason::NotASchema);
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
            Some(schema) => Self::of_node(&Arc::new(document.rooted(schema)), schema),
            None => Self::no_arguments(),
        }
    }

    /// The form that sends `{}`.
    #[must_use]
    pub fn no_arguments() -> Self {
        match JsonText::parse(r#"{"type":"object","additionalProperties":false}"#) {
            Ok(schema) => Self::of_schema(&schema),
            Err(_) => Self::unopened(Reason::NotASchema),
        }
    }

    /// The form of any value.
    #[must_use]
    pub fn any() -> Self {
        match JsonText::parse("{}") {
            Ok(schema) => Self::of_schema(&schema),
            Err(_) => Self::unopened(Reason::NotASchema),
        }
    }

    fn of_node(document: &Arc<Document>, schema: NodeId) -> Self {
        let layers = vec![schema];
        let root = Slot::new(document, Source { required: true, layers, ..Source::default() });
        Self { root, integers: Integers::Any, objects: false, diagnostics: Arc::default() }
    }

    /// The same form where only such integers arrive: others are told at their fields.
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

    /// The same form where only an object is taken, as arguments are, whatever the schema says: a
    /// schema that gives no type admits a list, and no tool takes one. Where it admits an object,
    /// nothing else is offered.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::Form;
    /// let list = JsonText::parse("[1]")?;
    /// assert!(Form::any().fill(&list).read(&Form::any()).json().is_some());
    /// let form = Form::any().with_objects_only();
    /// let reading = form.fill(&list).read(&form);
    /// assert!(reading.json().is_none());
    /// assert_eq!(reading.messages()[0].text, "An object is expected; this is a list (type).");
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
    fn unopened(reason: Reason) -> Self {
        let empty = Document::open(&JsonText::null());
        let Ok(document) = empty.map(Arc::new) else { return Self::no_arguments() };
        let layers = vec![document.root()];
        let root = Slot::unexpressed(&document, layers, reason.clone());
        let found = vec![Diagnostic { pointer: String::new(), reason }];
        let diagnostics = Arc::new(found.into());
        Self { root, integers: Integers::Any, objects: false, diagnostics }
    }

    /// A form of one place, for reading and naming within it.
    pub(crate) fn around(slot: Slot) -> Self {
        Self { root: slot, integers: Integers::Any, objects: false, diagnostics: Arc::default() }
    }

    /// The outermost field.
    #[must_use]
    pub fn root(&self) -> &Slot {
        &self.root
    }

    /// What is odd about the schema. The first call looks at all of it, the others remember.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.get_or_init(|| diagnose(self.root.document(), &self.root))
    }

    /// Whether there is nothing to fill in: an object without members that takes no others.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.root.field().kind {
            FieldKind::Object(object) => {
                object.members.is_empty() && !matches!(object.extras, crate::Extras::Offered(_))
            }
            _ => false,
        }
    }

    /// Whether arguments are whole before anything is filled in and the schema says nothing of what
    /// might be: entries may be added, but whoever opens the form most likely sends it as it is.
    /// Never of another value than arguments, which is there to say something.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::Form;
    /// let form = |schema: &str| JsonText::parse(schema).map(|it| Form::of_schema(&it));
    /// assert!(form(r#"{"type": "object"}"#)?.with_objects_only().asks_for_nothing());
    /// let prices = r#"{"type": "object", "additionalProperties": {"type": "number"}}"#;
    /// assert!(!form(prices)?.with_objects_only().asks_for_nothing());
    /// # Ok::<(), json_text::JsonTextError>(())
    /// ```
    #[must_use]
    pub fn asks_for_nothing(&self) -> bool {
        let FieldKind::Object(object) = &self.root.field().kind else { return false };
        let document = self.root.document();
        let said = object.extras.slot().map(|slot| &slot.source().layers);
        let mut said = said.into_iter().flatten();
        self.objects
            && object.members.is_empty()
            && !object.is_conditional()
            && object.patterns.is_empty()
            && object.names.is_none()
            && said.all(|layer| document.members(*layer).is_empty())
            && Draft::blank(self).read(self).json().is_some()
    }

    /// Whether the schema admits `value`, as far as that can be told without the host's validator:
    /// `None` where only that can tell. A yes and a no never contradict it.
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
        let judge = crate::judge::Judge::of(self.root.document());
        let layers = &self.root.source().layers;
        let answers: Vec<_> = layers.iter().map(|layer| judge.admits(*layer, value)).collect();
        match answers.as_slice() {
            answers if answers.contains(&Some(false)) => Some(false),
            answers if answers.contains(&None) => None,
            _ => Some(true),
        }
    }

    /// The draft that sends `value`. Nothing of it is lost: what fits no widget stays JSON text at
    /// its place, with a message where the schema does not admit it.
    #[must_use]
    pub fn fill(&self, value: &JsonText) -> Draft {
        let mut ids = Ids::default();
        let root = match value.decode() {
            Ok(raw) => Filler::new(&mut ids).fill(&self.root, raw),
            Err(_) => Entered::NOTHING,
        };
        Draft { root, ids }
    }
}

/// Looks at every schema once.
fn diagnose(document: &Arc<Document>, root: &Slot) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut seen: HashSet<(Source, bool)> = HashSet::new();
    // Branches that admit something somewhere: a definition's may be dead beside one reference only.
    let mut alive: HashSet<NodeId> = HashSet::new();
    let mut ahead = VecDeque::from([(root.clone(), false)]);
    while let Some((slot, in_doubt)) = ahead.pop_front() {
        let mut source = slot.source().clone();
        source.key = String::new();
        source.required = false;
        if seen.len() >= LOOKED_AT || !seen.insert((source, in_doubt)) {
            continue;
        }
        let before = diagnostics.len();
        let field = crate::build::field(document, slot.source(), &mut diagnostics);
        if matches!(field.kind, FieldKind::Union(_)) && is_dead(&field.kind, DEEPEST_UNION) {
            let (at, reason) = slot.source().contradiction();
            let pointer = at.map(|at| document.pointer(at)).unwrap_or_default();
            diagnostics.push(Diagnostic { pointer, reason });
        }
        let admits_nothing =
            |it: &Diagnostic| matches!(it.reason, Reason::NothingValid | Reason::BranchDead);
        let is_dead_here = diagnostics[before..].iter().any(admits_nothing);
        // Schemas that do not always hold together need not agree.
        if is_dead_here && (in_doubt || is_forbidden(&slot) || !is_surely_dead(&slot)) {
            let mut found = diagnostics.split_off(before);
            found.retain(|it| !admits_nothing(it));
            diagnostics.extend(found);
        }
        // A branch repeats its union's layers, and with them their faults.
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
        // What one schema says alone is in no doubt.
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
            // What is said of the whole is not said of each branch.
            FieldKind::Union(branches) if !is_dead_here => {
                for branch in branches {
                    let is_dead = is_dead(&branch.slot.field().kind, DEEPEST_UNION);
                    if !is_dead || !is_surely_dead(&branch.slot) {
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

/// How many unions within each other are looked through for one that admits something.
const DEEPEST_UNION: usize = 3;

/// Whether a field of this kind takes nothing but null.
fn is_dead(kind: &FieldKind, depth: usize) -> bool {
    match kind {
        FieldKind::Json(reason) => matches!(reason, Reason::BranchDead),
        FieldKind::Union(branches) if depth > 0 => {
            branches.iter().all(|it| is_dead(&it.slot.field().kind, depth - 1))
        }
        _ => false,
    }
}

/// Whether a place that admits nothing in one choice of branches does so in every one, null included.
fn is_surely_dead(slot: &Slot) -> bool {
    let apart = apart(slot);
    let is_dead = || apart == *slot || is_dead(&apart.field().kind, DEEPEST_UNION);
    !slot.field().nullable && !may_be_null(&apart) && is_dead()
}

/// The same place without the branches of other unions that were chosen on the way: what is told of
/// a branch is so whatever is chosen there.
fn apart(slot: &Slot) -> Slot {
    let source = slot.source();
    let unchosen = source.layers.len().saturating_sub(source.chosen.len());
    let Some(last) = source.layers.last() else { return slot.clone() };
    let around = source.layers.iter().enumerate().filter(|(position, layer)| {
        *position < unchosen || slot.document().is_within(*last, **layer)
    });
    let layers: Vec<NodeId> = around.map(|(_, layer)| *layer).collect();
    match layers == source.layers {
        true => slot.clone(),
        false => Slot::new(slot.document(), Source { layers, ..source.clone() }),
    }
}

/// Whether null may be valid at a place, which no widget is for.
fn may_be_null(slot: &Slot) -> bool {
    let judge = crate::judge::Judge::with_patience(slot.document(), 1_000);
    let mut layers = slot.source().layers.iter();
    !layers.any(|layer| judge.admits(*layer, &JsonText::null()) == Some(false))
}

/// Whether `false` is the schema of what may be left out, which is how that is forbidden.
fn is_forbidden(slot: &Slot) -> bool {
    let is_false = |layer: &NodeId| matches!(slot.document().node(*layer), Node::Bool(false));
    !slot.required() && slot.source().layers.iter().any(is_false)
}
