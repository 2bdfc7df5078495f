//! Converts the host's agents and sessions to the page's types in [`api`].

use agents::registry::{AgentStatus, RegisteredAgent};
use agents::{
    AgentFault, Answer, Artifact, Asks, LogLine, Question, SampledMessage, SessionView,
    SourceEvent, SourceKind, ToolView, Workflow,
};
use schema_check::Violation;
use schema_form::describe_arguments;
use trace_export::{
    AnsweredTurn, CallSide, ComparedCall, ComparedText, Comparison, LiveRun, MatchStatus,
};

use crate::served_file::is_text;

/// A row of the list of agents.
pub(crate) fn agent_summary(agent: &RegisteredAgent) -> api::AgentSummary {
    let (status, facts) = match agent.status() {
        AgentStatus::Starting(facts) => (api::AgentStatus::Starting, facts),
        AgentStatus::Ready(facts) => (api::AgentStatus::Ready, facts),
        AgentStatus::Faulted(fault) => {
            (api::AgentStatus::Faulted(agent_fault(fault)), Default::default())
        }
    };
    api::AgentSummary {
        id: agent.id.clone(),
        name: agent.name.clone(),
        source: match agent.source.kind() {
            SourceKind::Native => api::SourceKind::Native,
            SourceKind::AdkPython => api::SourceKind::AdkPython,
            SourceKind::Mcp => api::SourceKind::Mcp,
        },
        status,
        description: json_text::written_out::visible_text(&facts.description),
        model: facts.model,
        tools: facts.tools,
        eval_set_path: agent.eval_set_path.display().to_string(),
        runtime: facts.runtime,
        loads: agent.loads(),
        is_changed: agent.is_changed(),
        is_slow: agent.is_slow(),
        is_removed: agent.gone().is_some(),
    }
}

/// Why an agent failed to load.
pub(crate) fn agent_fault(fault: AgentFault) -> api::AgentFault {
    let AgentFault { reason, error_type, traceback } = fault;
    api::AgentFault { reason, error_type, traceback }
}

/// One line of an agent's log.
pub(crate) fn log_line(line: LogLine) -> api::LogLine {
    let LogLine { number, at_ms, text, by_host } = line;
    api::LogLine { number, at_ms, text, by_host }
}

/// The instructions and tools that the model would see now.
pub(crate) fn session_view(view: SessionView) -> api::SessionView {
    api::SessionView {
        app_name: view.app_name,
        agent: api::ActiveAgent {
            name: view.agent.name,
            description: view.agent.description,
            kind: view.agent.kind,
            model: view.agent.model,
        },
        instruction: view.instruction,
        instruction_template: view.instruction_template,
        tools: view.tools.into_iter().map(tool_view).collect(),
        model_side_tools: view.model_side_tools,
        input_schema: view.input_schema,
        output_schema: view.output_schema,
        sub_agents: view
            .sub_agents
            .into_iter()
            .map(|it| api::SubAgent { name: it.name, description: it.description })
            .collect(),
        workflow: view.workflow.map(workflow),
        state: view.state,
        warnings: view.warnings,
        server_instructions: view
            .server_instructions
            .into_iter()
            .map(|it| api::ServerInstructions {
                server: it.server,
                text: it.text,
                is_included: it.is_included,
            })
            .collect(),
        artifacts: view.artifacts.into_iter().map(artifact).collect(),
    }
}

/// The workflow that the person acts as one agent of.
pub(crate) fn workflow(workflow: Workflow) -> api::Workflow {
    let Workflow { name, kind, folder } = workflow;
    api::Workflow { name, kind, folder }
}

fn artifact(artifact: Artifact) -> api::Artifact {
    let Artifact { filename, version, mime_type, bytes } = artifact;
    let mime_type = mime_type.unwrap_or_default();
    api::Artifact { filename, version, is_text: is_text(&mime_type), mime_type, bytes }
}

fn tool_view(tool: ToolView) -> api::ToolView {
    let parameters = tool.parameters.map(|schema| describe_arguments(&schema, &tool.description));
    api::ToolView {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        declaration: tool.declaration,
        parameters,
        response_schema: tool.response_schema,
        long_running: tool.long_running,
        needs_confirmation: tool.needs_confirmation,
        agent_model: tool.agent_model,
        can_be_played: tool.can_be_played,
        provided_by: tool.provided_by,
        hints: api::ToolHints {
            read_only: tool.hints.read_only,
            destructive: tool.hints.destructive,
            idempotent: tool.hints.idempotent,
            open_world: tool.hints.open_world,
        },
        integers_of_64_bits: tool.integers_of_64_bits,
    }
}

/// The violations of a value, by field.
pub(crate) fn field_messages(found: Vec<Violation>) -> Vec<api::FieldMessage> {
    let found = found.into_iter();
    found.map(|it| api::FieldMessage { pointer: it.pointer, text: it.text }).collect()
}

/// An event of a session outside of calls.
pub(crate) fn session_event(event: SourceEvent) -> api::SessionEvent {
    match event {
        SourceEvent::Progress(it) => api::SessionEvent::Progress(api::CallProgressed {
            session: it.session,
            call_id: it.call_id,
            done: it.done,
            total: it.total,
            message: it.message,
        }),
        SourceEvent::Asked(it) => api::SessionEvent::Asked(Box::new(question(*it))),
        SourceEvent::Withdrawn { session, number } => {
            api::SessionEvent::Withdrawn { session, number }
        }
        SourceEvent::TakenUp { session } => api::SessionEvent::TakenUp { session },
        SourceEvent::Closed { session } => api::SessionEvent::Closed { session },
        SourceEvent::CatalogChanged(it) => {
            api::SessionEvent::CatalogChanged(Box::new(api::CatalogChange {
                session: it.session,
                view: session_view(it.view),
                added: it.added,
                removed: it.removed,
                changed: it.changed,
            }))
        }
    }
}

/// A question that waits for the person.
pub(crate) fn question(question: Question) -> api::Question {
    let Question { session, number, asked_by, call_id, asks } = question;
    let asks = match asks {
        Asks::Form { message, schema, unchecked } => api::Asks::Form { message, schema, unchecked },
        Asks::Visit { message, url } => api::Asks::Visit { message, url },
        Asks::Message(request) => api::Asks::Message(api::SamplingRequest {
            system_prompt: request.system_prompt,
            messages: request.messages.into_iter().map(sampled_message).collect(),
            max_tokens: request.max_tokens,
            rest: request.rest,
        }),
    };
    api::Question { session, number, asked_by, call_id, asks }
}

fn sampled_message(message: SampledMessage) -> api::SampledMessage {
    let SampledMessage { role, text, content } = message;
    api::SampledMessage { role, text, content }
}

/// The person's answer to a question.
pub(crate) fn answer(answer: api::Answer) -> Answer {
    match answer {
        api::Answer::Accept(values) => Answer::Accept(values),
        api::Answer::Decline => Answer::Decline,
        api::Answer::Dismiss => Answer::Dismiss,
        api::Answer::Message(text) => Answer::Message(text),
    }
}

/// Two cases side by side: their names, the differences, and what is not compared.
pub(crate) fn comparison(
    (expected, actual): (api::CaseName, Option<api::CaseName>),
    compared: Comparison,
    left_out: Option<String>,
) -> api::CaseComparison {
    let Comparison { scores, why, turns, state } = compared;
    let scores = scores.into_iter();
    let scores = scores
        .map(|it| api::ComparedScore { name: it.name, score: it.score, note: it.note })
        .collect();
    let turns = turns.into_iter().map(|turn| api::ComparedTurn {
        query: compared_text(turn.query),
        calls: turn.calls.into_iter().map(compared_call).collect(),
        note: turn.note,
        response: compared_text(turn.response),
    });
    let (turns, state) = (turns.collect(), state.map(compared_text));
    api::CaseComparison { expected, actual, scores, why, left_out, turns, state }
}

fn compared_text(text: ComparedText) -> api::ComparedText {
    let ComparedText { expected, actual, is_same, parts } = text;
    api::ComparedText { expected, actual, is_same, parts }
}

fn compared_call(call: ComparedCall) -> api::ComparedCall {
    let side = |it: CallSide| api::CallSide { tool: it.tool, arguments: it.arguments };
    api::ComparedCall {
        status: match call.status {
            MatchStatus::Same => api::MatchStatus::Same,
            MatchStatus::Changed => api::MatchStatus::Changed,
            MatchStatus::Missing => api::MatchStatus::Missing,
            MatchStatus::Extra => api::MatchStatus::Extra,
        },
        expected: call.expected.map(side),
        actual: call.actual.map(side),
        differing: call.differing,
        has_other_result: call.has_other_result,
    }
}

/// One run of an agent in a live session.
pub(crate) fn live_run(run: LiveRun) -> api::LiveRun {
    let turn = |it: AnsweredTurn| api::AnsweredTurn {
        answer: it.answer,
        agent: it.agent,
        calls: it.calls,
        text: it.text,
        ends: it.ends,
    };
    api::LiveRun {
        agent: run.agent,
        query: run.query,
        turns: run.turns.into_iter().map(turn).collect(),
        left_out: run.left_out,
        later_user_messages: run.later_user_messages,
    }
}
