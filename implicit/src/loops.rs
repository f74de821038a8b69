//! The loops by block size.
//!
//! A [`Dat`]'s dimension is a constant, and so is a block's: [`BlockLoops`] finds the loops for `N` unknowns and blocks of
//! `NN = N x N`.

use cfd_engine::prelude::*;

use crate::kernels::{self, Eight, Factor};
use crate::matrix::BlockMatrix;

/// Has the loops of every size as implementations of [`VectorLoops`] and [`BlockLoops`].
#[derive(Clone, Copy, Debug)]
pub struct Loops;

/// The loops on vectors of `N` values.
pub trait VectorLoops<const N: usize> {
    /// x = 0.
    fn clear(domain: &mut Domain, x: Dat<N>);
    /// y = x.
    fn copy(domain: &mut Domain, x: Dat<N>, y: Dat<N>);
    /// x = factor x.
    fn scale(domain: &mut Domain, factor: f64, x: Dat<N>);
    /// r = b - r, and the sum of r . r.
    fn residual(domain: &mut Domain, b: Dat<N>, r: Dat<N>, rr: Global<Sum<1>>);
    /// r = b - r.
    fn subtract_from(domain: &mut Domain, b: Dat<N>, r: Dat<N>);
    /// coarse += the sum of the nodes of each agglomerate.
    fn add_up(domain: &mut Domain, to: &Agglomerates, x: Dat<N>, coarse: Dat<N>);
    /// x += factor times the value of each node's agglomerate.
    fn add_down(domain: &mut Domain, to: &Agglomerates, factor: f64, coarse: Dat<N>, x: Dat<N>);
    /// h_k = w . v_k.
    fn dots(domain: &mut Domain, w: Dat<N>, v: [Dat<N>; 8], h: Global<Sum<8>>);
    /// h_k = w . v_k.
    fn two_dots(domain: &mut Domain, w: Dat<N>, v: [Dat<N>; 2], h: Global<Sum<2>>);
    /// h = w . v.
    fn dot(domain: &mut Domain, w: Dat<N>, v: Dat<N>, h: Global<Sum<1>>);
    /// w += sum of h_k v_k.
    fn combine(domain: &mut Domain, v: [Dat<N>; 8], h: [f64; 8], w: Dat<N>);
    /// w += h_0 v_0 + h_1 v_1.
    fn two_combine(domain: &mut Domain, v: [Dat<N>; 2], h: [f64; 2], w: Dat<N>);
}

/// The loops on vectors of `N` values and blocks of `NN` = N x N. Blocks of edges and of preconditioners are stored as `T`,
/// f64 or f32; all loops compute in double precision.
pub trait BlockLoops<const N: usize, const NN: usize, T = f64>: VectorLoops<N> {
    /// D = 0.
    fn clear_diagonal(domain: &mut Domain, d: Dat<NN>);
    /// B = 0.
    fn clear_blocks(domain: &mut Domain, b: Dat<NN, T>);
    /// y = D x.
    fn diagonal_product(domain: &mut Domain, d: Dat<NN>, x: Dat<N>, y: Dat<N>);
    /// y = E x, with blocks of a preconditioner.
    fn product(domain: &mut Domain, e: Dat<NN, T>, x: Dat<N>, y: Dat<N>);
    /// y += the edges' part of A x.
    fn add_products(domain: &mut Domain, edges: &EdgeBlocks<NN, T>, x: Dat<N>, y: Dat<N>);
    /// y -= the part of A x of edges that are no links of lines.
    fn subtract_products(
        domain: &mut Domain,
        along: Dat<1, i32>,
        edges: &EdgeBlocks<NN, T>,
        x: Dat<N>,
        y: Dat<N>,
    );
    /// The part of a coarse matrix's diagonal that comes from the finer diagonal.
    fn add_diagonal(domain: &mut Domain, to: &Agglomerates, d: Dat<NN>, coarse: Dat<NN>);
    /// The blocks of a coarse matrix that come from the finer edges.
    fn add_edges(
        domain: &mut Domain,
        to: &Agglomerates,
        edges: &EdgeBlocks<NN, T>,
        coarse: &BlockMatrix<N, NN, T>,
    );
    /// E = D^-1.
    fn invert(domain: &mut Domain, d: Dat<NN>, e: Dat<NN, T>);
    /// The blocks between the nodes of each link, at the nodes.
    fn add_links(domain: &mut Domain, along: Dat<1, i32>, edges: &EdgeBlocks<NN, T>, blocks: [Dat<NN, T>; 2]);
    /// Elimination along lines: [`crate::lines`].
    fn factor(domain: &mut Domain, lines: &Along, d: Dat<NN>, u: Dat<NN, T>, m: Dat<NN, T>, e: Dat<NN, T>);
    /// U = E U.
    fn scale_after(domain: &mut Domain, e: Dat<NN, T>, u: Dat<NN, T>);
    /// z = r - M z_before, forward along these lines.
    fn solve_forward(domain: &mut Domain, lines: Lines, along: &Along, m: Dat<NN, T>, r: Dat<N>, z: Dat<N>);
    /// z = E z - V z_after, backward along these lines.
    fn solve_backward(
        domain: &mut Domain,
        lines: Lines,
        along: &Along,
        e: Dat<NN, T>,
        v: Dat<NN, T>,
        z: Dat<N>,
    );
}

/// Blocks of edges, from a to b: of a's equations for b's unknowns, and of b's equations for a's.
#[derive(Clone, Copy, Debug)]
pub struct EdgeBlocks<const NN: usize, T = f64> {
    /// From each edge to its ends.
    pub ends: Map<2>,
    /// a's equations, b's unknowns.
    pub upper: Dat<NN, T>,
    /// b's equations, a's unknowns.
    pub lower: Dat<NN, T>,
}

/// Lines, and what their sweeps read.
#[derive(Clone, Copy, Debug)]
pub struct Along {
    /// The lines.
    pub lines: Lines,
    /// To the node before.
    pub before: Map<1>,
    /// To the node after.
    pub after: Map<1>,
    /// Whether a node is the first, and the last, of its line.
    pub ends: Dat<2, i32>,
}

/// A coarse level: agglomerates of a finer one's nodes, and the edges between them.
#[derive(Clone, Copy, Debug)]
pub struct Agglomerates {
    /// From each finer node to its agglomerate.
    pub nodes: Map<1>,
    /// From each finer edge to the coarse edge between the agglomerates of its ends, or to any, if they are the same.
    pub edges: Map<1>,
    /// From each finer edge to the agglomerate of its first end.
    pub firsts: Map<1>,
    /// Of each finer edge: 1 if the coarse edge has its direction, -1 if it has the opposite, 0 inside an agglomerate.
    pub direction: Dat<1, i32>,
    /// From each coarse edge to its ends.
    pub ends: Map<2>,
}

macro_rules! vector_loops {
    ($($n:literal $clear:ident $copy:ident $scale:ident $residual:ident $dots:ident $two_dots:ident $dot:ident
       $combine:ident $two_combine:ident $subtract_from:ident $add_up:ident $add_down:ident;)*) => {$(
        impl VectorLoops<$n> for Loops {
            #[inline]
            fn clear(domain: &mut Domain, x: Dat<$n>) {
                domain.par_loop(kernels::$clear, x.set(), (x,), &());
            }
            #[inline]
            fn copy(domain: &mut Domain, x: Dat<$n>, y: Dat<$n>) {
                domain.par_loop(kernels::$copy, x.set(), (x, y), &());
            }
            #[inline]
            fn scale(domain: &mut Domain, factor: f64, x: Dat<$n>) {
                domain.par_loop(kernels::$scale, x.set(), (x,), &Factor { factor });
            }
            #[inline]
            fn residual(domain: &mut Domain, b: Dat<$n>, r: Dat<$n>, rr: Global<Sum<1>>) {
                domain.par_loop(kernels::$residual, b.set(), (b, r, rr), &());
            }
            #[inline]
            fn subtract_from(domain: &mut Domain, b: Dat<$n>, r: Dat<$n>) {
                domain.par_loop(kernels::$subtract_from, b.set(), (b, r), &());
            }
            #[inline]
            fn add_up(domain: &mut Domain, to: &Agglomerates, x: Dat<$n>, coarse: Dat<$n>) {
                let operands = (x, coarse.at(to.nodes.target::<0>()));
                domain.par_loop(kernels::$add_up, x.set(), operands, &());
            }
            #[inline]
            fn add_down(domain: &mut Domain, to: &Agglomerates, factor: f64, coarse: Dat<$n>, x: Dat<$n>) {
                let operands = (coarse.at(to.nodes.target::<0>()), x);
                domain.par_loop(kernels::$add_down, x.set(), operands, &Factor { factor });
            }
            #[inline]
            fn dots(domain: &mut Domain, w: Dat<$n>, v: [Dat<$n>; 8], h: Global<Sum<8>>) {
                let operands = (w, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], h);
                domain.par_loop(kernels::$dots, w.set(), operands, &());
            }
            #[inline]
            fn two_dots(domain: &mut Domain, w: Dat<$n>, v: [Dat<$n>; 2], h: Global<Sum<2>>) {
                domain.par_loop(kernels::$two_dots, w.set(), (w, v[0], v[1], h), &());
            }
            #[inline]
            fn dot(domain: &mut Domain, w: Dat<$n>, v: Dat<$n>, h: Global<Sum<1>>) {
                domain.par_loop(kernels::$dot, w.set(), (w, v, h), &());
            }
            #[inline]
            fn combine(domain: &mut Domain, v: [Dat<$n>; 8], h: [f64; 8], w: Dat<$n>) {
                let operands = (v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], w);
                domain.par_loop(kernels::$combine, w.set(), operands, &Eight { h });
            }
            #[inline]
            fn two_combine(domain: &mut Domain, v: [Dat<$n>; 2], h: [f64; 2], w: Dat<$n>) {
                let mut all = Eight::default();
                all.h[..2].copy_from_slice(&h);
                domain.par_loop(kernels::$two_combine, w.set(), (v[0], v[1], w), &all);
            }
        }
    )*};
}

macro_rules! block_loops {
    ($($value:ty: $n:literal $nn:literal $clear_blocks:ident $product:ident $add_products:ident $subtract_products:ident
       $add_up_blocks:ident $add_edge:ident $invert:ident $add_link:ident $factor:ident
       $scale_after:ident $solve_forward:ident $solve_backward:ident;)*) => {$(
        impl BlockLoops<$n, $nn, $value> for Loops {
            #[inline]
            fn clear_diagonal(domain: &mut Domain, d: Dat<$nn>) {
                domain.par_loop(kernels::$clear_blocks, d.set(), (d,), &());
            }
            #[inline]
            fn clear_blocks(domain: &mut Domain, b: Dat<$nn, $value>) {
                domain.par_loop(kernels::$clear_blocks, b.set(), (b,), &());
            }
            #[inline]
            fn diagonal_product(domain: &mut Domain, d: Dat<$nn>, x: Dat<$n>, y: Dat<$n>) {
                domain.par_loop(kernels::$product, x.set(), (d, x, y), &());
            }
            #[inline]
            fn product(domain: &mut Domain, e: Dat<$nn, $value>, x: Dat<$n>, y: Dat<$n>) {
                domain.par_loop(kernels::$product, x.set(), (e, x, y), &());
            }
            #[inline]
            fn add_products(domain: &mut Domain, edges: &EdgeBlocks<$nn, $value>, x: Dat<$n>, y: Dat<$n>) {
                let EdgeBlocks { ends, upper, lower } = *edges;
                let operands = (upper, lower, x.all(ends), y.all(ends));
                domain.par_loop(kernels::$add_products, ends.from(), operands, &());
            }
            #[inline]
            fn subtract_products(
                domain: &mut Domain,
                along: Dat<1, i32>,
                edges: &EdgeBlocks<$nn, $value>,
                x: Dat<$n>,
                y: Dat<$n>,
            ) {
                let EdgeBlocks { ends, upper, lower } = *edges;
                let operands = (along, upper, lower, x.all(ends), y.all(ends));
                domain.par_loop(kernels::$subtract_products, ends.from(), operands, &());
            }
            #[inline]
            fn add_diagonal(domain: &mut Domain, to: &Agglomerates, d: Dat<$nn>, coarse: Dat<$nn>) {
                let operands = (d, coarse.at(to.nodes.target::<0>()));
                domain.par_loop(kernels::$add_up_blocks, d.set(), operands, &());
            }
            #[inline]
            fn add_edges(
                domain: &mut Domain,
                to: &Agglomerates,
                edges: &EdgeBlocks<$nn, $value>,
                coarse: &BlockMatrix<$n, $nn, $value>,
            ) {
                let (edge, first) = (to.edges.target::<0>(), to.firsts.target::<0>());
                let sums = (coarse.edges.upper.at(edge), coarse.edges.lower.at(edge), coarse.diagonal.at(first));
                let operands = (to.direction, edges.upper, edges.lower, sums.0, sums.1, sums.2);
                domain.par_loop(kernels::$add_edge, edges.ends.from(), operands, &());
            }
            #[inline]
            fn invert(domain: &mut Domain, d: Dat<$nn>, e: Dat<$nn, $value>) {
                domain.par_loop(kernels::$invert, d.set(), (d, e), &());
            }
            #[inline]
            fn add_links(
                domain: &mut Domain,
                along: Dat<1, i32>,
                edges: &EdgeBlocks<$nn, $value>,
                [to_before, to_after]: [Dat<$nn, $value>; 2],
            ) {
                let EdgeBlocks { ends, upper, lower } = *edges;
                let operands = (along, upper, lower, to_before.all(ends), to_after.all(ends));
                domain.par_loop(kernels::$add_link, ends.from(), operands, &());
            }
            #[inline]
            fn factor(domain: &mut Domain, on: &Along, d: Dat<$nn>, u: Dat<$nn, $value>, m: Dat<$nn, $value>, e: Dat<$nn, $value>) {
                let before = on.before.target::<0>();
                let operands = (on.ends, d, u.at(before), e.at(before), m, e);
                domain.sweep(kernels::$factor, on.lines, Direction::Forward, operands, &());
            }
            #[inline]
            fn scale_after(domain: &mut Domain, e: Dat<$nn, $value>, u: Dat<$nn, $value>) {
                domain.par_loop(kernels::$scale_after, e.set(), (e, u), &());
            }
            #[inline]
            fn solve_forward(domain: &mut Domain, lines: Lines, on: &Along, m: Dat<$nn, $value>, r: Dat<$n>, z: Dat<$n>) {
                let operands = (on.ends, m, r, z.at(on.before.target::<0>()), z);
                domain.sweep(kernels::$solve_forward, lines, Direction::Forward, operands, &());
            }
            #[inline]
            fn solve_backward(domain: &mut Domain, lines: Lines, on: &Along, e: Dat<$nn, $value>, v: Dat<$nn, $value>, z: Dat<$n>) {
                let operands = (on.ends, e, v, z.at(on.after.target::<0>()), z);
                domain.sweep(kernels::$solve_backward, lines, Direction::Backward, operands, &());
            }
        }
    )*};
}

vector_loops! {
    1 clear_1 copy_1 scale_1 residual_1 dots_1 two_dots_1 dot_1 combine_1 two_combine_1 subtract_from_1 add_up_1 add_down_1;
    2 clear_2 copy_2 scale_2 residual_2 dots_2 two_dots_2 dot_2 combine_2 two_combine_2 subtract_from_2 add_up_2 add_down_2;
    3 clear_3 copy_3 scale_3 residual_3 dots_3 two_dots_3 dot_3 combine_3 two_combine_3 subtract_from_3 add_up_3 add_down_3;
    4 clear_4 copy_4 scale_4 residual_4 dots_4 two_dots_4 dot_4 combine_4 two_combine_4 subtract_from_4 add_up_4 add_down_4;
    5 clear_5 copy_5 scale_5 residual_5 dots_5 two_dots_5 dot_5 combine_5 two_combine_5 subtract_from_5 add_up_5 add_down_5;
    6 clear_6 copy_6 scale_6 residual_6 dots_6 two_dots_6 dot_6 combine_6 two_combine_6 subtract_from_6 add_up_6 add_down_6;
    7 clear_7 copy_7 scale_7 residual_7 dots_7 two_dots_7 dot_7 combine_7 two_combine_7 subtract_from_7 add_up_7 add_down_7;
}

block_loops! {
    f64: 1 1 clear_1 product_1 add_products_1 subtract_products_1 add_up_1 add_edge_1 invert_1 add_link_1 factor_1 scale_after_1 solve_forward_1 solve_backward_1;
    f64: 2 4 clear_4 product_2 add_products_2 subtract_products_2 add_up_4 add_edge_2 invert_2 add_link_2 factor_2 scale_after_2 solve_forward_2 solve_backward_2;
    f64: 3 9 clear_9 product_3 add_products_3 subtract_products_3 add_up_9 add_edge_3 invert_3 add_link_3 factor_3 scale_after_3 solve_forward_3 solve_backward_3;
    f64: 4 16 clear_16 product_4 add_products_4 subtract_products_4 add_up_16 add_edge_4 invert_4 add_link_4 factor_4 scale_after_4 solve_forward_4 solve_backward_4;
    f64: 5 25 clear_25 product_5 add_products_5 subtract_products_5 add_up_25 add_edge_5 invert_5 add_link_5 factor_5 scale_after_5 solve_forward_5 solve_backward_5;
    f64: 6 36 clear_36 product_6 add_products_6 subtract_products_6 add_up_36 add_edge_6 invert_6 add_link_6 factor_6 scale_after_6 solve_forward_6 solve_backward_6;
    f32: 1 1 clear_1 product_1 add_products_1 subtract_products_1 add_up_1 add_edge_1 invert_1 add_link_1 factor_1 scale_after_1 solve_forward_1 solve_backward_1;
    f32: 2 4 clear_4 product_2 add_products_2 subtract_products_2 add_up_4 add_edge_2 invert_2 add_link_2 factor_2 scale_after_2 solve_forward_2 solve_backward_2;
    f32: 3 9 clear_9 product_3 add_products_3 subtract_products_3 add_up_9 add_edge_3 invert_3 add_link_3 factor_3 scale_after_3 solve_forward_3 solve_backward_3;
    f32: 4 16 clear_16 product_4 add_products_4 subtract_products_4 add_up_16 add_edge_4 invert_4 add_link_4 factor_4 scale_after_4 solve_forward_4 solve_backward_4;
    f32: 5 25 clear_25 product_5 add_products_5 subtract_products_5 add_up_25 add_edge_5 invert_5 add_link_5 factor_5 scale_after_5 solve_forward_5 solve_backward_5;
    f32: 6 36 clear_36 product_6 add_products_6 subtract_products_6 add_up_36 add_edge_6 invert_6 add_link_6 factor_6 scale_after_6 solve_forward_6 solve_backward_6;
}
