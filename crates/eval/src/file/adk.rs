//! The subject `adk`: an agent of google-adk.

use std::fmt;
use std::path::{Path, PathBuf};

use json_text::{JsonIndex, JsonText, Kind};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::python::AdkPythonSubject;

/// An agent of google-adk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[schemars(untagged)]
pub(super) enum Adk {
    /// A folder that `adk web` loads, relative to the suite's.
    Folder(PathBuf),
    /// A folder, and what its MCP servers declare.
    Members(AdkMembers),
}

/// A folder, and what its MCP servers declare.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AdkMembers {
    /// A folder that `adk web` loads, relative to the suite's.
    folder: PathBuf,
    /// A JSON file with what the MCP servers of the agent declare, so that they are not started to list their tools: the
    /// response to `tools/list`, or such an object for each toolset by the name of its agent.
    declarations: Option<PathBuf>,
}

impl Adk {
    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) | Self::Members(AdkMembers { folder, .. }) => folder,
        }
    }

    /// The subject with what is recorded of its servers.
    ///
    /// # Errors
    /// The file cannot be read. Whether it fits the agent shows when that is imported.
    pub(super) fn with_declarations(
        &self,
        subject: AdkPythonSubject,
        folder: &Path,
    ) -> Result<AdkPythonSubject, String> {
        let Self::Members(AdkMembers { declarations: Some(file), .. }) = self else {
            return Ok(subject);
        };
        let path = folder.join(file);
        let path = std::path::absolute(&path).unwrap_or(path);
        let wrong = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(&path)
            .map_err(|error| wrong(&format_args!("it cannot be read: {error}")))?;
        let json = JsonText::parse(&text).map_err(|error| wrong(&error))?;
        match JsonIndex::of(&json).root().kind() {
            Kind::Object | Kind::Array => Ok(subject.declarations(&path)),
            kind => Err(wrong(&format_args!(
                "it is of type {}. Write the server's response to `tools/list`, {{\"tools\": [...]}}",
                kind.name()
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Adk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FolderOrMembers;
        impl<'de> Visitor<'de> for FolderOrMembers {
            type Value = Adk;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the path of an agent's folder, or `folder` and `declarations`")
            }

            fn visit_str<E: Error>(self, path: &str) -> Result<Adk, E> {
                Ok(Adk::Folder(path.into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Adk, A::Error> {
                AdkMembers::deserialize(MapAccessDeserializer::new(map)).map(Adk::Members)
            }
        }
        deserializer.deserialize_any(FolderOrMembers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::format;

    fn read(adk: &str) -> Result<(), String> {
        let text = format!("subject:\n  adk: {adk}\ncases: [{{ name: a, first_message: Hi }}]");
        let suite = format::parse(&text).map_err(|fault| fault.to_string())?;
        let Some(format::Subject::Adk(adk)) = &suite.subject else { panic!("another subject") };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
        let subject = AdkPythonSubject::new(adk.folder(), None);
        adk.with_declarations(subject, &folder).map(drop)
    }

    #[test]
    fn an_agent_is_a_folder_or_has_members() {
        assert_eq!(read("triage"), Ok(()));
        assert_eq!(read("{ folder: triage }"), Ok(()));
        assert_eq!(read("{ folder: triage, declarations: library/tools.json }"), Ok(()));
        let error = |adk: &str| read(adk).expect_err("refused");
        let unknown = error("{ folder: triage, declaration: a.json }");
        assert!(unknown.ends_with("did you mean declarations?"), "{unknown}");
        assert!(error("[a]").contains("the path of an agent's folder, or `folder`"));
        let missing = error("{ folder: triage, declarations: none.json }");
        assert!(missing.contains("none.json: it cannot be read"), "{missing}");
        let garbage = error("{ folder: triage, declarations: triage.eval.yaml }");
        assert!(garbage.contains("line 1"), "{garbage}");
    }
}
