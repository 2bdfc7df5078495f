//! Edits of typed text, and switching between JSON text and widgets.

use json_text::JsonText;

use super::{Editor, WrongKind};
use crate::blank::Blank;
use crate::draft::{Content, Entered, State};
use crate::field::FieldKind;
use crate::{Draft, EditError, Form};

impl Editor<'_> {
    pub(super) fn set_text(
        &self,
        entered: &mut Entered,
        text: String,
        wrong: WrongKind,
    ) -> Result<(), EditError> {
        let field = self.slot.field();
        let optional = !self.slot.required();
        if let Some(Content::Json { text: old, .. }) = &mut entered.content {
            let empty = text.trim().is_empty();
            *old = text;
            entered.state = if empty && (optional || matches!(field.kind, FieldKind::Json(_))) {
                State::NotSent
            } else {
                State::Value
            };
            return Ok(());
        }
        let empty_is_nothing = match field.kind {
            FieldKind::Text(_) => optional,
            FieldKind::Integer(_) | FieldKind::Number(_) | FieldKind::Json(_) => true,
            _ => return Err(wrong.error()),
        };
        let state = if text.is_empty() && empty_is_nothing { State::NotSent } else { State::Value };
        let content = match field.kind {
            FieldKind::Json(_) => Content::Json { text, before: None },
            _ => Content::Text(text),
        };
        *entered = Entered { state, content: Some(content) };
        Ok(())
    }

    pub(super) fn switch_to_json(&self, entered: &mut Entered) {
        if matches!(entered.content, Some(Content::Json { .. })) {
            entered.state = State::Value;
            return;
        }
        let form = Form::of_slot(self.slot.clone());
        let draft = Draft { root: entered.clone(), ids: crate::draft::Ids::default() };
        let reading = draft.read(&form);
        let text = match JsonText::parse(reading.text()) {
            Ok(value) => value.pretty(),
            Err(_) => json_text::pretty_text(reading.text()),
        };
        let before = match entered.state {
            State::NotSent => None,
            State::Null | State::Value => entered.content.take(),
        };
        let before = before.map(|content| Box::new((text.clone(), content)));
        *entered = Entered::value(Content::Json { text, before });
    }

    pub(super) fn switch_to_widgets(&mut self, entered: &mut Entered) -> Result<(), EditError> {
        let Some(Content::Json { text, before }) = &mut entered.content else { return Ok(()) };
        if matches!(self.slot.field().kind, FieldKind::Json(_)) {
            return Ok(());
        }
        if before.as_ref().is_some_and(|before| before.0 == *text)
            && let Some(before) = before.take()
        {
            *entered = Entered::value(before.1);
        } else if text.trim().is_empty() {
            *entered = Blank::new(self.ids).place(self.slot);
        } else {
            let value = JsonText::parse(text)?;
            let filled = self.filled(&value);
            *entered = filled;
        }
        Ok(())
    }
}
