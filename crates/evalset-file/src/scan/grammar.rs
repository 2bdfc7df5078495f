//! JSON's grammar as a table of allowed tokens.

use Class::{CloseList, CloseObject, Colon, Comma, OpenList, OpenObject, Quote, Scalar};

/// The maximum nesting depth.
const DEPTH_LIMIT: u32 = 1 << 20;

/// The class of a token, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// A number or word.
    Scalar,
    Quote,
    Colon,
    Comma,
    OpenObject,
    OpenList,
    CloseObject,
    CloseList,
}

impl Class {
    const COUNT: usize = 8;

    #[inline]
    pub(super) fn of(byte: u8) -> Self {
        const CLASSES: [Class; 256] = {
            let mut classes = [Scalar; 256];
            classes[b'"' as usize] = Quote;
            classes[b':' as usize] = Colon;
            classes[b',' as usize] = Comma;
            classes[b'{' as usize] = OpenObject;
            classes[b'[' as usize] = OpenList;
            classes[b'}' as usize] = CloseObject;
            classes[b']' as usize] = CloseList;
            classes
        };
        CLASSES[usize::from(byte)]
    }
}

/// The allowed next token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Expect {
    /// The token was not allowed.
    Fault,
    /// The file's value.
    Top,
    /// The end of the file.
    Nothing,
    /// A key, or the end of an object just opened.
    KeyOrEnd,
    Key,
    Colon,
    /// A member's value.
    Member,
    /// A comma, or the end of an object.
    MemberEnd,
    /// An item, or the end of a list just opened.
    ItemOrEnd,
    Item,
    /// A comma, or the end of a list.
    ItemEnd,
}

impl Expect {
    const COUNT: usize = 11;

    /// What is expected after a token of `class`; for a closing bracket, see [`Containers::pop`].
    #[inline]
    pub(super) fn after(self, class: Class) -> Self {
        const TABLE: [[Expect; Class::COUNT]; Expect::COUNT] = table();
        TABLE[self as usize][class as usize]
    }

    /// Whether a string would be a key.
    pub(super) fn is_key(self) -> bool {
        matches!(self, Self::Key | Self::KeyOrEnd)
    }

    /// The message for an unexpected `byte`.
    pub(super) fn instead_of(self, byte: u8) -> &'static str {
        match (self, byte) {
            (Self::Nothing, _) => "something follows the end of the file's value",
            (Self::Key, b'}') | (Self::Item, b']') => "a trailing comma after the last item",
            (Self::Key | Self::KeyOrEnd, _) => "a key in double quotes is expected",
            (Self::Colon, _) => "a colon is expected after the key",
            (Self::MemberEnd, _) => "a comma or } is expected",
            (Self::ItemEnd, _) => "a comma or ] is expected",
            _ => "a value is expected",
        }
    }
}

const fn table() -> [[Expect; Class::COUNT]; Expect::COUNT] {
    let mut table = [[Expect::Fault; Class::COUNT]; Expect::COUNT];
    let values = [
        (Expect::Top, Expect::Nothing),
        (Expect::Member, Expect::MemberEnd),
        (Expect::ItemOrEnd, Expect::ItemEnd),
        (Expect::Item, Expect::ItemEnd),
    ];
    let mut index = 0;
    while index < values.len() {
        let (before, after) = values[index];
        table[before as usize][Scalar as usize] = after;
        table[before as usize][Quote as usize] = after;
        table[before as usize][OpenObject as usize] = Expect::KeyOrEnd;
        table[before as usize][OpenList as usize] = Expect::ItemOrEnd;
        index += 1;
    }
    table[Expect::KeyOrEnd as usize][Quote as usize] = Expect::Colon;
    table[Expect::Key as usize][Quote as usize] = Expect::Colon;
    table[Expect::Colon as usize][Colon as usize] = Expect::Member;
    table[Expect::MemberEnd as usize][Comma as usize] = Expect::Key;
    table[Expect::ItemEnd as usize][Comma as usize] = Expect::Item;
    // Any allowed state will do for an end.
    table[Expect::KeyOrEnd as usize][CloseObject as usize] = Expect::Nothing;
    table[Expect::MemberEnd as usize][CloseObject as usize] = Expect::Nothing;
    table[Expect::ItemOrEnd as usize][CloseList as usize] = Expect::Nothing;
    table[Expect::ItemEnd as usize][CloseList as usize] = Expect::Nothing;
    table
}

/// The open containers: one bit each, set for an object.
#[derive(Debug, Clone, Default)]
pub(super) struct Containers {
    near: Near,
    /// The outer ones, in whole words.
    far: Vec<u64>,
}

/// The innermost containers, up to 64 of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Near {
    depth: u32,
    /// The innermost is the lowest bit.
    objects: u64,
}

impl Near {
    #[inline]
    pub(super) fn depth(self) -> u32 {
        self.depth
    }

    /// Opens one, unless a word is full.
    #[inline]
    pub(super) fn push(&mut self, object: bool) -> bool {
        let room = !self.depth.is_multiple_of(64);
        if room {
            self.objects = self.objects << 1 | u64::from(object);
            self.depth += 1;
        }
        room
    }

    /// Closes the innermost, unless its parent is in another word, and returns what is expected next.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Expect> {
        if self.depth % 64 == 1 {
            return None;
        }
        self.depth -= 1;
        self.objects >>= 1;
        Some(self.expect())
    }

    fn expect(self) -> Expect {
        if self.objects & 1 == 1 { Expect::MemberEnd } else { Expect::ItemEnd }
    }
}

impl Containers {
    pub(super) fn near(&self) -> Near {
        self.near
    }

    pub(super) fn set_near(&mut self, near: Near) {
        self.near = near;
    }

    pub(super) fn depth(&self) -> u32 {
        self.near.depth
    }

    /// Whether the innermost is an object.
    pub(super) fn in_object(&self) -> bool {
        self.near.depth > 0 && self.near.objects & 1 == 1
    }

    /// Opens one; false when there are too many.
    pub(super) fn push(&mut self, object: bool) -> bool {
        if self.near.depth == DEPTH_LIMIT {
            return false;
        }
        if !self.near.push(object) {
            if self.near.depth > 0 {
                self.far.push(self.near.objects);
            }
            self.near.objects = u64::from(object);
            self.near.depth += 1;
        }
        true
    }

    /// Closes the innermost, and returns what is expected next.
    pub(super) fn pop(&mut self) -> Expect {
        if let Some(expect) = self.near.pop() {
            return expect;
        }
        self.near.depth -= 1;
        if self.near.depth == 0 {
            return Expect::Nothing;
        }
        self.near.objects = self.far.pop().unwrap_or_default();
        self.near.expect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn container_stack_grows_beyond_one_word() {
        let object = |level: u32| level.is_multiple_of(3) || level % 7 == 1;
        let mut open = Containers::default();
        for level in 0..1000 {
            assert!(open.push(object(level)));
        }
        for level in (0..1000).rev() {
            assert_eq!(open.in_object(), object(level), "{level}");
            let after = open.pop();
            let expected = match level {
                0 => Expect::Nothing,
                _ if object(level - 1) => Expect::MemberEnd,
                _ => Expect::ItemEnd,
            };
            assert_eq!(after, expected, "{level}");
        }
    }
}
