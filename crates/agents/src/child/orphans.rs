//! Ends processes that tools started and whose parents ended.
//!
//! Such a process may have removed the mark from its environment. On Linux its new parent is the nearest
//! ancestor that adopts orphans, so the host makes itself that ancestor.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use procfs::process::{ProcState, Stat, all_processes};
use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

use super::escaped_processes;

/// How often children that have ended are reaped.
const REAP_INTERVAL: Duration = Duration::from_secs(30);
/// How long the last children may take to end.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Makes this process the parent of its descendants whose parents end.
pub fn adopt() {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        tracing::debug!("orphans go to another process: {error}");
    }
}

/// Reaps children that have ended and that no other code waits for. Never returns.
pub async fn reap() {
    let mut before = HashSet::new();
    let mut ticks = tokio::time::interval(REAP_INTERVAL);
    loop {
        ticks.tick().await;
        let ended = tokio::task::spawn_blocking(|| children(is_zombie)).await.unwrap_or_default();
        let ended: HashSet<_> = ended.iter().map(escaped_processes::id).collect();
        // Other code that waits for its own child has done so within half a minute.
        ended.intersection(&before).for_each(|(pid, _)| reap_one(*pid));
        before = ended;
    }
}

/// Kills every child that is left, after the host has stopped its workers.
pub fn end() {
    let until = Instant::now() + END_TIMEOUT;
    loop {
        children(is_zombie).iter().for_each(|child| reap_one(child.pid));
        // When a child ends, this process adopts its children.
        let left = children(|child| !is_zombie(child));
        if left.is_empty() || Instant::now() > until {
            return;
        }
        left.iter().map(escaped_processes::id).for_each(escaped_processes::end);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn children(which: impl Fn(&Stat) -> bool) -> Vec<Stat> {
    let Ok(all) = all_processes() else { return Vec::new() };
    let own = getpid().as_raw_nonzero().get();
    let stats = all.filter_map(|process| process.ok()?.stat().ok());
    stats.filter(|stat| stat.ppid == own && which(stat)).collect()
}

fn is_zombie(child: &Stat) -> bool {
    child.state().is_ok_and(|state| state == ProcState::Zombie)
}

fn reap_one(child: i32) {
    if let Some(child) = Pid::from_raw(child) {
        // Other code may have waited for it meanwhile.
        let _ = waitpid(Some(child), WaitOptions::NOHANG);
    }
}
