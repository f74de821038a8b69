//! Greedy colorings, kept from run to run: one file per coloring.
//!
//! ```text
//! cfd coloring 1               text, a line each
//! name edges-edge_cells        the set, and the maps through which its loops change values
//! mesh blake3:...              hash of the mesh
//! order file                   canonical order
//! rows 1438600                 elements of the set
//! colors                       u32, little-endian, by global id
//! BLAKE3 of all of the above   32 bytes
//! ```
//!
//! A coloring whose file does not match in every respect is recomputed, and the file replaced.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use cfd_engine::given;
use cfd_engine::strategy::coloring::ColorCache;
use cfd_partition::Order;

use crate::console::Console;

/// Bytes of the hash at a file's end.
const HASH_BYTES: usize = 32;
/// No file is longer: it has the colors of one rank, which has at most 2^31 rows.
const MOST_BYTES: u64 = 9 << 30;

/// The colorings of one mesh in one canonical order.
#[derive(Clone, Debug)]
pub struct Colorings {
    directory: PathBuf,
    mesh_hash: String,
    order: Order,
    console: Console,
}

impl Colorings {
    /// Colorings in this directory, which is created when the first one is stored.
    pub fn new(directory: &Path, mesh_hash: &str, order: Order, console: Console) -> Colorings {
        Colorings { directory: directory.into(), mesh_hash: mesh_hash.into(), order, console }
    }

    /// The file of a coloring; names of sets may contain characters that file names may not.
    fn path(&self, name: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '.' };
        self.directory.join(format!("{}.coloring", name.chars().map(plain).collect::<String>()))
    }

    fn header(&self, name: &str, rows: usize) -> String {
        let Colorings { mesh_hash, order, .. } = self;
        format!("cfd coloring 1\nname {name}\nmesh {mesh_hash}\norder {order}\nrows {rows}\n")
    }

    fn encode(&self, name: &str, colors: &[u32]) -> Vec<u8> {
        let mut bytes = self.header(name, colors.len()).into_bytes();
        bytes.extend(colors.iter().flat_map(|color| color.to_le_bytes()));
        let hash = blake3::hash(&bytes);
        bytes.extend(hash.as_bytes());
        bytes
    }

    /// The colors in a file's bytes, or what is wrong with the file.
    fn decode(&self, name: &str, bytes: &[u8]) -> Result<Vec<u32>, &'static str> {
        let damaged = "this is not a coloring, or it is damaged";
        let end = bytes.len().checked_sub(HASH_BYTES).ok_or(damaged)?;
        let (content, hash) = bytes.split_at(end);
        if blake3::hash(content).as_bytes() != hash {
            return Err(damaged);
        }
        let lines: usize = content.split_inclusive(|&byte| byte == b'\n').take(5).map(<[u8]>::len).sum();
        let (header, colors) = content.split_at(lines);
        let (colors, rest) = colors.as_chunks::<4>();
        if !rest.is_empty() || header != self.header(name, colors.len()).as_bytes() {
            return Err("this coloring is for another mesh, set or order");
        }
        Ok(colors.iter().map(|&color| u32::from_le_bytes(color)).collect())
    }
}

impl ColorCache for Colorings {
    fn load(&self, name: &str) -> Option<Vec<u32>> {
        let path = self.path(name);
        let again = |reason: &dyn std::fmt::Display| {
            self.console.warn(format_args!("{}: {reason}; recomputing the colors", path.display()));
        };
        match given::read(&path, "a coloring", MOST_BYTES) {
            Ok(bytes) => self.decode(name, &bytes).inspect_err(|reason| again(reason)).ok(),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                again(&error);
                None
            }
        }
    }

    fn store(&self, name: &str, colors: &[u32]) {
        let path = self.path(name);
        // If the directory cannot be created, writing the file fails.
        let _ = std::fs::create_dir_all(&self.directory);
        let written = cfd_io::write_atomically(&path, |file| file.write_all(&self.encode(name, colors)));
        if let Err(error) = written {
            self.console.warn(format_args!("{error}; the coloring is not kept for the next run"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "level0/edges-level0/edge_nodes";

    fn of(directory: &Path, mesh: &str, order: Order) -> Colorings {
        Colorings::new(directory, mesh, order, Console::new(false))
    }

    #[test]
    fn a_coloring_is_kept_for_its_mesh_order_and_maps_alone() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("a/b");
        let own = of(&directory, "blake3:1", Order::File);
        assert_eq!(own.load(NAME), None);
        let colors = vec![0, 3, u32::MAX, 10, 13];
        own.store(NAME, &colors);
        assert_eq!(own.load(NAME), Some(colors));
        assert_eq!(own.load("edges-edge_nodes"), None);
        assert_eq!(own.load("level0/edges-level0.edge_nodes"), None, "another name with the same file");
        assert_eq!(of(&directory, "blake3:2", Order::File).load(NAME), None);
        assert_eq!(of(&directory, "blake3:1", Order::Hilbert).load(NAME), None);
        let files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(files, ["level0.edges-level0.edge_nodes.coloring"]);
    }

    #[test]
    fn an_unsound_file_is_not_used_whatever_is_wrong_with_it_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let own = of(folder.path(), "blake3:1", Order::File);
        own.store(NAME, &[1, 2, 3]);
        let path = own.path(NAME);
        let good = std::fs::read(&path).unwrap();
        for length in 0..good.len() {
            std::fs::write(&path, &good[..length]).unwrap();
            assert_eq!(own.load(NAME), None, "the first {length} bytes");
        }
        for at in 0..good.len() {
            let mut flipped = good.clone();
            flipped[at] ^= 1;
            std::fs::write(&path, &flipped).unwrap();
            assert_eq!(own.load(NAME), None, "byte {at}");
        }
        std::fs::write(&path, [&good[..], b"\0"].concat()).unwrap();
        assert_eq!(own.load(NAME), None);
        own.store(NAME, &[4, 5]);
        assert_eq!(own.load(NAME), Some(vec![4, 5]));
    }

    #[test]
    fn colors_that_cannot_be_kept_are_no_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let own = of(&folder.path().join("file"), "blake3:1", Order::File);
        own.store(NAME, &[1]);
        assert_eq!(own.load(NAME), None);
    }
}
