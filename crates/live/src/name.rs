//! Short texts: validated once when they arrive, trusted afterwards.

use std::fmt;

use crate::Invalid;

macro_rules! text {
    ($name:ident) => {
        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

/// The name of an agent: 1 to 100 characters, none of them a control character.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentName(Box<str>);
text!(AgentName);

impl AgentName {
    /// Checks the name.
    ///
    /// # Errors
    /// [`Invalid`] with the rule.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        check("agent_name", text, 1).map(Self)
    }

    /// Checks a name that an agent sends: it also has a visible character, and none that changes the
    /// writing direction. Names that were stored before this rule stay readable through `parse`.
    ///
    /// # Errors
    /// [`Invalid`] with the rule.
    pub fn given(text: &str) -> Result<Self, Invalid> {
        visible("agent_name", text)?;
        Self::parse(text)
    }
}

/// White space and invisible characters: Unicode's `Default_Ignorable_Code_Point`, and the blank
/// Braille pattern.
fn is_blank(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fff8}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Characters that change the writing direction: in a name they would reorder the text beside it.
fn changes_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The name of a person who responds or watches: 1 to 100 characters, not blank, none of them a
/// control character. It does not authenticate the person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DisplayName(Box<str>);
text!(DisplayName);

impl DisplayName {
    /// Checks the name; surrounding white space is removed.
    ///
    /// # Errors
    /// [`Invalid`] with the rule.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        check("display_name", text.trim(), 1).map(Self)
    }

    /// Checks a name that a person enters, with the additional rules of [`AgentName::given`].
    ///
    /// # Errors
    /// [`Invalid`] with the rule.
    pub fn given(text: &str) -> Result<Self, Invalid> {
        visible("display_name", text)?;
        Self::parse(text)
    }
}

fn visible(field: &str, text: &str) -> Result<(), Invalid> {
    if !text.is_empty() && text.chars().all(is_blank) {
        return Err(Invalid::new(field, "must not be blank"));
    }
    if text.chars().any(changes_direction) {
        let rule = "must not contain characters that change the writing direction";
        return Err(Invalid::new(field, rule));
    }
    Ok(())
}

/// The agent's id of one of its runs: at most 200 characters; may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InvocationId(Box<str>);
text!(InvocationId);

impl InvocationId {
    /// Checks the text.
    ///
    /// # Errors
    /// [`Invalid`] with the rule.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let count = text.chars().count();
        if count > 200 {
            let rule = format!("must have at most 200 characters, not {count}");
            return Err(Invalid::new("invocation_id", rule));
        }
        Ok(Self(text.into()))
    }
}

/// A description or a reason: at most 500 characters; longer text is truncated.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Note(Box<str>);
text!(Note);

impl Note {
    /// The most characters.
    pub const MOST: usize = 500;

    /// Keeps the first 500 characters.
    ///
    /// ```
    /// assert_eq!(live::Note::cut(&"é".repeat(501)).as_str(), "é".repeat(500));
    /// ```
    #[must_use]
    pub fn cut(text: &str) -> Self {
        let end = text.char_indices().nth(Self::MOST).map_or(text.len(), |(end, _)| end);
        Self(text[..end].into())
    }
}

fn check(field: &str, text: &str, least: usize) -> Result<Box<str>, Invalid> {
    let count = text.chars().count();
    if count < least || count > 100 {
        let rule = format!("must have {least} to 100 characters, not {count}");
        return Err(Invalid::new(field, rule));
    }
    if text.chars().any(char::is_control) {
        return Err(Invalid::new(field, "must not contain control characters"));
    }
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_limited_in_characters_and_must_be_visible() {
        assert!(AgentName::parse(&"é".repeat(100)).is_ok());
        let refused = AgentName::parse(&"é".repeat(101)).expect_err("too long");
        assert_eq!(refused.to_string(), "agent_name: must have 1 to 100 characters, not 101");
        assert!(AgentName::parse("a\nb").is_err());
        for blank in [" ", "\u{a0}\u{200b}", "\u{2800}", "\u{ad}\u{115f}\u{3164}", "\u{202e}"] {
            let refused = AgentName::given(blank).expect_err("blank").to_string();
            assert_eq!(refused, "agent_name: must not be blank");
            assert!(AgentName::parse(blank).is_ok(), "it may be stored");
        }
        assert_eq!(AgentName::given(" a").expect("a name").as_str(), " a");
        assert!(AgentName::given("").is_err());
        for turned in ["a\u{202e}b", "\u{2066}a"] {
            let refused = AgentName::given(turned).expect_err("changes the direction").to_string();
            assert!(refused.contains("writing direction"), "{refused}");
            assert!(DisplayName::given(turned).is_err());
            assert!(DisplayName::parse(turned).is_ok(), "it may be stored");
        }
        assert!(DisplayName::given("\u{200b}\u{2800}").is_err());
        for seen in ["Ann", "علي", "👩‍💻", "نام\u{200c}ها"] {
            assert_eq!(DisplayName::given(seen).expect("a name").as_str(), seen);
        }
        assert!(DisplayName::parse("   ").is_err());
        assert_eq!(DisplayName::parse(" Ann ").expect("trimmed").as_str(), "Ann");
        assert!(InvocationId::parse("").is_ok());
        assert!(InvocationId::parse(&"x".repeat(201)).is_err());
    }
}
