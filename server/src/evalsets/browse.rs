//! Reads eval-set files for the page: again for each request, one case at a time, on a blocking
//! thread. The page names a set by id and never sends a path.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::sync::{Arc, Weak};

use api::{ApiError, CaseList, CaseOrder, CaseQuery, CaseSummary, CaseView, EvalSetContents};
use case_view::{created, turns};
use evalset::{Format, read_case};
use evalset_file::{Cases, FoundCase};

use super::case_lookup::{find, found_case_view, refused, text_of};
use super::sets::SetFile;
use crate::blocking::run_blocking;

/// The most cases in one response.
const MOST: u64 = 500;
/// The length of the first query in a list row, in characters.
const QUERY: usize = 200;
/// How many tools a list row names.
const TOOLS: usize = 12;
/// The longest case whose content is read, in bytes; a longer one is listed by its id only.
const LOOKED_INTO: u64 = 32 * 1024 * 1024;

/// The requested page of cases.
///
/// In file order one case is in memory at a time; in any other order, each case's index and sort
/// key.
///
/// # Errors
/// [`ApiError::EvalSet`] if the file cannot be opened. If it is broken further on, the cases before
/// that are returned.
pub(crate) async fn cases(set: &SetFile, asked: CaseQuery) -> Result<CaseList, ApiError> {
    let set = set.summary();
    let mut list = CaseList {
        set: set.clone(),
        format: String::new(),
        cases: Vec::new(),
        skipped: 0,
        fitting: 0,
        all: 0,
        fault: None,
    };
    match set.contents {
        EvalSetContents::File { .. } => {}
        EvalSetContents::Nothing => return Ok(list),
        EvalSetContents::Unreadable(reason) => return Err(ApiError::EvalSet(reason)),
    }
    let (_guard, caller) = CallerGuard::new();
    run_blocking("list an eval set", move || {
        let CaseQuery { searched, order, skipped, most, holding } = asked;
        let wanted = searched.trim().to_lowercase();
        // No content of a case is needed.
        let is_counted = most == 0 && wanted.is_empty();
        let most = most.min(MOST);
        let page_from = |from: u64| from..from.saturating_add(most);
        let page_with = |place: u64| page_from(place - place % most.max(1));
        let (mut page, is_sorted) = match holding {
            // All cases fit, and each is listed at its index in the file.
            Some(index) if wanted.is_empty() && order == CaseOrder::File => {
                (page_with(index), false)
            }
            holding => (page_from(skipped), order != CaseOrder::File || holding.is_some()),
        };
        let mut cases = Cases::open(Path::new(&set.path)).map_err(refused)?;
        let format = Cases::declared_format(Path::new(&set.path)).map_err(refused)?;
        let mut sorted = Vec::new();
        let mut ids = Ids::default();
        while let Some(found) = cases.next() {
            // Each keystroke sends a new search and cancels the one before.
            if !caller.is_waiting() {
                break;
            }
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    list.fault = Some(error.to_string());
                    break;
                }
            };
            list.all += 1;
            if is_counted {
                list.fitting += 1;
                continue;
            }
            // Cases without an id share the empty id.
            ids.take(found.eval_id.as_deref().unwrap_or_default());
            let (summary, created) = summary_of(&mut cases, &found, format)?;
            if wanted.is_empty() || holds(&summary, &wanted) {
                if is_sorted {
                    sorted.push((Sorted::of(order, &summary, created), found));
                } else if page.contains(&list.fitting) {
                    list.cases.push(summary);
                }
                list.fitting += 1;
            }
        }
        // Cases with equal keys keep the order of the file.
        sorted.sort_by(|(one, _), (other, _)| one.order(other));
        let held = sorted.iter().position(|(_, found)| Some(found.index) == holding);
        if let Some(place) = held {
            page = page_with(place as u64);
        }
        list.skipped = page.start.min(list.fitting);
        for (_, found) in sorted.iter().skip(whole(page.start)).take(whole(page.end - page.start)) {
            list.cases.push(summary_of(&mut cases, found, format)?.0);
        }
        for summary in &mut list.cases {
            summary.repeats = ids.repeats(&summary.eval_id);
        }
        if list.all > 0 {
            list.format = format.name().to_owned();
        }
        Ok(list)
    })
    .await
}

/// The ids of a file, as hashes, and which of them repeat.
#[derive(Default)]
struct Ids {
    hasher: RandomState,
    taken: HashSet<u64>,
    repeated: HashSet<u64>,
}

impl Ids {
    fn take(&mut self, eval_id: &str) {
        let print = self.hasher.hash_one(eval_id);
        if !self.taken.insert(print) {
            self.repeated.insert(print);
        }
    }

    fn repeats(&self, eval_id: &str) -> bool {
        !self.repeated.is_empty() && self.repeated.contains(&self.hasher.hash_one(eval_id))
    }
}

/// Alive while a caller waits for the result of work on another thread.
struct CallerGuard(#[expect(dead_code, reason = "its existence is the signal")] Arc<()>);

/// Whether the caller still waits.
struct CallerWatch(Weak<()>);

impl CallerGuard {
    fn new() -> (Self, CallerWatch) {
        let alive = Arc::new(());
        let caller = CallerWatch(Arc::downgrade(&alive));
        (Self(alive), caller)
    }
}

impl CallerWatch {
    fn is_waiting(&self) -> bool {
        self.0.strong_count() > 0
    }
}

fn whole(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A case's sort key, in ascending order.
#[derive(Debug, Clone, PartialEq)]
enum Sorted {
    Text(String),
    Number(f64),
    /// The case lacks the value: it is last.
    Missing,
}

impl Sorted {
    #[expect(clippy::cast_precision_loss, reason = "no case has 2^53 calls")]
    fn of(order: CaseOrder, summary: &CaseSummary, created: Option<f64>) -> Self {
        let known = |number: Option<f64>| number.map_or(Self::Missing, Self::Number);
        match order {
            CaseOrder::File => Self::Number(summary.index as f64),
            CaseOrder::FileFromEnd => Self::Number(-(summary.index as f64)),
            CaseOrder::Id if summary.eval_id.is_empty() => Self::Missing,
            CaseOrder::Id => Self::Text(summary.eval_id.to_lowercase()),
            CaseOrder::Newest => known(created.map(|created| -created)),
            CaseOrder::Oldest => known(created),
            CaseOrder::MostCalls => Self::Number(-(summary.calls as f64)),
            CaseOrder::FewestCalls => Self::Number(summary.calls as f64),
            CaseOrder::MostTurns => Self::Number(-(summary.turns as f64)),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Missing, Self::Missing) => Ordering::Equal,
            (Self::Missing, _) => Ordering::Greater,
            (_, Self::Missing) => Ordering::Less,
            // Keys of different kinds are never compared.
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
    }
}

/// One case. The file may have changed since the page read it, so the id decides, and the index
/// only if ids repeat.
///
/// # Errors
/// [`ApiError::UnknownCase`] if the file has no such case, [`ApiError::EvalSet`] if it cannot be
/// read.
pub(crate) async fn case(set: &SetFile, eval_id: String, index: u64) -> Result<CaseView, ApiError> {
    let path = set.path.clone();
    run_blocking("read a case", move || {
        let mut cases = Cases::open(&path).map_err(refused)?;
        let format = Cases::declared_format(&path).map_err(refused)?;
        let found = find(&mut cases, &eval_id, Some(index))?;
        let (text, origin) = text_of(&mut cases, &found)?;
        found_case_view(&found, &text, format, origin)
    })
    .await
}

/// The list row of a case, and its creation time.
fn summary_of(
    cases: &mut Cases,
    found: &FoundCase,
    format: Format,
) -> Result<(CaseSummary, Option<f64>), ApiError> {
    let mut summary = CaseSummary {
        index: found.index,
        eval_id: found.eval_id.clone().unwrap_or_default(),
        name: None,
        query: String::new(),
        turns: found.turns,
        tools: Vec::new(),
        calls: 0,
        tags: Vec::new(),
        fault: None,
        repeats: false,
    };
    if found.end - found.start > LOOKED_INTO {
        return Ok((summary, None));
    }
    let (text, origin) = text_of(cases, found)?;
    let (case, faults) = read_case(&text, format, origin);
    summary.fault = faults.first().map(ToString::to_string);
    let Some(case) = case else { return Ok((summary, None)) };
    let created = created(&case);
    summary.name = case.name();
    summary.tags = case.tags();
    let turns = turns(&case);
    summary.turns = turns.len() as u64;
    if let Some(first) = turns.first() {
        let attachments = first.attachments.iter().map(String::as_str);
        let said = std::iter::once(first.query.as_str()).chain(attachments);
        let said = said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        summary.query = said.chars().take(QUERY).collect();
    }
    let calls = turns.iter().flat_map(|turn| &turn.steps).filter_map(|step| match step {
        api::CaseStep::Call { tool, .. } => Some(tool),
        api::CaseStep::Message { .. } | api::CaseStep::Plan(_) => None,
    });
    for tool in calls {
        summary.calls += 1;
        if summary.tools.len() < TOOLS {
            summary.tools.push(tool.clone());
        }
    }
    Ok((summary, created))
}

fn holds(summary: &CaseSummary, wanted: &str) -> bool {
    let texts = [&summary.eval_id, &summary.query];
    texts
        .into_iter()
        .chain(&summary.name)
        .chain(&summary.tools)
        .chain(&summary.tags)
        .any(|text| text.to_lowercase().contains(wanted))
}

#[cfg(test)]
mod tests {
    use api::SetId;

    use super::*;

    #[tokio::test]
    async fn sorts_the_whole_file_before_it_takes_a_page() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("s.evalset.json");
        let case = |id: &str, created: &str, calls: usize| {
            let calls = vec![r#"{"name": "f", "args": {}}"#; calls].join(",");
            format!(
                r#"{{"eval_id": "{id}", {created} "conversation": [{{"invocation_id": "i",
                "user_content": {{"parts": [{{"text": "{id}?"}}], "role": "user"}},
                "intermediate_data": {{"tool_uses": [{calls}]}}}}]}}"#
            )
        };
        let cases = [
            case("b", r#""creation_timestamp": 20.5,"#, 1),
            case("C", "", 3),
            case("a", r#""creation_timestamp": 30,"#, 2),
        ];
        let text = format!(r#"{{"eval_set_id": "s", "eval_cases": [{}]}}"#, cases.join(","));
        std::fs::write(&path, text).expect("written");
        let listed = async |order, most| {
            let asked = CaseQuery { order, most, ..CaseQuery::default() };
            let set = SetFile::at(&SetId::new("s"), path.clone());
            let list = super::cases(&set, asked).await.expect("read");
            assert_eq!((list.all, list.fitting), (3, 3));
            list.cases.into_iter().map(|case| case.eval_id).collect::<Vec<_>>().join(" ")
        };
        for (order, expected) in [
            (CaseOrder::File, "b C a"),
            (CaseOrder::FileFromEnd, "a C b"),
            (CaseOrder::Id, "a b C"),
            (CaseOrder::Newest, "a b C"),
            (CaseOrder::Oldest, "b a C"),
            (CaseOrder::MostCalls, "C a b"),
            (CaseOrder::FewestCalls, "b a C"),
        ] {
            assert_eq!(listed(order, 10).await, expected, "{order:?}");
        }
        assert_eq!(listed(CaseOrder::MostCalls, 1).await, "C");

        // A later page, and the page that contains a given case.
        let page = async |order, searched: &str, skipped, holding| {
            let searched = searched.to_owned();
            let asked = CaseQuery { searched, order, skipped, most: 2, holding };
            let set = SetFile::at(&SetId::new("s"), path.clone());
            let list = super::cases(&set, asked).await.expect("read");
            let ids: Vec<String> = list.cases.into_iter().map(|case| case.eval_id).collect();
            (list.skipped, list.fitting, ids.join(" "))
        };
        assert_eq!(page(CaseOrder::File, "", 2, None).await, (2, 3, "a".into()));
        assert_eq!(page(CaseOrder::File, "", 9, None).await, (3, 3, String::new()));
        assert_eq!(page(CaseOrder::File, "", 0, Some(2)).await, (2, 3, "a".into()));
        assert_eq!(page(CaseOrder::File, "", 2, Some(1)).await, (0, 3, "b C".into()));
        assert_eq!(page(CaseOrder::Id, "", 0, Some(1)).await, (2, 3, "C".into()));
        assert_eq!(page(CaseOrder::File, "f", 2, Some(1)).await, (0, 3, "b C".into()));
        assert_eq!(page(CaseOrder::File, "b?", 0, Some(1)).await, (0, 1, "b".into()));
        assert_eq!(page(CaseOrder::File, "", 0, Some(9)).await, (3, 3, String::new()));
    }

    #[tokio::test]
    async fn lists_the_one_case_of_a_legacy_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lights.test.json");
        let text = r#"[
            {"query": "Lights?", "expected_tool_use": [
                {"tool_name": "set_lights", "tool_input": {"room": "hall"}}], "reference": "Off."},
            {"query": "Bye."}]"#;
        std::fs::write(&path, text).expect("written");
        let set = SetFile::at(&SetId::new("s"), path.clone());
        let asked = CaseQuery { most: 9, ..CaseQuery::default() };
        let list = super::cases(&set, asked.clone()).await.expect("read");
        assert_eq!((list.format.as_str(), list.fault), ("adk-legacy", None));
        let [one] = list.cases.as_slice() else { panic!("{:?}", list.cases) };
        assert_eq!((one.eval_id.as_str(), one.turns, one.query.as_str()), ("lights", 2, "Lights?"));
        let case = super::case(&set, "lights".into(), 0).await.expect("read");
        assert_eq!((case.turns[1].query.as_str(), case.faults.len()), ("Bye.", 0));
        assert_eq!(case.text.as_str(), text);

        std::fs::write(&path, r#"[{"query": "Lights?"}, {"reference": "Off."}]"#).expect("written");
        let list = super::cases(&set, asked).await.expect("read");
        let expected = "line 1, column 24, case \"lights\" at [1]: a query needs \"query\"; add it";
        assert_eq!(list.cases[0].fault.as_deref(), Some(expected));
    }

    #[tokio::test]
    async fn lists_legacy_sessions_as_cases() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("old.test.json");
        let text = r#"[
            {"name": "one", "data": [{"query": "Lights?", "expected_tool_use": [
                {"tool_name": "set_lights", "tool_input": {"room": "hall"}}], "reference": "Off."}]},
            {"name": "two", "data": [{"query": "Hello?"}, {"query": "Bye."}]}]"#;
        std::fs::write(&path, text).expect("written");
        let set = SetFile::at(&SetId::new("s"), path);
        let asked = CaseQuery { most: 9, ..CaseQuery::default() };
        let list = super::cases(&set, asked).await.expect("read");
        assert_eq!((list.format.as_str(), list.fault), ("adk-legacy", None));
        let known = |case: &CaseSummary| (case.eval_id.clone(), case.turns, case.tools.join(" "));
        let known: Vec<_> = list.cases.iter().map(known).collect();
        let (one, two) = ("one".to_owned(), "two".to_owned());
        assert_eq!(known, [(one, 1, "set_lights".to_owned()), (two, 2, String::new())]);
        let case = super::case(&set, "two".into(), 1).await.expect("read");
        assert_eq!((case.turns[1].query.as_str(), case.faults.len()), ("Bye.", 0));
    }
}
