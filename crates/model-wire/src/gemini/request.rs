//! The request: contents, `systemInstruction`, function declarations, `generationConfig`.

use json_text::Kind;
use live::{
    Content, FunctionCall, FunctionDeclaration, FunctionResponse, InlineData, Invalid, LlmRequest,
    Part, Role, Tool,
};

use crate::asked::Asked;
use crate::inline;
use crate::pieces::other;

use crate::reader::{self, Object, Value};

/// Reads the body of a request; the model stands in its address, and whether it streams too.
///
/// # Errors
/// [`Invalid`] with the path of the field and the rule that it breaks.
pub fn read(text: &str, model: &str) -> Result<Asked, Invalid> {
    let mut body = reader::body(text)?;
    let contents = contents(&body.required("contents")?)?;
    let system = body.take_any(&["systemInstruction", "system_instruction"]);
    let system_instruction = system.map(|system| texts(&system)).transpose()?;
    let (mut tools, mut others) = (Vec::new(), Vec::new());
    for tool in body.take("tools").map_or(Ok(Vec::new()), |tools| tools.list())? {
        let mut open = tool.object()?;
        if let Some(functions) = open.take_any(&["functionDeclarations", "function_declarations"]) {
            let functions: Result<Vec<_>, _> = functions.list()?.iter().map(declaration).collect();
            tools.push(Tool { function_declarations: functions? });
        }
        if !open.is_empty() {
            others.push(open.rest());
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
    };
    Ok(Asked { candidates, ..Asked::new(request) })
}

fn declaration(declaration: &Value<'_>) -> Result<FunctionDeclaration, Invalid> {
    let mut open = declaration.object()?;
    let schema = |open: &mut Object<'_>, keys: [&[&str]; 2]| {
        let json_schema = open.take_any(keys[0]);
        let schema = open.take_any(keys[1]);
        json_schema.or(schema).map(|schema| schema.schema()).transpose()
    };
    Ok(FunctionDeclaration {
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
    })
}

/// The text parts of a content, with an empty line between two.
fn texts(content: &Value<'_>) -> Result<String, Invalid> {
    let mut open = content.object()?;
    let parts = open.take("parts").map_or(Ok(Vec::new()), |parts| one_or_many(&parts))?;
    let texts: Result<Vec<_>, _> =
        parts.iter().map(|part| part.object()?.required("text")?.string()).collect();
    Ok(texts?.join("\n\n"))
}

/// A list; a single value stands for a list of one, as in the vendor's own examples.
fn one_or_many<'a>(value: &Value<'a>) -> Result<Vec<Value<'a>>, Invalid> {
    if value.kind() == Kind::Object { Ok(vec![value.clone()]) } else { value.list() }
}

fn contents(contents: &Value<'_>) -> Result<Vec<Content>, Invalid> {
    let read: Result<Vec<_>, _> = one_or_many(contents)?.iter().map(content).collect();
    let read = read?;
    if read.is_empty() {
        return Err(contents.fault("must have at least one content"));
    }
    Ok(read)
}

fn content(content: &Value<'_>) -> Result<Content, Invalid> {
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
    let parts = open.take("parts").map_or(Ok(Vec::new()), |parts| one_or_many(&parts))?;
    let parts = parts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    let answers =
        !parts.is_empty() && parts.iter().all(|it| matches!(it, Part::FunctionResponse(_)));
    Ok(Content { role: if answers { Role::Function } else { role }, parts })
}

fn part(part: &Value<'_>) -> Result<Part, Invalid> {
    let mut open = part.object()?;
    // Signatures are the vendor's own and no part of what a model reads.
    open.take_any(&["thoughtSignature", "thought_signature"]);
    let thought = open.flag("thought")?;
    if let Some(text) = open.take("text") {
        let text = text.string()?;
        return Ok(if thought { Part::Thought(text) } else { Part::Text(text) });
    }
    if let Some(call) = open.take_any(&["functionCall", "function_call"]) {
        let mut call = call.object()?;
        return Ok(Part::FunctionCall(FunctionCall {
            id: call.text("id")?,
            name: call.required("name")?.name()?,
            args: call.take("args").map(|args| args.json()),
        }));
    }
    if let Some(answer) = open.take_any(&["functionResponse", "function_response"]) {
        let mut answer = answer.object()?;
        return Ok(Part::FunctionResponse(FunctionResponse {
            id: answer.text("id")?,
            name: answer.required("name")?.name()?,
            response: answer.take("response").map(|response| response.json()),
        }));
    }
    if let Some(blob) = open.take_any(&["inlineData", "inline_data"]) {
        let mut blob = blob.object()?;
        return Ok(Part::InlineData(InlineData {
            mime_type: blob.required_any(&["mimeType", "mime_type"])?.name()?,
            data: inline::bytes(&blob.required("data")?)?,
            display_name: blob
                .take_any(&["displayName", "display_name"])
                .map(|name| name.string())
                .transpose()?,
        }));
    }
    match open.first() {
        Some((kind, value)) => Ok(other(kind, &value)),
        None => Err(part.fault("must have text, functionCall, inlineData or the like")),
    }
}
