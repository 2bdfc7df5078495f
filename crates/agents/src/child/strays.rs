//! Processes that have left their group: with a session of their own, as daemons do.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};

use procfs::process::{Process, Stat, all_processes};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::MARK;

/// A process and when it started: numbers are used again.
type Id = (i32, u64);

/// All that one child has started, as far as it is known.
pub(super) struct Strays {
    mark: String,
    leader: Option<Id>,
    known: Mutex<HashSet<Id>>,
}

impl Strays {
    pub(super) fn of(mark: &str, leader: Option<u32>) -> Self {
        let leader = leader.and_then(|pid| i32::try_from(pid).ok());
        let leader = leader.and_then(|pid| Process::new(pid).ok()?.stat().ok());
        Self { mark: mark.to_owned(), leader: leader.as_ref().map(id), known: Mutex::default() }
    }

    /// Notes whom the child has started. While it lives it is known whose parent it is.
    pub(super) fn note(&self) {
        let found = self.look();
        self.known().extend(found);
    }

    /// Ends everyone who was noted, who carries the mark, or who descends from one of them.
    pub(super) fn kill(&self) {
        let mut ended = HashSet::new();
        // Another may have been started meanwhile: until none is new.
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

    fn look(&self) -> HashSet<Id> {
        let Ok(all) = all_processes() else { return HashSet::new() };
        // Who ends while this looks is no stray any more.
        let all: Vec<(Stat, bool)> = all
            .filter_map(|process| {
                let process = process.ok()?;
                Some((process.stat().ok()?, self.marked(&process)))
            })
            .collect();
        let known = self.known().clone();
        let is_kin = |id: &Id| known.contains(id) || Some(*id) == self.leader;
        let kin = all.iter().filter(|(it, marked)| *marked || is_kin(&id(it)));
        let mut family: HashSet<Id> = kin.map(|(it, _)| id(it)).collect();
        loop {
            let parents: HashSet<i32> = family.iter().map(|(pid, _)| *pid).collect();
            let children = all.iter().map(|(it, _)| it).filter(|it| parents.contains(&it.ppid));
            let before = family.len();
            family.extend(children.map(id));
            if family.len() == before {
                break;
            }
        }
        family.retain(|id| Some(*id) != self.leader);
        family
    }

    /// The environments of other people's processes cannot be read, and they carry no mark.
    fn marked(&self, process: &Process) -> bool {
        let environment = process.environ().unwrap_or_default();
        environment.get(OsStr::new(MARK)).is_some_and(|value| *value == *self.mark)
    }
}

pub(super) fn id(process: &Stat) -> Id {
    (process.pid, process.starttime)
}

/// Ends the process, if it still is the one that was meant.
pub(super) fn end(stray: Id) {
    let Some(pid) = Pid::from_raw(stray.0) else { return };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    // Looked at again now that the handle holds it.
    let same = Process::new(stray.0).and_then(|process| process.stat());
    if same.is_ok_and(|same| id(&same) == stray) {
        let _ = pidfd_send_signal(&handle, Signal::KILL);
    }
}
