//! Edits to cases. Each is checked against what the page has read and against the format before a
//! byte is written; crash safety is in `evalset-file`.

use std::path::PathBuf;

use api::{ApiError, CaseChange, CaseVersion, CaseView, ExpectedCall};
use case_trace::CaseTrace;
use evalset::{Case, CaseText, EditError, Format, NewCall, Origin, Severity, numbered, read_case};
use evalset_file::{AppendError, CaseAt, Cases, EvalSetFiles, FoundCase};
use json_text::{JsonText, Node};

use super::case_lookup::{digest, found_case_view, refused};
use super::export::files_for;
use super::sets::SetFile;
use crate::blocking::run_blocking;

/// Changes the case that the page has read.
///
/// # Errors
/// [`ApiError::EvalSet`] if the case has changed since, or if the format's reader would reject it.
/// The file is then unchanged.
pub(crate) async fn change(
    set: &SetFile,
    at: CaseVersion,
    change: CaseChange,
) -> Result<CaseView, ApiError> {
    let set = EditedSet::of(set);
    run_blocking("change a case", move || {
        let read = set.read(&at)?;
        let files = match change {
            // The case had this id before, even if another case has it now: rejecting it would lose
            // the case.
            CaseChange::Was(_) => set.files.clone().with_repeated_ids(),
            _ => set.files.clone(),
        };
        let (eval_id, text) = match change {
            // The file contained this text before, so it is written back even if the format's
            // reader rejects it.
            CaseChange::Was(was) => {
                (eval_id_in(&was).unwrap_or_default(), CaseText::with_original_layout(&was))
            }
            change => {
                let case = set.changed(&read, change)?;
                (case.eval_id().to_owned(), writable(&case, &read.text, read.format)?)
            }
        };
        let at = CaseAt::AsRead { index: read.found.index, text: read.text };
        files.replace(&set.path, &at, &eval_id, &text).map_err(refused)?;
        set.view(read.found.index)
    })
    .await
}

/// Inserts a copy of the case after it.
///
/// # Errors
/// As [`change`].
pub(crate) async fn duplicate(set: &SetFile, at: CaseVersion) -> Result<CaseView, ApiError> {
    let set = EditedSet::of(set);
    run_blocking("copy a case", move || {
        let read = set.read(&at)?;
        let mut case = read.case()?;
        let behind = read.found.index + 1;
        let base = case.eval_id().to_owned();
        for number in 2.. {
            case.set_eval_id(numbered(&base, number)).map_err(rejected_edit)?;
            let text = writable(&case, &read.text, read.format)?;
            match set.files.insert(&set.path, behind, case.eval_id(), &text) {
                Err(AppendError::DuplicateId { .. }) => {}
                Err(error) => return Err(refused(error)),
                Ok(_) => break,
            }
        }
        set.view(behind)
    })
    .await
}

/// Removes the case.
///
/// # Errors
/// [`ApiError::EvalSet`] if the case has changed since.
pub(crate) async fn remove(set: &SetFile, at: CaseVersion) -> Result<(), ApiError> {
    let set = EditedSet::of(set);
    run_blocking("remove a case", move || {
        let read = set.read(&at)?;
        let at = CaseAt::AsRead { index: read.found.index, text: read.text };
        set.files.remove(&set.path, &at).map(|_| ()).map_err(refused)
    })
    .await
}

/// Inserts a removed case again, at `index` or at the end, even if another case has its id now:
/// rejecting it would lose the case.
///
/// # Errors
/// [`ApiError::EvalSet`] if the file cannot be written.
pub(crate) async fn insert(
    set: &SetFile,
    index: u64,
    text: JsonText,
) -> Result<CaseView, ApiError> {
    let set = EditedSet::of(set);
    run_blocking("put a case back", move || {
        // Every item that can be removed can be inserted again: also a case without an id, and an
        // item that is not a case.
        let eval_id = eval_id_in(&text).unwrap_or_default();
        let count = set.count()?;
        let index = index.min(count);
        let text = CaseText::with_original_layout(&text);
        let files = set.files.clone().with_repeated_ids();
        files.insert(&set.path, index, &eval_id, &text).map_err(refused)?;
        set.view(index)
    })
    .await
}

/// The eval set to change.
struct EditedSet {
    path: PathBuf,
    files: EvalSetFiles,
    app_name: String,
    user_id: String,
}

/// A case of the file and its text.
struct CaseInFile {
    found: FoundCase,
    text: String,
    format: Format,
}

impl CaseInFile {
    fn case(&self) -> Result<Case, ApiError> {
        let (case, faults) = read_case(&self.text, self.format, whole());
        case.ok_or_else(|| {
            let fault = faults.first().map(ToString::to_string).unwrap_or_default();
            failed(format!("The case cannot be read: {fault}. Fix it in the file first."))
        })
    }
}

impl EditedSet {
    fn of(set: &SetFile) -> Self {
        Self {
            files: files_for(&set.path),
            path: set.path.clone(),
            app_name: set.app_name.clone(),
            user_id: set.user_id.clone(),
        }
    }

    /// The case at the index that the page names, if its text is unchanged. Otherwise the only case
    /// of the file with that text, which other edits have moved.
    fn read(&self, at: &CaseVersion) -> Result<CaseInFile, ApiError> {
        let (read, _) = self.read_at(at.index)?;
        match read {
            Some(read) if digest(&read.text) == at.digest => Ok(read),
            _ => self.find_moved(at),
        }
    }

    fn find_moved(&self, at: &CaseVersion) -> Result<CaseInFile, ApiError> {
        let mut cases = Cases::open(&self.path).map_err(refused)?;
        let (mut text, mut meant) = (String::new(), None);
        while let Some(found) = cases.next() {
            let found = found.map_err(refused)?;
            cases.text_into(&found, &mut text).map_err(refused)?;
            if digest(&text) != at.digest {
                continue;
            }
            if meant.is_some() {
                return Err(ApiError::CaseChanged);
            }
            meant = Some((found, text.clone()));
        }
        let (found, text) = meant.ok_or(ApiError::CaseChanged)?;
        let format = Cases::declared_format(&self.path).map_err(refused)?;
        Ok(CaseInFile { found, text, format })
    }

    /// The case at `index` and the open file.
    fn read_at(&self, index: u64) -> Result<(Option<CaseInFile>, Cases), ApiError> {
        let mut cases = Cases::open(&self.path).map_err(refused)?;
        while let Some(found) = cases.next() {
            let found = found.map_err(refused)?;
            if found.index == index {
                let text = cases.text(&found).map_err(refused)?;
                let format = Cases::declared_format(&self.path).map_err(refused)?;
                return Ok((Some(CaseInFile { found, text, format }), cases));
            }
        }
        Ok((None, cases))
    }

    fn count(&self) -> Result<u64, ApiError> {
        let mut count = 0;
        for case in Cases::open(&self.path).map_err(refused)? {
            case.map_err(refused)?;
            count += 1;
        }
        Ok(count)
    }

    fn view(&self, index: u64) -> Result<CaseView, ApiError> {
        let (read, mut cases) = self.read_at(index)?;
        let Some(CaseInFile { found, text, format }) = read else {
            return Err(ApiError::UnknownCase(format!("at index {index}")));
        };
        let origin = cases.origin(&found).map_err(refused)?;
        found_case_view(&found, &text, format, origin)
    }

    fn changed(&self, read: &CaseInFile, change: CaseChange) -> Result<Case, ApiError> {
        if let CaseChange::Whole(text) = change {
            let (case, faults) = read_case(text.as_str(), read.format, whole());
            let fault = faults.iter().find(|fault| fault.severity() == Severity::Error);
            return match (case, fault) {
                (Some(case), None) => Ok(case),
                (_, fault) => Err(failed(match fault {
                    // Without the line number: the page formats the text differently.
                    Some(fault) => format!("Not saved: {}: {}.", fault.path, fault.problem),
                    None => "Not saved: this is not a case of the file's format.".to_owned(),
                })),
            };
        }
        let mut case = read.case()?;
        match change {
            CaseChange::EvalId(eval_id) if eval_id.trim().is_empty() => {
                return Err(failed("A case needs an eval_id."));
            }
            CaseChange::EvalId(eval_id) => case.set_eval_id(eval_id.trim()),
            CaseChange::Query { turn, text } => case.set_query(turn, &text),
            CaseChange::Plan(text) => case.set_plan(&text),
            CaseChange::Response { turn, text } => case.set_response(turn, text.as_deref()),
            CaseChange::Call { turn, call, expected } => case.set_call(turn, call, new(expected)),
            CaseChange::AddCall { turn, at, expected } => {
                let id = uuid::Uuid::new_v4().to_string();
                case.insert_call(turn, at, &id, new(expected))
            }
            CaseChange::RemoveCall { turn, call } => case.remove_call(turn, call),
            CaseChange::MoveCall { turn, from, to } => case.move_call(turn, from, to),
            CaseChange::State(state) => {
                case.set_initial_state(state, &self.app_name, &self.user_id)
            }
            CaseChange::FinalState(state) => case.set_final_state(state),
            CaseChange::Whole(_) | CaseChange::Was(_) => Ok(()),
        }
        .map_err(rejected_edit)?;
        Ok(case)
    }
}

/// The text of `case`, if the format's reader accepts it. Errors that it already had are allowed.
fn writable(case: &Case, was: &str, format: Format) -> Result<CaseText, ApiError> {
    let text = match case {
        // ADK reads a file as a whole: one rejected value would make all cases unreadable.
        Case::Adk(case) => {
            case.to_json().map_err(|error| failed(format!("Not saved: {error}.")))?
        }
        case => case.to_json(),
    };
    let errors = |text: &str| -> Vec<String> {
        let (case, mut faults) = read_case(text, format, whole());
        faults.extend(case.iter().flat_map(|case| CaseTrace::faults(case, text, whole())));
        faults
            .iter()
            .filter(|fault| fault.severity() == Severity::Error)
            .map(|fault| format!("{}: {}", fault.path, fault.problem))
            .collect()
    };
    let before = errors(was);
    let after = errors(&text.laid_out(&evalset::Layout::compact()));
    match after.into_iter().find(|error| !before.contains(error)) {
        Some(error) => {
            let stop = if error.ends_with('?') { "" } else { "." };
            Err(failed(format!("Not saved: {error}{stop}")))
        }
        None => Ok(text),
    }
}

/// The id in the case's text.
fn eval_id_in(case: &JsonText) -> Option<String> {
    let Node::Object(members) = case.open() else { return None };
    let (_, id) = members.into_iter().rfind(|(key, _)| key == "eval_id" || key == "evalId")?;
    match Node::of(id) {
        Node::String(id) => Some(id.into_owned()),
        _ => None,
    }
}

fn new(expected: ExpectedCall) -> NewCall {
    let ExpectedCall { tool, arguments, response } = expected;
    NewCall { name: tool, arguments, response }
}

fn whole() -> Origin<'static> {
    Origin::default()
}

fn failed(reason: impl Into<String>) -> ApiError {
    ApiError::EvalSet(reason.into())
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn rejected_edit(error: EditError) -> ApiError {
    let mut characters = error.to_string();
    if let Some(first) = characters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    failed(format!("{characters}."))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    const TEXT: &str = r#"{"eval_set_id": "s", "eval_cases": [
  {"eval_id": "a", "conversation": [{"invocation_id": "i", "user_content": {"parts": [{"text": "one"}], "role": "user"}, "zz": 1}]},
  {"eval_id": "b", "conversation": [{"invocation_id": "j", "user_content": {"parts": [{"text": "two"}], "role": "user"}}]}
]}"#;

    fn set(path: &Path) -> EditedSet {
        EditedSet {
            path: path.to_owned(),
            files: files_for(path),
            app_name: "app".into(),
            user_id: "user".into(),
        }
    }

    #[test]
    fn writes_only_cases_that_the_format_accepts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        fs::write(&path, TEXT).expect("written");
        let set = set(&path);
        let (read, _) = set.read_at(1).expect("read");
        let read = read.expect("the second case");
        let asked = CaseVersion { index: 1, digest: digest(&read.text) };
        assert_eq!(set.read(&asked).expect("as read").found.eval_id.as_deref(), Some("b"));
        let elsewhere = CaseVersion { index: 0, digest: digest(&read.text) };
        assert_eq!(set.read(&elsewhere).expect("it has moved").found.index, 1);
        let stale = CaseVersion { index: 1, digest: digest("{}") };
        assert!(matches!(set.read(&stale), Err(ApiError::CaseChanged)));

        let whole = JsonText::parse(r#"{"eval_id": "b", "conversation": 7}"#).expect("JSON");
        let refused = set.changed(&read, CaseChange::Whole(whole));
        let Err(ApiError::EvalSet(reason)) = refused else { panic!("{refused:?}") };
        assert!(reason.starts_with("Not saved: conversation: "), "{reason}");

        let renamed = set.changed(&read, CaseChange::EvalId(" c ".into())).expect("renamed");
        assert_eq!(renamed.eval_id(), "c");
        assert!(set.changed(&read, CaseChange::EvalId(" ".into())).is_err());
        let gone = set.changed(&read, CaseChange::RemoveCall { turn: 3, call: 0 });
        let Err(ApiError::EvalSet(reason)) = gone else { panic!("{gone:?}") };
        assert_eq!(reason, "There is no turn 4, because the case has 1. Reload the case.");
        assert_eq!(fs::read_to_string(&path).expect("read"), TEXT);

        let state = JsonText::parse(r#"{"n": {"$exist": true}}"#).expect("JSON");
        let asked = set.changed(&read, CaseChange::FinalState(Some(state))).expect("a case");
        let refused = writable(&asked, &read.text, read.format);
        let Err(ApiError::EvalSet(reason)) = refused else { panic!("{refused:?}") };
        assert_eq!(
            reason,
            "Not saved: final_session_state.n.$exist: the expected final state is not a valid query: \
             unknown operator $exist; did you mean $exists?"
        );
    }

    #[tokio::test]
    async fn rejects_edits_of_legacy_cases() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.test.json");
        let file = SetFile::at(&api::SetId::new("s"), path.clone());
        let queries = r#"[{"query": "one"}, {"query": "two"}]"#;
        for (text, eval_id) in
            [(queries, "old"), (r#"[{"name": "a", "data": [{"query": "one"}]}]"#, "a")]
        {
            fs::write(&path, text).expect("written");
            let case = super::super::case(&file, eval_id.into(), 0).await.expect("read");
            let at = CaseVersion { index: case.index, digest: case.digest.clone() };
            let edit = CaseChange::Query { turn: 0, text: "deux".into() };
            for refused in [
                change(&file, at.clone(), edit).await.map(|_| ()),
                change(&file, at.clone(), CaseChange::EvalId("b".into())).await.map(|_| ()),
                change(&file, at.clone(), CaseChange::Whole(case.text)).await.map(|_| ()),
                duplicate(&file, at.clone()).await.map(|_| ()),
                remove(&file, at).await,
            ] {
                let Err(ApiError::EvalSet(reason)) = refused else { panic!("{refused:?}") };
                assert!(reason.contains("`rehearsal evalset convert"), "{reason}");
            }
            assert_eq!(fs::read_to_string(&path).expect("read"), text);
        }
    }

    #[tokio::test]
    async fn lists_and_edits_cases_beside_invalid_items() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        let text = TEXT.replace("},\n", "},\n  7 , [[]],\n").replace("\n]}", ",\n  \"x\"\n]}");
        fs::write(&path, &text).expect("written");
        let file = SetFile::at(&api::SetId::new("s"), path.clone());
        let asked = api::CaseQuery { most: 9, ..Default::default() };
        let list = super::super::cases(&file, asked).await.expect("listed");
        assert_eq!((list.all, list.fault), (5, None));
        let faults: Vec<_> = list.cases.iter().filter_map(|case| case.fault.as_deref()).collect();
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(faults[1].starts_with("line 3, column 3, the case at index 1: "), "{}", faults[1]);

        let read = async |id: &str, index| {
            let case = super::super::case(&file, id.into(), index).await.expect("read");
            (CaseVersion { index: case.index, digest: case.digest.clone() }, case)
        };
        let (at, case) = read("b", 3).await;
        let edit = CaseChange::Query { turn: 0, text: "deux".into() };
        let changed = change(&file, at, edit).await.expect("changed");
        let at = CaseVersion { index: changed.index, digest: changed.digest };
        change(&file, at, CaseChange::Was(case.text)).await.expect("taken back");
        let (at, first) = read("a", 0).await;
        remove(&file, at).await.expect("removed");
        insert(&file, 0, first.text).await.expect("put back");
        let same = |wanted: &str| {
            let json = |text: &str| JsonText::parse(text).expect("JSON").compact();
            json(&fs::read_to_string(&path).expect("read")) == json(wanted)
        };
        assert!(same(&text));
        // Invalid items can be removed.
        for index in [4, 2, 1] {
            let (at, other) = read("", index).await;
            assert!(!other.faults.is_empty());
            remove(&file, at).await.expect("removed");
        }
        assert!(same(TEXT));
    }

    #[tokio::test]
    async fn a_moved_case_is_changed_at_its_new_index() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        fs::write(&path, TEXT).expect("written");
        let file = SetFile::at(&api::SetId::new("s"), path.clone());
        let case = super::super::case(&file, "b".into(), 1).await.expect("read");
        let at = CaseVersion { index: case.index, digest: case.digest.clone() };
        let before = |text: &str, eval_id: &str| {
            let list = "\"eval_cases\": [";
            text.replace(list, &format!("{list}{{\"eval_id\": \"{eval_id}\"}},"))
        };
        let one_more = before(TEXT, "c");
        fs::write(&path, &one_more).expect("written");

        let edit = CaseChange::Query { turn: 0, text: "deux".into() };
        let changed = change(&file, at.clone(), edit).await.expect("saved at its new index");
        assert_eq!((changed.index, changed.turns[0].query.as_str()), (2, "deux"));
        // Undo after another case was inserted.
        let two_more = before(&fs::read_to_string(&path).expect("read"), "d");
        fs::write(&path, two_more).expect("written");
        let now = CaseVersion { index: changed.index, digest: changed.digest };
        let back = change(&file, now, CaseChange::Was(case.text)).await.expect("taken back");
        assert_eq!((back.index, back.turns[0].query.as_str()), (3, "two"));
        let copy = duplicate(&file, at.clone()).await.expect("copied");
        assert_eq!((copy.index, copy.eval_id.as_str()), (4, "b_2"));
        remove(&file, CaseVersion { index: 1, digest: copy.digest }).await.expect("removed");
        assert_eq!(fs::read_to_string(&path).expect("read"), before(&one_more, "d"));

        // Of two cases with equal text neither can be identified.
        let second = TEXT.lines().nth(2).expect("the second case");
        let twins = TEXT.replace(second, &format!("{second},{second}"));
        fs::write(&path, twins).expect("written");
        let refused = remove(&file, CaseVersion { index: 0, ..at }).await;
        assert!(matches!(refused, Err(ApiError::CaseChanged)), "{refused:?}");
    }

    #[tokio::test]
    async fn edits_the_case_at_the_index_if_ids_repeat() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        fs::write(&path, TEXT.replace(r#""eval_id": "b""#, r#""eval_id": "a""#)).expect("written");
        let file = SetFile::at(&api::SetId::new("s"), path.clone());
        let read = async |index| {
            let case = super::super::case(&file, "a".into(), index).await.expect("read");
            (CaseVersion { index: case.index, digest: case.digest.clone() }, case)
        };
        let asked = api::CaseQuery { most: 9, ..Default::default() };
        let listed = super::super::cases(&file, asked).await.expect("listed").cases;
        assert!(listed.iter().all(|case| case.repeats), "{listed:?}");

        let (at, second) = read(1).await;
        assert_eq!((at.index, second.turns[0].query.as_str()), (1, "two"));
        let edit = CaseChange::Query { turn: 0, text: "deux".into() };
        let changed = change(&file, at, edit).await.expect("it keeps its id");
        assert_eq!((changed.index, changed.turns[0].query.as_str()), (1, "deux"));
        assert_eq!(read(0).await.1.turns[0].query, "one");

        let (at, second) = read(1).await;
        let renamed = change(&file, at, CaseChange::EvalId("c".into())).await.expect("renamed");
        let now = CaseVersion { index: 1, digest: renamed.digest };
        let taken = change(&file, now.clone(), CaseChange::EvalId("a".into())).await;
        assert!(matches!(taken, Err(ApiError::EvalSet(_))), "{taken:?}");
        let back = change(&file, now, CaseChange::Was(second.text)).await.expect("taken back");
        assert_eq!((back.index, back.eval_id.as_str()), (1, "a"));

        let (at, first) = read(0).await;
        remove(&file, at).await.expect("removed");
        assert_eq!(read(0).await.1.turns[0].query, "deux");
        let back = insert(&file, 0, first.text).await.expect("put back");
        assert_eq!((back.index, back.turns[0].query.as_str()), (0, "one"));
        assert_eq!(read(1).await.1.turns[0].query, "deux");
    }

    #[tokio::test]
    async fn undoing_the_repair_of_a_broken_case_restores_every_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        // ADK has no field "zz".
        fs::write(&path, TEXT).expect("written");
        let file = SetFile::at(&api::SetId::new("s"), path.clone());
        let case = super::super::case(&file, "a".into(), 0).await.expect("read");
        assert_ne!(case.faults, Vec::<String>::new());
        let repaired =
            JsonText::parse(&case.text.as_str().replace(r#", "zz": 1"#, "")).expect("JSON");
        let at = CaseVersion { index: 0, digest: case.digest };
        let now = change(&file, at, CaseChange::Whole(repaired)).await.expect("repaired");
        assert_eq!(now.faults, Vec::<String>::new());
        let now = CaseVersion { index: 0, digest: now.digest };
        change(&file, now, CaseChange::Was(case.text)).await.expect("taken back");
        assert_eq!(fs::read_to_string(&path).expect("read"), TEXT);
    }

    #[tokio::test]
    async fn each_case_without_an_id_can_be_removed_and_inserted_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        let second = TEXT.lines().nth(2).expect("the second case");
        let empty = second.replace(r#""eval_id": "b""#, r#""eval_id": """#);
        let none = second.replace(r#""eval_id": "b", "#, "").replace("two", "three");
        assert_ne!(none, second);
        let text = TEXT.replace(second, &format!("{empty},\n{none},\n  7,\n{second}"));
        fs::write(&path, &text).expect("written");
        let file = SetFile::at(&api::SetId::new("s"), path.clone());
        let asked = api::CaseQuery { most: 9, ..Default::default() };
        let listed = super::super::cases(&file, asked).await.expect("listed").cases;
        let repeats: Vec<bool> = listed.iter().map(|case| case.repeats).collect();
        assert_eq!(repeats, [false, true, true, true, false]);
        for index in 1..=3 {
            let case = super::super::case(&file, String::new(), index).await.expect("read");
            assert_eq!(case.index, index);
            remove(&file, CaseVersion { index, digest: case.digest }).await.expect("removed");
            assert_ne!(fs::read_to_string(&path).expect("read"), text);
            insert(&file, index, case.text).await.expect("put back");
            assert_eq!(fs::read_to_string(&path).expect("read"), text, "{index}");
        }
    }
}
