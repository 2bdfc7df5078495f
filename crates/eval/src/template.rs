//! [`Template`]: a text that is filled with values.

use std::fmt;
use std::sync::Arc;

/// A text with placeholders, such as `{{ args.city }}`.
#[derive(Clone)]
pub struct Template {
    environment: Arc<minijinja::Environment<'static>>,
    source: Arc<str>,
}

/// Why a template cannot be read or filled, and where in it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TemplateError(minijinja::Error);

/// The name of the only template of an environment.
const ONLY: &str = "template";

impl Template {
    /// Reads a template in the syntax of Jinja. A name that is not given is an error, not an empty text.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        let mut environment = minijinja::Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        environment.add_template_owned(ONLY, source.to_owned()).map_err(TemplateError)?;
        Ok(Self { environment: Arc::new(environment), source: source.into() })
    }

    /// Fills the template.
    ///
    /// # Errors
    /// [`TemplateError`], such as for a name that is not given.
    pub fn fill(&self, names: &impl serde::Serialize) -> Result<String, TemplateError> {
        let template = self.environment.get_template(ONLY).map_err(TemplateError)?;
        template.render(minijinja::value::Serde(names)).map_err(TemplateError)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.source, formatter)
    }
}
