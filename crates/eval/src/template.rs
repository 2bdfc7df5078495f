//! [`Template`]: a text that is filled with values.

use std::fmt;
use std::sync::Arc;

/// A text with placeholders, such as `{{ args.city }}`.
#[derive(Clone)]
pub struct Template {
    environment: Arc<minijinja::Environment<'static>>,
    source: Arc<str>,
}

/// The name of the only template of an environment.
const ONLY: &str = "template";

impl Template {
    /// Reads a template in the syntax of Jinja. A name that is not given is an error, not an empty text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut environment = minijinja::Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        environment
            .add_template_owned(ONLY, source.to_owned())
            .map_err(|error| error.to_string())?;
        Ok(Self { environment: Arc::new(environment), source: source.into() })
    }

    /// Fills the template.
    ///
    /// # Errors
    /// A name that is not given, or another error at a place of the template.
    pub fn fill(&self, names: &impl serde::Serialize) -> Result<String, String> {
        let template = self.environment.get_template(ONLY).map_err(|error| error.to_string())?;
        template.render(minijinja::value::Serde(names)).map_err(|error| error.to_string())
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.source, formatter)
    }
}
