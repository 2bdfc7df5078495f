//! Model requests and responses: the messages of `proto/rehearsal/v1/content.proto`, validated.

use json_text::JsonText;

/// The author of a [`Content`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user's.
    User,
    /// The model's.
    Model,
    /// Tool results.
    Function,
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The author.
    pub role: Role,
    /// The parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a [`Content`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A tool call.
    FunctionCall(FunctionCall),
    /// A tool result.
    FunctionResponse(FunctionResponse),
    /// A thought of the model.
    Thought(String),
    /// Bytes within the conversation, such as an image.
    InlineData(InlineData),
    /// A part of another kind, shown and stored unchanged.
    Other(OtherPart),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCall {
    /// The call's id, if the agent sends one.
    pub id: Option<String>,
    /// The tool's name, not empty.
    pub name: String,
    /// The arguments; `None` is not `{}`.
    pub args: Option<JsonText>,
}

/// A tool result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionResponse {
    /// The id of the call, if it has one.
    pub id: Option<String>,
    /// The tool's name, not empty.
    pub name: String,
    /// The result; `None` is not `{}`.
    pub response: Option<JsonText>,
}

/// Bytes within the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineData {
    /// Such as `image/png`, not empty.
    pub mime_type: String,
    /// The bytes.
    pub data: Vec<u8>,
    /// The file's name, if it has one.
    pub display_name: Option<String>,
}

/// A part without a type of its own here: a file by reference, code, or its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherPart {
    /// The vendor's name of the part, not empty.
    pub kind: String,
    /// The part.
    pub json: JsonText,
}

/// Functions that the model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The functions.
    pub function_declarations: Vec<FunctionDeclaration>,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionDeclaration {
    /// Its name, not empty.
    pub name: String,
    /// Its description for the model.
    pub description: String,
    /// JSON Schema of the arguments, an object or a boolean; `None` for a function without any.
    pub parameters: Option<JsonText>,
    /// JSON Schema of the result, if the agent sends it.
    pub response: Option<JsonText>,
}

/// A model request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LlmRequest {
    /// The conversation; may be empty.
    pub contents: Vec<Content>,
    /// The system instruction.
    pub system_instruction: Option<String>,
    /// The tools.
    pub tools: Vec<Tool>,
    /// Temperature, tool choice and other settings in the vendor's format: an object.
    pub generation_config: Option<JsonText>,
    /// JSON Schema of the response, an object or a boolean.
    pub output_schema: Option<JsonText>,
    /// The model that the agent names.
    pub model: Option<String>,
    /// The user's message that started the run, if the agent sends it because the conversation
    /// contains other user contents.
    pub user_content: Option<Content>,
}

/// A person's response in the model's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HumanResponse {
    /// At least one, each with at least one part. All are stored; the first is the response.
    pub candidates: Vec<Content>,
}
