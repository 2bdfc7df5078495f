//! The request: messages of blocks, tools, `output_config`.

use json_text::{JsonText, Kind};
use live::{
    Content, FunctionCall, FunctionDeclaration, FunctionResponse, InlineData, Limit, LlmRequest,
    Part, Role,
};

use super::own_tools;
use crate::api_fault::ApiFault;
use crate::calls::Calls;
use crate::common::{
    RemainingMembers, as_tools, no_such_call, other_part, remaining_part, remaining_tool_members,
    response_format, split_files,
};
use crate::inline;
use crate::output::{Json as _, Object as Output};
use crate::parsed_request::ParsedRequest;
use crate::reader::{self, Object, Value};

/// The id of a conversation that the vendor stores, so that a client sends only new messages. It is not
/// supported, and Anthropic's tool runner continues without it after the error.
pub(super) const THREAD: &str = "thread";

/// Reads the body of a request.
///
/// Text blocks of the system prompt are joined with an empty line between two. A message that holds
/// tool results beside other blocks becomes several contents, in its order.
///
/// # Errors
/// [`ApiFault`] with the path of the field and the rule that it breaks.
pub fn read(text: &str) -> Result<ParsedRequest, ApiFault> {
    let mut body = reader::body(text)?;
    let model = body.required("model")?.name()?;
    if let Some(thread) = body.take(THREAD) {
        return Err(thread.fault("is not supported: send the whole conversation without it"));
    }
    let contents = messages(&body.required("messages")?)?;
    let system_instruction = body.take("system").map(|it| texts(&it)).transpose()?;
    let (mut functions, mut others) = (Vec::new(), Vec::new());
    for tool in body.take("tools").map_or(Ok(Vec::new()), |tools| tools.list(Limit::Tools))? {
        if let Some(declaration) = own_tools::declaration(&tool)? {
            functions.push(declaration);
            others.push(tool.json());
            continue;
        }
        match declaration(&tool)? {
            Some((declaration, left)) => {
                functions.push(declaration);
                others.extend(left);
            }
            None => others.push(tool.json()),
        }
    }
    let stream = body.flag("stream")?;
    let (output, output_schema) = output(&mut body)?;
    let mut config = body.rest();
    if let Some((key, value)) = output {
        config.push(key, value);
    }
    if !others.is_empty() {
        config.push("tools", others);
    }
    let request = LlmRequest {
        contents,
        system_instruction,
        tools: as_tools(functions),
        generation_config: config.non_empty(),
        output_schema,
        model: Some(model),
        user_content: None,
    };
    Ok(ParsedRequest { stream, ..ParsedRequest::new(request) })
}

type Kept = Option<(&'static str, JsonText)>;

/// The format of the response, in `output_config` or formerly in `output_format`.
fn output(body: &mut Object<'_>) -> Result<(Kept, Option<JsonText>), ApiFault> {
    if let Some(format) = body.take("output_format") {
        let (kept, schema) = response_format(&format, None)?;
        return Ok((kept.map(|kept| ("output_format", kept)), schema));
    }
    let Some(config) = body.take("output_config") else { return Ok((None, None)) };
    let mut config = config.object()?;
    let (kept, schema) = match config.take("format") {
        Some(format) => response_format(&format, None)?,
        None => (None, None),
    };
    let config = config.rest().with_some("format", kept);
    Ok((config.non_empty().map(|config| ("output_config", config)), schema))
}

/// A tool of the client; `None` for one that the vendor runs.
fn declaration(
    tool: &Value<'_>,
) -> Result<Option<(FunctionDeclaration, RemainingMembers)>, ApiFault> {
    let mut open = tool.object()?;
    let kind = open.text("type")?;
    if kind.is_some_and(|kind| kind != "custom") {
        return Ok(None);
    }
    let declaration = FunctionDeclaration {
        name: open.required("name")?.name()?,
        description: open.text("description")?.unwrap_or_default(),
        parameters: open.take("input_schema").map(|schema| schema.schema()).transpose()?,
        response: None,
    };
    let left = remaining_tool_members(&declaration.name, open, &UNREAD_OF_TOOL);
    Ok(Some((declaration, left)))
}

/// Cache hints, the streaming of calls, and the counterpart of OpenAI's `strict`.
const UNREAD_OF_TOOL: [&str; 3] = ["cache_control", "eager_input_streaming", "strict"];
/// Cache hints and signatures.
const UNREAD: [&str; 2] = ["cache_control", "signature"];

/// A string, or a list of text blocks.
fn texts(value: &Value<'_>) -> Result<String, ApiFault> {
    if value.kind() == Kind::String {
        return value.string();
    }
    let texts: Result<Vec<_>, _> = value
        .list(Limit::Parts)?
        .iter()
        .map(|block| block.object()?.required("text")?.string())
        .collect();
    Ok(texts?.join("\n\n"))
}

fn messages(messages: &Value<'_>) -> Result<Vec<Content>, ApiFault> {
    let mut contents: Vec<Content> = Vec::new();
    let mut calls = Calls::default();
    for message in messages.list(Limit::Messages)? {
        let mut open = message.object()?;
        let written = open.required("role")?;
        let role = match written.string()?.as_str() {
            "user" => Role::User,
            "assistant" => Role::Model,
            _ => return Err(written.fault("must be user or assistant")),
        };
        let content = open.required("content")?;
        let blocks = if content.kind() == Kind::String {
            vec![vec![Part::Text(content.string()?)]]
        } else {
            let blocks = content.list(Limit::Parts)?;
            blocks.iter().map(|block| parts(block, &mut calls)).collect::<Result<_, _>>()?
        };
        contents.extend(by_speaker(role, blocks));
    }
    if contents.is_empty() {
        return Err(messages.fault("must have at least one message"));
    }
    Ok(contents)
}

/// Tool results are not the user's, although both are in one message.
fn by_speaker(role: Role, blocks: Vec<Vec<Part>>) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    if blocks.is_empty() {
        return vec![Content { role, parts: Vec::new() }];
    }
    for parts in blocks {
        let is_result = matches!(parts.first(), Some(Part::FunctionResponse(_)));
        let role = if is_result { Role::Function } else { role };
        match contents.last_mut() {
            Some(last) if last.role == role => last.parts.extend(parts),
            _ => contents.push(Content { role, parts }),
        }
    }
    contents
}

/// The parts of a block: its content, and its remaining members.
fn parts(block: &Value<'_>, calls: &mut Calls) -> Result<Vec<Part>, ApiFault> {
    let mut open = block.object()?;
    let kind = open.required("type")?.name()?;
    // The remaining members beside the bytes, or the files of a result.
    let mut left = Vec::new();
    let part = match kind.as_str() {
        "text" => Part::Text(open.required("text")?.string()?),
        "thinking" => Part::Thought(open.required("thinking")?.string()?),
        "tool_use" => {
            let id = open.required("id")?.name()?;
            let name = open.required("name")?.name()?;
            calls.saw(&id, &name);
            let args = open.take("input").map(|input| input.json());
            Part::FunctionCall(FunctionCall { id: Some(id), name, args })
        }
        "tool_result" => {
            let call = open.required("tool_use_id")?;
            let id = call.name()?;
            let name = calls.name(&id).ok_or_else(|| no_such_call(&call))?;
            let content = open.take("content").map(|content| split_files(&content, part_of_result));
            let content = content.transpose()?.and_then(|(content, files)| {
                left = files;
                content
            });
            let response = if open.flag("is_error")? {
                Some(Output::new().with("is_error", true).with("content", content).json())
            } else {
                content
            };
            Part::FunctionResponse(FunctionResponse { id: Some(id), name, response })
        }
        "image" | "document" => {
            let display_name = open.text("title")?;
            let mut source = open.required("source")?.object()?;
            if source.required("type")?.string()? != "base64" {
                return Ok(vec![other_part(kind, block)]);
            }
            let mime_type = source.required("media_type")?.name()?;
            let data = inline::bytes(&source.required("data")?)?;
            left.extend(remaining_part(&kind, source, &[]));
            Part::InlineData(InlineData { mime_type, data, display_name })
        }
        _ => return Ok(vec![other_part(kind, block)]),
    };
    Ok([part].into_iter().chain(left).chain(remaining_part(&kind, open, &UNREAD)).collect())
}

/// A block of a tool result, which contains no calls.
fn part_of_result(block: &Value<'_>) -> Result<Vec<Part>, ApiFault> {
    match block.object()?.get("type").map(|kind| kind.string()).transpose()?.as_deref() {
        Some("image" | "document") => parts(block, &mut Calls::default()),
        _ => Ok(Vec::new()),
    }
}
