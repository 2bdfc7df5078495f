//! Converts events to rows for the page, with long content truncated, and requests to their full
//! view.

use api::{
    LiveBytes, LiveContent, LiveEventKind, LiveOutcome, LivePart, LiveRole, LiveRow, LiveTurn,
    LiveTurnId, LiveValue, ToolHints, ToolView,
};
use json_text::JsonText;
use live::{
    Content, FunctionDeclaration, InlineData, LiveSessionId, LlmRequest, Part, Payload, Role,
    RunOutcome, Sequence, SessionEvent, TurnId,
};
use schema_form::describe_arguments;
use session::ToolName;
use trace_export::call_ids;

use super::{answer_format, files, tool_choice};
use crate::served_file::is_text;

/// The length of a text or a value in a row, in bytes.
const HEAD: usize = 2_000;
/// The longest text or value that the page gets of a turn, in bytes, and what all of them may have together:
/// the page reads 60 MB for ten seconds.
const LONGEST: usize = 1_000_000;
const TOGETHER: usize = 8 * LONGEST;
/// How many parts of a content a row shows.
const PIECES: usize = 20;

/// How much of texts and values is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The beginning.
    Line,
    /// Everything.
    Whole,
}

/// How much of an event is shown, and the index of its next part.
struct RowContext {
    extent: Extent,
    /// The longest text or value that is shown, in bytes.
    longest: usize,
    session: LiveSessionId,
    sequence: Sequence,
    parts: usize,
    /// The parts of the current content that are not shown to their end, as files.
    cut: Vec<LivePart>,
}

impl RowContext {
    fn of(event: &SessionEvent, extent: Extent) -> Self {
        let longest = match extent {
            Extent::Line => HEAD,
            Extent::Whole => longest_shown(&event.payload),
        };
        let (session, sequence) = (event.session_id, event.sequence);
        Self { extent, longest, session, sequence, parts: 0, cut: Vec::new() }
    }

    fn address(&self) -> String {
        files::address(self.session, self.sequence, self.parts)
    }

    /// The text, or its beginning; the whole is then a file with this name.
    fn text(&mut self, it: String, name: &str) -> String {
        self.note(it.len(), "text/plain", name);
        text(it, self.longest)
    }

    /// The value, or its beginning; the whole is then a file with this name.
    fn value(&mut self, it: JsonText, name: &str) -> LiveValue {
        self.note(it.byte_len(), "application/json", name);
        value(it, self.longest)
    }

    fn note(&mut self, bytes: usize, mime_type: &str, name: &str) {
        if self.extent == Extent::Whole && bytes > self.longest {
            self.cut.push(LivePart::Data {
                mime_type: mime_type.to_owned(),
                bytes: bytes as u64,
                name: Some(name.to_owned()),
                content: Some(LiveBytes::At(self.address())),
            });
        }
    }
}

/// The longest text or value that is shown of an event, in bytes: the same for each of its parts.
fn longest_shown(payload: &Payload) -> usize {
    let contents = match payload {
        Payload::Request(request) => request.contents.as_slice(),
        Payload::Response(response) => response.candidates.as_slice(),
        Payload::Cancelled(_) | Payload::ToolResult(_) | Payload::RunEnded(_) => return LONGEST,
    };
    let parts = || contents.iter().flat_map(|content| &content.parts);
    let together = |longest: usize| parts().map(|part| bytes(part).min(longest)).sum::<usize>();
    let fits = |longest: &usize| together(*longest) <= TOGETHER;
    [LONGEST, LONGEST / 10, LONGEST / 100].into_iter().find(fits).unwrap_or(HEAD)
}

/// How many bytes of text a part has.
fn bytes(part: &Part) -> usize {
    let of = |value: &Option<JsonText>| value.as_ref().map_or(0, JsonText::byte_len);
    match part {
        Part::Text(text) | Part::Thought(text) => text.len(),
        Part::FunctionCall(call) => of(&call.args),
        Part::FunctionResponse(response) => of(&response.response),
        Part::InlineData(data) if is_text(&data.mime_type) => data.data.len(),
        Part::InlineData(_) => 0,
        Part::Other(other) => other.json.byte_len(),
    }
}

/// The row of an event.
pub(super) fn row(event: SessionEvent, extent: Extent) -> LiveRow {
    let mut context = RowContext::of(&event, extent);
    let what = match event.payload {
        Payload::Request(request) => asked(request, &mut context),
        Payload::Response(response) => {
            let first = response.candidates.into_iter().next();
            let (parts, more) =
                first.map_or_else(Default::default, |it| shown_parts(it.parts, &mut context));
            LiveEventKind::Answered { parts, more }
        }
        Payload::Cancelled(reason) => LiveEventKind::Cancelled { reason: reason.to_string() },
        Payload::ToolResult(result) => LiveEventKind::ToolAnswered {
            tool: result.response.name,
            response: result.response.response.map(|it| value(it, context.longest)),
            failed: result.failed,
            duration_ms: result.duration_ms,
        },
        Payload::RunEnded(end) => LiveEventKind::Ended {
            outcome: match end.outcome {
                RunOutcome::Completed => LiveOutcome::Completed,
                RunOutcome::Failed => LiveOutcome::Failed,
                RunOutcome::Cancelled => LiveOutcome::Cancelled,
            },
            message: text(end.message, context.longest),
        },
    };
    LiveRow {
        sequence: event.sequence.0,
        at_ms: event.at.0,
        turn: LiveTurnId::new(event.turn_id.to_string()),
        agent: event.agent_name.to_string(),
        run: event.invocation_id.as_str().to_owned(),
        by: event.by.map(|by| by.to_string()),
        what,
    }
}

fn asked(mut request: LlmRequest, context: &mut RowContext) -> LiveEventKind {
    let contents = request.contents.len() as u64;
    let tools = request.tools.iter().map(|tool| tool.function_declarations.len() as u64).sum();
    let last = request.contents.pop();
    context.parts += request.contents.iter().map(|content| content.parts.len()).sum::<usize>();
    let (role, parts) =
        last.map_or_else(|| (LiveRole::User, Vec::new()), |last| (role(last.role), last.parts));
    let (last, more) = shown_parts(parts, context);
    LiveEventKind::Asked { last, more, role, contents, tools }
}

/// The full request as the model would receive it; `None` if the event is not a request.
pub(super) fn turn(event: SessionEvent) -> Option<LiveTurn> {
    let mut context = RowContext::of(&event, Extent::Whole);
    let Payload::Request(request) = event.payload else { return None };
    let required = request.generation_config.as_ref().and_then(tool_choice::required);
    let mut warnings: Vec<String> = required.into_iter().collect();
    let mut tools = Vec::new();
    for declaration in request.tools.into_iter().flat_map(|tool| tool.function_declarations) {
        match tool(declaration) {
            Ok(tool) => tools.push(tool),
            Err(warning) => warnings.push(warning),
        }
    }
    let implied = || request.generation_config.as_ref().and_then(answer_format::implied_schema);
    let output_schema = request.output_schema.or_else(implied);
    Some(LiveTurn {
        turn: LiveTurnId::new(event.turn_id.to_string()),
        agent: event.agent_name.to_string(),
        run: event.invocation_id.as_str().to_owned(),
        sequence: event.sequence.0,
        at_ms: event.at.0,
        model: request.model,
        instruction: request.system_instruction.unwrap_or_default(),
        contents: request.contents.into_iter().map(|it| content(it, &mut context)).collect(),
        tools,
        config: request.generation_config,
        output_schema,
        warnings,
        closed: None,
        results: Vec::new(),
        ended: None,
    })
}

/// Adds what was recorded of the turn after its response.
pub(super) fn add_recorded(turn: &mut LiveTurn, event: SessionEvent) {
    let mut context = RowContext::of(&event, Extent::Whole);
    match event.payload {
        Payload::ToolResult(result) => {
            if let (Some(closed), Some(id)) = (&mut turn.closed, &result.response.id) {
                add_call_id(closed, event.turn_id, id);
            }
            turn.results.push(part(Part::FunctionResponse(result.response), &mut context));
        }
        Payload::RunEnded(_) => turn.ended = Some(row(event, Extent::Whole)),
        Payload::Request(_) | Payload::Response(_) | Payload::Cancelled(_) => {}
    }
}

/// Gives a call without an id the id under which its result is recorded.
pub(super) fn add_call_id(answer: &mut LiveRow, turn: TurnId, result_id: &str) {
    let LiveEventKind::Answered { parts, .. } = &mut answer.what else { return };
    let calls = parts.iter_mut().enumerate().filter_map(|(part, shown)| match shown {
        LivePart::Call { id, .. } => Some((part, id)),
        _ => None,
    });
    for (place, (part, id)) in calls.enumerate().filter(|(_, (_, id))| id.is_none()) {
        if call_ids(turn, part, place).iter().any(|made| made == result_id) {
            *id = Some(result_id.to_owned());
        }
    }
}

fn tool(declaration: FunctionDeclaration) -> Result<ToolView, String> {
    let name = ToolName::parse(&declaration.name)
        .map_err(|fault| format!("A tool of this request cannot be called: {fault}."))?;
    let mut members = vec![
        ("name", JsonText::string(&declaration.name)),
        ("description", JsonText::string(&declaration.description)),
    ];
    members.extend(declaration.parameters.clone().map(|schema| ("parameters", schema)));
    members.extend(declaration.response.clone().map(|schema| ("response", schema)));
    let described = |schema| describe_arguments(&schema, &declaration.description);
    let parameters = declaration.parameters.map(described);
    Ok(ToolView {
        name,
        title: None,
        description: declaration.description,
        declaration: object(&members),
        parameters,
        response_schema: declaration.response,
        long_running: false,
        needs_confirmation: false,
        agent_model: None,
        can_be_played: false,
        provided_by: String::new(),
        hints: ToolHints::default(),
        // The agent, which knows its own tools, receives the response as JSON text.
        integers_of_64_bits: false,
    })
}

fn object(members: &[(&str, JsonText)]) -> JsonText {
    let members: indexmap::IndexMap<_, _> = members.iter().cloned().collect();
    // Values with string keys always serialize.
    JsonText::serialize(&members).unwrap_or_else(|_| JsonText::null())
}

fn content(content: Content, context: &mut RowContext) -> LiveContent {
    LiveContent { role: role(content.role), parts: shown_parts(content.parts, context).0 }
}

fn role(role: Role) -> LiveRole {
    match role {
        Role::User => LiveRole::User,
        Role::Model => LiveRole::Model,
        Role::Function => LiveRole::Function,
    }
}

/// The parts that are shown, then the files of those that are shortened; and how many parts are left out.
fn shown_parts(parts: Vec<Part>, context: &mut RowContext) -> (Vec<LivePart>, usize) {
    let most = if context.extent == Extent::Line { PIECES } else { usize::MAX };
    let more = parts.len().saturating_sub(most);
    let mut shown: Vec<LivePart> =
        parts.into_iter().take(most).map(|it| part(it, context)).collect();
    shown.append(&mut context.cut);
    (shown, more)
}

fn part(part: Part, context: &mut RowContext) -> LivePart {
    let shown = match part {
        Part::Text(it) => LivePart::Text(context.text(it, "whole text.txt")),
        Part::Thought(it) => LivePart::Thought(context.text(it, "whole thought.txt")),
        Part::FunctionCall(call) => LivePart::Call {
            id: call.id,
            name: call.name,
            args: call.args.map(|it| context.value(it, "whole arguments.json")),
        },
        Part::FunctionResponse(response) => LivePart::Response {
            id: response.id,
            name: response.name,
            response: response.response.map(|it| context.value(it, "whole result.json")),
        },
        Part::InlineData(data) => file(data, context),
        Part::Other(other) => LivePart::Other {
            kind: other.kind,
            value: context.value(other.json, "whole part.json"),
        },
    };
    context.parts += 1;
    shown
}

/// Text files are shown as text, because the model reads them; other files get a URL.
fn file(file: InlineData, context: &RowContext) -> LivePart {
    let bytes = file.data.len() as u64;
    let content = (context.extent == Extent::Whole).then(|| {
        let words = is_text(&file.mime_type).then(|| String::from_utf8(file.data));
        let at = context.address();
        match words {
            Some(Ok(it)) => LiveBytes::Text { text: text(it, context.longest), at },
            _ => LiveBytes::At(at),
        }
    });
    LivePart::Data { mime_type: file.mime_type, bytes, name: file.display_name, content }
}

fn text(text: String, longest: usize) -> String {
    if text.len() <= longest {
        return text;
    }
    format!("{}…", &text[..text.floor_char_boundary(longest)])
}

fn value(value: JsonText, longest: usize) -> LiveValue {
    let bytes = value.byte_len();
    if bytes <= longest {
        return LiveValue::Whole(value);
    }
    let text = value.as_str();
    let head = text[..text.floor_char_boundary(longest)].to_owned();
    LiveValue::Head { text: head, bytes: bytes as u64 }
}
