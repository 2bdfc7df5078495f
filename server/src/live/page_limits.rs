//! [`check`]: rejects a request that the page cannot show, before it is stored: nobody could respond to
//! it.
//!
//! In Chromium, a conversation of 10,000 parts and a list of 2,000 functions are usable after some
//! seconds, 50,000 parts freeze the page, and 200,000 end it. Of a long message the page gets the beginning,
//! and a file with the whole.

use live::LlmRequest;

/// The most parts of a conversation; an empty message counts as one.
const PARTS: usize = 10_000;
/// The most functions.
const FUNCTIONS: usize = 2_000;
/// The longest instruction, in bytes. The page gets it whole.
const INSTRUCTION: usize = 5_000_000;

/// What a request has too much of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("request: has {count} {what}, and the page can show {most}: send fewer of them")]
pub(crate) struct TooLarge {
    what: &'static str,
    count: usize,
    most: usize,
}

/// Checks the size of a request.
pub(super) fn check(request: &LlmRequest) -> Result<(), TooLarge> {
    let parts = request.contents.iter().map(|content| content.parts.len().max(1)).sum();
    let functions = request.tools.iter().map(|tool| tool.function_declarations.len()).sum();
    let instruction = request.system_instruction.as_ref().map_or(0, String::len);
    for (what, count, most) in [
        ("parts in its conversation", parts, PARTS),
        ("functions", functions, FUNCTIONS),
        ("bytes in its instruction", instruction, INSTRUCTION),
    ] {
        if count > most {
            return Err(TooLarge { what, count, most });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use live::{Content, FunctionDeclaration, Part, Role, Tool};

    use super::*;

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
        for (largest, larger) in [
            (parts(PARTS), parts(PARTS + 1)),
            (instruction(INSTRUCTION), instruction(INSTRUCTION + 1)),
            (messages(PARTS), messages(PARTS + 1)),
            (functions(FUNCTIONS), functions(FUNCTIONS + 1)),
        ] {
            assert_eq!(check(&largest), Ok(()));
            let refused = check(&larger).expect_err("too large");
            assert_eq!(refused.count, refused.most + 1);
        }
        let refused = check(&functions(FUNCTIONS + 1)).expect_err("too large").to_string();
        assert!(refused.starts_with("request: has 2001 functions, and the page can show 2000:"));
    }
}
