//! Child processes that end together with all that they started, and how they ended, for people.
//!
//! A child leads a process group, and carries a mark in its environment that its own children
//! inherit: by the mark are those found that have left the group. Marks are looked for where
//! `/proc` is, on Linux; elsewhere the group alone is ended.

#[cfg(target_os = "linux")]
pub mod orphans;
#[cfg(target_os = "linux")]
mod strays;

use std::process::ExitStatus;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// The variable that holds the mark.
const MARK: &str = "_REHEARSAL_FAMILY";

/// A child and all that it starts.
pub(crate) struct Family {
    child: Child,
    end: End,
}

/// Ends a family.
#[derive(Clone)]
pub(crate) struct End {
    leader: Option<u32>,
    kill: CancellationToken,
    #[cfg(target_os = "linux")]
    strays: Arc<strays::Strays>,
}

/// Starts the program as the first of a family. Its environment must be complete.
///
/// # Errors
/// The operating system's.
pub(crate) fn start(command: &mut Command) -> std::io::Result<Family> {
    let mark = uuid::Uuid::new_v4().to_string();
    command.env(MARK, &mark).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    let leader = child.id();
    let end = End {
        leader,
        kill: CancellationToken::new(),
        #[cfg(target_os = "linux")]
        strays: Arc::new(strays::Strays::of(&mark, leader)),
    };
    Ok(Family { child, end })
}

impl Family {
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    pub(crate) fn end(&self) -> End {
        self.end.clone()
    }

    /// Waits for the end of the child, or brings it about when that is asked for, ends what is left
    /// of its family and tells how the child ended.
    pub(crate) async fn outlive(mut self) -> String {
        let status = tokio::select! {
            status = self.child.wait() => status,
            () = self.end.kill.cancelled() => {
                self.end.coming().await;
                self.end.kill_group();
                // Without process groups only the child itself can be ended.
                let _ = self.child.start_kill();
                self.child.wait().await
            }
        };
        self.end.kill_group();
        self.end.kill_strays().await;
        match status {
            Ok(status) => described(status),
            Err(error) => format!("a status that cannot be read ({error})"),
        }
    }
}

#[cfg(target_os = "linux")]
impl End {
    /// To be told before the child is asked to end by itself: whom it started is seen while it lives.
    pub(crate) async fn coming(&self) {
        let strays = Arc::clone(&self.strays);
        // A list of processes that cannot be read leaves those of the group.
        let _ = tokio::task::spawn_blocking(move || strays.note()).await;
    }

    async fn kill_strays(&self) {
        let strays = Arc::clone(&self.strays);
        let _ = tokio::task::spawn_blocking(move || strays.kill()).await;
    }
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_async, reason = "there is something to wait for elsewhere")]
impl End {
    pub(crate) async fn coming(&self) {}

    async fn kill_strays(&self) {}
}

impl End {
    /// Ends the child and its family, without waiting for it.
    pub(crate) fn kill(&self) {
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
