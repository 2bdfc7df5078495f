//! The request: input items, function tools, `text.format`.

use json_text::{JsonText, Kind};
use live::{Content, FunctionCall, FunctionResponse, InlineData, Invalid, LlmRequest, Part, Role};

use crate::asked::Asked;
use crate::calls::Calls;
use crate::custom::{self, FreeText};
use crate::inline;
use crate::output::Object as Output;
use crate::pieces::{arguments, as_tools, function, no_such_call, other, response_format};
use crate::reader::{self, Object, Value};

/// What a response repeats of its request.
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

/// The turn that the request goes on from, as it stands in the response's id.
///
/// # Errors
/// [`Invalid`] when the body is no object, or the id is none of a response.
pub fn previous_turn(text: &str) -> Result<Option<String>, Invalid> {
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

/// Reads the body of a request that goes on from `history`: what was said up to the response which it
/// names as the previous one, nothing otherwise.
///
/// # Errors
/// [`Invalid`] with the path of the field and the rule that it breaks.
pub fn read(text: &str, history: Vec<Content>) -> Result<Asked, Invalid> {
    let mut body = reader::body(text)?;
    refuse_what_is_elsewhere(&mut body)?;
    let mut echo = Output::new();
    for key in ECHOED {
        if let Some(value) = body.get(key) {
            echo.push(key, value.json());
        }
    }
    let model = body.text("model")?;
    let mut system: Vec<String> = body.text("instructions")?.into_iter().collect();
    let mut contents = Conversation::after(history);
    contents.read(&body.required("input")?, &mut system)?;
    let (mut functions, mut others) = (Vec::new(), Vec::new());
    let mut free_text = FreeText::default();
    for tool in body.take("tools").map_or(Ok(Vec::new()), |tools| tools.list())? {
        let mut open = tool.object()?;
        match open.required("type")?.string()?.as_str() {
            "function" => functions.push(function(open)?),
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
        system_instruction: (!system.is_empty()).then(|| system.join("\n\n")),
        tools: as_tools(functions),
        generation_config: config.non_empty(),
        output_schema,
        model,
    };
    Ok(Asked { stream, echo: echo.non_empty(), free_text, ..Asked::new(request) })
}

/// What the vendor keeps for its customers is not here to be looked up.
fn refuse_what_is_elsewhere(body: &mut Object<'_>) -> Result<(), Invalid> {
    for (key, rule) in [
        ("conversation", "is kept by the vendor: send the items as `input`"),
        ("prompt", "is kept by the vendor: send its text as `instructions`"),
    ] {
        if let Some(value) = body.take(key) {
            return Err(value.fault(rule));
        }
    }
    body.take("previous_response_id");
    match body.take("background") {
        Some(value) if value.boolean()? => {
            Err(value.fault("must be false: a person answers while the request waits"))
        }
        _ => Ok(()),
    }
}

fn text_format(body: &mut Object<'_>) -> Result<(Option<JsonText>, Option<JsonText>), Invalid> {
    let Some(text) = body.take("text") else { return Ok((None, None)) };
    let mut text = text.object()?;
    let (kept, schema) = match text.take("format") {
        Some(format) => response_format(&format, None)?,
        None => (None, None),
    };
    Ok((text.rest().with_some("format", kept).non_empty(), schema))
}

/// The conversation as it grows, item by item.
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

    fn read(&mut self, input: &Value<'_>, system: &mut Vec<String>) -> Result<(), Invalid> {
        if input.kind() == Kind::String {
            self.say(Role::User, [Part::Text(input.string()?)]);
            return Ok(());
        }
        for item in input.list()? {
            self.item(&item, system)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Value<'_>, system: &mut Vec<String>) -> Result<(), Invalid> {
        let mut open = item.object()?;
        let kind = open.take("type").map(|kind| kind.name()).transpose()?;
        let kind = kind.unwrap_or_else(|| "message".to_owned());
        match kind.as_str() {
            "message" => return self.message(open, item, system),
            "function_call" => {
                let id = open.required("call_id")?.name()?;
                let name = open.required("name")?.name()?;
                self.calls.saw(&id, &name);
                let args = open.take("arguments").map(|it| arguments(&it)).transpose()?.flatten();
                let call = FunctionCall { id: Some(id), name, args };
                self.go_on(Role::Model, Part::FunctionCall(call));
            }
            "custom_tool_call" => {
                let id = open.required("call_id")?.name()?;
                let name = open.required("name")?.name()?;
                self.calls.saw(&id, &name);
                let args = Some(custom::as_arguments(&open.required("input")?.string()?));
                let call = FunctionCall { id: Some(id), name, args };
                self.go_on(Role::Model, Part::FunctionCall(call));
            }
            "function_call_output" | "custom_tool_call_output" => {
                let call = open.required("call_id")?;
                let id = call.name()?;
                let name = self.calls.name(&id).ok_or_else(|| no_such_call(&call))?;
                let response = Some(open.required("output")?.json());
                let answer = FunctionResponse { id: Some(id), name, response };
                self.go_on(Role::Function, Part::FunctionResponse(answer));
            }
            "reasoning" => {
                let mut thoughts = Vec::new();
                for key in ["summary", "content"] {
                    for piece in open.take(key).map_or(Ok(Vec::new()), |pieces| pieces.list())? {
                        thoughts.push(piece.object()?.required("text")?.string()?);
                    }
                }
                if !thoughts.is_empty() {
                    self.go_on(Role::Model, Part::Thought(thoughts.join("\n\n")));
                }
            }
            "item_reference" => {
                let rule = "is kept by the vendor: send the item itself, or previous_response_id";
                return Err(item.fault(rule));
            }
            _ => self.go_on(Role::Model, other(kind, item)),
        }
        Ok(())
    }

    fn message(
        &mut self,
        mut open: Object<'_>,
        item: &Value<'_>,
        system: &mut Vec<String>,
    ) -> Result<(), Invalid> {
        let role = open.required("role")?;
        let content = open.required("content")?;
        match role.string()?.as_str() {
            // Before anything is said it belongs to the instructions; later it keeps its place.
            "system" | "developer" if self.contents.len() == self.own => {
                system.extend(parts(&content)?.into_iter().filter_map(|part| match part {
                    Part::Text(text) => Some(text),
                    _ => None,
                }));
            }
            "system" | "developer" => self.say(Role::User, [other(role.string()?, item)]),
            "user" => self.say(Role::User, parts(&content)?),
            "assistant" => {
                for part in parts(&content)? {
                    self.go_on(Role::Model, part);
                }
            }
            _ => return Err(role.fault("must be system, developer, user or assistant")),
        }
        Ok(())
    }

    fn say(&mut self, role: Role, parts: impl IntoIterator<Item = Part>) {
        self.contents.push(Content { role, parts: parts.into_iter().collect() });
    }

    /// Items of the model that follow each other are one answer, and so are their results.
    fn go_on(&mut self, role: Role, part: Part) {
        let own = self.contents.len() > self.own;
        match self.contents.last_mut() {
            Some(last) if own && last.role == role => last.parts.push(part),
            _ => self.say(role, [part]),
        }
    }
}

fn parts(content: &Value<'_>) -> Result<Vec<Part>, Invalid> {
    if content.kind() == Kind::String {
        return Ok(vec![Part::Text(content.string()?)]);
    }
    content.list()?.iter().map(part).collect()
}

fn part(part: &Value<'_>) -> Result<Part, Invalid> {
    let mut open = part.object()?;
    let kind = open.required("type")?.name()?;
    let data = match kind.as_str() {
        "input_text" | "output_text" | "text" => {
            return Ok(Part::Text(open.required("text")?.string()?));
        }
        "input_image" => address(open.take("image_url"), None)?,
        "input_file" => {
            let name = open.text("filename")?;
            address(open.take("file_data"), name)?
        }
        "input_audio" => {
            let mut audio = open.required("input_audio")?.object()?;
            let mime_type = format!("audio/{}", audio.required("format")?.name()?);
            let data = inline::bytes(&audio.required("data")?)?;
            Some(InlineData { mime_type, data, display_name: None })
        }
        _ => None,
    };
    Ok(data.map_or_else(|| other(kind, part), Part::InlineData))
}

fn address(
    written: Option<Value<'_>>,
    display_name: Option<String>,
) -> Result<Option<InlineData>, Invalid> {
    written.map_or(Ok(None), |written| inline::from_address(&written, display_name))
}
