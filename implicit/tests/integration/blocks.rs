//! Blocks in kernels of another crate: their factors and inverses against elimination by another program, with the same bits in any
//! lanes and on a device.

use cfd_engine::lane::Width;
use cfd_engine::operand::Operands;
use cfd_engine::prelude::*;
use cfd_implicit::kernels::{
    inverse_1, inverse_2, inverse_3, inverse_4, inverse_5, inverse_6, lu_1, lu_2, lu_3, lu_4, lu_5, lu_6,
    lu_solve_1, lu_solve_2, lu_solve_3, lu_solve_4, lu_solve_5, lu_solve_6,
};
use cfd_partition::distribute;

use crate::grid::Way;

/// x = A^-1 b by factors, and by the inverse.
#[kernel(
    solve_1<1, 1, 2, lu_1, lu_solve_1, inverse_1>, solve_2<2, 4, 6, lu_2, lu_solve_2, inverse_2>,
    solve_3<3, 9, 12, lu_3, lu_solve_3, inverse_3>, solve_4<4, 16, 20, lu_4, lu_solve_4, inverse_4>,
    solve_5<5, 25, 30, lu_5, lu_solve_5, inverse_5>, solve_6<6, 36, 42, lu_6, lu_solve_6, inverse_6>
)]
fn solve<const N: usize, const NN: usize, const M: usize, lu: Device, lu_solve: Device, inverse: Device>(
    a: Read<NN>,
    b: Read<N>,
    by_factors: Write<N>,
    by_inverse: Write<N>,
) {
    let factors: [f64; M] = lu(a);
    let x: [f64; N] = lu_solve(factors, b);
    by_factors = x;
    let e: [f64; NN] = inverse(a);
    for i in 0..N {
        let mut sum = e[N * i] * b[0];
        for j in 1..N {
            sum += e[N * i + j] * b[j];
        }
        by_inverse[i] = sum;
    }
}

/// Numbers from -1 to 1, some of them 0: half of the rows need another row in their place.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| Some(next()).filter(|x| x.abs() > 0.2).unwrap_or(0.0)).collect()
}

const BLOCKS: usize = 203;

/// The solutions by factors and by the inverse.
fn solve_all<K: Kernel<Constants = ()>, const N: usize, const NN: usize>(
    kernel: fn() -> K,
    way: &Way,
    [a, b]: [&[f64]; 2],
) -> [Vec<f64>; 2]
where
    (Dat<NN>, Dat<N>, Dat<N>, Dat<N>): Operands<K::Params>,
{
    let mut mesh = Mesh::default();
    let nodes = mesh.add_set("nodes", BLOCKS as u64);
    mesh.add_dat("a", nodes, NN, Values::F64(a.to_vec()));
    mesh.add_dat("b", nodes, N, Values::F64(b.to_vec()));
    let layout = distribute(&Comm::single(), mesh, &[vec![0; BLOCKS]]).unwrap();
    let mut domain = Domain::new(Comm::single(), layout, way.domain());
    way.use_device(&Comm::single(), &mut domain);
    let nodes = domain.set("nodes").unwrap();
    let (a, b): (Dat<NN>, Dat<N>) = (domain.dat("a").unwrap(), domain.dat("b").unwrap());
    let [x, y]: [Dat<N>; 2] = ["x", "y"].map(|name| domain.new_dat(nodes, name));
    domain.par_loop(kernel, nodes, (a, b, x, y), &());
    [x, y].map(|x| domain.read(x).unwrap())
}

fn check<K: Kernel<Constants = ()>, const N: usize, const NN: usize>(kernel: fn() -> K)
where
    (Dat<NN>, Dat<N>, Dat<N>, Dat<N>): Operands<K::Params>,
{
    let mut a = numbers(NN * BLOCKS, 7);
    for (k, block) in a.chunks_exact_mut(NN).enumerate() {
        let regular =
            |block: &[f64]| nalgebra::DMatrix::from_row_slice(N, N, block).determinant().abs() > 1e-3;
        for seed in 1.. {
            if regular(block) {
                break;
            }
            block.copy_from_slice(&numbers(NN, seed * BLOCKS as u64 + k as u64));
        }
    }
    let b = numbers(N * BLOCKS, 11);
    let first = solve_all::<K, N, NN>(kernel, &Way { lanes: Some(1), ..Way::new(1, "block") }, [&a, &b]);
    for (k, (a, b)) in a.chunks_exact(NN).zip(b.chunks_exact(N)).enumerate() {
        let (a, b) = (nalgebra::DMatrix::from_row_slice(N, N, a), nalgebra::DVector::from_column_slice(b));
        let expected = a.clone().lu().solve(&b).expect("a regular block");
        let condition = a.norm() * a.try_inverse().expect("a regular block").norm();
        for (found, by) in first.iter().zip(["factors", "the inverse"]) {
            let found = nalgebra::DVector::from_column_slice(&found[N * k..N * (k + 1)]);
            let error = (found - &expected).norm();
            assert!(
                error <= 4e-16 * N as f64 * condition * expected.norm(),
                "{N}, block {k} by {by}: {error:e}"
            );
        }
    }
    let lanes = [2, 4, 8].into_iter().filter(|&lanes| Width::new(lanes).is_ok());
    let ways = lanes.map(|lanes| Way { lanes: Some(lanes), ..Way::new(1, "block") });
    for way in ways.chain([Way { device: true, ..Way::new(1, "block") }]) {
        assert!(solve_all::<K, N, NN>(kernel, &way, [&a, &b]) == first, "{N}: {way:?}");
    }
}

#[test]
fn blocks_are_factored_and_inverted_as_elsewhere_and_with_the_same_bits_everywhere() {
    check::<_, 1, 1>(solve_1);
    check::<_, 2, 4>(solve_2);
    check::<_, 3, 9>(solve_3);
    check::<_, 4, 16>(solve_4);
    check::<_, 5, 25>(solve_5);
    check::<_, 6, 36>(solve_6);
}
