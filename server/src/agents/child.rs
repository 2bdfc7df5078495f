//! Child processes that end together with all that they started, and how they ended, for people.
//!
//! Whoever starts one makes it the leader of a process group.

use std::process::ExitStatus;

use tokio::process::Child;
use tokio_util::sync::CancellationToken;

/// Waits for the end of the process, or brings it about, and tells how it ended.
pub(super) async fn outlive(child: &mut Child, kill: &CancellationToken) -> String {
    let group = child.id();
    let status = tokio::select! {
        status = child.wait() => status,
        () = kill.cancelled() => {
            kill_group(group);
            // Without process groups only the worker itself can be ended.
            let _ = child.start_kill();
            child.wait().await
        }
    };
    // What its tools started must not outlive it.
    kill_group(group);
    match status {
        Ok(status) => described(status),
        Err(error) => format!("a status that cannot be read ({error})"),
    }
}

fn described(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            6 => " (SIGABRT)",
            9 => " (SIGKILL: killed, perhaps because memory ran out)",
            11 => " (SIGSEGV)",
            15 => " (SIGTERM)",
            _ => "",
        };
        return format!("signal {signal}{name}");
    }
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    }
}

#[cfg(unix)]
fn kill_group(leader: Option<u32>) {
    let pid = leader.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // The group may be gone already.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_leader: Option<u32>) {}
