//! Reads two cases and has `trace-export` compare them.

use std::path::Path;

use api::{ApiError, CaseComparison, CaseName};
use case_trace::CaseTrace;
use evalset::adk::EvalCase;
use evalset::{Case, read_case};
use evalset_file::Cases;
use scoring::Trace;
use trace_export::Comparison;

use super::case_lookup::{find, refused, text_of};
use super::sets::SetFile;
use crate::blocking::run_blocking;

/// The case to compare with a recorded case.
pub(crate) enum ComparedCase {
    /// A case of a set.
    Case(Box<SetFile>, CaseName),
    /// The case that a rehearsal would be exported as.
    Rehearsed(Box<EvalCase>),
    /// The case that a live session would be exported as.
    Live(Box<EvalCase>),
}

/// Compares the case `expected` of a set with `actual`.
///
/// # Errors
/// [`ApiError::UnknownCase`] if there is no such case, [`ApiError::EvalSet`] if one cannot be read.
pub(crate) async fn compare(
    expected: (SetFile, CaseName),
    actual: ComparedCase,
) -> Result<CaseComparison, ApiError> {
    let (set, name) = expected;
    let other_name = match &actual {
        ComparedCase::Case(_, name) => Some(name.clone()),
        ComparedCase::Rehearsed(_) | ComparedCase::Live(_) => None,
    };
    run_blocking("compare two cases", move || {
        let one = read(&set.path, &name)?;
        let other = match actual {
            ComparedCase::Case(set, name) => read(&set.path, &name)?,
            ComparedCase::Rehearsed(case) => traced("The rehearsal", &Case::Adk(*case))?,
            ComparedCase::Live(case) => traced("The live session", &Case::Adk(*case))?,
        };
        let left_out = one
            .invocations
            .is_empty()
            .then(|| "This case has no turns, so there is nothing to compare.".to_owned());
        let compared = trace_export::compare(&one, &other);
        let Comparison { scores, why, turns, state } = compared;
        Ok(CaseComparison {
            expected: name,
            actual: other_name,
            scores,
            why,
            left_out,
            turns,
            state,
        })
    })
    .await
}

fn read(path: &Path, name: &CaseName) -> Result<Trace, ApiError> {
    let eval_id = &name.eval_id;
    let mut cases = Cases::open(path).map_err(refused)?;
    let format = Cases::declared_format(path).map_err(refused)?;
    let found = find(&mut cases, eval_id, name.at)?;
    let (text, origin) = text_of(&mut cases, &found)?;
    let (case, faults) = read_case(&text, format, origin);
    let Some(case) = case else {
        let fault = faults.first().map(ToString::to_string).unwrap_or_default();
        return Err(ApiError::EvalSet(format!("The case {eval_id} cannot be read: {fault}.")));
    };
    traced(&format!("The case {eval_id}"), &case)
}

fn traced(what: &str, case: &Case) -> Result<Trace, ApiError> {
    let trace = CaseTrace::of(case).map(|it| it.trace);
    let refused = |error| ApiError::EvalSet(format!("{what} cannot be compared: {error}."));
    trace.map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn compares_the_cases_at_the_indexes_if_ids_repeat() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.evalset.json");
        let case = |text: &str| {
            format!(
                r#"{{"eval_id": "twin", "conversation": [{{"invocation_id": "{text}",
                "user_content": {{"parts": [{{"text": "{text}"}}], "role": "user"}}}}]}}"#
            )
        };
        let cases = [case("one"), case("two")].join(",");
        let text = format!(r#"{{"eval_set_id": "s", "eval_cases": [{cases}]}}"#);
        std::fs::write(&path, text).expect("written");
        let set = SetFile::at(&api::SetId::new("s"), path);
        let name = |at| CaseName { set: set.id.clone(), eval_id: "twin".into(), at };
        for (one, other, text) in [
            (Some(0), Some(1), (Some("one"), Some("two"))),
            (Some(1), Some(0), (Some("two"), Some("one"))),
            (Some(1), Some(1), (Some("two"), Some("two"))),
            (None, Some(1), (Some("one"), Some("two"))),
            // Another program removed a case: the id decides.
            (Some(7), None, (Some("one"), Some("one"))),
        ] {
            let actual = ComparedCase::Case(Box::new(set.clone()), name(other));
            let compared = compare((set.clone(), name(one)), actual).await.expect("compared");
            let query = &compared.turns[0].query;
            assert_eq!((query.expected.as_deref(), query.actual.as_deref()), text);
            assert_eq!(compared.why.is_empty(), text.0 == text.1, "{:?}", compared.why);
        }
    }
}
