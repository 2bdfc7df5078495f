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
    let mut seen: HashSet<Source> = HashSet::new();
    let mut ahead = VecDeque::from([root.clone()]);
    while let Some(slot) = ahead.pop_front() {
        let mut source = slot.source().clone();
        source.key = String::new();
        source.required = false;
        if seen.len() >= LOOKED_AT || !seen.insert(source) {
            continue;
        }
        let before = diagnostics.len();
        let field = crate::build::field(document, slot.source(), &mut diagnostics);
        // A branch repeats its union's layers, and with them their faults.
        let mut index = before;
        while index < diagnostics.len() {
            if diagnostics[..index].contains(&diagnostics[index]) {
                diagnostics.remove(index);
            } else {
                index += 1;
            }
        }
        match &field.kind {
            FieldKind::Object(object) => {
                ahead.extend(object.members.iter().cloned());
                ahead.extend(object.extras.slot().cloned());
                ahead.extend(object.branches(&slot));
            }
            FieldKind::List(list) => {
                ahead.extend(list.prefix.iter().cloned());
                ahead.extend(list.rest.clone());
            }
            FieldKind::Union(branches) => {
                let is_dead =
                    |kind: &FieldKind| matches!(kind, FieldKind::Json(Reason::BranchDead));
                if branches.iter().all(|branch| is_dead(&branch.slot.field().kind))
                    && let Some(at) = slot.source().layers.first()
                {
                    let pointer = document.pointer(*at);
                    diagnostics.push(Diagnostic { pointer, reason: Reason::NothingValid });
                }
                ahead.extend(branches.iter().map(|branch| branch.slot.clone()));
            }
            _ => {}
        }
    }
    diagnostics
}
