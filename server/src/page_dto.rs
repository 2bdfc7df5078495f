//! Converts the host's agents and sessions to the page's types in [`api`].

use agents::SourceEvent;
use agents::registry::{AgentStatus, RegisteredAgent};
use api::{SessionEvent, SessionView};
use schema_check::Violation;
use schema_form::describe_arguments;

/// A row of the list of agents.
pub(crate) fn agent_summary(agent: &RegisteredAgent) -> api::AgentSummary {
    let (status, facts) = match agent.status() {
        AgentStatus::Starting(facts) => (api::AgentStatus::Starting, facts),
        AgentStatus::Ready(facts) => (api::AgentStatus::Ready, facts),
        AgentStatus::Faulted(fault) => (api::AgentStatus::Faulted(fault), Default::default()),
    };
    api::AgentSummary {
        id: agent.id.clone(),
        name: agent.name.clone(),
        source: agent.source.kind(),
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

/// The instructions and tools that the model would see now, for the page.
pub(crate) fn session_view(mut view: SessionView) -> SessionView {
    for tool in &mut view.tools {
        if let Some(schema) = &mut tool.parameters {
            *schema = describe_arguments(schema, &tool.description);
        }
    }
    view.runner_differences.clear();
    view
}

/// The violations of a value, by field.
pub(crate) fn field_messages(found: Vec<Violation>) -> Vec<api::FieldMessage> {
    let found = found.into_iter();
    found.map(|it| api::FieldMessage { pointer: it.pointer, text: it.text }).collect()
}

/// An event of a session outside of calls.
pub(crate) fn session_event(event: SourceEvent) -> SessionEvent {
    match event {
        SourceEvent::Progress(progress) => SessionEvent::Progress(progress),
        SourceEvent::Asked(question) => SessionEvent::Asked(question),
        SourceEvent::Withdrawn { session, number } => SessionEvent::Withdrawn { session, number },
        SourceEvent::TakenUp { session } => SessionEvent::TakenUp { session },
        SourceEvent::Closed { session } => SessionEvent::Closed { session },
        SourceEvent::CatalogChanged(mut change) => {
            change.view = session_view(change.view);
            SessionEvent::CatalogChanged(change)
        }
    }
}
