//! Process groups, so that what a program starts ends with it.

use std::io;
use std::process::{Child, Command};

/// Makes the program of `command` the leader of a process group of its own. On Linux it is ended when the thread that
/// started it dies, however that comes about.
#[cfg(unix)]
pub(super) fn lead(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let parent = std::process::id();
        let die_with_parent = move || {
            // SAFETY: `prctl` with this option reads its integers and no memory; `getppid` cannot fail.
            let (set, found) = unsafe {
                let signal = libc::SIGKILL as libc::c_ulong;
                (libc::prctl(libc::PR_SET_PDEATHSIG, signal), libc::getppid())
            };
            // A parent that died before sends no signal any more.
            match set {
                0 if u32::try_from(found) == Ok(parent) => Ok(()),
                0 => Err(io::ErrorKind::Interrupted.into()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        // SAFETY: between fork and exec the closure makes two system calls, which are async-signal-safe, and allocates
        // nothing.
        unsafe { command.pre_exec(die_with_parent) };
    }
}

/// Whether `child` has ended. It is not waited for, so its number, and its group's, stay its own.
#[cfg(unix)]
pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
    // SAFETY: a `siginfo_t` of zeros is a valid one; `waitid` writes into it and into nothing else.
    let (result, ended) = unsafe {
        let mut found: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        let result = libc::waitid(libc::P_PID, child.id(), &raw mut found, options);
        (result, found.si_pid() != 0)
    };
    match result {
        0 => Ok(ended),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Ends every process of the group that `child` leads. It must not have been waited for.
#[cfg(unix)]
pub(super) fn end(child: &Child) {
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: `killpg` takes two integers; by this function's contract the number still names the child's group.
        unsafe { libc::killpg(group, libc::SIGKILL) };
    }
}

#[cfg(not(unix))]
pub(super) fn lead(_: &mut Command) {}

#[cfg(not(unix))]
pub(super) fn has_ended(child: &mut Child) -> io::Result<bool> {
    child.try_wait().map(|status| status.is_some())
}

#[cfg(not(unix))]
pub(super) fn end(_: &Child) {}
