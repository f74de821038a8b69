//! HDF5 files of any bytes. The HDF5 library is written in C and may crash on them, so the program opens them in a
//! process of its own, which must end by itself, say no more than an error, and get along with little memory.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cfd_engine::comm::Comm;
use cfd_io::Field;
use cfd_io::format::{HDF5, MGCFD, OP2_HDF5};
use cfd_mesh::{BILINEAR, CELL_EDGES, DUAL_LEVELS};

use super::meshes;

/// What the process may map, in bytes.
const MEMORY: u64 = 1 << 30;
/// How long it may take; a hundredth is enough on an idle machine.
const TIME: Duration = Duration::from_secs(30);

/// Opens the input with the program `cfd`.
///
/// Its first byte chooses a good file or none, the rest are changes of it, or the file itself.
pub fn check(program: &Path, folder: &Path, data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let path = folder.join("bytes.h5");
    let kind = choice % 6;
    let base = base(folder, kind);
    std::fs::write(&path, if kind == 0 { rest.to_vec() } else { changed(base, rest) })
        .expect("a folder for files");
    let path = path.to_str().expect("temporary folders have plain names");
    let args: &[&str] = if kind == 5 { &["compare", path, path] } else { &["mesh", "info", path] };
    end_by_itself(program, args);
}

/// A good file; its bytes are the same on every machine.
fn base(folder: &Path, kind: u8) -> Vec<u8> {
    let path = folder.join(format!("base{kind}.h5"));
    if !path.exists() {
        match kind {
            0 => return Vec::new(),
            1 => meshes::write_small(&CELL_EDGES, &HDF5, &path),
            2 => meshes::write_small(&BILINEAR, &OP2_HDF5, &path),
            3 => meshes::write_small(&DUAL_LEVELS, &HDF5, &path),
            4 => {
                meshes::write_small(&DUAL_LEVELS, &MGCFD, &folder.join("base4.dat"));
                std::fs::rename(folder.join("base4.level1.h5"), &path).expect("a file just written");
            }
            _ => {
                let field = Field { name: "q".into(), dim: 4, rows: 6, block: vec![0.5; 24].into() };
                let attributes = [("case".to_string(), "airfoil".to_string())];
                cfd_io::write_solution(&Comm::single(), &path, &attributes, &[field])
                    .expect("a folder for files");
            }
        }
    }
    std::fs::read(&path).expect("a file just written")
}

/// The file with changes of four bytes each: two say where, one how, one what.
fn changed(mut file: Vec<u8>, changes: &[u8]) -> Vec<u8> {
    for change in changes.chunks_exact(4) {
        if file.is_empty() {
            break;
        }
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len();
        let value = change[3];
        match change[2] % 8 {
            0..=3 => file[at] = value,
            4 => file[at] ^= 1 << (value % 8),
            // A length or an offset of eight bytes: none, all, or a power of two.
            5 | 6 => {
                let word = match value {
                    0 => 0,
                    255 => u64::MAX,
                    _ => 1 << (value % 64),
                };
                file.iter_mut().skip(at).zip(word.to_le_bytes()).for_each(|(byte, new)| *byte = new);
            }
            _ => file.truncate(at + 1),
        }
    }
    file
}

fn end_by_itself(program: &Path, args: &[&str]) {
    let mut child = Command::new("prlimit")
        .args([&format!("--as={MEMORY}"), "--core=0"])
        .arg(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("prlimit, of util-linux");
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child of this process") {
            break status;
        }
        if begin.elapsed() > TIME {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it hangs: {args:?}");
        }
        std::thread::sleep(Duration::from_micros(500));
    };
    let mut stderr = Vec::new();
    child.stderr.take().expect("a pipe").read_to_end(&mut stderr).expect("a pipe");
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(!stderr.contains("panicked") && !stderr.contains("internal error"), "{stderr}");
    assert!(!stderr.contains("memory allocation of"), "{stderr}");
    match status.code() {
        Some(0) => {}
        Some(code) => {
            assert!([1, 2, 4].contains(&code), "exit code {code}: {stderr}");
            assert_eq!(stderr.lines().filter(|line| line.starts_with("error:")).count(), 1, "{stderr}");
        }
        // A crash of the library, which is known to have such faults; nothing of ours was involved.
        None => assert_eq!(status.signal(), Some(SIGSEGV), "{status}: {stderr}"),
    }
}

/// The signal of an access to memory that is not there.
const SIGSEGV: i32 = 11;
