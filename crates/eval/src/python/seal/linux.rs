//! Landlock and seccomp.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, NetPort, RestrictionStatus,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter,
};

use super::{Layers, Network, Seal};

/// Why a thread cannot be sealed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SealError {
    /// Landlock refuses its rules.
    #[error("Landlock cannot be applied: {0}")]
    Landlock(#[from] RulesetError),
    /// No filter can be made of the rules.
    #[error("the filter of system calls cannot be made: {0}")]
    Rules(#[from] BackendError),
    /// The kernel refuses the filter.
    #[error("the filter of system calls cannot be applied: {0}")]
    Filter(#[from] seccompiler::Error),
}

/// The version of Landlock that knows every change of a file.
const FILES: ABI = ABI::V3;
/// That which knows TCP.
const PORTS: ABI = ABI::V4;
/// That which knows signals.
const SIGNALS: ABI = ABI::V6;

/// What a process outside of the seal would notice, and Landlock does not know.
const CALLS: &[i64] = &[
    // It makes sockets and changes files without system calls.
    libc::SYS_io_uring_setup,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_ptrace,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// What changes other processes, with the argument that names one; 0 is the process itself.
const OF_PROCESSES: &[(i64, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setaffinity, 0),
];

/// The requests of `ioctl` that change the flags of a file, which may be open for reading only: `FS_IOC_SETFLAGS` and
/// `FS_IOC_FSSETXATTR`.
const FLAGS: &[u64] = &[0x4008_6602, 0x401c_5820];

/// What makes a socket reach something, or be reached.
const CONNECTIONS: &[i64] = &[libc::SYS_connect, libc::SYS_bind, libc::SYS_listen];

/// The kinds of sockets that can send without a connection.
const UNCONNECTED: &[i32] =
    &[libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET];

const PROGRAMS: &[i64] = &[libc::SYS_execve, libc::SYS_execveat];

/// The kinds of sockets that a network does not need: those of the same machine, and those below TCP and UDP.
const FAMILIES: &[i32] = &[libc::AF_UNIX, libc::AF_PACKET, libc::AF_VSOCK];

pub(super) fn layers() -> Layers {
    // Restricts the thread, which ends.
    std::thread::spawn(|| {
        let landlock = restrict(Ruleset::default(), &[], &Network::Closed);
        let version = match landlock.map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => effective_abi,
            _ => ABI::Unsupported,
        };
        let program = filter(rules(PROGRAMS));
        Layers {
            files: version >= FILES,
            ports: version >= PORTS,
            signals: version >= SIGNALS,
            calls: program.is_ok_and(|program| apply_filter(&program).is_ok()),
        }
    })
    .join()
    .unwrap_or(Layers::NONE)
}

pub(super) fn apply(seal: &Seal<'_>) -> Result<(), SealError> {
    let folders = seal.allowed.folders.iter().map(|folder| folder.as_path());
    let folders: Vec<_> = folders.chain([seal.scratch.files(), seal.scratch.homes()]).collect();
    let layers = super::layers();
    match restrict(Ruleset::default(), &folders, seal.network) {
        Err(error) if layers.files => return Err(error.into()),
        // What this kernel cannot refuse is said at the beginning of a run.
        _ if !layers.calls => return Ok(()),
        _ => {}
    }
    let mut refused = rules(CALLS);
    for (call, process) in OF_PROCESSES {
        refused.insert(*call, vec![rule(*process, SeccompCmpOp::Ne, 0)?]);
    }
    let flags = FLAGS.iter().map(|request| rule(1, SeccompCmpOp::Eq, *request));
    refused.insert(libc::SYS_ioctl, flags.collect::<Result<_, BackendError>>()?);
    let unconnected =
        UNCONNECTED.iter().map(|kind| of_kind(*kind)).collect::<Result<Vec<_>, BackendError>>()?;
    refused.insert(libc::SYS_socketpair, unconnected.clone());
    // They connect without `connect`.
    let flag = u64::from(libc::MSG_FASTOPEN.unsigned_abs());
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        refused.insert(call, vec![rule(flags, SeccompCmpOp::MaskedEq(flag), flag)?]);
    }
    if *seal.network == Network::Closed {
        refused.extend(rules(CONNECTIONS));
        refused.insert(libc::SYS_socket, unconnected);
        // With an address.
        refused.entry(libc::SYS_sendto).or_default().push(pointer(4)?);
    } else {
        let mut of_families: Vec<_> = FAMILIES
            .iter()
            .map(|family| rule(0, SeccompCmpOp::Eq, u64::from(family.unsigned_abs())))
            .collect::<Result<_, BackendError>>()?;
        of_families.push(of_kind(libc::SOCK_RAW)?);
        // Landlock knows TCP only. UDP is for name servers.
        let others = [0, libc::IPPROTO_TCP, libc::IPPROTO_UDP].map(|protocol| {
            let protocol = u64::from(protocol.unsigned_abs());
            SeccompCondition::new(2, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, protocol)
        });
        let others = others.into_iter().collect::<Result<Vec<_>, BackendError>>()?;
        of_families.push(SeccompRule::new(others)?);
        refused.insert(libc::SYS_socket, of_families);
    }
    Ok(apply_filter(&filter(refused)?)?)
}

/// The filter of programs, in the form that the kernel takes.
pub(super) fn program_filter() -> String {
    let mut digits = String::new();
    for it in filter(rules(PROGRAMS)).unwrap_or_default() {
        let [code_0, code_1] = it.code.to_ne_bytes();
        let [k_0, k_1, k_2, k_3] = it.k.to_ne_bytes();
        for byte in [code_0, code_1, it.jt, it.jf, k_0, k_1, k_2, k_3] {
            // Writing to a text cannot fail.
            let _ = write!(digits, "{byte:02x}");
        }
    }
    digits
}

fn restrict(
    ruleset: Ruleset,
    folders: &[&std::path::Path],
    network: &Network,
) -> Result<RestrictionStatus, RulesetError> {
    let writes: BitFlags<AccessFs> = AccessFs::from_write(FILES);
    let mut ruleset = ruleset.handle_access(writes)?.scope(Scope::from_all(SIGNALS))?;
    if *network != Network::Open {
        ruleset = ruleset.handle_access(AccessNet::from_all(PORTS))?;
    }
    let mut created = ruleset
        .create()?
        .add_rules(path_beneath_rules(folders, writes))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::WriteFile | AccessFs::Truncate))?;
    if let Network::Ports(ports) = network {
        for port in ports {
            created = created.add_rule(NetPort::new(*port, AccessNet::from_all(PORTS)))?;
        }
        // Clients bind their end of a connection to any port.
        created = created.add_rule(NetPort::new(0, AccessNet::BindTcp))?;
    }
    created.restrict_self()
}

fn rules(calls: &[i64]) -> BTreeMap<i64, Vec<SeccompRule>> {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    only(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value))
}

/// Where this argument is not null.
fn pointer(argument: u8) -> Result<SeccompRule, BackendError> {
    only(SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0))
}

fn only(condition: Result<SeccompCondition, BackendError>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![condition?])
}

/// A socket of this type, whatever its flags are.
fn of_kind(kind: i32) -> Result<SeccompRule, BackendError> {
    rule(1, SeccompCmpOp::MaskedEq(0xf), u64::from(kind.unsigned_abs()))
}

fn filter(refused: BTreeMap<i64, Vec<SeccompRule>>) -> Result<BpfProgram, BackendError> {
    let error = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(refused, SeccompAction::Allow, error, architecture)?.try_into()
}
