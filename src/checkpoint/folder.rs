//! The checkpoints in an output directory: `checkpoint-ITERATION.h5`, the last few of each lineage kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cfd_engine::comm::Comm;
use cfd_io::IoError;

use super::choose::Candidate;
use super::lineage::{Lineage, timestamp};
use super::{Checkpoint, Header, read_header};
use crate::console::{Console, say};
use crate::exit::Error;

const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".h5";
/// The ending of files being written.
const UNFINISHED: &str = ".part";
/// What Open MPI adds to the name of a file, before a number, for one of its own.
const LOCK_TEST: &str = ".locktest.";

/// The iteration in a checkpoint's name: `checkpoint-00000020.h5`, or `checkpoint-00000020-LINEAGE.h5` if another
/// lineage has the plain name.
fn iteration_of(name: &str) -> Option<u64> {
    let middle = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (number, lineage) = middle.split_once('-').unwrap_or((middle, "0"));
    let is_lineage = !lineage.is_empty() && lineage.bytes().all(|byte| byte.is_ascii_hexdigit());
    number.parse().ok().filter(|_| is_lineage)
}

/// The checkpoints in a directory, by iteration, ascending.
pub fn list(directory: &Path) -> std::io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if let Some(iteration) = entry.file_name().to_str().and_then(iteration_of) {
            found.push((iteration, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// The checkpoints of one lineage in the output directory of its run. Rank 0 has it. Dropping it removes what killed
/// runs of the lineage have left unfinished: their last ranks may have ended after this run began.
#[derive(Debug)]
pub struct Folder {
    directory: PathBuf,
    lineage: String,
    /// By iteration.
    own: BTreeMap<u64, PathBuf>,
}

impl Folder {
    /// Lists what is there, and removes the unfinished files of killed runs of the lineage.
    pub fn open(directory: &Path, lineage: &Lineage, console: Console) -> Folder {
        let found = list(directory).unwrap_or_default();
        let is_own = |path: &Path| read_header(path).is_ok_and(|header| header.lineage == lineage.id);
        let (own, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, path)| is_own(path));
        if let Some((_, last)) = others.last() {
            let run = if others.len() == 1 { "another run" } else { "other runs" };
            let (directory, number, last) = (directory.display(), others.len(), last.display());
            say!(
                console,
                "checkpoints  of {run} in {directory}: {number}, the last {last}; they are left alone"
            );
        }
        let left: Vec<String> = sweep(directory, &lineage.id);
        if !left.is_empty() {
            console.warn(format_args!(
                "the output directory has unfinished files that are not this run's to remove, or cannot be removed: {}",
                left.join(", ")
            ));
        }
        Folder { directory: directory.into(), lineage: lineage.id.clone(), own: own.into_iter().collect() }
    }

    /// The path of the checkpoint after this many iterations: never that of another lineage's.
    pub fn path(&self, iteration: u64) -> PathBuf {
        let plain = self.directory.join(format!("{PREFIX}{iteration:08}{SUFFIX}"));
        match self.own.get(&iteration) {
            Some(own) => own.clone(),
            None if std::fs::symlink_metadata(&plain).is_ok() => {
                self.directory.join(format!("{PREFIX}{iteration:08}-{}{SUFFIX}", self.lineage))
            }
            None => plain,
        }
    }

    /// Notes a new checkpoint and removes the lineage's oldest ones, keeping `keep`. A file that cannot be removed
    /// stays: that is no reason to end a run.
    pub fn add(&mut self, iteration: u64, path: PathBuf, keep: u64) {
        self.own.insert(iteration, path);
        let older: Vec<u64> = self.own.range(..iteration).map(|(&at, _)| at).collect();
        let surplus = older.len().saturating_sub(usize::try_from(keep.max(1) - 1).unwrap_or(usize::MAX));
        for at in &older[..surplus] {
            let _ = std::fs::remove_file(&self.own[at]);
            self.own.remove(at);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        sweep(&self.directory, &self.lineage);
    }
}

/// Removes the lineage's unfinished files, `.NAME.LINEAGE-RUN.part`; returns the names of all others.
fn sweep(directory: &Path, lineage: &str) -> Vec<String> {
    let mut others = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(run) = unfinished_by(&name) else { continue };
        if run.split('-').next() != Some(lineage) || std::fs::remove_file(entry.path()).is_err() {
            others.push(name);
        }
    }
    others.sort();
    others
}

/// The run that has not finished a file of this name, if it is one.
fn unfinished_by(name: &str) -> Option<&str> {
    // Open MPI tries locks on a file beside it, and leaves that file where it cannot be removed.
    let name = name.split_once(LOCK_TEST).map_or(name, |(tested, _)| tested);
    name.strip_prefix('.')?.strip_suffix(UNFINISHED)?.rsplit('.').next()
}

/// The checkpoints of a directory whose headers can be read, the same on every rank; warns about each damaged one.
/// Collective.
///
/// # Errors
/// The directory cannot be read, or there is none.
pub fn candidates(comm: &Comm, directory: &Path, console: Console) -> Result<Vec<Candidate>, Error> {
    let read = |path: PathBuf| match read_header(&path) {
        Ok(header) => {
            let written = header.written.unwrap_or_else(|| modified(&path));
            Some((path.to_string_lossy().into_owned(), written, header))
        }
        Err(error) => {
            console.warn(format_args!("skipped: {error}"));
            None
        }
    };
    let found = match comm.is_root() {
        true => list(directory).map(|found| found.into_iter().filter_map(|(_, path)| read(path)).collect()),
        false => Ok(Vec::new()),
    };
    let found: Vec<(String, u64, Header)> = comm.agree(found.map_err(|e| IoError::read(directory, e)))?;
    let found = comm.broadcast(0, comm.is_root().then_some(found));
    let candidate =
        |(path, written, header): (String, u64, Header)| Candidate { path: path.into(), written, header };
    Ok(found.into_iter().map(candidate).collect())
}

/// When a file was last changed.
pub fn modified(path: &Path) -> u64 {
    let time = std::fs::metadata(path).and_then(|found| found.modified());
    timestamp(time.unwrap_or(SystemTime::UNIX_EPOCH))
}

/// The first intact one of these; warns about each before it. Collective.
pub fn first_intact<'a>(
    comm: &Comm,
    candidates: impl IntoIterator<Item = &'a Candidate>,
    console: Console,
) -> Option<(&'a Candidate, Checkpoint)> {
    candidates.into_iter().find_map(|candidate| match Checkpoint::read(comm, &candidate.path) {
        Ok(checkpoint) => Some((candidate, checkpoint)),
        Err(error) => {
            console.warn(format_args!("skipped: {error}"));
            None
        }
    })
}

/// The error of a damaged checkpoint, naming the newest intact one next to it. Collective.
pub fn with_alternative(comm: &Comm, damaged: &Path, error: IoError) -> Error {
    let directory = damaged.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Nobody asked what is wrong with the others.
    let silent = Console::new(false);
    let mut others = candidates(comm, directory, silent).unwrap_or_default();
    others.retain(|other| other.path.file_name() != damaged.file_name());
    others.sort_by_key(|other| std::cmp::Reverse((other.written, other.header.iteration)));
    let remedy = match first_intact(comm, &others, silent) {
        Some((found, _)) => {
            let (path, iteration) = (found.path.display(), found.header.iteration);
            format!("the newest intact one next to it is --restart {path}, after iteration {iteration}")
        }
        None => "there is no other one next to it".into(),
    };
    Error::Argument {
        argument: format!("--restart {}", damaged.display()),
        reason: format!("{error}; {remedy}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(directory: &Path) -> Folder {
        Folder { directory: directory.into(), lineage: "00112233".into(), own: BTreeMap::new() }
    }

    fn names(directory: &Path) -> Vec<String> {
        let names = std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_newest_are_kept_and_nothing_else_is_touched() {
        let place = tempfile::tempdir().unwrap();
        let others = ["checkpoint-00000015.h5", "checkpoint-x.h5", "checkpoint-12.txt", "solution.h5"];
        others.iter().for_each(|name| std::fs::write(place.path().join(name), "").unwrap());
        for (keep, left) in [(9, vec![5, 10, 20, 30]), (2, vec![20, 30]), (0, vec![30])] {
            let mut folder = folder(place.path());
            for iteration in [5, 10, 40, 20, 30] {
                let path = folder.path(iteration);
                std::fs::write(&path, "").unwrap();
                folder.add(iteration, path, keep);
            }
            // One from the lineage's future, as after a restart from an earlier one.
            let expected = left.into_iter().chain([40]).map(|n| format!("checkpoint-{n:08}.h5"));
            let mut expected: Vec<String> = expected.chain(others.map(String::from)).collect();
            expected.sort();
            assert_eq!(names(place.path()), expected, "{keep}");
            for at in folder.own.values() {
                std::fs::remove_file(at).unwrap();
            }
        }
    }

    #[test]
    fn another_lineage_s_checkpoint_of_the_same_iteration_stays() {
        let place = tempfile::tempdir().unwrap();
        let plain = place.path().join("checkpoint-00000007.h5");
        std::fs::write(&plain, "another's").unwrap();
        let mut folder = folder(place.path());
        let path = folder.path(7);
        assert_eq!(path, place.path().join("checkpoint-00000007-00112233.h5"));
        std::fs::write(&path, "own").unwrap();
        folder.add(7, path.clone(), 1);
        assert_eq!(folder.path(7), path, "its own one is replaced");
        folder.add(8, folder.path(8), 1);
        assert_eq!(names(place.path()), ["checkpoint-00000007.h5"], "only its own ones are removed");
    }

    #[test]
    fn iterations_are_read_from_names_of_both_kinds() {
        let place = tempfile::tempdir().unwrap();
        for name in ["5", "123456789", "00000007-00aa", "99999999", "7-", "7-x", "-3", "x"] {
            std::fs::write(place.path().join(format!("checkpoint-{name}.h5")), "").unwrap();
        }
        let order: Vec<u64> = list(place.path()).unwrap().into_iter().map(|(i, _)| i).collect();
        assert_eq!(order, [5, 7, 99_999_999, 123_456_789]);
    }

    #[test]
    fn only_the_lineage_s_own_unfinished_files_are_removed_and_the_others_are_named() {
        let place = tempfile::tempdir().unwrap();
        let own = [".checkpoint-00000020.h5.0011-aa.part", ".solution.h5.0011-bb-2.part.locktest.3"];
        let others = [".checkpoint-00000020.h5.77.part", ".solution.h5.0022-aa.part", ".x.0011-aa.part"];
        for name in others[..2].iter().chain(&own).chain(&["checkpoint-1.part", "solution.h5"]) {
            std::fs::write(place.path().join(name), "").unwrap();
        }
        // It cannot be removed like a file.
        std::fs::create_dir(place.path().join(others[2])).unwrap();
        assert_eq!(sweep(place.path(), "0011"), others);
        let all = [&others[..], &["checkpoint-1.part", "solution.h5"]].concat();
        assert_eq!(names(place.path()), all);
    }

    #[test]
    fn what_a_killed_run_leaves_after_the_next_has_begun_is_removed_at_its_end() {
        let place = tempfile::tempdir().unwrap();
        let folder = folder(place.path());
        std::fs::write(place.path().join(".solution_2.vtu.00112233-aa.part"), "").unwrap();
        drop(folder);
        assert_eq!(names(place.path()), [""; 0]);
    }
}
