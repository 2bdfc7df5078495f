//! The clients of models' services, from `adk-model`.

use std::sync::Arc;

use adk_core::{AdkError, Llm};
use adk_model::anthropic::{AnthropicClient, AnthropicConfig};
use adk_model::retry::RetryConfig;
use adk_model::{GeminiModel, OpenAICompatible, OpenAICompatibleConfig};

use super::access::Access;
use super::name::Service;
use super::person::CANCEL_AFTER_HEADER;

/// A client that does not retry by itself.
pub(super) fn open(
    service: Service,
    access: &Access,
    model: &str,
) -> Result<Arc<dyn Llm>, AdkError> {
    let Access { key, base_url, cancel_after } = access;
    let cancel_after = *cancel_after;
    let retry = RetryConfig::disabled();
    Ok(match service {
        Service::Gemini => {
            let client = match base_url {
                Some(url) => GeminiModel::new_with_base_url(key, model, url)?,
                None => GeminiModel::new(key, model)?,
            };
            Arc::new(client.with_retry_config(retry))
        }
        // The client for Ollama's own format hides the status of an answer.
        Service::OpenAi | Service::Ollama | Service::Person => {
            let name = match service {
                Service::Ollama => "ollama",
                _ => "openai",
            };
            let mut config = OpenAICompatibleConfig::new(key, model).with_provider_name(name);
            if let Some(url) = base_url {
                config = config.with_base_url(url);
            }
            let client = OpenAICompatible::new(config)?.with_retry_config(retry);
            Arc::new(match service {
                Service::Person => client.with_request_adapter(Arc::new(move |_, headers| {
                    headers.insert(CANCEL_AFTER_HEADER, cancel_after.into());
                    Ok(())
                })),
                _ => client,
            })
        }
        Service::Anthropic => {
            let mut config = AnthropicConfig::new(key, model);
            if let Some(url) = base_url {
                config = config.with_base_url(url);
            }
            Arc::new(AnthropicClient::new(config)?.with_retry_config(retry))
        }
    })
}
