//! The request: input items, function tools, `text.format`.

use json_text::{JsonText, Kind};
use live::{Content, FunctionCall, FunctionResponse, InlineData, Limit, LlmRequest, Part, Role};

use crate::api_fault::ApiFault;
use crate::calls::Calls;
use crate::common::{
    arguments, as_tools, function_declaration, instruction_parts, no_such_call, other_part,
    remaining_part, response_format, split_files, unread_detail,
};
use crate::custom::{self, FreeText};
use crate::inline;
use crate::output::Object as Output;
use crate::parsed_request::ParsedRequest;
use crate::reader::{self, Object, Value};

/// The members of a request that its response repeats.
const ECHOED: [&str; 12] = [
    "instructions",
    "max_output_tokens",
    "metadata",
    "parallel_tool_calls",
    "previous_response_id",
    "reasoning",
    "store",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
];

/// The turn that the request continues, from `previous_response_id`.
///
/// # Errors
/// [`ApiFault`] when the body is not an object, or the id is not that of a response.
pub fn previous_turn(text: &str) -> Result<Option<String>, ApiFault> {
    let mut body = reader::body(text)?;
    let Some(written) = body.take("previous_response_id") else { return Ok(None) };
    let id = written.string()?;
    let turn = id
        .strip_prefix("resp_")
        .filter(|turn| turn.len() == 32 && turn.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match turn {
        Some(turn) => Ok(Some(turn.to_owned())),
        None => {
            Err(written.fault("must be the id of a response of this host, resp_ and 32 digits"))
        }
    }
}

/// Parses the body of a request that continues `history`: the conversation up to its previous response, or
/// nothing.
///
/// Only `instructions` are the system instruction, because they do not carry over to the next request.
/// System and developer messages stay in their places, their texts under the role's name.
///
/// # Errors
/// [`ApiFault`] with the path of the field and the rule that it breaks.
pub fn read(text: &str, history: Vec<Content>) -> Result<ParsedRequest, ApiFault> {
    let mut body = reader::body(text)?;
    reject_stored_references(&mut body)?;
    let mut echo = Output::new();
    for key in ECHOED {
        if let Some(value) = body.get(key) {
            echo.push(key, value.json());
        }
    }
    let model = body.text("model")?;
    let system_instruction = body.text("instructions")?;
    let mut contents = Conversation::after(history);
    contents.read(&body.required("input")?)?;
    let (mut functions, mut others) = (Vec::new(), Vec::new());
    let mut free_text = FreeText::default();
    for tool in body.take("tools").map_or(Ok(Vec::new()), |tools| tools.list(Limit::Tools))? {
        let mut open = tool.object()?;
        match open.required("type")?.string()?.as_str() {
            "function" => {
                let (declaration, left) = function_declaration(open)?;
                functions.push(declaration);
                others.extend(left);
            }
            "custom" => functions.push(free_text.declaration(open)?),
            _ => others.push(tool.json()),
        }
    }
    let stream = body.flag("stream")?;
    body.take("stream_options");
    let (kept, output_schema) = text_format(&mut body)?;
    let mut config = body.rest().with_some("text", kept);
    if !others.is_empty() {
        config.push("tools", others);
    }
    let request = LlmRequest {
        contents: contents.contents,
        system_instruction,
        tools: as_tools(functions),
        generation_config: config.non_empty(),
        output_schema,
        model,
        user_content: None,
    };
    Ok(ParsedRequest { stream, echo: echo.non_empty(), free_text, ..ParsedRequest::new(request) })
}

/// Rejects references to data that the vendor stores.
fn reject_stored_references(body: &mut Object<'_>) -> Result<(), ApiFault> {
    for (key, rule) in [
        ("conversation", "is not supported: send the items as `input`"),
        ("prompt", "is not supported: send its text as `instructions`"),
    ] {
        if let Some(value) = body.take(key) {
            return Err(value.fault(rule));
        }
    }
    body.take("previous_response_id");
    match body.take("background") {
        Some(value) if value.boolean()? => {
            Err(value.fault("must be false: the request waits for a person"))
        }
        _ => Ok(()),
    }
}

fn text_format(body: &mut Object<'_>) -> Result<(Option<JsonText>, Option<JsonText>), ApiFault> {
    let Some(text) = body.take("text") else { return Ok((None, None)) };
    let mut text = text.object()?;
    let (kept, schema) = match text.take("format") {
        Some(format) => response_format(&format, None)?,
        None => (None, None),
    };
    Ok((text.rest().with_some("format", kept).non_empty(), schema))
}

/// The conversation, built item by item.
struct Conversation {
    contents: Vec<Content>,
    /// Where the request's own items begin.
    own: usize,
    calls: Calls,
}

impl Conversation {
    fn after(history: Vec<Content>) -> Self {
        let calls = Calls::of(&history);
        Self { own: history.len(), contents: history, calls }
    }

    fn read(&mut self, input: &Value<'_>) -> Result<(), ApiFault> {
        if input.kind() == Kind::String {
            self.push(Role::User, [Part::Text(input.string()?)]);
            return Ok(());
        }
        for item in input.list(Limit::Messages)? {
            self.item(&item)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Value<'_>) -> Result<(), ApiFault> {
        let mut open = item.object()?;
        let kind = open.take("type").map(|kind| kind.name()).transpose()?;
        let kind = kind.unwrap_or_else(|| "message".to_owned());
        match kind.as_str() {
            "message" => return self.message(open),
            "function_call" => {
                let id = open.required("call_id")?.name()?;
                let name = open.required("name")?.name()?;
                self.calls.saw(&id, &name);
                let args = open.take("arguments").map(|it| arguments(&it)).transpose()?.flatten();
                let call = FunctionCall { id: Some(id), name, args };
                self.go_on(
                    Role::Model,
                    Part::FunctionCall(call),
                    remaining_part(&kind, open, &UNREAD),
                );
            }
            "custom_tool_call" => {
                let id = open.required("call_id")?.name()?;
                let name = open.required("name")?.name()?;
                self.calls.saw(&id, &name);
                let args = Some(custom::as_arguments(&open.required("input")?.string()?));
                let call = FunctionCall { id: Some(id), name, args };
                self.go_on(
                    Role::Model,
                    Part::FunctionCall(call),
                    remaining_part(&kind, open, &UNREAD),
                );
            }
            "function_call_output" | "custom_tool_call_output" => {
                let call = open.required("call_id")?;
                let id = call.name()?;
                let name = self.calls.name(&id).ok_or_else(|| no_such_call(&call))?;
                let (response, files) = split_files(&open.required("output")?, part_of_result)?;
                let answer = FunctionResponse { id: Some(id), name, response };
                let left = files.into_iter().chain(remaining_part(&kind, open, &UNREAD));
                self.go_on(Role::Function, Part::FunctionResponse(answer), left);
            }
            "reasoning" => {
                let mut thoughts = Vec::new();
                for key in ["summary", "content"] {
                    for piece in
                        open.take(key).map_or(Ok(Vec::new()), |pieces| pieces.list(Limit::Parts))?
                    {
                        thoughts.push(piece.object()?.required("text")?.string()?);
                    }
                }
                if !thoughts.is_empty() {
                    self.go_on(Role::Model, Part::Thought(thoughts.join("\n\n")), None);
                }
            }
            "item_reference" => {
                let rule = "is not supported: send the item itself, or previous_response_id";
                return Err(item.fault(rule));
            }
            _ => self.go_on(Role::Model, other_part(kind, item), None),
        }
        Ok(())
    }

    fn message(&mut self, mut open: Object<'_>) -> Result<(), ApiFault> {
        let role = open.required("role")?;
        let content = open.required("content")?;
        let left = remaining_part("message", open, &UNREAD);
        match role.string()?.as_str() {
            role @ ("system" | "developer") => {
                let parts = instruction_parts(role, parts(&content)?);
                self.push(Role::User, parts.into_iter().chain(left));
            }
            "user" => self.push(Role::User, parts(&content)?.into_iter().chain(left)),
            "assistant" => {
                for part in parts(&content)?.into_iter().chain(left) {
                    self.go_on(Role::Model, part, None);
                }
            }
            _ => return Err(role.fault("must be system, developer, user or assistant")),
        }
        Ok(())
    }

    fn push(&mut self, role: Role, parts: impl IntoIterator<Item = Part>) {
        self.contents.push(Content { role, parts: parts.into_iter().collect() });
    }

    /// Consecutive items of the model are one content, and so are their results.
    fn go_on(&mut self, role: Role, part: Part, left: impl IntoIterator<Item = Part>) {
        let own = self.contents.len() > self.own;
        let parts = [part].into_iter().chain(left);
        match self.contents.last_mut() {
            Some(last) if own && last.role == role => last.parts.extend(parts),
            _ => self.push(role, parts),
        }
    }
}

/// Members of every item that no model reads.
const UNREAD: [&str; 2] = ["id", "status"];

fn parts(content: &Value<'_>) -> Result<Vec<Part>, ApiFault> {
    if content.kind() == Kind::String {
        return Ok(vec![Part::Text(content.string()?)]);
    }
    let parts: Result<Vec<_>, _> = content.list(Limit::Parts)?.iter().map(part).collect();
    Ok(parts?.into_iter().flatten().collect())
}

/// An item of a tool result.
fn part_of_result(item: &Value<'_>) -> Result<Vec<Part>, ApiFault> {
    match item.object()?.get("type").map(|kind| kind.string()).transpose()?.as_deref() {
        Some("input_image" | "input_file" | "input_audio") => part(item),
        _ => Ok(Vec::new()),
    }
}

/// A part, and a part with its remaining members.
fn part(part: &Value<'_>) -> Result<Vec<Part>, ApiFault> {
    let mut open = part.object()?;
    let kind = open.required("type")?.name()?;
    let mut unread: &[&str] = &[];
    // The remaining members beside the bytes.
    let mut left = None;
    let read = match kind.as_str() {
        "input_text" | "output_text" | "text" => {
            unread = &["logprobs"];
            Some(Part::Text(open.required("text")?.string()?))
        }
        "input_image" => {
            unread = unread_detail(&open);
            address(open.take("image_url"), None)?.map(Part::InlineData)
        }
        "input_file" => {
            let name = open.text("filename")?;
            address(open.take("file_data"), name)?.map(Part::InlineData)
        }
        "input_audio" => {
            let mut audio = open.required("input_audio")?.object()?;
            let mime_type = format!("audio/{}", audio.required("format")?.name()?);
            let data = inline::bytes(&audio.required("data")?)?;
            left = remaining_part(&kind, audio, &[]);
            Some(Part::InlineData(InlineData { mime_type, data, display_name: None }))
        }
        _ => None,
    };
    Ok(match read {
        Some(read) => {
            [read].into_iter().chain(left).chain(remaining_part(&kind, open, unread)).collect()
        }
        None => vec![other_part(kind, part)],
    })
}

fn address(
    written: Option<Value<'_>>,
    display_name: Option<String>,
) -> Result<Option<InlineData>, ApiFault> {
    written.map_or(Ok(None), |written| inline::from_address(&written, display_name))
}
