//! Levels of a box of hexahedra, for small runs: exact area vectors, nested levels.

use super::Level;

/// A side of a box, by its axis and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// 0, 1, 2: x, y, z.
    pub axis: usize,
    /// The end where the coordinate is highest.
    pub high: bool,
}

/// The levels of a box of `cells` cells per axis, each level with half as many as the one before; `size` is the finest
/// level's cell size, `group` gives each side's group.
///
/// Nodes are numbered x fastest, edges by axis, then by their first node, boundary weights by side. A node's coarse node
/// is the one at half its indices, rounded down.
///
/// # Panics
/// If the cells of an axis cannot be halved often enough.
pub fn box_levels(
    cells: [usize; 3],
    size: [f64; 3],
    levels: usize,
    group: impl Fn(Side) -> i32,
) -> Vec<Level> {
    let level = |l: usize| {
        assert!(cells.iter().all(|n| n % (1 << l) == 0), "{cells:?} cells cannot be halved {l} times");
        let cells = cells.map(|n| n >> l);
        let size = size.map(|size| size * f64::from(1u32 << l));
        let coarser = (l + 1 < levels).then_some(cells.map(|n| n / 2));
        Grid { cells, size }.level(coarser, &group)
    };
    (0..levels).map(level).collect()
}

/// A grid of cells of one size.
struct Grid {
    cells: [usize; 3],
    size: [f64; 3],
}

impl Grid {
    fn level(&self, coarser: Option<[usize; 3]>, group: &impl Fn(Side) -> i32) -> Level {
        let mut level = Level::default();
        for at in self.nodes() {
            level.x.push(std::array::from_fn(|m| at[m] as f64 * self.size[m]));
            level.node_mg_node.extend(coarser.map(|cells| number(cells, at.map(|i| i / 2))));
        }
        for axis in 0..3 {
            for at in self.nodes().filter(|at| at[axis] < self.cells[axis]) {
                let mut next = at;
                next[axis] += 1;
                level.edge_nodes.push([number(self.cells, at), number(self.cells, next)]);
                level.edge_weights.push(along(axis, self.face(axis, at)));
            }
        }
        for axis in 0..3 {
            for high in [false, true] {
                let end = if high { self.cells[axis] } else { 0 };
                for at in self.nodes().filter(|at| at[axis] == end) {
                    let inwards = if high { -1.0 } else { 1.0 };
                    level.bnode_node.push(number(self.cells, at));
                    level.bnode_weights.push(along(axis, inwards * self.face(axis, at)));
                    level.bnode_group.push(group(Side { axis, high }));
                }
            }
        }
        level
    }

    /// The indices of all nodes, x fastest.
    fn nodes(&self) -> impl Iterator<Item = [usize; 3]> {
        let [nx, ny, nz] = self.cells;
        (0..=nz).flat_map(move |k| (0..=ny).flat_map(move |j| (0..=nx).map(move |i| [i, j, k])))
    }

    /// The area of a node's dual cell across an axis.
    fn face(&self, axis: usize, at: [usize; 3]) -> f64 {
        let extent = |m: usize| {
            let cut = at[m] == 0 || at[m] == self.cells[m];
            if cut { 0.5 * self.size[m] } else { self.size[m] }
        };
        (0..3).filter(|&m| m != axis).map(extent).product()
    }
}

/// The number of a node.
fn number(cells: [usize; 3], at: [usize; 3]) -> u32 {
    let row = at[0] + (cells[0] + 1) * (at[1] + (cells[1] + 1) * at[2]);
    u32::try_from(row).expect("a small box")
}

/// A vector along an axis.
fn along(axis: usize, length: f64) -> [f64; 3] {
    std::array::from_fn(|m| if m == axis { length } else { 0.0 })
}
