//! The cases that the arguments select.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::Path;

use eval::EvalCase;
use eval::case::{name_with, name_without};
use eval::file::{ModelChoice, ReadOptions, RecordedFormat, read_with_models};
use eval::given_model::GivenModel;
use eval::model::Models;
use eval::python::Servers;
use glob::Pattern;
use json_text::written_out::visible_name;
use serde::Serialize;

use super::eval_sets;
use super::runs::suite_name;
use super::{EvalArguments, EvalError, EvalFormat};

/// A case in the output of `--list`.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    suite: &'a str,
    tags: &'a [String],
}

/// Writes the names and tags of the selected cases.
pub(super) fn list(arguments: &EvalArguments, out: &mut dyn Write) -> Result<(), EvalError> {
    let cases = selected(cases(arguments)?, arguments)?;
    if matches!(arguments.format, EvalFormat::Json | EvalFormat::Results) {
        let listed = cases.iter().map(|case| Listed {
            name: &case.name,
            suite: &case.source.suite,
            tags: &case.tags,
        });
        let listed: Vec<_> = listed.collect();
        serde_json::to_writer_pretty(&mut *out, &listed).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    for case in &cases {
        let line = match case.tags.is_empty() {
            true => case.name.clone(),
            false => format!("{}  ({})", case.name, case.tags.join(", ")),
        };
        writeln!(out, "{}", visible_name(&line))?;
    }
    Ok(())
}

/// The cases of all suites.
///
/// # Errors
/// [`EvalError`] if a suite cannot be read.
pub(crate) fn cases(arguments: &EvalArguments) -> Result<Vec<EvalCase>, EvalError> {
    // Nothing runs it otherwise.
    let runs = arguments.rescore.is_none() && !arguments.list;
    if let Some(python) = arguments.python.as_ref().filter(|_| runs)
        && python.components().count() > 1
        && !python.exists()
    {
        return Err(EvalError::NoPython(python.clone()));
    }
    let options = ReadOptions {
        python: arguments.python.clone(),
        isolation: arguments.isolation.into(),
        servers: Servers::at_most(arguments.jobs()),
        is_of_python: arguments.of_python,
    };
    let mut cases = Vec::new();
    let mut has_eval_set = false;
    for path in &arguments.suites {
        let format = RecordedFormat::of_file(path);
        has_eval_set |= format.is_some();
        let with = |model: Option<&str>| match format {
            Some(format) => eval_sets::cases(path, format, model, arguments, &options.servers),
            // An unreadable file is reported with its reason.
            None => of_suite(path, model, arguments, &options),
        };
        let mut of_file = with_each_model(arguments, with)?;
        for case in &mut of_file {
            case.source.suite = suite_name(path);
            case.repeats = arguments.repeats.map_or(case.repeats, NonZeroU32::get);
            // Results of another judge or seed are not results of this case.
            if let Some(judge) = &arguments.judge {
                case.source.content_hash.push_str(&format!(" judge {judge}"));
            }
            if let Some(seed) = arguments.seed {
                case.seed = seed;
                case.source.content_hash.push_str(&format!(" seed {seed}"));
            }
        }
        cases.extend(of_file);
    }
    match eval_sets::given_option(arguments) {
        Some(option) if !has_eval_set => Err(EvalError::OfEvalSets { option }),
        _ => Ok(cases),
    }
}

/// The models of the environment, with the judge that is given for the run.
///
/// # Errors
/// [`EvalError::Judge`] if it cannot be asked.
pub(super) fn models(arguments: &EvalArguments) -> Result<Models, EvalError> {
    let models = Models::of_environment();
    let models = match &arguments.host {
        Some(host) => models.with_host(host),
        None => models,
    };
    let Some(judge) = &arguments.judge else { return Ok(models) };
    let models = models.with_judge(judge);
    models.judge(None).map_err(EvalError::Judge)?;
    Ok(models)
}

/// The cases that `read` gives with each model of the arguments, those of one case beside each other. With several models,
/// their names end with them.
fn with_each_model(
    arguments: &EvalArguments,
    read: impl Fn(Option<&str>) -> Result<Vec<EvalCase>, EvalError>,
) -> Result<Vec<EvalCase>, EvalError> {
    let EvalArguments { models, names_models, .. } = arguments;
    if let [] | [_] = &models[..]
        && !names_models
    {
        return read(models.first().map(String::as_str));
    }
    let mut columns = Vec::with_capacity(models.len());
    for (at, label) in models.iter().enumerate() {
        if models.iter().take(at).any(|other| other == label) {
            return Err(EvalError::ModelTwice { model: label.clone() });
        }
        let mut cases = read(Some(label))?;
        for case in cases.iter_mut().filter(|case| case.one_of_models.is_none()) {
            case.name = name_with(&case.name, label);
            case.one_of_models = Some(label.clone());
        }
        columns.push(cases.into_iter());
    }
    let mut cases = Vec::new();
    loop {
        let before = cases.len();
        cases.extend(columns.iter_mut().filter_map(Iterator::next));
        if cases.len() == before {
            return Ok(cases);
        }
    }
}

/// The cases of a suite, with the model that is given for the run.
fn of_suite(
    path: &Path,
    label: Option<&str>,
    arguments: &EvalArguments,
    options: &ReadOptions,
) -> Result<Vec<EvalCase>, EvalError> {
    let cases = read_with_models(path, options, &models(arguments)?)?;
    let Some(label) = label else { return Ok(cases) };
    let choice = eval_sets::chosen(Some(label));
    let mut cases = with_one_model(cases, label);
    for case in cases.iter_mut().filter(|case| case.one_of_models.as_deref() != Some(label)) {
        match &choice {
            ModelChoice::Own => {}
            ModelChoice::Replay => {
                let nothing = || EvalError::NothingToReplay {
                    suite: path.to_owned(),
                    case: case.name.clone(),
                };
                let golden = case.golden.as_ref().ok_or_else(nothing)?;
                case.model = Some(golden.session.model.clone());
                case.source.content_hash.push_str(" replay");
            }
            ModelChoice::Named(name) => {
                case.model = Some(GivenModel::Named(name.clone()));
                // Results of another model are not results of this case.
                case.source.content_hash.push_str(&format!(" {name}"));
            }
        }
        if let Some(before) = &mut case.one_of_models {
            case.name = name_with(name_without(&case.name, before), label);
            label.clone_into(before);
        }
    }
    Ok(cases)
}

/// Of a case that runs with several models, the one with this model, or else the first, which is given it.
fn with_one_model(cases: Vec<EvalCase>, label: &str) -> Vec<EvalCase> {
    let base = |case: &EvalCase| {
        let model = case.one_of_models.as_deref()?;
        Some(name_without(&case.name, model).to_owned())
    };
    let mut chosen: Vec<EvalCase> = Vec::with_capacity(cases.len());
    for case in cases {
        match chosen.last_mut() {
            Some(last) if base(&case).is_some() && base(last) == base(&case) => {
                if case.one_of_models.as_deref() == Some(label) {
                    *last = case;
                }
            }
            _ => chosen.push(case),
        }
    }
    chosen
}

/// The cases that `--case` and `--tag` select.
pub(super) fn selected(
    cases: Vec<EvalCase>,
    arguments: &EvalArguments,
) -> Result<Vec<EvalCase>, EvalError> {
    // A name may have brackets, which mean something else in a pattern.
    let is_name = |text: &String| cases.iter().any(|case| case.name == *text);
    let mut patterns = Vec::new();
    for pattern in arguments.cases.iter().filter(|text| !is_name(text)) {
        let read = Pattern::new(pattern);
        patterns
            .push(read.map_err(|cause| EvalError::Pattern { pattern: pattern.clone(), cause })?);
    }
    let tags: BTreeSet<&String> = cases.iter().flat_map(|case| &case.tags).collect();
    if let Some(tag) = arguments.tags.iter().find(|tag| !tags.contains(tag)) {
        let known = tags.into_iter().cloned().collect();
        return Err(EvalError::NoTag { tag: tag.clone(), known });
    }
    let known: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let has_tag = |case: &EvalCase| {
        arguments.tags.is_empty() || arguments.tags.iter().any(|tag| case.tags.contains(tag))
    };
    let is_named = |case: &EvalCase| {
        arguments.cases.is_empty()
            || arguments.cases.contains(&case.name)
            || patterns.iter().any(|it| it.matches(&case.name))
    };
    let selected: Vec<EvalCase> =
        cases.into_iter().filter(|case| is_named(case) && has_tag(case)).collect();
    if selected.is_empty() { Err(EvalError::NoCase { known }) } else { Ok(selected) }
}
