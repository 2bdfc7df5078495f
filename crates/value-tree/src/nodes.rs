//! [`Nodes`]: the values of a tree by their numbers, each with its text.
//!
//! They are the values of one text, and of the texts in its strings that were looked into.

use std::collections::BTreeMap;

use json_text::index::{Cut, Entry, Id, NONE, append};
use json_text::{JsonText, Kind};

/// One value of a tree. Stays the same while the tree lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) Id);

impl NodeId {
    /// A number that no other value of the tree has.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A text: the value itself, or one that a string of it holds.
#[derive(Debug, Clone)]
struct Document {
    text: JsonText,
    /// Its outermost value.
    first: Id,
    /// The string that holds it; [`NONE`] for the value itself.
    host: Id,
    /// How many times it was encoded.
    layers: u8,
}

/// The values of a tree, without what is open of them.
#[derive(Debug, Clone)]
pub(crate) struct Nodes {
    documents: Vec<Document>,
    entries: Vec<Entry>,
    /// Which document a string holds, by the string.
    held: BTreeMap<Id, usize>,
    /// Where the outermost text's values end, if not all of them are here.
    cut: Option<Cut>,
    /// How many members are here of the containers that are not whole.
    parts: BTreeMap<Id, u32>,
    is_whole: bool,
    most: usize,
}

impl Nodes {
    /// The values of `value`, at most about `most` of them.
    pub(crate) fn of(value: JsonText, most: usize) -> Self {
        let mut nodes = Self {
            documents: Vec::new(),
            entries: Vec::new(),
            held: BTreeMap::new(),
            cut: None,
            parts: BTreeMap::new(),
            is_whole: true,
            most,
        };
        nodes.cut = nodes.admit(value, NONE, 0);
        nodes.is_whole = nodes.cut.is_none();
        nodes
    }

    /// Takes a text in; answers with where its values end if not all of them fitted.
    fn admit(&mut self, text: JsonText, host: Id, layers: u8) -> Option<Cut> {
        let first = self.entries.len() as Id;
        let room = self.most.saturating_sub(self.entries.len()).max(1);
        let cut = match u32::try_from(text.byte_len()) {
            Ok(_) => append(text.as_str(), &mut self.entries, room),
            Err(_) => Some(Cut { from: 0, parts: Vec::new() }),
        };
        self.parts.extend(cut.iter().flat_map(|cut| cut.parts.iter().copied()));
        if self.entries.len() == first as usize {
            // A text beyond four gigabytes: one value without members.
            self.entries.push(Entry {
                start: 0,
                end: NONE - 1,
                key: NONE,
                parent: NONE,
                next: first + 1,
                count: 0,
                place: 0,
            });
        }
        self.documents.push(Document { text, first, host, layers });
        cut
    }

    /// Whether the values of another text may be added.
    pub(crate) fn has_room(&self) -> bool {
        self.entries.len() < self.most
    }

    /// Adds the values of the text that a string holds, encoded `layers` times.
    pub(crate) fn hold(&mut self, text: JsonText, host: Id, layers: u8) {
        self.held.insert(host, self.documents.len());
        self.is_whole &= self.admit(text, host, layers).is_none();
    }

    /// The outermost text.
    pub(crate) fn value(&self) -> &JsonText {
        &self.documents[0].text
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether a value below the first level has members.
    pub(crate) fn has_depth(&self) -> bool {
        let outermost = NONE;
        let below_first = |record: &Entry| record.count > 0 && record.parent != outermost;
        self.entries.iter().any(below_first)
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Where the value's own text goes on that the tree does not hold, in bytes.
    pub(crate) fn cut_at(&self) -> Option<usize> {
        self.cut.as_ref().map(|cut| cut.from)
    }

    /// The innermost list that ends early, and how many of its members are here.
    pub(crate) fn cut_list(&self) -> Option<(Id, u32)> {
        self.cut.as_ref()?.parts.last().copied()
    }

    /// How many members of a container are here.
    pub(crate) fn held_members(&self, id: Id) -> usize {
        self.parts.get(&id).copied().unwrap_or_else(|| self.record(id).count) as usize
    }

    fn document(&self, id: Id) -> &Document {
        let at = self.documents.partition_point(|document| document.first <= id);
        &self.documents[at.saturating_sub(1)]
    }

    /// The value's entry in the index of its text.
    pub(crate) fn record(&self, id: Id) -> Entry {
        self.entries[id as usize]
    }

    /// The text of a value, as it was written.
    pub(crate) fn text(&self, id: Id) -> &str {
        let Entry { start, end, .. } = self.record(id);
        let text = self.document(id).text.as_str();
        text.get(start as usize..end as usize).unwrap_or(text)
    }

    /// The name of a member as it was written, with its quotes.
    pub(crate) fn key(&self, id: Id) -> Option<&str> {
        let key = self.record(id).key as usize;
        let text = self.document(id).text.as_str();
        (key != NONE as usize)
            .then(|| &text[key..json_text::scan::string_end(text.as_bytes(), key)])
    }

    /// What sort of value this is.
    pub(crate) fn kind(&self, id: Id) -> Kind {
        match self.text(id).as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// The container a value is in, through the string that holds it where there is one.
    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        let parent = self.record(id).parent;
        let document = self.document(id);
        // The outermost value of a text inside a string has no row: its members are below the string.
        let is_outermost = parent == NONE || (parent == document.first && document.host != NONE);
        let parent = if is_outermost { document.host } else { parent };
        (parent != NONE).then_some(parent)
    }

    /// How many values the container of a value has in the same text; 1 where there is none.
    pub(crate) fn siblings(&self, id: Id) -> usize {
        let parent = self.entries.get(self.record(id).parent as usize);
        parent.map_or(1, |parent| parent.count as usize)
    }

    /// The values in a container of the same text, in order.
    pub(crate) fn members(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let end = self.record(id).next;
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |&it| {
            let next = self.record(it).next;
            (next < end).then_some(next)
        })
    }

    /// The string with the JSON text of this value, and how often it was encoded.
    pub(crate) fn host(&self, id: Id) -> Option<(Id, u8)> {
        let document = self.document(id);
        (document.host != NONE).then_some((document.host, document.layers))
    }

    /// The outermost value of the text that a string holds, where it was looked into.
    pub(crate) fn held(&self, host: Id) -> Option<Id> {
        self.held.get(&host).map(|document| self.documents[*document].first)
    }

    pub(crate) fn layers(&self, host: Id) -> u8 {
        self.held.get(&host).map_or(0, |document| self.documents[*document].layers)
    }
}
