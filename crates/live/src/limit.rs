//! [`Limit`]: how much of a request or a response the page can show. A request that exceeds it is rejected while it is
//! read, because nobody could respond to it.
//!
//! In Chromium, a conversation of 10,000 parts and a list of 2,000 functions are usable after some
//! seconds, 50,000 parts freeze the page, and 200,000 end it. Of a long message the page gets the beginning,
//! and a file with the whole.

use crate::content::LlmRequest;

/// What a request or a response has a limited amount of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The messages of the conversation.
    Messages,
    /// The parts of the conversation; an empty message counts as one.
    Parts,
    /// The tools, or the groups of functions.
    Tools,
    /// The functions.
    Functions,
    /// The bytes of the instruction, which the page gets whole.
    InstructionBytes,
    /// The candidates of a response.
    Candidates,
    /// The parts of a response.
    ResponseParts,
}

/// A request or a response has more than its limit.
///
/// ```
/// use live::{Limit, TooLarge};
/// assert_eq!(Limit::Functions.check(2_000), Ok(()));
/// let refused = Limit::Functions.check(2_001).expect_err("too many").to_string();
/// assert_eq!(
///     refused,
///     "request: has more than 2000 functions, the most that the page can show: send fewer of them"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}: has more than {} {}, the most that the page can show: send fewer of them",
    .0.message(), .0.most(), .0.phrase()
)]
pub struct TooLarge(pub Limit);

impl Limit {
    /// The largest amount.
    #[must_use]
    pub const fn most(self) -> usize {
        match self {
            Self::Messages | Self::Parts | Self::Candidates | Self::ResponseParts => 10_000,
            Self::Tools | Self::Functions => 2_000,
            Self::InstructionBytes => 5_000_000,
        }
    }

    /// Checks an amount.
    ///
    /// # Errors
    /// [`TooLarge`] above [`Self::most`].
    pub fn check(self, amount: usize) -> Result<(), TooLarge> {
        if amount > self.most() { Err(TooLarge(self)) } else { Ok(()) }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Candidates | Self::ResponseParts => "response",
            _ => "request",
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            Self::Messages => "messages in its conversation",
            Self::Parts => "parts in its conversation",
            Self::Tools => "tools",
            Self::Functions => "functions",
            Self::InstructionBytes => "bytes in its instruction",
            Self::Candidates => "candidates",
            Self::ResponseParts => "parts",
        }
    }
}

impl LlmRequest {
    /// Checks the size of the request, of which a part may have been checked while it was read.
    ///
    /// # Errors
    /// [`TooLarge`] if the page cannot show it.
    pub fn check_size(&self) -> Result<(), TooLarge> {
        let parts = self.contents.iter().map(|content| content.parts.len().max(1)).sum();
        let functions = self.tools.iter().map(|tool| tool.function_declarations.len()).sum();
        Limit::Parts.check(parts)?;
        Limit::Functions.check(functions)?;
        let instruction = self.system_instruction.as_ref().map_or(0, String::len);
        Limit::InstructionBytes.check(instruction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, FunctionDeclaration, Part, Role, Tool};

    #[test]
    fn rejects_what_the_page_cannot_show_and_names_the_limit() {
        let parts = |count: usize| {
            let parts = vec![Part::Text(String::new()); count];
            let contents = vec![Content { role: Role::User, parts }];
            LlmRequest { contents, ..Default::default() }
        };
        let messages = |count: usize| {
            let contents = vec![Content { role: Role::User, parts: Vec::new() }; count];
            LlmRequest { contents, ..Default::default() }
        };
        let functions = |count: usize| {
            let function = FunctionDeclaration {
                name: "f".to_owned(),
                description: String::new(),
                parameters: None,
                response: None,
            };
            let tools = vec![Tool { function_declarations: vec![function; count] }];
            LlmRequest { tools, ..Default::default() }
        };
        let instruction = |bytes: usize| LlmRequest {
            system_instruction: Some("i".repeat(bytes)),
            ..Default::default()
        };
        let check = |limit: Limit, request: &dyn Fn(usize) -> LlmRequest| {
            assert_eq!(request(limit.most()).check_size(), Ok(()));
            assert_eq!(request(limit.most() + 1).check_size(), Err(TooLarge(limit)));
        };
        check(Limit::Parts, &parts);
        check(Limit::Parts, &messages);
        check(Limit::Functions, &functions);
        check(Limit::InstructionBytes, &instruction);
    }
}
