//! The request: messages, function tools, `response_format`.

use json_text::{JsonText, Kind};
use live::{
    Content, FunctionCall, FunctionResponse, InlineData, Limit, LlmRequest, OtherPart, Part, Role,
    Tool,
};

use crate::api_fault::ApiFault;
use crate::calls::Calls;
use crate::common::{
    arguments, as_tools, function_declaration, instruction_parts, no_such_call, other_part,
    remaining_part, response_format, unread_detail,
};
use crate::custom::{self, FreeText};
use crate::inline;
use crate::parsed_request::ParsedRequest;
use crate::reader::{self, Object, Value};

/// Reads the body of a request.
///
/// System and developer messages before the first other one are the system instruction, with an
/// empty line between two; later ones stay in their places, their texts under the role's name.
///
/// # Errors
/// [`ApiFault`] with the path of the field and the rule that it breaks.
pub fn read(text: &str) -> Result<ParsedRequest, ApiFault> {
    let mut body = reader::body(text)?;
    let model = body.required("model")?.name()?;
    let (system_instruction, contents) = messages(&body.required("messages")?)?;
    for (old, new) in [("functions", "tools"), ("function_call", "tool_choice")] {
        if let Some(value) = body.take(old) {
            return Err(value.fault(format!("is not supported: use `{new}`")));
        }
    }
    let mut free_text = FreeText::default();
    let (functions, others) = tools(body.take("tools"), &mut free_text)?;
    let stream = body.flag("stream")?;
    let include_usage = match body.take("stream_options") {
        Some(options) => options.object()?.flag("include_usage")?,
        None => false,
    };
    let candidates = body.get("n").map_or(Ok(1), |n| n.count())?;
    let (format, output_schema) = match body.take("response_format") {
        Some(format) => response_format(&format, Some("json_schema"))?,
        None => (None, None),
    };
    let mut config = body.rest().with_some("response_format", format);
    if !others.is_empty() {
        config.push("tools", others);
    }
    let request = LlmRequest {
        contents,
        system_instruction,
        tools: functions,
        generation_config: config.non_empty(),
        output_schema,
        model: Some(model),
        user_content: None,
    };
    let parsed = ParsedRequest::new(request);
    Ok(ParsedRequest { stream, candidates, free_text, include_usage, ..parsed })
}

fn tools(
    tools: Option<Value<'_>>,
    free_text: &mut FreeText,
) -> Result<(Vec<Tool>, Vec<JsonText>), ApiFault> {
    let (mut functions, mut others) = (Vec::new(), Vec::new());
    for tool in tools.map_or(Ok(Vec::new()), |tools| tools.list(Limit::Tools))? {
        let mut open = tool.object()?;
        match open.required("type")?.string()?.as_str() {
            "function" => {
                let (declaration, left) =
                    function_declaration(open.required("function")?.object()?)?;
                functions.push(declaration);
                others.extend(left);
            }
            "custom" => {
                functions.push(free_text.declaration(open.required("custom")?.object()?)?);
            }
            _ => others.push(tool.json()),
        }
    }
    Ok((as_tools(functions), others))
}

fn messages(messages: &Value<'_>) -> Result<(Option<String>, Vec<Content>), ApiFault> {
    let mut system = Vec::new();
    let mut contents = Vec::new();
    let mut calls = Calls::default();
    for message in messages.list(Limit::Messages)? {
        let mut open = message.object()?;
        let role = open.required("role")?;
        let content = match role.string()?.as_str() {
            "system" | "developer" if contents.is_empty() => {
                system.push(system_text(&open.required("content")?)?);
                continue;
            }
            role @ ("system" | "developer") => {
                let mut parts = instruction_parts(role, content_parts(&open.required("content")?)?);
                parts.extend(remaining_part(role, open, &[]));
                Content { role: Role::User, parts }
            }
            "user" => user(open)?,
            "assistant" => assistant(open, &mut calls)?,
            "tool" => tool_result(open, &calls)?,
            _ => return Err(role.fault("must be system, developer, user, assistant or tool")),
        };
        contents.push(content);
    }
    if contents.is_empty() && system.is_empty() {
        return Err(messages.fault("must have at least one message"));
    }
    Ok(((!system.is_empty()).then(|| system.join("\n\n")), contents))
}

/// Text as a string or as a list of text parts.
fn system_text(content: &Value<'_>) -> Result<String, ApiFault> {
    if content.kind() == Kind::String {
        return content.string();
    }
    let texts: Result<Vec<_>, _> = content
        .list(Limit::Parts)?
        .iter()
        .map(|part| part.object()?.required("text")?.string())
        .collect();
    Ok(texts?.join("\n\n"))
}

fn user(mut message: Object<'_>) -> Result<Content, ApiFault> {
    let mut parts = Vec::new();
    if let Some(name) = message.take("name") {
        parts.push(Part::Other(OtherPart { kind: "name".to_owned(), json: name.json() }));
    }
    parts.extend(content_parts(&message.required("content")?)?);
    parts.extend(remaining_part("message", message, &[]));
    Ok(Content { role: Role::User, parts })
}

/// Members of a response that frameworks repeat and no model reads: id, and signatures of thoughts.
const UNREAD: [&str; 2] = ["id", "reasoning_details"];

fn assistant(mut message: Object<'_>, calls: &mut Calls) -> Result<Content, ApiFault> {
    let mut parts = Vec::new();
    // Two names for the same member.
    let thoughts = ["reasoning_content", "reasoning"].map(|key| message.take(key));
    if let Some(thought) = thoughts.into_iter().flatten().find(|it| it.kind() == Kind::String) {
        parts.push(Part::Thought(thought.string()?));
    }
    if let Some(content) = message.take("content") {
        parts.extend(content_parts(&content)?);
    }
    if let Some(refusal) = message.take("refusal") {
        parts.push(Part::Other(OtherPart { kind: "refusal".to_owned(), json: refusal.json() }));
    }
    for call in
        message.take("tool_calls").map_or(Ok(Vec::new()), |calls| calls.list(Limit::Parts))?
    {
        let mut open = call.object()?;
        let kind = open.take("type").map(|kind| kind.string()).transpose()?;
        let kind = kind.as_deref().unwrap_or("function");
        if !["function", "custom"].contains(&kind) {
            // A result may still reference it.
            if let Some(id) = open.text("id")? {
                let called = open.get(kind).and_then(|it| it.object().ok());
                let name = called.and_then(|it| it.get("name")).and_then(|it| it.name().ok());
                calls.saw(&id, name.as_deref().unwrap_or(kind));
            }
            parts.push(Part::Other(OtherPart { kind: "tool_call".to_owned(), json: call.json() }));
            continue;
        }
        let id = open.required("id")?.name()?;
        let mut called = open.required(kind)?.object()?;
        let name = called.required("name")?.name()?;
        calls.saw(&id, &name);
        let args = match kind {
            "custom" => Some(custom::as_arguments(&called.required("input")?.string()?)),
            _ => called.take("arguments").map(|it| arguments(&it)).transpose()?.flatten(),
        };
        parts.push(Part::FunctionCall(FunctionCall { id: Some(id), name, args }));
        parts.extend(remaining_part("tool_call", called, &[]));
        parts.extend(remaining_part("tool_call", open, &["index"]));
    }
    parts.extend(remaining_part("message", message, &UNREAD));
    Ok(Content { role: Role::Model, parts })
}

fn tool_result(mut message: Object<'_>, calls: &Calls) -> Result<Content, ApiFault> {
    let call = message.required("tool_call_id")?;
    let id = call.name()?;
    let name = calls.name(&id).ok_or_else(|| no_such_call(&call))?;
    let response = Some(message.required("content")?.json());
    let mut parts = vec![Part::FunctionResponse(FunctionResponse { id: Some(id), name, response })];
    // Frameworks repeat the tool's name.
    parts.extend(remaining_part("tool", message, &["name"]));
    Ok(Content { role: Role::Function, parts })
}

fn content_parts(content: &Value<'_>) -> Result<Vec<Part>, ApiFault> {
    if content.kind() == Kind::String {
        return Ok(vec![Part::Text(content.string()?)]);
    }
    let parts: Result<Vec<_>, _> = content.list(Limit::Parts)?.iter().map(content_part).collect();
    Ok(parts?.into_iter().flatten().collect())
}

/// A part, and a part with its remaining members.
fn content_part(part: &Value<'_>) -> Result<Vec<Part>, ApiFault> {
    let mut open = part.object()?;
    let kind = open.required("type")?.name()?;
    // The remaining members beside the bytes.
    let mut left = None;
    let read = match kind.as_str() {
        "text" => Some(Part::Text(open.required("text")?.string()?)),
        "image_url" => {
            let mut image = open.required("image_url")?.object()?;
            let data = inline::from_address(&image.required("url")?, None)?;
            let unread = unread_detail(&image);
            left = remaining_part(&kind, image, unread);
            data.map(Part::InlineData)
        }
        "input_audio" => {
            let mut audio = open.required("input_audio")?.object()?;
            let mime_type = format!("audio/{}", audio.required("format")?.name()?);
            let data = inline::bytes(&audio.required("data")?)?;
            left = remaining_part(&kind, audio, &[]);
            Some(Part::InlineData(InlineData { mime_type, data, display_name: None }))
        }
        "file" => {
            let mut file = open.required("file")?.object()?;
            let name = file.text("filename")?;
            let data = file.take("file_data");
            let data = data.map_or(Ok(None), |data| inline::from_address(&data, name))?;
            left = remaining_part(&kind, file, &[]);
            data.map(Part::InlineData)
        }
        _ => None,
    };
    Ok(match read {
        Some(read) => [read]
            .into_iter()
            .chain(left)
            .chain(remaining_part(&kind, open, &UNREAD_OF_PART))
            .collect(),
        None => vec![other_part(kind, part)],
    })
}

/// Cache hints, which some vendors accept here, too.
const UNREAD_OF_PART: [&str; 1] = ["cache_control"];
