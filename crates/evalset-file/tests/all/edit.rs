//! Cases inserted, replaced, removed and moved: what changes, what stays, and what a crash leaves.

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use evalset::CaseText;
use evalset_file::{AppendError, CaseAt, Cases, EvalSetFiles, WriteObserver, WriteStep};
use proptest::prelude::*;

use crate::common::{added, append, beside, case, ids};

const ATTACKS: u32 = 120;

fn text(eval_id: &str) -> CaseText {
    case("s", eval_id).to_json().expect("a case")
}

fn id(eval_id: &str) -> CaseAt {
    CaseAt::Id(eval_id.to_owned())
}

/// Each way of writing: in place, and into a new file.
fn both_ways() -> [EvalSetFiles; 2] {
    [EvalSetFiles::anywhere(), EvalSetFiles::anywhere().with_longest_tail(0)]
}

const ODD: &str = "{\n \"eval_set_id\": \"s\",  \"mine\": {\"x\":1.0},\n \"eval_cases\": [\n  {\n    \"eval_id\": \"a\", \"note\" : \"kept\", \"conversation\":[]\n  },\n  {\"eval_id\": \"b\", \"n\": 9007199254740993, \"conversation\": []} ,\n  {\n    \"eval_id\": \"c\", \"conversation\": []\n  }\n ],\n \"after\": [1,  2]\n}\n\n";

#[test]
fn edit_rejects_a_case_that_changed() {
    for files in both_ways() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.json");
        std::fs::write(&path, ODD).expect("written");
        let mut cases = Cases::open(&path).expect("opened");
        let read = cases.nth(1).expect("a second case").expect("readable");
        let was = cases.text(&read).expect("its text");
        let at = |text: &str, index| CaseAt::AsRead { index, text: text.to_owned() };
        for (text_seen, index) in [(was.replace('9', "8"), 1), (was.clone(), 0), (was.clone(), 7)] {
            let refused = files.remove(&path, &at(&text_seen, index));
            assert!(matches!(refused, Err(AppendError::CaseChanged { .. })), "{refused:?}");
        }
        assert_eq!(std::fs::read_to_string(&path).expect("read"), ODD);
        files.replace(&path, &at(&was, 1), "new", &text("new")).expect("replaced");
        assert_eq!(ids(&path), ["a", "new", "c"]);
        let refused = files.replace(&path, &at(&was, 1), "b", &text("b"));
        assert!(matches!(refused, Err(AppendError::CaseChanged { .. })), "{refused:?}");
    }
}

#[test]
fn removing_a_case_keeps_every_other_byte() {
    for (gone, left) in [
        (
            "a",
            ODD.replace(
                "  {\n    \"eval_id\": \"a\", \"note\" : \"kept\", \"conversation\":[]\n  },\n",
                "",
            ),
        ),
        (
            "b",
            ODD.replace(
                ",\n  {\"eval_id\": \"b\", \"n\": 9007199254740993, \"conversation\": []}",
                "",
            ),
        ),
        ("c", ODD.replace(" ,\n  {\n    \"eval_id\": \"c\", \"conversation\": []\n  }", "")),
    ] {
        for files in both_ways() {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("set.json");
            std::fs::write(&path, ODD).expect("written");
            assert_eq!(files.remove(&path, &id(gone)).expect("removed").cases, 2);
            let now = std::fs::read_to_string(&path).expect("read");
            assert_eq!(now.replace(' ', ""), left.replace(' ', ""), "{gone}");
            assert_eq!(beside(&path), Vec::<String>::new());
            for at in [0, 0] {
                files.remove(&path, &CaseAt::Index(at)).expect("removed");
            }
            assert!(std::fs::read_to_string(&path).expect("read").contains("\"eval_cases\": []"));
            assert_eq!(files.insert(&path, 0, "n", &text("n")).expect("inserted").cases, 1);
            assert_eq!(ids(&path), ["n"]);
        }
    }
}

#[test]
fn appended_case_takes_the_surrounding_style() {
    for files in both_ways() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.json");
        std::fs::write(&path, ODD).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("set");
        files.replace(&path, &id("b"), "b", &text("b")).expect("replaced");
        files.replace(&path, &CaseAt::Index(2), "d", &text("d")).expect("replaced");
        files.insert(&path, 1, "e", &text("e")).expect("inserted");
        assert_eq!(ids(&path), ["a", "e", "b", "d"]);
        let now = std::fs::read_to_string(&path).expect("read");
        let (head, tail) = ODD.split_at(ODD.find("  {\"eval_id\": \"b\"").expect("there"));
        assert!(now.starts_with(head), "{now}");
        assert!(now.ends_with(&tail[tail.find("\n ],").expect("there")..]), "{now}");
        assert!(
            now.contains("\n  {\"eval_id\": \"b\", \"conversation\": [{\"invocation_id\""),
            "{now}"
        );
        assert!(now.contains("\n  {\n    \"eval_id\": \"d\",\n    \"conversation\": [\n"), "{now}");
        assert_eq!(std::fs::metadata(&path).expect("there").mode() & 0o777, 0o640);
    }
}

#[test]
fn failed_edit_reports_an_error_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let twice = ODD.replace("\"c\"", "\"b\"");
    std::fs::write(&path, &twice).expect("written");
    let files = EvalSetFiles::anywhere();
    for (refused, expected) in [
        (files.remove(&path, &id("x")), "has no case \"x\"; it has 3"),
        (files.remove(&path, &CaseAt::Index(3)), "has no case at index 3; it has 3"),
        (files.remove(&path, &id("b")), "has several cases \"b\"; select one by its index"),
        (files.insert(&path, 0, "a", &text("a")), "already has a case \"a\""),
        (files.insert(&path, 4, "n", &text("n")), "has no case at index 4"),
        (files.replace(&path, &id("a"), "b", &text("b")), "already has a case \"b\""),
        (files.remove(&folder.path().join("none.json"), &id("a")), "there is no file"),
    ] {
        let refused = refused.expect_err("refused").to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("read"), twice);
    assert_eq!(beside(&path), Vec::<String>::new());
}

/// The texts of the cases, one by one.
fn texts(path: &Path) -> Vec<String> {
    let mut cases = Cases::open(path).expect("opened");
    let found: Vec<_> = cases.by_ref().map(|case| case.expect("sound")).collect();
    found.iter().map(|case| cases.text(case).expect("read")).collect()
}

#[test]
fn cases_are_read_one_by_one_with_positions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    std::fs::write(&path, ODD).expect("written");
    let mut cases = Cases::open(&path).expect("opened");
    let found: Vec<_> = cases.by_ref().map(|case| case.expect("sound")).collect();
    let reported: Vec<_> = found
        .iter()
        .map(|case| (case.index, case.eval_id.as_deref(), cases.place(case).expect("read")))
        .collect();
    assert_eq!(reported, [(0, Some("a"), (4, 3)), (1, Some("b"), (7, 3)), (2, Some("c"), (8, 3))]);
    let frame = cases.frame().expect("read").expect("short");
    assert_eq!(
        frame,
        "{\n \"eval_set_id\": \"s\",  \"mine\": {\"x\":1.0},\n \"eval_cases\": [],\n \"after\": [1,  2]\n}\n\n"
    );
    assert_eq!(
        texts(&path)[1],
        "{\"eval_id\": \"b\", \"n\": 9007199254740993, \"conversation\": []}"
    );

    // A fault comes after the cases before it, and names its place.
    std::fs::write(&path, ODD.replace("\"c\",", "\"c\" x,")).expect("written");
    let reported: Vec<_> = Cases::open(&path).expect("opened").collect();
    let fault = reported.last().expect("some").as_ref().expect_err("a fault").to_string();
    assert!(fault.contains("line 9, column 20"), "{fault}");
    assert!(matches!(Cases::open(folder.path()), Err(AppendError::Directory { .. })));
    assert!(matches!(Cases::open(&folder.path().join("none")), Err(AppendError::Io { .. })));
}

#[derive(Debug, Clone)]
enum Edit {
    Insert(usize),
    Replace(usize),
    Remove(usize),
    Append,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        (0..6_usize).prop_map(Edit::Insert),
        (0..6_usize).prop_map(Edit::Replace),
        (0..6_usize).prop_map(Edit::Remove),
        Just(Edit::Append),
    ];
    prop::collection::vec(edit, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn edits_match_a_list_model(edits in edits(), in_place in any::<bool>(), start in 0_usize..3) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.json");
        let begin = [ODD, "{\"eval_set_id\":\"s\",\"eval_cases\":[]}", "{\"eval_set_id\": \"s\", \"eval_cases\": [{\"eval_id\": \"z\", \"conversation\": []}]}"][start];
        std::fs::write(&path, begin).expect("written");
        let files = EvalSetFiles::anywhere().with_longest_tail(if in_place { 1 << 20 } else { 0 });
        let mut list = ids(&path);
        for (number, edit) in edits.into_iter().enumerate() {
            let (name, count) = (format!("n{number}"), list.len());
            let index = |at: usize| CaseAt::Index(at as u64);
            match edit {
                Edit::Insert(at) if at <= count => {
                    files.insert(&path, at as u64, &name, &text(&name)).expect("inserted");
                    list.insert(at, name);
                }
                Edit::Replace(at) if at < count => {
                    files.replace(&path, &id(&list[at]), &name, &text(&name)).expect("replaced");
                    list[at] = name;
                }
                Edit::Remove(at) if at < count => {
                    files.remove(&path, &index(at)).expect("removed");
                    list.remove(at);
                }
                Edit::Append => list.push(added(append(&path, &format!("session {number}")))),
                _ => {}
            }
            prop_assert_eq!(&ids(&path), &list);
        }
        prop_assert_eq!(beside(&path), Vec::<String>::new());
    }
}

// Processes that are killed: this test program, started again for the next function alone.

#[test]
fn in_another_process() {
    let Ok(path) = std::env::var("EDIT_FILE") else { return };
    let path = Path::new(&path);
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
    let name = std::env::var("EDIT_NAME").expect("a name");
    let mut files = EvalSetFiles::anywhere();
    if std::env::var_os("EDIT_NEW_FILE").is_some() {
        files = files.with_longest_tail(0);
    }
    if let Some(stop) = number("EDIT_STOP") {
        files = files.with_observer(Arc::new(StopAt { stop, passed: AtomicU32::new(0) }));
    }
    let own = |round: u32| format!("{name}-{round}");
    let done = |edited: Result<evalset_file::Edited, AppendError>| {
        if let Err(error) = edited {
            eprintln!("{error}");
            std::process::exit(3);
        }
    };
    match std::env::var("EDIT_KIND").as_deref() {
        Ok("insert") => done(files.insert(path, 1, "new", &text("new"))),
        Ok("replace") => done(files.replace(path, &id("b"), "new", &text("new"))),
        Ok("remove") => done(files.remove(path, &id("b"))),
        // Every round leaves one case more, called as the round is.
        _ => (0..number("EDIT_ROUNDS").unwrap_or(1)).for_each(|round| {
            done(files.insert(path, 1, "passing", &text("passing")).or_else(|error| match error {
                // Another of these processes has one there just now.
                AppendError::DuplicateId { .. } => {
                    files.insert(path, 1, &own(round), &text(&own(round)))
                }
                error => Err(error),
            }));
            if ids(path).contains(&own(round)) {
                return;
            }
            match files.replace(path, &id("passing"), &own(round), &text(&own(round))) {
                // Another of these processes has made it its own.
                Err(AppendError::NoSuchCase { .. }) => {
                    done(files.insert(path, 0, &own(round), &text(&own(round))));
                }
                other => done(other),
            }
        }),
    }
}

#[derive(Debug)]
struct StopAt {
    stop: u32,
    passed: AtomicU32,
}

impl WriteObserver for StopAt {
    fn reached(&self, _: WriteStep) -> io::Result<()> {
        if self.passed.fetch_add(1, Ordering::SeqCst) == self.stop {
            // As SIGKILL does: nothing is flushed, dropped or unwound.
            std::process::abort();
        }
        Ok(())
    }

    fn part(&self) -> usize {
        40
    }
}

fn start(path: &Path, name: &str, more: &[(&str, &str)]) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "edit::in_another_process", "--nocapture"])
        .env("EDIT_FILE", path)
        .env("EDIT_NAME", name)
        .envs(more.iter().copied())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

#[test]
fn interrupted_edit_is_applied_fully_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    for (kind, before, after) in [
        ("insert", ["a", "b", "c"].as_slice(), ["a", "new", "b", "c"].as_slice()),
        ("replace", &["a", "b", "c"], &["a", "new", "c"]),
        ("remove", &["a", "b", "c"], &["a", "c"]),
    ] {
        for new_file in [false, true] {
            let mut stop = 0;
            loop {
                let path = folder.path().join(format!("{kind}-{new_file}-{stop}/set.json"));
                std::fs::create_dir(path.parent().expect("a folder")).expect("made");
                std::fs::write(&path, ODD).expect("written");
                let stop_text = stop.to_string();
                let mut more = vec![("EDIT_KIND", kind), ("EDIT_STOP", stop_text.as_str())];
                if new_file {
                    more.push(("EDIT_NEW_FILE", "1"));
                }
                let status = start(&path, "cut", &more).wait().expect("ended");
                let survived = status.success();
                assert!(survived || status.signal().is_some(), "{kind} {stop}: {status}");
                // The next write settles it.
                added(append(&path, "next"));
                let mut now = ids(&path);
                assert_eq!(now.pop().as_deref(), Some("math_agent_t"));
                assert!(now == before || now == after, "{kind} {stop}: {now:?}");
                assert_eq!(beside(&path), Vec::<String>::new(), "{kind} {stop}");
                if survived {
                    assert_eq!(now, after);
                    assert!(stop > 2, "there were steps to stop at");
                    break;
                }
                stop += 1;
            }
        }
    }
}

#[test]
fn concurrent_editors_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    std::fs::write(&path, ODD).expect("written");
    let children: Vec<_> = [("e", false), ("f", true), ("g", false), ("h", true)]
        .into_iter()
        .map(|(name, new_file)| {
            let new_file: &[_] = if new_file { &[("EDIT_NEW_FILE", "1")] } else { &[] };
            start(&path, name, &[&[("EDIT_ROUNDS", "15")], new_file].concat())
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("ended").success());
    }
    let ids = ids(&path);
    for name in ["e", "f", "g", "h"] {
        for round in 0..15 {
            let own = format!("{name}-{round}");
            assert_eq!(ids.iter().filter(|id| **id == own).count(), 1, "{own} in {ids:?}");
        }
    }
    assert_eq!(
        (ids.first().map(String::as_str), ids.last().map(String::as_str)),
        (Some("a"), Some("c"))
    );
    assert_eq!(beside(&path), Vec::<String>::new());
}

#[test]
fn killed_edit_loses_no_other_case() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    std::fs::write(&path, ODD).expect("written");
    let mut seed = 0x9e37_79b9_u32;
    let mut random = move |below: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed % below
    };
    let own = texts(&path);
    let mut kept: Vec<String> = Vec::new();
    for attack in 0..ATTACKS {
        let new_file: &[_] = if attack % 3 == 0 { &[("EDIT_NEW_FILE", "1")] } else { &[] };
        let more = [&[("EDIT_ROUNDS", "1000")], new_file].concat();
        let mut children: Vec<_> = (0..=attack % 2)
            .map(|number| start(&path, &format!("{attack}-{number}"), &more))
            .collect();
        std::thread::sleep(Duration::from_micros(u64::from(4000 + random(20_000))));
        for child in &mut children {
            child.kill().expect("killed");
        }
        for mut child in children {
            child.wait().expect("ended");
        }
        kept.push(added(append(&path, &format!("after-{attack}"))));
        let ids = ids(&path);
        for id in &kept {
            assert!(ids.contains(id), "{id} was lost in attack {attack}");
        }
    }
    let texts = texts(&path);
    for case in own {
        assert!(texts.contains(&case), "{case}");
    }
    eprintln!("{ATTACKS} attacks, {} cases written, none lost", texts.len());
    assert_eq!(beside(&path), Vec::<String>::new());
}
