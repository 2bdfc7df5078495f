//! JSON's grammar as a table of allowed tokens.

use Class::{CloseList, CloseObject, Colon, Comma, OpenList, OpenObject, Quote, Scalar};

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
        match byte {
            b'"' => Quote,
            b':' => Colon,
            b',' => Comma,
            b'{' => OpenObject,
            b'[' => OpenList,
            b'}' => CloseObject,
            b']' => CloseList,
            _ => Scalar,
        }
    }
}

/// The allowed next token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(super) enum Expect {
    /// The token was not allowed.
    Fault,
    /// The file's value.
    #[default]
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

    /// What is expected after a token of `class`; after a closing bracket it depends on the container
    /// around it, see [`Self::after_value_in`].
    #[inline]
    pub(super) fn after(self, class: Class) -> Self {
        const TABLE: [[Expect; Class::COUNT]; Expect::COUNT] = table();
        TABLE[self as usize][class as usize]
    }

    /// What is expected after a value in an object (true), in a list (false), or at the top.
    #[inline]
    pub(super) fn after_value_in(container: Option<bool>) -> Self {
        match container {
            Some(true) => Self::MemberEnd,
            Some(false) => Self::ItemEnd,
            None => Self::Nothing,
        }
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
