//! [`LimitedClient`]: a model for agents of adk-rust that shares its limit with everything else that asks it.

use adk_core::{AdkError, Llm, LlmRequest, LlmResponse, LlmResponseStream, Result, SchemaAdapter};
use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _};

use super::Model;
use super::client::says_something;
use super::failure::{FailureKind, ModelFailure};

/// A model with the limit, the retries and the timeout of [`Model::ask`].
pub(super) struct LimitedClient {
    model: Model,
}

impl LimitedClient {
    pub(super) fn new(model: Model) -> Self {
        Self { model }
    }

    /// Asks once. A request is over when its last response is read, so a stream is read as a whole.
    async fn responses(
        &self,
        request: LlmRequest,
        stream: bool,
    ) -> std::result::Result<Vec<LlmResponse>, ModelFailure> {
        let failed = |error: AdkError| ModelFailure::of(&self.model.name, &error);
        let responses = self.model.llm.generate_content(request, stream).await.map_err(failed)?;
        let responses: Vec<LlmResponse> = responses.try_collect().await.map_err(failed)?;
        let unavailable = |message: String| {
            Err(ModelFailure::new(&self.model.name, FailureKind::Unavailable, message))
        };
        if let Some(message) = responses.iter().find_map(|it| it.error_message.clone()) {
            return unavailable(message);
        }
        let says_something =
            responses.iter().filter_map(|it| it.content.as_ref()).any(says_something);
        // The host would give the response of a person again.
        let is_person = self.model.person.is_some();
        if says_something || is_person {
            return Ok(responses);
        }
        unavailable("its answer has neither a text nor a call".to_owned())
    }
}

#[async_trait]
impl Llm for LimitedClient {
    fn name(&self) -> &str {
        self.model.llm.name()
    }

    async fn generate_content(
        &self,
        request: LlmRequest,
        stream: bool,
    ) -> Result<LlmResponseStream> {
        let responses = self.model.repeated(|| self.responses(request.clone(), stream)).await;
        let responses = responses.map_err(|failure| AdkError::model(failure.to_string()))?;
        Ok(futures::stream::iter(responses.into_iter().map(Ok)).boxed())
    }

    fn schema_adapter(&self) -> &dyn SchemaAdapter {
        self.model.llm.schema_adapter()
    }

    fn uses_interactions_api(&self) -> bool {
        self.model.llm.uses_interactions_api()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use crate::model::{ModelSettings, Models, Variables};

    #[tokio::test]
    async fn an_agent_waits_for_the_limit_that_all_share() {
        let variables = Variables::given([("OPENAI_BASE_URL", "http://127.0.0.1:9")]);
        let settings = ModelSettings { most_at_once: 1, retries: 0, ..ModelSettings::default() };
        let models = Models::new(variables).with_settings(settings);
        let model = models.model("openai/m").expect("a model");
        let client = models.model("openai/m").expect("the same model").client();
        let request = || adk_core::LlmRequest::new("m", Vec::new());
        let place = model.limit.enter().await;
        let mut waiting = client.generate_content(request(), false);
        assert!(waiting.as_mut().now_or_never().is_none(), "the only place is taken");
        drop(place);
        let error = waiting.await.err().expect("nothing listens at this port");
        assert!(error.message.starts_with("openai/m gave no answer: "), "{}", error.message);
    }
}
