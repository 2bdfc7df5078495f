//! The shapes that ADK requires of fields without a model here: `google.genai.types` 2.x and
//! `google.adk.evaluation` in google-adk 2.13.

use crate::model::{Fields, Keys, Others, Shape};

use Shape::{Any, Base64, Bool, List, Map, MapOf, Number, Object, Text, TextOr, Whole};

/// The fields of one of `google.genai`'s types: all may be missing or null.
const fn genai(what: &'static str, fields: &'static [(&'static str, Shape)]) -> Fields {
    let (keys, others) = (Keys::EitherCasing, Others::Refused);
    Fields { what, keys, others, nulls: true, required: &[], fields }
}

pub(super) const PART: &[(&str, Shape)] = &[
    ("media_resolution", Object(&RESOLUTION)),
    ("code_execution_result", Object(&CODE_RESULT)),
    ("executable_code", Object(&CODE)),
    ("file_data", Object(&FILE_DATA)),
    ("inline_data", Object(&INLINE_DATA)),
    ("thought_signature", Base64),
    ("video_metadata", Object(&VIDEO)),
    ("tool_call", Object(&TOOL_CALL)),
    ("tool_response", Object(&TOOL_RESPONSE)),
    ("part_metadata", Map),
    ("audio_transcription", Object(&TRANSCRIPTION)),
    ("media_processing", Any),
    ("speech_metadata", Object(&SPEECH)),
];

pub(super) const FUNCTION_CALL: &[(&str, Shape)] =
    &[("partial_args", List(&Object(&PARTIAL_ARG))), ("will_continue", Bool)];

pub(super) const FUNCTION_RESPONSE: &[(&str, Shape)] =
    &[("will_continue", Bool), ("scheduling", Text), ("parts", List(&Object(&RESPONSE_PART)))];

pub(super) const EVENT: &[(&str, Shape)] =
    &[("grounding_metadata", Map), ("usage_metadata", Object(&USAGE))];

/// The agents that took part, by their names.
pub(super) const APP_DETAILS: Shape = Object(&Fields {
    nulls: false,
    ..genai("an app's details", &[("agent_details", MapOf(&Object(&AGENT_DETAILS)))])
});

const AGENT_DETAILS: Fields = Fields {
    nulls: false,
    required: &["name"],
    ..genai(
        "an agent's details",
        &[("name", Text), ("instructions", Text), ("tool_declarations", List(&Any))],
    )
};

/// The name of one of ADK's personas, which is not checked, or a persona.
pub(super) const PERSONA: Shape = TextOr(&Object(&Fields {
    what: "a persona",
    keys: Keys::Exact,
    others: Others::Ignored,
    nulls: false,
    required: &["id", "description", "behaviors"],
    fields: &[("id", Text), ("description", Text), ("behaviors", List(&Object(&BEHAVIOR)))],
}));

const BEHAVIOR: Fields = Fields {
    what: "a behavior",
    keys: Keys::Exact,
    others: Others::Ignored,
    nulls: false,
    required: &["name", "description", "behavior_instructions", "violation_rubrics"],
    fields: &[
        ("name", Text),
        ("description", Text),
        ("behavior_instructions", List(&Text)),
        ("violation_rubrics", List(&Text)),
    ],
};

const RESOLUTION: Fields = genai("a media resolution", &[("level", Text), ("num_tokens", Whole)]);
const CODE_RESULT: Fields =
    genai("a code's result", &[("outcome", Text), ("output", Text), ("id", Text)]);
const CODE: Fields = genai("code", &[("code", Text), ("language", Text), ("id", Text)]);
const FILE_DATA: Fields =
    genai("file data", &[("display_name", Text), ("file_uri", Text), ("mime_type", Text)]);
const INLINE_DATA: Fields =
    genai("inline data", &[("data", Base64), ("display_name", Text), ("mime_type", Text)]);
const VIDEO: Fields =
    genai("a video's data", &[("end_offset", Text), ("fps", Number), ("start_offset", Text)]);
const TOOL_CALL: Fields = genai("a tool call", &[("id", Text), ("tool_type", Text), ("args", Map)]);
const TOOL_RESPONSE: Fields =
    genai("a tool response", &[("id", Text), ("tool_type", Text), ("response", Map)]);
const SPEECH: Fields = genai("speech metadata", &[("speaker", Text), ("style", Text)]);
const TRANSCRIPTION: Fields = genai(
    "a transcription",
    &[
        ("text", Text),
        ("finished", Bool),
        ("language_code", Text),
        ("speaker_label", Text),
        ("words", List(&Object(&WORD))),
        ("start_offset", Text),
        ("end_offset", Text),
    ],
);
const WORD: Fields =
    genai("a word", &[("word", Text), ("start_offset", Text), ("end_offset", Text)]);
const PARTIAL_ARG: Fields = genai(
    "a partial argument",
    &[
        ("bool_value", Bool),
        ("json_path", Text),
        ("null_value", Text),
        ("number_value", Number),
        ("string_value", Text),
        ("will_continue", Bool),
    ],
);
const RESPONSE_PART: Fields = genai(
    "a part of a response",
    &[
        ("inline_data", Object(&INLINE_DATA)),
        ("file_data", Object(&FILE_DATA)),
        ("media_processing", Any),
    ],
);
const USAGE: Fields = genai(
    "usage metadata",
    &[
        ("cache_tokens_details", List(&Object(&TOKENS))),
        ("cached_content_token_count", Whole),
        ("candidates_token_count", Whole),
        ("candidates_tokens_details", List(&Object(&TOKENS))),
        ("prompt_token_count", Whole),
        ("prompt_tokens_details", List(&Object(&TOKENS))),
        ("thoughts_token_count", Whole),
        ("tool_use_prompt_token_count", Whole),
        ("tool_use_prompt_tokens_details", List(&Object(&TOKENS))),
        ("total_token_count", Whole),
        ("traffic_type", Text),
    ],
);
const TOKENS: Fields = genai("a token count", &[("modality", Text), ("token_count", Whole)]);
