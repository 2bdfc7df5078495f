//! Names of models, as suites write them.

use scoring::nearest::nearest;

/// A service that has models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Service {
    Gemini,
    OpenAi,
    Anthropic,
    Ollama,
    /// A person, through a live session.
    Person,
}

/// The services by the names that stand before the slash.
const SERVICES: [(&str, Service); 4] = [
    ("gemini", Service::Gemini),
    ("openai", Service::OpenAi),
    ("anthropic", Service::Anthropic),
    ("ollama", Service::Ollama),
];

/// Names that say by themselves which service has the model.
const BEGINNINGS: [(&str, Service); 3] =
    [("gemini-", Service::Gemini), ("gpt-", Service::OpenAi), ("claude-", Service::Anthropic)];

/// The model that a person plays.
pub const PERSON: &str = "person";

/// Why a model cannot be asked. Known before anything runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelNameError {
    /// The name does not say which service has the model.
    #[error("{name} does not name a service; {suggestion}")]
    Unknown {
        /// The name.
        name: String,
        /// The nearest name, or the known services.
        suggestion: String,
    },
    /// There is no key.
    #[error("{name} needs a key; set the environment variable {}", .variables.join(" or "))]
    NoKey {
        /// The name.
        name: String,
        /// The variables that are looked at, in order.
        variables: &'static [&'static str],
    },
    /// A variable does not name an address.
    #[error(
        "{name} cannot be asked at {value}, which {variable} names; write an address such as http://127.0.0.1:4180"
    )]
    Address {
        /// The name.
        name: String,
        /// The variable.
        variable: &'static str,
        /// What it names.
        value: String,
    },
    /// The client refuses the model or its address.
    #[error("{name} cannot be used: {error}")]
    Client {
        /// The name.
        name: String,
        /// The reason.
        error: String,
    },
}

/// The service and its own name of the model.
pub(super) fn parse(name: &str) -> Result<(Service, &str), ModelNameError> {
    if name == PERSON {
        return Ok((Service::Person, name));
    }
    let unknown = |suggestion| ModelNameError::Unknown { name: name.to_owned(), suggestion };
    let known = || SERVICES.iter().map(|(service, _)| *service);
    match name.split_once('/') {
        Some((prefix, model)) if !model.is_empty() => {
            match SERVICES.iter().find(|(service, _)| *service == prefix) {
                Some((_, service)) => Ok((*service, model)),
                None => Err(unknown(nearest(prefix, known()))),
            }
        }
        Some((prefix, _)) => Err(unknown(format!("add the model, as in {prefix}/MODEL"))),
        None => match BEGINNINGS.iter().find(|(beginning, _)| name.starts_with(beginning)) {
            Some((_, service)) => Ok((*service, name)),
            None => {
                let services: Vec<&str> = known().collect();
                Err(unknown(format!(
                    "write it as SERVICE/{name}, with one of {}, or {PERSON}",
                    services.join(", ")
                )))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_service() {
        assert_eq!(parse("gemini-2.5-flash"), Ok((Service::Gemini, "gemini-2.5-flash")));
        assert_eq!(parse("gemini/gemma-3"), Ok((Service::Gemini, "gemma-3")));
        assert_eq!(parse("openai/gpt-5-mini"), Ok((Service::OpenAi, "gpt-5-mini")));
        assert_eq!(parse("gpt-4o-mini"), Ok((Service::OpenAi, "gpt-4o-mini")));
        assert_eq!(parse("openai/org/model"), Ok((Service::OpenAi, "org/model")));
        assert_eq!(parse("person"), Ok((Service::Person, "person")));
        assert_eq!(parse("ollama/qwen3:8b"), Ok((Service::Ollama, "qwen3:8b")));
    }

    #[test]
    fn other_names_are_refused_with_the_remedy() {
        let error = |name| parse(name).expect_err("unknown").to_string();
        assert_eq!(
            error("opnai/gpt-5"),
            "opnai/gpt-5 does not name a service; did you mean openai?"
        );
        assert_eq!(
            error("llama"),
            "llama does not name a service; write it as SERVICE/llama, with one of gemini, openai, \
             anthropic, ollama, or person"
        );
        assert_eq!(
            error("ollama/"),
            "ollama/ does not name a service; add the model, as in ollama/MODEL"
        );
    }
}
