//! What a tool starts and orphans, in a process that is the host's own.
//!
//! An orphan that carries no mark any more cannot be told by its worker; it can by its new parent,
//! which on Linux is the nearest one that takes orphans in.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use procfs::process::{ProcState, Stat, all_processes};
use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

use super::strays;

/// How often those that have ended are let go.
const SWEEP: Duration = Duration::from_secs(30);
/// How long the last ones may take to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// From now on this process is the parent of what its descendants orphan.
pub fn take_in() {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        tracing::debug!("orphans go to another process: {error}");
    }
}

/// Lets go of those that have ended, which nobody else waits for. Never returns.
pub async fn let_go() {
    let mut before = HashSet::new();
    let mut ticks = tokio::time::interval(SWEEP);
    loop {
        ticks.tick().await;
        let ended = tokio::task::spawn_blocking(|| children(is_zombie)).await.unwrap_or_default();
        let ended: HashSet<_> = ended.iter().map(strays::id).collect();
        // Whoever waits for a child of its own has done so within half a minute.
        ended.intersection(&before).for_each(|(pid, _)| forget(*pid));
        before = ended;
    }
}

/// Ends every child that is left. The host has ended its workers before.
pub fn end() {
    let until = Instant::now() + PATIENCE;
    loop {
        children(is_zombie).iter().for_each(|child| forget(child.pid));
        // As each ends, what it has started comes here.
        let left = children(|child| !is_zombie(child));
        if left.is_empty() || Instant::now() > until {
            return;
        }
        left.iter().map(strays::id).for_each(strays::end);
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

fn forget(child: i32) {
    if let Some(child) = Pid::from_raw(child) {
        // It may have been waited for meanwhile.
        let _ = waitpid(Some(child), WaitOptions::NOHANG);
    }
}
