//! Child processes that end together with all processes that they started.
//!
//! A child leads a process group. It also has a mark in its environment, which its own children inherit,
//! so that processes that left the group are found too. This needs `/proc`, so that on systems other
//! than Linux only the group ends.

#[cfg(target_os = "linux")]
mod escaped_processes;
#[cfg(target_os = "linux")]
pub mod orphans;

use std::process::ExitStatus;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// The variable that holds the mark.
const MARK: &str = "_REHEARSAL_FAMILY";

/// A child process and all processes that it starts.
pub struct ProcessTree {
    child: Child,
    killer: TreeKiller,
}

/// Kills a child and all processes that it started.
#[derive(Clone)]
pub struct TreeKiller {
    leader: Option<u32>,
    kill: CancellationToken,
    #[cfg(target_os = "linux")]
    escaped: Arc<escaped_processes::EscapedProcesses>,
}

/// Starts a program as the root of a process tree. Its environment must be complete.
///
/// # Errors
/// The operating system's.
pub fn start(command: &mut Command) -> std::io::Result<ProcessTree> {
    let mark = uuid::Uuid::new_v4().to_string();
    command.env(MARK, &mark).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    let leader = child.id();
    let killer = TreeKiller {
        leader,
        kill: CancellationToken::new(),
        #[cfg(target_os = "linux")]
        escaped: Arc::new(escaped_processes::EscapedProcesses::of(&mark, leader)),
    };
    Ok(ProcessTree { child, killer })
}

impl ProcessTree {
    /// The process itself.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// What kills it, while another task waits for it.
    #[must_use]
    pub fn killer(&self) -> TreeKiller {
        self.killer.clone()
    }

    /// Waits until the child has ended or [`TreeKiller::kill`] is called. Kills what is left of its process
    /// tree, and returns how the child ended, such as `ended with exit status 3`.
    pub async fn wait(mut self) -> String {
        let status = tokio::select! {
            status = self.child.wait() => Some(status),
            () = self.killer.kill.cancelled() => {
                self.killer.note_escaped().await;
                self.killer.kill_group();
                // Without process groups only the child itself can be ended.
                let _ = self.child.start_kill();
                let _ = self.child.wait().await;
                None
            }
        };
        self.killer.kill_group();
        self.killer.kill_escaped().await;
        match status {
            Some(Ok(status)) => format!("ended with {}", described(status)),
            Some(Err(error)) => format!("ended with a status that cannot be read ({error})"),
            None => "was stopped".to_owned(),
        }
    }
}

#[cfg(target_os = "linux")]
impl TreeKiller {
    /// Call this before the child is asked to end by itself: only while it runs are processes known to be
    /// its children.
    pub(crate) async fn note_escaped(&self) {
        let escaped = Arc::clone(&self.escaped);
        // If the list of processes cannot be read, the group is still killed.
        let _ = tokio::task::spawn_blocking(move || escaped.note()).await;
    }

    async fn kill_escaped(&self) {
        let escaped = Arc::clone(&self.escaped);
        let _ = tokio::task::spawn_blocking(move || escaped.kill()).await;
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_async, reason = "there is something to wait for elsewhere")]
impl TreeKiller {
    pub(crate) async fn note_escaped(&self) {}

    async fn kill_escaped(&self) {}
}

impl TreeKiller {
    /// Kills the child and its process tree, without waiting for it.
    pub fn kill(&self) {
        self.kill.cancel();
    }

    #[cfg(unix)]
    fn kill_group(&self) {
        use rustix::process::{Pid, Signal, kill_process_group};

        let leader = self.leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(leader) = leader {
            // The group may be gone already.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&self) {}
}

fn described(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return signal_name(signal);
    }
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => status.to_string(),
    }
}

/// How a process ended that has the exit code `code`, which is the negative signal of one that a signal ended.
#[must_use]
pub fn exit_name(code: i32) -> String {
    match code.checked_neg() {
        Some(signal @ 1..) => signal_name(signal),
        _ => format!("exit status {code}"),
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        6 => " (SIGABRT)",
        9 => " (SIGKILL: killed, perhaps because memory ran out)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    };
    format!("signal {signal}{name}")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tells_a_stopped_child_from_one_that_was_killed() {
        let child = |script: &str| start(Command::new("sh").args(["-c", script])).expect("started");
        let stopped = child("sleep 60");
        stopped.killer().kill();
        assert_eq!(stopped.wait().await, "was stopped");
        let killed = child("kill -9 $$").wait().await;
        assert!(killed.starts_with("ended with signal 9 (SIGKILL"), "{killed}");
        assert_eq!(child("exit 3").wait().await, "ended with exit status 3");
    }
}
