//! [`read`]: a conformance test of google-adk as a recorded case.
//!
//! `adk conformance record` writes two files beside `spec.yaml`. `generated-recordings.yaml` has what models responded and
//! tools returned, before any callback changed it; `generated-session.yaml` has the events that came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use evalset::Case;
use evalset::adk::{AdkMark, EvalCase, SessionInput};
use json_text::JsonText;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::given_model::{GivenModel, ModelTurn};
use crate::recorded_events::{EventFault, RecordedTurns, content_of};
use crate::recorded_session::{RecordedCase, SessionFacts, model_turn};

/// The file that people write.
pub(crate) const SPEC: &str = "spec.yaml";

/// The recordings without and with streaming, each with its session.
const GENERATED: [(&str, &str); 2] = [
    ("generated-recordings.yaml", "generated-session.yaml"),
    ("generated-recordings-sse.yaml", "generated-session-sse.yaml"),
];

/// Keys of the state that google-adk's own plugins set while they record.
const OF_PLUGINS: [&str; 2] = ["_adk_recordings_config", "_adk_replay_config"];

/// What a person has specified. The messages are in the session too.
#[derive(Debug, Deserialize)]
struct Spec {
    agent: String,
    #[serde(default)]
    initial_state: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Recordings {
    recordings: Vec<Recording>,
}

#[derive(Debug, Deserialize)]
struct Recording {
    user_message_index: usize,
    agent_name: String,
    llm_recording: Option<LlmRecording>,
    tool_recording: Option<ToolRecording>,
}

#[derive(Debug, Deserialize)]
struct LlmRecording {
    llm_responses: Option<Vec<LlmResponse>>,
}

#[derive(Debug, Deserialize)]
struct LlmResponse {
    content: Option<Value>,
    partial: Option<bool>,
    error_code: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ToolRecording {
    tool_call: Option<RecordedId>,
    tool_response: Option<ToolResponse>,
}

#[derive(Debug, Deserialize)]
struct RecordedId {
    id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ToolResponse {
    response: Option<Value>,
}

/// The files of one test.
struct Files {
    spec: PathBuf,
    recordings: PathBuf,
    session: PathBuf,
}

impl Files {
    /// Those of the test that has the file `path`.
    fn of(path: &Path) -> Self {
        let beside = |name: &str| path.with_file_name(name);
        let is_given = |(recordings, _): &&(&str, &str)| path.ends_with(recordings);
        let is_there = |(recordings, _): &&(&str, &str)| beside(recordings).is_file();
        let found = GENERATED.iter().find(is_given).or_else(|| GENERATED.iter().find(is_there));
        let (recordings, session) = found.copied().unwrap_or(GENERATED[0]);
        Self { spec: beside(SPEC), recordings: beside(recordings), session: beside(session) }
    }
}

/// Whether a file is one of a conformance test: by its name, and a specification by its text too, because suites may have
/// the name.
pub(crate) fn is_conformance_test(path: &Path, text: &str) -> bool {
    if GENERATED.iter().any(|(recordings, _)| path.ends_with(recordings)) {
        return true;
    }
    let has = |spec: &Value, name: &str| spec.get(name).is_some();
    path.ends_with(SPEC)
        && serde_saphyr::from_str::<Value>(text)
            .is_ok_and(|spec| has(&spec, "agent") && !has(&spec, "cases"))
}

/// The agent that the test is of: a folder, with dots between the names of nested ones.
pub(crate) fn agent(path: &Path) -> Option<PathBuf> {
    let spec: Spec = yaml(&Files::of(path).spec).ok()?;
    Some(spec.agent.split('.').collect())
}

/// The case of the test that has the file `path`.
///
/// # Errors
/// Everything that cannot be read, with the file.
pub(crate) fn read(path: &Path) -> Result<RecordedCase, Vec<EventFault>> {
    let files = Files::of(path);
    let one = |fault| vec![fault];
    let spec: Spec = yaml(&files.spec).map_err(one)?;
    let recordings: Recordings = generated(&files.recordings).map_err(one)?;
    let session: Value = generated(&files.session).map_err(one)?;
    let mut recorded = RecordedTurns::read(&JsonText::from_value(&session)).map_err(|faults| {
        faults.into_iter().map(|fault| fault.in_file(&name_of(&files.session))).collect::<Vec<_>>()
    })?;
    let mut models = vec![BTreeMap::<String, Vec<ModelTurn>>::new(); recorded.turns.len()];
    for (at, recording) in recordings.recordings.iter().enumerate() {
        let place = format!("{}: recordings[{at}]", name_of(&files.recordings));
        if let Some(tool) = &recording.tool_recording {
            recorded.note_result(tool);
        }
        let Some(llm) = &recording.llm_recording else { continue };
        let Some(of_turn) = models.get_mut(recording.user_message_index) else {
            let reason = format!(
                "it is of message {}, and the session has {}; record the test again",
                recording.user_message_index,
                recorded.turns.len()
            );
            return Err(one(EventFault::new(place, reason)));
        };
        if let Some(turn) = response(llm, &place).map_err(one)? {
            of_turn.entry(recording.agent_name.clone()).or_default().push(turn);
        }
    }
    let mut changes = std::mem::take(&mut recorded.changes);
    let mut state = initial_state(&session, spec.initial_state);
    if let Some(first) = changes.first_mut() {
        state.extend(std::mem::take(first));
    }
    let state = JsonText::from_value(&Value::Object(state));
    let input = SessionInput::new(&spec.agent, "adk_conformance_test_user", state);
    let case = EvalCase {
        session_input: Some(input),
        ..EvalCase::new(case_name(&files.spec), recorded.turns)
    };
    let model = Some(GivenModel::ReplayByAgent(Arc::new(models)));
    let session = SessionFacts { calls: recorded.facts, model, changes };
    Ok(RecordedCase { case: Case::Adk(case), session: Some(session) })
}

impl RecordedTurns {
    /// Replaces what the events say of a call by what its tool itself returned.
    fn note_result(&mut self, tool: &ToolRecording) {
        let id = tool.tool_call.as_ref().and_then(|call| call.id.as_ref());
        let response = tool.tool_response.as_ref().and_then(|it| it.response.as_ref());
        if let (Some(id), Some(response)) = (id, response) {
            let result = AdkMark::result_of(&JsonText::from_value(response));
            // A tool that returns nothing may wait, and has no event then.
            if self.facts.contains_key(id) || result != JsonText::null() {
                self.facts.entry(id.clone()).or_default().result = Some(result);
            }
        }
    }
}

/// The response of a model; of one that was streamed, the whole at its end.
fn response(llm: &LlmRecording, place: &str) -> Result<Option<ModelTurn>, EventFault> {
    let mut responses = llm.llm_responses.iter().flatten();
    let Some(last) = responses.rfind(|it| it.partial != Some(true)) else {
        return Ok(None);
    };
    let Some(content) = &last.content else {
        return match &last.error_code {
            None => Ok(Some(ModelTurn::default())),
            Some(code) => Err(EventFault::new(
                place,
                format!(
                    "the model failed with {code}, which is not repeated; record the test again"
                ),
            )),
        };
    };
    let content = content_of(&content.to_string(), &format!("{place}.llm_recording"))?;
    let calls: Vec<_> =
        content.parts().iter().filter_map(|part| part.function_call.as_ref()).collect();
    Ok(Some(model_turn(&content.text(), &calls)))
}

/// The state that the session began with: what was there at its end and never changed, such as the members of the agent's
/// `initial_state.json`, and what the specification gives.
fn initial_state(session: &Value, of_spec: Map<String, Value>) -> Map<String, Value> {
    let events = session["events"].as_array().into_iter().flatten();
    let deltas = events.filter_map(|event| event["actions"]["state_delta"].as_object());
    let changed: BTreeSet<&String> = deltas.flat_map(Map::keys).collect();
    let at_end = session["state"].as_object().into_iter().flatten();
    let is_kept = |key: &String| !changed.contains(key) && !OF_PLUGINS.contains(&key.as_str());
    let kept = at_end.filter(|(key, _)| is_kept(key));
    let kept = kept.map(|(key, value)| (key.clone(), value.clone()));
    kept.chain(of_spec).collect()
}

/// The name that google-adk shows: that of the folder, after that of the folder around it.
fn case_name(spec: &Path) -> String {
    let spec = std::path::absolute(spec).unwrap_or_else(|_| spec.to_owned());
    let names: Vec<_> = spec.ancestors().skip(1).take(2).filter_map(Path::file_name).collect();
    let names: Vec<_> = names.iter().rev().map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file that `adk conformance record` writes.
fn generated<T: DeserializeOwned>(path: &Path) -> Result<T, EventFault> {
    if path.is_file() {
        return yaml(path);
    }
    let reason = "it is missing; write it with `adk conformance record`";
    Err(EventFault::new(name_of(path), reason))
}

fn yaml<T: DeserializeOwned>(path: &Path) -> Result<T, EventFault> {
    let fault = |reason: String| EventFault::new(name_of(path), reason);
    let text = std::fs::read_to_string(path)
        .map_err(|error| fault(format!("it cannot be read: {error}")))?;
    serde_saphyr::from_str(&text).map_err(|error| {
        let error = error.to_string();
        let error = error.strip_prefix("error: ").unwrap_or(&error);
        fault(format!(
            "it is not as google-adk has it; correct it, or record the test again. {error}"
        ))
    })
}
