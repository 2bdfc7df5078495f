//! [`ArgumentRules`]: the matchers of arguments, by tool.

use json_text::{JsonValue, Kind, pointer};

use super::matcher::{Matcher, Schemas};
use crate::config_fault::ConfigFault;
use crate::json::{Equality, Fitting, ValueComparison, pointer_step};

/// Matchers by tool and argument.
#[derive(Debug, Clone, Default)]
pub struct ArgumentRules {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    /// `None` for any tool.
    tool: Option<String>,
    /// The steps from the arguments inwards; `None` for any one step.
    path: Vec<Option<String>>,
    matcher: Matcher,
}

impl ArgumentRules {
    /// Reads the rules of a config: an object of tools, `*` for any, each with an object of
    /// arguments and their matchers.
    ///
    /// An argument is named by its name, or by a JSON pointer into the arguments, in which `*` is
    /// any one step; the empty name is all arguments together. A rule for a tool precedes one for any
    /// tool; otherwise the first matching rule applies.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use json_text::JsonIndex;
    /// use scoring::trajectory::{ArgumentRules, NoSchemas};
    ///
    /// let text = JsonText::parse(r#"{"book": {"request_id": "ignore", "/seats/*/price": {"tolerance": 0.01}}}"#)?;
    /// let rules = ArgumentRules::read(JsonIndex::of(&text).root(), "", &NoSchemas)?;
    /// assert!(!rules.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first [`ConfigFault`], with its place.
    pub fn read(
        value: JsonValue<'_>,
        place: &str,
        schemas: &dyn Schemas,
    ) -> Result<Self, ConfigFault> {
        let mut rules = Vec::new();
        for (tool, arguments) in object(value, place, "tools")? {
            let place = format!("{place}{}", pointer_step(&tool));
            for (argument, matcher) in object(arguments, &place, "arguments")? {
                let place = format!("{place}{}", pointer_step(&argument));
                rules.push(Rule {
                    tool: (tool != "*").then(|| tool.to_string()),
                    path: steps(&argument),
                    matcher: Matcher::read(matcher, &place, schemas)?,
                });
            }
        }
        rules.sort_by_key(|rule| rule.tool.is_none());
        Ok(Self { rules })
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The tools that rules are for by name.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter_map(|rule| rule.tool.as_deref())
    }

    /// The arguments that rules are for by name, with the tool; `None` for any tool.
    pub fn arguments(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let named = self.rules.iter().filter_map(|rule| Some((rule, rule.path.first()?.as_ref()?)));
        named.map(|(rule, argument)| (rule.tool.as_deref(), argument.as_str()))
    }

    /// The rules for one tool.
    pub(super) fn of<'r>(&'r self, tool: &'r str, equality: Equality) -> ToolRules<'r> {
        ToolRules { rules: self, tool, equality }
    }
}

/// The members of an object in the order written; the last of duplicates.
fn object<'d>(
    value: JsonValue<'d>,
    place: &str,
    of: &str,
) -> Result<Vec<(std::borrow::Cow<'d, str>, JsonValue<'d>)>, ConfigFault> {
    if value.kind() == Kind::Object {
        Ok(value.entries())
    } else {
        Err(ConfigFault::new(place, format!("must be an object of {of} by name")))
    }
}

fn steps(argument: &str) -> Vec<Option<String>> {
    let step = |step: &str| (step != "*").then(|| pointer::name(step));
    match argument.strip_prefix('/') {
        Some(pointer) => pointer.split('/').map(step).collect(),
        None if argument.is_empty() => Vec::new(),
        None if argument == "*" => vec![None],
        None => vec![Some(argument.to_owned())],
    }
}

/// The rules for the calls of one tool.
pub(super) struct ToolRules<'r> {
    rules: &'r ArgumentRules,
    tool: &'r str,
    equality: Equality,
}

impl ValueComparison for ToolRules<'_> {
    fn compare_values(
        &self,
        path: &[String],
        expected: Option<JsonValue<'_>>,
        actual: Option<JsonValue<'_>>,
    ) -> Option<Fitting> {
        let is_here = |rule: &&Rule| {
            rule.tool.as_deref().is_none_or(|tool| tool == self.tool)
                && rule.path.len() == path.len()
                && rule
                    .path
                    .iter()
                    .zip(path)
                    .all(|(step, name)| step.as_ref().is_none_or(|step| step == name))
        };
        let rule = self.rules.rules.iter().find(is_here)?;
        rule.matcher.compare_values(expected, actual, self.equality)
    }
}
