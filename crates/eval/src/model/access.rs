//! [`Variables`]: keys and addresses of services, from the environment.

use std::collections::HashMap;
use std::sync::Arc;

use super::name::{ModelNameError, Service};
use super::person::CANCEL_AFTER;

/// The address of a host that `rehearsal serve` starts.
const DEFAULT_HOST: &str = "http://127.0.0.1:4180";

/// The variables that name keys and addresses: those that the services' own clients and google-adk read.
#[derive(Clone)]
pub struct Variables(Source);

#[derive(Clone)]
enum Source {
    /// With the address of the host that runs this process, if one does.
    Environment(Option<Arc<str>>),
    Given(Arc<HashMap<String, String>>),
}

/// How a service is reached.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Access {
    /// Empty for a service that needs none.
    pub(super) key: String,
    /// `None` for the address that the client knows.
    pub(super) base_url: Option<String>,
    /// The seconds after which a host cancels a request to a person that nobody waits for any more.
    pub(super) cancel_after: u32,
}

impl Variables {
    /// The variables of this process.
    #[must_use]
    pub fn environment() -> Self {
        Self(Source::Environment(None))
    }

    /// With the host of this address, where the environment names none.
    pub(super) fn with_host(self, host: &str) -> Self {
        match self.0 {
            Source::Environment(_) => Self(Source::Environment(Some(host.into()))),
            Source::Given(_) => self,
        }
    }

    /// These variables, and no others.
    #[must_use]
    pub fn given<'v>(variables: impl IntoIterator<Item = (&'v str, &'v str)>) -> Self {
        let owned = variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self(Source::Given(Arc::new(owned.collect())))
    }

    /// How the service is reached; `name` is the model's, for the error.
    pub(super) fn access(&self, service: Service, name: &str) -> Result<Access, ModelNameError> {
        let keys: &'static [&'static str] = match service {
            Service::Gemini => &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
            Service::OpenAi => &["OPENAI_API_KEY"],
            Service::Anthropic => &["ANTHROPIC_API_KEY"],
            Service::Ollama => &[],
            Service::Person => &["REHEARSAL_TOKEN"],
        };
        let base_url = self.base_url(service);
        if let Some(url) = base_url.as_deref().filter(|url| !is_address(url)) {
            let (variable, value) = (variable(service), url.to_owned());
            return Err(ModelNameError::Address { name: name.to_owned(), variable, value });
        }
        let key = keys.iter().find_map(|key| self.get(key));
        let needs_key = match service {
            Service::Gemini | Service::Anthropic => true,
            // Servers that speak OpenAI's format often need none.
            Service::OpenAi => base_url.is_none(),
            Service::Ollama | Service::Person => false,
        };
        if key.is_none() && needs_key {
            return Err(ModelNameError::NoKey { name: name.to_owned(), variables: keys });
        }
        Ok(Access { key: key.unwrap_or_default(), base_url, cancel_after: CANCEL_AFTER })
    }

    /// The address of the service; `None` for the one that the client knows.
    pub(super) fn base_url(&self, service: Service) -> Option<String> {
        let url = self.get(variable(service));
        match (service, url) {
            (Service::Gemini, Some(url)) => Some(with_version(&url)),
            (Service::Ollama, url) => Some(ollama(url.as_deref())),
            (Service::Person, url) => {
                let url = url.as_deref().unwrap_or(DEFAULT_HOST).trim_end_matches('/');
                Some(if url.contains("://") { url.to_owned() } else { format!("http://{url}") })
            }
            (_, url) => url.map(|url| url.trim_end_matches('/').to_owned()),
        }
    }

    /// A variable that is set and not empty.
    fn get(&self, name: &str) -> Option<String> {
        let value = match &self.0 {
            Source::Environment(_) => std::env::var(name).ok(),
            Source::Given(given) => given.get(name).cloned(),
        };
        let value = value.filter(|value| !value.is_empty());
        match &self.0 {
            Source::Environment(Some(host)) if name == variable(Service::Person) => {
                value.or_else(|| Some(host.to_string()))
            }
            _ => value,
        }
    }
}

/// The variable that names the address of a service.
const fn variable(service: Service) -> &'static str {
    match service {
        Service::Gemini => "GOOGLE_GEMINI_BASE_URL",
        Service::OpenAi => "OPENAI_BASE_URL",
        Service::Anthropic => "ANTHROPIC_BASE_URL",
        Service::Ollama => "OLLAMA_HOST",
        Service::Person => "REHEARSAL_SERVER_URL",
    }
}

/// Whether this is a URL of HTTP with a host that can be one.
fn is_address(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://")) else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match authority.strip_prefix('[').map(|inner| inner.split_once(']')) {
        Some(Some((address, port))) => {
            let is_number = address.parse::<std::net::Ipv6Addr>().is_ok();
            (if is_number { "v6" } else { "" }, port)
        }
        Some(None) => return false,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_name = |host: &str| host.chars().all(|it| it.is_alphanumeric() || "-._".contains(it));
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    !host.is_empty()
        && is_name(host)
        && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

/// `GOOGLE_GEMINI_BASE_URL` names the host, and `adk-model` wants the version too.
fn with_version(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let has_version = url.rsplit('/').next().is_some_and(|last| {
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()))
    });
    if has_version { format!("{url}/") } else { format!("{url}/v1beta/") }
}

/// The address at which Ollama speaks OpenAI's format. `OLLAMA_HOST` may lack the scheme and the port.
fn ollama(host: Option<&str>) -> String {
    let host = host.unwrap_or("localhost").trim_end_matches('/');
    let url = if host.contains("://") { host.to_owned() } else { format!("http://{host}") };
    let has_port = url.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port || host.contains("://") { format!("{url}/v1") } else { format!("{url}:11434/v1") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(service: Service, given: &[(&str, &str)]) -> Result<(String, String), String> {
        let access = Variables::given(given.iter().copied()).access(service, "it");
        let access = access.map_err(|error| error.to_string())?;
        Ok((access.key, access.base_url.unwrap_or_default()))
    }

    fn given(key: &str, url: &str) -> Result<(String, String), String> {
        Ok((key.to_owned(), url.to_owned()))
    }

    #[test]
    fn what_is_not_an_address_is_refused_with_its_variable() {
        let person = |url: &str| access(Service::Person, &[("REHEARSAL_SERVER_URL", url)]);
        for url in ["http://a", "a:4180", "https://a.b/team", "http://[::1]:80", "http://k@a:1"] {
            assert!(person(url).is_ok(), "{url}");
        }
        for url in ["not a url", "http://", ":::", "ftp://a", "http://[::1", "a:b", "a:0"] {
            let error = person(url).expect_err(url);
            assert!(
                error.contains("which REHEARSAL_SERVER_URL names; write an address"),
                "{error}"
            );
        }
        let gemini = [("GEMINI_API_KEY", "k"), ("GOOGLE_GEMINI_BASE_URL", "a b")];
        assert!(access(Service::Gemini, &gemini).is_err());
    }

    #[test]
    fn keys_are_needed_where_the_service_has_them() {
        let missing =
            "it needs a key; set the environment variable GEMINI_API_KEY or GOOGLE_API_KEY";
        assert_eq!(access(Service::Gemini, &[("GEMINI_API_KEY", "")]), Err(missing.to_owned()));
        assert_eq!(access(Service::Gemini, &[("GOOGLE_API_KEY", "k")]), given("k", ""));
        let missing = "it needs a key; set the environment variable OPENAI_API_KEY";
        assert_eq!(access(Service::OpenAi, &[]), Err(missing.to_owned()));
        let local = [("OPENAI_BASE_URL", "http://localhost:8000/v1/")];
        assert_eq!(access(Service::OpenAi, &local), given("", "http://localhost:8000/v1"));
    }

    #[test]
    fn addresses_are_completed() {
        let gemini = |url| {
            let given = [("GEMINI_API_KEY", "k"), ("GOOGLE_GEMINI_BASE_URL", url)];
            access(Service::Gemini, &given).expect("reachable").1
        };
        assert_eq!(gemini("http://host"), "http://host/v1beta/");
        assert_eq!(gemini("http://host/v1/"), "http://host/v1/");
        let ollama = |given: &[(&str, &str)]| access(Service::Ollama, given).expect("reachable").1;
        assert_eq!(ollama(&[]), "http://localhost:11434/v1");
        assert_eq!(ollama(&[("OLLAMA_HOST", "0.0.0.0:99")]), "http://0.0.0.0:99/v1");
        assert_eq!(
            ollama(&[("OLLAMA_HOST", "https://ollama.example")]),
            "https://ollama.example/v1"
        );
    }
}
