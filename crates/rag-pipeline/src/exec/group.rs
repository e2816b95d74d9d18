//! Process groups, so that what a program starts ends with it.

use std::process::{Child, Command};

/// Makes the program of `command` the leader of a process group of its own. On Linux it is ended when the thread that
/// started it dies, however that comes about.
#[cfg(unix)]
pub(super) fn lead(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
    #[cfg(target_os = "linux")]
    {
        let die_with_parent = || {
            // SAFETY: `prctl` with this option reads its two integers and no memory.
            match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        };
        // SAFETY: between fork and exec the closure makes one system call, which is async-signal-safe, and allocates
        // nothing.
        unsafe { command.pre_exec(die_with_parent) };
    }
}

/// Ends every process of the group that `child` leads, also when it has ended itself.
#[cfg(unix)]
pub(super) fn end(child: &Child) {
    let Ok(group) = libc::pid_t::try_from(child.id()) else {
        return;
    };
    // SAFETY: `killpg` takes two integers. The child is not yet reaped, or members of its group are alive, so that the
    // number still names its group; else there is no such group, and nothing happens.
    unsafe { libc::killpg(group, libc::SIGKILL) };
}

#[cfg(not(unix))]
pub(super) fn lead(_: &mut Command) {}

#[cfg(not(unix))]
pub(super) fn end(_: &Child) {}
