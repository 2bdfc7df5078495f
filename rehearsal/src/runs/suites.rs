//! [`SuiteSearch`]: finds the suites and eval sets that can be run from the page.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use api::{SuiteList, SuiteSummary};
use eval::file::SuiteError;
use walkdir::{DirEntry, WalkDir};

use crate::cli::{EvalArguments, EvalError, cases, suite_name_in};
use crate::config::{AgentConfig, AgentSourceConfig, Served};

/// How the names of suites end.
const SUITES: [&str; 3] = [".eval.yaml", ".eval.yml", ".eval.json"];
/// How the names of eval sets end.
const EVAL_SETS: &str = ".evalset.json";
/// Folders that have no suites of the person, or too many files.
const SKIPPED: [&str; 3] = ["node_modules", "target", "__pycache__"];
/// The file that a virtual environment has.
const VIRTUAL_ENVIRONMENT: &str = "pyvenv.cfg";
/// How deep folders are searched.
const DEEPEST: usize = 8;
/// The most folders that are searched below one.
const MOST_FOLDERS: usize = 2_000;
/// The most suites that are listed.
const MOST_SUITES: usize = 500;

/// Where suites are looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct SuiteSearch {
    /// The working directory, in which runs name their suites.
    pub(super) folder: PathBuf,
    /// The agents and folders of the host.
    pub(super) served: Served,
}

/// Suites that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FoundSuites {
    /// Each by its name in runs.
    pub(super) by_name: BTreeMap<String, FoundSuite>,
    /// What was not searched: sentences.
    notes: Vec<String>,
}

/// A suite or eval set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FoundSuite {
    /// A suite, which names its agent.
    Suite,
    /// An eval set of a served agent.
    EvalSet {
        /// The folder of the agent.
        agent: PathBuf,
        /// The agent's own interpreter.
        python: Option<PathBuf>,
    },
}

impl FoundSuite {
    fn of((agent, python): &AgentFolder) -> Self {
        Self::EvalSet { agent: agent.clone(), python: python.clone() }
    }

    /// The arguments with which it is read.
    pub(super) fn arguments(&self, arguments: EvalArguments) -> EvalArguments {
        match self {
            Self::Suite => arguments,
            Self::EvalSet { agent, python } => EvalArguments {
                agent: Some(agent.clone()),
                python: python.clone().or(arguments.python),
                ..arguments
            },
        }
    }
}

impl SuiteSearch {
    /// The working directory. An empty path would not be found.
    fn root(&self) -> &Path {
        if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder }
    }

    /// Looks at names only. Blocks while it reads the folders.
    pub(super) fn find(&self) -> FoundSuites {
        let mut found = FoundSuites::default();
        let agents = match self.served.agents_now() {
            Ok(agents) => agents,
            Err(error) => {
                found.notes.push(format!("The folders of agents cannot be read: {error}."));
                self.served.agents.clone()
            }
        };
        let folders = folders(&agents);
        for (agent, folder) in agents.iter().filter_map(|agent| Some((agent, folder_of(agent)?))) {
            // An eval set need not be in the folder of its agent.
            if agent.eval_set_path.is_file() {
                found.take(self.root(), &agent.eval_set_path, FoundSuite::of(&folder));
            }
        }
        let Served { agent_folders, eval_sets, .. } = &self.served;
        let of_agents = folders.iter().map(|(folder, _)| folder.as_path());
        let others = agent_folders.iter().chain(eval_sets).map(PathBuf::as_path);
        for folder in of_agents.chain(others).chain([self.root()]) {
            found.search(self.root(), folder, &folders);
        }
        found
    }

    /// Reads what was found: how many cases each has, or why it cannot be read. Blocks.
    pub(super) fn list(&self, arguments: impl Fn(PathBuf) -> EvalArguments) -> SuiteList {
        let FoundSuites { by_name, notes } = self.find();
        let summary = |(name, found): (String, FoundSuite)| {
            let read = cases(&found.arguments(arguments(self.folder.join(&name))));
            SuiteSummary {
                is_eval_set: found != FoundSuite::Suite,
                cases: read.map(|cases| cases.len() as u64).map_err(|error| reason(&error)),
                name,
            }
        };
        SuiteList { suites: by_name.into_iter().map(summary).collect(), notes }
    }
}

impl FoundSuites {
    fn take(&mut self, root: &Path, path: &Path, found: FoundSuite) {
        if self.by_name.len() < MOST_SUITES {
            self.by_name.entry(suite_name_in(root, path)).or_insert(found);
        } else {
            self.note(format!("Only the first {MOST_SUITES} suites are listed."));
        }
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Takes the suites below a folder, and the eval sets that are in the folder of an agent.
    fn search(&mut self, root: &Path, folder: &Path, agents: &[AgentFolder]) {
        let mut folders = 0;
        let entries = WalkDir::new(folder).max_depth(DEEPEST).sort_by_file_name();
        for entry in entries.into_iter().filter_entry(is_searched) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if is_missing(&error) => continue,
                Err(error) => {
                    let path = error.path().unwrap_or(folder).display().to_string();
                    let cause = error.io_error().map(ToString::to_string).unwrap_or_default();
                    self.note(format!("{path} cannot be read: {cause}."));
                    continue;
                }
            };
            if entry.file_type().is_dir() {
                folders += 1;
                if folders > MOST_FOLDERS {
                    let shown = folder.display();
                    self.note(format!(
                        "{shown} has more than {MOST_FOLDERS} folders, and the rest of them is not searched. \
                         Serve the folders of your agents, or name a suite to `rehearsal eval`."
                    ));
                    return;
                }
                if entry.depth() == DEEPEST {
                    self.note(format!(
                        "Folders more than {DEEPEST} levels deep are not searched, such as {}.",
                        entry.path().display()
                    ));
                }
                continue;
            }
            let name = entry.file_name().to_string_lossy();
            let found = if SUITES.iter().any(|end| name.ends_with(end)) {
                Some(FoundSuite::Suite)
            } else if name.ends_with(EVAL_SETS) {
                agent_of(entry.path(), agents)
            } else {
                None
            };
            if let Some(found) = found.filter(|_| entry.path().is_file()) {
                self.take(root, entry.path(), found);
            }
        }
    }
}

/// What a file of a run is, among these agents: the eval set of one of them, one in its folder, or else a suite.
pub(super) fn suite_at(path: &Path, agents: &[AgentConfig]) -> FoundSuite {
    let is_set = |agent: &&AgentConfig| {
        let real = |path: &Path| path.canonicalize().ok();
        agent.eval_set_path == path
            || real(path).is_some_and(|path| real(&agent.eval_set_path) == Some(path))
    };
    let own =
        agents.iter().filter(is_set).find_map(folder_of).map(|folder| FoundSuite::of(&folder));
    let is_named_so = path.to_string_lossy().ends_with(EVAL_SETS);
    let around = || agent_of(path, &folders(agents)).filter(|_| is_named_so);
    own.or_else(around).unwrap_or(FoundSuite::Suite)
}

/// The folder of an agent of google-adk, and its own interpreter.
type AgentFolder = (PathBuf, Option<PathBuf>);

fn folder_of(agent: &AgentConfig) -> Option<AgentFolder> {
    match &agent.source {
        AgentSourceConfig::AdkPython { folder, python } => Some((folder.clone(), python.clone())),
        AgentSourceConfig::Native { .. } | AgentSourceConfig::Mcp(_) => None,
    }
}

fn folders(agents: &[AgentConfig]) -> Vec<AgentFolder> {
    agents.iter().filter_map(folder_of).collect()
}

/// The served agent that has the file in its folder; of several, the innermost.
fn agent_of(path: &Path, agents: &[AgentFolder]) -> Option<FoundSuite> {
    let path = path.canonicalize().ok()?;
    let around = agents.iter().filter_map(|agent| {
        let real = agent.0.canonicalize().ok()?;
        path.starts_with(&real).then(|| (real.components().count(), agent))
    });
    let (_, agent) = around.max_by_key(|(depth, _)| *depth)?;
    Some(FoundSuite::of(agent))
}

/// Whether the entry is looked at. The folder itself is, whatever its name.
fn is_searched(entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let is_hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
    let is_skipped = is_hidden(entry.file_name())
        || SKIPPED.iter().any(|name| entry.file_name() == *name)
        || entry.path().join(VIRTUAL_ENVIRONMENT).exists();
    !(entry.file_type().is_dir() && is_skipped)
}

fn is_missing(error: &walkdir::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Why a suite cannot be read, a line for each error, without the file.
fn reason(error: &EvalError) -> String {
    match error {
        EvalError::Suite(SuiteError::Invalid { faults, .. }) => {
            faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(folder: &Path, name: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, "{}").expect("written");
    }

    fn agent(folder: &Path, python: Option<&str>) -> AgentConfig {
        AgentConfig {
            name: "Desk".to_owned(),
            eval_set_path: folder.join("desk.evalset.json"),
            source: AgentSourceConfig::AdkPython {
                folder: folder.to_owned(),
                python: python.map(PathBuf::from),
            },
            user_id: "user".to_owned(),
            state: BTreeMap::new(),
            found_in: None,
        }
    }

    #[test]
    fn suites_and_the_eval_sets_of_agents_are_found_and_other_folders_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [
            "a.eval.yaml",
            "suites/b.eval.yml",
            "suites/c.eval.json",
            "suites/notes.yaml",
            "agents/desk/agent.py",
            "agents/desk/evals/old.evalset.json",
            "agents/other.evalset.json",
            ".git/d.eval.yaml",
            "web/node_modules/e.eval.yaml",
            "target/f.eval.yaml",
            "env/pyvenv.cfg",
            "env/lib/g.eval.yaml",
            "target.eval.yaml",
        ] {
            write(folder.path(), name);
        }
        let outside = tempfile::tempdir().expect("a folder");
        write(outside.path(), "set.evalset.json");
        write(outside.path(), "h.eval.yaml");
        let desk = folder.path().join("agents/desk");
        let set = outside.path().join("set.evalset.json");
        let search = SuiteSearch {
            folder: folder.path().to_owned(),
            served: Served {
                agents: vec![AgentConfig {
                    eval_set_path: set.clone(),
                    ..agent(&desk, Some("py"))
                }],
                eval_sets: vec![outside.path().join("missing"), folder.path().join("suites")],
                ..Served::default()
            },
        };
        let FoundSuites { by_name, notes } = search.find();
        assert_eq!(notes, Vec::<String>::new());
        let real = set.canonicalize().expect("a path").display().to_string();
        let mut wanted = vec![
            "a.eval.yaml",
            "agents/desk/evals/old.evalset.json",
            "suites/b.eval.yml",
            "suites/c.eval.json",
            "target.eval.yaml",
            &real,
        ];
        wanted.sort_unstable();
        assert_eq!(by_name.keys().collect::<Vec<_>>(), wanted);
        let of_desk = FoundSuite::EvalSet { agent: desk, python: Some(PathBuf::from("py")) };
        assert_eq!(by_name[&real], of_desk);
        assert_eq!(by_name["agents/desk/evals/old.evalset.json"], of_desk);
        assert_eq!(by_name["a.eval.yaml"], FoundSuite::Suite);
    }

    #[test]
    fn what_is_not_searched_is_noted() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "1/2/3/4/5/6/7/deep.eval.yaml");
        write(folder.path(), "1/2/3/4/5/6/7/8/deeper.eval.yaml");
        let search = SuiteSearch { folder: folder.path().to_owned(), ..SuiteSearch::default() };
        let FoundSuites { by_name, notes } = search.find();
        assert_eq!(by_name.keys().collect::<Vec<_>>(), ["1/2/3/4/5/6/7/deep.eval.yaml"]);
        let [note] = &*notes else { panic!("one note: {notes:?}") };
        assert!(note.contains("8 levels") && note.contains("6/7/8"), "{note}");

        let wide = folder.path().join("0");
        for at in 0..=MOST_FOLDERS {
            fs::create_dir_all(wide.join(at.to_string())).expect("made");
        }
        let FoundSuites { by_name, notes } = search.find();
        assert_eq!(by_name.len(), 0, "the rest is not searched");
        assert!(notes[0].contains("more than 2000 folders"), "{notes:?}");
    }

    #[test]
    fn agents_that_come_later_bring_their_eval_sets() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        let search = SuiteSearch {
            folder: folder.path().to_owned(),
            served: Served { agent_folders: vec![outside.path().to_owned()], ..Served::default() },
        };
        assert_eq!(search.find(), FoundSuites::default());
        write(outside.path(), "late/agent.py");
        write(outside.path(), "late/late.evalset.json");
        let found = search.find();
        let names: Vec<_> = found.by_name.keys().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        assert!(names[0].ends_with("late/late.evalset.json"), "{names:?}");
    }
}
