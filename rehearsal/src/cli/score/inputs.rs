//! [`Inputs`]: the files of both sides, and the headers of the sets.

use std::path::{Path, PathBuf};

use evalset::Format;
use score_run::{SetHeader, read_set_header};

use super::arguments::ScoreArguments;
use super::error::ScoreError;
use crate::cli::evalset::EvalsetError;
use crate::cli::evalset::files::{Source, files, history_in};

/// The files of both sides.
#[derive(Debug)]
pub(super) struct Inputs {
    pub(super) expected: Vec<PathBuf>,
    pub(super) actual: Vec<PathBuf>,
    sets: Vec<SetHeader>,
    /// The format that is given.
    format: Option<Format>,
    #[expect(dead_code, reason = "copies of pipes are deleted on drop")]
    sources: Vec<Source>,
}

impl Inputs {
    pub(super) fn find(arguments: &ScoreArguments) -> Result<Self, ScoreError> {
        let expected = files(&arguments.expected)?;
        let actual = match files(&arguments.actual) {
            Ok(actual) => actual,
            // A folder of ADK's history has no eval sets.
            Err(EvalsetError::NoEvalSet { folder }) => {
                let found = history_in(&folder)?;
                if found.is_empty() {
                    return Err(EvalsetError::NoEvalSet { folder }.into());
                }
                let others = arguments.actual.iter().filter(|asked| Path::new(asked) != folder);
                let others: Vec<String> = others.cloned().collect();
                [found, files(&others)?].concat()
            }
            Err(error) => return Err(error.into()),
        };
        let mut sources = Vec::new();
        let mut lasting = |paths: Vec<PathBuf>| -> Result<Vec<PathBuf>, EvalsetError> {
            let begin = sources.len();
            for path in paths {
                sources.push(Source::of(&path)?);
            }
            Ok(sources.iter().skip(begin).map(|source| source.path().to_owned()).collect())
        };
        let (expected, actual) = (lasting(expected)?, lasting(actual)?);
        let sets = expected.iter().map(|path| read_set_header(path)).collect::<Result<_, _>>()?;
        Ok(Self {
            expected,
            actual,
            sets,
            format: arguments.format_is.map(evalset::Format::from),
            sources,
        })
    }

    /// The number of bytes to read.
    pub(super) fn bytes(&self) -> u64 {
        let all = self.expected.iter().chain(&self.actual);
        all.map(|path| std::fs::metadata(path).map_or(0, |metadata| metadata.len())).sum()
    }

    pub(super) fn is_agentflow(&self) -> bool {
        match self.format {
            Some(format) => format == Format::AgentFlow,
            None => self.sets.iter().all(|set| set.is_agentflow),
        }
    }

    /// The distinct ids of the sets.
    pub(super) fn eval_set_id(&self) -> String {
        let mut ids: Vec<&str> = Vec::new();
        for set in &self.sets {
            if !ids.contains(&set.eval_set_id.as_str()) {
                ids.push(&set.eval_set_id);
            }
        }
        ids.join(", ")
    }

    /// The name, if there is one set.
    pub(super) fn eval_set_name(&self) -> Option<String> {
        match self.sets.as_slice() {
            [set] => set.name.clone(),
            _ => None,
        }
    }

    /// The error if no case is selected.
    pub(super) fn no_case(
        &self,
        arguments: &ScoreArguments,
        nearest: &Nearest<'_>,
        tags: &[String],
    ) -> ScoreError {
        if let (Some(wanted), Some((_, near))) = (&arguments.case, &nearest.found) {
            let asked = format!("an id that matches {wanted:?}");
            return ScoreError::NoCase { asked, remedy: format!("did you mean {near:?}?") };
        }
        if let [first, ..] = arguments.tags.as_slice() {
            let asked = format!("the tag {}", arguments.tags.join(" or "));
            let near = tags.iter().min_by_key(|tag| strsim::damerau_levenshtein(first, tag));
            let remedy = match near {
                Some(near) => format!("did you mean {near:?}?"),
                None => "the cases have no tags".to_owned(),
            };
            return ScoreError::NoCase { asked, remedy };
        }
        ScoreError::Empty { files: called(&self.expected) }
    }
}

/// A label for a side: its file, or the number of files.
pub(super) fn called(paths: &[PathBuf]) -> String {
    match paths {
        [one] => one.file_name().unwrap_or(one.as_os_str()).to_string_lossy().into_owned(),
        several => format!("{} files", several.len()),
    }
}

/// The pattern of `--case`.
pub(super) fn pattern(text: &str) -> Result<glob::Pattern, ScoreError> {
    glob::Pattern::new(text).map_err(|error| {
        let (pattern, reason) = (text.to_owned(), error.msg.to_owned());
        EvalsetError::BadPattern { pattern, reason }.into()
    })
}

/// The most similar id to a requested one.
#[derive(Debug)]
pub(super) struct Nearest<'a> {
    wanted: Option<&'a str>,
    found: Option<(usize, String)>,
}

impl<'a> Nearest<'a> {
    pub(super) fn to(wanted: Option<&'a str>) -> Self {
        Self { wanted, found: None }
    }

    pub(super) fn look_at(&mut self, eval_id: &str) {
        let Some(wanted) = self.wanted else { return };
        // Comparing long ids is slow.
        if eval_id.len() > 200 {
            return;
        }
        let distance = strsim::damerau_levenshtein(wanted, eval_id);
        if self.found.as_ref().is_none_or(|(least, _)| distance < *least) {
            self.found = Some((distance, eval_id.to_owned()));
        }
    }
}
