//! Contents, requests and responses.

use json_text::{JsonText, Kind};
use live::{
    Content, FunctionCall, FunctionDeclaration, FunctionResponse, HumanResponse, InlineData,
    Invalid, LlmRequest, OtherPart, Part, Role, Tool,
};

use crate::wire;
use crate::wire::part::Kind as PartKind;

/// Checks an agent's request.
///
/// # Errors
/// [`Invalid`] with the path of the field below the request.
pub fn llm_request(message: wire::SimulatedLlmRequest) -> Result<LlmRequest, Invalid> {
    Ok(LlmRequest {
        contents: list("contents", message.contents, content)?,
        system_instruction: message.system_instruction,
        tools: list("tools", message.tools, tool)?,
        generation_config: message
            .generation_config
            .map(|text| json_object("generation_config", &text))
            .transpose()?,
        output_schema: message
            .output_schema
            .map(|text| json_schema("output_schema", &text))
            .transpose()?,
        model: message.model,
        user_content: message
            .user_content
            .map(content)
            .transpose()
            .map_err(|fault| fault.within("user_content"))?,
    })
}

/// Checks a person's response.
///
/// # Errors
/// [`Invalid`] with the path of the field below the response.
pub fn human_response(message: wire::HumanResponse) -> Result<HumanResponse, Invalid> {
    let candidates = list("candidates", message.candidates, |candidate| {
        if candidate.parts.is_empty() {
            return Err(Invalid::new("parts", "must have at least one part"));
        }
        content(candidate)
    })?;
    if candidates.is_empty() {
        return Err(Invalid::new("candidates", "must have at least one candidate"));
    }
    Ok(HumanResponse { candidates })
}

/// Checks a new response of a person. In addition to [`human_response`], a model must be able to produce
/// it: each candidate has the model's role, is not empty, and contains no tool result; the arguments of
/// its calls are objects or null. Agents reject anything else, and a turn has only one response.
///
/// # Errors
/// [`Invalid`] with the path of the field below the response.
pub fn decision(message: wire::HumanResponse) -> Result<HumanResponse, Invalid> {
    let response = human_response(message)?;
    for (place, candidate) in response.candidates.iter().enumerate() {
        model_content(candidate).map_err(|fault| fault.at("candidates", place))?;
    }
    Ok(response)
}

fn model_content(candidate: &Content) -> Result<(), Invalid> {
    if candidate.role != Role::Model {
        return Err(Invalid::new("role", "must be model"));
    }
    for (place, part) in candidate.parts.iter().enumerate() {
        model_part(part).map_err(|fault| fault.at("parts", place))?;
    }
    let is_blank =
        |part: &Part| matches!(part, Part::Text(text) | Part::Thought(text) if text.is_empty());
    if candidate.parts.iter().all(is_blank) {
        return Err(Invalid::new("parts", "must contain a text, a call or data"));
    }
    Ok(())
}

fn model_part(part: &Part) -> Result<(), Invalid> {
    match part {
        Part::FunctionResponse(_) => Err(Invalid::new(
            "function_response",
            "is not allowed: a response calls tools, and does not return their results",
        )),
        Part::FunctionCall(FunctionCall { args: Some(args), .. })
            if !matches!(args.kind(), Kind::Object | Kind::Null) =>
        {
            let rule = format!("must be a JSON object, not {}", args.kind().name());
            Err(Invalid::new("function_call.args", rule))
        }
        _ => Ok(()),
    }
}

fn content(message: wire::Content) -> Result<Content, Invalid> {
    let role = match wire::Role::try_from(message.role) {
        Ok(wire::Role::User) => Role::User,
        Ok(wire::Role::Model) => Role::Model,
        Ok(wire::Role::Function) => Role::Function,
        Ok(wire::Role::Unspecified) | Err(_) => {
            return Err(Invalid::new("role", "must be user, model or function"));
        }
    };
    Ok(Content { role, parts: list("parts", message.parts, part)? })
}

fn part(message: wire::Part) -> Result<Part, Invalid> {
    let kind = message.kind.ok_or_else(|| {
        Invalid::new(
            "kind",
            "must be text, function_call, function_response, thought, inline_data or other",
        )
    })?;
    Ok(match kind {
        PartKind::Text(text) => Part::Text(text),
        PartKind::Thought(text) => Part::Thought(text),
        PartKind::FunctionCall(call) => {
            Part::FunctionCall(function_call(call).map_err(|fault| fault.within("function_call"))?)
        }
        PartKind::FunctionResponse(response) => Part::FunctionResponse(
            function_response(response).map_err(|fault| fault.within("function_response"))?,
        ),
        PartKind::InlineData(data) => Part::InlineData(InlineData {
            mime_type: filled("inline_data.mime_type", data.mime_type)?,
            data: data.data,
            display_name: data.display_name,
        }),
        PartKind::Other(other) => Part::Other(OtherPart {
            kind: filled("other.kind", other.kind)?,
            json: json("other.json", &other.json)?,
        }),
    })
}

fn function_call(message: wire::FunctionCall) -> Result<FunctionCall, Invalid> {
    let args = message.args.map(|text| json("args", &text)).transpose()?;
    Ok(FunctionCall { id: message.id, name: filled("name", message.name)?, args })
}

pub(super) fn function_response(
    message: wire::FunctionResponse,
) -> Result<FunctionResponse, Invalid> {
    let response = message.response.map(|text| json("response", &text)).transpose()?;
    Ok(FunctionResponse { id: message.id, name: filled("name", message.name)?, response })
}

fn tool(message: wire::Tool) -> Result<Tool, Invalid> {
    let declarations = list("function_declarations", message.function_declarations, declaration)?;
    Ok(Tool { function_declarations: declarations })
}

fn declaration(message: wire::FunctionDeclaration) -> Result<FunctionDeclaration, Invalid> {
    let schema =
        |field: &str, text: Option<String>| text.map(|text| json_schema(field, &text)).transpose();
    Ok(FunctionDeclaration {
        name: filled("name", message.name)?,
        description: message.description,
        parameters: schema("parameters", message.parameters)?,
        response: schema("response", message.response)?,
    })
}

fn list<M, V>(
    field: &str,
    messages: Vec<M>,
    read: impl Fn(M) -> Result<V, Invalid>,
) -> Result<Vec<V>, Invalid> {
    let read = |(position, message)| read(message).map_err(|fault| fault.at(field, position));
    messages.into_iter().enumerate().map(read).collect()
}

fn filled(field: &str, text: String) -> Result<String, Invalid> {
    if text.is_empty() {
        return Err(Invalid::new(field, "must have at least one character"));
    }
    Ok(text)
}

fn json(field: &str, text: &str) -> Result<JsonText, Invalid> {
    JsonText::parse(text)
        .map_err(|fault| Invalid::new(field, format!("must be valid JSON: {fault}")))
}

fn json_object(field: &str, text: &str) -> Result<JsonText, Invalid> {
    let value = json(field, text)?;
    match value.kind() {
        Kind::Object => Ok(value),
        kind => Err(Invalid::new(field, format!("must be a JSON object, not {}", kind.name()))),
    }
}

fn json_schema(field: &str, text: &str) -> Result<JsonText, Invalid> {
    let value = json(field, text)?;
    match value.kind() {
        Kind::Object | Kind::Bool => Ok(value),
        kind => Err(Invalid::new(
            field,
            format!("must be a JSON Schema, which is an object or a boolean, not {}", kind.name()),
        )),
    }
}
