//! [`Interceptor`]: wraps the tools and models of one case.

use std::sync::Arc;

use adk_core::{AdkError, Agent, Llm, Tool, Toolset};
use adk_tool::{AgentTool, ExitLoopTool};
use eval::gate::Gate;
use eval::given_model::{GivenModel, RealModel, real_model};
use eval::model::{Models, PERSON};

use crate::events::InnerAgent;
use crate::model::{InterceptedModel, Source};
use crate::shared::Shared;
use crate::tool::{InterceptedTool, InterceptedToolset, Interception};

/// Wraps the tools and models of one case. A factory gets one and gives the agent nothing else.
#[derive(Clone)]
pub struct Interceptor {
    pub(crate) shared: Arc<Shared>,
}

impl Interceptor {
    pub(crate) fn new(gate: &Arc<Gate>, models: &Models) -> Self {
        Self { shared: Arc::new(Shared::new(gate, models)) }
    }

    /// The tool with a body that runs only if the case says so. Callbacks and confirmations of the agent that
    /// has it run as usual.
    #[must_use]
    pub fn tool(&self, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        Arc::new(InterceptedTool::new(tool, Interception::Decided, &self.shared))
    }

    /// The toolset, every tool of which is wrapped when the agent lists it. The code that lists them runs.
    #[must_use]
    pub fn toolset(&self, toolset: Arc<dyn Toolset>) -> Arc<dyn Toolset> {
        self.shared.note_toolset();
        Arc::new(InterceptedToolset::new(toolset, &self.shared))
    }

    /// An agent as a tool. The agent runs, and its own tools are those that were wrapped when it was built.
    /// `configure` sets the other options of an [`AgentTool`], such as `skip_summarization`.
    #[must_use]
    pub fn agent_tool(
        &self,
        agent: Arc<dyn Agent>,
        configure: impl FnOnce(AgentTool) -> AgentTool,
    ) -> Arc<dyn Tool> {
        let agent = Arc::new(InnerAgent::new(agent, &self.shared));
        let tool = Arc::new(configure(AgentTool::new(agent)));
        Arc::new(InterceptedTool::new(tool, Interception::Passes, &self.shared))
    }

    /// The tool with which an agent ends the loop that it runs in. It is control flow and always runs.
    #[must_use]
    pub fn exit_loop(&self) -> Arc<dyn Tool> {
        let tool = Arc::new(ExitLoopTool::new());
        Arc::new(InterceptedTool::new(tool, Interception::Passes, &self.shared))
    }

    /// The model of the agent of this name: the one that the case gives, or else the one that `own` makes.
    /// `own` is not called if the case gives a model, so that no key is needed then.
    ///
    /// # Errors
    /// The error of `own`, or that the model that the case names is not known or its key is missing.
    pub fn model(
        &self,
        agent: &str,
        own: impl FnOnce() -> adk_core::Result<Arc<dyn Llm>>,
    ) -> adk_core::Result<Arc<dyn Llm>> {
        let given = self.shared.gate.model();
        let is_of_engine = given.is_some_and(GivenModel::is_of_engine);
        let real = match real_model(given) {
            None => None,
            Some(RealModel::Own) => Some(own()?),
            Some(RealModel::Named(name)) => {
                let models = &self.shared.models;
                let model = match name {
                    PERSON => self.shared.person().model(agent),
                    name => models.model(name),
                };
                let model = model.map_err(|error| AdkError::config(error.to_string()))?;
                Some(model.client())
            }
        };
        let source = match (is_of_engine, real) {
            (true, Some(model)) => Source::Fork(model),
            (false, Some(model)) => Source::Asked(model),
            (_, None) => Source::Given(given.map_or("", GivenModel::label).to_owned()),
        };
        let model = InterceptedModel::new(agent, source, &self.shared);
        self.shared.note_model(agent, model.name());
        self.shared.gate.note_agents([agent.to_owned()]);
        Ok(Arc::new(model))
    }
}
