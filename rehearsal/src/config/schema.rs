//! The JSON Schema of `rehearsal.toml`, with rules that cannot be derived from the structs.

use schemars::{Schema, SchemaGenerator, json_schema, schema_for};
use serde_json::json;

use super::file::ConfigFile;

/// The pattern of [`super::ListenAddress`], without the bounds of its numbers.
pub(super) const LISTEN: &str =
    r"^\s*(localhost|([0-9]{1,3}\.){3}[0-9]{1,3}|\[[0-9A-Fa-f:.%]+\])?:[0-9]{1,5}\s*$";
/// The pattern of [`rehearsal_server::BasePath`], without its rule about `.` and `..`.
pub(super) const BASE_PATH: &str = r"^/?([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*/?)?$";
/// The pattern of [`super::AllowedOrigin`].
pub(super) const ORIGIN: &str = r"^\s*[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9._:\[\]-]+\s*$";
/// Text that is not blank.
pub(super) const READABLE: &str = r"\S";

/// The JSON Schema of `rehearsal.toml`, for editors; published as `docs/rehearsal.schema.json`.
#[must_use]
pub fn json_schema() -> Schema {
    schema_for!(ConfigFile)
}

pub(super) fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

pub(super) fn object_or_path(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["object", "string"] })
}

/// The required and the forbidden keys of each source.
pub(super) fn keys_by_source(agent: &mut Schema) {
    let of = |source: &str, then: serde_json::Value| {
        json!({
            "if": { "properties": { "source": { "const": source } }, "required": ["source"] },
            "then": then
        })
    };
    let without_mcp = |required: &str, foreign: &[&str]| {
        let of_mcp = [
            "instruction",
            "instruction_file",
            "description",
            "model",
            "input_schema",
            "output_schema",
            "servers_file",
        ];
        let mut properties: serde_json::Map<_, _> =
            foreign.iter().chain(&of_mcp).map(|&key| (key.to_owned(), json!(false))).collect();
        properties.insert("server".to_owned(), json!({ "maxItems": 0 }));
        json!({ "required": [required], "properties": properties })
    };
    agent.insert(
        "allOf".to_owned(),
        json!([
            of("adk_python", without_mcp("folder", &["example"])),
            of("native", without_mcp("example", &["folder", "python"])),
            of(
                "mcp",
                json!({
                    "properties": {
                        "folder": false, "python": false, "example": false
                    },
                    "anyOf": [
                        { "required": ["server"], "properties": { "server": { "minItems": 1 } } },
                        { "required": ["servers_file"] }
                    ],
                    "oneOf": [{ "required": ["instruction"] }, { "required": ["instruction_file"] }]
                })
            )
        ]),
    );
}

/// A server has the keys of a program or those of an endpoint.
pub(super) fn command_or_url(server: &mut Schema) {
    server.insert(
        "oneOf".to_owned(),
        json!([
            {
                "required": ["command"],
                "properties": {
                    "url": false, "transport": false, "headers": { "maxProperties": 0 },
                    "bearer_token_env": false
                }
            },
            {
                "required": ["url"],
                "properties": {
                    "url": { "pattern": "^https?://" },
                    "command": false, "args": { "maxItems": 0 }, "env": { "maxProperties": 0 },
                    "pass_env": { "maxItems": 0 }, "cwd": false
                }
            }
        ]),
    );
}
