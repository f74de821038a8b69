//! Texts of variable length are in heaps of the file.
//!
//! A heap, which the format calls a global heap collection, has no checksum, and the HDF5 library believes the sizes in
//! it: it loops over objects without any, and writes beyond its memory those that are too large. So whoever reads such a
//! text checks all heaps of the file first.
//!
//! ```text
//! heap      "GCOL", version 1, 3 bytes, size of the heap (8 bytes); objects
//! object    number (2 bytes), 6 bytes, size (8 bytes); the bytes, filled up to a multiple of 8
//! number 0  what is left of the heap: its size counts these 16 bytes
//! ```

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

const SIGNATURE: &[u8; 8] = b"GCOL\x01\0\0\0";
/// Bytes before the first object, and before an object's own.
const HEAD: u64 = 16;
/// Bytes searched at once.
const PIECE: usize = 1 << 20;
/// Larger heaps are no library's.
const LARGEST: u64 = 1 << 32;

/// Whether every heap of a file is one.
pub(super) fn are_sound(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut begin = 0;
    let mut piece = Vec::with_capacity(PIECE);
    while begin < length {
        file.seek(SeekFrom::Start(begin))?;
        piece.clear();
        file.by_ref().take(PIECE as u64).read_to_end(&mut piece)?;
        for at in
            (0..piece.len()).filter(|&at| piece[at] == SIGNATURE[0] && piece[at..].starts_with(SIGNATURE))
        {
            if !is_sound(&mut file, begin + at as u64, length)? {
                return Ok(false);
            }
        }
        if piece.len() < SIGNATURE.len() {
            break;
        }
        // A signature may go on in the next piece.
        begin += (piece.len() - SIGNATURE.len() + 1) as u64;
    }
    Ok(true)
}

/// Whether the heap at `begin` consists of objects.
fn is_sound(file: &mut File, begin: u64, length: u64) -> io::Result<bool> {
    let mut head = [0; HEAD as usize];
    let mut head_at = |at: u64| -> io::Result<(u64, u64)> {
        file.seek(SeekFrom::Start(begin + at))?;
        file.read_exact(&mut head)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        Ok((number(&head[..2]), number(&head[8..])))
    };
    if length - begin < HEAD {
        return Ok(false);
    }
    let (_, size) = head_at(0)?;
    if size > LARGEST || size > length - begin {
        return Ok(false);
    }
    let mut at = HEAD;
    // What is shorter than an object's head is left over.
    while at + HEAD <= size {
        let (number, bytes) = head_at(at)?;
        let takes = match number {
            _ if bytes > size => return Ok(false),
            0 => bytes,
            _ => HEAD + bytes.next_multiple_of(8),
        };
        if takes < HEAD || takes > size - at {
            return Ok(false);
        }
        at += takes;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use hdf5::types::VarLenUnicode;

    use super::*;
    use crate::hdf5_file::Hdf5File;

    /// Whether a file of this content has sound heaps.
    fn sound(content: &[u8]) -> bool {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        are_sound(file.path()).unwrap()
    }

    /// A heap of 128 bytes with an object of 13 bytes, at the end of `before` other bytes.
    fn heap(before: usize, number: u16, size: u64) -> Vec<u8> {
        let mut bytes = vec![b'G'; before];
        bytes.extend(SIGNATURE);
        bytes.extend(128u64.to_le_bytes());
        bytes.extend(number.to_le_bytes().into_iter().chain([0; 6]));
        bytes.extend(size.to_le_bytes());
        bytes.extend([7; 16]);
        bytes.extend([0; 8]);
        bytes.extend(80u64.to_le_bytes());
        bytes.resize(before + 128, 0);
        bytes
    }

    #[test]
    fn a_heap_is_found_wherever_it_begins() {
        for before in [0, 1, 5, PIECE - 9, PIECE - 8, PIECE - 7, PIECE - 1, PIECE, 2 * PIECE - 11] {
            assert!(sound(&heap(before, 1, 13)), "{before}");
            assert!(!sound(&heap(before, 0, 0)), "{before}");
        }
        assert!(sound(b"") && sound(b"GCOL") && sound(&[b'G'; 100]));
    }

    #[test]
    fn objects_of_any_other_size_are_no_heap() {
        for size in 9..=16 {
            assert!(sound(&heap(0, 1, size)), "the same room");
        }
        for size in [0, 8, 17, 13 + 64, 128, 1 << 20, u64::MAX, u64::MAX - 7, 1 << 63] {
            assert!(!sound(&heap(0, 1, size)), "{size}");
        }
        let mut longer = heap(0, 1, 13);
        longer[9] = 1;
        assert!(!sound(&longer), "it ends after the file");
        assert!(!sound(&heap(0, 1, 13)[..20]) && !sound(&heap(0, 1, 13)[..12]));
    }

    #[test]
    fn a_text_of_a_heap_over_which_the_library_would_loop_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        let file = hdf5::File::create(&path).unwrap();
        let text: VarLenUnicode = "airfoil".parse().unwrap();
        file.new_attr::<VarLenUnicode>().shape(()).create("case").unwrap().write_scalar(&text).unwrap();
        drop(file);
        let read = || Hdf5File::open(&path).unwrap().text_attribute("case");
        assert_eq!(read().unwrap().as_deref(), Some("airfoil"));
        let good = std::fs::read(&path).unwrap();
        let heap = good.windows(8).position(|bytes| bytes == SIGNATURE).expect("the text is in a heap");
        // The number and the size of the first object, and the size of the rest.
        for damage in [vec![(16, 1), (24, 7)], vec![(40 + 9, 0x0f)], vec![(40 + 8, 0x10)], vec![(31, 0x80)]] {
            let mut bytes = good.clone();
            damage.iter().for_each(|(at, bits)| bytes[heap + at] ^= bits);
            std::fs::write(&path, bytes).unwrap();
            let message = read().unwrap_err().to_string();
            assert!(
                message.ends_with(
                    "a.h5: `case`: the attribute cannot be read: the texts of the file are damaged"
                )
            );
        }
    }
}
