//! The index: used when it fits, made again when it does not, never believed when it is wrong.

use std::path::{Path, PathBuf};
use std::time::Instant;

use evalset_file::{AppendError, Appended, EvalSetFiles};

use crate::common::{added, case, header, ids};

fn files(cache: &Path) -> EvalSetFiles {
    EvalSetFiles::anywhere().with_cache(cache).with_indexed_from(0)
}

/// A file whose scan takes far longer than an index lookup.
fn large_file(path: &Path, cases: usize) {
    let case = |number| {
        format!(
            "    {{\n      \"eval_id\": \"case {number}\",\n      \"conversation\": [\n        {{\n          \"invocation_id\": \"session {number}\",\n          \"user_content\": {{\"parts\": [{{\"text\": \"{}\"}}]}}\n        }}\n      ]\n    }}",
            "lorem ipsum ".repeat(20)
        )
    };
    let cases: Vec<_> = (0..cases).map(case).collect();
    let text = format!(
        "{{\n  \"eval_set_id\": \"s\",\n  \"eval_cases\": [\n{}\n  ]\n}}",
        cases.join(",\n")
    );
    std::fs::write(path, text).expect("written");
}

fn index_in(cache: &Path) -> PathBuf {
    let mut entries = std::fs::read_dir(cache).expect("a cache");
    let path = entries.next().expect("an index").expect("listed").path();
    assert!(entries.next().is_none(), "one index a file, and no drafts");
    path
}

/// The turns of a case, to be changed.
fn turns(case: &mut evalset::adk::EvalCase) -> &mut Vec<evalset::adk::Invocation> {
    case.conversation.as_mut().expect("turns")
}

#[test]
fn indexed_file_is_not_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, cache) = (folder.path().join("set.json"), folder.path().join("cache"));
    large_file(&path, 60_000);
    let files = files(&cache);
    let time = |session: &str| {
        let start = Instant::now();
        added(files.append(&path, case(session, "c"), &header()));
        start.elapsed()
    };
    let first = time("a");
    let known = (0..5).map(|n| time(&format!("b{n}"))).min().expect("five");
    assert!(known < first / 4, "first {first:?}, then {known:?}");
    // Every id of the file is known to the index, and to no other name.
    for (session, eval_id) in [("0", "case 0"), ("30000", "case 30000"), ("59999", "case 59999")] {
        let mut case = case("unused", "c");
        turns(&mut case)[0].invocation_id = format!("session {session}");
        let again = files.append(&path, case, &header()).expect("recognized");
        assert!(matches!(again, Appended::AlreadyThere { eval_id: found, .. } if found == eval_id));
    }
    let next = |eval_id: &str, session: &str| {
        added(files.append(&path, case(session, eval_id), &header()))
    };
    assert_eq!(next("case 12345", "x"), "case 12345_2");
    assert_eq!(next("case 12345", "y"), "case 12345_3");
    assert_eq!(next("case 99999", "z"), "case 99999");
}

/// How many bytes this process has read from files.
#[cfg(target_os = "linux")]
fn bytes_read() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").expect("Linux counts");
    let line = io.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("counted");
    line.parse().expect("a number")
}

#[test]
#[cfg(target_os = "linux")]
fn appending_to_an_indexed_file_does_not_read_it() {
    // What other tests read counts too, so it runs in a process of its own.
    const ALONE: &str = "INDEX_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "index::appending_to_an_indexed_file_does_not_read_it";
        let output = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", name, "--nocapture"])
            .env(ALONE, "1")
            .output()
            .expect("started");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && stdout.contains("1 passed"), "{output:?}");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (path, cache) = (folder.path().join("set.json"), folder.path().join("cache"));
    large_file(&path, 30_000);
    let length = std::fs::metadata(&path).expect("there").len();
    let files = files(&cache);
    let push = |eval_id: &str| {
        let text = case(eval_id, eval_id).to_json().expect("a case");
        let before = bytes_read();
        let pushed = files.push(&path, eval_id, &text);
        (pushed.map(|it| it.cases), bytes_read() - before)
    };
    let (first, read) = push("a");
    assert!(first.is_ok_and(|cases| cases == 30_001) && read >= length, "{read}");
    let (second, read) = push("b");
    assert!(second.is_ok_and(|cases| cases == 30_002) && read < length / 4, "{read} of {length}");
    let (taken, read) = push("case 12345");
    assert!(matches!(taken, Err(AppendError::DuplicateId { .. })) && read < length / 4, "{read}");
    assert_eq!(ids(&path)[30_000..], ["a", "b"]);
}

#[test]
fn externally_changed_file_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, cache) = (folder.path().join("set.json"), folder.path().join("cache"));
    large_file(&path, 100);
    let files = files(&cache);
    added(files.append(&path, case("a", "c"), &header()));
    // Same length, in place, at once: only the times tell.
    let text = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, text.replace("\"case 50\"", "\"c_2\"    ")).expect("written");
    assert_eq!(added(files.append(&path, case("b", "c"), &header())), "c_3");
    // Replaced, as editors do.
    let copy = folder.path().join("copy.json");
    std::fs::write(
        &copy,
        "{\"eval_set_id\":\"s\",\"eval_cases\":[{\"eval_id\":\"c\",\"conversation\":[]}]}",
    )
    .expect("written");
    std::fs::rename(&copy, &path).expect("replaced");
    assert_eq!(added(files.append(&path, case("a", "c"), &header())), "c_2");
    assert_eq!(ids(&path), ["c", "c_2"]);
}

#[test]
fn damaged_index_is_rebuilt() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, cache) = (folder.path().join("set.json"), folder.path().join("cache"));
    large_file(&path, 2_000);
    let files = files(&cache);
    added(files.append(&path, case("a", "c"), &header()));
    let index = index_in(&cache);
    let whole = std::fs::read(&index).expect("read");
    let mut expected = 1;
    // Everywhere in the header and the recent entries, and in every page.
    for at in (0..400)
        .step_by(40)
        .chain([16 << 10, (16 << 10) + 20])
        .chain(((64 << 10)..whole.len()).step_by(8192))
    {
        let mut damaged = std::fs::read(&index).expect("read");
        damaged[at] ^= 0x10;
        std::fs::write(&index, damaged).expect("written");
        expected += 1;
        let id = added(files.append(&path, case(&format!("at {at}"), "c"), &header()));
        assert_eq!(id, format!("c_{expected}"), "damaged at {at}");
        let again = files.append(&path, case("a", "c"), &header()).expect("recognized");
        assert!(matches!(again, Appended::AlreadyThere { .. }), "damaged at {at}");
    }
    for content in [&b""[..], b"x", &whole[..100], &whole[..70_000]] {
        std::fs::write(&index, content).expect("written");
        expected += 1;
        let session = format!("cut {}", content.len());
        assert_eq!(
            added(files.append(&path, case(&session, "c"), &header())),
            format!("c_{expected}")
        );
    }
    // A cache that cannot be had costs time and nothing else.
    std::fs::remove_dir_all(&cache).expect("removed");
    std::fs::write(&cache, "a file").expect("written");
    let id = added(files.append(&path, case("none", "c"), &header()));
    assert_eq!(id, format!("c_{}", expected + 1));
}

#[test]
fn index_keeps_thousands_of_added_ids() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, cache) = (folder.path().join("set.json"), folder.path().join("cache"));
    std::fs::write(&path, "{\"eval_set_id\":\"s\",\"eval_cases\":[]}").expect("written");
    let files = files(&cache);
    // With two hundred turns each, the recent entries are sorted into a run several times over.
    let long_case = |number: usize| {
        let mut case = case("", &format!("c {number}"));
        let turn = turns(&mut case).remove(0);
        turns(&mut case).extend((0..200).map(|index| {
            let invocation_id = format!("session {number} turn {index}");
            evalset::adk::Invocation { invocation_id, ..turn.clone() }
        }));
        case
    };
    for number in 0..60 {
        let id = added(files.append(&path, long_case(number), &header()));
        assert_eq!(id, format!("c {number}"));
    }
    let index = std::fs::metadata(index_in(&cache)).expect("there").len();
    assert!(index > 60 * 200 * 24, "the entries are in runs: {index} bytes");
    for number in 0..60 {
        let mut again = case("", "c");
        turns(&mut again)[0].invocation_id = format!("session {number} turn {}", number * 3);
        let again = files.append(&path, again, &header()).expect("recognized");
        assert!(
            matches!(again, Appended::AlreadyThere { eval_id, .. } if eval_id == format!("c {number}"))
        );
    }
    added(files.append(&path, case("last", "c 7"), &header()));
    assert_eq!(ids(&path).last().map(String::as_str), Some("c 7_2"));
}
