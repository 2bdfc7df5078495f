//! `rehearsal backup` and `rehearsal restore`, with a host that runs meanwhile.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rpc::wire;

use super::live_faults::agents::create;
use super::live_faults::host::Host;

/// Runs the program in `folder`. Returns whether it succeeded, and what it printed.
fn run(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("REHEARSAL_")) {
        command.env_remove(name);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = [stdout, stderr].concat();
    (status.success(), String::from_utf8(text).unwrap())
}

async fn sessions(host: &Host) -> Vec<String> {
    let listed = host.client().list_sessions(wire::ListSessionsRequest::default()).await;
    let listed = listed.unwrap().into_inner().sessions;
    listed.into_iter().map(|summary| summary.session.unwrap().id).collect()
}

#[tokio::test]
async fn a_backup_of_a_running_host_is_restored_over_what_came_later() {
    let mut host = Host::start();
    let folder = host.folder().to_owned();
    let kept = create(&mut host.client()).await;
    let (done, text) = run(&folder, &["backup", "backups/monday/"]);
    assert!(done, "{text}");
    assert!(text.contains(".rehearsal/live.sqlite -> backups/monday/live.sqlite\n"), "{text}");
    assert!(text.contains("rehearsal.toml -> backups/monday/rehearsal.toml\n"), "{text}");
    let later = create(&mut host.client()).await;
    assert_eq!(sessions(&host).await, [later.clone(), kept.clone()]);

    let restore = ["restore", "backups/monday"];
    let replace = ["restore", "backups/monday", "--replace"];
    let (done, text) = run(&folder, &restore);
    assert!(!done && text.contains("live.sqlite exists: with --replace it is kept"), "{text}");
    let (done, text) = run(&folder, &replace);
    assert!(!done && text.contains("a host uses .rehearsal/live.sqlite: stop it first"), "{text}");
    assert_eq!(sessions(&host).await.len(), 2);

    // Killed, so that the latest sessions are still in SQLite's log.
    host.kill();
    let (done, text) = run(&folder, &replace);
    assert!(done, "{text}");
    host.start_again();
    assert_eq!(sessions(&host).await, std::slice::from_ref(&kept));
    host.kill();
    // What was replaced is complete.
    let aside = text.lines().find_map(|line| line.split_once("what was there is in "));
    let (_, aside) = aside.expect("the former database is named");
    fs::remove_file(host.database()).unwrap();
    for end in ["", "-wal", "-shm"] {
        let _ = fs::rename(
            folder.join(format!("{aside}{end}")),
            folder.join(format!(".rehearsal/live.sqlite{end}")),
        );
    }
    host.start_again();
    assert_eq!(sessions(&host).await, [later, kept]);
}

#[tokio::test]
async fn what_is_not_a_complete_backup_of_this_version_is_refused() {
    let mut host = Host::start();
    let folder = host.folder().to_owned();
    create(&mut host.client()).await;
    host.kill();
    let empty = tempfile::tempdir().unwrap();
    let (done, text) = run(empty.path(), &["backup", "b"]);
    assert!(!done && text.contains("there is nothing to back up: neither "), "{text}");
    assert!(!empty.path().join("b").exists() && !empty.path().join("b.partial").exists());

    assert!(run(&folder, &["backup", "b"]).0);
    let (done, text) = run(&folder, &["backup", "b"]);
    assert!(!done && text.contains("b exists: choose another folder"), "{text}");
    fs::create_dir(folder.join("c.partial")).unwrap();
    let (done, text) = run(&folder, &["backup", "c"]);
    assert!(!done && text.contains("c.partial is left of a backup that was interrupted"), "{text}");
    let (done, text) = run(&folder, &["restore", "c.partial", "--replace"]);
    assert!(!done && text.contains("is not a complete backup: backup.json: "), "{text}");

    let manifest = folder.join("b/backup.json");
    let written = fs::read_to_string(&manifest).unwrap();
    let newer = written.replacen(env!("CARGO_PKG_VERSION"), "99.0.0", 1);
    fs::write(&manifest, newer).unwrap();
    let (done, text) = run(&folder, &["restore", "b", "--replace"]);
    assert!(!done && text.contains("was written by rehearsal 99.0.0"), "{text}");
    let (begin, _) = written.split_once("\"files\"").unwrap();
    fs::write(&manifest, format!("{begin}\"files\": {{}}}}")).unwrap();
    let (done, text) = run(&folder, &["restore", "b", "--replace"]);
    assert!(!done && text.contains("not a complete backup: backup.json names no files"), "{text}");
    fs::write(&manifest, written).unwrap();

    // What cannot be copied to its place, here a folder in the way, changes nothing.
    let blocked = folder.join("rehearsal.toml.restoring");
    fs::create_dir(&blocked).unwrap();
    let before = fs::read(host.database()).unwrap();
    let (done, text) = run(&folder, &["restore", "b", "--replace"]);
    assert!(!done && text.contains("rehearsal.toml.restoring: "), "{text}");
    assert_eq!(fs::read(host.database()).unwrap(), before);
    assert!(!folder.join(".rehearsal/live.sqlite.restoring").exists());
    fs::remove_dir(&blocked).unwrap();

    // SQLite's log of a database that is gone is not applied to the restored one.
    let log = folder.join(".rehearsal/live.sqlite-wal");
    fs::rename(host.database(), folder.join("gone.sqlite")).unwrap();
    fs::write(&log, "of the database that is gone").unwrap();
    let (done, text) = run(&folder, &["restore", "b", "--replace"]);
    assert!(done && text.contains("what was there is in .rehearsal/live.sqlite.before-"), "{text}");
    assert!(!log.exists());

    let copy = folder.join("b/live.sqlite");
    let mut bytes = fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&copy, bytes).unwrap();
    let before = fs::read(host.database()).unwrap();
    let (done, text) = run(&folder, &["restore", "b", "--replace"]);
    assert!(!done && text.contains("live.sqlite is not the file that was backed up"), "{text}");
    assert_eq!(fs::read(host.database()).unwrap(), before);
}

#[test]
fn a_database_that_cannot_be_copied_leaves_no_backup() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".rehearsal")).unwrap();
    let text = "not a database, whatever its name says ".repeat(30);
    fs::write(folder.path().join(".rehearsal/live.sqlite"), text).unwrap();
    let (done, text) = run(folder.path(), &["backup", "b"]);
    assert!(!done && text.contains(".rehearsal/live.sqlite is damaged: file is not"), "{text}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only what was there");
}

#[tokio::test]
async fn a_database_is_restored_to_where_its_configuration_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let agent = "[[agent]]\nname = \"Maths\"\nsource = \"native\"\nexample = \"math\"\n";
    let configure = |database: &str| {
        let text = format!("{agent}[live]\ndatabase = \"{database}\"\n");
        fs::write(folder.join("rehearsal.toml"), text).unwrap();
    };
    configure("old/live.sqlite");
    drop(live_store::SqliteStore::open(&folder.join("old/live.sqlite")).await.unwrap());
    let (done, text) = run(folder, &["backup", "b"]);
    assert!(done, "{text}");
    configure("new/live.sqlite");
    let (done, text) = run(folder, &["restore", "b", "--replace"]);
    assert!(done && text.contains("b/live.sqlite -> old/live.sqlite\n"), "{text}");
    assert!(!folder.join("new").exists());
}

#[test]
fn a_restore_says_whom_the_configuration_lets_in_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let config = folder.join("rehearsal.toml");
    let agent = "[[agent]]\nname = \"Maths\"\nsource = \"native\"\nexample = \"math\"\n";
    fs::write(&config, agent).unwrap();
    let (done, text) = run(folder, &["token", "add", "nightly"]);
    assert!(done, "{text}");
    let (done, text) = run(folder, &["backup", "b"]);
    assert!(done, "{text}");
    fs::write(&config, agent).unwrap();

    let (done, text) = run(folder, &["restore", "b", "--keep-configuration"]);
    assert!(done && !text.contains("warning"), "{text}");
    assert_eq!(fs::read_to_string(&config).unwrap(), agent);
    let (done, text) = run(folder, &["restore", "b", "--replace"]);
    assert!(
        done && text.contains("lets in again what the one before did not: the token "),
        "{text}"
    );
    assert!(text.contains("(nightly)") && text.contains("--keep-configuration"), "{text}");
    let (done, text) = run(folder, &["restore", "b", "--replace"]);
    assert!(done && !text.contains("warning"), "the same: {text}");
}
