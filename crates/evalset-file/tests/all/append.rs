//! What a user sees of an append: the file afterwards, or the reason why not.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use evalset_file::{AppendError, Appended, EvalSetFiles};

use crate::common::{added, append, beside, case, google_files, header, ids, read_by_adk};

fn set(cases: &str) -> String {
    format!("{{\n  \"eval_set_id\": \"s\",\n  \"eval_cases\": {cases}\n}}")
}

/// Writes `content`, appends, and returns what is there then.
fn appended_to(content: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    std::fs::write(&path, content).expect("written");
    added(append(&path, "s1"));
    assert_eq!(beside(&path), Vec::<String>::new());
    std::fs::read_to_string(&path).expect("read")
}

/// Writes `content`, and returns why a case cannot join it.
fn rejection_of(content: &[u8]) -> AppendError {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    std::fs::write(&path, content).expect("written");
    let error = append(&path, "s1").expect_err("refused");
    assert_eq!(std::fs::read(&path).expect("read"), content, "untouched");
    assert_eq!(beside(&path), Vec::<String>::new());
    error
}

#[test]
fn new_file_creates_parent_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/b/set.evalset.json");
    let Appended::Added { file, eval_id, text, cases: 1, new_file: true } =
        append(&path, "s1").expect("made")
    else {
        panic!("a new file")
    };
    assert_eq!((file, eval_id.as_str()), (path.canonicalize().expect("there"), "math_agent_t"));
    let content = std::fs::read_to_string(&path).expect("read");
    assert_eq!(content, header().file_with(&case("s1", "math_agent_t").to_json().expect("a case")));
    assert!(text.starts_with("{\n  \"eval_id\": \"math_agent_t\""));
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode();
    let other = folder.path().join("other");
    std::fs::write(&other, "").expect("written");
    assert_eq!(mode(&path), mode(&other), "it was asked for by name");
    assert_eq!(beside(&path), Vec::<String>::new());
}

#[test]
fn second_case_matches_adk_layout() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    for session in ["s1", "s2", "s3"] {
        added(append(&path, session));
    }
    let content = std::fs::read_to_string(&path).expect("read");
    let value: serde_json::Value = serde_json::from_str(&content).expect("JSON");
    assert_eq!(ids(&path), ["math_agent_t", "math_agent_t_2", "math_agent_t_3"]);
    assert!(content.contains("9007199254740993") && content.contains("8.50"), "digits stay");
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    assert_eq!(content.replace("8.50", "8.5"), pretty, "laid out like one file");
}

#[test]
fn same_session_is_recognized() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    added(append(&path, "s1"));
    added(append(&path, "s2"));
    let before = std::fs::read(&path).expect("read");
    let again = append(&path, "s2").expect("recognized");
    let file = path.canonicalize().expect("there");
    let Appended::AlreadyThere { file: same, eval_id, text, cases: 2 } = again else {
        panic!("{again:?}")
    };
    assert_eq!((same, eval_id.as_str()), (file, "math_agent_t_2"));
    assert!(
        text.starts_with("{\n      \"eval_id\": \"math_agent_t_2\"") && text.ends_with("\n    }")
    );
    assert_eq!(std::fs::read(&path).expect("read"), before);
    // Camel case, and the id after the conversation, are ADK's too.
    let camel = set(r#"[{"conversation": [{"invocationId": "s\u0031_inv_0"}], "evalId": "mine"}]"#);
    std::fs::write(&path, camel).expect("written");
    let again = append(&path, "s1").expect("recognized");
    assert!(matches!(again, Appended::AlreadyThere { eval_id, .. } if eval_id == "mine"));
}

#[test]
fn taken_id_gets_a_number() {
    let taken = |ids: &str| {
        let cases: Vec<_> = ids
            .split(' ')
            .map(|id| format!(r#"{{"eval_id": "{id}", "conversation": []}}"#))
            .collect();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.evalset.json");
        std::fs::write(&path, set(&format!("[{}]", cases.join(", ")))).expect("written");
        let files = EvalSetFiles::anywhere();
        let next = files.next_id(&path, &case("s1", "math_agent_t")).expect("read");
        let written = added(append(&path, "s1"));
        assert_eq!(next, written, "known before it is written");
        let again = files.next_id(&path, &case("s1", "math_agent_t"));
        assert_eq!(again.expect("read"), "math_agent_t", "the same recording is not written again");
        let absent = files.next_id(&folder.path().join("new.json"), &case("s1", "math_agent_t"));
        assert_eq!(absent.expect("looked"), "math_agent_t");
        written
    };
    assert_eq!(taken("other"), "math_agent_t");
    assert_eq!(taken("math_agent_t"), "math_agent_t_2");
    assert_eq!(taken("math_agent_\\u0074 math_agent_t_3 math_agent_t_2"), "math_agent_t_4");
    assert_eq!(taken("math_agent_t_2"), "math_agent_t");
}

#[test]
fn file_style_is_kept() {
    // Four spaces, a key after the cases, a final line feed.
    let four = "{\n    \"eval_set_id\": \"s\",\n    \"eval_cases\": [\n        {\n            \"eval_id\": \"a\",\n            \"conversation\": []\n        }\n    ],\n    \"x\": {\"y\":   1.0}\n}\n";
    let after = appended_to(four);
    assert!(after.starts_with(four.split_at(four.find("\n    ],").expect("there")).0));
    assert!(after.contains("        },\n        {\n            \"eval_id\": \"math_agent_t\",\n            \"conversation\": [\n                {\n"));
    assert!(after.ends_with("\n        }\n    ],\n    \"x\": {\"y\":   1.0}\n}\n"), "{after}");

    // Tabs and carriage returns.
    let tabs = "{\r\n\t\"eval_set_id\": \"s\",\r\n\t\"eval_cases\": [\r\n\t\t{\r\n\t\t\t\"eval_id\": \"a\",\r\n\t\t\t\"conversation\": []\r\n\t\t}\r\n\t]\r\n}\r\n";
    let after = appended_to(tabs);
    assert!(after.contains("\t\t},\r\n\t\t{\r\n\t\t\t\"eval_id\": \"math_agent_t\",\r\n"));
    assert!(!after.replace("\r\n", "").contains('\n'), "every line ends as the others do");

    // One line, without and with Python's spaces.
    let tight = r#"{"eval_set_id":"s","eval_cases":[{"eval_id":"a","conversation":[]}]}"#;
    let after = appended_to(tight);
    assert!(after.contains(r#"},{"eval_id":"math_agent_t","conversation":[{"#), "{after}");
    assert!(after.ends_with("}]}") && !after.contains('\n'));
    let spaced = r#"{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": []}]}"#;
    let after = appended_to(spaced);
    assert!(after.contains(r#"}, {"eval_id": "math_agent_t", "conversation": [{"#), "{after}");

    // A case a line.
    let lines = "{\"eval_set_id\":\"s\",\"eval_cases\":[\n{\"eval_id\":\"a\",\"conversation\":[]},\n{\"eval_id\":\"b\",\"conversation\":[]}\n]}\n";
    let after = appended_to(lines);
    assert!(
        after.contains(
            "\n{\"eval_id\":\"b\",\"conversation\":[]},\n{\"eval_id\":\"math_agent_t\",\"conv"
        ),
        "{after}"
    );
    assert!(after.ends_with("}\n]}\n"));

    // Brackets that hug.
    let hugging = "{\n  \"eval_set_id\": \"s\",\n  \"eval_cases\": [{\n    \"eval_id\": \"a\",\n    \"conversation\": []\n  }]\n}";
    let after = appended_to(hugging);
    assert!(after.contains("\n  }, {\n    \"eval_id\": \"math_agent_t\",\n"), "{after}");
    assert!(after.ends_with("\n  }]\n}"));
}

#[test]
fn append_to_an_empty_list() {
    for list in ["[]", "[ ]", "[\n  ]", "[\n\n\n]"] {
        let after = appended_to(&set(list));
        assert!(
            after.contains("\"eval_cases\": [\n    {\n      \"eval_id\": \"math_agent_t\","),
            "{after}"
        );
        assert!(after.ends_with("\n    }\n  ]\n}"), "{after}");
    }
    let after = appended_to(r#"{"eval_set_id": "s", "eval_cases": [], "name": "n"}"#);
    assert!(after.contains(r#""eval_cases": [{"eval_id": "math_agent_t", "conv"#), "{after}");
    assert!(after.ends_with(r#"}], "name": "n"}"#), "{after}");
}

#[test]
fn file_that_cannot_be_extended_is_not_changed() {
    assert!(matches!(rejection_of(b"[]"), AppendError::LegacyList { .. }));
    assert!(matches!(rejection_of(b" [{\"query\": 1}]\n"), AppendError::LegacyList { .. }));
    let sessions = br#"[{"name": "a", "data": []}]"#;
    assert!(matches!(rejection_of(sessions), AppendError::LegacyList { .. }));
    let invalid = |content: &[u8]| match rejection_of(content) {
        AppendError::InvalidJson { line, column, reason, .. } => (line, column, reason),
        other => panic!("{other}"),
    };
    assert_eq!(invalid(b""), (1, 1, "the file is empty"));
    assert_eq!(
        invalid(b"{\n  \"\xc3\xa9\": tru,\n}"),
        (2, 8, "neither a number nor true, false, null; a string needs double quotes")
    );
    assert_eq!(invalid(set("[{}],").as_bytes()), (4, 1, "a trailing comma after the last item"));
    assert_eq!(
        invalid(b"{\"a\": \"x\n\"}"),
        (1, 9, "a string runs past the end of its line; close it with a quote, or write \\n")
    );
    assert_eq!(invalid(b"{\"a\": 1} 2").2, "something follows the end of the file's value");
    assert_eq!(invalid(b"{\"a\": [1}"), (1, 9, "a comma or ] is expected"));
    assert_eq!(invalid(b"{\"a\": [1").2, "the file ends inside a list; a ] is missing");
    assert_eq!(invalid(b"{\"a\" 1}"), (1, 6, "a colon is expected after the key"));
    assert_eq!(invalid(b"{\"a\": \"\\x\"}"), (1, 9, "an invalid escape sequence"));
    assert_eq!(invalid(b"{\"a\": \"\xff\"}"), (1, 8, "the text is not UTF-8"));
    assert_eq!(
        invalid(b"{\"a\": 01}"),
        (1, 7, "neither a number nor true, false, null; a string needs double quotes")
    );
    let no_set = |content: &str| match rejection_of(content.as_bytes()) {
        AppendError::NotAnEvalSet { line, reason, .. } => (line, reason),
        other => panic!("{other}"),
    };
    assert_eq!(no_set("3").1, "the file holds a single value, not an object");
    assert_eq!(no_set("{\"eval_set_id\": \"s\"}").1, "the key \"eval_cases\" is missing");
    assert_eq!(
        no_set("{\"eval_cases\": []}").1,
        "the key \"eval_set_id\" is missing or is not a string"
    );
    assert_eq!(no_set(&set("{}")), (3, "\"eval_cases\" is not a list"));
    assert!(no_set("{\"eval_set_id\": \"s\",\n\"evalCases\": []}").1.contains("rename the key"));
    let good = r#"{"eval_id": "a", "conversation": [{"user_content": {"parts": []}}]}"#;
    for item in ["3", "[[]]", "null", "\"x\""] {
        let actual = no_set(&set(&format!("[{good},\n {item}, {{}}]")));
        assert_eq!(actual, (4, "an item of \"eval_cases\" is not an object"));
    }
    for (case, reason) in [
        (r#"{"foo": 1}"#, "ADK requires an \"eval_id\" in each case"),
        (r#"{"eval_id": 1, "conversation": []}"#, "ADK requires an \"eval_id\" in each case"),
        (r#"{"x": {"eval_id": "b"}, "conversation": []}"#, "ADK requires an \"eval_id\""),
        (r#"{"eval_id": "b"}"#, "ADK requires a \"conversation\""),
        (r#"{"eval_id": "b", "conversation": null}"#, "ADK requires a \"conversation\""),
        (r#"{"eval_id": "b", "x": {"conversation": []}}"#, "ADK requires a \"conversation\""),
        (
            r#"{"eval_id": "b", "conversation": [], "conversation_scenario": {}}"#,
            "ADK requires a \"conversation\" or a \"conversation_scenario\" in each case, not both",
        ),
    ] {
        let (line, actual) = no_set(&set(&format!("[{good},\n{case},\n{good}]")));
        assert!(line == 4 && actual.starts_with(reason), "{case}: {line}: {actual}");
        // What a case lacks does not make a set of ADK's another's.
        let (line, actual) = no_set(&set(&format!("[{case},\n{good}]")));
        assert!(line == 3 && actual.starts_with(reason), "{case}: {line}: {actual}");
    }
    assert!(matches!(
        rejection_of(set("[],\n\"eval_cases\": []").as_bytes()),
        AppendError::CasesTwice { first_line: 3, second_line: 4, .. }
    ));
    assert!(matches!(
        rejection_of(format!("\u{feff}{}", set("[]")).as_bytes()),
        AppendError::ByteOrderMark { .. }
    ));
    let wide: Vec<u8> =
        format!("\u{feff}{}", set("[]")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(matches!(rejection_of(&wide), AppendError::ByteOrderMark { .. }));
}

/// AgentFlow lets a case be without a conversation, if another shows the format.
#[test]
fn agentflow_set_gets_an_agentflow_case() {
    let with_message = r#"{"eval_id": "a", "conversation": [{"invocation_id": "i", "user_content": {"role": "user", "content": "Hi"}}]}"#;
    let bare = r#"{"eval_id": "b", "name": "to be filled in"}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.evalset.json");
    let files = EvalSetFiles::anywhere();
    for cases in [format!("[{with_message}, {bare}]"), format!("[{bare},{with_message}]")] {
        std::fs::write(&path, set(&cases)).expect("written");
        for (session, eval_id) in [("s1", "math_agent_t"), ("s2", "math_agent_t_2")] {
            let again = || files.append(&path, case(session, "math_agent_t"), &header());
            let appended = again();
            let Ok(Appended::Added { eval_id: own, text, .. }) = appended else {
                panic!("{cases}: {appended:?}")
            };
            assert_eq!(own, eval_id);
            assert!(text.contains("\"expected_tool_trajectory\""), "{text}");
            let reading = evalset::read(&std::fs::read(&path).expect("read"));
            assert_eq!(reading.format, Some(evalset::Format::AgentFlow), "{cases}");
            assert!(!reading.has_errors(), "{:?}", reading.faults);
            assert!(matches!(again(), Ok(Appended::AlreadyThere { .. })));
        }
    }
}

/// A file that is longer than what is read of it at a time.
#[test]
fn ids_of_a_long_file_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let text = "lorem ipsum ".repeat(20);
    let cases: Vec<_> = (0..3_000)
        .map(|number| {
            format!(
                r#"{{"eval_id": "case {number}", "conversation": [{{"invocation_id": "session {number}", "user_content": {{"parts": [{{"text": "{text}"}}]}}}}]}}"#
            )
        })
        .collect();
    std::fs::write(&path, set(&format!("[{}]", cases.join(",\n")))).expect("written");
    let files = EvalSetFiles::anywhere();
    for number in [0, 1_500, 2_999] {
        let mut again = case("unused", "c");
        again.conversation.as_mut().expect("turns")[0].invocation_id = format!("session {number}");
        let there = files.append(&path, again, &header()).expect("recognized");
        let Appended::AlreadyThere { eval_id, text, cases: 3_000, .. } = there else {
            panic!("{there:?}")
        };
        assert_eq!((eval_id, text), (format!("case {number}"), cases[number].clone()));
    }
    let next = |eval_id: &str, session: &str| {
        added(files.append(&path, case(session, eval_id), &header()))
    };
    assert_eq!(next("case 1234", "x"), "case 1234_2");
    assert_eq!(next("case 1234", "y"), "case 1234_3");
    assert_eq!(next("case 9999", "z"), "case 9999");
}

#[test]
fn several_cases_are_appended_to_an_open_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let files = EvalSetFiles::anywhere().with_wait(Duration::ZERO);
    assert!(matches!(files.appender(&path), Err(AppendError::NoFile { .. })));
    for start in ["[]", "[\n  {\"eval_id\": \"first\", \"conversation\": []}\n]"] {
        std::fs::write(&path, set(start)).expect("written");
        let mut expected = ids(&path);
        let mut appender = files.appender(&path).expect("opened");
        for name in ["a", "b", "c"] {
            let text = case(name, name).to_json().expect("a case");
            appender.push(name, &text).expect("added");
            let again = appender.push(name, &text);
            assert!(matches!(again, Err(AppendError::DuplicateId { .. })), "{again:?}");
            expected.push(name.to_owned());
            assert_eq!(ids(&path), expected);
        }
        if let Some(first) = expected.iter().find(|id| *id == "first") {
            let text = case(first, first).to_json().expect("a case");
            let taken = appender.push(first, &text);
            assert!(matches!(taken, Err(AppendError::DuplicateId { .. })), "{taken:?}");
        }
        // Others wait until it is dropped.
        let busy = files.append(&path, case("d", "d"), &header());
        assert!(matches!(busy, Err(AppendError::Busy { .. })), "{busy:?}");
        drop(appender);
        added(files.append(&path, case("d", "d"), &header()));
    }
}

#[test]
fn appender_detects_changes_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let text = case("a", "a").to_json().expect("a case");
    let changes: [fn(&Path); 3] = [
        |path| std::fs::write(path, set("[ ]")).expect("written"),
        |path| std::fs::remove_file(path).expect("removed"),
        // As editors write.
        |path| {
            let draft = path.with_extension("new");
            std::fs::write(&draft, set("[]")).expect("written");
            std::fs::rename(&draft, path).expect("replaced");
        },
    ];
    for change in changes {
        std::fs::write(&path, set("[]")).expect("written");
        let mut appender = EvalSetFiles::anywhere().appender(&path).expect("opened");
        change(&path);
        let now = std::fs::read(&path).ok();
        let pushed = appender.push("a", &text);
        assert!(matches!(pushed, Err(AppendError::ChangedMeanwhile { .. })), "{pushed:?}");
        assert_eq!(std::fs::read(&path).ok(), now);
    }
}

#[test]
fn non_regular_file_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(append(folder.path(), "s1"), Err(AppendError::Directory { .. })));
    assert!(matches!(
        append(Path::new("/dev/full"), "s1"),
        Err(AppendError::NotAFile { kind: "device", .. })
    ));
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert!(matches!(append(&pipe, "s1"), Err(AppendError::NotAFile { kind: "named pipe", .. })));
    let file = folder.path().join("file");
    std::fs::write(&file, set("[]")).expect("written");
    assert!(append(&file.join("below"), "s1").is_err());
    assert_eq!(std::fs::read_to_string(&file).expect("read"), set("[]"));
}

#[test]
fn read_only_file_is_not_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    std::fs::write(&path, set("[]")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).expect("set");
    assert!(matches!(append(&path, "s1"), Err(AppendError::ReadOnly { .. })));
    assert_eq!(std::fs::read_to_string(&path).expect("read"), set("[]"));
}

#[test]
fn symlinks_resolve_to_the_real_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
    std::fs::create_dir_all(&inside).expect("made");
    std::fs::create_dir_all(&outside).expect("made");
    let files = EvalSetFiles::within([inside.clone()]);
    let append = |path: &Path, session| files.append(path, case(session, "c"), &header());
    let refused =
        |path: &Path| assert!(matches!(append(path, "x"), Err(AppendError::OutsideRoots { .. })));

    let real = outside.join("real.json");
    refused(&real);
    refused(&inside.join("../outside/real.json"));
    symlink(&real, inside.join("to-nothing.json")).expect("linked");
    refused(&inside.join("to-nothing.json"));
    std::fs::write(&real, set("[]")).expect("written");
    refused(&inside.join("to-nothing.json"));
    symlink(&outside, inside.join("folder")).expect("linked");
    refused(&inside.join("folder/new.json"));
    assert_eq!(std::fs::read_to_string(&real).expect("read"), set("[]"));
    assert_eq!(beside(&real), Vec::<String>::new());

    // A link from outside to the inside is as good as the file, even before there is one.
    symlink(inside.join("own.json"), outside.join("link.json")).expect("linked");
    added(append(&outside.join("link.json"), "s1"));
    assert_eq!(ids(&inside.join("own.json")), ["c"]);
    added(append(&outside.join("link.json"), "s2"));
    assert!(outside.join("link.json").is_symlink(), "the link is not replaced");
    symlink("circle.json", inside.join("circle.json")).expect("linked");
    assert!(append(&inside.join("circle.json"), "s3").is_err());
}

#[test]
fn append_waits_for_the_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    std::fs::write(&path, set("[]")).expect("written");
    let held = std::fs::File::open(&path).expect("opened");
    held.lock().expect("locked");
    let files = EvalSetFiles::anywhere().with_wait(Duration::from_millis(50));
    let refused = files.append(&path, case("s1", "c"), &header());
    assert!(matches!(refused, Err(AppendError::Busy { .. })));
    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        drop(held);
    });
    let files = files.with_wait(Duration::from_secs(20));
    added(files.append(&path, case("s1", "c"), &header()));
    release.join().expect("joined");
}

#[test]
fn case_that_adk_rejects_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("set.json");
    let mut bad = case("s1", "c");
    bad.final_session_state = Some(crate::common::json(r#"{"a": "\ud800"}"#));
    let refused = EvalSetFiles::anywhere().append(&path, bad, &header());
    assert!(matches!(refused, Err(AppendError::Case(_))));
    assert!(!path.exists());
}

#[test]
fn google_files_accept_a_case_or_stay_unchanged() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut modern = Vec::new();
    for source in google_files() {
        let before = std::fs::read(&source).expect("read");
        let path = folder.path().join(source.file_name().expect("a name"));
        std::fs::write(&path, &before).expect("written");
        let legacy = before.trim_ascii_start().starts_with(b"[");
        let appended = append(&path, "s1");
        let after = std::fs::read(&path).expect("read");
        if legacy {
            assert!(matches!(appended, Err(AppendError::LegacyList { .. })), "{source:?}");
            assert_eq!(after, before);
            continue;
        }
        let eval_id = added(appended);
        let kept = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
        let changed = &before[kept..];
        assert!(!changed.contains(&b'{'), "only what follows the last case moved: {source:?}");
        assert_eq!(ids(&path).last(), Some(&eval_id));
        modern.push(path);
    }
    if let Some(read) = read_by_adk(&modern) {
        let own: Vec<_> = modern.iter().map(|path| ids(path)).collect();
        assert_eq!(read, own);
    }
}
