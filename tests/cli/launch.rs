//! Starts the program, alone or under mpirun, watches whether it hangs, and checks how it ended.

// Each test program uses its own part.
#![allow(dead_code)]

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::watch::{self, Sample, Watch};

/// How long a thread may work, or all may wait, without output: nothing here takes a tenth of it.
const LIMIT: Duration = Duration::from_secs(60);
/// After this time the program is given up in any case, unless `CFD_TEST_LIMIT` says otherwise, in seconds.
const LAST_LIMIT: Duration = Duration::from_secs(1800);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(200);

/// The program: that of this build, or the one named by `CFD_TEST_PROGRAM`, which may have been built differently.
pub fn program() -> PathBuf {
    std::env::var_os("CFD_TEST_PROGRAM").map_or(env!("CARGO_BIN_EXE_cfd").into(), PathBuf::from)
}

/// How many ranks run the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ranks {
    /// Without a launcher.
    Alone,
    /// As many under mpirun.
    Launched(usize),
}

/// Every way to start this build: alone and, with MPI, on three ranks.
pub fn ways() -> Vec<Ranks> {
    let mut ways = vec![Ranks::Alone];
    if cfg!(feature = "mpi") {
        ways.push(Ranks::Launched(3));
    }
    ways
}

/// Alone; and on three ranks for one in three of a test's requests, or for all if the whole matrix is requested:
/// starting three ranks takes longer than their work.
pub fn some_ways(asked: &[&str]) -> Vec<Ranks> {
    let whole = crate::matrix::is_whole();
    let letters: usize = asked.iter().flat_map(|text| text.bytes()).map(usize::from).sum();
    ways().into_iter().filter(|&ranks| whole || ranks == Ranks::Alone || letters.is_multiple_of(3)).collect()
}

/// How the program ended, and its output.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Fails unless the program ended with `code`, one error message that holds all of `words`, and no trace of a panic.
    #[track_caller]
    pub fn refused(&self, code: i32, words: &[&str]) {
        let messages: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert_eq!(messages.len(), 1, "one message: {self:#?}");
        assert_eq!(self.code, code, "exit code: {self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "\"{word}\" in {self:#?}");
        }
        for text in [&self.stderr, &self.stdout] {
            assert!(!text.contains("panicked") && !text.contains("internal error"), "{self:#?}");
        }
    }

    /// Fails unless the program succeeded.
    #[track_caller]
    pub fn succeeded(self) -> Ended {
        assert_eq!(self.code, 0, "{self:#?}");
        assert!(!self.stderr.contains("error:"), "{self:#?}");
        self
    }
}

/// Detaches a file that this process wrote with the HDF5 library: a program that another test starts meanwhile inherits
/// the library's open file with its lock, and keeps it until it ends.
pub fn unlock(path: &std::path::Path) {
    let copy = path.with_extension("copy");
    std::fs::copy(path, &copy).expect("a file of a test");
    std::fs::rename(copy, path).expect("a name in the same folder");
}

/// A test's own folder in which it runs the program.
pub struct Place {
    folder: TempDir,
    /// As [`LIMIT`].
    limit: Duration,
}

impl Place {
    pub fn new() -> Place {
        Place::with_limit(LIMIT)
    }

    /// The same, for runs in which a thread may work for up to `limit` without output.
    pub fn with_limit(limit: Duration) -> Place {
        Place { folder: tempfile::tempdir().expect("a temporary folder"), limit }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).expect("a file in the temporary folder");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `summary.json` of an output directory.
    pub fn summary(&self, directory: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(&format!("{directory}/summary.json"))).expect("JSON")
    }

    /// The residuals in `history.csv` of an output directory.
    pub fn residuals(&self, directory: &str) -> Vec<f64> {
        let history = self.read(&format!("{directory}/history.csv"));
        let residual = |row: &str| row.split(',').nth(1).and_then(|text| text.parse().ok());
        history
            .lines()
            .skip(1)
            .map(|row| residual(row).unwrap_or_else(|| panic!("a residual: {row}")))
            .collect()
    }

    /// Runs the program in this folder.
    pub fn run(&self, ranks: Ranks, args: &[&str]) -> Ended {
        self.run_with(ranks, args, &[])
    }

    /// The same with environment variables. Fails if the program refuses its input and leaves a file or directory.
    pub fn run_with(&self, ranks: Ranks, args: &[&str], variables: &[(&str, &str)]) -> Ended {
        let before = self.names();
        let ended = Running::start(self, ranks, args, variables).wait();
        assert!(ended.code != 2 || self.names() == before, "{:?} was not there: {ended:#?}", self.names());
        ended
    }

    /// What is in the folder.
    fn names(&self) -> Vec<std::ffi::OsString> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the temporary folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }

    /// Runs a shell script in this folder, in which `$CFD` is the program.
    pub fn script(&self, script: &str) -> Ended {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("CFD", program());
        Running::spawn(self, command, &[]).wait()
    }

    /// Starts the program alone in this folder, for tests that send it signals. Its stderr is small enough for a pipe.
    pub fn child(&self, args: &[&str]) -> Child {
        let mut command = Command::new(program());
        command.args(args).args(["--progress", "never"].iter().filter(|_| args[0] == "--config"));
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        // A background job ignores SIGINT, and so would what it starts. SAFETY: between fork and exec, only a system
        // call is made.
        unsafe {
            command.pre_exec(|| match libc::signal(libc::SIGINT, libc::SIG_DFL) {
                libc::SIG_ERR => Err(std::io::Error::last_os_error()),
                _ => Ok(()),
            })
        };
        command.spawn().expect("the program starts")
    }

    /// Starts the program in this folder.
    #[cfg(feature = "mpi")]
    pub fn start(&self, ranks: Ranks, args: &[&str]) -> Running {
        Running::start(self, ranks, args, &[])
    }
}

/// The program, running.
pub struct Running {
    child: Child,
    said: TempDir,
    since: Instant,
    limit: Duration,
}

impl Running {
    fn start(place: &Place, ranks: Ranks, args: &[&str], variables: &[(&str, &str)]) -> Running {
        let mut command = match ranks {
            Ranks::Alone => Command::new(program()),
            Ranks::Launched(ranks) => {
                let mut command = Command::new("mpirun");
                command.args(["-n", &ranks.to_string()]).arg(program());
                command
            }
        };
        command.args(args);
        Running::spawn(place, command, variables)
    }

    fn spawn(place: &Place, mut command: Command, variables: &[(&str, &str)]) -> Running {
        // Files, because nobody drains pipes while the program runs.
        let said = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str| File::create(said.path().join(name)).expect("a file in the temporary folder");
        command
            .current_dir(place.folder.path())
            .stdin(Stdio::null())
            .stdout(file("stdout"))
            .stderr(file("stderr"));
        // More ranks than cores, as root in a container: the names before and after Open MPI 5.
        command.envs([
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
            ("OMPI_MCA_hwloc_base_binding_policy", "none"),
            ("OMPI_MCA_mpi_yield_when_idle", "1"),
            ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
            // Ranks on one machine; looking for a network takes longer than most runs.
            ("OMPI_MCA_pml", "ob1"),
            ("OMPI_MCA_btl", "self,vader"),
            ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
            ("PRTE_MCA_hwloc_default_binding_policy", "none"),
        ]);
        command.envs(variables.iter().copied());
        // Its own process group, so a hanging launcher can be ended with all its ranks.
        command.process_group(0);
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Running { child, said, since: Instant::now(), limit: place.limit }
    }

    /// Process ids of the program's ranks under this launcher.
    #[cfg(feature = "mpi")]
    pub fn ranks(&self) -> Vec<u32> {
        let launcher = self.child.id();
        let path = format!("/proc/{launcher}/task/{launcher}/children");
        let children = std::fs::read_to_string(path).unwrap_or_default();
        children.split_whitespace().filter_map(|id| id.parse().ok()).collect()
    }

    /// Its stdout so far.
    #[cfg(feature = "mpi")]
    pub fn stdout(&self) -> String {
        self.said("stdout")
    }

    fn said(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.said.path().join(name)).unwrap_or_default()).into_owned()
    }

    /// Waits until it ends; fails, and ends it, when it hangs.
    pub fn wait(mut self) -> Ended {
        let mut watch = Watch::new(self.limit, last_limit());
        let mut looked = Duration::ZERO;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of this process") {
                let code = status.code().unwrap_or(-1);
                return Ended { code, stdout: self.said("stdout"), stderr: self.said("stderr") };
            }
            let at = self.since.elapsed();
            if at >= looked + LOOK {
                looked = at;
                if let Some(why) = watch.see(self.sample(at)) {
                    self.end();
                    panic!(
                        "it hangs: {why}; stdout: {}\nstderr: {}",
                        self.said("stdout"),
                        self.said("stderr")
                    );
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn sample(&self, at: Duration) -> Sample {
        let (worked, is_busy) = watch::threads(self.child.id());
        let bytes = |name| std::fs::metadata(self.said.path().join(name)).map_or(0, |file| file.len());
        Sample { at, worked, is_busy, output: bytes("stdout") + bytes("stderr") }
    }

    /// Ends all its processes: a launcher's may be in groups of their own.
    fn end(&mut self) {
        let all = watch::tree(self.child.id());
        let ids: Vec<String> = all.iter().map(u32::to_string).collect();
        let _ =
            Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).args(ids).status();
        let _ = self.child.wait();
    }
}

/// The longest time that anything here is waited for.
pub fn last_limit() -> Duration {
    let given = std::env::var("CFD_TEST_LIMIT").ok().and_then(|text| text.parse().ok());
    given.map_or(LAST_LIMIT, Duration::from_secs)
}
