//! [`Typist`]: enters a value as a person would, widget by widget, and as JSON only without a widget.

use json_text::{JsonText, Node};
use schema_form::{Content, Draft, Edit, EditError, FieldKind, Form, Path, PathStep, State};

/// Enters values into a draft of one form.
pub(crate) struct Typist<'f> {
    form: &'f Form,
    /// What has been entered.
    pub(crate) draft: Draft,
    /// How many places were entered.
    pub(crate) places: usize,
    /// The reasons of the places that took JSON text.
    pub(crate) json_mode: Vec<String>,
}

impl<'f> Typist<'f> {
    pub(crate) fn new(form: &'f Form) -> Self {
        Self { form, draft: Draft::blank(form), places: 0, json_mode: Vec::new() }
    }

    /// Enters `value` for the whole.
    pub(crate) fn enter(&mut self, value: &JsonText) -> Result<(), String> {
        self.place(&Path::root(), value)
    }

    fn edit(&mut self, path: &Path, edit: Edit) -> Result<Option<schema_form::ItemId>, String> {
        let step = format!("{edit:?} at {path}");
        self.draft
            .edit(self.form, path, edit)
            .map_err(|error: EditError| format!("{step}: {error}"))
    }

    fn place(&mut self, path: &Path, value: &JsonText) -> Result<(), String> {
        let slot = self.draft.slot(self.form, path).ok_or_else(|| format!("no place {path}"))?;
        let field = slot.field().clone();
        self.places += 1;
        if value.as_str() == "null" && field.nullable {
            return self.edit(path, Edit::SetNull).map(drop);
        }
        match (&field.kind, value.open()) {
            (FieldKind::Text(_), Node::String(text)) => {
                // An optional text that is emptied is left out; empty text is a value of its own.
                self.edit(path, Edit::SetValue)?;
                if !text.is_empty() {
                    self.edit(path, Edit::SetText(text.into_owned()))?;
                }
            }
            (FieldKind::Integer(_) | FieldKind::Number(_), Node::Number(digits)) => {
                self.edit(path, Edit::SetText(digits.to_owned()))?;
            }
            (FieldKind::Boolean, Node::Bool(value)) => {
                self.edit(path, Edit::SetBool(value))?;
            }
            (FieldKind::Choice(options), _) => {
                let wanted = value.to_value();
                let option = options.iter().position(|option| option.value.to_value() == wanted);
                let option = option.ok_or_else(|| format!("{value} is no choice at {path}"))?;
                self.edit(path, Edit::Choose(option))?;
            }
            (FieldKind::Object(_), Node::Object(members)) => self.object(path, &members)?,
            (FieldKind::List(_), Node::Array(items)) => self.list(path, &items)?,
            (FieldKind::Union(branches), _) => self.union(path, branches.len(), value)?,
            (FieldKind::Json(reason), _) => {
                self.json_mode.push(reason.name().to_owned());
                self.edit(path, Edit::SetText(value.as_str().to_owned()))?;
            }
            (kind, _) => return Err(format!("no widget at {path} for {value}: {kind:?}")),
        }
        Ok(())
    }

    fn object(
        &mut self,
        path: &Path,
        members: &[(String, &serde_json::value::RawValue)],
    ) -> Result<(), String> {
        self.edit(path, Edit::SetValue)?;
        let slot = self.draft.slot(self.form, path).ok_or("no object")?;
        let FieldKind::Object(object) = &slot.field().kind else { return Err("no object".into()) };
        for (position, member) in object.members.iter().enumerate() {
            let inner = path.then(PathStep::Member(position));
            match members.iter().find(|(key, _)| key == member.key()) {
                Some((_, value)) => self.place(&inner, &JsonText::from(*value))?,
                None => {
                    let sent = self.draft.at(&inner).is_some_and(|it| it.state() != State::NotSent);
                    if sent {
                        self.edit(&inner, Edit::Unset)?;
                    }
                }
            }
        }
        for (key, value) in members {
            if object.members.iter().any(|member| member.key() == key) {
                continue;
            }
            let id = self.edit(path, Edit::AddEntry)?.ok_or("no entry")?;
            self.edit(path, Edit::RenameEntry(id, key.clone()))?;
            self.place(&path.then(PathStep::Entry(id)), &JsonText::from(*value))?;
        }
        Ok(())
    }

    fn list(&mut self, path: &Path, items: &[&serde_json::value::RawValue]) -> Result<(), String> {
        self.edit(path, Edit::SetValue)?;
        let present: Vec<_> = match self.draft.at(path).and_then(|entered| entered.content()) {
            Some(Content::List(items)) => items.iter().map(|item| item.id).collect(),
            _ => Vec::new(),
        };
        for surplus in present.iter().skip(items.len()) {
            self.edit(path, Edit::RemoveItem(*surplus))?;
        }
        for (index, item) in items.iter().enumerate() {
            let id = match present.get(index) {
                Some(id) => *id,
                None => self.edit(path, Edit::AddItem)?.ok_or("no item")?,
            };
            self.place(&path.then(PathStep::Item(id)), &JsonText::from(*item))?;
        }
        // A list whose last item went is not sent; an empty one is a value.
        self.edit(path, Edit::SetValue).map(drop)
    }

    /// The first branch that takes the value without a message.
    fn union(&mut self, path: &Path, branches: usize, value: &JsonText) -> Result<(), String> {
        let before = (self.draft.clone(), self.places, self.json_mode.clone());
        let mut refused = Vec::new();
        for branch in 0..branches {
            (self.draft, self.places, self.json_mode) = before.clone();
            self.edit(path, Edit::ChooseBranch(branch))?;
            let inner = path.then(PathStep::Branch(branch));
            match self.place(&inner, value) {
                Ok(()) => {
                    let reading = self.draft.read(self.form);
                    if !reading.messages().iter().any(|it| path.contains(&it.path)) {
                        return Ok(());
                    }
                    refused.push(format!("{:?}", reading.messages()));
                }
                Err(error) => refused.push(error),
            }
        }
        Err(format!("no branch at {path} takes {value}: {}", refused.join("; ")))
    }
}
