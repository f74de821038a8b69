//! Nodes on periodic boundaries that are one.
//!
//! Each copy of a node has a part of its cell, with the edges, elements and boundary faces there, and so a part of what
//! loops over these add up. Its node adds the parts of its copies to its own, in their order, and hands the sum back:
//! copies keep the same bits, and everything that is computed at nodes is the same for all of them.
//!
//! Where a boundary is turned into its partner, vectors of a copy are those of its node, turned: v' = T v, and so are both
//! directions of tensors: S' = T S T^T. What is handed over is turned on its way; copies then agree up to rounding.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;
use cfd_mesh::derive::periodic::images::Affine;

/// The values of a node, for its copies, or of a copy, for its node; and back.
#[kernel(
    scalar,
    take_1<1>,
    take_2<2>,
    take_3<3>,
    take_4<4>,
    take_5<5>,
    take_6<6>,
    take_8<8>,
    take_11<11>,
    take_15<15>,
    take_16<16>,
    take_25<25>
)]
pub fn take<const N: usize>(from: Read<N>, to: Write<N>) {
    for m in 0..N {
        to[m] = from[m];
    }
}

/// The part of a copy is added to its node.
#[kernel(
    scalar,
    add_1<1>,
    add_2<2>,
    add_3<3>,
    add_4<4>,
    add_5<5>,
    add_6<6>,
    add_8<8>,
    add_11<11>,
    add_15<15>,
    add_16<16>,
    add_25<25>
)]
pub fn add<const N: usize>(part: Read<N>, sum: Inc<N>) {
    for m in 0..N {
        sum[m] += part[m];
    }
}

/// Nothing is left of the values of a copy.
#[kernel(
    scalar,
    forget_1<1>,
    forget_2<2>,
    forget_3<3>,
    forget_4<4>,
    forget_5<5>,
    forget_6<6>,
    forget_8<8>,
    forget_11<11>,
    forget_15<15>,
    forget_16<16>,
    forget_25<25>
)]
pub fn forget<const N: usize>(of_copy: Write<N>) {
    for m in 0..N {
        of_copy[m] = 0.0;
    }
}

/// Turns the vectors among N numbers: in each of ROWS rows of LENGTH numbers, STRIDE vectors whose components are STRIDE numbers
/// apart, and the first one FIRST times that from the row's start.
#[kernel(
    scalar,
    turn_vector_2d<2, 2, 1, 2, 0, 1>,
    turn_vector_3d<3, 3, 1, 3, 0, 1>,
    turn_wall_2d<5, 2, 1, 5, 0, 1>,
    turn_wall_3d<6, 3, 1, 6, 0, 1>,
    turn_state_2d<4, 2, 1, 4, 1, 1>,
    turn_state_3d<5, 3, 1, 5, 1, 1>,
    turn_gradients_2d<8, 2, 4, 2, 0, 1>,
    turn_gradients_3d<15, 3, 5, 3, 0, 1>,
    turn_velocity_gradients_2d<8, 2, 1, 8, 1, 2>,
    turn_velocity_gradients_3d<15, 3, 1, 15, 1, 3>,
    turn_rows_2d<16, 2, 4, 4, 1, 1>,
    turn_rows_3d<25, 3, 5, 5, 1, 1>,
    turn_columns_2d<16, 2, 1, 16, 1, 4>,
    turn_columns_3d<25, 3, 1, 25, 1, 5>,
    turn_wave_vector<11, 3, 1, 11, 1, 1>
)]
pub fn turn<
    const N: usize,
    const D: usize,
    const ROWS: usize,
    const LENGTH: usize,
    const FIRST: usize,
    const STRIDE: usize,
>(
    turn: Read<9>,
    values: Rw<N>,
) {
    for row in 0..ROWS {
        for i in 0..STRIDE {
            let mut v = [0.0; D];
            for k in 0..D {
                for l in 0..D {
                    v[k] += turn[3 * k + l] * values[row * LENGTH + (FIRST + l) * STRIDE + i];
                }
            }
            for k in 0..D {
                values[row * LENGTH + (FIRST + k) * STRIDE + i] = v[k];
            }
        }
    }
}

/// T S T^T of a symmetric matrix as (xx, xy, xz, yy, yz, zz).
#[device]
pub fn turned_symmetric(turn: [f64; 9], s: [f64; 6]) -> [f64; 6] {
    let whole = [s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]];
    let mut half = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                half[3 * i + j] += turn[3 * i + k] * whole[3 * k + j];
            }
        }
    }
    let mut all = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                all[3 * i + j] += half[3 * i + k] * turn[3 * j + k];
            }
        }
    }
    [all[0], all[1], all[2], all[4], all[5], all[8]]
}

/// Turns a symmetric matrix in the plane, (xx, xy, yy).
#[kernel(scalar)]
pub fn turn_symmetric_2d(turn: Read<9>, s: Rw<3>) {
    let all: [f64; 6] = turned_symmetric(turn, [s[0], s[1], 0.0, s[2], 0.0, 0.0]);
    s = [all[0], all[1], all[3]];
}

/// Turns a symmetric matrix.
#[kernel(scalar)]
pub fn turn_symmetric_3d(turn: Read<9>, s: Rw<6>) {
    let all: [f64; 6] = turned_symmetric(turn, s);
    s = all;
}

/// Turns the symmetric matrix of a time step for each wave.
#[kernel(scalar)]
pub fn turn_wave_matrix(turn: Read<9>, values: Rw<11>) {
    let all: [f64; 6] =
        turned_symmetric(turn, [values[4], values[5], values[6], values[7], values[8], values[9]]);
    for i in 0..6 {
        values[4 + i] = all[i];
    }
}

/// The nodes of a domain that are another one.
#[derive(Clone, Copy)]
pub struct Copies {
    set: Set,
    /// From a copy to the node that it is one of, and to itself.
    nodes: Map<2>,
    /// The node that a copy is one of.
    node: Target<2, 0>,
    /// The copy.
    copy: Target<2, 1>,
    /// Matrices from vectors of the node to those of the copy, and back, if boundaries are turned.
    turns: Option<[Dat<9>; 2]>,
    /// Edges that are another one; coarse levels have none.
    pub edges: Option<CopyEdges>,
}

/// Edges within periodic boundaries that are another one.
#[derive(Clone, Copy)]
pub struct CopyEdges {
    /// Them.
    pub set: Set,
    /// Their first node.
    pub a: Target<2, 0>,
    /// Their second node.
    pub b: Target<2, 1>,
}

/// What N numbers are, which says how they turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Numbers that stay.
    Numbers,
    /// A vector, and then numbers.
    Vector,
    /// The upper triangle of a symmetric matrix, row by row.
    Symmetric,
    /// A number, a vector and a number: a state, primitive or conserved, or a change of it.
    State,
    /// The gradients of a state's components.
    Gradients,
    /// A matrix from states to states, row by row.
    Block,
    /// A symmetric matrix of a number and a vector, and a number: a time step for each wave.
    Waves,
}

/// The way of values between a node and its copies.
#[derive(Clone, Copy)]
enum Way {
    ToCopies,
    Back,
}

impl Copies {
    /// Those of a domain, if it has any; `prefix` stands before the names of the set and of the map.
    ///
    /// # Errors
    /// The domain has the set without its map, or a device has failed.
    pub fn new(domain: &mut Domain, prefix: &str) -> Result<Option<Copies>, DomainError> {
        let Ok(set) = domain.set(&format!("{prefix}copies")) else { return Ok(None) };
        let nodes: Map<2> = domain.map(&format!("{prefix}copy_nodes"))?;
        let turns = match domain.dat::<9, f64>(&format!("{prefix}copy_turn")) {
            Err(_) => None,
            Ok(turn) => {
                let rows = domain.read(turn)?;
                let transposed =
                    |turn: &[f64; 9]| -> [f64; 9] { std::array::from_fn(|at| turn[3 * (at % 3) + at / 3]) };
                let rows: Vec<f64> = rows.as_chunks::<9>().0.iter().flat_map(transposed).collect();
                let name = format!("{prefix}turn back");
                // Each system on coarse levels asks for their copies.
                let back = domain.dat(&name).unwrap_or_else(|_| domain.new_dat(set, &name));
                domain.write(back, &rows);
                Some([turn, back])
            }
        };
        let edges = match domain.set(&format!("{prefix}copy_edges")) {
            Err(_) => None,
            Ok(set) => {
                let ends: Map<2> = domain.map(&format!("{prefix}copy_edge_nodes"))?;
                Some(CopyEdges { set, a: ends.target::<0>(), b: ends.target::<1>() })
            }
        };
        Ok(Some(Copies { set, nodes, node: nodes.target::<0>(), copy: nodes.target::<1>(), turns, edges }))
    }

    /// Whether vectors of copies differ from those of their nodes.
    pub fn is_turned(&self) -> bool {
        self.turns.is_some()
    }

    /// Sums of D numbers at nodes; `name` says of what.
    pub fn sums<const D: usize>(self, domain: &mut Domain, name: &str, shape: Shape) -> CopySums<D> {
        CopySums { copies: self, parts: domain.new_dat(self.set, &format!("parts of {name}")), shape }
    }

    /// The motions from nodes to their copies, of this rank's copies: x' = T x + s.
    ///
    /// # Errors
    /// A device has failed.
    pub fn motions<const D: usize>(
        &self,
        domain: &mut Domain,
        x: Dat<D>,
    ) -> Result<Vec<Affine<D>>, BackendError> {
        let x = domain.read_with_halo(x)?;
        let x = x.as_chunks::<D>().0;
        let turns = self.turns.map(|[turn, _]| domain.read(turn)).transpose()?;
        let own = domain.global_ids(self.set).len();
        let motion = |(row, [node, copy]): (usize, &[u32; 2])| -> Affine<D> {
            let given = turns.as_ref().map(|turns| &turns.as_chunks::<9>().0[row]);
            let entry = |i: usize, j: usize| match given {
                Some(turn) => turn[3 * i + j],
                None => f64::from(u8::from(i == j)),
            };
            let turn = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
            let [from, to] = [node, copy].map(|row| x[*row as usize]);
            let at = Affine { turn, shift: [0.0; D] }.apply(from);
            Affine { turn, shift: std::array::from_fn(|k| to[k] - at[k]) }
        };
        Ok(domain.targets(self.nodes).iter().take(own).enumerate().map(motion).collect())
    }
}

/// Sums of D numbers over the copies of each node, with a place for the parts.
#[derive(Clone, Copy)]
pub struct CopySums<const D: usize> {
    copies: Copies,
    parts: Dat<D>,
    shape: Shape,
}

/// The loops over copies exist for D numbers.
pub trait CopyLoops<const D: usize> {
    /// Records the loops after which all copies of a node have its values.
    fn share(&self, domain: &mut Domain, values: Dat<D>);
    /// Records the loops after which all copies of a node have the sum of their values.
    fn unite(&self, domain: &mut Domain, values: Dat<D>);
    /// Records the loop after which all copies but the nodes themselves have 0: sums over nodes then count each once.
    fn clear_copies(&self, domain: &mut Domain, values: Dat<D>);
}

impl<const D: usize> CopySums<D> {
    /// Whether vectors of copies differ from those of their nodes.
    pub fn is_turned(&self) -> bool {
        self.copies.is_turned()
    }

    /// Sums of the same numbers over the copies of another level; `name` says of what.
    pub fn on(&self, copies: Copies, domain: &mut Domain, name: &str) -> CopySums<D> {
        copies.sums(domain, name, self.shape)
    }

    /// The turns on a way, unless numbers stay as they are.
    fn turn(&self, way: Way) -> Option<Dat<9>> {
        let [there, back] = self.copies.turns.filter(|_| self.shape != Shape::Numbers)?;
        Some(match way {
            Way::ToCopies => there,
            Way::Back => back,
        })
    }

    fn unknown(&self) -> ! {
        unreachable!("{D} numbers are not {:?}", self.shape)
    }
}

macro_rules! copy_loops {
    ($($dim:literal $take:ident $add:ident $forget:ident { $($shape:ident: $($turn:ident)+,)* })*) => {
        $(impl CopyLoops<$dim> for CopySums<$dim> {
            fn share(&self, domain: &mut Domain, values: Dat<$dim>) {
                let CopySums { copies: Copies { set, node, copy, .. }, parts, .. } = *self;
                domain.par_loop($take, set, (values.at(node), parts), &());
                self.turn_parts(domain, Way::ToCopies);
                domain.par_loop($take, set, (parts, values.at(copy)), &());
            }

            fn unite(&self, domain: &mut Domain, values: Dat<$dim>) {
                let CopySums { copies: Copies { set, node, copy, .. }, parts, .. } = *self;
                domain.par_loop($take, set, (values.at(copy), parts), &());
                self.turn_parts(domain, Way::Back);
                domain.par_loop($add, set, (parts, values.at(node)), &());
                self.share(domain, values);
            }

            fn clear_copies(&self, domain: &mut Domain, values: Dat<$dim>) {
                let Copies { set, copy, .. } = self.copies;
                domain.par_loop($forget, set, (values.at(copy),), &());
            }
        }

        impl CopySums<$dim> {
            /// Records the loops that turn the parts.
            #[allow(unused_variables, reason = "numbers alone do not turn")]
            fn turn_parts(&self, domain: &mut Domain, way: Way) {
                let Some(turn) = self.turn(way) else { return };
                match self.shape {
                    $(Shape::$shape => {
                        $(domain.par_loop($turn, self.copies.set, (turn, self.parts), &());)+
                    })*
                    _ => self.unknown(),
                }
            }
        })*
    };
}

copy_loops! {
    1 take_1 add_1 forget_1 {}
    2 take_2 add_2 forget_2 { Vector: turn_vector_2d, }
    3 take_3 add_3 forget_3 { Vector: turn_vector_3d, Symmetric: turn_symmetric_2d, }
    4 take_4 add_4 forget_4 { State: turn_state_2d, }
    5 take_5 add_5 forget_5 { State: turn_state_3d, Vector: turn_wall_2d, }
    6 take_6 add_6 forget_6 { Symmetric: turn_symmetric_3d, Vector: turn_wall_3d, }
    8 take_8 add_8 forget_8 { Gradients: turn_gradients_2d turn_velocity_gradients_2d, }
    11 take_11 add_11 forget_11 { Waves: turn_wave_vector turn_wave_matrix, }
    15 take_15 add_15 forget_15 { Gradients: turn_gradients_3d turn_velocity_gradients_3d, }
    16 take_16 add_16 forget_16 { Block: turn_rows_2d turn_columns_2d, }
    25 take_25 add_25 forget_25 { Block: turn_rows_3d turn_columns_3d, }
}
