//! Model requests and responses: the messages of `proto/rehearsal/v1/content.proto`,
//! checked.

use json_text::JsonText;

/// Whose words a [`Content`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user's.
    User,
    /// The model's.
    Model,
    /// What tools answered.
    Function,
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Whose words these are.
    pub role: Role,
    /// The pieces in order.
    pub parts: Vec<Part>,
}

/// A piece of a [`Content`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A tool asked for.
    FunctionCall(FunctionCall),
    /// What a tool answered.
    FunctionResponse(FunctionResponse),
    /// What the model thought before it answered.
    Thought(String),
    /// Bytes within the conversation, such as a picture.
    InlineData(InlineData),
    /// A part of another kind, shown and kept as it came.
    Other(OtherPart),
}

/// A tool asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCall {
    /// The call's id, where the agent gives one.
    pub id: Option<String>,
    /// The tool's name, not empty.
    pub name: String,
    /// The arguments; `None` is not `{}`.
    pub args: Option<JsonText>,
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionResponse {
    /// The id of the call that is answered, where there is one.
    pub id: Option<String>,
    /// The tool's name, not empty.
    pub name: String,
    /// The answer; `None` is not `{}`.
    pub response: Option<JsonText>,
}

/// Bytes within the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineData {
    /// Such as `image/png`, not empty.
    pub mime_type: String,
    /// The bytes.
    pub data: Vec<u8>,
    /// A file's name, where there is one.
    pub display_name: Option<String>,
}

/// A part of a kind that has no type here: a file by reference, code, its result.
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
    /// JSON Schema of the answer, where the agent says.
    pub response: Option<JsonText>,
}

/// Everything that the model would be given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LlmRequest {
    /// The conversation; may be empty.
    pub contents: Vec<Content>,
    /// The system instruction.
    pub system_instruction: Option<String>,
    /// The tools.
    pub tools: Vec<Tool>,
    /// Temperature, tool choice and the like in the vendor's words: an object.
    pub generation_config: Option<JsonText>,
    /// JSON Schema of the answer that is wanted, an object or a boolean.
    pub output_schema: Option<JsonText>,
    /// The model that the agent names.
    pub model: Option<String>,
    /// What the user said to the run that asks, where its agent tells and the conversation holds more
    /// in the user's name.
    pub user_content: Option<Content>,
}

/// A person's answer in the model's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HumanResponse {
    /// At least one, each with at least one part. All are kept; the first is the answer.
    pub candidates: Vec<Content>,
}
