//! [`FieldHandle`]: one field of a form, at its path.

use std::sync::Arc;

use leptos::prelude::*;
use schema_form::{Content, Edit, Entered, Field, FieldKind, ItemId, Path, PathStep, Slot, State};

use app::state::excerpt::visible_name;
use app::state::form::{FormState, input_id};

/// One field of a form that is drawn: reads, edits and follows what is entered at its path.
#[derive(Clone)]
pub(super) struct FieldHandle {
    /// The form it belongs to.
    pub(super) state: FormState,
    /// The prefix of the ids in the document, unique on the page.
    pub(super) id: &'static str,
    /// The field.
    pub(super) slot: Slot,
    /// Its path in the draft.
    pub(super) path: Path,
}

/// The part of a field's value that decides which parts are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldStatus {
    /// Not sent, null or a value.
    pub(super) state: State,
    /// Whether it is JSON text instead of a widget.
    pub(super) is_json: bool,
}

impl FieldHandle {
    pub(super) fn field(&self) -> &Arc<Field> {
        self.slot.field()
    }

    /// The name of the field, for the labels of buttons beside it.
    pub(super) fn name(&self) -> String {
        visible_name(self.slot.key())
    }

    /// The field one step further.
    pub(super) fn then(&self, slot: &Slot, step: PathStep) -> Self {
        Self { slot: slot.clone(), path: self.path.then(step), ..self.clone() }
    }

    /// The id of the field's input in the document.
    pub(super) fn input_id(&self) -> String {
        input_id(self.id, &self.path)
    }

    pub(super) fn part_id(&self, part: &str) -> String {
        format!("{}-{part}", self.input_id())
    }

    pub(super) fn edit(&self, edit: Edit) -> Option<ItemId> {
        self.state.edit(&self.path, edit)
    }

    pub(super) fn touch(&self) {
        self.state.touch(&self.path);
    }

    pub(super) fn follow<T>(
        &self,
        look: impl Fn(&Entered) -> T + Send + Sync + 'static,
    ) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        self.state.follow(&self.path, look)
    }

    /// The current status.
    pub(super) fn status(&self) -> Memo<FieldStatus> {
        let status = self.follow(|entered| FieldStatus {
            state: entered.state(),
            is_json: matches!(entered.content(), Some(Content::Json { .. })),
        });
        Memo::new(move |_| {
            status.get().unwrap_or(FieldStatus { state: State::NotSent, is_json: false })
        })
    }

    /// Whether a fault is shown at the field.
    pub(super) fn is_faulty(&self) -> Memo<bool> {
        let (state, path) = (self.state, self.path.clone());
        Memo::new(move |_| !state.faults_at(&path).is_empty())
    }

    /// Whether the field contains others.
    pub(super) fn is_group(&self) -> bool {
        matches!(self.field().kind, FieldKind::Object(_) | FieldKind::List(_) | FieldKind::Union(_))
    }
}
