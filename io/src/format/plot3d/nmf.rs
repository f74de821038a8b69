//! NASA's neutral map file (`.nmf`): what the sides of blocks are, in patches.
//!
//! ```text
//! # a comment
//! 1                                           blocks
//! 1 2 177 81                                  each: its number, nodes in directions i, j, k
//! 'viscous_solid' 1 1  1 2  49 129            type, block, face, first and last node in both directions along the face
//! 'one-to-one' 1 1  1 2  1 49  1 1  1 2  177 129 F    what it joins: likewise, and whether directions are swapped
//! ```
//!
//! Faces 1 and 2 are the first and the last in direction k, with directions i and j along them; 3 and 4 in i, with j and
//! k; 5 and 6 in j, with k and i. For blocks in the plane, the file describes one layer of cells in space; the direction with
//! two nodes is left out. Lines may end with a backslash.

use std::path::Path;

use cfd_engine::given;

use super::blocks::Grid;
use crate::IoError;
use crate::listed::short;

/// The most bytes of a file.
const MOST_BYTES: u64 = 1 << 26;

/// A part of a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Patch {
    /// Its line in the file.
    pub(super) line: u64,
    /// Its name; `None` if it joins another.
    pub(super) name: Option<String>,
    pub(super) block: usize,
    pub(super) direction: usize,
    pub(super) last: bool,
    /// First and last cell in each direction.
    pub(super) cells: [[u64; 2]; 3],
}

/// Direction across and directions along the faces 1 and 2, 3 and 4, 5 and 6.
const FACES: [(usize, [usize; 2]); 3] = [(2, [0, 1]), (0, [1, 2]), (1, [2, 0])];

/// Reads the file beside a mesh, if there is one. Not collective.
///
/// # Errors
/// The file is not as above, or does not describe the blocks of the mesh.
pub(super) fn read(path: &Path, grid: &Grid) -> Result<Option<Vec<Patch>>, IoError> {
    if !path.exists() {
        return Ok(None);
    }
    let text = given::read(path, "a neutral map file", MOST_BYTES).map_err(|e| IoError::read(path, e))?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = (1..).zip(text.lines()).map(|(line, text)| Line { path, line, words: words(text) });
    let mut next = |what: &str| {
        let line = lines.find(|line| !line.words.is_empty());
        line.ok_or_else(|| IoError::file(path, format!("the file ends before {what}")))
    };
    let blocks = next("the number of blocks")?;
    if blocks.numbers("the number of blocks")? != [grid.blocks.len() as u64] {
        let found = grid.blocks.len();
        return Err(blocks.error(format!("{:?} blocks; the mesh has {found}", blocks.words)));
    }
    let mut left_out = None;
    for (k, block) in grid.blocks.iter().enumerate() {
        let what = "a block: number, nodes in directions i, j and k";
        let line = next(what)?;
        let numbers = line.numbers(what)?;
        let [number, sizes @ ..] = &numbers[..] else { return Err(line.error(format!("expected {what}"))) };
        let fits = |out: usize| {
            let rest: Vec<u64> = (0..3).filter(|axis| *axis != out).map(|axis| sizes[axis]).collect();
            grid.dimension == 3 && out == 3
                || grid.dimension == 2 && sizes[out] <= 2 && rest == block.nodes[..2]
        };
        let whole = if grid.dimension == 3 { sizes == block.nodes } else { true };
        let candidates: &[usize] = if grid.dimension == 3 { &[3] } else { &[0, 1, 2] };
        let out =
            (sizes.len() == 3 && whole).then(|| candidates.iter().copied().find(|out| fits(*out))).flatten();
        if *number != k as u64 + 1 || out.is_none() || left_out.is_some() && left_out != out {
            let nodes = &block.nodes[..grid.dimension];
            return Err(line.error(format!(
                "block {number} with {sizes:?} nodes; block {} of the mesh has {nodes:?}",
                k + 1
            )));
        }
        left_out = out;
    }
    let mut patches = Vec::new();
    for line in lines.filter(|line| !line.words.is_empty()) {
        patches.extend(line.patch(grid, left_out)?);
    }
    Ok(Some(patches))
}

/// The words of a line without its comment; a name in quotes is one.
fn words(text: &str) -> Vec<String> {
    let text = text.split('#').next().unwrap_or_default().trim().trim_end_matches('\\').trim();
    let mut words = Vec::new();
    for (k, part) in text.split('\'').enumerate() {
        match k % 2 {
            1 => words.push(part.trim().to_string()),
            _ => words.extend(part.split_ascii_whitespace().map(String::from)),
        }
    }
    words
}

struct Line<'a> {
    path: &'a Path,
    line: u64,
    words: Vec<String>,
}

impl Line<'_> {
    fn error(&self, what: String) -> IoError {
        IoError::Row { place: format!("{}:{}", self.path.display(), self.line), what }
    }

    fn numbers(&self, what: &str) -> Result<Vec<u64>, IoError> {
        self.words.iter().map(|word| self.number(word, what)).collect()
    }

    fn number(&self, word: &str, what: &str) -> Result<u64, IoError> {
        word.parse().map_err(|_| self.error(format!("\"{}\" is not a number; expected {what}", short(word))))
    }

    /// A patch; `None` if it lies across the direction that is left out.
    fn patch(&self, grid: &Grid, left_out: Option<usize>) -> Result<Option<Patch>, IoError> {
        let what = "a patch: type, block, face, first and last node in both directions along the face";
        let [name, block, face, a, b, c, d, ..] = &self.words[..] else {
            return Err(self.error(format!("too few words; expected {what}")));
        };
        let block = self.number(block, what)?;
        let face = self.number(face, what)?;
        let ends = [[a, b], [c, d]];
        if !(1..=grid.blocks.len() as u64).contains(&block) || !(1..=6).contains(&face) {
            let what = format!(
                "block {block}, face {face}; expected blocks 1 to {} and faces 1 to 6",
                grid.blocks.len()
            );
            return Err(self.error(what));
        }
        let (direction, along) = FACES[(face as usize - 1) / 2];
        let block = block as usize - 1;
        // A direction among those that the mesh has.
        let kept = |direction: usize| match left_out {
            Some(out) if direction == out => None,
            Some(out) if direction > out => Some(direction - 1),
            _ => Some(direction),
        };
        let mut cells = grid.blocks[block].cells().map(|cells| [0, cells - 1]);
        for (along, words) in along.into_iter().zip(ends) {
            let [one, other] = [self.number(words[0], what)?, self.number(words[1], what)?];
            let [first, last] = [one.min(other), one.max(other)];
            let Some(along) = kept(along) else { continue };
            let nodes = grid.blocks[block].nodes[along];
            if first == last || first == 0 || last > nodes {
                let what = format!(
                    "nodes {first} to {last} of a face with {nodes} in this direction; expected two or more of them"
                );
                return Err(self.error(what));
            }
            cells[along] = [first - 1, last - 2];
        }
        let plain: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        let name = (!plain.starts_with("onetoone")).then(|| name.clone());
        let last = face % 2 == 0;
        let line = self.line;
        Ok(kept(direction).map(|direction| Patch { line, name, block, direction, last, cells }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::blocks::Block;
    use super::*;

    fn grid(dimension: usize, nodes: [u64; 3]) -> Grid {
        Grid { dimension, blocks: vec![Block { first: 0, nodes }] }
    }

    fn patches(text: &str, grid: &Grid) -> Result<Option<Vec<Patch>>, IoError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nmf");
        std::fs::write(&path, text).unwrap();
        read(&path, grid)
    }

    #[test]
    fn patches_of_one_layer_of_cells_are_those_of_a_plane_block() {
        let text = "# blocks \\\n 1 \\\n \\\n 1 2 5 3 \\\n'side' 1 3 1 5 1 3 \\\n'in flow' 1 5 1 3 1 2\\\n\
                    wall 1 1 2 1 5 3\n'One-To-One' 1 1 1 2 1 3 1 1 1 2 1 3 F";
        let found = patches(text, &grid(2, [5, 3, 1])).unwrap().unwrap();
        let patch = |line, name: Option<&str>, direction, cells| Patch {
            line,
            name: name.map(String::from),
            block: 0,
            direction,
            last: false,
            cells,
        };
        assert_eq!(
            found,
            [
                patch(6, Some("in flow"), 0, [[0, 3], [0, 1], [0, 0]]),
                patch(7, Some("wall"), 1, [[2, 3], [0, 1], [0, 0]]),
                patch(8, None, 1, [[0, 1], [0, 1], [0, 0]]),
            ]
        );
    }

    #[test]
    fn files_that_do_not_fit_the_mesh_are_refused_with_their_line() {
        let message = |text: &str| patches(text, &grid(3, [4, 5, 3])).unwrap_err().to_string();
        for (text, words) in [
            ("", "the file ends before the number of blocks"),
            ("2\n", "a.nmf:1: [\"2\"] blocks; the mesh has 1"),
            ("1\n1 4 5 4\n", "a.nmf:2: block 1 with [4, 5, 4] nodes; block 1 of the mesh has [4, 5, 3]"),
            ("1\n1 4 5 3\nwall 1 7 1 4 1 5", "a.nmf:3: block 1, face 7"),
            ("1\n1 4 5 3\nwall 1 1 1 4 1 6", "nodes 1 to 6 of a face with 5 in this direction"),
            ("1\n1 4 5 3\nwall 1 1 2 2 1 5", "nodes 2 to 2 of"),
            ("1\n1 4 5 3\nwall 1 1 1 4", "too few words"),
        ] {
            let message = message(text);
            assert!(message.contains(words), "{message}");
        }
        let found = patches("1\n1 4 5 3\nwall 1 6 3 1 2 4", &grid(3, [4, 5, 3])).unwrap().unwrap();
        assert_eq!((found[0].direction, found[0].last, found[0].cells), (1, true, [[1, 2], [0, 3], [0, 1]]));
    }
}
