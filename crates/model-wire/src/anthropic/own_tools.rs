//! Anthropic's predefined tools that the agent runs. A request names them without their arguments, so the
//! schemas are here.

use json_text::JsonText;
use live::FunctionDeclaration;

use crate::api_fault::ApiFault;
use crate::reader::Value;

/// The type without its date, the description, and the schema of the arguments.
const OWN: [(&str, &str, &str); 4] = [
    (
        "bash_",
        "Runs a command in a shell that stays open, or restarts the shell.",
        r#"{"type":"object","properties":{"command":{"type":"string"},"restart":{"type":"boolean"}}}"#,
    ),
    (
        "text_editor_",
        "Views and edits files.",
        r#"{"type":"object","properties":{"command":{"enum":["view","create","str_replace","insert","undo_edit"]},"path":{"type":"string"},"view_range":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2},"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},"insert_line":{"type":"integer"},"insert_text":{"type":"string"}},"required":["command","path"]}"#,
    ),
    (
        "memory_",
        "Stores files across conversations.",
        r#"{"type":"object","properties":{"command":{"enum":["view","create","str_replace","insert","delete","rename"]},"path":{"type":"string"},"view_range":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2},"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},"insert_line":{"type":"integer"},"insert_text":{"type":"string"},"old_path":{"type":"string"},"new_path":{"type":"string"}},"required":["command"]}"#,
    ),
    (
        "computer_",
        "Takes screenshots and controls the mouse and keyboard.",
        r#"{"type":"object","properties":{"action":{"type":"string"},"coordinate":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2},"text":{"type":"string"}},"required":["action"],"additionalProperties":true}"#,
    ),
];

/// The declaration of a predefined tool; `None` for other tools.
pub(super) fn declaration(tool: &Value<'_>) -> Result<Option<FunctionDeclaration>, ApiFault> {
    let mut open = tool.object()?;
    let Some(kind) = open.text("type")? else { return Ok(None) };
    let known = OWN.iter().find(|(beginning, ..)| {
        let dated = kind.strip_prefix(beginning);
        dated.is_some_and(|date| !date.is_empty() && date.bytes().all(|it| it.is_ascii_digit()))
    });
    let Some((_, description, parameters)) = known else { return Ok(None) };
    Ok(Some(FunctionDeclaration {
        name: open.required("name")?.name()?,
        description: (*description).to_owned(),
        parameters: JsonText::parse(parameters).ok(),
        response: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_json() {
        for (kind, _, schema) in OWN {
            assert!(JsonText::parse(schema).is_ok(), "{kind}");
        }
    }
}
