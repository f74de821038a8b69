//! A run as a separate process that does not outlive this program.

use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::checkpoint::signal::StopSignals;

/// Time between two checks of a run.
const LOOK: Duration = Duration::from_millis(10);
/// Time a launcher gets to end its ranks before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// Runs a command to its end; returns its status and its stderr. `None` if this program was asked to stop; then the
/// command has been ended.
///
/// # Errors
/// It cannot be started.
pub fn run(command: &mut Command, signals: &StopSignals) -> io::Result<Option<(ExitStatus, String)>> {
    // A file, because nobody would drain a pipe during the run.
    let mut stderr = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr.try_clone()?);
    // In its own process group, so Ctrl-C reaches it only through this program, which then waits for its end.
    command.process_group(0);
    end_with_this_process(command);
    let mut child = command.spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if signals.seen().is_some() {
            end(&mut child)?;
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    };
    let mut said = Vec::new();
    stderr.rewind()?;
    stderr.read_to_end(&mut said)?;
    Ok(Some((status, String::from_utf8_lossy(&said).into_owned())))
}

/// Ends a launcher, which ends its ranks.
fn end(child: &mut Child) -> io::Result<()> {
    let pid = i32::try_from(child.id()).expect("process numbers are positive and of 32 bits");
    // SAFETY: the child has not been waited for, so no other process has its number.
    unsafe { libc::kill(-pid, libc::SIGTERM) };
    let asked = Instant::now();
    while child.try_wait()?.is_none() {
        if asked.elapsed() > GRACE {
            // SAFETY: as above.
            unsafe { libc::kill(-pid, libc::SIGKILL) };
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Asks the system to end the command when this program is killed.
#[cfg(target_os = "linux")]
fn end_with_this_process(command: &mut Command) {
    let own = std::process::id();
    let ask = move || {
        // SAFETY: two system calls that touch no memory of this process.
        let parent = unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
            libc::getppid()
        };
        // It may have been killed before this request.
        if u32::try_from(parent) == Ok(own) { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
    };
    // SAFETY: between fork and exec, `ask` makes system calls only and allocates nothing.
    unsafe { command.pre_exec(ask) };
}

#[cfg(not(target_os = "linux"))]
fn end_with_this_process(_: &mut Command) {}
