//! The request: messages of blocks, tools, `output_config`.

use json_text::{JsonText, Kind};
use live::{
    Content, FunctionCall, FunctionDeclaration, FunctionResponse, InlineData, Invalid, LlmRequest,
    Part, Role,
};

use crate::asked::Asked;
use crate::calls::Calls;
use crate::inline;
use crate::output::{Json as _, Object as Output};
use crate::pieces::{as_tools, no_such_call, other, response_format};
use crate::reader::{self, Object, Value};

/// Reads the body of a request.
///
/// Text blocks of the system prompt are joined with an empty line between two. A message that holds
/// tool results beside other blocks becomes several contents, in its order.
///
/// # Errors
/// [`Invalid`] with the path of the field and the rule that it breaks.
pub fn read(text: &str) -> Result<Asked, Invalid> {
    let mut body = reader::body(text)?;
    let model = body.required("model")?.name()?;
    let contents = messages(&body.required("messages")?)?;
    let system_instruction = body.take("system").map(|it| texts(&it)).transpose()?;
    let (mut functions, mut others) = (Vec::new(), Vec::new());
    for tool in body.take("tools").map_or(Ok(Vec::new()), |tools| tools.list())? {
        match declaration(&tool)? {
            Some(declaration) => functions.push(declaration),
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
    };
    Ok(Asked { stream, ..Asked::new(request) })
}

type Kept = Option<(&'static str, JsonText)>;

/// The format of the answer, which `output_config` holds and `output_format` once was.
fn output(body: &mut Object<'_>) -> Result<(Kept, Option<JsonText>), Invalid> {
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

/// A tool of the client's own; none for one that the vendor runs.
fn declaration(tool: &Value<'_>) -> Result<Option<FunctionDeclaration>, Invalid> {
    let mut open = tool.object()?;
    let kind = open.text("type")?;
    if kind.is_some_and(|kind| kind != "custom") {
        return Ok(None);
    }
    Ok(Some(FunctionDeclaration {
        name: open.required("name")?.name()?,
        description: open.text("description")?.unwrap_or_default(),
        parameters: open.take("input_schema").map(|schema| schema.schema()).transpose()?,
        response: None,
    }))
}

/// A string, or a list of text blocks.
fn texts(value: &Value<'_>) -> Result<String, Invalid> {
    if value.kind() == Kind::String {
        return value.string();
    }
    let texts: Result<Vec<_>, _> =
        value.list()?.iter().map(|block| block.object()?.required("text")?.string()).collect();
    Ok(texts?.join("\n\n"))
}

fn messages(messages: &Value<'_>) -> Result<Vec<Content>, Invalid> {
    let mut contents: Vec<Content> = Vec::new();
    let mut calls = Calls::default();
    for message in messages.list()? {
        let mut open = message.object()?;
        let written = open.required("role")?;
        let role = match written.string()?.as_str() {
            "user" => Role::User,
            "assistant" => Role::Model,
            _ => return Err(written.fault("must be user or assistant")),
        };
        let content = open.required("content")?;
        let parts = if content.kind() == Kind::String {
            vec![Part::Text(content.string()?)]
        } else {
            let blocks = content.list()?;
            blocks.iter().map(|block| part(block, &mut calls)).collect::<Result<_, _>>()?
        };
        contents.extend(by_speaker(role, parts));
    }
    if contents.is_empty() {
        return Err(messages.fault("must have at least one message"));
    }
    Ok(contents)
}

/// What tools answered is theirs and not the user's, though both stand in one message.
fn by_speaker(role: Role, parts: Vec<Part>) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::new();
    if parts.is_empty() {
        return vec![Content { role, parts }];
    }
    for part in parts {
        let role = if matches!(part, Part::FunctionResponse(_)) { Role::Function } else { role };
        match contents.last_mut() {
            Some(last) if last.role == role => last.parts.push(part),
            _ => contents.push(Content { role, parts: vec![part] }),
        }
    }
    contents
}

fn part(block: &Value<'_>, calls: &mut Calls) -> Result<Part, Invalid> {
    let mut open = block.object()?;
    let kind = open.required("type")?.name()?;
    match kind.as_str() {
        "text" => Ok(Part::Text(open.required("text")?.string()?)),
        "thinking" => Ok(Part::Thought(open.required("thinking")?.string()?)),
        "tool_use" => {
            let id = open.required("id")?.name()?;
            let name = open.required("name")?.name()?;
            calls.saw(&id, &name);
            let args = open.take("input").map(|input| input.json());
            Ok(Part::FunctionCall(FunctionCall { id: Some(id), name, args }))
        }
        "tool_result" => {
            let call = open.required("tool_use_id")?;
            let id = call.name()?;
            let name = calls.name(&id).ok_or_else(|| no_such_call(&call))?;
            let content = open.take("content").map(|content| content.json());
            let response = if open.flag("is_error")? {
                Some(Output::new().with("is_error", true).with("content", content).json())
            } else {
                content
            };
            Ok(Part::FunctionResponse(FunctionResponse { id: Some(id), name, response }))
        }
        "image" | "document" => {
            let display_name = open.text("title")?;
            let mut source = open.required("source")?.object()?;
            if source.required("type")?.string()? != "base64" {
                return Ok(other(kind, block));
            }
            let mime_type = source.required("media_type")?.name()?;
            let data = inline::bytes(&source.required("data")?)?;
            Ok(Part::InlineData(InlineData { mime_type, data, display_name }))
        }
        _ => Ok(other(kind, block)),
    }
}
