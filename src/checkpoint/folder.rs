//! The checkpoints of a run in its output directory: `checkpoint-ITERATION.h5`, the last few kept.

use std::path::{Path, PathBuf};

use cfd_engine::comm::Comm;
use cfd_io::IoError;

use super::Checkpoint;
use crate::exit::Error;

const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".h5";

/// The name of the checkpoint after that many iterations.
pub fn name(iteration: u64) -> String {
    format!("{PREFIX}{iteration:08}{SUFFIX}")
}

/// The checkpoints in a directory, by iteration, ascending.
pub fn list(directory: &Path) -> std::io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|n| n.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok());
        if let Some(iteration) = number {
            found.push((iteration, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// Removes checkpoints older than the one of `iteration`, but for the newest of them, so that `keep` are left. One rank
/// calls it. A file that cannot be removed stays: that is no reason to end a run.
pub fn tidy(directory: &Path, iteration: u64, keep: u64) {
    let mut old = list(directory).unwrap_or_default();
    old.retain(|(at, _)| *at < iteration);
    let surplus = old.len().saturating_sub(usize::try_from(keep.max(1) - 1).unwrap_or(usize::MAX));
    for (_, path) in &old[..surplus] {
        let _ = std::fs::remove_file(path);
    }
    // What killed runs have begun and not finished.
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let unfinished = |n: &str| n.starts_with(&format!(".{PREFIX}")) && n.ends_with(".part");
        if name.to_str().is_some_and(unfinished) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The checkpoint that `--restart` names: a file, or the newest intact one of a directory. Collective.
///
/// # Errors
/// There is none, or it is damaged; then the newest intact one beside it is named.
pub fn find(comm: &Comm, named: &Path) -> Result<(PathBuf, Checkpoint), Error> {
    let is_directory = comm.broadcast(0, comm.is_root().then(|| named.is_dir()));
    if is_directory {
        let candidates = candidates(comm, named, u64::MAX)?;
        let none = || IoError::file(named, "no intact checkpoint-*.h5 in this directory");
        return Ok(newest_intact(comm, candidates).ok_or_else(none)?);
    }
    match Checkpoint::read(comm, named) {
        Ok(checkpoint) => Ok((named.into(), checkpoint)),
        Err(error) => Err(with_alternative(comm, named, error)),
    }
}

/// The error of a damaged checkpoint, naming the newest intact one beside it.
fn with_alternative(comm: &Comm, damaged: &Path, error: IoError) -> Error {
    let directory = damaged.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let own = list_number(damaged).unwrap_or(u64::MAX);
    let others = candidates(comm, directory, own).unwrap_or_default();
    let remedy = match newest_intact(comm, others) {
        Some((path, checkpoint)) => {
            let (path, iteration) = (path.display(), checkpoint.header.iteration);
            format!("the newest intact one beside it is --restart {path}, after iteration {iteration}")
        }
        None => "there is no other one beside it".into(),
    };
    Error::Argument {
        argument: format!("--restart {}", damaged.display()),
        reason: format!("{error}; {remedy}"),
    }
}

fn list_number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok()
}

/// The checkpoints of a directory other than that of one iteration, newest first, the same on every rank. Collective.
fn candidates(comm: &Comm, directory: &Path, but: u64) -> Result<Vec<PathBuf>, IoError> {
    let found = if comm.is_root() {
        list(directory).map_err(|e| IoError::read(directory, e)).map(Some)
    } else {
        Ok(None)
    };
    let found = comm.agree(found)?;
    let found = found.map(|mut found| {
        found.retain(|(iteration, _)| *iteration != but);
        found.into_iter().rev().map(|(_, path)| path.to_string_lossy().into_owned()).collect::<Vec<String>>()
    });
    Ok(comm.broadcast(0, found).into_iter().map(PathBuf::from).collect())
}

fn newest_intact(comm: &Comm, candidates: Vec<PathBuf>) -> Option<(PathBuf, Checkpoint)> {
    candidates.into_iter().find_map(|path| {
        let checkpoint = Checkpoint::read(comm, &path).ok()?;
        Some((path, checkpoint))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_and_nothing_else_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let others = ["checkpoint-x.h5", "checkpoint-12.txt", "solution.h5", ".solution.h5.7.part"];
        let unfinished = folder.path().join(".checkpoint-00000020.h5.77.part");
        std::fs::write(&unfinished, "").unwrap();
        for file in (1..=5).map(|i| name(10 * i)).chain(others.map(String::from)) {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let left = |keep: u64| {
            tidy(folder.path(), 40, keep);
            list(folder.path()).unwrap().into_iter().map(|(iteration, _)| iteration).collect::<Vec<_>>()
        };
        assert_eq!(left(9), [10, 20, 30, 40, 50]);
        assert_eq!(left(3), [20, 30, 40, 50], "a later one is another run's");
        assert_eq!(left(0), [40, 50]);
        assert!(!unfinished.exists());
        assert!(others.iter().all(|file| folder.path().join(file).exists()));
    }

    #[test]
    fn iterations_beyond_eight_digits_are_ordered_by_number() {
        let folder = tempfile::tempdir().unwrap();
        for iteration in [5, 123_456_789, 99_999_999] {
            std::fs::write(folder.path().join(name(iteration)), "").unwrap();
        }
        let order: Vec<u64> = list(folder.path()).unwrap().into_iter().map(|(i, _)| i).collect();
        assert_eq!(order, [5, 99_999_999, 123_456_789]);
    }
}
