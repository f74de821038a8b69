//! Line solvers: the equations of each line's nodes, with what couples them along the line, are solved exactly.
//!
//! ```text
//! forward     M = L E_before,  E = (D - M U_before)^-1         once for each matrix
//!             z = r - M z_before
//! backward    z = E z - V z_after,  V = E U
//! ```
//!
//! In a boundary layer, cells are thousands of times thinner than long, and the coupling across them exceeds all others by the
//! square of that: what is left after solving along lines is as easy as if cells were round. Lines are never cut, so the
//! result does not depend on the partition. Source: Mavriplis, "Multigrid strategies for viscous flow solvers on anisotropic
//! unstructured meshes", J. Comput. Phys. 145 (1998), DOI 10.1006/jcph.1998.6036.

use cfd_engine::Stored;
use cfd_engine::prelude::*;

use crate::kernels::find_links;
use crate::loops::Along;
use crate::matrix::{BlockMatrix, name_of_matrix, unused_prefix};
use crate::operator::Preconditioner;
use crate::{BlockLoops, Loops, VectorLoops};

/// The links of a mesh's lines.
#[derive(Clone, Debug)]
pub struct LineSet {
    along: Along,
    /// For each edge of the matrix, whether it is a link of a line: 0 if not.
    links: Dat<1, i32>,
    /// Lines by color.
    colors: Vec<Lines>,
}

impl LineSet {
    /// The lines along these maps, of which `node_line` leads to each node's line; `ends` are the ends of the matrix's edges. Lines
    /// have `colors` colors, drawn from their numbers: neighbouring lines mostly have different ones. Collective.
    ///
    /// # Errors
    /// Maps that do not lead along lines, or lines that belong to several ranks.
    pub fn new(
        domain: &mut Domain,
        [before, after, node_line]: [Map<1>; 3],
        ends: Map<2>,
        colors: usize,
    ) -> Result<LineSet, DomainError> {
        let lines = domain.new_lines(before, after)?;
        let nodes = before.from();
        let numbers: Vec<i32> =
            domain.target_ids(node_line).iter().map(|&[line]| (line % (1 << 31)) as i32).collect();
        let places = domain.places_on(lines);
        let own = unused_prefix(domain, "lines", "line");
        let line: Dat<1, i32> = domain.new_dat(nodes, &format!("{own}.line"));
        let place: Dat<1, i32> = domain.new_dat(nodes, &format!("{own}.place"));
        let line_ends: Dat<2, i32> = domain.new_dat(nodes, &format!("{own}.line_ends"));
        domain.write(line, &numbers);
        domain.write(place, &places.iter().map(|&[place, _]| place as i32).collect::<Vec<_>>());
        let is_end = |&[place, length]: &[u32; 2]| [i32::from(place == 0), i32::from(place + 1 == length)];
        domain.write(line_ends, &places.iter().flat_map(is_end).collect::<Vec<_>>());
        let links: Dat<1, i32> = domain.new_dat(ends.from(), &format!("{own}.links"));
        domain.par_loop(find_links, ends.from(), (line.all(ends), place.all(ends), links), &());
        let colored = |domain: &mut Domain, color: u64| {
            domain.lines_where(lines, |row| mixed(numbers[row] as u64) % colors as u64 == color)
        };
        let colors = match colors {
            0 | 1 => vec![lines],
            colors => (0..colors as u64).map(|color| colored(domain, color)).collect(),
        };
        Ok(LineSet { along: Along { lines, before, after, ends: line_ends }, links, colors })
    }

    /// For each edge, whether it is a link of a line: 1 if its second end follows its first, -1 if the first follows the second,
    /// else 0.
    pub fn links(&self) -> Dat<1, i32> {
        self.links
    }
}

/// A hash of a line's number: the finalizer of SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// How lines know of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relaxation {
    /// All lines at the same time: line Jacobi.
    #[default]
    Jacobi,
    /// Color by color, forward and backward, each with the latest values of the others: symmetric line Gauss-Seidel.
    GaussSeidel,
}

/// A line preconditioner of a matrix.
#[derive(Clone, Debug)]
pub struct LinePreconditioner<const N: usize, const NN: usize, T = f64> {
    matrix: BlockMatrix<N, NN, T>,
    set: LineSet,
    relaxation: Relaxation,
    /// M, V and E.
    to_before: Dat<NN, T>,
    to_after: Dat<NN, T>,
    inverse: Dat<NN, T>,
    /// What other lines leave of r.
    left: Option<Dat<N>>,
}

impl<const N: usize, const NN: usize, T: Stored> LinePreconditioner<N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    /// For a matrix, whose blocks may still change.
    pub fn new(
        domain: &mut Domain,
        matrix: &BlockMatrix<N, NN, T>,
        set: &LineSet,
        relaxation: Relaxation,
    ) -> LinePreconditioner<N, NN, T> {
        let nodes = matrix.diagonal.set();
        let of = name_of_matrix(domain, matrix);
        let name = |what: &str| format!("{of}.lines.{what}");
        let gauss_seidel = relaxation == Relaxation::GaussSeidel;
        LinePreconditioner {
            matrix: *matrix,
            set: set.clone(),
            relaxation,
            to_before: domain.new_dat(nodes, &name("before")),
            to_after: domain.new_dat(nodes, &name("after")),
            inverse: domain.new_dat(nodes, &name("inverse")),
            left: gauss_seidel.then(|| domain.new_dat(nodes, &name("left"))),
        }
    }

    /// Records the loops that eliminate along lines, with the matrix's blocks as they are now.
    pub fn update(&self, domain: &mut Domain) {
        let LinePreconditioner { matrix, to_before, to_after, inverse, .. } = self;
        for blocks in [*to_before, *to_after, *inverse] {
            Loops::clear_blocks(domain, blocks);
        }
        Loops::add_links(domain, self.set.links, &matrix.edges, [*to_before, *to_after]);
        Loops::factor(domain, &self.set.along, matrix.diagonal, *to_after, *to_before, *inverse);
        Loops::scale_after(domain, *inverse, *to_after);
    }

    /// Solves along some of the lines.
    fn solve(&self, domain: &mut Domain, lines: Lines, r: Dat<N>, z: Dat<N>) {
        let along = &self.set.along;
        Loops::solve_forward(domain, lines, along, self.to_before, r, z);
        Loops::solve_backward(domain, lines, along, self.inverse, self.to_after, z);
    }
}

impl<const N: usize, const NN: usize, T: Stored> Preconditioner<N> for LinePreconditioner<N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<N>, z: Dat<N>) {
        let Some(left) = self.left.filter(|_| self.relaxation == Relaxation::GaussSeidel) else {
            return self.solve(domain, self.set.along.lines, r, z);
        };
        let colors = &self.set.colors;
        // Forward through the colors, then back, without the last again.
        let order = (0..colors.len()).chain((0..colors.len().saturating_sub(1)).rev());
        Loops::clear(domain, z);
        for (turn, color) in order.enumerate() {
            Loops::copy(domain, r, left);
            if turn > 0 {
                Loops::subtract_products(domain, self.set.links, &self.matrix.edges, z, left);
            }
            self.solve(domain, colors[color], left, z);
        }
    }
}
