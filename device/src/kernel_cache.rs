//! Compiled kernels on disk: by source, architecture, compiler and its options, each with the hash of its code.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::DeviceError;
use super::nvrtc;

/// Bytes of the hash before the code.
const HASH_BYTES: usize = blake3::OUT_LEN;

/// Where compiled kernels are kept, if anywhere.
pub(crate) struct KernelCache {
    directory: Option<PathBuf>,
}

/// The key to code: the same source for another architecture, or from another compiler, is other code.
pub(crate) fn key(text: &str, architecture: u32, (major, minor): (i32, i32)) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("sm_{architecture} NVRTC {major}.{minor}\0").as_bytes());
    for option in nvrtc::OPTIONS {
        hasher.update(option.as_bytes()).update(&[0]);
    }
    hasher.update(text.as_bytes());
    hasher.finalize().to_hex()[..32].to_string()
}

impl KernelCache {
    pub(crate) fn new(directory: Option<&Path>) -> KernelCache {
        KernelCache { directory: directory.map(Path::to_path_buf) }
    }

    /// The stored code or, failing that, what `make` makes, which is then stored.
    ///
    /// Code damaged on disk is made again. A folder that cannot be written to costs the time to compile.
    pub(crate) fn code(
        &self,
        name: &str,
        key: &str,
        make: impl FnOnce() -> Result<Vec<u8>, DeviceError>,
    ) -> Result<Vec<u8>, DeviceError> {
        let Some(directory) = &self.directory else { return make() };
        let file = directory.join(format!("{name}-{key}.cubin"));
        if let Some(code) = std::fs::read(&file).ok().and_then(intact) {
            return Ok(code);
        }
        let code = make()?;
        // A failure here is not the run's failure.
        let _ = keep(directory, &file, &code);
        Ok(code)
    }
}

/// The code in a file, if it is what was written.
fn intact(mut content: Vec<u8>) -> Option<Vec<u8>> {
    let (hash, code) = content.split_at_checked(HASH_BYTES)?;
    if blake3::hash(code).as_bytes().as_slice() != hash {
        return None;
    }
    content.drain(..HASH_BYTES);
    Some(content)
}

/// Writes a file next to its place and renames it: no process reads half of it, and if several ranks write it at the
/// same time, the last one stays.
fn keep(directory: &Path, file: &Path, code: &[u8]) -> std::io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    std::fs::create_dir_all(directory)?;
    // Ranks on other machines may have this process number, and simulated ranks do.
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let (machine, process) = (blake3::hash(machine.as_bytes()).to_hex(), std::process::id());
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let beside = file.with_extension(format!("{}-{process}-{number}.part", &machine[..8]));
    let content = [blake3::hash(code).as_bytes().as_slice(), code].concat();
    let written = std::fs::write(&beside, content).and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        // Half a file on a full disk is useless.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// A folder that is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("cfd-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn files(&self) -> Vec<PathBuf> {
            std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn never() -> Result<Vec<u8>, DeviceError> {
        panic!("kept code is not made again")
    }

    #[test]
    fn code_is_made_once_and_found_by_text_architecture_and_compiler() {
        let folder = Folder::new("kept-code");
        let cache = KernelCache::new(Some(&folder.0));
        let first = key("text", 90, (12, 9));
        assert_eq!(cache.code("update", &first, || Ok(vec![1, 2, 3])).unwrap(), [1, 2, 3]);
        assert_eq!(cache.code("update", &first, never).unwrap(), [1, 2, 3]);
        assert_eq!(KernelCache::new(Some(&folder.0)).code("update", &first, never).unwrap(), [1, 2, 3]);
        for other in [key("texts", 90, (12, 9)), key("text", 75, (12, 9)), key("text", 90, (13, 0))] {
            assert_eq!(cache.code("update", &other, || Ok(vec![4])).unwrap(), [4]);
        }
        assert_eq!(folder.files().len(), 4);
    }

    #[test]
    fn code_that_is_damaged_or_cut_off_on_disk_is_made_again() {
        let folder = Folder::new("damaged-code");
        let cache = KernelCache::new(Some(&folder.0));
        let key = key("text", 90, (12, 9));
        let code: Vec<u8> = (0..100).collect();
        let made = || Ok(code.clone());
        cache.code("update", &key, made).unwrap();
        let [file] = &folder.files()[..] else { panic!("one file") };
        let good = std::fs::read(file).unwrap();
        for at in [0, HASH_BYTES, good.len() - 1] {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(file, &bad).unwrap();
            assert_eq!(cache.code("update", &key, made).unwrap(), code);
            assert_eq!(std::fs::read(file).unwrap(), good, "written anew");
        }
        for length in [0, 5, HASH_BYTES, good.len() - 1] {
            std::fs::write(file, &good[..length]).unwrap();
            assert_eq!(cache.code("update", &key, made).unwrap(), code);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_costs_time_only() {
        let folder = Folder::new("no-folder");
        let file = folder.0.join("file");
        std::fs::write(&file, "").unwrap();
        for place in [file.join("kernels"), file.clone()] {
            let cache = KernelCache::new(Some(&place));
            assert_eq!(cache.code("update", "key", || Ok(vec![7])).unwrap(), [7]);
        }
        assert_eq!(KernelCache::new(None).code("update", "key", || Ok(vec![8])).unwrap(), [8]);
        assert_eq!(folder.files(), [file]);
    }

    #[test]
    fn ranks_that_write_the_same_code_at_once_all_have_it_and_leave_one_file() {
        let folder = Folder::new("code-of-ranks");
        let code: Vec<u8> = (0..=255).cycle().take(1 << 16).collect();
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = KernelCache::new(Some(&folder.0));
                    for number in 0..20 {
                        let make = || {
                            made.fetch_add(1, Ordering::Relaxed);
                            Ok(code.clone())
                        };
                        assert_eq!(cache.code("update", &format!("{number}"), make).unwrap(), code);
                    }
                });
            }
        });
        assert!(made.into_inner() >= 20);
        assert_eq!(folder.files().len(), 20, "no half-written file is left");
    }
}
