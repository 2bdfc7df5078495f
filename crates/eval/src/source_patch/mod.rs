//! [`Patch`]: what a fork changes in requests, as a change of the agent's files. Nothing is written.
//!
//! A text is found where it stands literally: as a string in Python, as a value in YAML or JSON, or as a whole file.

mod documents;
mod python_strings;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use agents::adk_python::source_files;
use serde::Serialize;
use similar::TextDiff;

use crate::request_changes::{OwnTexts, RequestChanges};

/// What is changed in requests, as a change of the agent's files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Patch {
    /// A unified diff, for `patch -p1` in the folder in which it names the files; empty if nothing was found.
    pub diff: String,
    /// What is not in it, and why: a sentence for each.
    pub left_out: Vec<String>,
}

/// A file with what is replaced in it.
struct Source {
    path: PathBuf,
    text: String,
    edits: BTreeMap<usize, (Range<usize>, String)>,
}

/// Where a text stands in a file, and what stands there with another one.
struct Found {
    place: Range<usize>,
    replacement: String,
}

impl Patch {
    /// The changes of an agent in `folder` that has the texts `own`. Files are named from `base`, if they are in it.
    #[must_use]
    pub fn of(changes: &RequestChanges, own: &OwnTexts, folder: &Path, base: &Path) -> Self {
        let mut sources = sources(folder);
        let mut left_out = Vec::new();
        let mut change = |what: String, own: Option<&String>, new: &str| {
            let Some(own) = own.filter(|own| !own.trim().is_empty()) else {
                left_out.push(format!("{what} is empty, or code gives it when the agent runs."));
                return;
            };
            left_out.extend(replace(&mut sources, &what, own, new));
        };
        for (agent, new) in &changes.instructions {
            change(format!("The instruction of {agent}"), own.instructions.get(agent), new);
        }
        for (tool, changed) in &changes.tools {
            if let Some(new) = &changed.description {
                change(format!("The description of {tool}"), own.descriptions.get(tool), new);
            }
        }
        for (tool, changed) in &changes.tools {
            if changed.parameters.is_some() {
                left_out.push(format!("The parameters of {tool} are declared by its code."));
            }
        }
        if changes.temperature.is_some() {
            left_out.push("The temperature is a setting of each agent.".to_owned());
        }
        let diff = sources.iter().filter(|source| !source.edits.is_empty());
        let diff = diff.map(|source| source.diff(folder, base)).collect();
        Self { diff, left_out }
    }
}

fn sources(folder: &Path) -> Vec<Source> {
    let read = source_files(folder).filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        Some(Source { path, text, edits: BTreeMap::new() })
    });
    read.collect()
}

/// Replaces the text in the only place where it stands, or says why not.
fn replace(sources: &mut [Source], what: &str, own: &str, new: &str) -> Option<String> {
    let mut found: Vec<(usize, Found)> = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        found.extend(source.places(own, new).into_iter().map(|found| (at, found)));
    }
    match (found.pop(), &found[..]) {
        (None, _) => Some(format!(
            "{what} stands literally in no file of the agent: it may be put together from parts, or come from elsewhere."
        )),
        (Some((at, Found { place, replacement })), []) => {
            let source = sources.get_mut(at)?;
            if source.edits.contains_key(&place.start) {
                return Some(format!("{what} is the same text as another one that is changed."));
            }
            source.edits.insert(place.start, (place, replacement));
            None
        }
        (Some(last), others) => {
            let places = others.iter().chain([&last]).filter_map(|(at, found)| {
                let source = sources.get(*at)?;
                let before = source.text.get(..found.place.start)?;
                let line = before.matches('\n').count() + 1;
                let name = source.path.file_name().unwrap_or_default().to_string_lossy();
                Some(format!("{name}:{line}"))
            });
            let places = places.collect::<Vec<_>>().join(", ");
            Some(format!("{what} stands in several places: {places}."))
        }
    }
}

impl Source {
    /// Where a text stands.
    fn places(&self, own: &str, new: &str) -> Vec<Found> {
        let is_of = |ending: &str| self.path.extension().is_some_and(|it| it == ending);
        if is_of("py") {
            return in_python(&self.text, own, new);
        }
        documents::places(&self.text, own, new, is_of("yaml") || is_of("yml"))
    }

    fn diff(&self, folder: &Path, base: &Path) -> String {
        let mut text = self.text.clone();
        for (place, replacement) in self.edits.values().rev() {
            let is_dos = self.text.contains("\r\n");
            let replacement = match is_dos {
                true => replacement.replace('\n', "\r\n"),
                false => replacement.clone(),
            };
            text.replace_range(place.clone(), &replacement);
        }
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let path = real(&self.path);
        let around = real(folder).parent().map(Path::to_path_buf).unwrap_or_default();
        let name = path.strip_prefix(real(base)).or_else(|_| path.strip_prefix(around));
        let name = name.unwrap_or(&path).display().to_string();
        let diff = TextDiff::from_lines(&self.text, &text);
        let (before, after) = (format!("a/{name}"), format!("b/{name}"));
        diff.unified_diff().header(&before, &after).to_string()
    }
}

/// The strings in Python with this text, as they are or as `inspect.cleandoc` makes them, which google-adk does with
/// docstrings.
fn in_python(text: &str, own: &str, new: &str) -> Vec<Found> {
    let found = python_strings::strings(text).into_iter().filter_map(|literal| {
        let value = match literal.value == own {
            true => new.to_owned(),
            false => with_margin(&literal.value, own, new)?,
        };
        Some(Found { place: literal.place.clone(), replacement: literal.with_value(&value) })
    });
    found.collect()
}

/// The new text with the margin of `value`, if this is `own` with a margin.
fn with_margin(value: &str, own: &str, new: &str) -> Option<String> {
    let inner = value.trim();
    let (before, after) = value.split_once(inner)?;
    let margin = inner.lines().skip(1).filter(|line| !line.trim().is_empty());
    let margin = margin.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let mut lines = inner.lines().map(str::trim_end);
    let first = lines.next().unwrap_or_default().to_owned();
    let cleaned =
        lines.fold(first, |text, line| format!("{text}\n{}", line.get(margin..).unwrap_or("")));
    if cleaned.is_empty() || cleaned != own.trim() {
        return None;
    }
    let indent = inner.lines().skip(1).find(|line| !line.trim().is_empty());
    let indent = indent.and_then(|line| line.get(..margin)).unwrap_or("");
    let mut lines = new.trim().lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let indented = lines.fold(first, |text, line| match line.is_empty() {
        true => format!("{text}\n"),
        false => format!("{text}\n{indent}{line}"),
    });
    Some(format!("{before}{indented}{after}"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    const AGENT: &str = r#"
from google.adk.agents import LlmAgent

BRIEF = 'Be brief.'


def refund(order: int, cents: int) -> dict:
    """Refunds an order.

    Args:
      order: Its number.
    """
    return {}


def find(order: int) -> dict:
    "Finds an order."
    return {}


clerk = LlmAgent(name="clerk", instruction=BRIEF, tools=[find])
root_agent = LlmAgent(
    name="desk",
    instruction="""\
You refund orders.
Look them up first.""",
    sub_agents=[clerk],
    tools=[refund],
)
"#;

    fn own(desk: &str) -> OwnTexts {
        let own = json!({
            "instructions": { "desk": desk, "clerk": "Be brief." },
            "descriptions": {
                "refund": "Refunds an order.\n\nArgs:\n  order: Its number.",
                "find": "Finds an order.",
            },
        });
        serde_json::from_value(own).expect("texts")
    }

    fn made(
        files: &[(&str, &str)],
        own: &OwnTexts,
        changes: &serde_json::Value,
    ) -> (Patch, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let agent = folder.path().join("desk");
        std::fs::create_dir(&agent).expect("made");
        for (name, text) in files {
            std::fs::write(agent.join(name), text).expect("written");
        }
        let changes = serde_json::from_value(changes.clone()).expect("changes");
        let patch = Patch::of(&changes, own, &agent, folder.path());
        for (name, text) in files {
            assert_eq!(
                std::fs::read_to_string(agent.join(name)).expect("a text"),
                *text,
                "as it was"
            );
        }
        let is_change = |line: &&str| line.starts_with(['+', '-', '@']);
        let changed = patch.diff.lines().filter(is_change).collect::<Vec<_>>().join("\n");
        (patch, changed)
    }

    #[test]
    fn instructions_and_descriptions_are_replaced_where_they_stand() {
        let changes = json!({
            "instructions": { "clerk": "Don't\nchat.", "desk": "You refund orders.\nSay \"sorry\"." },
            "tools": {
                "refund": { "description": "Refunds an order in cents.\n\nArgs:\n  cents: No euros." },
                "find": { "description": "Finds an order by its number." },
            },
        });
        let desk = "You refund orders.\nLook them up first.";
        let (patch, changed) = made(&[("agent.py", AGENT)], &own(desk), &changes);
        assert_eq!(patch.left_out, [""; 0]);
        expect![[r#"
            --- a/desk/agent.py
            +++ b/desk/agent.py
            @@ -1,20 +1,20 @@
            -BRIEF = 'Be brief.'
            +BRIEF = 'Don\'t\nchat.'
            -    """Refunds an order.
            +    """Refunds an order in cents.
            -      order: Its number.
            +      cents: No euros.
            -    "Finds an order."
            +    "Finds an order by its number."
            @@ -23,7 +23,7 @@
            -Look them up first.""",
            +Say "sorry".""","#]]
        .assert_eq(&changed);
    }

    #[test]
    fn what_does_not_stand_literally_in_one_place_is_left_out() {
        let joined = AGENT.replace("\"\"\"\\\nYou", "BRIEF + \"\"\"\\\nYou");
        let twice = format!("{joined}\nOTHER = 'Finds an order.'\n");
        let changes = json!({
            "instructions": { "desk": "Refund.", "nobody": "x" },
            "tools": {
                "find": { "description": "Finds it." },
                "refund": { "parameters": { "type": "object" } },
            },
            "temperature": 0.5,
        });
        let desk = "Be brief.You refund orders.\nLook them up first.";
        let (patch, _) = made(&[("agent.py", &twice)], &own(desk), &changes);
        assert_eq!(patch.diff, "");
        expect![[r#"
            The instruction of desk stands literally in no file of the agent: it may be put together from parts, or come from elsewhere.
            The instruction of nobody is empty, or code gives it when the agent runs.
            The description of find stands in several places: agent.py:17, agent.py:31.
            The parameters of refund are declared by its code.
            The temperature is a setting of each agent."#]].assert_eq(&patch.left_out.join("\n"));
    }

    #[test]
    fn texts_in_other_files_are_replaced_too() {
        let desk = own("Refund at once.\n\nBe kind.");
        let changes = json!({ "instructions": { "desk": "Refund.\nBe kind: \"yes\"." } });
        let block = "name: desk\ninstruction: |-\n  Refund at once.\n\n  Be kind.\nmodel: m\n";
        let quoted = "instruction: \"Refund at once.\\n\\nBe kind.\"\nmodel: m\n";
        let prompt = "Refund at once.\n\nBe kind.\n";
        for (name, text, added) in [
            ("root_agent.yaml", block, "+  Refund.\n+  Be kind: \"yes\"."),
            ("root_agent.yaml", quoted, "+instruction: \"Refund.\\nBe kind: \\\"yes\\\".\""),
            ("prompt.md", prompt, "+Refund.\n+Be kind: \"yes\"."),
        ] {
            let (patch, changed) = made(&[(name, text)], &desk, &changes);
            assert_eq!(patch.left_out, [""; 0], "{text}");
            assert!(changed.ends_with(added), "{changed}");
        }
        let longer = "instruction: |\n  Refund at once.\n\n  Be kind.\n  Always.\n";
        let (patch, _) = made(&[("root_agent.yaml", longer)], &desk, &changes);
        assert_eq!((patch.diff.as_str(), patch.left_out.len()), ("", 1));

        let brief = json!({ "instructions": { "clerk": "Be kind." } });
        for text in ["instruction: Be brief.\n", "instruction: 'Be brief.'\r\nmodel: m\n"] {
            let (patch, changed) = made(&[("clerk.yaml", text)], &own(""), &brief);
            assert_eq!(patch.left_out, [""; 0], "{text}");
            assert!(changed.ends_with("+instruction: \"Be kind.\""), "{changed}");
        }
    }
}
