//! Parsers for parts that the vendors' requests have in common.

use json_text::{JsonText, Kind};
use live::{FunctionDeclaration, Limit, OtherPart, Part, Tool};

use crate::api_fault::ApiFault;
use crate::output::{Json as _, Object as Output};
use crate::reader::{Object, Value};

/// Takes the schema out of a format of type `json_schema`, and returns the rest of the format and the
/// schema. The schema is in `member` of the format, or in the format itself without one.
pub(crate) fn response_format(
    format: &Value<'_>,
    member: Option<&str>,
) -> Result<(Option<JsonText>, Option<JsonText>), ApiFault> {
    let mut open = format.object()?;
    if open.get("type").map(|kind| kind.string()).transpose()?.as_deref() != Some("json_schema") {
        return Ok((Some(format.json()), None));
    }
    let Some(member) = member else {
        let schema = open.take("schema").map(|schema| schema.schema()).transpose()?;
        return Ok((Some(open.rest().json()), schema));
    };
    let mut inner = open.required(member)?.object()?;
    let schema = inner.take("schema").map(|schema| schema.schema()).transpose()?;
    Ok((Some(open.rest().with(member, inner.rest()).json()), schema))
}

/// Parses OpenAI's declaration of a function.
pub(crate) fn function_declaration(
    mut function: Object<'_>,
) -> Result<(FunctionDeclaration, RemainingMembers), ApiFault> {
    let declaration = FunctionDeclaration {
        name: function.required("name")?.name()?,
        description: function.text("description")?.unwrap_or_default(),
        parameters: function.take("parameters").map(|it| it.schema()).transpose()?,
        response: None,
    };
    let left = remaining_tool_members(&declaration.name, function, &["strict"]);
    Ok((declaration, left))
}

/// The members of a tool that are not in its declaration, with the tool's name, to be shown.
pub(crate) type RemainingMembers = Option<JsonText>;

pub(crate) fn remaining_tool_members(
    name: &str,
    open: Object<'_>,
    unread: &[&str],
) -> RemainingMembers {
    let left = left(open, unread);
    (!left.is_empty()).then(|| Output::new().with("name", name).with_all(left).json())
}

/// The remaining members of a part, as a part of its own under the vendor's name, because the model reads
/// them, too. `unread` are members that it does not read.
pub(crate) fn remaining_part(kind: &str, open: Object<'_>, unread: &[&str]) -> Option<Part> {
    let json = left(open, unread).non_empty()?;
    Some(Part::Other(OtherPart { kind: kind.to_owned(), json }))
}

/// An image's `detail`, if it is the default.
pub(crate) fn unread_detail(image: &Object<'_>) -> &'static [&'static str] {
    let detail = image.get("detail").and_then(|detail| detail.string().ok());
    if detail.as_deref() == Some("auto") { &["detail"] } else { &[] }
}

fn left(mut open: Object<'_>, unread: &[&str]) -> Output {
    for key in unread {
        open.take(key);
    }
    open.rest().without_blanks()
}

/// The functions as one tool, if there are any.
pub(crate) fn as_tools(function_declarations: Vec<FunctionDeclaration>) -> Vec<Tool> {
    if function_declarations.is_empty() { vec![] } else { vec![Tool { function_declarations }] }
}

/// JSON in a string; an empty string, which some models write, means no arguments. A history may have what a model
/// wrote wrongly, which the vendors accept: it is kept as text.
pub(crate) fn arguments(value: &Value<'_>) -> Result<Option<JsonText>, ApiFault> {
    let text = value.string()?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(JsonText::parse(&text).unwrap_or_else(|_| JsonText::string(&text))))
}

/// The error for a result without a call.
pub(crate) fn no_such_call(call: &Value<'_>) -> ApiFault {
    call.fault("must be the id of a call in an earlier message")
}

/// The parts of a system or developer message within the conversation. Its texts are under the role's
/// name, because they are not the user's.
pub(crate) fn instruction_parts(role: &str, parts: Vec<Part>) -> Vec<Part> {
    let named = |part| match part {
        Part::Text(text) => {
            Part::Other(OtherPart { kind: role.to_owned(), json: JsonText::string(&text) })
        }
        part => part,
    };
    parts.into_iter().map(named).collect()
}

/// A part that is kept unchanged.
pub(crate) fn other_part(kind: String, part: &Value<'_>) -> Part {
    Part::Other(OtherPart { kind, json: part.json() })
}

/// A tool's result without its files, and the files, which a model sees as images and documents. `parts`
/// parses an item of the result if it is a list.
pub(crate) fn split_files(
    answer: &Value<'_>,
    parts: impl Fn(&Value<'_>) -> Result<Vec<Part>, ApiFault>,
) -> Result<(Option<JsonText>, Vec<Part>), ApiFault> {
    if answer.kind() != Kind::Array {
        return Ok((Some(answer.json()), Vec::new()));
    }
    let (mut kept, mut files) = (Vec::new(), Vec::new());
    for item in answer.list(Limit::Parts)? {
        let read = match item.kind() {
            Kind::Object => parts(&item)?,
            _ => Vec::new(),
        };
        match read.first() {
            Some(Part::InlineData(_)) => files.extend(read),
            _ => kept.push(item.json()),
        }
    }
    let is_all_files = kept.is_empty() && !files.is_empty();
    Ok(((!is_all_files).then(|| kept.json()), files))
}
