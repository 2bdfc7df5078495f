//! Appends that are interrupted at every step, killed at random times, and concurrent.
//!
//! The processes that are killed are this test program itself, started again for its
//! [`in_another_process`] alone.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use evalset_file::{AppendError, Appended, EvalSetFiles, WriteObserver, WriteStep};

use crate::common::{added, append, beside, case, header, ids, read_by_adk};

const ATTACKS: u32 = 300;

/// Not a test of its own: what the other tests start as a process.
#[test]
fn in_another_process() {
    let Ok(path) = std::env::var("APPEND_TO") else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
    let name = std::env::var("APPEND_NAME").expect("a name");
    let mut files = EvalSetFiles::anywhere();
    if let Some(stop) = number("APPEND_STOP") {
        files =
            files.with_observer(Arc::new(StopAt { stop, passed: AtomicU32::new(0), kill: true }));
    }
    for round in 0..number("APPEND_ROUNDS").unwrap_or(1) {
        let case = case(&format!("{name}-{round}"), &format!("case_{name}"));
        match files.append(Path::new(&path), case, &header()) {
            Ok(_) => {}
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(3);
            }
        }
    }
}

/// Ends the process, or the append, at the `stop`th step.
#[derive(Debug)]
struct StopAt {
    stop: u32,
    passed: AtomicU32,
    kill: bool,
}

impl WriteObserver for StopAt {
    fn reached(&self, _: WriteStep) -> io::Result<()> {
        if self.passed.fetch_add(1, Ordering::SeqCst) != self.stop {
            return Ok(());
        }
        if self.kill {
            // As SIGKILL does: nothing is flushed, dropped or unwound.
            std::process::abort();
        }
        Err(io::ErrorKind::StorageFull.into())
    }

    fn part(&self) -> usize {
        40
    }
}

fn start(path: &Path, name: &str, more: &[(&str, String)]) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "crash::in_another_process", "--nocapture"])
        .env("APPEND_TO", path)
        .env("APPEND_NAME", name)
        .envs(more.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

/// A set with unknown fields, odd formatting and something after the cases.
fn odd_file(path: &Path) {
    let content = "{\n \"eval_set_id\": \"s\",  \"mine\": {\"x\":1.0},\n \"eval_cases\": [\n  {\n    \"eval_id\": \"first\", \"note\" : \"kept\", \"conversation\":[]\n  }\n ],\n \"after\": [1,  2]\n}\n\n";
    std::fs::write(path, content).expect("written");
}

/// The bytes up to the end of the last case.
fn head(bytes: &[u8]) -> &[u8] {
    let tail =
        bytes.windows(4).rposition(|window| window == b"\n ],").expect("the odd file's tail");
    &bytes[..tail]
}

#[test]
fn interrupted_append_is_recovered() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut stop = 0;
    loop {
        let path = folder.path().join(format!("set-{stop}.json"));
        odd_file(&path);
        let before = std::fs::read(&path).expect("read");
        let more = [("APPEND_STOP", stop.to_string())];
        let status = start(&path, "cut", &more).wait().expect("ended");
        let survived = status.success();
        assert!(survived || status.signal().is_some(), "{status}");

        // The next append finishes or undoes it, and all earlier bytes are there.
        added(append(&path, "next"));
        let after = std::fs::read(&path).expect("read");
        assert!(after.starts_with(head(&before)), "step {stop}");
        assert!(after.ends_with(b"\n ],\n \"after\": [1,  2]\n}\n\n"), "step {stop}");
        let ids = ids(&path);
        assert!(
            ids == ["first", "math_agent_t"] || ids == ["first", "case_cut", "math_agent_t"],
            "step {stop}: {ids:?}"
        );
        let journals = beside(&path).into_iter().filter(|name| name.ends_with("journal"));
        assert_eq!(journals.count(), 0);
        if survived {
            assert!(stop > 20, "the tail was written in parts");
            break;
        }
        stop += 1;
    }
}

#[test]
fn new_file_is_created_atomically() {
    let folder = tempfile::tempdir().expect("a folder");
    for stop in 0..3 {
        let path = folder.path().join(stop.to_string()).join("set.json");
        let more = [("APPEND_STOP", stop.to_string())];
        assert!(start(&path, "new", &more).wait().expect("ended").signal().is_some());
        let made = path.exists();
        assert_eq!(made, stop == 2);
        added(append(&path, "next"));
        let expected: &[&str] =
            if made { &["case_new", "math_agent_t"] } else { &["math_agent_t"] };
        assert_eq!(ids(&path), expected);
        assert_eq!(beside(&path), Vec::<String>::new());
    }
}

#[test]
fn disk_error_leaves_the_file_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    odd_file(&path);
    let before = std::fs::read(&path).expect("read");
    let mut stop = 0;
    loop {
        let steps = Arc::new(StopAt { stop, passed: AtomicU32::new(0), kill: false });
        let files = EvalSetFiles::anywhere().with_observer(steps);
        match files.append(&path, case("s1", "c"), &header()) {
            Ok(_) => break,
            Err(AppendError::DiskFull { needed, .. }) => {
                assert!(needed > 500);
                assert_eq!(std::fs::read(&path).expect("read"), before, "step {stop}");
                assert_eq!(beside(&path), Vec::<String>::new());
            }
            // After the last flush the case is safe, whatever fails then.
            Err(AppendError::Io { .. }) => break,
            Err(other) => panic!("{other}"),
        }
        stop += 1;
    }
    assert!(stop > 20);
}

#[test]
fn full_disk_has_its_own_error() {
    // The file may not grow past a multiple of 1024 bytes: as little room as a full disk has.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let padding = "x".repeat(4000);
    let content = format!(
        "{{\"eval_set_id\":\"s\",\"p\":\"{padding}\",\"eval_cases\":[{{\"eval_id\":\"a\",\"conversation\":[]}}]}}"
    );
    std::fs::write(&path, &content).expect("written");
    let script =
        "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact crash::in_another_process --nocapture";
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().expect("this program"))
        .env("APPEND_TO", &path)
        .env("APPEND_NAME", "full")
        .env("APPEND_ROUNDS", "20")
        .output()
        .expect("sh");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("no space is left"), "{stderr}");
    let after = std::fs::read_to_string(&path).expect("read");
    assert!(after.starts_with(&content[..content.len() - 2]));
    let kept = ids(&path);
    assert_eq!(beside(&path), Vec::<String>::new());
    // With room again it goes on where it stopped.
    added(append(&path, "later"));
    assert_eq!(ids(&path).len(), kept.len() + 1);
}

#[test]
fn concurrent_writers_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    // None of them finds a file: making it is part of the race.
    let path = folder.path().join("sets/set.json");
    let children: Vec<_> = ["a", "b", "c", "d"]
        .into_iter()
        .map(|name| {
            let more = [("APPEND_ROUNDS", "25".to_owned())];
            start(&path, name, &more)
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("ended").success());
    }
    let mut ids = ids(&path);
    assert_eq!(ids.len(), 100);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 100, "no id twice");
    assert_eq!(beside(&path), Vec::<String>::new());
    for name in ["a", "b", "c", "d"] {
        for round in 0..25 {
            let again = append(&path, &format!("{name}-{round}")).expect("recognized");
            assert!(matches!(again, Appended::AlreadyThere { .. }));
        }
    }
}

#[test]
fn killed_append_loses_no_earlier_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("set.json");
    odd_file(&path);
    let mut seed = 0x9e37_79b9_u32;
    let mut random = move |below: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed % below
    };
    let mut killed = 0;
    let mut kept = head(&std::fs::read(&path).expect("read")).to_vec();
    for attack in 0..ATTACKS {
        // Two writers; one of them, or both, killed while they write.
        let more = [("APPEND_ROUNDS", "1000".to_owned())];
        let mut children: Vec<_> = (0..=attack % 2)
            .map(|number| start(&path, &format!("{attack}-{number}"), &more))
            .collect();
        std::thread::sleep(Duration::from_micros(u64::from(4000 + random(20_000))));
        for child in &mut children {
            child.kill().expect("killed");
        }
        for mut child in children {
            killed += u32::from(child.wait().expect("ended").signal().is_some());
        }
        // Whatever the kill left, the next append settles it.
        added(append(&path, &format!("after-{attack}")));
        let now = std::fs::read(&path).expect("read");
        assert!(now.starts_with(&kept), "earlier bytes changed in attack {attack}");
        assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&now).is_ok());
        kept = head(&now).to_vec();
    }
    assert!(killed >= ATTACKS, "{killed} were killed");
    let ids = ids(&path);
    let after = ids.iter().filter(|id| id.starts_with("math_agent_t")).count();
    assert_eq!(after, ATTACKS as usize);
    assert!(ids.len() > after + 1, "some of the killed had written: {}", ids.len());
    assert_eq!(beside(&path), Vec::<String>::new());
    eprintln!("{killed} writers killed, {} cases written, none lost", ids.len());
    if let Some(read) = read_by_adk(&[path]) {
        assert_eq!(read, [ids]);
    }
}

#[test]
fn journal_of_another_file_is_not_applied() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let cut = |stop: u32| {
        odd_file(&path);
        let more = [("APPEND_STOP", stop.to_string())];
        assert!(start(&path, "cut", &more).wait().expect("ended").signal().is_some());
        assert_eq!(beside(&path), [".set.json.rehearsal-journal"]);
    };
    // Another program has rewritten the file since.
    cut(8);
    let theirs = "{\"eval_set_id\": \"theirs\", \"eval_cases\": [{\"eval_id\": \"x\", \"conversation\": []}]}";
    std::fs::write(&path, theirs).expect("written");
    added(append(&path, "next"));
    assert_eq!(ids(&path), ["x", "math_agent_t"]);
    assert_eq!(beside(&path), Vec::<String>::new());

    // The file was changed after the interruption: the user must repair it, and nothing is written.
    cut(8);
    let mut torn = std::fs::read(&path).expect("read");
    torn[3] = b'E';
    std::fs::write(&path, &torn).expect("written");
    let refused = append(&path, "next");
    assert!(matches!(refused, Err(AppendError::Interrupted { .. })), "{refused:?}");
    assert_eq!(std::fs::read(&path).expect("read"), torn);

    // The file was deleted.
    cut(8);
    std::fs::remove_file(&path).expect("removed");
    added(append(&path, "next"));
    assert_eq!(ids(&path), ["math_agent_t"]);
    assert_eq!(beside(&path), Vec::<String>::new());

    // The journal itself is torn: its write never began.
    cut(4);
    let journal = folder.path().join(".set.json.rehearsal-journal");
    let bytes = std::fs::read(&journal).expect("read");
    odd_file(&path);
    for length in [0, 7, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&journal, &bytes[..length]).expect("written");
        added(append(&path, &format!("torn-{length}")));
        assert_eq!(beside(&path), Vec::<String>::new());
    }
    assert_eq!(ids(&path).len(), 5);
}
