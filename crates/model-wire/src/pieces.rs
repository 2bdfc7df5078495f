//! Pieces that the vendors' requests have in common.

use json_text::{JsonText, Kind};
use live::{FunctionDeclaration, Invalid, OtherPart, Part, Tool};

use crate::output::{Json as _, Object as Output};
use crate::reader::{Object, Value};

/// Takes the schema out of a format of type `json_schema`; what is left of the format stays to be
/// shown. The schema stands in `member` of the format, or in the format itself where that is none.
pub(crate) fn response_format(
    format: &Value<'_>,
    member: Option<&str>,
) -> Result<(Option<JsonText>, Option<JsonText>), Invalid> {
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

/// A function as OpenAI declares it.
pub(crate) fn function(mut function: Object<'_>) -> Result<(FunctionDeclaration, Left), Invalid> {
    let declaration = FunctionDeclaration {
        name: function.required("name")?.name()?,
        description: function.text("description")?.unwrap_or_default(),
        parameters: function.take("parameters").map(|it| it.schema()).transpose()?,
        response: None,
    };
    let left = left_of_tool(&declaration.name, function, &["strict"]);
    Ok((declaration, left))
}

/// What is left of a tool once its declaration is read, with the tool's name; it stays to be shown.
pub(crate) type Left = Option<JsonText>;

pub(crate) fn left_of_tool(name: &str, open: Object<'_>, unread: &[&str]) -> Left {
    let left = left(open, unread);
    (!left.is_empty()).then(|| Output::new().with("name", name).with_all(left).json())
}

/// What is left of a part once its known members are taken, kept beside it under the vendor's name of
/// the part: the model reads it too. `unread` are members that it does not.
pub(crate) fn beside(kind: &str, open: Object<'_>, unread: &[&str]) -> Option<Part> {
    let json = left(open, unread).non_empty()?;
    Some(Part::Other(OtherPart { kind: kind.to_owned(), json }))
}

/// A picture's `detail`, where it says no more than its absence does.
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

/// The functions as one tool; none where there are none.
pub(crate) fn as_tools(function_declarations: Vec<FunctionDeclaration>) -> Vec<Tool> {
    if function_declarations.is_empty() { vec![] } else { vec![Tool { function_declarations }] }
}

/// JSON in a string; an empty one, which some models write, is no arguments at all.
pub(crate) fn arguments(value: &Value<'_>) -> Result<Option<JsonText>, Invalid> {
    if value.string()?.trim().is_empty() { Ok(None) } else { value.json_in_string().map(Some) }
}

/// A result that belongs to no call.
pub(crate) fn no_such_call(call: &Value<'_>) -> Invalid {
    call.fault("must be the id of a call in an earlier message")
}

/// What a system or developer message says where it stands in the conversation. Its texts are under
/// the role's name, for they are not the user's; other pieces are as they are.
pub(crate) fn instructing(role: &str, parts: Vec<Part>) -> Vec<Part> {
    let named = |part| match part {
        Part::Text(text) => {
            Part::Other(OtherPart { kind: role.to_owned(), json: JsonText::string(&text) })
        }
        part => part,
    };
    parts.into_iter().map(named).collect()
}

/// A part that is kept as it came.
pub(crate) fn other(kind: String, part: &Value<'_>) -> Part {
    Part::Other(OtherPart { kind, json: part.json() })
}

/// What a tool answered without its files, and these: a model sees them as pictures and papers. `parts`
/// reads an item of the answer, where it is a list.
pub(crate) fn shown_apart(
    answer: &Value<'_>,
    parts: impl Fn(&Value<'_>) -> Result<Vec<Part>, Invalid>,
) -> Result<(Option<JsonText>, Vec<Part>), Invalid> {
    if answer.kind() != Kind::Array {
        return Ok((Some(answer.json()), Vec::new()));
    }
    let (mut kept, mut files) = (Vec::new(), Vec::new());
    for item in answer.list()? {
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
