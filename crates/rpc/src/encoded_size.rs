//! [`check_encoded_size`]: counts the lists within an encoded message before it is decoded. A content of two
//! bytes becomes a value of thirty, so a message of the largest length could take a gigabyte.

use std::any::TypeId;
use std::collections::HashMap;

use live::{Limit, TooLarge};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use crate::wire;

/// A field with a message that is looked into.
struct Field {
    tag: u32,
    /// What each occurrence counts towards.
    limit: Option<Limit>,
    fields: &'static [Field],
}

impl Field {
    const fn list(tag: u32, limit: Limit, fields: &'static [Self]) -> Self {
        Self { tag, limit: Some(limit), fields }
    }

    const fn message(tag: u32, fields: &'static [Self]) -> Self {
        Self { tag, limit: None, fields }
    }
}

/// `SubmitRequestRequest.request`: its `contents` and `tools`.
const REQUEST: &[Field] = &[Field::message(
    5,
    &[
        Field::list(1, Limit::Messages, &[Field::list(2, Limit::Parts, &[])]),
        Field::list(3, Limit::Tools, &[Field::list(1, Limit::Functions, &[])]),
    ],
)];
/// `SubmitRequestRequest.request.user_content`, which repeats one of the contents.
const USER_CONTENT: &[Field] =
    &[Field::message(5, &[Field::message(7, &[Field::list(2, Limit::Parts, &[])])])];
/// `SubmitDecisionRequest.response`: its `candidates`.
const RESPONSE: &[Field] = &[Field::message(
    3,
    &[Field::list(1, Limit::Candidates, &[Field::list(2, Limit::ResponseParts, &[])])],
)];

/// Checks how much an encoded `M` has of what requests and responses have a limited amount of. Bytes that
/// are not an `M` are left to its decoder.
///
/// # Errors
/// [`TooLarge`] at the first item above the limit; nothing after it is read.
pub fn check_encoded_size<M: 'static>(bytes: &[u8]) -> Result<(), TooLarge> {
    let message = TypeId::of::<M>();
    if message == TypeId::of::<wire::SubmitRequestRequest>() {
        count(bytes, REQUEST, &mut HashMap::new())?;
        count(bytes, USER_CONTENT, &mut HashMap::new())?;
    } else if message == TypeId::of::<wire::SubmitDecisionRequest>() {
        count(bytes, RESPONSE, &mut HashMap::new())?;
    }
    Ok(())
}

fn count(
    mut bytes: &[u8],
    fields: &[Field],
    counts: &mut HashMap<Limit, usize>,
) -> Result<(), TooLarge> {
    while !bytes.is_empty() {
        let Ok((tag, kind)) = decode_key(&mut bytes) else { return Ok(()) };
        let field = fields.iter().find(|it| it.tag == tag && kind == WireType::LengthDelimited);
        let Some(field) = field else {
            if skip_field(kind, tag, &mut bytes, DecodeContext::default()).is_err() {
                return Ok(());
            }
            continue;
        };
        let length = decode_varint(&mut bytes).ok().and_then(|it| usize::try_from(it).ok());
        let Some((message, rest)) = length.and_then(|it| bytes.split_at_checked(it)) else {
            return Ok(());
        };
        bytes = rest;
        if let Some(limit) = field.limit {
            let counted = counts.entry(limit).or_default();
            *counted += 1;
            limit.check(*counted)?;
        }
        count(message, field.fields, counts)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    fn check<M: Message + 'static>(message: &M) -> Result<(), TooLarge> {
        check_encoded_size::<M>(&message.encode_to_vec())
    }

    fn content(parts: usize) -> wire::Content {
        wire::Content { role: 0, parts: vec![wire::Part::default(); parts] }
    }

    fn submit(request: wire::SimulatedLlmRequest) -> wire::SubmitRequestRequest {
        let session_id = "s".to_owned();
        wire::SubmitRequestRequest { session_id, request: Some(request), ..Default::default() }
    }

    fn tool(functions: usize) -> wire::Tool {
        let function_declarations = vec![wire::FunctionDeclaration::default(); functions];
        wire::Tool { function_declarations }
    }

    #[test]
    fn counts_the_lists_of_a_request() {
        let contents = |contents: Vec<wire::Content>| {
            check(&submit(wire::SimulatedLlmRequest { contents, ..Default::default() }))
        };
        let tools = |tools: Vec<wire::Tool>| {
            check(&submit(wire::SimulatedLlmRequest { tools, ..Default::default() }))
        };
        let user_content = |parts: usize| {
            let user_content = Some(content(parts));
            let contents = vec![content(1)];
            check(&submit(wire::SimulatedLlmRequest {
                contents,
                user_content,
                ..Default::default()
            }))
        };
        assert_eq!(contents(vec![content(0); 10_000]), Ok(()));
        assert_eq!(contents(vec![content(0); 10_001]), Err(TooLarge(Limit::Messages)));
        assert_eq!(contents(vec![content(5_000), content(5_000)]), Ok(()));
        let parts = contents(vec![content(5_000), content(5_001)]);
        assert_eq!(parts, Err(TooLarge(Limit::Parts)));
        assert_eq!(tools(vec![tool(1); 2_000]), Ok(()));
        assert_eq!(tools(vec![tool(0); 2_001]), Err(TooLarge(Limit::Tools)));
        assert_eq!(tools(vec![tool(1_000), tool(1_001)]), Err(TooLarge(Limit::Functions)));
        assert_eq!(user_content(10_000), Ok(()));
        assert_eq!(user_content(10_001), Err(TooLarge(Limit::Parts)));
    }

    #[test]
    fn counts_the_lists_of_a_response() {
        let decide = |candidates: Vec<wire::Content>| {
            let response = Some(wire::HumanResponse { candidates });
            check(&wire::SubmitDecisionRequest { response, ..Default::default() })
        };
        assert_eq!(decide(vec![content(10_000)]), Ok(()));
        let refused = decide(vec![content(10_001)]).expect_err("too many");
        assert_eq!(
            refused.to_string(),
            "response: has more than 10000 parts, the most that the page can show: send fewer of them"
        );
        assert_eq!(decide(vec![content(0); 10_001]), Err(TooLarge(Limit::Candidates)));
    }

    #[test]
    fn leaves_other_bytes_to_the_decoder() {
        let whole =
            submit(wire::SimulatedLlmRequest { contents: vec![content(2)], ..Default::default() })
                .encode_to_vec();
        for end in 0..whole.len() {
            assert_eq!(check_encoded_size::<wire::SubmitRequestRequest>(&whole[..end]), Ok(()));
        }
        let other = wire::HumanResponse { candidates: vec![content(0); 10_001] };
        assert_eq!(check(&other), Ok(()), "the host's own message");
    }
}
