//! [`Fields`]: the members of an object of a config, taken by name; the rest is unknown.
//!
//! Configs belong to programs that ignore what they do not know. So an unknown member is a warning,
//! one whose name is nearly a known one is a fault, and one that begins with `_` is a comment.

use std::borrow::Cow;

use json_text::{JsonValue, Kind};

use crate::config_fault::ConfigFault;
use crate::json::pointer_step;
use crate::nearest::{meant, nearest};

/// The members of one object. Names are known in snake_case and camelCase, as ADK reads them; a
/// `null` is an absent member.
pub(crate) struct Fields<'d> {
    entries: Vec<(Cow<'d, str>, JsonValue<'d>)>,
    place: String,
    asked: Vec<&'static str>,
    pub(crate) faults: Vec<ConfigFault>,
    warnings: Vec<ConfigFault>,
}

/// What is wrong with an object and those in it.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What prevents an evaluation.
    pub(crate) faults: Vec<ConfigFault>,
    /// What is ignored.
    pub(crate) warnings: Vec<ConfigFault>,
}

impl<'d> Fields<'d> {
    /// The members of `value`; another value than an object has none and is a fault.
    pub(crate) fn of(value: JsonValue<'d>, place: &str, what: &str) -> Self {
        let mut fields = Self {
            entries: value.entries(),
            place: place.to_owned(),
            asked: Vec::new(),
            faults: Vec::new(),
            warnings: Vec::new(),
        };
        if value.kind() != Kind::Object {
            fields.faults.push(ConfigFault::new(place, format!("{what} must be an object")));
        }
        fields
    }

    /// The place of a member.
    pub(crate) fn place(&self, name: &str) -> String {
        let written = self.entries.iter().find(|(written, _)| is_name(written, name));
        let name = written.map_or(name, |(written, _)| written);
        format!("{}{}", self.place, pointer_step(name))
    }

    /// The member of that name, and from now on the name is known.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<JsonValue<'d>> {
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
        let found = self.entries.iter().find(|(written, _)| is_name(written, name));
        found.map(|(_, value)| *value).filter(|value| value.kind() != Kind::Null)
    }

    /// Whether the member is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        let found = self.entries.iter().find(|(written, _)| is_name(written, name));
        found.is_some_and(|(_, value)| value.kind() != Kind::Null)
    }

    /// Whether the member is `null`.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        let found = self.entries.iter().find(|(written, _)| is_name(written, name));
        found.is_some_and(|(_, value)| value.kind() == Kind::Null)
    }

    /// Adds the findings of an object in this one.
    pub(crate) fn add(&mut self, findings: Findings) {
        self.faults.extend(findings.faults);
        self.warnings.extend(findings.warnings);
    }

    /// Notes a fault at a member.
    pub(crate) fn fault(&mut self, name: &str, message: impl Into<String>) {
        let place = self.place(name);
        self.faults.push(ConfigFault::new(&place, message));
    }

    /// What was read, or its fault noted.
    pub(crate) fn kept<T>(&mut self, read: Result<T, ConfigFault>) -> Option<T> {
        read.map_err(|fault| self.faults.push(fault)).ok()
    }

    /// A finite number; also one written as a string, as pydantic reads it.
    pub(crate) fn number(&mut self, name: &'static str) -> Option<f64> {
        let value = self.take(name)?;
        let number = number(value);
        if number.is_none() {
            self.fault(name, format!("{name} must be a finite number"));
        }
        number
    }

    /// A whole number from 1.
    pub(crate) fn count(&mut self, name: &'static str) -> Option<usize> {
        let value = self.take(name)?;
        let count = value.text().parse().ok().filter(|count| *count >= 1);
        if count.is_none() {
            self.fault(name, format!("{name} must be a whole number of at least 1"));
        }
        count
    }

    /// A truth value, in the spellings that pydantic reads.
    pub(crate) fn truth(&mut self, name: &'static str) -> Option<bool> {
        let value = self.take(name)?;
        let text = value.string().unwrap_or(Cow::Borrowed(value.text())).to_lowercase();
        match text.as_str() {
            "true" | "1" | "1.0" | "yes" | "y" | "on" | "t" => Some(true),
            "false" | "0" | "0.0" | "no" | "n" | "off" | "f" => Some(false),
            _ => {
                self.fault(name, format!("{name} must be true or false"));
                None
            }
        }
    }

    /// A string.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.take(name)?;
        if value.string().is_none() {
            self.fault(name, format!("{name} must be a string"));
        }
        value.string().map(Cow::into_owned)
    }

    /// A string that is one of some names.
    pub(crate) fn choice<T>(
        &mut self,
        name: &'static str,
        names: &[&'static str],
        parse: fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let choice = parse(&text);
        if choice.is_none() {
            let meant = nearest(&text, names.iter().copied());
            self.fault(name, format!("unknown {name} {text:?}; {meant}"));
        }
        choice
    }

    /// The findings, including unknown and duplicate members.
    pub(crate) fn finish(self) -> Findings {
        let Self { entries, place: object, asked, mut faults, mut warnings } = self;
        for (at, (written, value)) in entries.iter().enumerate() {
            let place = format!("{object}{}", pointer_step(written));
            let Some(name) = asked.iter().find(|name| is_name(written, name)) else {
                if value.kind() == Kind::Null || written.starts_with('_') {
                    continue;
                }
                let what = format!("unknown field {written:?}");
                match meant(written, asked.iter().copied()) {
                    Some(meant) => {
                        let message = format!("{what}; did you mean {meant}?");
                        faults.push(ConfigFault::new(&place, message));
                    }
                    None => {
                        let known = asked.join(", ");
                        let message = format!("{what}; known are {known}");
                        warnings.push(ConfigFault::new(&place, message));
                    }
                }
                continue;
            };
            let mut before = entries.iter().take(at);
            if let Some((same, _)) = before.find(|(before, _)| is_name(before, name)) {
                let message = format!("duplicate of {same}; remove one");
                faults.push(ConfigFault::new(&place, message));
            }
        }
        Findings { faults, warnings }
    }
}

/// Reads a finite number, also one in a string.
pub(crate) fn number(value: JsonValue<'_>) -> Option<f64> {
    let text = value.string().unwrap_or(Cow::Borrowed(value.text()));
    // Rust reads the nearest number; serde_json may be off by the last bit.
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether a name is written in snake_case as it is, or in camelCase.
fn is_name(written: &str, name: &str) -> bool {
    if written == name {
        return true;
    }
    let mut camel = String::with_capacity(name.len());
    let mut upper = false;
    for letter in name.chars() {
        match letter {
            '_' => upper = true,
            _ if std::mem::take(&mut upper) => camel.push(letter.to_ascii_uppercase()),
            _ => camel.push(letter),
        }
    }
    written == camel
}
