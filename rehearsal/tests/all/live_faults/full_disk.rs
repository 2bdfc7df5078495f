//! A full disk: a file system of a few megabytes, in a mount namespace of the host. If the machine does not
//! allow that, only the store's own tests run, which limit SQLite's number of pages.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};

use rpc::wire;
use tonic::Code;

use crate::live_faults::agents::{create, id};
use crate::live_faults::host::{binary, client_of, spawn};

/// Mounts a small disk on `disk`, puts ballast on it, and becomes the command.
const SCRIPT: &str = "mount -t tmpfs -o size=6m tmpfs disk && \
    head -c 2000000 /dev/zero > disk/ballast && exec \"$0\" \"$@\"";

fn in_namespace(program: &std::ffi::OsStr) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", SCRIPT]).arg(program);
    command
}

struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn request(session: &str, turn: &str, bytes: usize) -> wire::SubmitRequestRequest {
    wire::SubmitRequestRequest {
        session_id: session.to_owned(),
        turn_id: turn.to_owned(),
        agent_name: "large".to_owned(),
        invocation_id: String::new(),
        request: Some(wire::SimulatedLlmRequest {
            system_instruction: Some("x".repeat(bytes)),
            ..Default::default()
        }),
    }
}

/// The status of `/readyz`, and whether it says that the disk is full.
async fn ready(address: SocketAddr) -> (u16, bool) {
    let response = reqwest::get(format!("http://{address}/readyz")).await.unwrap();
    let status = response.status().as_u16();
    (status, response.text().await.unwrap().contains("is full"))
}

#[tokio::test]
async fn rejects_requests_on_a_full_disk_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("disk")).unwrap();
    let mut trial = in_namespace("true".as_ref());
    let possible = trial.current_dir(folder.path()).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        test_needs::absent("a mount namespace for this machine's users");
        return;
    }
    let config = "[live]\ndatabase = \"disk/live.sqlite\"\n[[agent]]\nname = \"Maths\"\n\
                  source = \"native\"\nexample = \"math\"\n";
    std::fs::write(folder.path().join("rehearsal.toml"), config).unwrap();
    let address: SocketAddr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let log = Arc::new(Mutex::new(String::new()));
    let host = spawn(in_namespace(binary().get_program()), folder.path(), address, &log);
    let host = Ended(host);
    let mut client = client_of(address);
    let session = create(&mut client).await;
    let first = id();
    client.submit_request(request(&session, &first, 100)).await.unwrap();

    let mut kept = vec![first];
    let (full, message) = loop {
        let turn = id();
        match client.submit_request(request(&session, &turn, 200_000)).await {
            Ok(_) => kept.push(turn),
            Err(status) => break (turn, status),
        }
        assert!(kept.len() < 100, "six megabytes hold no twenty");
    };
    assert_eq!(message.code(), Code::ResourceExhausted, "{message}");
    assert!(message.message().contains("the disk of the live sessions is full"));
    let again = client.submit_request(request(&session, &full, 200_000)).await.unwrap_err();
    assert_eq!(again.code(), Code::ResourceExhausted, "as cleanly the second time");
    assert_eq!(ready(address).await, (503, true), "new work would fail");
    let summary = |client: &mut crate::live_faults::host::Client| {
        let mut client = client.clone();
        let asked = wire::GetSessionRequest { session_id: session.clone() };
        async move { client.get_session(asked).await.unwrap().into_inner().summary.unwrap() }
    };
    assert_eq!(summary(&mut client).await.queue.unwrap().depth as usize, kept.len());

    // With free space, the same request is accepted without a restart.
    let ballast = format!("/proc/{}/root{}/disk/ballast", host.0.id(), folder.path().display());
    std::fs::remove_file(ballast).unwrap();
    assert_eq!(ready(address).await, (200, false));
    client.submit_request(request(&session, &full, 200_000)).await.unwrap();
    kept.push(full);
    let summary = summary(&mut client).await;
    let pending: Vec<_> = summary.pending.iter().map(|turn| turn.turn_id.clone()).collect();
    assert_eq!(pending, kept[..pending.len()], "in order, and nothing of what was refused");
    assert_eq!(summary.queue.unwrap().depth as usize, kept.len());
    assert_eq!(summary.last_sequence as usize, kept.len());
    // One warning for all that was refused, and a line when the disk has room again.
    while !log.lock().unwrap().contains("changes are stored again") {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(log.lock().unwrap().matches("was not stored").count(), 1);
}
