//! Processes that have left their process group, as daemons do.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};

use procfs::process::{Process, Stat, all_processes};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::MARK;

/// A process id with the start time of the process, because ids are reused.
type Id = (i32, u64);

/// The known processes that one child has started.
pub(super) struct EscapedProcesses {
    mark: String,
    leader: Option<Id>,
    known: Mutex<HashSet<Id>>,
}

impl EscapedProcesses {
    pub(super) fn of(mark: &str, leader: Option<u32>) -> Self {
        let leader = leader.and_then(|pid| i32::try_from(pid).ok());
        let leader = leader.and_then(|pid| Process::new(pid).ok()?.stat().ok());
        Self { mark: mark.to_owned(), leader: leader.as_ref().map(id), known: Mutex::default() }
    }

    /// Records the processes that the child has started. Only while it runs are they known to be its children.
    pub(super) fn note(&self) {
        let found = self.descendants();
        self.known().extend(found);
    }

    /// Kills the recorded processes, those with the mark, and the descendants of both.
    pub(super) fn kill(&self) {
        let mut ended = HashSet::new();
        // New processes may start meanwhile: repeat until there are none.
        loop {
            self.note();
            let new: Vec<Id> =
                self.known().iter().filter(|id| !ended.contains(*id)).copied().collect();
            if new.is_empty() {
                break;
            }
            new.iter().for_each(|id| end(*id));
            ended.extend(new);
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashSet<Id>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn descendants(&self) -> HashSet<Id> {
        let Ok(all) = all_processes() else { return HashSet::new() };
        // Processes that end meanwhile are left out.
        let all: Vec<(Stat, bool)> = all
            .filter_map(|process| {
                let process = process.ok()?;
                Some((process.stat().ok()?, self.marked(&process)))
            })
            .collect();
        let known = self.known().clone();
        let is_root = |id: &Id| known.contains(id) || Some(*id) == self.leader;
        let roots = all.iter().filter(|(it, marked)| *marked || is_root(&id(it)));
        let mut escaped: HashSet<Id> = roots.map(|(it, _)| id(it)).collect();
        loop {
            let parents: HashSet<i32> = escaped.iter().map(|(pid, _)| *pid).collect();
            let children = all.iter().map(|(it, _)| it).filter(|it| parents.contains(&it.ppid));
            let before = escaped.len();
            escaped.extend(children.map(id));
            if escaped.len() == before {
                break;
            }
        }
        escaped.retain(|id| Some(*id) != self.leader);
        escaped
    }

    /// Environments of other users' processes cannot be read. They have no mark.
    fn marked(&self, process: &Process) -> bool {
        let environment = process.environ().unwrap_or_default();
        environment.get(OsStr::new(MARK)).is_some_and(|value| *value == *self.mark)
    }
}

pub(super) fn id(process: &Stat) -> Id {
    (process.pid, process.starttime)
}

/// Kills the process, if its id was not reused.
pub(super) fn end(target: Id) {
    let Some(pid) = Pid::from_raw(target.0) else { return };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    // Checked again, because the handle now holds the id.
    let same = Process::new(target.0).and_then(|process| process.stat());
    if same.is_ok_and(|same| id(&same) == target) {
        let _ = pidfd_send_signal(&handle, Signal::KILL);
    }
}
