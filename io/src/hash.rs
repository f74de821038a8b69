//! Hashes of fields, solutions and meshes: BLAKE3 over little-endian bytes in global order.
//!
//! They are the same for any number of ranks and any file format; `docs/result-formats.md` says how to recompute them.
//! No rank holds more than a few MiB of other ranks' rows: the blocks stream through rank 0.

use std::fmt;
use std::str::FromStr;

use cfd_engine::comm::Comm;
use cfd_engine::given::short;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_mesh::Given;
use serde::{Deserialize, Serialize};

use crate::IoError;
use crate::field::block_of;
use crate::stream::to_root;

/// A BLAKE3 hash; printed and stored as `blake3:` and 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest(pub [u8; 32]);

const PREFIX: &str = "blake3:";

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Digest, String> {
        text.parse()
    }
}

impl FromStr for Digest {
    type Err = String;

    /// Reads `blake3:` and 64 hexadecimal digits.
    fn from_str(text: &str) -> Result<Digest, String> {
        text.strip_prefix(PREFIX)
            .and_then(|hex| blake3::Hash::from_hex(hex).ok())
            .map(|hash| Digest(*hash.as_bytes()))
            .ok_or_else(|| {
                format!("\"{}\" is not a hash; a hash is \"blake3:\" and 64 hexadecimal digits", short(text))
            })
    }
}

/// The hash of a field: BLAKE3 over its name, a zero byte, rows and dimension (u64, little-endian), then its values' IEEE
/// bits (little-endian) row by row in global order. -0 and 0 differ.
///
/// `block` is this rank's block of rows. Collective.
///
/// # Errors
/// [`IoError::NotFinite`] for the first NaN or infinity: a broken solution has no hash.
pub fn field_hash(comm: &Comm, name: &str, dim: usize, rows: u64, block: &[f64]) -> Result<Digest, IoError> {
    let start = Blocks::new(rows, comm.size()).range(comm.rank()).start;
    let finite = match block.iter().position(|v| !v.is_finite()) {
        Some(at) => Err(IoError::NotFinite {
            field: name.into(),
            row: start + (at / dim) as u64,
            component: (at % dim) as u64,
            value: block[at].to_string(),
        }),
        None => Ok(()),
    };
    comm.agree(finite)?;
    let mut hasher = Hasher::default();
    hasher.header(name, &[rows, dim as u64]);
    hasher.rows(comm, rows, dim, block, f64::to_le_bytes);
    Ok(hasher.finish(comm))
}

/// The hash of any dat, including NaN and infinities: like [`field_hash`], with integers as i64.
///
/// `words` are the bits of the rows `global_ids`, which this rank owns, in any order. Collective.
///
/// # Panics
/// If the ranks together do not own every row exactly once.
pub fn bits_hash(
    comm: &Comm,
    name: &str,
    dim: usize,
    rows: u64,
    global_ids: &[u64],
    words: &[u64],
) -> Digest {
    let block = block_of(comm, name, dim, rows, global_ids, words);
    let mut hasher = Hasher::default();
    hasher.header(name, &[rows, dim as u64]);
    hasher.rows(comm, rows, dim, &block, u64::to_le_bytes);
    hasher.finish(comm)
}

/// The hash of a solution: BLAKE3 over the 32 bytes of each of its fields' hashes, in order.
pub fn solution_hash(fields: &[Digest]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for field in fields {
        hasher.update(&field.0);
    }
    Digest(*hasher.finalize().as_bytes())
}

/// The hash of a mesh: BLAKE3 over its sets, maps and dats in order, each beginning with its name and a zero byte.
///
/// * set: rows (u64);
/// * map: rows and arity (u64), then the targets (i64) row by row;
/// * dat: rows and dimension (u64), then the values row by row, numbers as f64, integers as i64.
///
/// All little-endian. Two files of the same mesh have the same hash, whatever their format and integer widths.
/// Collective.
pub fn mesh_hash(comm: &Comm, mesh: &Mesh) -> Digest {
    let mut hasher = Hasher::default();
    for set in &mesh.sets {
        hasher.header(&set.name, &[set.rows]);
    }
    for map in &mesh.maps {
        let rows = mesh.sets[map.from].rows;
        hasher.header(&map.name, &[rows, map.arity as u64]);
        // A row number has the same bytes as u64 and as i64.
        hasher.rows(comm, rows, map.arity, &map.rows, u64::to_le_bytes);
    }
    for dat in &mesh.dats {
        let rows = mesh.sets[dat.set].rows;
        hasher.header(&dat.name, &[rows, dat.dim as u64]);
        match &dat.values {
            Values::F64(v) => hasher.rows(comm, rows, dat.dim, v, f64::to_le_bytes),
            Values::I32(v) => hasher.rows(comm, rows, dat.dim, v, |v| i64::from(v).to_le_bytes()),
        }
    }
    hasher.finish(comm)
}

/// The hash of a mesh as it is given: of its sets, maps and dats; for a mesh of elements, then of each group's dimension and
/// number (u64) and its names, each followed by a zero byte. The same for any file format. Collective.
pub fn given_hash(comm: &Comm, given: &Given) -> Digest {
    let Given::Elements(elements) = given else { return mesh_hash(comm, given.content()) };
    let mut hasher = blake3::Hasher::new();
    hasher.update(&mesh_hash(comm, &elements.mesh).0);
    for group in elements.groups.iter() {
        hasher.update(&(group.dimension as u64).to_le_bytes());
        hasher.update(&(group.id as i64).to_le_bytes());
        hasher.update(group.name.as_bytes());
        hasher.update(&[0]);
    }
    Digest(*hasher.finalize().as_bytes())
}

/// A hasher fed on rank 0.
#[derive(Default)]
struct Hasher(blake3::Hasher);

impl Hasher {
    fn header(&mut self, name: &str, sizes: &[u64]) {
        self.0.update(name.as_bytes());
        self.0.update(&[0]);
        for size in sizes {
            self.0.update(&size.to_le_bytes());
        }
    }

    fn rows<T: bytemuck::Pod>(
        &mut self,
        comm: &Comm,
        rows: u64,
        dim: usize,
        block: &[T],
        bytes: impl Fn(T) -> [u8; 8],
    ) {
        let mut buffer = Vec::new();
        to_root(comm, rows, dim, block, |part| {
            if cfg!(target_endian = "little") && size_of::<T>() == 8 {
                // In memory they have the same bytes as in the hash.
                self.0.update(bytemuck::cast_slice(part));
                return;
            }
            buffer.clear();
            buffer.extend(part.iter().flat_map(|&v| bytes(v)));
            self.0.update(&buffer);
        });
    }

    fn finish(self, comm: &Comm) -> Digest {
        let own = comm.is_root().then(|| self.0.finalize().as_bytes().to_vec());
        let bytes: Vec<u8> = comm.broadcast(0, own);
        Digest(bytes.try_into().expect("a BLAKE3 hash has 32 bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_of(comm: &Comm, all: &[f64], dim: usize) -> Vec<f64> {
        let own = Blocks::new((all.len() / dim) as u64, comm.size()).range(comm.rank());
        all[own.start as usize * dim..own.end as usize * dim].to_vec()
    }

    #[test]
    fn a_field_hash_is_blake3_over_the_documented_bytes_on_any_ranks() {
        let all: Vec<f64> = (0..28).map(|k| (k as f64).sqrt()).collect();
        let mut bytes = b"q\0".to_vec();
        bytes.extend(7u64.to_le_bytes());
        bytes.extend(4u64.to_le_bytes());
        bytes.extend(all.iter().flat_map(|v| v.to_bits().to_le_bytes()));
        let expected = format!("blake3:{}", blake3::hash(&bytes).to_hex());
        for ranks in [1, 2, 5, 9] {
            for hash in
                Comm::simulate(ranks, |comm| field_hash(&comm, "q", 4, 7, &block_of(&comm, &all, 4)).unwrap())
            {
                assert_eq!(hash.to_string(), expected, "{ranks} ranks");
            }
        }
    }

    #[test]
    fn a_hash_of_bits_is_that_of_the_field_whoever_owns_the_rows_and_also_of_no_number() {
        let all = [1.5, -0.0, 3.25, 4.0, f64::MIN_POSITIVE];
        let field = field_hash(&Comm::single(), "q", 1, 5, &all).unwrap();
        for ranks in [1, 2, 3] {
            let hash = |all: [f64; 5]| {
                Comm::simulate(ranks, |comm| {
                    let own: Vec<u64> =
                        (0..5).rev().filter(|id| id % ranks as u64 == comm.rank() as u64).collect();
                    let words: Vec<u64> = own.iter().map(|&id| all[id as usize].to_bits()).collect();
                    bits_hash(&comm, "q", 1, 5, &own, &words)
                })
            };
            assert_eq!(hash(all), vec![field; ranks]);
            assert_ne!(hash([1.5, f64::NAN, 3.25, 4.0, f64::MIN_POSITIVE])[0], field);
        }
    }

    #[test]
    fn a_solution_hash_is_blake3_over_its_fields_hashes() {
        let fields = [Digest([1; 32]), Digest([2; 32])];
        let expected = blake3::hash(&[[1; 32], [2; 32]].concat());
        assert_eq!(solution_hash(&fields).0, *expected.as_bytes());
    }

    #[test]
    fn minus_zero_differs_and_not_a_number_is_refused_by_row() {
        let comm = Comm::single();
        let hash = |v: f64| field_hash(&comm, "q", 2, 2, &[1.0, 2.0, 3.0, v]);
        assert_ne!(hash(0.0).unwrap(), hash(-0.0).unwrap());
        for bad in [f64::NAN, f64::INFINITY] {
            let message = hash(bad).unwrap_err().to_string();
            assert!(message.starts_with("field `q`, row 1, component 1: "), "{message}");
        }
        let results = Comm::simulate(3, |comm| {
            field_hash(&comm, "q", 1, 3, &[if comm.rank() == 2 { f64::NAN } else { 0.0 }])
        });
        assert!(results.iter().all(|r| r.as_ref().unwrap_err().to_string().contains("row 2")));
    }

    #[test]
    fn a_mesh_hash_covers_every_part_and_not_the_ranks() {
        let hash = |ranks, change: fn(&mut Mesh)| {
            Comm::simulate(ranks, |comm| {
                let mut mesh = cfd_mesh::generate::block(&comm, 3, 2).unwrap();
                if comm.rank() == 0 {
                    change(&mut mesh);
                }
                mesh_hash(&comm, &mesh)
            })[0]
        };
        let plain = hash(1, |_| ());
        for ranks in [2, 5, 30] {
            assert_eq!(hash(ranks, |_| ()), plain);
        }
        assert_ne!(hash(1, |m| m.maps[4].rows[0] = 1), plain);
        assert_ne!(hash(1, |m| m.dats[1].name = "flag".into()), plain);
        assert_ne!(
            hash(1, |m| {
                let Values::I32(bound) = &mut m.dats[1].values else { panic!("bound is i32") };
                bound[0] = 1;
            }),
            plain
        );
    }

    #[test]
    fn digests_are_read_back_and_garbage_is_refused() {
        let digest = solution_hash(&[]);
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for bad in ["", "blake3:", "blake3:12", "sha256:00"] {
            assert!(bad.parse::<Digest>().unwrap_err().contains("64 hexadecimal digits"));
        }
    }
}
