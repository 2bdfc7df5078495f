//! [`Reading`]: what a draft would send, and what stands in its way.
//!
//! The text shows every draft, unfinished ones too, each piece with its [`Tone`]; it becomes JSON
//! to send ([`Reading::json`]) only when no message is left.

use std::collections::HashSet;
use std::ops::Range;

use json_text::{JsonText, JsonTextError, Kind};

use crate::canonical::canonical;
use crate::check::{self, Broken};
use crate::decimal::{is_integer, is_number};
use crate::document::{NodeId, nesting};
use crate::draft::{Content, Entered, Entry, Item, State, child_slot, shape};
use crate::field::{Field, FieldKind, ListField, ObjectField, Slot};
use crate::fill::{DEEPEST, Filler};
use crate::judge::PATIENCE;
use crate::{Draft, Form, ItemId, Path, Step};

/// What a draft would send, and what stands in its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    text: String,
    tones: Vec<(Range<usize>, Tone)>,
    messages: Vec<Message>,
    json: Option<JsonText>,
}

/// What a piece of a reading's text is, for colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Brackets, commas, colons.
    Mark,
    /// A member's name.
    Key,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true`, `false`, `null`.
    Word,
    /// JSON text taken over as it stands.
    Json,
    /// A piece that a message is about, or the hole where a value is missing.
    Fault,
}

/// Something that keeps a draft from being sent, at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The place.
    pub path: Path,
    /// One sentence for the person.
    pub text: String,
    /// What sort of fault.
    pub fault: Fault,
}

/// What sort of fault a [`Message`] tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A value must be there and is not.
    Missing,
    /// What was typed is not a value yet.
    Unfinished,
    /// Text that is not JSON, with the place where it stops being it.
    NotJson(JsonTextError),
    /// A value that the schema does not admit, with the keyword.
    Invalid(&'static str),
}

impl Draft {
    /// Reads the draft: what would be sent, and what stands in its way.
    #[must_use]
    pub fn read(&self, form: &Form) -> Reading {
        let mut reader = Reader::default();
        reader.place(form.root(), &self.root, None);
        let json =
            if reader.messages.is_empty() { JsonText::parse(&reader.text).ok() } else { None };
        Reading { text: reader.text, tones: reader.tones, messages: reader.messages, json }
    }
}

impl Reading {
    /// Exactly what would be sent; `None` while there are messages.
    #[must_use]
    pub fn json(&self) -> Option<&JsonText> {
        self.json.as_ref()
    }

    /// What would be sent, unfinished pieces as they stand: JSON only if [`Self::json`] is.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text in pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, Tone)> {
        self.tones.iter().map(|(range, tone)| (&self.text[range.clone()], *tone))
    }

    /// What stands in the way, in the form's order.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages at `path` itself.
    pub fn messages_at(&self, path: &Path) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.path == *path)
    }
}

/// Writes what a draft would send, and collects messages.
struct Reader {
    text: String,
    tones: Vec<(Range<usize>, Tone)>,
    messages: Vec<Message>,
    path: Path,
    depth: usize,
    /// Keywords that were judged already: where the value stands in the text, and the keyword's.
    judged: HashSet<(usize, NodeId, &'static str)>,
    /// How many schemas may still be asked: a keystroke must not wait for unions within unions.
    patience: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            text: String::new(),
            tones: Vec::new(),
            messages: Vec::new(),
            path: Path::root(),
            depth: 0,
            judged: HashSet::new(),
            patience: PATIENCE,
        }
    }
}

impl Reader {
    fn write(&mut self, piece: &str, tone: Tone) {
        let start = self.text.len();
        self.text.push_str(piece);
        match self.tones.last_mut() {
            Some((range, last)) if *last == tone && range.end == start => {
                range.end = self.text.len();
            }
            _ => self.tones.push((start..self.text.len(), tone)),
        }
    }

    fn tell(&mut self, fault: Fault, text: impl Into<String>) {
        self.messages.push(Message { path: self.path.clone(), text: text.into(), fault });
    }

    fn tell_broken(&mut self, broken: Vec<Broken>) {
        for (keyword, text) in broken {
            self.tell(Fault::Invalid(keyword), text);
        }
    }

    fn inside(&mut self, step: Step, read: impl FnOnce(&mut Self)) {
        self.path.push(step);
        read(self);
        self.path.pop();
    }

    /// Writes one place; nothing at all when it is left out. `key` precedes it in an object.
    fn place(&mut self, slot: &Slot, entered: &Entered, key: Option<&str>) {
        // A field that nobody looks at and nobody fills in is not made.
        match (entered.state, &entered.content) {
            (State::NotSent, _) => {
                if slot.required() {
                    self.tell(Fault::Missing, "Required.");
                    if key.is_none() && self.depth > 0 {
                        self.write("?", Tone::Fault);
                    }
                }
            }
            (State::Null, _) => {
                let field = slot.field();
                self.key(key);
                if field.nullable {
                    self.write("null", Tone::Word);
                } else {
                    self.write("null", Tone::Fault);
                    self.tell(Fault::Invalid("type"), expected(field, Kind::Null));
                }
            }
            (State::Value, None) => self.tell(Fault::Missing, "Required."),
            (State::Value, Some(content)) => {
                self.key(key);
                let (start, told) = (self.text.len(), self.messages.len());
                let shape = shape(slot, entered);
                self.depth += 1;
                self.content(&shape, shape.field(), entered, content);
                self.depth -= 1;
                if self.messages.len() == told {
                    self.judge(&shape, start);
                }
            }
        }
    }

    /// Tells which keywords beside the widgets' limits the finished value breaks, as far as that
    /// can be told here. `start`: where the value begins in the text.
    fn judge(&mut self, slot: &Slot, start: usize) {
        let judged = &slot.field().judged;
        if judged.is_empty() {
            return;
        }
        let Ok(value) = JsonText::parse(&self.text[start..]) else { return };
        // What stands beside `null` in a union says nothing about it.
        if value.kind() == Kind::Null {
            return;
        }
        let told = self.messages.len();
        for (schema, keyword) in judged {
            // A union and its branch stand at one value and share their layers.
            if self.judged.insert((start, *schema, keyword))
                && let Some(text) =
                    check::keyword(slot.document(), *schema, keyword, &value, &mut self.patience)
            {
                self.tell(Fault::Invalid(keyword), text);
            }
        }
        if self.messages.len() > told && !matches!(value.kind(), Kind::Array | Kind::Object) {
            for (range, tone) in &mut self.tones {
                if range.start >= start {
                    *tone = Tone::Fault;
                }
            }
        }
    }

    fn key(&mut self, key: Option<&str>) {
        if let Some(key) = key {
            if !self.text.ends_with('{') {
                self.write(",", Tone::Mark);
            }
            self.write(JsonText::string(key).as_str(), Tone::Key);
            self.write(":", Tone::Mark);
        }
    }

    fn content(&mut self, slot: &Slot, field: &Field, entered: &Entered, content: &Content) {
        match (content, &field.kind) {
            (Content::Json { text, .. }, _) => self.json(slot, text),
            (Content::Text(text), FieldKind::Text(limits)) => {
                let broken = check::text(limits, text);
                self.value(JsonText::string(text).as_str(), Tone::String, broken);
            }
            (Content::Text(text), FieldKind::Integer(bounds)) => {
                let digits = text.trim();
                if is_integer(digits) {
                    self.value(digits, Tone::Number, check::number(bounds, digits));
                } else {
                    self.unfinished(digits, "A whole number, such as 12.");
                }
            }
            (Content::Text(text), FieldKind::Number(bounds)) => {
                let digits = text.trim();
                if is_number(digits) {
                    self.value(digits, Tone::Number, check::number(bounds, digits));
                } else {
                    self.unfinished(digits, "A number, such as 12 or 1.5.");
                }
            }
            (Content::Bool(value), FieldKind::Boolean) => {
                self.value(if *value { "true" } else { "false" }, Tone::Word, Vec::new());
            }
            (Content::Choice(position), FieldKind::Choice(options)) => match options.get(*position)
            {
                Some(option) => {
                    let tone = match option.value.kind() {
                        Kind::String => Tone::String,
                        Kind::Number => Tone::Number,
                        Kind::Null | Kind::Bool => Tone::Word,
                        Kind::Array | Kind::Object => Tone::Json,
                    };
                    self.value(option.value.as_str(), tone, Vec::new());
                }
                None => self.unfinished("", "Choose one."),
            },
            (Content::Object { members, entries, .. }, FieldKind::Object(object)) => {
                self.object(slot, object, members, entries);
            }
            (Content::List(items), FieldKind::List(list)) => self.list(slot, entered, list, items),
            (Content::Union { branch, .. }, FieldKind::Union(branches)) => {
                let step = Step::Branch(*branch);
                let chosen = branches.get(*branch);
                match chosen.zip(self.child(entered, step)) {
                    Some((branch, inner)) => {
                        self.inside(step, |reader| reader.place(&branch.slot, inner, None));
                    }
                    None => self.unfinished("", "Choose one."),
                }
            }
            // A draft of another form.
            _ => self.unfinished("", "This does not fit the field: clear it."),
        }
    }

    fn child<'e>(&self, entered: &'e Entered, step: Step) -> Option<&'e Entered> {
        match (entered.content.as_ref()?, step) {
            (Content::Union { visited, .. }, Step::Branch(position)) => {
                visited.iter().find(|(at, _)| *at == position).map(|(_, inner)| inner)
            }
            _ => None,
        }
    }

    fn value(&mut self, text: &str, tone: Tone, broken: Vec<Broken>) {
        self.write(text, if broken.is_empty() { tone } else { Tone::Fault });
        self.tell_broken(broken);
    }

    fn unfinished(&mut self, text: &str, told: &str) {
        self.write(if text.is_empty() { "?" } else { text }, Tone::Fault);
        self.tell(Fault::Unfinished, told);
    }

    fn object(
        &mut self,
        slot: &Slot,
        object: &ObjectField,
        members: &[Entered],
        entries: &[Entry],
    ) {
        self.write("{", Tone::Mark);
        let mut found = 0_u64;
        for (position, (member, inner)) in object.members.iter().zip(members).enumerate() {
            found += u64::from(inner.state != State::NotSent);
            self.inside(Step::Member(position), |reader| {
                if inner.state != State::NotSent {
                    reader.check_name(object, member.key());
                }
                reader.place(member, inner, Some(member.key()));
            });
        }
        for entry in entries {
            found += 1;
            let taken = |name: &str| {
                object.members.iter().any(|member| member.key() == name)
                    || entries
                        .iter()
                        .take_while(|other| other.id != entry.id)
                        .any(|other| other.name.as_deref() == Some(name))
            };
            let inner = object.entry(entry.name.as_deref());
            self.inside(Step::Entry(entry.id), |reader| {
                match &entry.name {
                    None => reader.tell(Fault::Missing, "Give the entry a name."),
                    Some(name) if taken(name) => {
                        let text = format!("The name `{name}` stands there twice.");
                        reader.tell(Fault::Invalid("properties"), text);
                    }
                    Some(name) if inner.is_none() => {
                        let text = check::no_such_member(object, name);
                        reader.tell(Fault::Invalid("additionalProperties"), text);
                    }
                    Some(name) => reader.check_name(object, name),
                }
                let name = entry.name.as_deref().unwrap_or("?");
                let inner = inner.unwrap_or_else(|| crate::draft::anything(slot));
                reader.place(&inner, &entry.entered, Some(name));
            });
        }
        self.check_needs(object, members, entries);
        self.write("}", Tone::Mark);
        self.tell_broken(check::count(
            found,
            (object.min, "minProperties"),
            (object.max, "maxProperties"),
            ("member", "members"),
        ));
    }

    /// `propertyNames`, told at the member of that name.
    fn check_name(&mut self, object: &ObjectField, name: &str) {
        let Some(names) = &object.names else { return };
        let value = JsonText::string(name);
        let mut found = self.faults_of(names, &value);
        for message in &mut found {
            message.text = format!("The name `{name}`: {}", message.text);
            message.fault = Fault::Invalid("propertyNames");
        }
        if found.is_empty() && check::is_refused(names, &value) {
            let text = format!("The schema does not admit the name `{name}` (propertyNames).");
            self.tell(Fault::Invalid("propertyNames"), text);
        }
        self.messages.extend(found);
    }

    /// `dependentRequired`, told at the member that is missing.
    fn check_needs(&mut self, object: &ObjectField, members: &[Entered], entries: &[Entry]) {
        let place = |name: &str| object.members.iter().position(|member| member.key() == name);
        let is_there = |name: &str| match place(name) {
            Some(position) => {
                members.get(position).is_some_and(|inner| inner.state != State::NotSent)
            }
            None => entries.iter().any(|entry| entry.name.as_deref() == Some(name)),
        };
        for (name, needed) in object.needs.iter().filter(|(name, _)| is_there(name)) {
            for missing in needed.iter().filter(|needed| !is_there(needed)) {
                let at = place(missing);
                if at.and_then(|at| object.members.get(at)).is_some_and(Slot::required) {
                    continue;
                }
                match at {
                    Some(position) => self.inside(Step::Member(position), |reader| {
                        let text = format!("Required where `{name}` is sent (dependentRequired).");
                        reader.tell(Fault::Invalid("dependentRequired"), text);
                    }),
                    None => {
                        let text =
                            format!("`{name}` needs `{missing}` beside it (dependentRequired).");
                        self.tell(Fault::Invalid("dependentRequired"), text);
                    }
                }
            }
        }
    }

    fn list(&mut self, slot: &Slot, entered: &Entered, list: &ListField, items: &[Item]) {
        self.write("[", Tone::Mark);
        let mut written: Vec<Range<usize>> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.write(",", Tone::Mark);
            }
            let start = self.text.len();
            self.item(slot, entered, list, index, item.id, &item.entered);
            written.push(start..self.text.len());
        }
        self.write("]", Tone::Mark);
        self.tell_broken(check::count(
            items.len() as u64,
            (list.min, "minItems"),
            (list.max, "maxItems"),
            ("item", "items"),
        ));
        if list.unique
            && let Some((first, second)) = self.equal_pair(&written)
        {
            let text = format!(
                "Each item only once: items {} and {} are equal (uniqueItems).",
                first + 1,
                second + 1
            );
            self.tell(Fault::Invalid("uniqueItems"), text);
        }
    }

    fn item(
        &mut self,
        slot: &Slot,
        entered: &Entered,
        list: &ListField,
        index: usize,
        id: ItemId,
        inner: &Entered,
    ) {
        let of_item = match list.item(index) {
            Some(slot) => Some(slot.clone()),
            None => child_slot(slot, entered, Step::Item(id)),
        };
        self.inside(Step::Item(id), |reader| {
            if list.item(index).is_none() {
                let text = format!("At most {} items: remove this one.", list.prefix.len());
                reader.tell(Fault::Invalid("items"), text);
            }
            if let Some(of_item) = of_item {
                reader.place(&of_item, inner, None);
            }
        });
    }

    fn equal_pair(&self, written: &[Range<usize>]) -> Option<(usize, usize)> {
        let mut seen = std::collections::HashMap::with_capacity(written.len());
        for (index, range) in written.iter().enumerate() {
            let Ok(value) = JsonText::parse(&self.text[range.clone()]) else { continue };
            if let Some(first) = seen.insert(canonical(&value), index) {
                return Some((first, index));
            }
        }
        None
    }

    /// Writes JSON text as it stands, checked as far as the widgets would.
    fn json(&mut self, slot: &Slot, text: &str) {
        let value = match JsonText::parse(text.trim()) {
            Ok(value) => value,
            Err(_) if text.trim().is_empty() => {
                return self.unfinished("", "A JSON value, such as \"text\", 12 or {}.");
            }
            Err(_) => {
                // The place counts in the text as it stands.
                let error = JsonText::parse(text).err();
                self.write(text, Tone::Fault);
                if let Some(error) = error {
                    // The parser's own word for a text without its quotes.
                    let reason = match error.reason.as_str() {
                        "expected ident" => "a word that is not true, false or null",
                        reason => reason,
                    };
                    let (line, column) = (error.line, error.column);
                    let told = format!("Not JSON: {reason} at line {line}, column {column}.");
                    self.tell(Fault::NotJson(error), told);
                }
                return;
            }
        };
        let found = self.faults_of(slot, &value);
        self.write(
            value.compact().as_str(),
            if found.is_empty() { Tone::Json } else { Tone::Fault },
        );
        self.messages.extend(found);
    }

    /// What the widgets would say about `value`, told at this place.
    fn faults_of(&self, slot: &Slot, value: &JsonText) -> Vec<Message> {
        let field = slot.field();
        let here = |text, fault| vec![Message { path: self.path.clone(), text, fault }];
        if matches!(field.kind, FieldKind::Json(_)) {
            return Vec::new();
        }
        let mut ids = crate::draft::Ids::default();
        let Ok(raw) = value.decode() else { return Vec::new() };
        let entered = Filler::within(&mut ids, self.depth).fill(slot, raw);
        if let Some(Content::Json { .. }) = entered.content {
            if self.depth >= DEEPEST || nesting(value.as_str()) > DEEPEST {
                return Vec::new();
            }
            if !field.types.admit(value.kind()) {
                return here(expected(field, value.kind()), Fault::Invalid("type"));
            }
            return match &field.kind {
                FieldKind::Integer(bounds) | FieldKind::Number(bounds) => {
                    let decimal = crate::decimal::Decimal::parse(value.as_str());
                    if matches!(field.kind, FieldKind::Integer(_))
                        && value.kind() == Kind::Number
                        && decimal.is_some_and(|decimal| !decimal.is_whole())
                    {
                        return here(expected(field, value.kind()), Fault::Invalid("type"));
                    }
                    let broken = check::number(bounds, value.as_str());
                    broken
                        .into_iter()
                        .flat_map(|(keyword, text)| here(text, Fault::Invalid(keyword)))
                        .collect()
                }
                FieldKind::Choice(options) => {
                    let spelled = canonical(value);
                    if options.iter().any(|option| canonical(&option.value) == spelled) {
                        return Vec::new();
                    }
                    let labels: Vec<_> =
                        options.iter().map(|option| option.value.as_str()).collect();
                    here(format!("One of {}.", labels.join(", ")), Fault::Invalid("enum"))
                }
                _ => Vec::new(),
            };
        }
        let mut reader = Self { depth: self.depth, patience: self.patience, ..Self::default() };
        reader.place(slot, &entered, None);
        let names = Draft { root: entered, ids };
        reader
            .messages
            .into_iter()
            .map(|message| {
                let name = names.name_below(slot, &message.path);
                let text = if name.is_empty() {
                    message.text
                } else {
                    format!("{name}: {}", message.text)
                };
                Message { path: self.path.clone(), text, fault: message.fault }
            })
            .collect()
    }
}

fn expected(field: &Field, found: Kind) -> String {
    let found = match found {
        Kind::Null => "null",
        Kind::Bool => "true or false",
        Kind::Number => "a number",
        Kind::String => "text",
        Kind::Array => "a list",
        Kind::Object => "an object",
    };
    let wanted = field.types.phrase();
    let mut letters = wanted.chars();
    let wanted: String = letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default();
    format!("{wanted} is expected; this is {found} (type).")
}
