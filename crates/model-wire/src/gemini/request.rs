//! The request: contents, `systemInstruction`, function declarations, `generationConfig`.

use json_text::Kind;
use live::{
    Content, FunctionCall, FunctionDeclaration, FunctionResponse, InlineData, Limit, LlmRequest,
    Part, Role, Tool,
};

use crate::api_fault::ApiFault;
use crate::common::{RemainingMembers, other_part, remaining_part, remaining_tool_members};
use crate::inline;
use crate::output::Json as _;
use crate::parsed_request::ParsedRequest;
use crate::reader::{self, Object, Value};

/// Parses the body of a request. The model, and whether it streams, are in the URL.
///
/// # Errors
/// [`ApiFault`] with the path of the field and the rule that it breaks.
pub fn read(text: &str, model: &str) -> Result<ParsedRequest, ApiFault> {
    let mut body = reader::body(text)?;
    let contents = contents(&body.required("contents")?)?;
    let system = body.take_any(&["systemInstruction", "system_instruction"]);
    let system_instruction = system.map(|system| texts(&system)).transpose()?;
    let (mut tools, mut others) = (Vec::new(), Vec::new());
    for tool in body.take("tools").map_or(Ok(Vec::new()), |tools| tools.list(Limit::Tools))? {
        let mut open = tool.object()?;
        if let Some(functions) = open.take_any(&["functionDeclarations", "function_declarations"]) {
            let functions: Result<Vec<_>, _> =
                functions.list(Limit::Functions)?.iter().map(declaration).collect();
            let (function_declarations, left): (_, Vec<RemainingMembers>) =
                functions?.into_iter().unzip();
            tools.push(Tool { function_declarations });
            others.extend(left.into_iter().flatten());
        }
        if !open.is_empty() {
            others.push(open.rest().json());
        }
    }
    let (mut output_schema, mut candidates, mut config) = (None, 1, None);
    if let Some(written) = body.take_any(&["generationConfig", "generation_config"]) {
        let mut open = written.object()?;
        let json_schema = open.take_any(&["responseJsonSchema", "response_json_schema"]);
        let schema = open.take_any(&["responseSchema", "response_schema"]);
        output_schema = json_schema.or(schema).map(|schema| schema.schema()).transpose()?;
        let count = open.get("candidateCount").or_else(|| open.get("candidate_count"));
        candidates = count.map_or(Ok(1), |count| count.count())?;
        config = open.rest().non_empty();
    }
    let mut rest = body.rest().with_some("generationConfig", config);
    if !others.is_empty() {
        rest.push("tools", others);
    }
    let request = LlmRequest {
        contents,
        system_instruction,
        tools,
        generation_config: rest.non_empty(),
        output_schema,
        model: Some(model.to_owned()),
        user_content: None,
    };
    Ok(ParsedRequest { candidates, ..ParsedRequest::new(request) })
}

fn declaration(
    declaration: &Value<'_>,
) -> Result<(FunctionDeclaration, RemainingMembers), ApiFault> {
    let mut open = declaration.object()?;
    let schema = |open: &mut Object<'_>, keys: [&[&str]; 2]| {
        let json_schema = open.take_any(keys[0]);
        let schema = open.take_any(keys[1]);
        json_schema.or(schema).map(|schema| schema.schema()).transpose()
    };
    let declaration = FunctionDeclaration {
        name: open.required("name")?.name()?,
        description: open.text("description")?.unwrap_or_default(),
        parameters: schema(
            &mut open,
            [&["parametersJsonSchema", "parameters_json_schema"], &["parameters"]],
        )?,
        response: schema(
            &mut open,
            [&["responseJsonSchema", "response_json_schema"], &["response"]],
        )?,
    };
    let left = remaining_tool_members(&declaration.name, open, &[]);
    Ok((declaration, left))
}

/// The text parts of a content, with an empty line between two.
fn texts(content: &Value<'_>) -> Result<String, ApiFault> {
    let mut open = content.object()?;
    let parts =
        open.take("parts").map_or(Ok(Vec::new()), |parts| one_or_many(&parts, Limit::Parts))?;
    let texts: Result<Vec<_>, _> =
        parts.iter().map(|part| part.object()?.required("text")?.string()).collect();
    Ok(texts?.join("\n\n"))
}

/// A list; a single value is a list of one, as in the vendor's examples.
fn one_or_many<'a>(value: &Value<'a>, limit: Limit) -> Result<Vec<Value<'a>>, ApiFault> {
    if value.kind() == Kind::Object { Ok(vec![value.clone()]) } else { value.list(limit) }
}

fn contents(contents: &Value<'_>) -> Result<Vec<Content>, ApiFault> {
    let read: Result<Vec<_>, _> =
        one_or_many(contents, Limit::Messages)?.iter().map(content).collect();
    let read = read?;
    if read.is_empty() {
        return Err(contents.fault("must have at least one content"));
    }
    Ok(read)
}

fn content(content: &Value<'_>) -> Result<Content, ApiFault> {
    let mut open = content.object()?;
    let role = match open.take("role") {
        None => Role::User,
        Some(written) => match written.string()?.as_str() {
            "user" | "" => Role::User,
            "model" => Role::Model,
            "function" | "tool" => Role::Function,
            _ => return Err(written.fault("must be user, model or function")),
        },
    };
    let parts =
        open.take("parts").map_or(Ok(Vec::new()), |parts| one_or_many(&parts, Limit::Parts))?;
    let parts = parts.iter().map(read_part).collect::<Result<Vec<_>, _>>()?;
    let is_answer = |read: &Vec<Part>| matches!(read.first(), Some(Part::FunctionResponse(_)));
    let answers = !parts.is_empty() && parts.iter().all(is_answer);
    let parts = parts.into_iter().flatten().collect();
    Ok(Content { role: if answers { Role::Function } else { role }, parts })
}

/// The parts of a part: its content, and its remaining members, such as `videoMetadata`. Files of a tool
/// result, such as an image, follow the result.
fn read_part(part: &Value<'_>) -> Result<Vec<Part>, ApiFault> {
    let mut open = part.object()?;
    // Signatures are for the vendor, and a model does not read them.
    open.take_any(&["thoughtSignature", "thought_signature"]);
    let thought = open.flag("thought")?;
    let mut parts = Vec::new();
    if let Some(text) = open.take("text") {
        let text = text.string()?;
        parts.push(if thought { Part::Thought(text) } else { Part::Text(text) });
    } else if let Some(call) = open.take_any(&["functionCall", "function_call"]) {
        let mut call = call.object()?;
        parts.push(Part::FunctionCall(FunctionCall {
            id: call.text("id")?,
            name: call.required("name")?.name()?,
            args: call.take("args").map(|args| args.json()),
        }));
        parts.extend(remaining_part("functionCall", call, &[]));
    } else if let Some(answer) = open.take_any(&["functionResponse", "function_response"]) {
        let mut answer = answer.object()?;
        parts.push(Part::FunctionResponse(FunctionResponse {
            id: answer.text("id")?,
            name: answer.required("name")?.name()?,
            response: answer.take("response").map(|response| response.json()),
        }));
        for item in answer
            .take("parts")
            .map_or(Ok(Vec::new()), |parts| one_or_many(&parts, Limit::Parts))?
        {
            let mut open = item.object()?;
            if let Some(blob) = open.take_any(INLINE_DATA) {
                parts.extend(bytes(&blob)?);
            }
            parts.extend(others(open));
        }
        parts.extend(remaining_part("functionResponse", answer, &[]));
    } else if let Some(blob) = open.take_any(INLINE_DATA) {
        parts.extend(bytes(&blob)?);
    } else if !open.has_values() {
        return Err(part.fault("must have text, functionCall, inlineData or the like"));
    }
    parts.extend(others(open));
    Ok(parts)
}

const INLINE_DATA: &[&str] = &["inlineData", "inline_data"];

fn bytes(blob: &Value<'_>) -> Result<impl Iterator<Item = Part>, ApiFault> {
    let mut blob = blob.object()?;
    let data = InlineData {
        mime_type: blob.required_any(&["mimeType", "mime_type"])?.name()?,
        data: inline::bytes(&blob.required("data")?)?,
        display_name: blob
            .take_any(&["displayName", "display_name"])
            .map(|name| name.string())
            .transpose()?,
    };
    Ok([Part::InlineData(data)].into_iter().chain(remaining_part("inlineData", blob, &[])))
}

/// Each member that has not been taken, under its name.
fn others(open: Object<'_>) -> Vec<Part> {
    open.values().into_iter().map(|(kind, value)| other_part(kind, &value)).collect()
}
